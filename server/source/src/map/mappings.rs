//! Decodes `mappings` and `rangeMappings` (ECMA-426, "Mappings structure") and keeps nothing: each
//! segment is handed on as soon as it is read.

use super::vlq;
use crate::text::LineCol;

/// What is no index.
pub(super) const NONE: u32 = u32::MAX;

/// A segment as it was decoded, in the numbers of its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Generated line and column, see [`key`].
    pub(super) at: u64,
    /// [`NONE`] where nothing original stands behind it.
    pub(super) source: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    /// [`NONE`] where it has no name.
    pub(super) name: u32,
    /// What follows stands in the original as it does here, character by character.
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

/// What is wrong with some segments. The standard leaves it open to report these; they are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// Not a number where one must be, or one above 32 bits: neither it nor what follows can be read.
    NoNumber,
    /// Neither 1 nor 4 nor 5 numbers.
    FieldCount,
    /// A generated column below 0 or above 32 bits.
    GeneratedColumn,
    /// An original line or column below 0 or above 32 bits.
    OriginalPlace,
    /// A source that does not exist.
    NoSource,
    /// A name that does not exist.
    NoName,
    /// A range mapping that belongs to no segment, or to one without an original place.
    NoRange,
    /// A segment behind the start of the next section of an index map.
    Overlap,
}

/// How often each [`Flaw`] was met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flaws([u32; 8]);

impl Flaws {
    pub(super) fn add(&mut self, flaw: Flaw, times: u32) {
        let count = &mut self.0[flaw as usize];
        *count = count.saturating_add(times);
    }

    /// Those that were met, and how often.
    pub(super) fn met(&self) -> impl Iterator<Item = (Flaw, u32)> {
        use Flaw::{
            FieldCount, GeneratedColumn, NoName, NoNumber, NoRange, NoSource, OriginalPlace, Overlap,
        };
        let all = [NoNumber, FieldCount, GeneratedColumn, OriginalPlace, NoSource, NoName, NoRange, Overlap];
        all.into_iter().zip(self.0).filter(|it| it.1 > 0)
    }
}

