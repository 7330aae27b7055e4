//! Finds the lines of the blocks of counted functions: a line ran as often as the first code on it.
//!
//! ```text
//! 1  function work(text) {             its calls
//! 2    if (cache.has(text))            600,000
//! 3      return cache.get(text);       599,000
//! 4    return slow(text);                1,000
//! 5  }
//! ```
//!
//! Compilers and loaders may put a line of the source anywhere on a line of the text that ran. So all places are
//! considered where a statement, an argument or a line may begin; of those that lead to one line, the first one counts.
//! Nothing is said about the line on which a function starts, because that line belongs to the function around it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::model::{CountedFunction, CountedScript, Position};
use source::beginnings::Beginnings;
use text_size::TextSize;

use super::blocks::Steps;
use crate::symbolicate::SourceText;

/// The places in a function where code begins anew, in order, and how often each ran.
pub(super) type LinesOfFunction = Vec<(Position, u64)>;

/// Adds how often lines ran in another run, or in another copy of a function.
pub(super) fn add_lines(known: &mut BTreeMap<u32, u64>, added: &BTreeMap<u32, u64>) {
    for (line, times) in added {
        let sum = known.entry(*line).or_default();
        *sum = sum.saturating_add(*times);
    }
}

/// A function in bytes of the text, and its index in the script.
struct Counted {
    index: usize,
    start: usize,
    end: usize,
    steps: Option<Steps>,
}

/// The places of all functions of a script, by their order there.
pub(super) fn places(script: &CountedScript, text: &SourceText) -> Vec<LinesOfFunction> {
    let beginnings = Beginnings::of(&text.text);
    let counted = script.functions.iter().enumerate().filter_map(|(index, function)| {
        let [start, end] = [function.start, function.end].map(|units| text.offset_of_units(units));
        let steps = steps(function, text, &beginnings);
        Some(Counted { index, start: start?.into(), end: end?.into(), steps })
    });
    let mut functions: Vec<Counted> = counted.collect();
    functions.sort_by_key(|function| (function.start, Reverse(function.end)));
    let mut next = functions.iter().peekable();
    let mut around: Vec<&Counted> = Vec::new();
    let mut places = vec![LinesOfFunction::new(); script.functions.len()];
    for &at in &beginnings.places {
        while let Some(function) = next.next_if(|function| function.start <= at) {
            around.push(function);
        }
        while around.pop_if(|function| function.end <= at).is_some() {}
        let Some(function) = around.last() else { continue };
        if let Some(times) = function.steps.as_ref().and_then(|steps| steps.at(at)) {
            places[function.index].push((text.engine_position(TextSize::new(at as u32)), times));
        }
    }
    places
}

/// How often the code of a function ran in all threads together; `None` if one of them only counted calls.
fn steps(function: &CountedFunction, text: &SourceText, beginnings: &Beginnings) -> Option<Steps> {
    let calls = function.blocks.iter().try_fold(0u64, |sum, blocks| sum.checked_add(blocks.calls));
    if calls != Some(function.calls) {
        return None;
    }
    let of_threads = function.blocks.iter();
    let all = of_threads.map(|blocks| Steps::of((function.start, function.end), blocks, text, beginnings));
    all.reduce(|sum, added| {
        let mut sum = sum?;
        sum.add(&added?);
        Some(sum)
    })?
}
