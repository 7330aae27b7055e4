//! Places code that was seen in another run than that of the trace: in a profile that has nothing but this code, so that
//! it is placed like any function of a trace, through the same texts and source maps.

use profile::builder::ProfileBuilder;
use profile::model::{Amount, FunctionId, Position, Script, SeenPlace, Thread, Weight};
use rustc_hash::FxHashMap;
use source::definition::{DefinitionId, DefinitionKind};
use text_size::TextSize;

use crate::files::Files;
use crate::summary::Keys;
use crate::symbolicate::{LoadSettings, SourceText, Symbols, symbolicate};

/// What each function and each place weighs, which nobody asks.
const ONCE: Weight = Weight { time: Amount(0), samples: 1 };

/// The code as a profile.
#[derive(Default)]
pub(crate) struct OtherRun {
    builder: ProfileBuilder,
}

impl OtherRun {
    /// Adds a script, and returns its number.
    pub(crate) fn script(&mut self, script: &Script) -> u32 {
        self.builder.script(script.clone())
    }

    /// Adds a function of a script, given by its url and its number.
    pub(crate) fn function(
        &mut self,
        (url, script): (&str, u32),
        text: &SourceText,
        definition: DefinitionId,
        name: &str,
    ) -> FunctionId {
        let of_text = text.outline.get(definition);
        let is_top_level = of_text.kind == DefinitionKind::TopLevel;
        let name = self.builder.string(if is_top_level { "" } else { name });
        let resource = self.builder.resource(url);
        let at = text.engine_position(if is_top_level { TextSize::new(0) } else { of_text.defined_at });
        let function = self.builder.function(name, Some(resource), Some(at));
        self.builder.in_script(function, script);
        let stack = self.builder.stack(None, function);
        self.builder.add_on_stack(stack, ONCE);
        function
    }

    /// Adds a place at which a function was seen.
    pub(crate) fn place(&mut self, function: FunctionId, at: Position) {
        let place = SeenPlace { function, line: Some(at.line), column: at.column, caller: None };
        let (stack, place) = (self.builder.stack(None, function), self.builder.place(place));
        self.builder.add_at(stack, place, ONCE);
    }

    /// Finds the definitions of all functions.
    pub(crate) fn symbolicate(mut self, files: &dyn Files, settings: &LoadSettings<'_>) -> (Symbols, Keys) {
        self.builder.end_thread(Thread::default());
        self.builder.end_session(0);
        let profile = self.builder.finish();
        let symbols = symbolicate(&profile, files, settings);
        let keys = Keys::of(&profile, &symbols);
        (symbols, keys)
    }
}

/// Divides scripts, each with its url, into rounds that are placed one after the other. Texts that ran under one name are
/// in different rounds, since their functions would be the same ones in one profile.
pub(crate) fn in_rounds<'a, T>(scripts: impl Iterator<Item = (&'a str, T)>) -> Vec<Vec<T>> {
    let mut rounds: Vec<Vec<T>> = Vec::new();
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    for (url, script) in scripts {
        let round = known.entry(url).or_default();
        if rounds.len() == *round {
            rounds.push(Vec::new());
        }
        rounds[*round].push(script);
        *round += 1;
    }
    rounds
}
