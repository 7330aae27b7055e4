//! Two sides of recordings as one flame graph, so that it also contains frames that are gone and frames that are new. docs/flame.md
//! has the rules for which frames are the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::files::FilePath;
use analysis::locate::UnplacedReason;
use analysis::recording::Recording;
use analysis::summary::{CallEnd, Maker, UnplacedFunction};
use profile::model::{OffStack, Weight, summed};
use profile::scope::Selection;
use rustc_hash::FxHashMap;

use crate::functions::{FlameFunction, NumberedFunctions};
use crate::graph::{FlameComparison, FlameGraph, FlameThread};
use crate::stacks::Became;

impl FlameGraph {
    /// The flame graph of a comparison. Both sides are placed in the same workspace, and measured in the same unit; each is the sum
    /// of its runs, and shown as their mean. There is no order of time, because the runs do not share one.
    pub fn compared(before: &Recording, before_title: &str, after: &Recording, folder: &FilePath) -> Self {
        let titles = [before_title.to_owned(), after.title()];
        let traces = after.traces.iter().chain(&before.traces);
        let mut scopes: Vec<String> = traces.filter_map(|trace| trace.scope.clone()).collect();
        scopes.dedup();
        let mut graph = Self {
            title: format!("{} compared with {}", titles[1], titles[0]),
            scope: (!scopes.is_empty()).then(|| scopes.join("; ")),
            unit: after.unit,
            folder: folder.to_string(),
            comparison: Some(FlameComparison { titles, runs: [before, after].map(runs) }),
            ..Self::default()
        };
        let namesakes = [before, after].map(Namesakes::of);
        let mut functions = MatchedFunctions::default();
        // The name and place of a function come from the side after, if it knows the function.
        for (side, recording) in [(Side::After, after), (Side::Before, before)] {
            let mut of_key = FxHashMap::default();
            recording.call_stacks.each_in_order(|_, selection, key_of| {
                let stacks = graph.stacks.add(selection, |function| {
                    let key = key_of[function.0 as usize];
                    *of_key.entry(key).or_insert_with(|| {
                        let Some(end) = recording.call_stacks.end(key) else {
                            return functions.numbered.of_time_off_stack(OffStack::Unknown);
                        };
                        let known = known_by(end, &namesakes);
                        functions.of_end(known, || FlameFunction::of(recording, end, folder))
                    })
                });
                let off_stack = functions.numbered.off_stack();
                graph.add_side(side, selection, &Became { stacks, off_stack });
            });
        }
        graph.functions = functions.numbered.all;
        let runs = graph.comparison.as_ref().map_or([1, 1], |comparison| comparison.runs);
        divide(graph.threads.iter_mut().flat_map(|thread| &mut thread.before), runs[0]);
        divide(graph.threads.iter_mut().flat_map(|thread| &mut thread.sums), runs[1]);
        graph.join_threads();
        graph
    }

    /// Adds what one trace of a side has on each thread to the thread with the same role.
    fn add_side(&mut self, side: Side, selection: &Selection<'_>, became: &Became) {
        for (thread, &role) in selection.threads.iter().zip(&selection.role_of) {
            let role = &selection.roles[role as usize];
            let at = self.threads.iter().position(|thread| thread.name == *role).unwrap_or_else(|| {
                self.threads.push(FlameThread { name: role.clone(), ..FlameThread::default() });
                self.threads.len() - 1
            });
            let stacks = &mut self.stacks;
            let new = thread.sums().map(|sample| (stacks.place(sample.on, became), sample.weight));
            let sums = match side {
                Side::Before => &mut self.threads[at].before,
                Side::After => &mut self.threads[at].sums,
            };
            sums.extend(new);
            *sums = summed(std::mem::take(sums));
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// The runs of a side: sessions that came in one file are runs too.
fn runs(side: &Recording) -> u64 {
    side.traces.iter().map(|trace| trace.sessions.max(1) as u64).sum::<u64>().max(1)
}

/// Turns sums into means, which add up exactly to the mean of all of them: what rounding takes from one, the next one gets, always
/// less than 1. Samples remain those of all runs, since they tell how certain a mean is.
fn divide<'a>(sums: impl Iterator<Item = &'a mut (u32, Weight)>, runs: u64) {
    let (mut all, mut given) = (0u128, 0u128);
    for (_, weight) in sums {
        all += u128::from(weight.time.0);
        // No part is larger than what it is a part of.
        weight.time.0 = (all / u128::from(runs) - given) as u64;
        given = all / u128::from(runs);
    }
}

/// The functions of both sides, each with a number on its first use.
#[derive(Default)]
struct MatchedFunctions {
    numbered: NumberedFunctions,
    of_end: FxHashMap<CallEnd, u32>,
}

impl MatchedFunctions {
    fn of_end(&mut self, end: CallEnd, function: impl FnOnce() -> FlameFunction) -> u32 {
        *self.of_end.entry(end).or_insert_with(|| self.numbered.add(function()))
    }
}

/// How many unplaced functions of a recording have the same name and script.
struct Namesakes(BTreeMap<(Arc<str>, Option<Arc<str>>), usize>);

impl Namesakes {
    fn of(recording: &Recording) -> Self {
        let mut all = BTreeMap::new();
        for end in (0..).map_while(|key| recording.call_stacks.end(key)) {
            if let CallEnd::Unplaced(function) = end {
                *all.entry((Arc::clone(&function.name), function.resource.clone())).or_default() += 1;
            }
        }
        Self(all)
    }

    fn number(&self, function: &UnplacedFunction) -> usize {
        self.0.get(&(Arc::clone(&function.name), function.resource.clone())).copied().unwrap_or(0)
    }
}

/// What a function is recognised by on both sides. One that was not placed is recognised by its name and script, wherever it is in
/// there, if no other function has both; otherwise by its place too.
fn known_by(end: &CallEnd, namesakes: &[Namesakes; 2]) -> CallEnd {
    let CallEnd::Unplaced(function) = end else { return end.clone() };
    let is_alone = !function.name.is_empty() && namesakes.iter().all(|all| all.number(function) <= 1);
    CallEnd::Unplaced(UnplacedFunction {
        name: Arc::clone(&function.name),
        resource: function.resource.clone(),
        position: if is_alone { None } else { function.position },
        // The sides may differ in what could be placed.
        reason: UnplacedReason::Unknown,
        // It is the same maker, whatever line it is on.
        made_by: function.made_by.as_deref().map(|maker| Arc::new(Maker { line: 0, ..maker.clone() })),
        source: function.source.clone(),
    })
}
