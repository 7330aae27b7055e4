//! The result of symbolication: where each function of a profile was found.

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::model::{FunctionId, Position};
use rustc_hash::{FxHashMap, FxHashSet};
use source::definition::DefinitionId;
use source::text::LineCol;

use super::decisions::{MapDecision, Refusal, ScriptDecision, WhichText};
use super::placement::Confidence;
use super::source_text::SourceText;
use super::statements::Statements;
use crate::anchor::Freshness;
use crate::files::FilePath;
use crate::locate::{Located, UnplacedReason};

/// Where each function of a profile was found.
#[derive(Debug, Default)]
pub struct Symbols {
    /// The workspace folders in which functions were looked for.
    pub(crate) folders: Vec<FilePath>,
    /// By `FunctionId`.
    pub places: Vec<Place>,
    /// The definitions that functions were placed at, each once.
    pub definitions: Vec<FoundDefinition>,
    /// Today's text of every file that a function was placed in.
    pub files: BTreeMap<FilePath, Arc<SourceText>>,
    /// Which file each resource is, by `ResourceId`.
    pub resources: Vec<Located>,
    /// The files of functions of dependencies in a bundle, and of functions whose files are missing, as the source map names them.
    pub(crate) sources: FxHashMap<FunctionId, Arc<str>>,
    /// What was decided about each script in which functions were looked for.
    pub scripts: Vec<ScriptDecision>,
    /// How well the functions of each script fit its text; only for a joined profile.
    pub(crate) statements: Vec<Statements>,
    /// The original lines at which functions were seen running, as far as source maps tell.
    pub(super) original_lines: FxHashMap<(FunctionId, Position), u32>,
    /// The places at which functions were seen running code of another definition that was inlined into them; lines are
    /// those of the measured text.
    pub(super) inlined: FxHashMap<(FunctionId, Position), InlinedFrom>,
    /// What functions asked for where they forced style or layout, as far as the text that ran is known.
    pub(super) asked_for: FxHashMap<(FunctionId, Position), Arc<str>>,
}

/// The definition that a function was found to be, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A definition of a workspace file.
    At {
        /// An index into [`Symbols::definitions`].
        found: u32,
        /// How certain that is.
        confidence: Confidence,
    },
    /// None was found, for this reason.
    Unplaced(UnplacedReason),
}

/// Where code was inlined from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InlinedFrom {
    /// An index into [`Symbols::definitions`].
    pub(crate) found: u32,
    /// The 0-based line, if known.
    pub(crate) line: Option<u32>,
}

/// A measured definition and what became of it.
#[derive(Clone, Debug)]
pub struct FoundDefinition {
    /// The file, a key of [`Symbols::files`].
    pub file: FilePath,
    /// Its path in the outline of today's text, or of the measured text if it is gone.
    pub path: Arc<str>,
    /// Its name, from the same text.
    pub name: Arc<str>,
    /// Its id in today's text; `None` if it is gone.
    pub definition: Option<DefinitionId>,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// [`Definition::code`](source::definition::Definition::code) of the measured definition.
    pub code: u64,
    /// The start of its name, or of itself if it has none, as editors count; that of what was around it if it is gone.
    pub start: LineCol,
    /// The position after the last character of its body.
    pub end: LineCol,
    /// Whether the measured text is the one that ran, so that its lines are the lines of the trace.
    pub ran: bool,
    /// How many lines further down it is now, if it did not change.
    pub(super) moved_by: Option<i64>,
    /// The line on which it starts.
    pub(super) first_line: u32,
}

impl FoundDefinition {
    /// Whether its lines are exactly those of the trace.
    pub(super) fn is_as_it_ran(&self) -> bool {
        self.ran && self.moved_by == Some(0)
    }

    /// Converts a line of the measured text to one of today's; `None` if it was edited since, or if there is no such line.
    fn line_today(&self, line: u32) -> Option<u32> {
        let line = u32::try_from(i64::from(line) + self.moved_by?).ok()?;
        (self.first_line..=self.end.line).contains(&line).then_some(line)
    }
}

