//! Adds up what each definition cost, who called it, and where the rest of the time went.
//!
//! ```text
//! samples   1 ms   2 ms   4 ms   8 ms         self   total
//!           main   main   main   (idle)
//!                  work   ?sort          main    1       7    callees: work 2, sort 4
//!                                        work    2       2    callers: main 2
//!
//! ledger: total 15 = placed 3 + idle 8 + unplaced 4 (native: sort)
//! ```
//!
//! Summaries can be added: a definition is identified by its file and path, so several traces have one summary.

mod call_stacks;
mod example;
mod inlined;
mod intervals;
mod keys;
mod model;
mod stretches;
mod traced;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::model::{FunctionId, OffStack, Position, Spread, Thread, Unit, Weight};
use profile::scope::Selection;
use profile::tally::{Collections, Cost, LineCost, Tally};
use rustc_hash::FxHashMap;

use crate::locate::UnplacedReason;
use crate::symbolicate::{InlinedFrom, Symbols};
pub(crate) use keys::Keys;
use keys::key_of;
pub(crate) use traced::TracedSamples;

pub use call_stacks::{CallStacks, GroupBy, TreeOf};
pub use inlined::InlinedDefinition;
pub use model::{
    Base, Call, CallEnd, DefinitionKey, Generated, InlinedLine, Ledger, Maker, Measured, MeasuredAt,
    OnThread, Summary, ThreadTime, UnplacedFunction, UnplacedTime, share,
};
pub use stretches::MeasuredStretches;

/// Adds up a part of a profile by the keys of its functions.
pub(crate) fn summarize(unit: Unit, selection: &Selection<'_>, symbols: &Symbols, keys: &Keys) -> Summary {
    let number = keys.ends.len() as u32;
    let mut tally = profile::tally::tally(selection, &keys.of_function, number);
    // A thread that sums up many sessions stands alone.
    let population = selection.threads.first().and_then(|it| it.population.as_ref());
    let spreads = population.map(|it| it.by_key(&keys.of_function, number));
    let mut summary = Summary {
        sessions: sessions(selection),
        is_sampled: unit == Unit::Time && selection.threads.iter().all(|it| it.interval.is_some()),
        ..Summary::default()
    };
    let roles: Vec<Arc<str>> = selection.roles.iter().map(|it| it.as_str().into()).collect();
    for (thread, &role) in selection.threads.iter().zip(&selection.role_of) {
        summary.add_off_stack(thread);
        let time = ThreadTime {
            active: thread.active(),
            all: thread.all(),
            samples: thread.samples,
            squares: thread.squares(),
            collections: Collections::of(thread, selection),
        };
        *summary.threads.entry(Arc::clone(&roles[role as usize])).or_default() += time;
    }
    for key in 0..keys.ends.len() as u32 {
        summary.add_costs(key, keys, &mut tally, spreads.as_deref());
    }
    summary.add_threads(&tally, &roles, keys);
    for in_long_tasks in selection.threads.iter().filter_map(|thread| thread.in_long_tasks.as_deref()) {
        summary.add_long_tasks(in_long_tasks, keys);
    }
    summary.add_lines(&tally, keys, symbols);
    summary
}

/// The number of sessions that the threads belong to.
pub(crate) fn sessions(selection: &Selection<'_>) -> u64 {
    selection.threads.chunk_by(|a, b| a.session == b.session).map(|it| it[0].sessions()).sum()
}

impl Summary {
    /// Adds the time of a thread during which no function ran. The garbage collector counts as a function if it
    /// interrupted one, so it counts as one here too: then it has the same time in both lists.
    fn add_off_stack(&mut self, thread: &Thread) {
        for (&off, &spent) in &thread.off_stack {
            self.ledger.total += spent;
            match off {
                OffStack::Idle => self.ledger.idle += spent,
                OffStack::NoStack => self.ledger.no_stack += spent,
                OffStack::GarbageCollector => {
                    let function = UnplacedFunction::named(off.frame(), UnplacedReason::GarbageCollector);
                    let Weight { time, samples } = spent;
                    let cost = Cost {
                        self_time: time,
                        total_time: time,
                        self_samples: samples,
                        total_samples: samples,
                    };
                    self.add_unplaced(&function, cost);
                }
                _ => self.ledger.unplaced.entry(reason_off_stack(off)).or_default().spent += spent,
            }
        }
    }

    fn add_unplaced(&mut self, function: &UnplacedFunction, cost: Cost) {
        if (cost.self_time, cost.self_samples) != Default::default() {
            self.ledger.unplaced.entry(function.reason).or_default().add(function, &cost);
        }
        *self.unplaced.entry(function.clone()).or_default() += cost;
    }

