//! Places what V8's compiler did in another run: which definitions it optimised, and which code it gave up again, where and why.
//!
//! ```text
//! logged       67 wrong map 14           the text that ran    50  function getx(o) { return o.x; }  71
//! definition   getx: deoptimised 14 times: wrong map, line 3
//! ```
//!
//! A place belongs to the innermost definition around it in the text that ran, which the log holds. That definition is
//! then placed like any function of a trace, through the same texts and source maps: inlined code belongs to the function
//! in which it was written.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::model::{Deopt, DeoptKind, DeoptScript, Deopts, FunctionId, Position};
use profile::problem::Problem;
use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::language::Language;
use source::text::LineCol;

use crate::files::Files;
use crate::format::count;
use crate::other_run::{OtherRun, in_rounds};
use crate::summary::{DefinitionKey, Keys, Measured};
use crate::symbolicate::{LoadSettings, SourceText};

/// A function with fewer samples of its own may not have run long enough to be optimised: V8 does that after some milliseconds.
const HOT_SAMPLES: u64 = 30;

/// What V8's compiler did with definitions in the run that was logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompilerLog {
    /// Every definition that ran.
    pub definitions: BTreeMap<DefinitionKey, CompiledDefinition>,
    /// What was left out.
    pub problems: Vec<Problem>,
}

/// What V8's compiler did with a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledDefinition {
    /// Its name for people.
    pub name: Arc<str>,
    /// The start of its name, or of itself if it has none; as editors count, 0-based, UTF-16.
    pub start: LineCol,
    /// Whether it was optimised, by itself or as part of its caller.
    pub is_optimized: bool,
    /// How often optimised code was given up, by place and reason.
    pub deopts: BTreeMap<DeoptSite, u64>,
    /// The accesses that met too many shapes of objects for V8 to remember them.
    pub megamorphic: BTreeSet<MegamorphicAccess>,
}

/// Where and why optimised code was given up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeoptSite {
    /// The 0-based line of its file as it was when the trace was loaded, if known.
    pub line: Option<u32>,
    /// When it was given up.
    pub kind: DeoptKind,
    /// Why, in V8's words.
    pub reason: Box<str>,
}

/// A property access that met too many shapes of objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MegamorphicAccess {
    /// The 0-based line, as in [`DeoptSite`].
    pub line: Option<u32>,
    /// The property that is read or written; empty if it varies.
    pub property: Box<str>,
}

impl CompilerLog {
    /// Adds the log of another run.
    pub(crate) fn add(&mut self, other: &Self) {
        for (key, added) in &other.definitions {
            let known = self
                .definitions
                .entry(key.clone())
                .or_insert_with(|| CompiledDefinition::new(&added.name, added.start));
            known.is_optimized |= added.is_optimized;
            known.megamorphic.extend(added.megamorphic.iter().cloned());
            for (site, times) in &added.deopts {
                let sum = known.deopts.entry(site.clone()).or_default();
                *sum = sum.saturating_add(*times);
            }
        }
    }

    /// How often optimised code was given up in total.
    pub fn times(&self) -> u64 {
        self.definitions.values().map(CompiledDefinition::times).fold(0, u64::saturating_add)
    }

    /// The definitions worth mentioning; those whose code was given up most often come first.
    pub fn remarkable(&self) -> Vec<(&DefinitionKey, &CompiledDefinition)> {
        let mut all: Vec<_> = self.definitions.iter().filter(|(_, it)| it.is_remarkable()).collect();
        all.sort_by(|a, b| Reverse(a.1.times()).cmp(&Reverse(b.1.times())).then(a.0.cmp(b.0)));
        all
    }
}

impl CompiledDefinition {
    fn new(name: &Arc<str>, start: LineCol) -> Self {
        let (deopts, megamorphic) = (BTreeMap::new(), BTreeSet::new());
        Self { name: Arc::clone(name), start, is_optimized: false, deopts, megamorphic }
    }

    /// How often its optimised code was given up.
    pub fn times(&self) -> u64 {
        self.deopts.values().copied().fold(0, u64::saturating_add)
    }

    /// Whether it was deoptimised, or has megamorphic accesses.
    pub fn is_remarkable(&self) -> bool {
        !(self.deopts.is_empty() && self.megamorphic.is_empty())
    }

    /// Whether it ran long enough to be optimised, but was not.
    pub fn is_never_optimized(&self, measured: &Measured) -> bool {
        !self.is_optimized && measured.cost.self_samples >= HOT_SAMPLES
    }

    /// Its places; those where code was given up most often come first.
    pub fn sites(&self) -> Vec<(&DeoptSite, u64)> {
        let mut all: Vec<_> = self.deopts.iter().map(|(site, times)| (site, *times)).collect();
        all.sort_by(|a, b| Reverse(a.1).cmp(&Reverse(b.1)).then(a.0.cmp(b.0)));
        all
    }

