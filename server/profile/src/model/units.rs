//! The units of a profile. Decoders convert to them once.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::Serialize;

/// What the weights of a profile count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Time, in nanoseconds.
    #[default]
    Time,
    /// Allocated memory, in bytes.
    Bytes,
}

/// A span of time in nanoseconds; in a profile of [`Unit::Bytes`], a number of bytes. An integer, so that sums are exact in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(pub u64);

/// A place in the text that the engine ran: 0-based, with columns in UTF-16 units, not counting a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based column in UTF-16 units; `None` if the format only has lines.
    pub column: Option<u32>,
}

impl Position {
    /// The place with this line and column, for formats that count both from 1; `None` without a line.
    pub(crate) fn from_one(line: Option<u32>, column: Option<u32>) -> Option<Self> {
        let line = line?.checked_sub(1)?;
        Some(Self { line, column: column.and_then(|it| it.checked_sub(1)) })
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self(0), Add::add)
    }
}
