//! Decides whether a trace is complete: nothing says so, but a file that nobody has written to for a moment is assumed to be.

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::state::Current;
use crate::state::queue::{MAX_WAIT, QUIET_TIME};

/// Waits until nobody has written to a file for a moment.
pub(super) fn wait_until_quiet(current: &Current, path: &Path) {
    let since = SystemTime::now();
    while let Some(left) = time_until_quiet(current, path) {
        let waited = SystemTime::now().duration_since(since).unwrap_or(MAX_WAIT);
        if waited >= MAX_WAIT {
            return;
        }
        std::thread::sleep(left);
    }
}

/// How long nobody may write to a file before it counts as complete; `None` if it already does, or is gone.
pub(super) fn time_until_quiet(current: &Current, path: &Path) -> Option<Duration> {
    let modified = current.stamp(path)?.modified;
    let still = SystemTime::now().duration_since(modified).unwrap_or(QUIET_TIME);
    QUIET_TIME.checked_sub(still).filter(|left| !left.is_zero())
}
