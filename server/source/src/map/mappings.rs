//! Decodes `mappings` and `rangeMappings` (ECMA-426, "Mappings structure") without keeping anything: each segment is
//! passed on as soon as it is read. Invalid segments are skipped.

use super::vlq::{self, NoVlq};
use crate::text::LineCol;

/// Stands for a missing index.
pub(super) const NONE: u32 = u32::MAX;

/// A segment as decoded, in the numbers of its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Generated line and column; see [`key`].
    pub(super) at: u64,
    /// [`NONE`] if it has no original place.
    pub(super) source: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) is_named: bool,
    /// What follows is in the original as it is here, character by character.
    pub(super) is_range: bool,
}

/// A generated place as one number that sorts as places do.
pub(super) fn key(line: u32, column: u32) -> u64 {
    u64::from(line) << 32 | u64::from(column)
}

/// The place of a [`key`].
pub(super) fn place(key: u64) -> LineCol {
    LineCol { line: (key >> 32) as u32, column: key as u32 }
}

/// The input of a scan.
pub(super) struct Mappings<'a> {
    pub(super) mappings: &'a str,
    pub(super) ranges: &'a str,
    pub(super) sources: u32,
    pub(super) names: u32,
}

/// Whether a line's segments came out of order, so that they must be sorted first.
pub(super) struct Unsorted;

/// Whether a scan goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Go,
    Stop,
}

