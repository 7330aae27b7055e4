//! The outcome of choosing among several candidates, each of which may be the one.

/// The chosen candidate, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chosen<T> {
    /// It is this one.
    Is(T),
    /// Several are possible, and nothing tells them apart.
    Ambiguous,
    /// None has enough evidence.
    Nowhere,
}

impl<T: Ord> Chosen<T> {
    /// The only candidate, which may have been found several times.
    pub(crate) fn only(candidates: impl Iterator<Item = T>) -> Self {
        let mut candidates: Vec<T> = candidates.collect();
        candidates.sort();
        candidates.dedup();
        match (candidates.pop(), candidates.is_empty()) {
            (Some(only), true) => Self::Is(only),
            (Some(_), false) => Self::Ambiguous,
            (None, _) => Self::Nowhere,
        }
    }
}
