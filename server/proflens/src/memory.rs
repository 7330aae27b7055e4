//! Giving memory back to the system: a server is open all day, and most of the time nobody asks it anything.
//!
//! The C library of Linux keeps what was freed for the next who wants it, per thread, and learns from each large
//! block that is freed to keep larger ones. Texts, syntax trees and traces are such blocks, large and used for a
//! moment: 100 edits of a text of 1 MB left 130 MB behind, and 20 MB with this.

/// Blocks of this size and more are the system's again as soon as they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 256 << 10;

/// To be called once, at the start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back_what_is_freed() {
    #[expect(unsafe_code, reason = "a call of C that takes two numbers and touches nothing of ours")]
    // SAFETY: mallopt(3) may be called at any time and by any thread.
    let done = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    if done == 0 {
        crate::logging::info("The C library does not let itself be told how to keep memory.");
    }
}

/// Other systems do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_what_is_freed() {}