    /// `deoptimised 14 times: wrong map, line 31 and 2 more; megamorphic access of x, line 40; never
    /// optimised`, with texts of the log as `quoted` shows them; `None` if there is nothing to say. `line_today` returns the lines of today, 0-based; `measured`
    /// is the cost, if it has samples.
    pub fn text(
        &self,
        measured: Option<&Measured>,
        quoted: impl Fn(&str) -> String,
        line_today: impl Fn(u32) -> Option<u32>,
    ) -> Option<String> {
        let line_text = |line: Option<u32>| {
            line.and_then(&line_today).map(|line| format!(", line {}", line + 1)).unwrap_or_default()
        };
        let more = |all: usize| if all > 1 { format!(" and {} more", all - 1) } else { String::new() };
        let sites = self.sites();
        let deopts = sites.first().map(|(site, _)| {
            let (times, reason) = (count(self.times(), "time"), quoted(&site.reason));
            format!("deoptimised {times}: {reason}{}{}", line_text(site.line), more(sites.len()))
        });
        let megamorphic = self.megamorphic.first().map(|access| {
            let property = match &*access.property {
                "" => "by keys".to_owned(),
                property => format!("of {}", quoted(property)),
            };
            let place = line_text(access.line) + &more(self.megamorphic.len());
            format!("megamorphic access {property}{place}")
        });
        let never = measured.is_some_and(|measured| self.is_never_optimized(measured));
        let never = never.then(|| "never optimised".to_owned());
        let all: Vec<String> = [deopts, megamorphic, never].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Finds the definitions of everything in the log.
pub fn place_deopts(deopts: &Deopts, files: &dyn Files, settings: &LoadSettings<'_>) -> CompilerLog {
    let mut placed = CompilerLog { problems: deopts.problems.clone(), ..CompilerLog::default() };
    let scripts = deopts.scripts.iter().filter_map(|script| {
        // The text that ran is JavaScript, whatever the original was written in.
        let text = script.script.text.as_ref()?.to_string();
        let text = SourceText::in_language(Language::JavaScript, text).ok()?;
        Some((script.url.as_str(), (script, text)))
    });
    for round in in_rounds(scripts) {
        placed.add_round(&round, files, settings);
    }
    placed
}

/// A profile of what is in the log.
#[derive(Default)]
struct LoggedProfile<'a> {
    run: OtherRun,
    optimized: Vec<(FunctionId, bool)>,
    deopts: Vec<(FunctionId, Position, &'a Deopt)>,
    megamorphic: Vec<(FunctionId, Position, &'a str)>,
}

impl<'a> LoggedProfile<'a> {
    fn add(&mut self, script: &'a DeoptScript, text: &SourceText) {
        let number = self.run.script(&script.script);
        let mut known: FxHashMap<DefinitionId, FunctionId> = FxHashMap::default();
        // The function around a place of the text, given in UTF-16 units from its start, and the place as a position.
        let mut around = |units: u32| {
            let offset = text.offset_of_units(units)?;
            let definition = text.outline.around(offset)?;
            let function = *known.entry(definition).or_insert_with(|| {
                let name = &text.outline.get(definition).name;
                // `(anonymous)` is only for display.
                let name = if name.starts_with('(') { "" } else { name };
                self.run.function((&script.url, number), text, definition, name)
            });
            let at = text.engine_position(offset);
            self.run.place(function, at);
            Some((function, at))
        };
        for start in &script.compiled {
            let is_optimized = script.optimized.binary_search(start).is_ok();
            self.optimized.extend(around(*start).map(|(function, _)| (function, is_optimized)));
        }
        for deopt in &script.deopts {
            self.deopts.extend(around(deopt.at).map(|(function, at)| (function, at, deopt)));
        }
        for site in &script.megamorphic {
            self.megamorphic.extend(around(site.at).map(|(function, at)| (function, at, &*site.property)));
        }
    }
}

impl CompilerLog {
    /// Finds the definitions of the functions of scripts, and adds what the compiler did with them.
    fn add_round(
        &mut self,
        scripts: &[(&DeoptScript, Arc<SourceText>)],
        files: &dyn Files,
        settings: &LoadSettings<'_>,
    ) {
        let mut logged = LoggedProfile::default();
        scripts.iter().for_each(|(script, text)| logged.add(script, text));
        let LoggedProfile { run, optimized, deopts, megamorphic } = logged;
        let (symbols, keys) = run.symbolicate(files, settings);
        for (function, is_optimized) in optimized {
            if let Some(it) = self.definition(function, &keys) {
                it.is_optimized |= is_optimized;
            }
        }
        for (function, at, Deopt { kind, reason, count, .. }) in deopts {
            if let Some(it) = self.definition(function, &keys) {
                let line = symbols.line(function, at);
                let site = DeoptSite { line, kind: *kind, reason: reason.clone() };
                let sum = it.deopts.entry(site).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
        for (function, at, property) in megamorphic {
            if let Some(it) = self.definition(function, &keys) {
                let line = symbols.line(function, at);
                it.megamorphic.insert(MegamorphicAccess { line, property: property.into() });
            }
        }
    }

    fn definition(&mut self, function: FunctionId, keys: &Keys) -> Option<&mut CompiledDefinition> {
        let (key, measured) = keys.definition(function)?;
        let known = self.definitions.entry(key.clone());
        Some(known.or_insert_with(|| CompiledDefinition::new(&measured.name, measured.start)))
    }
}
