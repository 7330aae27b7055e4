//! A text that ran with the functions whose originals are wanted, and the types of the answer.

use std::sync::Arc;

use profile::model::{Position, Script};
use source::definition::DefinitionId;
use source::map::{ReportedFunction, source_mapping_url};
use source::text::text_of;

use super::decisions::{MapDecision, MapPlace};
use super::placement::Confidence;
use super::source_text::SourceText;
use crate::files::{FilePath, Files};
use crate::locate::{UnplacedReason, address};

/// A text that may be generated, with the functions whose originals are wanted.
#[derive(Clone, Debug)]
pub(super) struct ExecutedText<'a> {
    /// The file; `None` for a text that only the trace holds.
    pub(super) file: Option<FilePath>,
    pub(super) text: Arc<SourceText>,
    /// What the trace holds of the script.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) functions: Vec<ExecutedFunction>,
}

/// A function at an offset of a text, and how certain that place is.
#[derive(Clone, Debug)]
pub(super) struct ExecutedFunction {
    pub(super) reported: ReportedFunction,
    pub(super) confidence: Confidence,
    /// Where it was seen running in this text; `None` for places that are not known any more.
    pub(super) seen: Vec<Option<Position>>,
}

/// A script in a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traced<'a> {
    /// The resource of the script.
    pub(super) url: &'a str,
    pub(super) script: &'a Script,
}

/// The original definition of a function.
#[derive(Clone, Debug)]
pub(super) struct OriginalFunction {
    pub(super) file: FilePath,
    /// The text that the map was made from.
    pub(super) text: Arc<SourceText>,
    pub(super) definition: DefinitionId,
    pub(super) confidence: Confidence,
    /// Whether the file was elsewhere when the text was that of the file.
    pub(super) moved: bool,
    /// Where it was seen running in this text, for each place in the text that ran.
    pub(super) seen: Vec<Option<Position>>,
}

/// What became of the map of a text, and with it of its functions.
pub(super) struct Originals {
    pub(super) map: MapDecision,
    /// The original of each function, in order, or why it has none. `None` if functions stay where they are because the
    /// text is not generated, or its map or its sources are not available.
    pub(super) functions: Option<Vec<Result<OriginalFunction, NoOriginal>>>,
}

/// Why a function has no original.
#[derive(Clone, Debug)]
pub(super) struct NoOriginal {
    pub(super) reason: UnplacedReason,
    /// The path of the source that it comes from, where its map says so.
    pub(super) source: Option<Arc<str>>,
}

impl From<UnplacedReason> for NoOriginal {
    fn from(reason: UnplacedReason) -> Self {
        Self { reason, source: None }
    }
}

impl ExecutedText<'_> {
    /// Whether the text was made from its file when it was served, as development servers do. Then the text that ran is
    /// not that of the file, which by itself leads to no map.
    pub(super) fn is_made_on_the_way(&self, files: &dyn Files) -> bool {
        let is_traced = self.traced.is_some_and(|it| it.script.text.is_some());
        let file = self.file.as_ref().filter(|_| is_traced).and_then(|it| files.read(it));
        let written = file.map(|it| text_of(&it));
        written.is_some_and(|it| *it != *self.text.text && source_mapping_url(&it).is_none())
    }

    /// The path that a map in the trace would have as a file: the one that the script names, or one next to the file.
    fn map_beside(&self) -> FilePath {
        let Some(file) = &self.file else { return FilePath::new("/") };
        let folder = file.folder();
        let named = self.traced.and_then(|Traced { url, script }| {
            let map = script.map_url.as_deref()?;
            let relative = map.strip_prefix(&url[..url.rfind('/')? + 1]).unwrap_or(map);
            (address::scheme(relative).is_none() && !relative.starts_with('/')).then_some(relative)
        });
        FilePath::new(&named.map_or_else(|| format!("{file}.map"), |it| format!("{folder}/{it}")))
    }

    /// The path that the sources of the map are relative to.
    pub(super) fn map_path(&self, at: &MapPlace) -> FilePath {
        match at {
            MapPlace::File(file) => file.clone(),
            MapPlace::Inline => self.file.clone().unwrap_or_else(|| FilePath::new("/")),
            MapPlace::Trace => self.map_beside(),
        }
    }

    /// The url that the sources of the map are relative to, if the script is not a file of the workspace.
    pub(super) fn map_url(&self) -> Option<String> {
        let Traced { url, script } = self.traced.filter(|_| self.file.is_none())?;
        let map = script.map_url.as_deref().filter(|it| !it.starts_with("data:"));
        Some(map.map_or_else(|| url.to_owned(), |map| address::join(url, map)))
    }
}
