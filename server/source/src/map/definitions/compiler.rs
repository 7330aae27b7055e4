//! Which generated functions a compiler or a bundler wrote: helpers, and exports that are read through a function.
//!
//! Babel's maps say that its helpers and everything in them come from one place of the file, which may be in the header of
//! any definition. Other compilers say nothing about their helpers, while their maps cover everything that was written.
//!
//! ```text
//! function _toArray(r) { return Array.from(r); }     all segments: shop.ts 1:22
//! function __spreadArray(to, from) { .. }            no segment
//! get later() { return later; }                      one or two segments: the name, or the body of `later`
//! ```

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use text_size::TextSize;

use super::questions::{Answer, Question};
use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::map::outlined::Outlined;
use crate::name::names_agree;

/// How many parts of a function are asked about, and how many segments of each. A module may begin with a hundred
/// helpers, and a function that was turned into a state machine begins with that machine.
const PARTS: usize = 16;
const SEGMENTS_OF_PART: u32 = 4;
/// A function with a different name and this many segments from one place was not written by the user: `() => {}` has two.
const SEGMENTS_OF_HELPER: usize = 3;
/// With this many segments, two places are as good as one: Babel's `_regenerator` has a second one for its comment.
const MANY_SEGMENTS: usize = 16;

/// What the map says about the whole of a generated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Nothing.
    Silent,
    /// All of it comes from one place, in this many segments.
    OnePlace(usize),
    /// It comes from several places, or from a whole line.
    Places,
}

/// What the map says about the functions that were asked for and those around them.
pub(super) struct Spreads<'a> {
    outline: &'a Outline,
    by_function: FxHashMap<DefinitionId, Spread>,
}

/// The functions, and all those around them except the top level.
pub(super) fn with_those_around(
    outline: &Outline,
    functions: impl Iterator<Item = DefinitionId>,
) -> BTreeSet<DefinitionId> {
    let mut all = BTreeSet::new();
    for function in functions {
        for id in chain(outline, function) {
            if outline.get(id).kind == DefinitionKind::TopLevel || !all.insert(id) {
                break;
            }
        }
    }
    all
}

/// The questions about the whole of a function, in parts, and about what is before it on its line.
pub(super) fn whole(generated: Outlined<'_>, id: DefinitionId) -> Vec<Question> {
    let range = generated.outline.get(id).range;
    let (start, length) = (usize::from(range.start()), usize::from(range.len()));
    let parts = (0..PARTS).map(|part| {
        let [at, end] = [part, part + 1].map(|part| {
            let boundary = generated.text.floor_char_boundary(start + length * part / PARTS);
            TextSize::new(boundary as u32)
        });
        Question { start: TextSize::new(0), at, end, limit: SEGMENTS_OF_PART }
    });
    parts.collect()
}

impl<'a> Spreads<'a> {
    /// `answers` are the answers to [`whole`], in the order of the functions.
    pub(super) fn new(
        outline: &'a Outline,
        functions: &BTreeSet<DefinitionId>,
        answers: Vec<Vec<Answer>>,
    ) -> Self {
        let by_function =
            functions.iter().zip(answers).map(|(&id, answers)| (id, Spread::of(&answers))).collect();
        Self { outline, by_function }
    }

    /// Whether a compiler wrote a function that its map puts on a definition, or on nothing.
    pub(super) fn is_of_compiler(&self, id: DefinitionId, placed: Option<&Definition>) -> bool {
        use DefinitionKind::{Arrow, Class, Function, Getter, Method, TopLevel};
        let own = self.outline.get(id);
        // Getters of a class are its own; tools make getters of an object for exports.
        let is_export =
            own.kind == Getter && own.parent.is_none_or(|parent| self.outline.get(parent).kind != Class);
        let spread = self.by_function.get(&id).copied().unwrap_or(Spread::Places);
        match placed.map(|definition| definition.kind) {
            _ if own.kind == TopLevel => false,
            None => spread == Spread::Silent && self.speaks() || matches!(spread, Spread::OnePlace(2..)),
            Some(TopLevel) => own.kind == Getter || spread != Spread::Places,
            Some(Function | Arrow | Method | Class) if is_export => true,
            Some(_) => chain(self.outline, id).any(|around| self.is_helper(around, placed)),
        }
    }

    /// Whether all of a function comes from one place of a definition that has another name.
    fn is_helper(&self, id: DefinitionId, placed: Option<&Definition>) -> bool {
        let own = self.outline.get(id);
        let is_of_one_place = matches!(self.by_function.get(&id), Some(Spread::OnePlace(segments)) if *segments >= SEGMENTS_OF_HELPER);
        let has_name = own.name_range.is_some();
        is_of_one_place && has_name && placed.is_some_and(|placed| !names_agree(&own.name, placed))
    }

    /// Whether the map says anything about these functions: the map of another text may say nothing.
    fn speaks(&self) -> bool {
        self.by_function.values().any(|spread| *spread != Spread::Silent)
    }
}

impl Spread {
    fn of(answers: &[Answer]) -> Self {
        let mut places =
            answers.iter().flat_map(|answer| &answer.inside).filter_map(|segment| segment.original);
        let Some(first) = places.next() else {
            // A map that only knows lines has one segment for each, at its start.
            let before = answers.first().and_then(|answer| answer.before);
            let is_line = before.is_some_and(|segment| {
                segment.generated.column == 0
                    && segment.original.is_some_and(|original| original.at.column == 0)
            });
            return if is_line { Self::Places } else { Self::Silent };
        };
        let (mut segments, mut others) = (1, BTreeSet::new());
        for place in places {
            segments += 1;
            others.extend((place != first).then_some(place));
        }
        match others.len() {
            0 => Self::OnePlace(segments),
            1 if segments >= MANY_SEGMENTS => Self::OnePlace(segments),
            _ => Self::Places,
        }
    }
}

/// A definition and those around it, innermost first.
fn chain(outline: &Outline, id: DefinitionId) -> impl Iterator<Item = DefinitionId> {
    std::iter::successors(Some(id), |&id| outline.get(id).parent)
}
