//! Finds where objects and arrays end: 64 bytes at once as bits, considering only quotes, backslashes and brackets.

use super::bits::bits;

/// How deep a text is in brackets and strings: all that must be known to continue with the text after it.
#[derive(Default)]
pub(super) struct Nesting {
    depth: u64,
    /// All bits or none.
    in_string: u64,
    /// Whether the next byte is escaped by a backslash.
    escape: bool,
}

impl Nesting {
    pub(super) fn depth(&self) -> u64 {
        self.depth
    }

    /// Continues with a text, which begins with a bracket if nothing came before. Returns its length up to the matching
    /// closing bracket, if the text has it.
    pub(super) fn end_in(&mut self, text: &[u8]) -> Option<usize> {
        let (blocks, rest) = text.as_chunks();
        for (number, block) in blocks.iter().enumerate() {
            if let Some(end) = self.end_in_block(block, 64) {
                return Some(number * 64 + end);
            }
        }
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        self.end_in_block(&last, rest.len()).map(|end| blocks.len() * 64 + end)
    }

    /// [`Nesting::end_in`] for one block, in which nothing matters from `length` on.
    #[inline]
    fn end_in_block(&mut self, block: &[u8; 64], length: usize) -> Option<usize> {
        let mut quotes = bits(block, 0, b'"');
        let backslashes = bits(block, 0, b'\\');
        if self.escape || backslashes != 0 {
            let mut carry = self.escape;
            let escaped = escaped(backslashes, &mut carry);
            self.escape = escaped.checked_shr(length as u32).map_or(carry, |rest| rest & 1 == 1);
            quotes &= !escaped;
        }
        let strings = parity(quotes) ^ self.in_string;
        self.in_string = 0u64.wrapping_sub(strings >> 63);
        // One bit distinguishes braces from square brackets.
        let (open, close) = (bits(block, 0x20, b'{'), bits(block, 0x20, b'}'));
        let (open, close) = (open & !strings, close & !strings);
        if u64::from(close.count_ones()) < self.depth {
            self.depth = self.depth + u64::from(open.count_ones()) - u64::from(close.count_ones());
            return None;
        }
        let mut brackets = open | close;
        while brackets != 0 {
            let at = brackets.trailing_zeros();
            brackets &= brackets - 1;
            if open >> at & 1 == 1 {
                self.depth += 1;
            } else {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(at as usize + 1);
                }
            }
        }
        None
    }
}

/// Which bytes follow a backslash that is not itself escaped; `carry` tells whether the first byte of a block does.
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

/// Each bit tells whether the number of bits from the first one up to it is odd.
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
    fn a_value_ends_where_its_brackets_close() {
        let values = [
            "{}",
            "[[],[1,[2]]]",
            r#"{"a":{"b":[{}]}}"#,
            r#"{"}":"}{\"}]"}"#,
            r#"["ends with a backslash","\\"]"#,
            r#"{"seven":"\\\\\\\"}"}"#,
            "{\"ä💩}\": {}}",
        ];
        for value in values {
            // At every offset within a block, since the surroundings must not matter.
            for before in 0..130 {
                let padded = format!("{{{}{value}}}", " ".repeat(before));
                let text = format!("{padded}, {{\"}}");
                assert_eq!(Nesting::default().end_in(text.as_bytes()), Some(padded.len()), "{text}");
                for cut in 0..padded.len() {
                    let mut nesting = Nesting::default();
                    let (start, rest) = text.as_bytes().split_at(cut);
                    assert_eq!(nesting.end_in(start), None, "{text} cut at {cut}");
                    assert_eq!(nesting.end_in(rest), Some(padded.len() - cut), "{text} cut at {cut}");
                }
            }
        }
    }
}
