//! The part of a map that is kept: its tables. Each question reads the mappings again.

use std::borrow::Cow;

use super::json;
use super::section::Section;

/// A source map without its mappings.
#[derive(Debug, Default)]
pub struct SourceMap<'a> {
    /// The generated file, as the map names it.
    pub file: Option<String>,
    /// What ties it to its generated file: a UUID in lower case (proposal "Debug ID"; also `debug_id`).
    pub debug_id: Option<String>,
    /// The original files; in an index map, one section after the other.
    pub sources: Vec<Source>,
    /// Their texts, as the map writes them.
    pub(super) contents: Vec<Option<&'a str>>,
    /// Ordered by start.
    pub(super) sections: Vec<Section<'a>>,
}

/// An original file, as a map names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// With `sourceRoot` before it, unless it is itself an absolute path or URL. Not yet resolved against the place of
    /// the map. `None` if the map has `null`, so that no name is known.
    pub url: Option<String>,
}

impl<'a> SourceMap<'a> {
    /// Whether it says nothing but which sources there are.
    pub fn is_without_mappings(&self) -> bool {
        self.sections.iter().all(|section| section.mappings.is_empty())
    }

    /// The text of an original file, if the map has it.
    pub fn content(&self, source: u32) -> Option<Cow<'a, str>> {
        json::text(self.contents.get(source as usize).copied().flatten()?)
    }
}
