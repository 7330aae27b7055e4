//! Whether the client's process is still there: a client that was killed says no `exit`, and a pipe that some
//! other process inherited stays open.

use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;

/// How often we look.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Tells `end` when the process of this id is gone. A process that cannot be seen from the start (`null`, or a
/// client outside of our container) is not watched.
pub(super) fn watch(process: &Value, end: UnboundedSender<()>, runtime: &Handle) {
    let Some(id) = process.as_u64().filter(|&it| is_alive(it) == Some(true)) else { return };
    runtime.spawn(async move {
        while is_alive(id) != Some(false) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let _ = end.send(()); // the session may have ended already
    });
}

/// `None` where there is no way to know.
#[cfg(target_os = "linux")]
fn is_alive(id: u64) -> Option<bool> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    // proc_pid_stat(5): the state follows the name, which ends at the last parenthesis; Z and X are dead.
    Some(
        stat.is_ok_and(|it| !it.rsplit(')').next().is_some_and(|it| it.trim_start().starts_with(['Z', 'X']))),
    )
}

/// `None` where there is no way to know.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_alive(id: u64) -> Option<bool> {
    // Not by `PATH`: that can lead into the folder that is open.
    let ask = std::process::Command::new("/bin/kill").args(["-0", &id.to_string()]).output();
    ask.ok().map(|it| it.status.success())
}

/// `None` where there is no way to know: on Windows the pipe's end has to do.
#[cfg(not(unix))]
fn is_alive(_: u64) -> Option<bool> {
    None
}
