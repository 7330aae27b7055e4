//! Giving memory back to the system: a server is open all day, and most of the time nobody asks it anything.
//!
//! The C library of Linux keeps what was freed for whoever wants it next, in a heap for each thread: 100 edits of a
//! text of 1 MB leave 130 MB behind. With one heap for all threads, which costs nothing here, and a moment of tidying
//! when there is nothing else to do it is 13 MB. To let go of large blocks at once (`M_MMAP_THRESHOLD`) would do as
//! well, but every edit would spend three times as long in the system.

/// All threads are to share one heap. To be called before there is more than one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share_one_heap() -> bool {
    #[expect(unsafe_code, reason = "a call of C that takes two numbers")]
    // SAFETY: mallopt(3) may be called at any time and by any thread.
    let done = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    done == 1
}

/// Gives back what is free, in some milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    #[expect(unsafe_code, reason = "a call of C that takes a number and moves nothing of ours")]
    // SAFETY: malloc_trim(3) may be called at any time and by any thread.
    let _was_any_free = unsafe { libc::malloc_trim(0) };
}

/// Other systems do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_one_heap() -> bool {
    true
}

/// Other systems do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
