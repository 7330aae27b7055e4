//! One entry of a map: a place in the generated text, and where it comes from.

use crate::text::LineCol;

/// A place in an original file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Original {
    /// An index into [`SourceMap::sources`](super::source_map::SourceMap::sources).
    pub source: u32,
    /// 0-based, UTF-16.
    pub at: LineCol,
}

/// One entry of the mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its place in the generated text: 0-based, UTF-16.
    pub generated: LineCol,
    /// Where that comes from; `None` for code that a tool made.
    pub original: Option<Original>,
}