/// What a scan works on.
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
    /// Hands all segments to `visit`, ordered by place, those of one place as in the file. Holds one line
    /// at most, and that only once `sorts`, which must be set if the scan ends with [`Unsorted`] without.
    pub(super) fn scan(
        &self,
        sorts: bool,
        flaws: &mut Flaws,
        mut visit: impl FnMut(Step) -> Flow,
    ) -> Result<Flow, Unsorted> {
        let mut line = Vec::new();
        let mut last = 0;
        let mut unsorted = false;
        let mut stopped_at = None;
        let flow = self.decode(flaws, |step| {
            if sorts {
                if line.last().is_some_and(|it: &Step| it.at >> 32 != step.at >> 32)
                    && hand_on(&mut line, &mut visit) == Flow::Stop
                {
                    return Flow::Stop;
                }
                line.push(step);
                return Flow::Go;
            }
            unsorted = step.at < last;
            last = step.at;
            match stopped_at {
                _ if unsorted => return Flow::Stop,
                Some(line) => return if step.at >> 32 == line { Flow::Go } else { Flow::Stop },
                None => {}
            }
            // What stands behind in this line could belong before.
            if visit(step) == Flow::Stop {
                stopped_at = Some(step.at >> 32);
            }
            Flow::Go
        });
        if unsorted {
            return Err(Unsorted);
        }
        if stopped_at.is_some() || flow == Flow::Stop {
            return Ok(Flow::Stop);
        }
        Ok(hand_on(&mut line, &mut visit))
    }

    fn decode(&self, flaws: &mut Flaws, mut visit: impl FnMut(Step) -> Flow) -> Flow {
        let bytes = self.mappings.as_bytes();
        let mut ranges = Ranges::new(self.ranges);
        let mut at = 0;
        let (mut line, mut column, mut index) = (0_u32, 0_i64, 0_u32);
        let (mut source, mut original_line, mut original_column, mut name) = (0_i64, 0_i64, 0_i64, 0_i64);
        loop {
            match bytes.get(at) {
                None => {
                    flaws.add(Flaw::FieldCount, u32::from(ends_in_comma(bytes, at)));
                    ranges.finish(index, flaws);
                    return Flow::Go;
                }
                Some(b';') => {
                    flaws.add(Flaw::FieldCount, u32::from(ends_in_comma(bytes, at)));
                    at += 1;
                    ranges.next_line(index, flaws);
                    line += 1;
                    column = 0;
                    index = 0;
                    continue;
                }
                Some(b',') => {
                    // The comma behind a segment was read with it.
                    flaws.add(Flaw::FieldCount, 1);
                    at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let mut fields = [0_i64; 5];
            let count = match read_segment(bytes, &mut at, &mut fields) {
                Ok(count) => count,
                Err(vlq::NoVlq) => {
                    flaws.add(Flaw::NoNumber, 1);
                    return Flow::Go;
                }
            };
            column += fields[0];
            let Ok(generated_column) = u32::try_from(column) else {
                flaws.add(Flaw::GeneratedColumn, 1);
                continue;
            };
            source += fields[1];
            original_line += fields[2];
            original_column += fields[3];
            name += fields[4];
            let mut step = Step {
                at: key(line, generated_column),
                source: NONE,
                line: 0,
                column: 0,
                name: NONE,
                is_range: false,
            };
            match count {
                1 => {}
                4 | 5 => {
                    if !(0..i64::from(self.sources)).contains(&source) {
                        flaws.add(Flaw::NoSource, 1);
                    } else if let (Ok(line), Ok(column)) =
                        (u32::try_from(original_line), u32::try_from(original_column))
                    {
                        (step.source, step.line, step.column) = (source as u32, line, column);
                    } else {
                        flaws.add(Flaw::OriginalPlace, 1);
                    }
                    if count == 5 {
                        if (0..i64::from(self.names)).contains(&name) {
                            step.name = name as u32;
                        } else {
                            flaws.add(Flaw::NoName, 1);
                        }
                    }
                }
                _ => {
                    flaws.add(Flaw::FieldCount, 1);
                    continue;
                }
            }
            step.is_range = ranges.holds(index);
            if step.is_range && step.source == NONE {
                flaws.add(Flaw::NoRange, 1);
            }
            index += 1;
            if visit(step) == Flow::Stop {
                return Flow::Stop;
            }
        }
    }
}

fn ends_in_comma(bytes: &[u8], end: usize) -> bool {
    bytes[..end].last() == Some(&b',')
}

/// Reads the numbers of a segment and the comma behind it; how many there are.
#[inline]
fn read_segment(bytes: &[u8], at: &mut usize, fields: &mut [i64; 5]) -> Result<usize, vlq::NoVlq> {
    let mut count = 0;
    loop {
        let field = vlq::signed(bytes, at)?;
        if let Some(it) = fields.get_mut(count) {
            *it = field;
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

/// Hands on the segments of a line in order.
fn hand_on(line: &mut Vec<Step>, visit: &mut impl FnMut(Step) -> Flow) -> Flow {
    line.sort_by_key(|it| it.at);
    let stops = line.drain(..).any(|step| visit(step) == Flow::Stop);
    if stops { Flow::Stop } else { Flow::Go }
}

/// The range mappings of the line that is being decoded (proposal "Range mappings", stage 2): numbers
/// that add up to the positions, from 1, of segments in their line.
struct Ranges<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The position of the next one, from 1; 0 if this line has no more.
    next: u32,
    broken: bool,
}

impl<'a> Ranges<'a> {
    fn new(text: &'a str) -> Self {
        let mut ranges = Self { bytes: text.as_bytes(), at: 0, next: 0, broken: false };
        ranges.step();
        ranges
    }

    /// Reads the next number of this line.
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
            self.broken = true;
            self.bytes = &[];
        }
        self.next = next.unwrap_or(0);
    }

    /// Whether the segment of a position, from 0, is one. Positions must be asked for in order.
    #[inline]
    fn holds(&mut self, index: u32) -> bool {
        let holds = self.next == index + 1;
        if holds {
            self.step();
        }
        holds
    }

    fn next_line(&mut self, segments: u32, flaws: &mut Flaws) {
        if self.bytes.is_empty() {
            return;
        }
        while self.next != 0 {
            if self.next > segments {
                flaws.add(Flaw::NoRange, 1);
            }
            self.step();
        }
        // What ends a line without a `;` ends the text.
        self.at += 1;
        if self.at > self.bytes.len() {
            self.bytes = &[];
        } else {
            self.step();
        }
    }

    fn finish(&mut self, segments: u32, flaws: &mut Flaws) {
        self.next_line(segments, flaws);
        while !self.bytes.is_empty() {
            self.next_line(0, flaws);
        }
        if self.broken {
            flaws.add(Flaw::NoRange, 1);
        }
    }
}
