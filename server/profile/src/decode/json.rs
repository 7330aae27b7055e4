//! A pull reader for JSON of any size: one forward pass over a window of 256 KB.
//!
//! The decoders ask for what they know and skip the rest, so memory depends on what is kept, not on what is read. Nothing
//! recurses, so nesting costs no stack. Values of an unexpected kind are `None`, not errors: profiles in the wild have
//! null, NaN and numbers in quotes.

mod bits;
mod fast_items;
mod fast_reader;
mod look_ahead;
mod nesting;
mod number;
mod numbers;
mod raw;
mod reader;
mod scan;
mod sources;
mod value;

pub(crate) use self::fast_reader::FastReader;
pub(crate) use self::number::{Number, index_of};
pub(crate) use self::reader::Json;
pub(crate) use self::value::{Items, Kind};

#[cfg(test)]
mod tests;
