//! Runs a command as it is, with the recorder in each of its Node processes.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use profile::problem::Problem;
use serde_json::json;

use crate::folder::RecordingFolder;
use crate::head::Allocations;
use crate::parts::{is_writing, unfinished};
use crate::refusals::refusal;
use crate::{deopts, programs, regular, runtimes, signals};

/// Bytes from one sampled allocation to the next, as in DevTools.
const BYTES_PER_SAMPLE: u32 = 32 << 10;
/// The environment variable that the recorder reads its settings from.
const VARIABLE: &str = "PROFLENS_RECORD";
/// Children that are told to end when their parent does need a moment to write.
const LAST_WRITES: Duration = Duration::from_secs(2);
/// The same while one of them is writing.
const LONGEST_WRITE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// How to record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Microseconds from sample to sample.
    pub interval_us: u32,
    /// Which allocations are recorded, if not time.
    pub heap: Option<Allocations>,
    /// Whether calls are counted, instead of anything being timed.
    pub counts: bool,
    /// Whether V8 logs what its compiler does, instead of anything being timed.
    pub deopts: bool,
    /// How long the command runs before it is recorded.
    pub delay: Duration,
    /// How long it is recorded; `None` means until it ends.
    pub duration: Option<Duration>,
    /// Which processes are recorded: a text, with `*`, that their command line must contain.
    pub only: Option<String>,
    /// The folder that the command runs in, if it is not the current one.
    pub runs_in: Option<PathBuf>,
}

impl Settings {
    /// Whether it is a run in addition to the timed one.
    fn times_nothing(&self) -> bool {
        self.counts || self.deopts
    }
}

/// A command that runs.
#[derive(Debug)]
pub struct Launch {
    ended: Receiver<std::io::Result<ExitStatus>>,
    status: Option<ExitStatus>,
}

/// How a recording ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// The command has ended.
    CommandEnded,
    /// The requested time is over; the command is still running.
    TimeIsOver,
}

/// Starts a command.
///
/// # Errors
/// If the command does not start.
pub fn launch(
    command: &[OsString],
    folder: &RecordingFolder,
    settings: &Settings,
) -> Result<Launch, Problem> {
    let program = command.first().ok_or_else(|| Problem::new("there is no command", "name one"))?;
    let mut run = Command::new(programs::found(program));
    if let Some(folder) = &settings.runs_in {
        // Shells and runners believe the variable.
        run.current_dir(folder).env("PWD", folder);
    }
    if settings.deopts {
        deopts::prepare(folder.path()).map_err(|error| {
            Problem::new(format!("{}: {error}", folder.path().display()), "make room there")
        })?;
        run.args(deopts::arguments(command, folder.path()));
        run.envs(deopts::path(folder.path()).map(|path| ("PATH", path)));
    } else if settings.counts {
        run.args(&command[1..]);
    } else {
        run.args(runtimes::arguments(command, folder.path(), settings.interval_us));
    }
    if settings.times_nothing() {
        // The code in Node's cache was compiled without counters, and V8 does not say of which function it is.
        run.env("NODE_DISABLE_COMPILE_CACHE", "1");
    }
    if settings.heap.is_none()
        && !settings.times_nothing()
        && let Some(options) = runtimes::bun_options(folder.path(), settings.interval_us)
    {
        run.env("BUN_OPTIONS", options);
    }
    if refusal(command).is_none() {
        run.env("NODE_OPTIONS", node_options(folder.recorder()))
            .env(VARIABLE, recorder_settings(folder, settings));
    }
    let child = signals::start(|| run.spawn()).map_err(|error| {
        let what = format!("{} cannot be started: {error}", program.to_string_lossy());
        Problem::new(what, "check its name, or the PATH")
    })?;
    let (tell, ended) = channel();
    std::thread::spawn(move || {
        let status = signals::wait(child);
        // Sending only fails if this process is about to end.
        let _ = tell.send(status);
    });
    Ok(Launch { ended, status: None })
}

/// Runs a command line of a shell in a folder, without recording it, and waits until it has ended. What it prints goes to stderr, because
/// stdout belongs to the command that is recorded.
///
/// # Errors
/// If the shell does not start, or cannot be waited for.
pub fn run_line(line: &str, folder: &Path) -> Result<ExitStatus, Problem> {
    let mut run = in_shell(line);
    run.current_dir(folder).env("PWD", folder).stdout(Stdio::from(std::io::stderr()));
    let child = signals::start(|| run.spawn()).map_err(|error| {
        let shell = run.get_program().to_string_lossy();
        Problem::new(format!("{shell} cannot be started: {error}"), "check the PATH")
    })?;
    signals::wait(child).map_err(unawaited)
}

