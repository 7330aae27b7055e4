//! Why a text is not a source map, in words.

use std::fmt;

use super::json::NoJson;

/// Why a text is not a source map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapError {
    /// It is longer than 4 GB.
    TooLong,
    /// It is not JSON from this byte on.
    NoJson(usize),
    /// It is JSON, but not an object.
    NoObject,
    /// A required field is missing or has another type.
    NoField(&'static str),
}

impl From<NoJson> for MapError {
    fn from(error: NoJson) -> Self {
        Self::NoJson(error.0)
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the source map is longer than 4 GB"),
            Self::NoJson(at) => write!(f, "the source map is broken or cut off at byte {at}"),
            Self::NoObject => f.write_str("the source map is not a JSON object"),
            Self::NoField(field) => write!(f, "the source map has no \"{field}\""),
        }
    }
}

impl std::error::Error for MapError {}
