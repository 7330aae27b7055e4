//! Lists of mostly small integers, stored with seven bits per byte, lowest first.

/// Numbers in order, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SmallNumbers(Vec<u8>);

/// Reads the numbers in order.
#[derive(Clone)]
pub(crate) struct SmallNumbersIter<'a>(std::slice::Iter<'a, u8>);

impl SmallNumbers {
    /// Adds a number at the end.
    #[inline]
    pub(crate) fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds zeros at the end.
    pub(crate) fn push_zeros(&mut self, many: usize) {
        self.0.resize(self.0.len() + many, 0);
    }

    pub(crate) fn iter(&self) -> SmallNumbersIter<'_> {
        SmallNumbersIter(self.0.iter())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Releases spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

impl Iterator for SmallNumbersIter<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.0.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}
