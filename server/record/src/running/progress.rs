//! The beginning and end of a recording.

use std::time::Duration;

use super::wait::Told;

/// What happens before anything has been recorded.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// Something that a user should know first.
    Note(&'static str),
    /// The recording has begun.
    Begun,
}

/// When a recording ends.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'t> {
    /// How long it takes; `None` means without end.
    pub(crate) duration: Option<Duration>,
    /// Whether this process was told to end it.
    pub(crate) told: &'t Told,
}
