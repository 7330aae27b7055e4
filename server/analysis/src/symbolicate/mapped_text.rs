//! A text that ran with its source map, and where the sources of the map are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use source::map::{ReportedFunction, SourceMap, sources_asked};

use super::decisions::MapPlace;
use super::executed_text::ExecutedText;
use super::source_text::SourceText;
use crate::files::{FilePath, Files};
use crate::locate::{LocatedSource, address, path_inside};

/// A generated text, its map, and where the sources of the map are.
pub(super) struct MappedText<'a> {
    pub(super) executed: &'a ExecutedText<'a>,
    /// Where the map was found, and whether it belongs to another build.
    pub(super) at: &'a MapPlace,
    pub(super) stale: bool,
    pub(super) map: SourceMap<'a>,
    pub(super) map_of: MapOf,
    /// The path from which the sources count, and the url if the script is no file of the workspace.
    pub(super) path: FilePath,
    pub(super) url: Option<String>,
    /// By the index of the source; `None` for those that were not looked for.
    pub(super) sources: Vec<Option<LocatedSource>>,
    /// The sources that lie elsewhere today, by their index.
    pub(super) moved: BTreeMap<u32, MovedSource>,
}

/// Whether a map was made for the generated text that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapOf {
    /// It was, as it is in that text, or beside it.
    Ran,
    /// The trace says so, whose writer may have loaded it after the text was built anew.
    PerhapsRan,
    /// It lies beside the file, which does not name it, as an earlier build may have left it there.
    PerhapsOfFile,
    /// It was made for another text of that file.
    Another,
}

/// A source that lies elsewhere today.
pub(super) struct MovedSource {
    /// Where it is.
    pub(super) file: FilePath,
    /// The text that the map was made from.
    pub(super) text: Arc<SourceText>,
}

impl<'a> MappedText<'a> {
    /// A text with a map whose sources are yet to be found.
    pub(super) fn new(
        executed: &'a ExecutedText<'a>,
        (at, stale): (&'a MapPlace, bool),
        (map, map_of): (SourceMap<'a>, MapOf),
    ) -> Self {
        let (path, url) = (executed.map_path(at), executed.map_url());
        let sources = vec![None; map.sources.len()];
        Self { executed, at, stale, map, map_of, path, url, sources, moved: BTreeMap::new() }
    }

    /// The functions whose originals are wanted.
    pub(super) fn functions(&self) -> Vec<ReportedFunction> {
        self.executed.functions.iter().map(|it| it.reported).collect()
    }

    /// The sources that these functions come from.
    pub(super) fn sources_asked(&self) -> BTreeSet<u32> {
        sources_asked(&self.map, self.executed.text.outlined(), &self.functions())
    }

    /// The name of a source in the map.
    pub(super) fn name(&self, source: u32) -> Option<&str> {
        self.map.sources[source as usize].url.as_deref()
    }

    /// The path in the workspace that the map gives for a source. It may be the path of another file or of none.
    pub(super) fn path_of(&self, source: u32, files: &dyn Files) -> Option<FilePath> {
        let name = without_query(self.name(source)?);
        let is_absolute = address::scheme(name).is_some() || name.starts_with(['/', '\\']);
        match self.url.as_deref() {
            _ if is_absolute => path_inside(name, files),
            Some(url) => path_inside(&address::join(url, name), files),
            None => path_inside(FilePath::new(&format!("{}/{name}", self.path.folder())).as_str(), files),
        }
    }

    /// The path of a source with a relative name on the disk where its script is, which is not in the workspace.
    pub(super) fn path_outside(&self, name: &str) -> Option<String> {
        let url = self.url.as_deref().filter(|url| url.starts_with("file:///"))?;
        let joined = address::join(url, without_query(name));
        joined.strip_prefix("file://").map(str::to_owned)
    }
}

/// A name without its query.
pub(super) fn without_query(name: &str) -> &str {
    name.split('?').next().unwrap_or(name)
}
