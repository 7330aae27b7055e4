//! A table of texts, each once, for formats that refer to names by index.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// The texts that were needed so far.
#[derive(Default)]
pub(super) struct TextTable<'p> {
    ids: FxHashMap<Cow<'p, str>, u64>,
    in_order: Vec<Cow<'p, str>>,
}

impl<'p> TextTable<'p> {
    /// The index of a text.
    pub(super) fn id(&mut self, text: impl Into<Cow<'p, str>>) -> u64 {
        let text = text.into();
        *self.ids.entry(text.clone()).or_insert_with(|| {
            self.in_order.push(text);
            self.in_order.len() as u64 - 1
        })
    }

    /// All texts, in the order of their indices.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &str> {
        self.in_order.iter().map(|it| &**it)
    }
}
