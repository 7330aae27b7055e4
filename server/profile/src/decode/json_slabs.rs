//! JsonSlabs, in which profiler.firefox.com saves profiles (`.jslb`): a JSON text whose long lists of numbers are stored next to it.
//!
//! <https://github.com/mstange/json-slabs>. A head of 20 bytes, a table of slabs (kind, offset and length in bytes, each
//! 32 bits, little-endian) and the slabs. One of them is the text, in which `{"$s": 3}` stands for the content of slab 3:
//! an array of numbers, or another text. Reading it as [`SlabText`] writes it out as JSON again, for any JSON reader.

use std::io::{self, Read, Write};

use memchr::{memchr2, memmem};

use super::error::{DecodeError, Result, UnsupportedFormat};
use super::versions::FIREFOX_SLABS;

/// The first bytes of a file. Two bytes follow that belong to the version.
const MAGIC: [u8; 6] = *b"\xdc\xdfJSLB";
const HEAD: usize = 20;
/// The length of an entry of the table.
const ENTRY: usize = 12;
/// The kind of a slab that is text.
const JSON: u32 = 10;
/// What stands for a slab, without white space.
const PLACEHOLDER: &[u8] = b"$s";
/// The nesting limit of texts; the profiler writes two levels.
const MAX_DEPTH: usize = 16;
/// A number takes at most four times its bytes as text; a file that names slabs again and again is a bomb.
const MAX_GROWTH: u64 = 16;
/// Small files may grow more.
const MAX_SMALL: u64 = 1 << 20;
/// How much is written out at once.
const BLOCK: usize = 64 << 10;

/// Whether a file begins like JsonSlabs.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// A file as one JSON text.
pub(super) struct SlabText {
    bytes: Vec<u8>,
    slabs: Vec<Slab>,
    /// What is being written, innermost last.
    open: Vec<Slab>,
    ready: Vec<u8>,
    /// How much of `ready` was read.
    taken: usize,
    written: u64,
}

/// The remaining bytes of a slab, and its kind.
#[derive(Clone, Copy)]
struct Slab {
    kind: u32,
    at: usize,
    end: usize,
    /// For numbers: whether some have been written.
    is_open: bool,
}

impl SlabText {
    /// Reads a whole file.
    ///
    /// # Errors
    /// If its version is another one, or its table is damaged.
    pub(super) fn read(source: &mut dyn Read) -> Result<Self> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (Some(version), Some(count), Some(root)) = (number(8), number(12), number(16)) else {
            return Err(DecodeError::DamagedSlabs);
        };
        if u64::from(version) != u64::from(FIREFOX_SLABS.version.newest_number()) || bytes[6..8] != [1, 0] {
            return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::JsonSlabs));
        }
        let slab = |index: usize| {
            let entry = HEAD.checked_add(index.checked_mul(ENTRY)?)?;
            let (kind, at, length) =
                (number(entry)?, number(entry + 4)? as usize, number(entry + 8)? as usize);
            let end = at.checked_add(length).filter(|end| *end <= bytes.len())?;
            (kind <= JSON && length % size_of(kind) == 0).then_some(Slab { kind, at, end, is_open: false })
        };
        let slabs: Option<Vec<Slab>> = (0..count as usize).map(slab).collect();
        let slabs = slabs.ok_or(DecodeError::DamagedSlabs)?;
        let root = slabs.get(root as usize).copied().filter(|slab| slab.kind == JSON);
        let open = vec![root.ok_or(DecodeError::DamagedSlabs)?];
        Ok(Self { bytes, slabs, open, ready: Vec::new(), taken: 0, written: 0 })
    }

    /// Writes out the next part. Returns whether anything is left.
    fn write_on(&mut self) -> Result<bool> {
        let Some(slab) = self.open.last_mut() else { return Ok(false) };
        if slab.kind != JSON {
            let end = slab.end.min(slab.at + BLOCK);
            self.ready.push(if slab.is_open { b',' } else { b'[' });
            slab.is_open = true;
            write_numbers(slab.kind, &self.bytes[slab.at..end], &mut self.ready);
            slab.at = end;
            if slab.at == slab.end {
                self.ready.push(b']');
                self.open.pop();
            }
        } else if slab.at == slab.end {
            self.open.pop();
        } else {
            let (length, placeholder) = json_piece(&self.bytes[slab.at..slab.end]);
            self.ready.extend_from_slice(&self.bytes[slab.at..slab.at + length]);
            slab.at += length;
            if let Some((length, index)) = placeholder {
                slab.at += length;
                let named = self.slabs.get(index).copied().filter(|_| self.open.len() < MAX_DEPTH);
                self.open.push(named.ok_or(DecodeError::DamagedSlabs)?);
            }
        }
        self.written += self.ready.len() as u64;
        if self.written > MAX_SMALL.max(self.bytes.len() as u64 * MAX_GROWTH) {
            return Err(DecodeError::TooLarge);
        }
        Ok(true)
    }
}

