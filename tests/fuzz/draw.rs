//! Takes an input apart: choices from its first bytes, and the rest as text.

/// The rest of an input.
pub(crate) struct Draw<'b>(pub(crate) &'b [u8]);

impl<'b> Draw<'b> {
    /// The next byte; 0 after the end.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number of two bytes, scaled to `0..=limit`.
    pub(crate) fn up_to(&mut self, limit: usize) -> usize {
        let number = usize::from(self.byte()) << 8 | usize::from(self.byte());
        number * limit / 0xffff
    }

    /// One of several, of which there are at most 256.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }

    /// What comes before the next byte with this value, which is taken too.
    pub(crate) fn before(&mut self, end: u8) -> &'b [u8] {
        let mut parts = self.0.splitn(2, |it| *it == end);
        let part = parts.next().unwrap_or_default();
        self.0 = parts.next().unwrap_or_default();
        part
    }
}

/// A hash of an input (FNV-1a).
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, it| (hash ^ u64::from(*it)).wrapping_mul(0x100_0000_01b3))
}
