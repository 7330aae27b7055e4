//! Who waits for a profile.

/// Who waits for a profile: hears how far it is, and is asked whether to go on.
pub trait Progress: Sync {
    /// This many bytes of the file were read by now (compressed ones, where it is compressed).
    fn read(&self, bytes: u64);
    /// Whether to stop; asked several times for each megabyte.
    fn cancelled(&self) -> bool;
}

/// Nobody waits.
impl Progress for () {
    fn read(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}
