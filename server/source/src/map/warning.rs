//! What can be wrong with a map, in words.

use std::fmt;

use super::json::NoJson;
use super::mappings::{Flaw, Flaws};

/// Why a text is no source map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapError {
    /// It is longer than 4 GB.
    TooLong,
    /// It is no JSON from this byte on.
    NoJson(usize),
    /// It is JSON, but no object.
    NoObject,
    /// A field without which there is nothing to read is missing or of another type.
    NoField(&'static str),
    /// Index maps are nested in each other without need.
    TooDeep,
}

/// What is wrong with a map that can be read all the same. The standard leaves it open to report these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// `version` is not 3.
    Version,
    /// A field, or an item of it, is of another type than it must be, and is left out.
    WrongType(&'static str),
    /// `ignoreList` names a source that does not exist.
    NoIgnoredSource,
    /// `debugId` is no UUID.
    NoDebugId,
    /// A map has both `sections` and `mappings`: the latter are left out.
    SectionsAndMappings,
    /// A section starts before the one before it.
    SectionOrder,
    /// A section cannot be read.
    Section {
        /// Its index.
        section: usize,
        /// Why not.
        error: MapError,
    },
    /// Segments that cannot be read.
    Mappings {
        /// What is wrong with them.
        flaw: Flaw,
        /// How many there are.
        count: u32,
    },
    /// `scopes` cannot be read.
    Scopes,
}

impl Warning {
    pub(super) fn of(flaws: &Flaws) -> Vec<Self> {
        flaws.met().map(|(flaw, count)| Self::Mappings { flaw, count }).collect()
    }
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
            Self::TooDeep => f.write_str("the source map holds index maps nested too deeply"),
        }
    }
}

impl std::error::Error for MapError {}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version => f.write_str("\"version\" is not 3"),
            Self::WrongType(field) => write!(f, "\"{field}\" has a value of the wrong type"),
            Self::NoIgnoredSource => f.write_str("\"ignoreList\" names a source that does not exist"),
            Self::NoDebugId => f.write_str("\"debugId\" is not a UUID"),
            Self::SectionsAndMappings => f.write_str("\"mappings\" beside \"sections\" are not used"),
            Self::SectionOrder => f.write_str("\"sections\" are out of order"),
            Self::Section { section, error } => write!(f, "section {section} is not used: {error}"),
            Self::Mappings { flaw, count } => write!(f, "{count} of the mappings: {flaw}"),
            Self::Scopes => f.write_str("\"scopes\" cannot be read"),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNumber => "not a number, nothing behind it is used",
            Self::FieldCount => "neither 1, 4 nor 5 numbers",
            Self::GeneratedColumn => "a generated column out of range",
            Self::OriginalPlace => "an original line or column out of range",
            Self::NoSource => "a source that does not exist",
            Self::NoName => "a name that does not exist",
            Self::NoRange => "a range mapping without a segment",
            Self::Overlap => "a place that belongs to the next section",
        })
    }
}
