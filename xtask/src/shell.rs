//! Runs other programs: with their output on the terminal for the person who waits, and with what they printed for the
//! caller that counts.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A program with its arguments, separated by single spaces, to be run in a folder.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(folder);
    command
}

/// Runs it; what it prints goes to the terminal.
///
/// # Errors
/// If it does not start, or fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{} could not be started", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a `cargo build` with `--message-format json`; returns the program that it built.
///
/// # Errors
/// If it does not build.
pub(crate) fn built(build: &mut Command) -> Result<PathBuf> {
    let output = build.stderr(Stdio::inherit()).output().context("cargo could not be started")?;
    if !output.status.success() {
        bail!("{} failed", shown(build));
    }
    // Cargo knows where the target folder is; the last program that it names is ours.
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let programs = messages.lines().filter_map(|it| serde_json::from_str::<serde_json::Value>(it).ok());
    let path = programs.filter_map(|it| Some(PathBuf::from(it["executable"].as_str()?))).next_back();
    path.context("cargo did not say where the program is")
}

/// What a program printed while the person watched, and whether it succeeded.
pub(crate) struct Watched {
    pub(crate) ok: bool,
    pub(crate) lines: Vec<String>,
}

/// Runs it; its standard output goes to the terminal and is returned.
///
/// # Errors
/// If it does not start.
pub(crate) fn watch(command: &mut Command) -> Result<Watched> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} could not be started", shown(command)))?;
    let stdout = child.stdout.take().context("its output was piped")?;
    let mut lines = Vec::new();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        eprintln!("{line}");
        lines.push(line);
    }
    Ok(Watched { ok: child.wait()?.success(), lines })
}

/// The same including its errors, in the order in which both were printed. Each line has a name before it, because something else may
/// print at the same time.
///
/// # Errors
/// If it does not start.
pub(crate) fn watch_beside(command: &mut Command, name: &str) -> Result<Watched> {
    both_outputs(command, |line| eprintln!("{name} | {line}"))
}

/// The same without a name before the lines, and possibly without showing them.
///
/// # Errors
/// If it does not start.
pub(crate) fn end_of(command: &mut Command, is_shown: bool) -> Result<Watched> {
    both_outputs(command, |line| {
        if is_shown {
            println!("{line}");
        }
    })
}

fn both_outputs(command: &mut Command, mut show: impl FnMut(&str)) -> Result<Watched> {
    let (output, input) = std::io::pipe()?;
    command.stdout(input.try_clone()?).stderr(input);
    let mut child = command.spawn().with_context(|| format!("{} could not be started", shown(command)))?;
    // Otherwise the pipe would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut lines = Vec::new();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        show(&line);
        lines.push(line);
    }
    Ok(Watched { ok: child.wait()?.success(), lines })
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    format!("`{}`", words.map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" "))
}

/// How many programs can run at once; 1 if the system does not say.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
