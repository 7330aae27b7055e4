//! Numbers of any length, as packs, deltas and indices write them: seven bits in each byte, and one that says whether
//! another byte follows.

use std::io::{self, Read};

use super::object::invalid;

/// The next byte.
///
/// # Errors
/// If there is none, or it cannot be read.
pub(super) fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// A size, lowest bits first.
///
/// # Errors
/// If it is larger than any size, or cut off.
pub(super) fn size(from: &mut impl Read) -> io::Result<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = byte(from)?;
        let bits = u64::from(byte & 0x7f);
        let shifted = bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits);
        number |= shifted.ok_or_else(size_too_large)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
}

/// The problem that a size is larger than any can be.
pub(super) fn size_too_large() -> io::Error {
    invalid("a size is too large")
}

/// A distance, highest bits first. Each further byte adds one, so that no number can be written in two ways.
///
/// # Errors
/// If it is larger than any file, or cut off.
pub(super) fn distance(from: &mut impl Read) -> io::Result<u64> {
    let mut next = byte(from)?;
    let mut number = u64::from(next & 0x7f);
    while next & 0x80 != 0 {
        next = byte(from)?;
        let higher = number.checked_add(1).and_then(|number| number.checked_mul(128));
        number = higher.ok_or_else(|| invalid("an offset is too large"))? | u64::from(next & 0x7f);
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bytes_mean() {
        let largest = [&[0x80][..], &[0xfe; 8], &[0x7f]].concat();
        let larger = [&[0x80][..], &[0xfe; 8], &[0xff, 0]].concat();
        let rows: [(&[u8], Option<u64>, Option<u64>); 9] = [
            (&[0], Some(0), Some(0)),
            (&[0x7f], Some(127), Some(127)),
            (&[0x80, 0], Some(0), Some(128)),
            (&[0x81, 1], Some(129), Some(257)),
            (&[], None, None),
            (&[0x80], None, None),
            (&[0xff; 20], None, None),
            (&largest, None, Some(u64::MAX)),
            (&larger, None, None),
        ];
        for (bytes, as_size, as_distance) in rows {
            let found = (size(&mut &*bytes).ok(), distance(&mut &*bytes).ok());
            assert_eq!(found, (as_size, as_distance), "{bytes:?}");
        }
    }
}
