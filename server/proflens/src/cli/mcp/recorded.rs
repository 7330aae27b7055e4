//! The tool `record`: runs one of the commands that the user allowed with `proflens record`, as a shell would start
//! it, but without a shell.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use profile::problem::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::agents::quoted::{NAME, PATH, quoted, shown};
use super::super::agents::{AgentAnswer, lines};
use crate::recordings;

/// How often it is checked whether a command has ended.
const LOOK: Duration = Duration::from_millis(50);

/// A command that the user allowed.
#[derive(Clone, Debug)]
pub(super) struct Allowed {
    /// As the user wrote it.
    pub(super) text: String,
    words: Vec<String>,
}

impl Allowed {
    /// Splits a command into words, with the quoting of a shell and none of its other features.
    ///
    /// # Errors
    /// If a quote has no end, or there is no word.
    pub(super) fn new(text: &str) -> Result<Self, Problem> {
        let words = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            Problem::new(
                format!("--allow-record {text} is no command"),
                "close its quotes, as in --allow-record 'npm run bench'",
            )
        })?;
        Ok(Self { text: text.to_owned(), words })
    }
}

/// The other version that is recorded by turns with the one of the workspace.
#[derive(Clone, Copy)]
pub(super) struct OtherVersion<'a> {
    /// A commit, branch or tag.
    pub(super) against: &'a str,
    /// What a shell runs in both first.
    pub(super) setup: Option<&'a str>,
}

/// What was recorded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedAnswer {
    command: String,
    /// The paths of the recordings below the workspace, or of the folders of both versions.
    traces: Vec<String>,
    /// The exit status of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    /// What to ask next.
    next: String,
}

/// Runs a command, `runs` times, and records it; by turns with another version, if there is one.
///
/// # Errors
/// If it cannot be started, was cancelled, or left no recording.
pub(super) fn record(
    command: &Allowed,
    runs: u32,
    versions: Option<OtherVersion<'_>>,
    workspace: &Path,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<RecordedAnswer, Problem> {
    let known: BTreeSet<PathBuf> = stored(workspace)?.into_iter().collect();
    let program = std::env::current_exe()
        .map_err(|error| Problem::new(format!("Proflens does not find itself: {error}"), ""))?;
    let mut recorder = Command::new(program);
    recorder.arg("record").arg("--workspace").arg(workspace);
    if let Some(OtherVersion { against, setup }) = versions {
        recorder.arg(format!("--against={against}"));
        recorder.args(setup.map(|line| format!("--setup={line}")));
    }
    if runs > 1 || versions.is_some() {
        recorder.args(["--repeat", &runs.to_string()]);
    }
    // The program gets no input, and its output does not mix with the answers.
    recorder.arg("--").args(&command.words).current_dir(workspace);
    recorder.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = recorder.spawn().map_err(|error| {
        Problem::new(format!("The command cannot be started: {error}"), "check that it is installed")
    })?;
    let status = ended(&mut child, is_cancelled)?;
    let mut new: Vec<PathBuf> = stored(workspace)?.into_iter().filter(|path| !known.contains(path)).collect();
    if versions.is_some() {
        new = new.iter().filter_map(|run| run.parent()).map(Path::to_path_buf).collect();
        new.sort_by(|one, other| other.cmp(one)); // before, after
        new.dedup();
    }
    if new.is_empty() {
        let how =
            status.code().map_or_else(|| "by a signal".to_owned(), |code| format!("with status {code}"));
        let what = format!("{} ended {how} and left no recording", command.text);
        return Err(Problem::new(
            what,
            "run it in a shell, with proflens record before it, to see what it prints",
        ));
    }
    let traces = new.iter().map(|path| {
        let below = path.strip_prefix(workspace).unwrap_or(path);
        shown(&below.to_string_lossy(), PATH)
    });
    let next = match runs {
        _ if versions.is_some() => "Next: compare judges what changed between the two versions.",
        1 => "Next: ledger or hottest, which take this recording as the newest.",
        _ => {
            "Next: hottest adds these runs up; after a change, record as many again, then compare with before and after."
        }
    };
    Ok(RecordedAnswer {
        command: shown(&command.text, PATH),
        traces: traces.collect(),
        status: status.code(),
        next: next.to_owned(),
    })
}

fn stored(workspace: &Path) -> Result<Vec<PathBuf>, Problem> {
    Ok(recordings::stored(workspace)?.into_iter().map(|recording| recording.path).collect())
}

/// Waits for the end. Cancelling the question ends the command as Ctrl-C would, so that it can clean up.
fn ended(child: &mut Child, is_cancelled: &dyn Fn() -> bool) -> Result<ExitStatus, Problem> {
    let failed =
        |error: std::io::Error| Problem::new(format!("The command cannot be waited for: {error}"), "");
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if is_cancelled() {
            end(child).map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(Problem::new("The recording was cancelled", ""));
        }
        thread::sleep(LOOK);
    }
}

#[cfg(unix)]
fn end(child: &Child) -> std::io::Result<()> {
    let process = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let process = process.ok_or_else(|| std::io::Error::other("it has no number"))?;
    Ok(rustix::process::kill_process(process, rustix::process::Signal::INT)?)
}

#[cfg(not(unix))]
fn end(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

impl AgentAnswer for RecordedAnswer {
    fn text(&self) -> String {
        let traces =
            self.traces.iter().map(|trace| format!("- {}\n", quoted(trace, PATH + 30))).collect::<String>();
        let head = format!("Recorded {}:", quoted(&self.command, NAME + 60));
        let status = self.status.filter(|status| *status != 0);
        let status = status
            .map(|status| format!("The command ended with status {status}: its work may not be whole."))
            .unwrap_or_default();
        lines([&*head, traces.trim_end(), &status, &*self.next])
    }

    fn shrink(&mut self) -> bool {
        self.traces.len() > 1 && self.traces.pop().is_some()
    }
}
