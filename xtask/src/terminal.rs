//! A terminal for editors that need one: tmux, on a socket of its own, without anybody's configuration.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::debian;

/// How long something may take on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Asks until there is an answer.
///
/// # Errors
/// If there is none in time: the last reason why, or what could not be asked.
pub(crate) fn wait_until<T>(mut ask: impl FnMut() -> Result<Result<T, String>>) -> Result<T> {
    let start = Instant::now();
    loop {
        match ask()? {
            Ok(answer) => return Ok(answer),
            Err(why) if start.elapsed() > TIMEOUT => bail!(why),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// A terminal with a program in it; both end when this value is dropped.
pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs `program` in a terminal of `size` columns and rows.
    ///
    /// # Errors
    /// If tmux is not available or does not start.
    pub(crate) fn open(size: (u16, u16), folder: &Path, program: &Command) -> Result<Self> {
        debian::ensure_program("tmux", "tmux")?;
        let terminal = Self { socket: format!("proflens-{}", std::process::id()) };
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let mut start = terminal.tmux();
        start
            .args(["-u", "-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, "-c"])
            .arg(folder);
        start.arg(program.get_program()).args(program.get_args());
        // A new server of tmux passes on its own environment.
        for (name, value) in program.get_envs() {
            start.env(name, value.unwrap_or_default());
        }
        start.env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color").env("COLORTERM", "truecolor");
        start.env_remove("CARGO_MANIFEST_DIR"); // Helix would take it for the place of its own files
        debian::run(&mut start)?;
        // Programs only draw full colours if the terminal says that it has them.
        debian::run(terminal.tmux().args(["set", "-g", "default-terminal", "tmux-256color"]))?;
        Ok(terminal)
    }

    /// Types; names of keys (`Escape`, `Enter`) are understood.
    ///
    /// # Errors
    /// If the program is gone.
    pub(crate) fn keys(&self, keys: &[&str]) -> Result<()> {
        debian::run(self.tmux().arg("send-keys").args(keys)).map(|_| ())
    }

    /// What is on the screen, a line for each row.
    ///
    /// # Errors
    /// If the program is gone.
    pub(crate) fn text(&self) -> Result<String> {
        debian::run(self.tmux().args(["capture-pane", "-p"]))
    }

    /// What is on the screen, with the escape sequences of its colours.
    ///
    /// # Errors
    /// If the program is gone.
    pub(crate) fn coloured(&self) -> Result<String> {
        debian::run(self.tmux().args(["capture-pane", "-p", "-e"]))
    }

    /// Waits until all of these are on the screen, each in one line, and returns the screen.
    ///
    /// # Errors
    /// If they are not there in time; the message has the screen.
    pub(crate) fn wait_for(&self, wanted: &[&str]) -> Result<String> {
        wait_until(|| self.look_for(wanted))
    }

    /// The screen if all of these are on it, each in one line; or else what is missing.
    ///
    /// # Errors
    /// If the program is gone.
    pub(crate) fn look_for(&self, wanted: &[&str]) -> Result<Result<String, String>> {
        let text = self.text()?;
        let missing: Vec<_> = wanted.iter().filter(|line| !text.contains(**line)).collect();
        Ok(match missing.is_empty() {
            true => Ok(text),
            false => Err(format!("{missing:?} did not show on the screen, which is\n{text}")),
        })
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket]).env_remove("TMUX");
        tmux
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // If the program has ended, so has the server, and there is nothing left to end.
        let _ = self.tmux().arg("kill-server").output();
    }
}
