//! Objects of which most are not wanted: found whole within the window and skipped without being read.

use memchr::memmem::Finder;

use super::{Json, Result};

/// Texts of which at least one stands in every object that is wanted.
pub(crate) struct Marks {
    marks: Vec<Mark>,
}

struct Mark {
    finder: Finder<'static>,
    /// The first place at which it stands, of those not passed yet.
    next: Option<u64>,
    /// It stands nowhere else before this offset.
    searched: u64,
}

impl Marks {
    pub(crate) fn new(marks: &[&'static str]) -> Self {
        let mark = |text: &&'static str| Mark { finder: Finder::new(*text), next: None, searched: 0 };
        Self { marks: marks.iter().map(mark).collect() }
    }
}

impl Mark {
    /// Whether it stands within `length` bytes from `start` on. Each byte of a window is searched only once.
    fn is_within(&mut self, start: usize, length: usize, window: &[u8], base: u64) -> bool {
        let (from, to) = (base + start as u64, base + (start + length) as u64);
        if self.next.is_none_or(|next| next < from) && self.searched < to {
            // A mark may have been cut off by the end of the window that was searched last.
            let overlap = self.finder.needle().len() as u64;
            let search = start.max(self.searched.saturating_sub(base + overlap) as usize);
            self.next = self.finder.find(&window[search..]).map(|found| base + (search + found) as u64);
            self.searched = self.next.map_or(base + window.len() as u64, |next| next + 1);
        }
        self.next.is_some_and(|next| from <= next && next < to)
    }
}

impl Json<'_> {
    /// Skips the object that comes next, if it fits into the window and none of the marks stands in it. `false` leaves
    /// it to be read: it may still be one that nobody wants.
    #[inline]
    pub(crate) fn skip_unmarked(&mut self, marks: &mut Marks) -> Result<bool> {
        let Some(length) = self.whole_object()? else { return Ok(false) };
        let window = &self.window[..self.end];
        if marks.marks.iter_mut().any(|mark| mark.is_within(self.at, length, window, self.base)) {
            return Ok(false);
        }
        self.at += length;
        Ok(true)
    }

    /// The text of the object that comes next, if it fits into the window.
    pub(crate) fn peek_object(&mut self) -> Result<Option<&[u8]>> {
        let length = self.whole_object()?;
        Ok(length.map(|length| &self.window[self.at..self.at + length]))
    }

    /// Takes the object that comes next whole into the window, which does not grow for it.
    fn whole_object(&mut self) -> Result<Option<usize>> {
        loop {
            let length = object_length(&self.window[self.at..self.end]);
            let is_full = self.at == 0 && self.end == self.window.len();
            if length.is_some() || is_full || !self.read_more(self.at)? {
                return Ok(length);
            }
        }
    }
}

/// The length of the object with which a text begins, if it ends there. Looks at 64 bytes at once, a bit for each, and
/// only at quotes, backslashes and braces.
fn object_length(text: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escape) = (0u32, 0u64, false);
    let (blocks, rest) = text.as_chunks::<64>();
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    for (number, block) in blocks.iter().chain([&last]).enumerate() {
        let mut quotes = bits(block, b'"');
        if escape || block.iter().fold(false, |found, byte| found | (*byte == b'\\')) {
            quotes &= !escaped(bits(block, b'\\'), &mut escape);
        }
        let strings = parity(quotes) ^ in_string;
        in_string = 0u64.wrapping_sub(strings >> 63);
        let (open, close) = (bits(block, b'{') & !strings, bits(block, b'}') & !strings);
        if close.count_ones() < depth {
            depth = depth + open.count_ones() - close.count_ones();
            continue;
        }
        let mut braces = open | close;
        while braces != 0 {
            let at = braces.trailing_zeros();
            braces &= braces - 1;
            if open >> at & 1 == 1 {
                depth += 1;
            } else {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(number * 64 + at as usize + 1);
                }
            }
        }
    }
    None
}

/// Which bytes of a block are this one. The comparison becomes vector instructions; then the bits of eight bytes at a
/// time, each in its own place already, are added up.
#[inline]
fn bits(block: &[u8; 64], byte: u8) -> u64 {
    let mut weights = [0; 64];
    for (index, (weight, other)) in weights.iter_mut().zip(block).enumerate() {
        *weight = if *other == byte { 1 << (index % 8) } else { 0 };
    }
    let (words, _) = weights.as_chunks::<8>();
    words.iter().enumerate().fold(0, |bits, (number, word)| {
        let sum = u64::from_le_bytes(*word).wrapping_mul(0x0101_0101_0101_0101) >> 56;
        bits | sum << (8 * number)
    })
}

/// Which bytes stand behind a backslash that is not itself escaped; `carry` is whether the first of a block does.
fn escaped(mut backslashes: u64, carry: &mut bool) -> u64 {
    let mut escaped = u64::from(*carry);
    backslashes &= !escaped;
    *carry = false;
    while backslashes != 0 {
        let backslash = backslashes & backslashes.wrapping_neg();
        let next = backslash << 1;
        *carry = next == 0;
        escaped |= next;
        backslashes &= !(backslash | next);
    }
    escaped
}

/// Each bit is whether the number of bits from the first up to it is odd.
#[inline]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_ends_where_its_braces_close() {
        let objects = [
            "{}",
            r#"{"a":{"b":[{}]}}"#,
            r#"{"}":"}{\"}"}"#,
            r#"{"ends with a backslash":"\\"}"#,
            r#"{"seven":"\\\\\\\"}"}"#,
            "{\"ä💩}\": {}}",
        ];
        for object in objects {
            // At every place within a block, as what is around it must not count.
            for before in 0..130 {
                let padded = format!("{{{}{object}}}", " ".repeat(before));
                let text = format!("{padded}, {{\"}}");
                assert_eq!(object_length(text.as_bytes()), Some(padded.len()), "{text}");
                for cut in 0..padded.len() {
                    assert_eq!(object_length(&text.as_bytes()[..cut]), None, "{text} cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn marks_are_found_wherever_the_window_ends() {
        let mut text = String::from("[");
        for number in 0..200 {
            let wanted = if number % 7 == 3 { "wanted" } else { "want" };
            text += &format!("{{\"number\":{number},\"name\":\"{wanted}\"}},");
        }
        for window in 64..110 {
            let mut source = text.as_bytes();
            let mut json = Json::with_window(&mut source, window);
            let (mut marks, mut found) = (Marks::new(&["wanted", "other"]), Vec::new());
            json.enter_array().expect("an array");
            for number in 0..200 {
                assert!(json.next_item().expect("an item"));
                if !json.skip_unmarked(&mut marks).expect("an object") {
                    found.push(number);
                    json.skip().expect("an object");
                }
            }
            assert_eq!(found, (3..200).step_by(7).collect::<Vec<_>>(), "with {window} bytes");
        }
    }

    #[test]
    fn what_does_not_fit_is_left_to_others() {
        let text = format!("{{\"long\":\"{}\"}}", "x".repeat(100));
        let mut source = text.as_bytes();
        let mut json = Json::with_window(&mut source, 64);
        assert!(!json.skip_unmarked(&mut Marks::new(&["wanted"])).expect("nothing wrong"));
        assert_eq!(json.offset(), 0);
        json.skip().expect("an object");
        assert!(json.at_end().expect("the end"));
    }
}
