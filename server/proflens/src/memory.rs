//! Gives unused memory back to the system: a server runs all day and is idle most of the time.
//!
//! The C library of Linux keeps freed memory for later use, in a heap for each thread: after 100 edits of a text of 1
//! MB that is 130 MB. With one heap for all threads, which costs no time here, and with `malloc_trim` whenever the
//! server is idle, it is 13 MB. Returning large blocks at once (`M_MMAP_THRESHOLD`) would have the same effect, but
//! every edit would spend three times as long in system calls. `proflens-fleet`, whose threads decode tables, needs a
//! quarter less memory with one heap, and no more time.

/// Makes all threads share one heap; returns whether that succeeded. Must be called while there is only one thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_one_heap() -> bool {
    #[expect(unsafe_code, reason = "a call of C that takes two numbers")]
    // SAFETY: mallopt(3) may be called at any time and by any thread.
    let done = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    done == 1
}

/// Gives unused memory back, which takes a few milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    #[expect(unsafe_code, reason = "a call of C that takes a number and moves nothing of ours")]
    // SAFETY: malloc_trim(3) may be called at any time and by any thread.
    let _was_any_free = unsafe { libc::malloc_trim(0) };
}

/// Not needed on other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_one_heap() -> bool {
    true
}

/// Not needed on other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
