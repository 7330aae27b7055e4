//! What a sender says about a trace, such as its page and release: a small map of strings.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The most dimensions that a trace may have.
pub(crate) const MAX_DIMENSIONS: usize = 16;
/// No name is longer, in bytes.
pub(crate) const MAX_NAME: usize = 64;
/// No text is longer, in bytes.
pub(crate) const MAX_TEXT: usize = 512;

/// What a sender says about a trace.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Dimensions(BTreeMap<String, String>);

impl Dimensions {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Dimensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Texts)
    }
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Dimensions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Dimensions, A::Error> {
        let mut texts = BTreeMap::new();
        while let Some((name, text)) = map.next_entry::<String, String>()? {
            if name.is_empty() || name.len() > MAX_NAME || text.len() > MAX_TEXT {
                return Err(Error::custom("a dimension is too long"));
            }
            if texts.insert(name, text).is_some() || texts.len() > MAX_DIMENSIONS {
                return Err(Error::custom("a dimension is there twice, or there are too many"));
            }
        }
        Ok(Dimensions(texts))
    }
}
