//! Starts an installed Chrome, Chromium or Edge with a profile of its own, to record a page. The browser ends with this
//! process, however that ends: they communicate through a pipe, and the browser ends when the pipe is closed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use profile::problem::Problem;
use serde::de::IgnoredAny;
use serde_json::json;

use super::cdp::Connection;
use super::installed;
use super::message::CdpError;
use super::wait::{POLL, Told};
use crate::programs;

const LONGEST_START: Duration = Duration::from_secs(30);
const LONGEST_END: Duration = Duration::from_secs(5);
/// A browser that has closed its pipe ends soon, and then its status is known.
const LONGEST_STATUS: Duration = Duration::from_secs(1);

/// A browser that was started.
pub(crate) struct Browser {
    child: Child,
    /// The file that was started.
    pub(crate) program: PathBuf,
    /// The connection to it.
    pub(crate) connection: Connection,
    /// Whether it runs without its sandbox.
    pub(crate) has_no_sandbox: bool,
}

/// Why no browser could be started.
#[derive(Debug)]
pub(crate) enum BrowserError {
    NoneInstalled,
    NotStarted(PathBuf, io::Error),
    EndsAtOnce(PathBuf, ExitStatus),
    NoInspector(PathBuf, CdpError),
}

impl From<BrowserError> for Problem {
    fn from(error: BrowserError) -> Self {
        match error {
            BrowserError::NoneInstalled => Self::new(
                "No Chrome, Chromium or Edge is installed where they usually are, or on the PATH",
                "install one, or name it with --browser. Firefox cannot be recorded from outside: use its own profiler and open what \
                 it saves",
            ),
            BrowserError::NotStarted(program, error) => {
                Self::new(format!("{} cannot be started: {error}", program.display()), "")
            }
            BrowserError::EndsAtOnce(program, status) => Self::new(
                format!("{} ends at once ({status})", program.display()),
                "start it by hand to see why; without a screen add --headless",
            ),
            BrowserError::NoInspector(program, error) => {
                Self::new(format!("{} opens no inspector: {error}", program.display()), "")
            }
        }
    }
}

impl Browser {
    /// Starts one; its files are kept in `folder`.
    pub(crate) fn start(
        chosen: Option<&Path>,
        folder: &Path,
        is_headless: bool,
        told: &Told,
    ) -> Result<Self, BrowserError> {
        let program = match chosen {
            Some(program) => programs::file_of(program.as_os_str()).unwrap_or_else(|| program.to_path_buf()),
            None => installed::browser().ok_or(BrowserError::NoneInstalled)?,
        };
        // The shell that starts it would only report that it did not.
        std::fs::metadata(&program).map_err(|error| BrowserError::NotStarted(program.clone(), error))?;
        let files = folder.join("browser");
        let mut flags = vec![format!("--user-data-dir={}", files.display())];
        flags.extend(["--no-first-run", "--no-default-browser-check"].map(str::to_owned));
        if is_headless {
            flags.push("--headless=new".to_owned());
        }
        // Chrome refuses to run as root with its sandbox.
        let has_no_sandbox = runs_as_root();
        if has_no_sandbox {
            flags.push("--no-sandbox".to_owned());
        }
        let (mut child, connection) = start(&program, &flags, &files, told)
            .map_err(|error| BrowserError::NotStarted(program.clone(), error))?;
        match connection.and_then(|connection| greeted(connection, told)) {
            Ok(connection) => Ok(Self { child, program, connection, has_no_sandbox }),
            Err(error) => {
                let status =
                    matches!(error, CdpError::Closed(_)).then(|| ended(&mut child, LONGEST_STATUS)).flatten();
                kill(&mut child);
                Err(match status {
                    Some(status) => BrowserError::EndsAtOnce(program, status),
                    None => BrowserError::NoInspector(program, error),
                })
            }
        }
    }

    /// Ends it.
    pub(crate) fn end(mut self) {
        // There is no answer: the browser closes. One that does not is killed.
        let _ = self.connection.send(None, "Browser.close", json!({}));
        let is_ended = ended(&mut self.child, LONGEST_END).is_some();
        self.connection.close();
        if !is_ended {
            kill(&mut self.child);
        }
    }
}

/// Waits for the first answer, which shows that it is running.
fn greeted(mut connection: Connection, told: &Told) -> Result<Connection, CdpError> {
    let started = Instant::now();
    let id = connection.send(None, "Browser.getVersion", json!({}))?;
    connection.answer_within::<IgnoredAny>(id, "Browser.getVersion", started, LONGEST_START)?;
    if told.is_told() { Err(CdpError::Told) } else { Ok(connection) }
}

/// Waits a moment, because a browser that was asked to close still writes its files.
fn ended(child: &mut Child, longest: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if began.elapsed() > longest {
            return None;
        }
        thread::sleep(POLL);
    }
}

fn kill(child: &mut Child) {
    // If it cannot be killed, it has already ended.
    let _ = child.kill().and_then(|()| child.wait());
}

#[cfg(unix)]
type StartedBrowser = (Child, Result<Connection, CdpError>);

/// With `--remote-debugging-pipe`, a browser reads from descriptor 3 and writes to 4: a shell passes it the socket that
/// it got as its input. The browser is in a group of its own, because otherwise Ctrl-C in a terminal would end it before
/// it has handed over what it recorded.
#[cfg(unix)]
fn start(program: &Path, flags: &[String], _: &Path, told: &Told) -> io::Result<StartedBrowser> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;

    use super::wire::{Pipe, Wire};

    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&0 </dev/null"]).arg(program);
    command.args(flags).args(["--remote-debugging-pipe", "about:blank"]).process_group(0);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn()?;
    // The command has a copy of the other end; as long as that is open, the pipe would never close.
    drop(command);
    let pipe = Pipe::new(ours)?;
    Ok((child, Ok(Connection::over(Wire::Pipe(pipe), told))))
}

/// On other systems, a browser opens a port and writes its number into its folder. It keeps running if this process is killed.
#[cfg(not(unix))]
fn start(
    program: &Path,
    flags: &[String],
    files: &Path,
    told: &Told,
) -> io::Result<(Child, Result<Connection, CdpError>)> {
    let mut command = Command::new(program);
    command.args(flags).args(["--remote-debugging-port=0", "about:blank"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let address = address(&mut child, &files.join("DevToolsActivePort"), told);
    Ok((child, address.and_then(|url| Connection::open(&url, told))))
}

/// The first line of the file is the port, the second the path.
#[cfg(not(unix))]
fn address(child: &mut Child, file: &Path, told: &Told) -> Result<url::Url, CdpError> {
    let began = Instant::now();
    while began.elapsed() < LONGEST_START && !told.is_told() {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n')
            && let Ok(url) = url::Url::parse(&format!("ws://127.0.0.1:{port}{}", path.trim_end()))
        {
            return Ok(url);
        }
        if let Ok(Some(_)) = child.try_wait() {
            return Err(CdpError::closed("the browser has ended"));
        }
        thread::sleep(POLL);
    }
    Err(if told.is_told() { CdpError::Told } else { CdpError::closed("it takes too long") })
}

#[cfg(unix)]
fn runs_as_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn runs_as_root() -> bool {
    false
}
