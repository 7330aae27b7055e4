//! Source maps: from places in a generated text to places in the original texts (ECMA-426).
//!
//! A map of a real bundle holds millions of segments and is asked for a few thousand places. So nothing
//! is stored per segment: [`SourceMap::parse`] notes where the parts of the text are, and one scan answers
//! a sorted list of questions ([`SourceMap::resolve`]).

mod data_url;
mod function_map;
mod json;
mod mappings;
mod placing;
mod reference;
mod resolve;
mod scopes;
mod tables;
mod vlq;
mod warning;

use std::borrow::Cow;

use crate::text::LineCol;

use mappings::{Flaws, Flow, Mappings, NONE, Step, Unsorted, key, place};

pub use data_url::{DataUrlError, data_url};
pub use function_map::{FunctionMap, NamedSpan};
pub use mappings::Flaw;
pub use placing::{Evidence, Outlined, Placing, definitions_of, sources_asked};
pub use reference::{Reference, debug_id, source_mapping_url};
pub use resolve::{Query, Resolved};
pub use scopes::{GeneratedRange, OriginalScope, Scopes, StackFrame};
pub use warning::{MapError, Warning};

/// A source map without its mappings: they are read anew by each question.
#[derive(Debug)]
pub struct SourceMap<'a> {
    /// The generated file, as the map names it.
    pub file: Option<String>,
    /// What ties it to its generated file: a UUID in lower case (proposal "Debug ID"; also `debug_id`).
    pub debug_id: Option<String>,
    /// The original files; those of an index map one section after the other.
    pub sources: Vec<Source>,
    contents: Vec<Option<&'a str>>,
    names: Vec<&'a str>,
    sections: Vec<Section<'a>>,
}

/// An original file, as a map names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// As it is written; `None` where the map has `null`, so that no name is known.
    pub raw: Option<String>,
    /// With `sourceRoot` before it, unless it is an absolute path or URL by itself. Not yet resolved
    /// against the place of the map.
    pub url: Option<String>,
    /// Whether the map says that it is not the user's own code (`ignoreList`, `x_google_ignoreList`).
    pub ignored: bool,
    /// Whether [`SourceMap::content`] has its text.
    pub has_content: bool,
}

/// A place in an original file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Original {
    /// An index into [`SourceMap::sources`].
    pub source: u32,
    /// 0-based, UTF-16.
    pub at: LineCol,
}

/// One entry of the mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where it stands in the generated text: 0-based, UTF-16.
    pub generated: LineCol,
    /// Where that comes from; `None` for code that a tool made.
    pub original: Option<Original>,
    /// What it is called there, see [`SourceMap::name`].
    pub name: Option<u32>,
    /// Whether all up to the next segment stands in the original as it does here (`rangeMappings`).
    pub is_range: bool,
}

/// A flat map: one section of an index map, or all of any other map.
#[derive(Debug)]
struct Section<'a> {
    start: LineCol,
    /// Where the next one starts; nothing of this one counts from there on.
    end: u64,
    mappings: Cow<'a, str>,
    ranges: Cow<'a, str>,
    first_source: u32,
    sources: u32,
    first_name: u32,
    names: u32,
    scopes: Option<Cow<'a, str>>,
    pasta: Vec<&'a str>,
    metro: Vec<&'a str>,
}

impl<'a> SourceMap<'a> {
    /// Reads the tables of a map; a byte order mark and the line that `)]}'` opens are skipped. What is
    /// wrong but can be read past is told beside it; what is wrong with mappings only [`Self::check`] and
    /// [`Self::resolve`] know.
    ///
    /// # Errors
    /// If the text is no JSON object with `mappings` and `sources`, or with `sections`.
    pub fn parse(text: &'a str) -> Result<(Self, Vec<Warning>), MapError> {
        tables::parse(text)
    }

    /// The text of an original file, if the map has it.
    pub fn content(&self, source: u32) -> Option<Cow<'a, str>> {
        json::text(self.contents.get(source as usize).copied().flatten()?)
    }

    /// A name of a segment. Names that are no strings are empty.
    pub fn name(&self, name: u32) -> Option<Cow<'a, str>> {
        let raw = self.names.get(name as usize)?;
        Some(json::text(raw).unwrap_or_default())
    }

    /// What is wrong with the mappings.
    pub fn check(&self) -> Vec<Warning> {
        self.each_segment(|_| {})
    }

    /// Hands over all segments, ordered by place, those of one place as in the file, and tells what is
    /// wrong with the others. Holds the segments of one line at a time.
    pub fn each_segment(&self, mut each: impl FnMut(Segment)) -> Vec<Warning> {
        let mut flaws = Flaws::default();
        for section in &self.sections {
            let scan = section.scan(true, &mut flaws, |step| {
                each(section.segment(&step));
                Flow::Go
            });
            debug_assert!(scan.is_ok(), "a scan that sorts is sorted");
        }
        Warning::of(&flaws)
    }
}

impl Section<'_> {
    /// Hands all steps of the section to `visit`, at their places in the whole generated text.
    fn scan(
        &self,
        sorts: bool,
        flaws: &mut Flaws,
        mut visit: impl FnMut(Step) -> Flow,
    ) -> Result<Flow, Unsorted> {
        let mappings = Mappings {
            mappings: &self.mappings,
            ranges: &self.ranges,
            sources: self.sources,
            names: self.names,
        };
        let (first_line, others) = (key(self.start.line, self.start.column), key(self.start.line, 0));
        let mut overlapping = 0;
        let flow = mappings.scan(sorts, flaws, |mut step| {
            step.at += if step.at >> 32 == 0 { first_line } else { others };
            if step.at < self.end {
                return visit(step);
            }
            overlapping += 1;
            Flow::Go
        });
        flaws.add(Flaw::Overlap, overlapping);
        flow
    }

    /// The name of an index of the section.
    fn name(&self, index: i64) -> Option<u32> {
        let index = u32::try_from(index).ok().filter(|it| *it < self.names)?;
        Some(self.first_name + index)
    }

    fn segment(&self, step: &Step) -> Segment {
        let original = (step.source != NONE).then(|| Original {
            source: self.first_source + step.source,
            at: LineCol { line: step.line, column: step.column },
        });
        Segment {
            generated: place(step.at),
            original,
            name: (step.name != NONE).then(|| self.first_name + step.name),
            is_range: step.is_range && original.is_some(),
        }
    }
}
