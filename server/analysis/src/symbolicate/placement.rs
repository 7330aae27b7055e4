//! What is known about a function of a script: its position in the trace, and the definition that it was found to be.

use profile::model::{FunctionId, Position, Profile};
use serde::Serialize;
use source::definition::DefinitionId;
use source::map::ReportedFunction;

use super::source_text::SourceText;
use crate::rules::Rules;

/// How certain a place is; the best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Confidence {
    /// The position lies in the definition's header.
    #[default]
    Exact,
    /// The position lies elsewhere in the definition, or only its line is known.
    Snapped,
    /// The positions belong to a transformed text, but order, names and distances leave no other definition.
    #[serde(rename = "name")]
    Order,
    /// The positions cannot be trusted, but the name is unique in the file.
    Name,
}

impl Confidence {
    /// The name in `report` and in the editors' protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Snapped => "snapped",
            Self::Order | Self::Name => "name",
        }
    }
}

/// The functions of a trace that ran in one script.
#[derive(Default)]
pub(super) struct ScriptFunctions {
    /// The rules by which they are placed.
    pub(super) rules: Rules,
    pub(super) positions: Vec<(FunctionId, Option<Position>)>,
    /// Whether the file was found only by the end of its path.
    pub(super) guessed: bool,
    /// Whether the text that ran is not the text of the file.
    pub(super) transformed: bool,
    /// Whether positions refer to the text as written ([`profile::model::Script::is_source`]).
    pub(super) in_source: bool,
}

impl ScriptFunctions {
    /// The functions with their positions relative to a text that starts at `start` of the script; those before it lose theirs.
    pub(super) fn shifted(&self, start: Position) -> Self {
        let positions =
            self.positions.iter().map(|&(id, position)| (id, position.and_then(|it| shifted(it, start))));
        Self { positions: positions.collect(), transformed: false, ..*self }
    }
}

/// The functions of a script, and a text that they may have run in.
#[derive(Clone, Copy)]
pub(super) struct ScriptInText<'a> {
    pub(super) profile: &'a Profile,
    pub(super) text: &'a SourceText,
    pub(super) functions: &'a ScriptFunctions,
}

/// A position of a script relative to a text that starts at `start`; `None` if it is before that.
pub(super) fn shifted(position: Position, start: Position) -> Option<Position> {
    let line = position.line.checked_sub(start.line)?;
    let before = if line == 0 { start.column.unwrap_or(0) } else { 0 };
    let column = match position.column {
        Some(column) => Some(column.checked_sub(before)?),
        None => None,
    };
    Some(Position { line, column })
}

/// The places of one function; `places` is sorted.
pub(super) fn seen_of(function: FunctionId, places: &[(FunctionId, Position)]) -> &[(FunctionId, Position)] {
    let first = places.partition_point(|it| it.0 < function);
    let end = places.partition_point(|it| it.0 <= function);
    &places[first..end]
}

/// The definition at a position, and how certain that is.
pub(super) type PositionMatch = Option<(DefinitionId, Confidence)>;

/// Where a function is in the text that ran.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    pub(super) function: FunctionId,
    /// What source maps are asked about; `None` for a position without a column, or if the positions belong to another text.
    pub(super) reported: Option<ReportedFunction>,
    pub(super) found: PositionMatch,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script that starts within a page, at line 3 and column 8.
    #[test]
    fn positions_in_a_text_that_starts_within_a_script() {
        let at = |line, column| Position { line, column };
        let cases = [
            (at(3, Some(8)), at(3, Some(8)), Some(at(0, Some(0)))),
            (at(3, Some(20)), at(3, Some(8)), Some(at(0, Some(12)))),
            (at(3, Some(7)), at(3, Some(8)), None),
            (at(2, Some(20)), at(3, Some(8)), None),
            (at(5, Some(2)), at(3, Some(8)), Some(at(2, Some(2)))),
            (at(3, None), at(3, Some(8)), Some(at(0, None))),
            (at(3, Some(5)), at(3, None), Some(at(0, Some(5)))),
        ];
        for (position, start, expected) in cases {
            assert_eq!(shifted(position, start), expected, "{position:?} of {start:?}");
        }
        let functions = ScriptFunctions {
            positions: vec![(FunctionId(1), Some(at(4, Some(1)))), (FunctionId(2), Some(at(1, None)))],
            guessed: true,
            transformed: true,
            in_source: true,
            ..ScriptFunctions::default()
        };
        let shifted = functions.shifted(at(3, Some(8)));
        assert_eq!(shifted.positions, [(FunctionId(1), Some(at(1, Some(1)))), (FunctionId(2), None)]);
        assert_eq!([shifted.guessed, shifted.transformed, shifted.in_source], [true, false, true]);
    }

    #[test]
    fn names_of_confidence() {
        let all = [Confidence::Exact, Confidence::Snapped, Confidence::Order, Confidence::Name];
        assert_eq!(all.map(Confidence::name), ["exact", "snapped", "name", "name"]);
        assert!(all.is_sorted(), "the best is first");
    }
}
