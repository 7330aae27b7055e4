//! Answers queries about generated places in one scan over the mappings.

use super::mappings::{Flow, NONE, Step, Unsorted, key};
use super::section::Section;
use super::segment::{Original, Segment};
use super::source_map::SourceMap;
use crate::text::LineCol;

/// Which segment is at a generated place, and which are in the span after it?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// The place: 0-based, UTF-16.
    pub at: LineCol,
    /// Where the span that starts at the place ends, exclusive.
    pub end: LineCol,
    /// At most how many segments of the span are wanted.
    pub limit: u32,
}

/// The answers to a list of queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    before: Vec<Option<Segment>>,
    /// Ordered by query, then by place.
    inside: Vec<(u32, Segment)>,
}

impl Resolved {
    /// The last segment at or before the place of a query. It is on the query's line and, in an index map, in its
    /// section, since anything before that belongs to something else. Among several at one place, it is the last one with
    /// a name, or the last one if none has a name. A range mapping covers lines, and its original place is moved by the
    /// distance between the query's place and its own.
    pub fn before(&self, query: usize) -> Option<Segment> {
        self.before.get(query).copied().flatten()
    }

    /// The first segments in the span of a query, in order, as many as it wanted.
    pub fn inside(&self, query: usize) -> impl ExactSizeIterator<Item = Segment> {
        let start = self.inside.partition_point(|(owner, _)| (*owner as usize) < query);
        let end = self.inside.partition_point(|(owner, _)| *owner as usize <= query);
        self.inside[start..end].iter().map(|(_, segment)| *segment)
    }
}

impl SourceMap<'_> {
    /// Answers queries that are sorted by place. Reads the mappings once, up to the last query, and holds
    /// nothing but the answers; maps with segments out of order are read twice.
    pub fn resolve(&self, queries: &[Query]) -> Resolved {
        debug_assert!(queries.is_sorted_by_key(|query| query.at), "queries are sorted by place");
        let resolved = self.scan(queries, false).or_else(|Unsorted| self.scan(queries, true));
        resolved.unwrap_or_default()
    }

    fn scan(&self, queries: &[Query], sorts: bool) -> Result<Resolved, Unsorted> {
        let mut scan = Scan {
            queries,
            opened: 0,
            settled: 0,
            open: Vec::new(),
            last: None,
            resolved: Resolved { before: vec![None; queries.len()], ..Resolved::default() },
        };
        for section in &self.sections {
            // Segments before a section belong to something else.
            scan.last = None;
            let flow = section.scan(sorts, |step| scan.step(step, section))?;
            scan.settle(section.end, section);
            if flow == Flow::Stop {
                break;
            }
        }
        let mut resolved = scan.resolved;
        resolved.inside.sort_by_key(|(query, _)| *query);
        Ok(resolved)
    }
}

/// A scan over the mappings, and the queries that it answers.
struct Scan<'q> {
    queries: &'q [Query],
    /// The number of queries whose place was reached.
    opened: usize,
    /// The number of queries whose place was passed, so that the segment before it is known.
    settled: usize,
    /// The queries whose spans are being read, and how many segments they still want.
    open: Vec<(u32, u32)>,
    /// The best segment of the last place.
    last: Option<Step>,
    resolved: Resolved,
}

impl Scan<'_> {
    #[inline]
    fn step(&mut self, step: Step, section: &Section<'_>) -> Flow {
        let next =
            self.queries.get(self.opened).map_or(u64::MAX, |query| key(query.at.line, query.at.column));
        if step.at >= next || !self.open.is_empty() || self.settled < self.opened {
            self.meet(&step, section);
            if self.settled == self.queries.len() && self.open.is_empty() {
                return Flow::Stop;
            }
        }
        self.last = match self.last {
            Some(last) if last.at == step.at => Some(better(last, step)),
            _ => Some(step),
        };
        Flow::Go
    }

    /// Passes a step to the queries that want it.
    fn meet(&mut self, step: &Step, section: &Section<'_>) {
        self.settle(step.at, section);
        while let Some(query) = self.queries.get(self.opened)
            && key(query.at.line, query.at.column) <= step.at
        {
            if query.limit > 0 {
                self.open.push((self.opened as u32, query.limit));
            }
            self.opened += 1;
        }
        let Self { open, queries, resolved, .. } = self;
        open.retain_mut(|(query, wanted)| {
            let end = queries[*query as usize].end;
            if step.at >= key(end.line, end.column) {
                return false;
            }
            resolved.inside.push((*query, section.segment(step)));
            *wanted -= 1;
            *wanted > 0
        });
    }

    /// Records the segment before each query whose place is before `until`.
    fn settle(&mut self, until: u64, section: &Section<'_>) {
        while let Some(query) = self.queries.get(self.settled)
            && key(query.at.line, query.at.column) < until
        {
            self.resolved.before[self.settled] = self.last.and_then(|step| before(&step, section, query.at));
            self.settled += 1;
        }
    }
}

fn better(last: Step, next: Step) -> Step {
    let [rank_of_last, rank_of_next] = [last, next].map(|step| (step.source != NONE, step.is_named));
    if rank_of_next >= rank_of_last { next } else { last }
}

/// What a step says about a place at or after it.
fn before(step: &Step, section: &Section<'_>, at: LineCol) -> Option<Segment> {
    let segment = section.segment(step);
    let lines = at.line - segment.generated.line;
    match segment.original {
        Some(original) if step.is_range => {
            let place = if lines == 0 {
                let columns = at.column - segment.generated.column;
                LineCol { line: original.at.line, column: original.at.column.checked_add(columns)? }
            } else {
                LineCol { line: original.at.line.checked_add(lines)?, column: at.column }
            };
            Some(Segment { original: Some(Original { at: place, ..original }), ..segment })
        }
        _ => (lines == 0).then_some(segment),
    }
}
