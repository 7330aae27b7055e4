//! Maps the places of a generated text at which a function was seen running to lines of its original, through a source map.
//!
//! ```text
//! generated, one line                       original
//! function a(){b();c()}                     1  function alpha() {
//!              ↑ column 13: line 2          2    beta();
//!                  ↑ column 17: line 3      3    gamma();
//! the line alone: 1, 2, or 3, so no line    4  }
//! ```
//!
//! With a column, the segment at or before it counts. Without one, all segments on the line that lie in the function, but
//! not in functions inside it, must lead to the same original line: nothing is guessed. A place that comes from another
//! function, as engines and bundlers inline functions, is on no line of the definition; the same goes for a line that
//! comes partly from elsewhere.

use profile::model::Position;
use source::definition::DefinitionId;
use source::map::{Outlined, Placing, Query, Resolved, Segment, SourceMap};
use source::text::{Encoding, LineCol};

/// A function of a generated text, its original, and where it was seen running.
pub(super) struct MappedFunction<'a> {
    pub(super) generated: DefinitionId,
    pub(super) placing: Placing,
    /// The text of its original.
    pub(super) original: Outlined<'a>,
    pub(super) seen: &'a [Option<Position>],
}

/// How many segments of one line are looked at. A line with more belongs to a minified bundle, and has many original lines.
const MAX_SEGMENTS: u32 = 256;

/// The places in the original texts, for each function and each place; `None` where unknown.
pub(super) fn original_places(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    functions: &[MappedFunction<'_>],
) -> Vec<Vec<Option<Position>>> {
    let mut places: Vec<Vec<Option<Position>>> =
        functions.iter().map(|it| vec![None; it.seen.len()]).collect();
    let mut asked: Vec<(Query, usize, usize)> = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        for (place, seen) in function.seen.iter().enumerate() {
            let query = seen.and_then(|it| query(generated, function.generated, it));
            asked.extend(query.map(|query| (query, index, place)));
        }
    }
    asked.sort_unstable();
    let queries: Vec<Query> = asked.iter().map(|it| it.0).collect();
    let resolved = map.resolve(&queries);
    for (at, (query, index, place)) in asked.into_iter().enumerate() {
        places[index][place] = match query.limit {
            0 => functions[index].at_column(&resolved, at),
            _ => functions[index].on_line(&resolved, at, generated),
        };
    }
    places
}

/// What to ask the map about a place of a function; `None` if nothing of the function is on that line.
fn query(generated: Outlined<'_>, function: DefinitionId, seen: Position) -> Option<Query> {
    let Position { line, column } = seen;
    if let Some(column) = column {
        let at = LineCol { line, column };
        return Some(Query { at, end: at, limit: 0 });
    }
    let range = generated.outline.get(function).range;
    let place = |offset| generated.lines.line_col(generated.text, offset, Encoding::Utf16);
    let at = place(range.start()).max(LineCol { line, column: 0 });
    let end = place(range.end()).min(LineCol { line: line + 1, column: 0 });
    (at.line == line && at < end).then_some(Query { at, end, limit: MAX_SEGMENTS })
}

impl MappedFunction<'_> {
    fn at_column(&self, resolved: &Resolved, query: usize) -> Option<Position> {
        let at = self.original_of(&resolved.before(query)?)?;
        Some(Position { line: at.line, column: Some(at.column) })
    }

    fn on_line(&self, resolved: &Resolved, query: usize, generated: Outlined<'_>) -> Option<Position> {
        let inside = resolved.inside(query);
        if inside.len() >= MAX_SEGMENTS as usize {
            return None;
        }
        let mut segments: Vec<Segment> = inside.collect();
        if segments.is_empty() {
            segments.extend(resolved.before(query));
        }
        let own: Vec<Segment> = segments.iter().filter(|it| self.is_own(it, generated)).copied().collect();
        // The line may hold nothing but a function inside this one, which is created there.
        let segments = if own.is_empty() { segments } else { own };
        // Code that a tool added has no original.
        let mut places = segments.iter().filter(|it| it.original.is_some()).map(|it| self.original_of(it));
        let line = places.next()??.line;
        places.all(|it| it.is_some_and(|it| it.line == line)).then_some(Position { line, column: None })
    }

    /// Whether a segment lies in the function, and not in one inside it.
    fn is_own(&self, segment: &Segment, generated: Outlined<'_>) -> bool {
        let offset = generated.lines.offset(generated.text, segment.generated, Encoding::Utf16);
        offset.and_then(|it| generated.outline.around(it)) == Some(self.generated)
    }

    /// Where a segment comes from, if that is in the function's original.
    fn original_of(&self, segment: &Segment) -> Option<LineCol> {
        let original = segment.original.filter(|it| it.source == self.placing.source)?;
        let Outlined { text, lines, outline } = self.original;
        let offset = lines.offset(text, original.at, Encoding::Utf16)?;
        let range = outline.get(self.placing.definition).range;
        (range.contains(offset) || range.end() == offset).then_some(original.at)
    }
}
