//! Records a process of Node that is already running, with its workers, through its inspector; and leaves it as it was.

use profile::problem::Problem;
use url::Url;

use super::attached::Attached;
use super::cdp::Connection;
use super::inspector::Inspector;
use super::message::shown;
use super::progress::{Limits, Progress};
use super::recorder::Recorder;
use super::wait::Told;

/// Records until the time is over, the user ends it, or the process ends.
///
/// # Errors
/// If the process cannot be recorded.
pub(crate) fn record_node(
    inspector: &Inspector,
    interval_us: u32,
    limits: Limits<'_>,
    tell: &dyn Fn(Progress),
) -> Result<Attached, Problem> {
    let connection = Connection::open(&inspector.url, limits.told).map_err(|error| {
        close_again(inspector);
        let hint = "check that the program runs, and was started with --inspect";
        Problem::from(error).at(inspector.url.as_str()).with_hint(hint)
    })?;
    let mut recorder = Recorder::new(connection, inspector, interval_us, limits.told);
    let recorded = recorder.record(limits.duration, tell).and_then(|()| recorder.finish());
    if !recorder.leave() {
        close_again(inspector);
    }
    let mut attached = recorded.map_err(|failure| failure.problem(&inspector.url))?;
    let not_recorded =
        |other: &Url| format!("{} was not recorded: name it to record it", shown(other.as_str()));
    attached.missing.extend(inspector.others.iter().map(not_recorded));
    Ok(attached)
}

/// Closes an inspector that was opened for a recording that did not happen. Nobody waits long for that.
pub(crate) fn close_again(inspector: &Inspector) {
    if !inspector.was_opened {
        return;
    }
    let told = Told::default();
    if let Ok(connection) = Connection::open(&inspector.url, &told) {
        told.tell();
        Recorder::new(connection, inspector, 0, &told).close_again();
    }
}
