//! Self time that a function spent in code of other functions that the engine had inlined into it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::model::Amount;

use super::model::{DefinitionKey, InlinedLine, Measured, Summary};
use crate::files::FilePath;

/// A definition whose code was inlined into a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedDefinition<'a> {
    /// The definition.
    pub key: &'a DefinitionKey,
    /// Its name for people.
    pub name: &'a str,
    /// The part of the function's self time that is this code.
    pub time: Amount,
    /// The same by 0-based line of its file as it was when the trace was loaded, as far as lines are known.
    pub lines: BTreeMap<u32, Amount>,
}

/// How many lines are named.
const NAMED: usize = 3;

impl InlinedDefinition<'_> {
    /// Its costliest lines in words: `line 2`, `lines 2, 4, 7 and 3 more`; `None` if none is known. `line_today` returns
    /// the lines of today, 0-based.
    pub fn lines_text(&self, line_today: impl Fn(u32) -> Option<u32>) -> Option<String> {
        let mut lines: Vec<(u32, Amount)> =
            self.lines.iter().filter_map(|(&line, &time)| Some((line_today(line)? + 1, time))).collect();
        lines.sort_by_key(|&(line, time)| (Reverse(time), line));
        let more = lines.len().saturating_sub(NAMED);
        lines.truncate(NAMED);
        lines.sort_unstable();
        let named: Vec<String> = lines.iter().map(|(line, _)| line.to_string()).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let noun = if named.len() == 1 { "line" } else { "lines" };
        (!named.is_empty()).then(|| format!("{noun} {}{more}", named.join(", ")))
    }
}

impl Summary {
    /// The code of a file that was inlined into functions: the function, the line, and the part of the function's self time.
    pub fn inlined_in<'a>(
        &'a self,
        file: &FilePath,
    ) -> impl Iterator<Item = (&'a DefinitionKey, &'a InlinedLine, Amount)> {
        let all = self.definitions.iter().flat_map(|(function, measured)| {
            measured.inlined.iter().map(move |(line, &time)| (function, line, time))
        });
        all.filter(move |(_, line, _)| line.definition.file == *file)
    }
}

impl Measured {
    /// Its self time by the definitions whose code was inlined into it, costliest first.
    pub fn inlined_definitions(&self) -> Vec<InlinedDefinition<'_>> {
        let mut definitions: Vec<InlinedDefinition<'_>> = Vec::new();
        for (InlinedLine { definition, name, line }, &time) in &self.inlined {
            let new = InlinedDefinition { key: definition, name, time: Amount(0), lines: BTreeMap::new() };
            match definitions.last_mut() {
                Some(last) if last.key == definition => {}
                _ => definitions.push(new),
            }
            if let Some(last) = definitions.last_mut() {
                last.time += time;
                last.lines.extend(line.map(|line| (line, time)));
            }
        }
        definitions.sort_by_key(|it| Reverse(it.time));
        definitions
    }
}
