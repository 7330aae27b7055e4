//! Converts byte offsets to lines and columns and back, in the units of engines and editors.

use text_size::{TextRange, TextSize};

/// The unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One byte of UTF-8.
    Utf8,
    /// One unit of UTF-16, as engines count and LSP does by default.
    Utf16,
    /// One Unicode scalar value.
    Utf32,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// LF, CRLF and CR: editors and LSP.
    Editor,
    /// LF, CRLF, CR, U+2028 and U+2029: JavaScript engines (ECMA-262, LineTerminator).
    Engine,
}

/// A place in a text: 0-based line, 0-based column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// 0-based.
    pub line: u32,
    /// 0-based, in some [`Encoding`].
    pub column: u32,
}

/// Where the lines of a text start, and where it is not ASCII. Every query takes logarithmic time, even in files of one
/// long line. The text itself is passed with each query; a changed text needs a new index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    ends: LineEnds,
    starts: Vec<TextSize>,
    wide: Vec<Wide>,
}

/// A run of characters that all take the same number of bytes, more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
    start: u32,
    end: u32,
    /// Bytes of one character: 2, 3 or 4.
    width: u32,
    /// How many bytes more than UTF-16 units the text has before the run.
    excess16: u32,
    /// How many bytes more than characters the text has before the run.
    excess32: u32,
}

impl LineIndex {
    /// The lines of a text.
    pub fn new(text: &str, ends: LineEnds) -> Self {
        let mut index = Self { ends, starts: vec![TextSize::new(0)], wide: Vec::new() };
        index.scan(text, 0, text.len());
        index
    }

    /// The same text with its lines counted from another one: what was line `by` becomes line 0, or what was line 0
    /// becomes line `-by`. Anything before line 0 is at its start, and lines without a text are empty.
    pub fn counted_from(&self, by: i32) -> Self {
        let before = by.unsigned_abs() as usize;
        let starts = match by > 0 {
            true => self.starts[before.min(self.starts.len() - 1)..].to_vec(),
            false => std::iter::repeat_n(self.starts[0], before).chain(self.starts.iter().copied()).collect(),
        };
        Self { starts, ..self.clone() }
    }

    /// The lines of the text after a range was replaced by `with`; only the lines around it are looked at.
    pub fn edited(&self, text: &str, range: TextRange, with: &str) -> Self {
        // From the line before, because an edit can join that line's last character and its own first one into one line
        // end.
        // Runs of wide characters are not cut in two.
        let line = self.starts.partition_point(|&start| start <= range.start()).saturating_sub(2);
        let mut lines = (0..=line).rev();
        let first = lines.find(|&line| is_behind_ascii(text, self.starts[line].into())).unwrap_or(0);
        let from = self.starts[first];
        let behind = self.starts.partition_point(|&start| start <= range.end());
        let later = self.starts[behind..].iter().map(|&start| moved(start, range, with));
        let next = behind + later.take_while(|&start| !is_behind_ascii(text, start)).count();
        let until = self.starts.get(next).map_or(text.len(), |&start| moved(start, range, with));

        let wide = self.wide.partition_point(|run| run.end <= from.into());
        let mut index = Self {
            ends: self.ends,
            starts: self.starts[..=first].to_vec(),
            wide: self.wide[..wide].to_vec(),
        };
        index.scan(text, from.into(), until);
        if let Some(rest) = self.starts.get(next + 1..) {
            index.starts.extend(rest.iter().map(|&start| TextSize::new(moved(start, range, with) as u32)));
            let from = u32::from(self.starts[next]);
            for run in &self.wide[self.wide.partition_point(|run| run.start < from)..] {
                let (before16, before32) = index.wide.last().map_or((0, 0), Wide::excess_after);
                let start = moved(run.start.into(), range, with) as u32;
                let end = start + (run.end - run.start);
                index.wide.push(Wide { start, end, excess16: before16, excess32: before32, ..*run });
            }
        }
        index
    }

