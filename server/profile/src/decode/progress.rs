//! Callbacks for a caller that waits for a profile.

/// Informs a caller that waits for a profile, and lets it cancel.
pub trait Progress: Sync {
    /// Called when this many bytes of the file were read (compressed ones, if it is compressed).
    fn read(&self, bytes: u64);
    /// Whether to stop; asked several times for each megabyte.
    fn cancelled(&self) -> bool;
}

/// For callers that do not wait.
impl Progress for () {
    fn read(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}
