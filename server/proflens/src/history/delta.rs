//! Deltas between two objects: which parts are copied from the base, and which are new.

use std::io;

use super::object::invalid;

/// The size of a delta's result, which stands at its beginning.
///
/// # Errors
/// If there is no size.
pub(super) fn size_made(delta: &[u8]) -> io::Result<u64> {
    let mut bytes = delta.iter();
    let mut next = || bytes.next().copied().ok_or(io::Error::from(io::ErrorKind::UnexpectedEof));
    number(&mut next)?;
    number(&mut next)
}

/// Applies a delta; `None` if it is invalid, belongs to another base, or gives more than `most` bytes.
pub(super) fn apply(base: &[u8], delta: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut rest = delta.iter();
    let mut next = || rest.next().copied().ok_or(io::Error::from(io::ErrorKind::UnexpectedEof));
    let is_of_base = number(&mut next).ok()? == base.len() as u64;
    let size = number(&mut next).ok().filter(|it| is_of_base && *it <= most)?;
    let size = usize::try_from(size).ok()?;
    let mut made = Vec::with_capacity(size);
    while let Some(&code) = rest.next() {
        let part = match code {
            0 => return None,
            1..0x80 => {
                let (new, after) = rest.as_slice().split_at_checked(usize::from(code))?;
                rest = after.iter();
                new
            }
            _ => {
                // One bit for each byte that follows: four of the offset, three of the length; the others are 0.
                let (mut at, mut length) = (0, 0);
                for bit in 0..7 {
                    let byte = if code & 1 << bit == 0 { 0 } else { usize::from(*rest.next()?) };
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

/// The lower seven bits of a byte, shifted to their place in a number.
///
/// # Errors
/// If the number is larger than any size.
pub(super) fn shifted(byte: u8, shift: u32) -> io::Result<u64> {
    let bits = u64::from(byte & 0x7f);
    let moved = bits.checked_shl(shift).filter(|it| it >> shift == bits);
    moved.ok_or_else(|| invalid("a size is too large"))
}

fn number(next: &mut impl FnMut() -> io::Result<u8>) -> io::Result<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = next()?;
        number |= shifted(byte, shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
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
            let expected = made.map(|it| it.as_bytes().to_vec());
            assert_eq!(apply(base, delta, 100), expected, "{delta:?}");
        }
        assert_eq!(size_made(&[10, 0x81, 1, 0]).unwrap(), 129);
        assert!(size_made(&[0xff; 20]).is_err());
    }
}