    /// Adds the lines that end in a part of the text.
    fn scan(&mut self, text: &str, from: usize, until: usize) {
        let bytes = text.as_bytes();
        let mut at = from;
        while at < until {
            let byte = bytes[at];
            // Everything up to `\r` is rare in code, and so is everything above `~` in most texts.
            if byte > b'\r' && byte < 0x80 {
                at += 1;
                continue;
            }
            let (length, is_end) = match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => (2, true),
                b'\r' | b'\n' => (1, true),
                0..0x80 => (1, false),
                _ => {
                    let width = width_of(byte);
                    self.widen(at as u32, width);
                    let separator = matches!(bytes.get(at..at + 3), Some([0xE2, 0x80, 0xA8 | 0xA9]));
                    (width as usize, separator && self.ends == LineEnds::Engine)
                }
            };
            at += length;
            if is_end {
                self.starts.push(TextSize::new(at as u32));
            }
        }
    }

    /// Number of lines, at least 1.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The offset of a place. A column past the end of its line gives the end of the line (LSP 3.17, "Position"), one
    /// inside a character gives the start of that character, and a line after the last gives `None`.
    pub fn offset(&self, text: &str, place: LineCol, encoding: Encoding) -> Option<TextSize> {
        let line = place.line as usize;
        let start = u32::from(*self.starts.get(line)?);
        let end = self.starts.get(line + 1).map_or(text.len(), |&next| {
            let next = usize::from(next);
            match text.as_bytes()[..next] {
                [] => 0,
                [.., b'\r', b'\n'] => next - 2,
                [.., b'\r' | b'\n'] => next - 1,
                _ => next - '\u{2028}'.len_utf8(),
            }
        }) as u32;
        let units = u64::from(self.units(start, encoding)) + u64::from(place.column);
        Some(TextSize::new(self.byte(units, encoding).min(u64::from(end)) as u32))
    }

    /// The offset of this many units from the start of the text. If it is inside a character, it is the start of that
    /// character; past the text, it is `None`.
    pub fn offset_of_units(&self, text: &str, units: u32, encoding: Encoding) -> Option<TextSize> {
        let byte = self.byte(units.into(), encoding);
        (byte <= text.len() as u64).then(|| TextSize::new(byte as u32))
    }

    /// The byte offset of this many units, as if the text continued in ASCII.
    fn byte(&self, units: u64, encoding: Encoding) -> u64 {
        // The last run that starts at or before that many units.
        let next = self.wide.partition_point(|run| u64::from(run.start - run.excess(encoding)) <= units);
        let Some(run) = next.checked_sub(1).map(|run| self.wide[run]) else { return units };
        let inside = units - u64::from(run.start - run.excess(encoding));
        let chars = inside / u64::from(run.units(encoding));
        let all = u64::from((run.end - run.start) / run.width);
        if chars < all {
            u64::from(run.start) + chars * u64::from(run.width)
        } else {
            u64::from(run.end) + inside - all * u64::from(run.units(encoding))
        }
    }

    /// The place of an offset in the text; inside a character it is that of the character's start, past the text it is the end.
    pub fn line_col(&self, text: &str, offset: TextSize, encoding: Encoding) -> LineCol {
        let place = offset.min(TextSize::of(text)).max(self.starts[0]);
        let line = self.starts.partition_point(|&start| start <= place) - 1;
        let (start, end) = (u32::from(self.starts[line]), u32::from(place));
        LineCol { line: line as u32, column: self.units(end, encoding) - self.units(start, encoding) }
    }

    /// How many units of an encoding the text has before an offset.
    fn units(&self, offset: u32, encoding: Encoding) -> u32 {
        offset - self.excess(offset, encoding)
    }

    /// How many bytes more than units of an encoding the text has before an offset.
    fn excess(&self, offset: u32, encoding: Encoding) -> u32 {
        let next = self.wide.partition_point(|run| run.start < offset);
        let Some(run) = next.checked_sub(1).map(|run| self.wide[run]) else { return 0 };
        let inside = offset.min(run.end) - run.start;
        let chars = inside / run.width;
        // The bytes of a character that the offset cuts do not count.
        let cut = inside % run.width;
        let of_cut = if encoding == Encoding::Utf8 { 0 } else { cut };
        run.excess(encoding) + chars * (run.width - run.units(encoding)) + of_cut
    }

    fn widen(&mut self, at: u32, width: u32) {
        match self.wide.last_mut() {
            Some(last) if last.end == at && last.width == width => last.end += width,
            last => {
                let before = last.map_or((0, 0), |last| last.excess_after());
                let run = Wide { start: at, end: at + width, width, excess16: before.0, excess32: before.1 };
                self.wide.push(run);
            }
        }
    }
}

