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