impl Mappings<'_> {
    /// Passes all segments to `visit`, ordered by place, those at the same place as in the file. Holds at most one line,
    /// and that only if it `sorts`, which must be set if the scan without it ends with [`Unsorted`].
    pub(super) fn scan(&self, sorts: bool, mut visit: impl FnMut(Step) -> Flow) -> Result<Flow, Unsorted> {
        if sorts { Ok(self.scan_sorting(visit)) } else { self.scan_sorted(&mut visit) }
    }

    fn scan_sorted(&self, visit: &mut impl FnMut(Step) -> Flow) -> Result<Flow, Unsorted> {
        let mut last = 0;
        let mut unsorted = false;
        let mut stopped_at = None;
        self.decode(|step| {
            unsorted = step.at < last;
            last = step.at;
            match stopped_at {
                _ if unsorted => return Flow::Stop,
                Some(line) => return if step.at >> 32 == line { Flow::Go } else { Flow::Stop },
                None => {}
            }
            // Later segments of this line could belong before it.
            if visit(step) == Flow::Stop {
                stopped_at = Some(step.at >> 32);
            }
            Flow::Go
        });
        match stopped_at {
            _ if unsorted => Err(Unsorted),
            Some(_) => Ok(Flow::Stop),
            None => Ok(Flow::Go),
        }
    }

    fn scan_sorting(&self, mut visit: impl FnMut(Step) -> Flow) -> Flow {
        let mut line = Vec::new();
        let flow = self.decode(|step| {
            if line.last().is_some_and(|last: &Step| last.at >> 32 != step.at >> 32)
                && hand_on(&mut line, &mut visit) == Flow::Stop
            {
                return Flow::Stop;
            }
            line.push(step);
            Flow::Go
        });
        if flow == Flow::Stop { flow } else { hand_on(&mut line, &mut visit) }
    }

    /// Passes all segments to `visit` as they come.
    fn decode(&self, mut visit: impl FnMut(Step) -> Flow) -> Flow {
        let bytes = self.mappings.as_bytes();
        let mut ranges = RangeMappings::new(self.ranges);
        let mut at = 0;
        let (mut line, mut index) = (0_u32, 0_u32);
        let mut sums = Sums::default();
        loop {
            match bytes.get(at) {
                None => return Flow::Go,
                Some(b';') => {
                    at += 1;
                    ranges.next_line();
                    line += 1;
                    sums.generated_column = 0;
                    index = 0;
                    continue;
                }
                // The comma after a segment was read with it, so no segment precedes this one.
                Some(b',') => {
                    at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let mut fields = [0_i64; 5];
            let Ok(count) = read_segment(bytes, &mut at, &mut fields) else { return Flow::Go };
            let Some(mut step) = sums.add(&fields, count, line, self) else { continue };
            step.is_range = ranges.holds(index);
            index += 1;
            if visit(step) == Flow::Stop {
                return Flow::Stop;
            }
        }
    }
}

/// The numbers of a segment are differences from those of the one before.
#[derive(Default)]
struct Sums {
    generated_column: i64,
    source: i64,
    line: i64,
    column: i64,
    name: i64,
}

impl Sums {
    /// The segment with some fields; `None` if it has no place or a wrong number of fields. It has no original place
    /// if that does not exist.
    #[inline]
    fn add(&mut self, fields: &[i64; 5], count: usize, line: u32, mappings: &Mappings<'_>) -> Option<Step> {
        self.generated_column += fields[0];
        let generated_column = u32::try_from(self.generated_column).ok()?;
        self.source += fields[1];
        self.line += fields[2];
        self.column += fields[3];
        self.name += fields[4];
        let at = key(line, generated_column);
        let mut step = Step { at, source: NONE, line: 0, column: 0, is_named: false, is_range: false };
        match count {
            1 => {}
            4 | 5 => {
                if (0..i64::from(mappings.sources)).contains(&self.source)
                    && let (Ok(line), Ok(column)) = (u32::try_from(self.line), u32::try_from(self.column))
                {
                    (step.source, step.line, step.column) = (self.source as u32, line, column);
                }
                step.is_named = count == 5 && (0..i64::from(mappings.names)).contains(&self.name);
            }
            _ => return None,
        }
        Some(step)
    }
}

/// Reads the numbers of a segment and the comma after it. Returns how many numbers there are.
#[inline]
fn read_segment(bytes: &[u8], at: &mut usize, fields: &mut [i64; 5]) -> Result<usize, NoVlq> {
    let mut count = 0;
    loop {
        let field = vlq::signed(bytes, at)?;
        if let Some(slot) = fields.get_mut(count) {
            *slot = field;
        }
        count += 1;
        match bytes.get(*at) {
            Some(b',') => {
                *at += 1;
                return Ok(count);
            }
            None | Some(b';') => return Ok(count),
            Some(_) => {}
        }
    }
}

/// Passes on the segments of a line in order.
fn hand_on(line: &mut Vec<Step>, visit: &mut impl FnMut(Step) -> Flow) -> Flow {
    line.sort_by_key(|step| step.at);
    let stops = line.drain(..).any(|step| visit(step) == Flow::Stop);
    if stops { Flow::Stop } else { Flow::Go }
}

/// The range mappings of the line that is being decoded (proposal "Range mappings", stage 2): numbers
/// that add up to the positions, from 1, of segments in their line.
struct RangeMappings<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The position of the next one, from 1; 0 if this line has no more.
    next: u32,
}

impl<'a> RangeMappings<'a> {
    fn new(text: &'a str) -> Self {
        let mut ranges = Self { bytes: text.as_bytes(), at: 0, next: 0 };
        ranges.step();
        ranges
    }

    /// Reads the next number of this line. After a broken number there are no more.
    fn step(&mut self) {
        if matches!(self.bytes.get(self.at), None | Some(b';')) {
            self.next = 0;
            return;
        }
        let next = match vlq::unsigned(self.bytes, &mut self.at) {
            Ok(delta) if delta > 0 => self.next.checked_add(delta),
            _ => None,
        };
        if next.is_none() {
            self.bytes = &[];
        }
        self.next = next.unwrap_or(0);
    }

    /// Whether the segment at a position, from 0, is a range. Positions must be asked for in order.
    #[inline]
    fn holds(&mut self, index: u32) -> bool {
        let holds = self.next == index + 1;
        if holds {
            self.step();
        }
        holds
    }

    fn next_line(&mut self) {
        while self.next != 0 {
            self.step();
        }
        // A line that ends without a `;` ends the text.
        if self.at < self.bytes.len() {
            self.at += 1;
            self.step();
        }
    }
}