impl Read for SlabText {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            if !self.write_on()? {
                return Ok(0);
            }
        }
        let count = into.len().min(self.ready.len() - self.taken);
        into[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

/// The length of the text up to the next placeholder, and the length and slab number of the placeholder.
fn json_piece(text: &[u8]) -> (usize, Option<(usize, usize)>) {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'{', rest)) {
        at += found;
        if text[at] == b'"' {
            at += string_length(&text[at..]);
        } else if let Some(placeholder) = placeholder(&text[at..]) {
            return (at, Some(placeholder));
        } else {
            at += 1;
        }
    }
    (text.len(), None)
}

/// The length of a string with its quotation marks; without an end, everything that is left.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        at += 1; // the escaped character
    }
    text.len()
}

/// The length and the number of `{"$s": 3}`, if an object is that.
fn placeholder(object: &[u8]) -> Option<(usize, usize)> {
    let is_near = memmem::find(object.get(..64).unwrap_or(object), PLACEHOLDER).is_some();
    let rest = object.strip_prefix(b"{").filter(|_| is_near)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"$s\"")?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let index = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let rest = rest[digits..].trim_ascii_start().strip_prefix(b"}")?;
    Some((object.len() - rest.len(), index))
}

/// The size in bytes of a number of a kind.
fn size_of(kind: u32) -> usize {
    match kind {
        2 | 3 => 2,
        4..=6 => 4,
        7..=9 => 8,
        _ => 1,
    }
}

/// Writes numbers as comma-separated text.
fn write_numbers(kind: u32, bytes: &[u8], to: &mut Vec<u8>) {
    /// Writes each number from its bytes; writing to memory cannot fail.
    fn each<const N: usize>(
        bytes: &[u8],
        to: &mut Vec<u8>,
        write: impl Fn([u8; N], &mut Vec<u8>) -> io::Result<()>,
    ) {
        for (index, number) in bytes.as_chunks::<N>().0.iter().enumerate() {
            if index > 0 {
                to.push(b',');
            }
            write(*number, to).unwrap_or_default();
        }
    }
    match kind {
        0 => each(bytes, to, |it, to| write!(to, "{}", i8::from_le_bytes(it))),
        2 => each(bytes, to, |it, to| write!(to, "{}", i16::from_le_bytes(it))),
        3 => each(bytes, to, |it, to| write!(to, "{}", u16::from_le_bytes(it))),
        4 => each(bytes, to, |it, to| write!(to, "{}", i32::from_le_bytes(it))),
        5 => each(bytes, to, |it, to| write!(to, "{}", u32::from_le_bytes(it))),
        6 => each(bytes, to, |it, to| write_float(f64::from(f32::from_le_bytes(it)), to)),
        7 => each(bytes, to, |it, to| write_float(f64::from_le_bytes(it), to)),
        8 => each(bytes, to, |it, to| write!(to, "{}", i64::from_le_bytes(it))),
        9 => each(bytes, to, |it, to| write!(to, "{}", u64::from_le_bytes(it))),
        _ => each(bytes, to, |it, to| write!(to, "{}", u8::from_le_bytes(it))),
    }
}

