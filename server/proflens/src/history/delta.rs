//! Deltas between two objects: which parts are copied from the base, and which are new.

use std::io;

use super::numbers;

/// The size of a delta's result, which is at its beginning, after the size of its base.
///
/// # Errors
/// If there is no size.
pub(super) fn size_made(mut delta: &[u8]) -> io::Result<u64> {
    numbers::size(&mut delta)?;
    numbers::size(&mut delta)
}

/// Applies a delta; `None` if it is invalid, belongs to another base, or gives more than `most` bytes.
pub(super) fn apply(base: &[u8], delta: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut rest = delta;
    let is_of_base = numbers::size(&mut rest).ok()? == base.len() as u64;
    let size = numbers::size(&mut rest).ok().filter(|size| is_of_base && *size <= most)?;
    let size = usize::try_from(size).ok()?;
    let mut made = Vec::with_capacity(size);
    while let Some(&code) = rest.split_off_first() {
        let part = match code {
            0 => return None,
            1..0x80 => rest.split_off(..usize::from(code))?,
            _ => {
                // One bit for each byte that follows, four for the offset and three for the length; missing bytes are
                // 0.
                let (mut at, mut length) = (0, 0);
                for bit in 0..7 {
                    let byte = if code & 1 << bit == 0 { 0 } else { usize::from(*rest.split_off_first()?) };
                    *(if bit < 4 { &mut at } else { &mut length }) |= byte << (8 * (bit % 4));
                }
                let length = if length == 0 { 0x10000 } else { length };
                base.get(at..)?.get(..length)?
            }
        };
        if part.len() > size - made.len() {
            return None;
        }
        made.extend_from_slice(part);
    }
    (made.len() == size).then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deltas_give() {
        let base = b"0123456789";
        let rows: [(&[u8], Option<&str>); 9] = [
            (&[10, 4, 0x91, 2, 3, 1, b'x'], Some("234x")),
            (&[10, 3, 0x90, 3], Some("012")),
            (&[10, 0], Some("")),
            (&[9, 3, 0x90, 3], None),                          // of another base
            (&[10, 3, 0x90, 4], None),                         // more than it says
            (&[10, 4, 0x90, 3], None),                         // less than it says
            (&[10, 3, 0x91, 8, 3], None),                      // past the end
            (&[10, 1, 0], None),                               // no instruction
            (&[10, 0x81, 0x80, 0x80, 0x80, 1, 0x90, 1], None), // 256 MB
        ];
        for (delta, made) in rows {
            let expected = made.map(|text| text.as_bytes().to_vec());
            assert_eq!(apply(base, delta, 100), expected, "{delta:?}");
        }
        assert_eq!(size_made(&[10, 0x81, 1, 0]).unwrap(), 129);
        assert!(size_made(&[0xff; 20]).is_err());
    }
}
