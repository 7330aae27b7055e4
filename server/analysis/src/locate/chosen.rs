//! What was chosen among several candidates, each of which may be the one.

/// One of them, or why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chosen<T> {
    /// It is this one.
    Is(T),
    /// Several may be it, and nothing tells them apart.
    Ambiguous,
    /// None has enough evidence.
    Nowhere,
}
