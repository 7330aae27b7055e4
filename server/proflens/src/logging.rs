//! The log: lines on stderr, and in a file if the user named one. Whatever is logged is one line, because it may contain names
//! chosen by others.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use profile::plain::plain;

/// The file of `--log`. A process has one log, as it has one stderr.
static FILE: OnceLock<Mutex<LogFile>> = OnceLock::new();

struct LogFile {
    file: File,
    /// Whether a line could not be written, which is reported once.
    is_incomplete: bool,
}

/// Also logs to a file from now on, panics included.
///
/// # Errors
/// When the file cannot be opened for appending.
pub(crate) fn start(file: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(file)?;
    // A second call has no effect: the first file stays.
    let _ = FILE.set(Mutex::new(LogFile { file, is_incomplete: false }));
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string().replace('\n', " "))));
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
    to_stderr(&line);
    to_file(&line);
}

fn to_stderr(line: &str) {
    // There is nowhere to report that this fails.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// A session goes on without its log; stderr says that lines are missing in it.
fn to_file(line: &str) {
    let Some(log) = FILE.get() else { return };
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = log.file.write_all(line.as_bytes())
        && !std::mem::replace(&mut log.is_incomplete, true)
    {
        let why = format!("The log cannot be written: {error}. Lines are missing in it from here on.");
        to_stderr(&self::line("error", &why));
    }
}

/// With the time of day, in UTC.
fn line(level: &str, text: &str) -> String {
    let text = plain(text);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (hours, minutes, seconds) = (now.as_secs() / 3600 % 24, now.as_secs() / 60 % 60, now.as_secs() % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03} {level}: {text}\n", now.subsec_millis())
}