fn is_behind_ascii(text: &str, start: usize) -> bool {
    start == 0 || text.as_bytes()[start - 1].is_ascii()
}

/// Where an offset after a range is, once that range is replaced.
fn moved(offset: TextSize, range: TextRange, with: &str) -> usize {
    usize::from(offset) - usize::from(range.len()) + with.len()
}

impl Wide {
    /// How many bytes more than UTF-16 units, and than characters, the text has up to its end.
    fn excess_after(&self) -> (u32, u32) {
        let chars = (self.end - self.start) / self.width;
        (
            self.excess16 + chars * (self.width - self.units(Encoding::Utf16)),
            self.excess32 + chars * (self.width - 1),
        )
    }

    fn units(&self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => self.width,
            Encoding::Utf16 if self.width == 4 => 2,
            Encoding::Utf16 | Encoding::Utf32 => 1,
        }
    }

    fn excess(&self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => 0,
            Encoding::Utf16 => self.excess16,
            Encoding::Utf32 => self.excess32,
        }
    }
}

/// The text of a file's bytes: UTF-8 or, by its byte order mark, UTF-16. The mark is removed; invalid bytes become U+FFFD.
pub fn text_of(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => from_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => from_utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks(2).map(|pair| pair.try_into().map_or(0xFFFD, unit));
    char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The bytes of the character that starts with a byte.
fn width_of(first: u8) -> u32 {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
    const TEXT: &str = "ab\ncé\u{2028}d\r\n😀😀é漢字x\r\r\nend é";

    /// Lines and columns counted one character after the other.
    fn counted(text: &str, ends: LineEnds, encoding: Encoding) -> Vec<(usize, LineCol)> {
        let (mut places, mut line, mut column) = (Vec::new(), 0, 0);
        let mut chars = text.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            places.push((at, LineCol { line, column }));
            column += match encoding {
                Encoding::Utf8 => char.len_utf8() as u32,
                Encoding::Utf16 => char.len_utf16() as u32,
                Encoding::Utf32 => 1,
            };
            let ends_line = match char {
                '\r' => chars.peek().is_none_or(|next| next.1 != '\n'),
                '\n' => true,
                '\u{2028}' | '\u{2029}' => ends == LineEnds::Engine,
                _ => false,
            };
            if ends_line {
                (line, column) = (line + 1, 0);
            }
        }
        places.push((text.len(), LineCol { line, column }));
        places
    }

    #[test]
    fn lines_counted_from_another_one() {
        let text = "ab\ncd\nef";
        let lines = LineIndex::new(text, LineEnds::Engine);
        let line_of = |by: i32, at: &str| {
            let at = TextSize::new(text.find(at).expect(at) as u32);
            let LineCol { line, column } = lines.counted_from(by).line_col(text, at, Encoding::Utf16);
            (line, column)
        };
        let of = |by: i32| ["b", "d", "f"].map(|at| line_of(by, at));
        assert_eq!(of(0), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(of(1), [(0, 0), (0, 1), (1, 1)], "what is before is at the start");
        assert_eq!(of(-2), [(2, 1), (3, 1), (4, 1)]);
        assert_eq!(of(9), [(0, 0), (0, 0), (0, 1)], "the last line stays");
        let at = |by: i32, line| {
            let place = LineCol { line, column: 1 };
            lines.counted_from(by).offset(text, place, Encoding::Utf16).map(u32::from)
        };
        assert_eq!([at(1, 0), at(1, 1), at(1, 2)], [Some(4), Some(7), None]);
        assert_eq!([at(-1, 0), at(-1, 1), at(-1, 3)], [Some(0), Some(1), Some(7)]);
    }

    #[test]
    fn every_place_there_and_back() {
        for ends in [LineEnds::Editor, LineEnds::Engine] {
            let index = LineIndex::new(TEXT, ends);
            for encoding in ALL {
                for (at, place) in counted(TEXT, ends, encoding) {
                    let offset = TextSize::new(at as u32);
                    assert_eq!(index.line_col(TEXT, offset, encoding), place, "{ends:?} {encoding:?} {at}");
                    // There is no separate place between CR and LF.
                    if !TEXT[..at].ends_with('\r') || !TEXT[at..].starts_with('\n') {
                        assert_eq!(
                            index.offset(TEXT, place, encoding),
                            Some(offset),
                            "{ends:?} {encoding:?} {at}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn lines_end_where_editors_or_engines_say() {
        assert_eq!(LineIndex::new(TEXT, LineEnds::Editor).lines(), 5);
        assert_eq!(LineIndex::new(TEXT, LineEnds::Engine).lines(), 6);
        assert_eq!(LineIndex::new("", LineEnds::Engine).lines(), 1);
        assert_eq!(LineIndex::new("\n", LineEnds::Engine).lines(), 2);
    }

    #[test]
    fn an_edit_gives_the_lines_of_the_text_that_comes_of_it() {
        let pieces = ["a", "\r", "\n", "é", "😀", "\u{2028}", "bc\n", ""];
        let mut seed = 7_u64;
        let mut any = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for ends in [LineEnds::Editor, LineEnds::Engine] {
            let mut text = TEXT.to_owned();
            let mut index = LineIndex::new(&text, ends);
            for _ in 0..2_000 {
                let places: Vec<usize> = (0..=text.len()).filter(|&it| text.is_char_boundary(it)).collect();
                let (one, other) = (places[any(places.len())], places[any(places.len())]);
                let other = if text.len() > 40 { other } else { one };
                let with: String = (0..any(4)).map(|_| pieces[any(pieces.len())]).collect();
                let before = text.clone();
                let range = one.min(other)..one.max(other);
                text.replace_range(range.clone(), &with);
                let range = TextRange::new((range.start as u32).into(), (range.end as u32).into());
                index = index.edited(&text, range, &with);
                assert_eq!(index, LineIndex::new(&text, ends), "{before:?}, {range:?} is {with:?}");
            }
        }
    }

    #[test]
    fn places_outside_of_lines() {
        let index = LineIndex::new(TEXT, LineEnds::Editor);
        let offset = |line, column, encoding| index.offset(TEXT, LineCol { line, column }, encoding);
        assert_eq!(offset(0, 9, Encoding::Utf16), Some(2.into()));
        assert_eq!(offset(1, u32::MAX, Encoding::Utf32), Some(10.into()), "before CRLF, U+2028 is no end");
        assert_eq!(offset(4, 99, Encoding::Utf8), Some(TextSize::of(TEXT)));
        assert_eq!(offset(5, 0, Encoding::Utf16), None);
    }

    #[test]
    fn places_inside_of_characters() {
        let index = LineIndex::new("a😀b", LineEnds::Editor);
        let offset = |column, encoding| index.offset("a😀b", LineCol { line: 0, column }, encoding);
        assert_eq!(offset(2, Encoding::Utf16), Some(1.into()));
        assert_eq!(offset(3, Encoding::Utf8), Some(1.into()));
        let inside = index.line_col("a😀b", 3.into(), Encoding::Utf16);
        assert_eq!(inside, LineCol { line: 0, column: 1 });
    }

    #[test]
    fn bytes_of_any_encoding() {
        let le = [0xFF, 0xFE, b'h', 0, 0x3D, 0xD8, 0x00, 0xDE];
        let be = [0xFE, 0xFF, 0, b'h', 0xD8, 0x3D, 0xDE, 0x00];
        assert_eq!(text_of(&le), "h😀");
        assert_eq!(text_of(&be), "h😀");
        assert_eq!(text_of(&le[..7]), "h\u{FFFD}\u{FFFD}", "cut within a character");
        assert_eq!(text_of(b"\xEF\xBB\xBFh\xE9"), "h\u{FFFD}");
        assert_eq!(text_of("h😀".as_bytes()), "h😀");
    }
}
