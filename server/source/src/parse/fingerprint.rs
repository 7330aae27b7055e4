//! A hash of a body that stays the same while only white space and comments change.
//!
//! The tokens of a text are hashed once, into prefix sums of a polynomial, so that the hash of any run of tokens takes
//! one multiplication: nested bodies cost nothing extra. Runs can be joined: a body that is left out of one text and read
//! elsewhere counts as if it were there.

use std::hash::Hasher;
use std::ops::Range;

use oxc_parser::{Kind, Token};
use rustc_hash::FxHasher;

/// A prime, 2^61 - 1: products fit 128 bits and are reduced by shifts.
const MODULUS: u64 = (1 << 61) - 1;
/// Any large number below the modulus.
const BASE: u64 = 0x1234_5678_9ABC_DEF1 % MODULUS;
/// `BASE` to the powers of two.
const SQUARES: [u64; 32] = squares();

/// The hash of a run of tokens, and how many tokens it has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunHash {
    hash: u64,
    tokens: usize,
}

/// A token, or everything that is left out at one place.
struct Entry {
    start: u32,
    end: u32,
    /// Its hash; in [`PrefixHashes`], the hash of all tokens up to here.
    hash: u64,
}

/// The tokens of a text, some of which may be left out.
pub(crate) struct HashedTokens {
    entries: Vec<Entry>,
    /// Where tokens are left out: indices of entries.
    holes: Vec<usize>,
}

/// The prefix hashes of the tokens of a text.
pub(crate) struct PrefixHashes {
    entries: Vec<Entry>,
    /// Where tokens were left out: indices, each with how many tokens more than entries there are up to its end.
    holes: Vec<(usize, usize)>,
}

impl HashedTokens {
    /// The tokens of a text. `holes` are the offsets, in order, at which others are left out.
    pub(crate) fn new(text: &str, tokens: &[Token], holes: &[u32]) -> Self {
        let mut all = Self { entries: Vec::with_capacity(tokens.len() + holes.len()), holes: Vec::new() };
        let mut left = holes.iter().copied();
        let mut next_hole = left.next();
        for token in tokens {
            while let Some(hole) = next_hole.filter(|&hole| hole < token.start()) {
                all.holes.push(all.entries.len());
                all.entries.push(Entry { start: hole, end: hole, hash: 0 });
                next_hole = left.next();
            }
            let written = &text[token.start() as usize..token.end() as usize];
            let hash = hash_of(written, token.kind());
            all.entries.push(Entry { start: token.start(), end: token.end(), hash });
        }
        all
    }

    /// Their prefix hashes, given what was left out.
    pub(crate) fn summed(self, left_out: &[RunHash]) -> PrefixHashes {
        let Self { mut entries, holes } = self;
        let mut all = Vec::with_capacity(holes.len());
        let mut waiting = holes.into_iter().zip(left_out);
        let mut next = waiting.next();
        let (mut sum, mut more) = (0, 0);
        for (index, entry) in entries.iter_mut().enumerate() {
            sum = if let Some((_, run)) = next.filter(|(hole, _)| *hole == index) {
                next = waiting.next();
                more += run.tokens;
                // The hole itself is an entry, but no token.
                all.push((index, more - all.len() - 1));
                add(multiply(sum, power(run.tokens)), run.hash)
            } else {
                add(multiply(sum, BASE), entry.hash)
            };
            entry.hash = sum;
        }
        PrefixHashes { entries, holes: all }
    }
}

impl PrefixHashes {
    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The index of the first entry that starts at an offset or after it.
    pub(crate) fn index(&self, offset: u32) -> usize {
        self.entries.partition_point(|entry| entry.start < offset)
    }

    /// Where an entry is.
    pub(crate) fn place(&self, index: usize) -> Range<usize> {
        let entry = &self.entries[index];
        entry.start as usize..entry.end as usize
    }

    /// The run of the entries of a range of indices.
    pub(crate) fn run(&self, entries: Range<usize>) -> RunHash {
        let (from, to) = (entries.start.min(entries.end), entries.end);
        let tokens = self.tokens(to) - self.tokens(from);
        let before = multiply(self.sum(from), power(tokens));
        RunHash { hash: add(self.sum(to), MODULUS - before), tokens }
    }

    /// Whether tokens were left out in a range of indices.
    pub(crate) fn has_hole(&self, entries: &Range<usize>) -> bool {
        let next = self.holes.partition_point(|(hole, _)| *hole < entries.start);
        self.holes.get(next).is_some_and(|(hole, _)| *hole < entries.end)
    }

    /// The hash of the first entries.
    fn sum(&self, entries: usize) -> u64 {
        entries.checked_sub(1).map_or(0, |last| self.entries[last].hash)
    }

    /// How many tokens the first entries stand for.
    fn tokens(&self, entries: usize) -> usize {
        let holes = self.holes.partition_point(|(hole, _)| *hole < entries);
        entries + holes.checked_sub(1).map_or(0, |last| self.holes[last].1)
    }
}

impl RunHash {
    /// The concatenation of this run and another.
    #[must_use]
    pub(crate) fn join(self, second: RunHash) -> RunHash {
        let hash = add(multiply(self.hash, power(second.tokens)), second.hash);
        RunHash { hash, tokens: self.tokens + second.tokens }
    }

    /// The hash for others to use; runs of different lengths have different hashes.
    pub(crate) fn fingerprint(self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.hash);
        hasher.write_u64(self.tokens as u64);
        hasher.finish()
    }

    /// How long it is.
    pub(crate) fn tokens(self) -> u32 {
        u32::try_from(self.tokens).unwrap_or(u32::MAX)
    }
}

fn hash_of(token: &str, kind: Kind) -> u64 {
    let mut hasher = FxHasher::default();
    if kind == Kind::JSXText {
        // Line breaks and indentation between elements mean nothing.
        token.split_whitespace().for_each(|part| {
            hasher.write(part.as_bytes());
            hasher.write_u8(b' ');
        });
    } else {
        hasher.write(token.as_bytes());
    }
    hasher.finish() % MODULUS
}

const fn squares() -> [u64; 32] {
    let mut squares = [BASE; 32];
    let mut n = 1;
    while n < squares.len() {
        squares[n] = multiply(squares[n - 1], squares[n - 1]);
        n += 1;
    }
    squares
}

/// `BASE` to the power of a number of tokens, of which a text has fewer than 2^32.
fn power(mut exponent: usize) -> u64 {
    let mut product = 1;
    while exponent != 0 {
        product = multiply(product, SQUARES[exponent.trailing_zeros() as usize % SQUARES.len()]);
        exponent &= exponent - 1;
    }
    product
}

const fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

const fn multiply(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    add((product as u64) & MODULUS, (product >> 61) as u64)
}
