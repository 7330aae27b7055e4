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
    let Some(id) = process.as_u64().filter(|&id| is_alive(id)) else { return };
    runtime.spawn(async move {
        while is_alive(id) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let _ = end.send(()); // the connection may have ended already
    });
}

#[cfg(target_os = "linux")]
fn is_alive(id: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    // proc_pid_stat(5): the state follows the name, which ends at the last parenthesis; Z and X are dead.
    let state = stat.as_ref().map(|stat| stat.rsplit(')').next().unwrap_or_default().trim_start());
    state.is_ok_and(|state| !state.starts_with(['Z', 'X']))
}

#[cfg(not(target_os = "linux"))]
fn is_alive(id: u64) -> bool {
    u32::try_from(id).is_ok_and(record::signals::is_running)
}
