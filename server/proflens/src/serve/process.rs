//! Notices when the client's process has ended: a client that was killed sends no `exit`, and its pipe stays open if
//! another process inherited it.

use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;

/// How often the process is checked.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Sends to `end` when the process with this id has ended. A process that is not visible from the start (`null`, or a
/// client outside our container) is not watched.
pub(super) fn watch(process: &Value, end: UnboundedSender<()>, runtime: &Handle) {
    let Some(id) = process.as_u64().filter(|&id| is_alive(id) == Some(true)) else { return };
    runtime.spawn(async move {
        while is_alive(id) != Some(false) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let _ = end.send(()); // the connection may have ended already
    });
}

/// `None` if that cannot be determined.
#[cfg(target_os = "linux")]
fn is_alive(id: u64) -> Option<bool> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    // proc_pid_stat(5): the state follows the name, which ends at the last parenthesis; Z and X are dead.
    let state = stat.as_ref().map(|stat| stat.rsplit(')').next().unwrap_or_default().trim_start());
    Some(state.is_ok_and(|state| !state.starts_with(['Z', 'X'])))
}

/// `None` if that cannot be determined.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_alive(id: u64) -> Option<bool> {
    // With its absolute path: `PATH` can lead into the workspace.
    let ask = std::process::Command::new("/bin/kill").args(["-0", &id.to_string()]).output();
    ask.ok().map(|answer| answer.status.success())
}

/// `None`: on Windows only the end of the pipe is noticed.
#[cfg(not(unix))]
fn is_alive(_: u64) -> Option<bool> {
    None
}
