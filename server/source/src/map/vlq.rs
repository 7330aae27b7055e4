//! Reads base64 VLQs (ECMA-426, "base64 VLQ"): the numbers of `mappings`, `rangeMappings` and `scopes`.

/// There is no number here: another character, an unfinished number, or one above 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoVlq;

/// The value of each base64 digit; 64 for any other byte.
const DIGITS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [64; 256];
    let mut value = 0;
    while value < 64 {
        digits[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// Reads a number without a sign and moves past it.
#[inline]
pub(super) fn unsigned(bytes: &[u8], at: &mut usize) -> Result<u32, NoVlq> {
    let digit = bytes.get(*at).map_or(64, |&byte| DIGITS[byte as usize]);
    if digit < 32 {
        *at += 1;
        return Ok(u32::from(digit));
    }
    continued(bytes, at)
}

/// Reads a number with a sign and moves past it. Minus zero is -2^31, as the standard says.
#[inline]
pub(super) fn signed(bytes: &[u8], at: &mut usize) -> Result<i64, NoVlq> {
    let value = unsigned(bytes, at)?;
    let half = i64::from(value >> 1);
    Ok(match (value & 1, half) {
        (0, _) => half,
        (_, 0) => i64::from(i32::MIN),
        _ => -half,
    })
}

/// A number of more than one digit.
fn continued(bytes: &[u8], at: &mut usize) -> Result<u32, NoVlq> {
    let mut value = 0_u64;
    let mut shift = 0;
    loop {
        let digit = bytes.get(*at).map_or(64, |&byte| DIGITS[byte as usize]);
        if digit == 64 {
            return Err(NoVlq);
        }
        *at += 1;
        let bits = u64::from(digit & 31);
        // Any number of zeros may follow; they add nothing.
        if bits != 0 {
            if shift > 30 {
                return Err(NoVlq);
            }
            value |= bits << shift;
        }
        shift = (shift + 5).min(60);
        if digit & 32 == 0 {
            return u32::try_from(value).map_err(|_| NoVlq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(i64, usize), NoVlq> {
        let mut at = 0;
        signed(text.as_bytes(), &mut at).map(|value| (value, at))
    }

    #[test]
    fn numbers_with_a_sign() {
        assert_eq!(
            ["A", "C", "D", "iB", "V", "B"].map(read),
            [Ok((0, 1)), Ok((1, 1)), Ok((-1, 1)), Ok((17, 2)), Ok((-10, 1)), Ok((-2_147_483_648, 1)),]
        );
        assert_eq!(read("+/////D"), Ok((2_147_483_647, 7)));
        assert_eq!(read("//////D"), Ok((-2_147_483_647, 7)));
        assert_eq!(read("ggggggggggggggggggggA"), Ok((0, 21)));
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "g", "=", "g=", "ggggggE", "ggggggggC", ".", "\u{e9}"] {
            assert_eq!(read(text), Err(NoVlq), "{text}");
        }
    }
}
