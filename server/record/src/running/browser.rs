//! Starts an installed Chrome, Chromium or Edge with a profile of its own, to record a page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use url::Url;

use super::cdp::Connection;

/// The names and places of browsers that speak the DevTools protocol, the first that is there is taken.
const BROWSERS: [&str; 13] = [
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
    "msedge.exe",
];
const LONGEST_START: Duration = Duration::from_secs(30);
const LONGEST_END: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// A browser that was started.
pub(crate) struct Browser {
    child: Child,
    /// Where its inspector is.
    pub(crate) url: Url,
}

impl Browser {
    /// Starts one; its files lie in `folder`.
    ///
    /// # Errors
    /// One sentence: there is none, or it does not start.
    pub(crate) fn start(chosen: Option<&Path>, folder: &Path, is_headless: bool) -> Result<Self, String> {
        let program = match chosen {
            Some(program) => program.to_path_buf(),
            None => installed().ok_or(
                "There is no Chrome, Chromium or Edge on the PATH. Install one, or name it with --browser. \
                 Firefox cannot be recorded from outside: use its own profiler and open what it saves.",
            )?,
        };
        let files = folder.join("browser");
        let mut command = Command::new(&program);
        command.arg(format!("--user-data-dir={}", files.display()));
        command.args(["--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check"]);
        if is_headless {
            command.arg("--headless=new");
        }
        if runs_as_root() {
            // Chrome's own sandbox refuses to run as root.
            command.arg("--no-sandbox");
        }
        command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|error| format!("{} cannot be started: {error}.", program.display()))?;
        match address(&mut child, &files.join("DevToolsActivePort")) {
            Ok(url) => Ok(Self { child, url }),
            Err(why) => {
                end(&mut child);
                Err(format!("{} {why}", program.display()))
            }
        }
    }

    /// Ends it.
    pub(crate) fn end(mut self) {
        if let Ok(mut connection) = Connection::open(&self.url) {
            // Without an answer: the browser closes.
            let _ = connection.send(None, "Browser.close", serde_json::json!({}));
            connection.close();
        }
        end(&mut self.child);
    }
}

/// Waits a moment, as a browser that was asked to close writes its files.
fn end(child: &mut Child) {
    let last = Instant::now() + LONGEST_END;
    while Instant::now() < last {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(POLL),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    // It has ended meanwhile if it cannot be ended.
    let _ = child.kill().and_then(|()| child.wait());
}

/// The first line of the file is the port, the second the path.
fn address(child: &mut Child, file: &Path) -> Result<Url, String> {
    let end = Instant::now() + LONGEST_START;
    while Instant::now() < end {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n')
            && let Ok(url) = Url::parse(&format!("ws://127.0.0.1:{port}{}", path.trim_end()))
        {
            return Ok(url);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!(
                "ends at once ({status}). Start it by hand to see why; without a screen add --headless."
            ));
        }
        std::thread::sleep(POLL);
    }
    Err(format!("opens no inspector within {} s.", LONGEST_START.as_secs()))
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|it| std::env::split_paths(&it).collect()).unwrap_or_default();
    BROWSERS.iter().find_map(|name| match Path::new(name).is_absolute() {
        true => Some(PathBuf::from(name)).filter(|it| it.is_file()),
        false => folders.iter().map(|it| it.join(name)).find(|it| it.is_file()),
    })
}

#[cfg(unix)]
fn runs_as_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn runs_as_root() -> bool {
    false
}