fn write_float(number: f64, to: &mut Vec<u8>) -> io::Result<()> {
    let is_short = number == 0.0 || (1e-6..1e16).contains(&number.abs());
    match (number.is_finite(), is_short) {
        (false, _) => write!(to, "null"),
        (true, true) => write!(to, "{number}"),
        (true, false) => write!(to, "{number:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these slabs, the first of which is the text.
    fn file(slabs: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[1, 0]].concat();
        let count = slabs.len() as u32;
        for number in [1, count, 0] {
            bytes.extend(u32::to_le_bytes(number));
        }
        let mut at = (HEAD + slabs.len() * ENTRY) as u32;
        for (kind, slab) in slabs {
            for number in [*kind, at, slab.len() as u32] {
                bytes.extend(u32::to_le_bytes(number));
            }
            at += slab.len() as u32;
        }
        slabs.iter().for_each(|(_, slab)| bytes.extend_from_slice(slab));
        bytes
    }

    fn text(slabs: &[(u32, &[u8])]) -> String {
        let read = SlabText::read(&mut &*file(slabs)).map_err(io::Error::from);
        let text = read.and_then(|mut text| {
            let mut into = String::new();
            text.read_to_string(&mut into)?;
            Ok(into)
        });
        text.unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn slabs_are_written_out() {
        let bytes = |numbers: &[f64]| numbers.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
        let rows: [(&str, u32, &[u8]); 9] = [
            ("[-1,127]", 0, &[255, 127]),
            ("[255,0]", 1, &[255, 0]),
            ("[-2]", 2, &[254, 255]),
            ("[-1,1]", 4, &[255, 255, 255, 255, 1, 0, 0, 0]),
            ("[0.5]", 6, &[0, 0, 0, 63]),
            ("[0.1,-0,1e300,null,3]", 7, &bytes(&[0.1, -0.0, 1e300, f64::NAN, 3.0])),
            ("[18446744073709551615]", 9, &[255; 8]),
            ("[]", 5, &[]),
            (r#"{"b":"{\"$s\":1}"}"#, JSON, br#"{"b":"{\"$s\":1}"}"#),
        ];
        for (expected, kind, bytes) in rows {
            let said = text(&[(JSON, br#"{"a":{ "$s" : 1 } ,"x":{"$s":1,"y":2}}"#), (kind, bytes)]);
            assert_eq!(said, format!(r#"{{"a":{expected} ,"x":{{"$s":1,"y":2}}}}"#));
        }
        let long = [0; 3 * BLOCK];
        assert_eq!(
            text(&[(JSON, br#"{"$s":1}"#), (1, &long)]),
            format!("[{}]", vec!["0"; 3 * BLOCK].join(","))
        );
    }

    #[test]
    fn what_is_damaged_or_a_bomb_is_refused() {
        let damaged = DecodeError::DamagedSlabs.to_string();
        assert_eq!(text(&[(JSON, br#"{"$s":1}"#)]), damaged, "no such slab");
        assert_eq!(text(&[(JSON, br#"[{"$s":0}]"#)]), damaged, "a text in itself");
        assert_eq!(text(&[(JSON, b"{}"), (4, &[1])]), damaged, "a part of a number");
        assert_eq!(text(&[(4, &[])]), damaged, "no text");
        let again = [br#"{"$s":1},"#.repeat(10_000), b"0".to_vec()].concat();
        assert_eq!(text(&[(JSON, &again), (1, &[7; 10_000])]), DecodeError::TooLarge.to_string());
        let mut cut = file(&[(JSON, b"{}")]);
        cut.pop();
        assert!(SlabText::read(&mut &*cut).is_err());
    }
}
