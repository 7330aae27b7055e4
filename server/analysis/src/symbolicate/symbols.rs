//! Where each function of a profile was found: the value that symbolication gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use source::{DefinitionId, LineCol};

use super::by_position::Confidence;
use super::decisions::ScriptDecision;
use super::find_map::Refusal;
use super::source_text::SourceText;
use crate::anchor::Freshness;
use crate::locate::Located;
use crate::{FilePath, UnplacedReason};

/// Where each function of a profile was found.
#[derive(Debug, Default)]
pub struct Symbols {
    /// By `FunctionId`.
    pub places: Vec<Place>,
    /// The definitions that were found, each once.
    pub definitions: Vec<Found>,
    /// Today's text of every file that a function was placed in.
    pub files: BTreeMap<FilePath, Arc<SourceText>>,
    /// Which file each resource is, by `ResourceId`.
    pub resources: Vec<Located>,
    /// What was decided about each script in which functions were looked for.
    pub scripts: Vec<ScriptDecision>,
}

/// The definition that a function was found to be, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A definition of a workspace file.
    At {
        /// An index into [`Symbols::definitions`].
        found: u32,
        /// How sure that is.
        confidence: Confidence,
    },
    /// None was found.
    Unplaced(UnplacedReason),
}

/// A measured definition and what became of it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file, a key of [`Symbols::files`].
    pub file: FilePath,
    /// Its path in the outline of today's text; of the measured text where it is gone.
    pub path: Arc<str>,
    /// Its name, from the same text.
    pub name: Arc<str>,
    /// Where it is in today's text; `None` where it is gone.
    pub definition: Option<DefinitionId>,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// [`Definition::code`](source::Definition::code) of what was measured.
    pub code: u64,
    /// Start of its name, or of itself where it has none, as editors count; in the measured text where it is gone.
    pub start: LineCol,
    /// Just after the last character of its body.
    pub end: LineCol,
    /// Whether today's text is the very text that ran, so that its lines are those of the trace.
    pub as_it_ran: bool,
}

impl Symbols {
    /// Files whose source maps are needed and were not used, so that functions stay where they were built: each with
    /// what became of its map.
    pub fn lost_maps(&self) -> impl Iterator<Item = (&FilePath, &str, Option<Refusal>)> {
        self.scripts.iter().filter_map(|it| {
            let (wanted, refusal) = it.map.as_ref()?.lost()?;
            Some((it.file.as_ref()?, wanted, refusal))
        })
    }
}
