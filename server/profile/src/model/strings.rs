//! Interned names and urls.

use rustc_hash::FxHashMap;

/// An index into [`Strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StringId(pub u32);

/// An interner; the empty string is always [`StringId`] 0.
#[derive(Clone, Debug)]
pub struct Strings {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, StringId>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { texts: Vec::new(), ids: FxHashMap::default() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The id of a text, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = StringId(
            u32::try_from(self.texts.len()).expect("fewer than 2^32 distinct strings fit in memory"),
        );
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The text of an id from this interner.
    pub fn get(&self, id: StringId) -> &str {
        &self.texts[id.0 as usize]
    }
}