#[cfg(unix)]
fn in_shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

/// `cmd` takes the rest of its command line as it is, between quotes (`cmd /?`, "/S"); Rust would escape quotes in it, as C does.
#[cfg(windows)]
fn in_shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;

    let mut shell = Command::new("cmd");
    shell.raw_arg(format!("/D /S /C \"{line}\""));
    shell
}

impl Launch {
    /// Waits until there is nothing more to record.
    ///
    /// # Errors
    /// If the command cannot be waited for.
    pub fn wait_for_recording(&mut self, folder: &Path, settings: &Settings) -> Result<Ending, Problem> {
        let ending = match settings.duration {
            None => {
                self.wait()?;
                Ending::CommandEnded
            }
            Some(duration) => self.wait_until(|| Some(began(folder)? + settings.delay + duration))?,
        };
        let ended = Instant::now();
        while unfinished(folder).into_iter().any(signals::is_running) {
            let longest = if is_writing(folder) { LONGEST_WRITE } else { LAST_WRITES };
            if ended.elapsed() > longest {
                break;
            }
            std::thread::sleep(POLL);
        }
        Ok(ending)
    }

    /// Waits until the command has ended or a time has come; that time is not known at the start.
    fn wait_until(&mut self, end: impl Fn() -> Option<SystemTime>) -> Result<Ending, Problem> {
        loop {
            let end = end();
            let left = end.map(|time| time.duration_since(SystemTime::now()).unwrap_or_default());
            match self.ended.recv_timeout(left.unwrap_or(POLL)) {
                Ok(status) => {
                    self.status = Some(status.map_err(unawaited)?);
                    return Ok(Ending::CommandEnded);
                }
                Err(RecvTimeoutError::Timeout) if end.is_some() => return Ok(Ending::TimeIsOver),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(unawaited(RecvTimeoutError::Disconnected)),
            }
        }
    }

    /// Waits until the command has ended, and returns its status.
    ///
    /// # Errors
    /// If the command cannot be waited for.
    pub fn wait(&mut self) -> Result<ExitStatus, Problem> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = self.ended.recv().map_err(unawaited)?.map_err(unawaited)?;
        self.status = Some(status);
        Ok(status)
    }
}

fn unawaited(error: impl Error) -> Problem {
    Problem::new(format!("the command cannot be waited for: {error}"), "")
}

/// When the first process began to be recorded, as written by the recorder (preload/recorder.cjs, `timesOf`).
fn began(folder: &Path) -> Option<SystemTime> {
    /// Milliseconds since 1970 have 13 digits.
    const MAX_BYTES: u64 = 32;
    let text = regular::read(&folder.join("began"), MAX_BYTES).ok()?;
    let millis = String::from_utf8(text).ok()?.parse().ok()?;
    Some(UNIX_EPOCH + Duration::from_millis(millis))
}

/// The options of the user, and the recorder.
fn node_options(recorder: &Path) -> OsString {
    // Inside quotes a backslash escapes (node/src/node_options.cc, ParseNodeOptionsEnvVar).
    let path = recorder.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let mut options = env::var_os("NODE_OPTIONS").unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(format!("--require=\"{path}\""));
    options
}

fn recorder_settings(folder: &RecordingFolder, settings: &Settings) -> String {
    json!({
        "folder": folder.path(),
        "intervalUs": settings.interval_us,
        "heap": settings.heap.map(|_| BYTES_PER_SAMPLE),
        "countsCollected": settings.heap == Some(Allocations::All),
        "counts": settings.counts,
        "nodeFlags": settings.deopts.then(|| flags_as_text(folder.path())),
        "delayMs": settings.delay.as_secs_f64() * 1000.0,
        "durationMs": settings.duration.map(|duration| duration.as_secs_f64() * 1000.0),
        "only": settings.only,
    })
    .to_string()
}

/// The flags of Node as JSON has them.
fn flags_as_text(folder: &Path) -> Vec<String> {
    deopts::flags(folder).iter().map(|flag| flag.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_of_a_shell_keeps_its_quotes() {
        let folder = env::temp_dir().join(format!("proflens-line-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let ended = run_line("echo one>\"a b\"&& echo two>c", &folder);
        let files = ["a b", "c"].map(|name| folder.join(name).is_file());
        fs::remove_dir_all(&folder).unwrap();
        assert!(ended.is_ok_and(|status| status.success()));
        assert_eq!(files, [true, true]);
    }
}
