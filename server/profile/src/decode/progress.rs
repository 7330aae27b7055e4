//! What a caller hears while it waits for a profile.

/// What a caller hears while it waits for a profile, and how it stops that.
pub trait Progress: Sync {
    /// This many bytes of the file were read by now (compressed ones, where it is compressed).
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
