//! Names of interactions, whichever browser recorded them: after the events that Interaction to Next Paint is computed
//! from (INP, https://web.dev/articles/inp), and its three parts.

/// The parts of an interaction, as they are added to its name.
pub(super) const INPUT_DELAY: &str = ": input delay";
pub(super) const PROCESSING: &str = ": processing";
pub(super) const PRESENTATION_DELAY: &str = ": presentation delay";

/// The input device that the user used (https://web.dev/articles/inp, "What's in an interaction?").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Category {
    Pointer,
    Keyboard,
    Other,
}

impl Category {
    /// The device of an event of this type.
    pub(super) fn of(kind: &str) -> Self {
        match kind {
            "pointerdown" | "pointerup" | "touchstart" | "touchend" | "mousedown" | "mouseup" | "click" => {
                Self::Pointer
            }
            "keydown" | "keypress" | "keyup" => Self::Keyboard,
            _ => Self::Other,
        }
    }
}
