//! Amounts in buckets that every engine computes in the same way: percentiles over sessions are integer counts, never an
//! engine's own estimate.
//!
//! As in HdrHistogram (Tene), a bucket is a 32nd of an octave: its middle differs by at most 1.6 % from everything in it.

/// How many buckets an octave has.
const OCTAVE: u64 = 32;
/// log2 of [`OCTAVE`].
const BITS: u32 = OCTAVE.trailing_zeros();

/// The percentiles that are shown.
pub const SHOWN: [u64; 3] = [50, 75, 95];

/// The bucket of an amount in nanoseconds.
pub fn bucket(amount: u64) -> i64 {
    if amount < OCTAVE {
        return amount.cast_signed();
    }
    let shift = amount.ilog2() - BITS;
    (u64::from(shift) * OCTAVE + (amount >> shift)).cast_signed()
}

/// The amount in the middle of a bucket, in nanoseconds; a number out of range counts as the nearest bucket.
pub fn middle(bucket: i64) -> u64 {
    let bucket = bucket.clamp(0, self::bucket(u64::MAX)).cast_unsigned();
    if bucket < 2 * OCTAVE {
        return bucket;
    }
    let shift = (bucket / OCTAVE - 1) as u32;
    let low = (bucket % OCTAVE + OCTAVE) << shift;
    low + ((1_u64 << shift) >> 1)
}

/// The amounts at percentiles of values that are counted by bucket, in order of buckets, by nearest rank; 0 if there
/// are no values.
pub fn percentiles<const N: usize>(counts: &[(i64, u64)], wanted: [u64; N]) -> [u64; N] {
    let number: u64 = counts.iter().map(|it| it.1).sum();
    wanted.map(|percent| {
        let rank = (u128::from(number) * u128::from(percent)).div_ceil(100) as u64;
        let mut below = 0;
        let at = counts.iter().find(|(_, count)| {
            below += count;
            below >= rank.max(1)
        });
        at.map_or(0, |it| middle(it.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_are_small() {
        let edges = [0, 1, 31, 32, 33, 63, 64, 65, 66, 127, 128, 1_000_000, u64::MAX];
        assert_eq!(
            edges.map(bucket),
            [0, 1, 31, 32, 33, 63, 64, 64, 65, 95, 96, 509, 1919],
            "a bucket of 32 per octave"
        );
        let mut last = -1;
        for amount in (0..5000).chain((5000..5_000_000).step_by(997)) {
            let it = bucket(amount);
            assert!(it == last || it == last + 1 || amount >= 5000, "{amount}");
            let error = middle(it).abs_diff(amount) as f64 / amount.max(1) as f64;
            assert!(error <= 1.0 / 64.0, "{amount} is {}", middle(it));
            last = it;
        }
        assert!(middle(i64::MAX) > u64::MAX / 100 * 98);
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        assert_eq!(
            percentiles(&[(1, 1), (2, 1), (3, 1), (4, 1)], [0, 25, 26, 50, 75, 95, 100]),
            [1, 1, 2, 2, 3, 4, 4]
        );
        assert_eq!(percentiles(&[(7, 1_000_000)], SHOWN), [7; 3]);
        assert_eq!(percentiles(&[], SHOWN), [0; 3]);
    }
}
