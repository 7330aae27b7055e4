//! A flat map: one section of an index map, or all of any other map.

use std::borrow::Cow;

use super::mappings::{Flow, Mappings, NONE, Step, Unsorted, key, place};
use super::segment::{Original, Segment};
use crate::text::LineCol;

/// A flat map and its place among the others.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// The generated place at which it starts.
    pub(super) start: LineCol,
    /// Where the next one starts, as a [`key`]; nothing of this one counts from there on.
    pub(super) end: u64,
    pub(super) mappings: Cow<'a, str>,
    pub(super) range_mappings: Cow<'a, str>,
    /// The index of its first source among those of the whole map, and how many it has.
    pub(super) first_source: u32,
    pub(super) sources: u32,
    /// How many names it has.
    pub(super) names: u32,
}

impl Section<'_> {
    /// Passes all steps of the section to `visit`, at their places in the whole generated text.
    pub(super) fn scan(&self, sorts: bool, mut visit: impl FnMut(Step) -> Flow) -> Result<Flow, Unsorted> {
        let mappings = Mappings {
            mappings: &self.mappings,
            ranges: &self.range_mappings,
            sources: self.sources,
            names: self.names,
        };
        // Only the first line of a section shares its line with another section.
        let (first_line, others) = (key(self.start.line, self.start.column), key(self.start.line, 0));
        mappings.scan(sorts, |mut step| {
            step.at += if step.at >> 32 == 0 { first_line } else { others };
            if step.at < self.end { visit(step) } else { Flow::Go }
        })
    }

    /// Converts a step to the numbers of the whole map.
    pub(super) fn segment(&self, step: &Step) -> Segment {
        let original = (step.source != NONE).then(|| Original {
            source: self.first_source + step.source,
            at: LineCol { line: step.line, column: step.column },
        });
        Segment { generated: place(step.at), original }
    }
}
