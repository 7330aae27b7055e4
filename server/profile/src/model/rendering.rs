//! Style and layout that scripts forced: work that a browser would have done once, later, but did at once because a
//! function asked for a size, a position or a computed style.

use crate::model::sample::StackId;
use crate::model::strings::StringId;
use crate::model::units::{Amount, Position};

/// A computation of style or layout in the middle of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedRendering {
    /// What was computed.
    pub kind: RenderingKind,
    /// When it began, on the axis of [`Thread::start`](crate::model::Thread::start).
    pub start: Amount,
    /// How long it took. The function waited for it, so it is part of the function's self time and of no other time.
    pub duration: Amount,
    /// The stack of the function that forced it; `None` if the trace does not tell.
    pub stack: Option<StackId>,
    /// Where in that function it was forced.
    pub at: Option<Position>,
    /// What the function asked for.
    pub asked_for: AskedFor,
}

/// What a function asked for that made style or layout necessary, such as `offsetWidth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedFor {
    /// Something with this name.
    Named(StringId),
    /// What the text that ran has at this place.
    AtPlace,
    /// The trace does not tell.
    Unknown,
}

/// What was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenderingKind {
    /// Which style rules apply to which elements.
    Style,
    /// Where elements are, and how large they are.
    Layout,
}