    /// Adds the costs of the functions of one key. `spreads` tells how they differ between sessions if the tally cannot.
    fn add_costs(&mut self, key: u32, keys: &Keys, tally: &mut Tally, spreads: Option<&[Option<Spread>]>) {
        let index = key as usize;
        let cost = tally.costs[index];
        // Calls are taken out of the tally key by key, so that they are never in memory twice.
        let callers = std::mem::take(&mut tally.callers[index]);
        let callees = std::mem::take(&mut tally.callees[index]);
        let own = Weight { time: cost.self_time, samples: cost.self_samples };
        self.ledger.total += own;
        if cost == Cost::default() {
            return;
        }
        match &*keys.ends[index] {
            CallEnd::Entry => {}
            CallEnd::Unplaced(function) => self.add_unplaced(function, cost),
            CallEnd::Definition(definition) => {
                self.ledger.placed += own;
                let mut measured = keys.measured[&key].clone();
                if measured.generated == Some(Generated::MapLost) {
                    self.ledger.generated += own;
                }
                measured.cost = cost;
                let counted = Spread {
                    sessions: u64::from(tally.sessions[index]),
                    squares: tally.squares[index],
                    percentiles: None,
                };
                let spread = spreads.map_or(counted, |it| it[index].unwrap_or_default());
                (measured.sessions, measured.squares) = (spread.sessions, spread.squares);
                measured.percentiles = spread.percentiles;
                measured.callers = keys.calls(&callers);
                measured.callees = keys.calls(&callees);
                self.definitions.insert(definition.clone(), measured);
            }
        }
    }

    /// Makes it possible to count the stretches of definitions on demand, in the samples that were added up.
    pub(crate) fn count_stretches_in(&mut self, samples: &Arc<TracedSamples>, keys: &Keys) {
        let definitions = keys.ends.iter().zip(0..).filter_map(|(end, key)| Some((end.definition()?, key)));
        let key_of: FxHashMap<_, u32> = definitions.collect();
        let costs: Vec<_> = self.definitions.iter().map(|(name, it)| (key_of[name], it.cost)).collect();
        let stretches = MeasuredStretches::of(samples, &keys.of_function, &costs);
        for (measured, stretches) in self.definitions.values_mut().zip(stretches) {
            measured.stretches = stretches;
        }
    }

    /// Adds what definitions cost on each thread.
    fn add_threads(&mut self, tally: &Tally, roles: &[Arc<str>], keys: &Keys) {
        for (thread, costs) in roles.iter().zip(&tally.by_role) {
            for &(key, cost) in costs {
                if let Some(measured) = self.definition_mut(key, keys) {
                    measured.on_threads.push(OnThread { thread: Arc::clone(thread), cost });
                }
            }
        }
        for measured in self.definitions.values_mut() {
            measured.on_threads.sort_by(|a, b| a.thread.cmp(&b.thread));
        }
    }

    /// Adds the long tasks of a thread. If several functions of one definition run in the same task, it counts once.
    fn add_long_tasks(&mut self, in_long_tasks: &[(FunctionId, Vec<u32>)], keys: &Keys) {
        for measured in self.definitions.values_mut() {
            measured.long_tasks.get_or_insert_default();
        }
        let mut of_key: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (function, tasks) in in_long_tasks {
            of_key.entry(keys.of_function[function.0 as usize]).or_default().extend(tasks);
        }
        for (key, tasks) in of_key {
            if let Some(measured) = self.definition_mut(key, keys) {
                *measured.long_tasks.get_or_insert_default() += tasks.len() as u64;
            }
        }
    }

    /// Adds self times by line.
    fn add_lines(&mut self, tally: &Tally, keys: &Keys, symbols: &Symbols) {
        for &LineCost { function, line, column, time } in &tally.lines {
            let at = Position { line, column };
            let key = keys.of_function[function.0 as usize];
            let Some(measured) = self.definition_mut(key, keys) else { continue };
            if let Some(inlined) = symbols.inlined(function, at) {
                *measured.inlined.entry(inlined_line(inlined, symbols)).or_default() += time;
            } else if let Some(line) = symbols.line(function, at) {
                *measured.lines.entry(line).or_default() += time;
            }
        }
    }

    /// The definition of a key, if it was measured.
    fn definition_mut(&mut self, key: u32, keys: &Keys) -> Option<&mut Measured> {
        self.definitions.get_mut(keys.ends[key as usize].definition()?)
    }
}

/// The line of inlined code, for display.
fn inlined_line(inlined: InlinedFrom, symbols: &Symbols) -> InlinedLine {
    let definition = &symbols.definitions[inlined.found as usize];
    InlinedLine { definition: key_of(definition), name: Arc::clone(&definition.name), line: inlined.line }
}

/// The reason for time during which no function ran.
fn reason_off_stack(off: OffStack) -> UnplacedReason {
    match off {
        OffStack::Program => UnplacedReason::Program,
        OffStack::GarbageCollector => UnplacedReason::GarbageCollector,
        OffStack::Unsampled => UnplacedReason::Unsampled,
        OffStack::Native | OffStack::Idle | OffStack::NoStack => UnplacedReason::Native,
        OffStack::Unknown => UnplacedReason::Unknown,
    }
}