impl Symbols {
    /// The line of today's text at which the trace saw a function running. `None` if it is not known, lies outside of the
    /// definition, or was edited since.
    pub(crate) fn line(&self, function: FunctionId, at: Position) -> Option<u32> {
        let Place::At { found, .. } = self.places[function.0 as usize] else { return None };
        let definition = &self.definitions[found as usize];
        let line = if definition.ran { at.line } else { *self.original_lines.get(&(function, at))? };
        definition.line_today(line)
    }

    /// Where the code comes from that a function was seen running at a place; `None` for its own code, or if not known.
    pub(crate) fn inlined(&self, function: FunctionId, at: Position) -> Option<InlinedFrom> {
        let &InlinedFrom { found, line } = self.inlined.get(&(function, at))?;
        let line = line.and_then(|line| self.definitions[found as usize].line_today(line));
        Some(InlinedFrom { found, line })
    }

    /// Adds where inlined code was written, with its line in the measured text.
    pub(super) fn add_inlined(&mut self, code: (FunctionId, Position), place: Place, line: Option<u32>) {
        let Place::At { found, .. } = place else { return };
        match self.places[code.0.0 as usize] {
            // A tool made several functions from one.
            Place::At { found: own, .. } if own == found => {
                self.original_lines.extend(line.map(|line| (code, line)));
            }
            _ => drop(self.inlined.insert(code, InlinedFrom { found, line })),
        }
    }

    /// What a function asked for at a place where it forced style or layout, such as `offsetWidth`.
    pub(crate) fn asked_for(&self, function: FunctionId, at: Position) -> Option<&Arc<str>> {
        self.asked_for.get(&(function, at))
    }

    /// Generated files whose source maps are needed but were not used, so that functions stay on generated lines; each
    /// with the path or url of its map, and why that was refused. They are scripts, or sources of the map of a script.
    pub fn lost_maps(&self) -> impl Iterator<Item = (&FilePath, &str, Option<Refusal>)> {
        let mut lost = Vec::new();
        for script in &self.scripts {
            if let (Some(file), Some(map)) = (&script.file, &script.map) {
                add_lost(file, map, &mut lost);
            }
        }
        // A source may be in the maps of several scripts, and a script may have been loaded several times.
        let mut told = FxHashSet::default();
        lost.retain(|&(file, wanted, _)| told.insert((file, wanted)));
        lost.into_iter()
    }

    /// Generated files of dependencies that came without their sources, so that functions stay in them.
    pub(crate) fn unshipped(&self) -> impl Iterator<Item = &FilePath> {
        let is_unshipped =
            |it: &&ScriptDecision| matches!(&it.map, Some(MapDecision::Followed(map)) if map.unshipped);
        self.scripts.iter().filter(is_unshipped).filter_map(|it| it.file.as_ref())
    }

    /// Records a script that has no text in which its functions could be looked for.
    pub(super) fn without_text(
        &mut self,
        file: Option<FilePath>,
        functions: Vec<FunctionId>,
        text: WhichText,
    ) {
        if let WhichText::None { reason, .. } = text {
            functions.iter().for_each(|it| self.places[it.0 as usize] = Place::Unplaced(reason));
        }
        self.scripts.push(ScriptDecision { file, functions, text, transformed: false, map: None });
    }
}

/// Adds the map of a file, and those of the sources that this map leads to, where they were not used.
fn add_lost<'a>(
    file: &'a FilePath,
    map: &'a MapDecision,
    lost: &mut Vec<(&'a FilePath, &'a str, Option<Refusal>)>,
) {
    lost.extend(map.lost().map(|(wanted, refusal)| (file, wanted, refusal)));
    if let MapDecision::Followed(followed) = map {
        followed.of_sources.iter().for_each(|(source, map)| add_lost(source, map, lost));
    }
}
