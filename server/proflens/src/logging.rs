//! The log: lines on stderr, and in a file where the user named one.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of `--log`. A process has one log, as it has one stderr.
static FILE: OnceLock<Mutex<File>> = OnceLock::new();

/// Also logs to a file from now on, panics included.
///
/// # Errors
/// When the file cannot be opened for appending.
pub(crate) fn start(file: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(file)?;
    // A second call has no effect: the first file stays.
    let _ = FILE.set(Mutex::new(file));
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
    Ok(())
}

/// Logs what helps to find out why something looks wrong.
pub(crate) fn info(text: &str) {
    write("info", text);
}

/// Also writes to the file what was sent to the client's log.
pub(crate) fn note(text: &str) {
    to_file(&line("note", text));
}

/// Logs what went wrong inside the server.
pub(crate) fn error(text: &str) {
    write("error", text);
}

fn write(level: &str, text: &str) {
    let line = line(level, text);
    // There is no place to report that the log cannot be written.
    let _ = io::stderr().write_all(line.as_bytes());
    to_file(&line);
}

fn to_file(line: &str) {
    if let Some(file) = FILE.get() {
        let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

/// With the time of day, in UTC.
fn line(level: &str, text: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (hours, minutes, seconds) = (now.as_secs() / 3600 % 24, now.as_secs() / 60 % 60, now.as_secs() % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03} {level}: {text}\n", now.subsec_millis())
}
