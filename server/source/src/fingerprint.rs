//! The hash of a body that stays the same while only white space and comments change.
//!
//! The tokens of a text are hashed once, into prefix sums of a polynomial, so that the hash of any run of
//! tokens is one multiplication away: nested bodies cost nothing extra.

use std::hash::Hasher;
use std::ops::Range;

use oxc_parser::{Kind, Token};
use rustc_hash::FxHasher;

/// A prime, 2^61 - 1: products fit 128 bits and are reduced by shifts.
const MODULUS: u64 = (1 << 61) - 1;
/// Any large number below the modulus.
const BASE: u64 = 0x1234_5678_9ABC_DEF1 % MODULUS;

/// The prefix hashes of the tokens of a text.
pub(crate) struct Fingerprints {
    /// `sums[n]` is the hash of the first n tokens.
    sums: Vec<u64>,
    /// `BASE` to the powers of two, for [`Fingerprints::power`].
    squares: [u64; 32],
}

/// The hash of a run of tokens, and how many there are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Run {
    hash: u64,
    tokens: usize,
}

impl Fingerprints {
    pub(crate) fn new(text: &str, tokens: &[Token]) -> Self {
        let mut sums = Vec::with_capacity(tokens.len() + 1);
        let mut sum = 0;
        sums.push(sum);
        for token in tokens {
            let word = &text[token.start() as usize..token.end() as usize];
            sum = add(multiply(sum, BASE), hash_of(word, token.kind()));
            sums.push(sum);
        }
        let mut squares = [BASE; 32];
        for n in 1..squares.len() {
            squares[n] = multiply(squares[n - 1], squares[n - 1]);
        }
        Self { sums, squares }
    }

    /// The run of the tokens of a range of indices.
    pub(crate) fn run(&self, tokens: Range<usize>) -> Run {
        let (from, to) = (tokens.start.min(tokens.end), tokens.end);
        let before = multiply(self.sums[from], self.power(to - from));
        Run { hash: add(self.sums[to], MODULUS - before), tokens: to - from }
    }

    /// One run behind another.
    pub(crate) fn join(&self, first: Run, second: Run) -> Run {
        let hash = add(multiply(first.hash, self.power(second.tokens)), second.hash);
        Run { hash, tokens: first.tokens + second.tokens }
    }

    fn power(&self, exponent: usize) -> u64 {
        let bits = (0..self.squares.len()).filter(|bit| exponent >> bit & 1 == 1);
        bits.fold(1, |product, bit| multiply(product, self.squares[bit]))
    }
}

impl Run {
    /// The hash to show to others; also tells runs of different lengths apart.
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

fn hash_of(word: &str, kind: Kind) -> u64 {
    let mut hasher = FxHasher::default();
    if kind == Kind::JSXText {
        // Line breaks and indentation between elements mean nothing.
        word.split_whitespace().for_each(|part| {
            hasher.write(part.as_bytes());
            hasher.write_u8(b' ');
        });
    } else {
        hasher.write(word.as_bytes());
    }
    hasher.finish() % MODULUS
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add((product as u64) & MODULUS, (product >> 61) as u64)
}
