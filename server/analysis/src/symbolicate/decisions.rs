//! Records what was decided about each script of a trace while its functions were placed, so that it can be explained
//! later without deciding again.

use std::fmt;

use profile::model::FunctionId;
use source::definition::OutlineError;
use source::map::DataUrlError;

use super::compiled::Compiler;
use crate::files::{FilePath, Runner};
use crate::locate::UnplacedReason;

/// One script: a file of the workspace, or a text that only the trace holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptDecision {
    /// The file; `None` for a text that only the trace holds.
    pub file: Option<FilePath>,
    /// The functions that ran in it.
    pub functions: Vec<FunctionId>,
    /// The text in which the functions were looked for.
    pub text: WhichText,
    /// Whether it was transformed in memory, and no text was found to which the positions of the trace belong.
    pub transformed: bool,
    /// What became of its source map; `None` if there is no text that could have one.
    pub map: Option<MapDecision>,
}

/// The text in which the functions of a script were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichText {
    /// The text of the file as it is now.
    Today,
    /// The text of the file as it was committed when the trace was recorded.
    Committed,
    /// The text that the trace holds.
    Trace,
    /// The text that a runner made in memory and keeps in its cache. Its source map led to the text of the file.
    Cache(Runner),
    /// That of the file, by what it shares with the text that the trace holds, which a compiler made of it without a source map.
    Compiled(Compiler),
    /// There was no text.
    None {
        /// The reason why the functions are unplaced.
        reason: UnplacedReason,
        /// Why the text has no outline, if there is a text.
        error: Option<OutlineError>,
    },
}

/// What became of the source map of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapDecision {
    /// The settings turn source maps off.
    Off,
    /// It needs none: nothing says that the text was generated.
    NotGenerated,
    /// It is not there.
    Missing {
        /// The path or url at which it is expected.
        wanted: String,
    },
    /// It must not or cannot be read.
    Refused {
        /// Its path or url; for an inline map, the generated file.
        wanted: String,
        /// Why not.
        refusal: Refusal,
    },
    /// It was read, but is not a source map.
    Broken {
        /// Where it was.
        at: MapPlace,
        /// What is wrong.
        reason: String,
    },
    /// It was used.
    Followed(FollowedMap),
}

/// A source map that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedMap {
    /// Where it was.
    pub at: MapPlace,
    /// Whether it belongs to another build than the text, since their debug ids differ.
    pub stale: bool,
    /// How many sources it names.
    pub sources: usize,
    /// Sources that may be in the workspace and were looked for, but not found there.
    pub not_found: Vec<String>,
    /// Sources that lie elsewhere today, by their names in the map.
    pub moved: Vec<(String, FilePath)>,
    /// Whether a file of a dependency came without any of its sources, so that functions stay in the generated file.
    pub unshipped: bool,
    /// What became of the maps of those sources that are generated themselves.
    pub of_sources: Vec<(FilePath, MapDecision)>,
}

/// Where a map is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// A file, as [`Files::resolve`] gives it.
    File(FilePath),
    /// The generated file itself.
    Inline,
    /// The trace, which holds the map of exactly the text that ran.
    Trace,
}

/// Why a map is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It lies outside of the workspace folders.
    Outside,
    /// `sourceMaps.locations` leaves it out.
    NotAllowed,
    /// It is too large, or it cannot be opened.
    Unreadable,
    /// It is inline, and broken.
    Inline(DataUrlError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("the source map lies outside of the workspace folders"),
            Self::NotAllowed => {
                f.write_str("the setting proflens.sourceMaps.locations leaves the source map out")
            }
            Self::Unreadable => f.write_str("the source map cannot be opened, or it is too large"),
            Self::Inline(error) => error.fmt(f),
        }
    }
}

impl MapDecision {
    /// The path or url of a map that is needed but was not used, and why it was refused. Without a refusal, there is no such map.
    pub fn lost(&self) -> Option<(&str, Option<Refusal>)> {
        match self {
            Self::Missing { wanted } => Some((wanted, None)),
            Self::Refused { wanted, refusal } => Some((wanted, Some(*refusal))),
            _ => None,
        }
    }

    /// Whether the text was built from other sources, as far as is known.
    pub fn is_generated(&self) -> bool {
        !matches!(self, Self::Off | Self::NotGenerated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_a_text_was_built_by_what_became_of_its_map() {
        let wanted = || "a.js.map".to_owned();
        let cases = [
            (MapDecision::Off, false, None),
            (MapDecision::NotGenerated, false, None),
            (MapDecision::Missing { wanted: wanted() }, true, Some(("a.js.map", None))),
        ];
        for (decision, is_generated, lost) in cases {
            assert_eq!((decision.is_generated(), decision.lost()), (is_generated, lost), "{decision:?}");
        }
    }
}
