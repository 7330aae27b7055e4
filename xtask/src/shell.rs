//! Runs other programs: with their output on the terminal for the person who waits, and with what they printed for the
//! caller that counts.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long a program may print nothing before it is ended as one that hangs. No test takes that long, even on a busy machine.
const LONGEST_SILENCE: Duration = Duration::from_secs(15 * 60);
/// How long nothing comes from a program that has ended, until what it left running is no longer listened to. What it printed last may
/// take a while to arrive on a busy machine.
const PAUSE: Duration = Duration::from_secs(5);

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
    let status = command.status().with_context(|| not_started(command))?;
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
/// If it does not start, or hangs.
pub(crate) fn watch(command: &mut Command) -> Result<Watched> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| not_started(command))?;
    let stdout = child.stdout.take().context("its output was piped")?;
    listen(child, stdout, LONGEST_SILENCE, |line| eprintln!("{line}"))
        .with_context(|| format!("{} was ended", shown(command)))
}

/// The same including its errors, in the order in which both were printed. Each line has a name before it, because something else may
/// print at the same time.
///
/// # Errors
/// If it does not start, or hangs.
pub(crate) fn watch_beside(command: &mut Command, name: &str) -> Result<Watched> {
    both_outputs(command, |line| eprintln!("{name} | {line}"))
}

/// The same without a name before the lines, and possibly without showing them.
///
/// # Errors
/// If it does not start, or hangs.
pub(crate) fn end_of(command: &mut Command, is_shown: bool) -> Result<Watched> {
    both_outputs(command, |line| {
        if is_shown {
            println!("{line}");
        }
    })
}

fn both_outputs(command: &mut Command, show: impl FnMut(&str)) -> Result<Watched> {
    let (output, input) = std::io::pipe()?;
    command.stdout(input.try_clone()?).stderr(input);
    let child = command.spawn().with_context(|| not_started(command))?;
    // Otherwise the pipe would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    listen(child, output, LONGEST_SILENCE, show).with_context(|| format!("{} was ended", shown(command)))
}

/// The lines that a program prints, until it has ended. What it started may live on and keep its output open: that is not waited for.
///
/// # Errors
/// If it prints nothing for longer than `longest_silence`; then it is ended, with all that it started.
fn listen(
    mut child: Child,
    output: impl Read + Send + 'static,
    longest_silence: Duration,
    mut show: impl FnMut(&str),
) -> Result<Watched> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
        for line in lines {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    let mut lines = Vec::new();
    let mut last = Instant::now();
    let mut has_ended = false;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(line) => {
                show(&line);
                lines.push(line);
                last = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if has_ended => break,
            Err(RecvTimeoutError::Timeout) => {
                has_ended = child.try_wait()?.is_some();
                if !has_ended && last.elapsed() > longest_silence {
                    end_with_all(&mut child)?;
                    bail!("it printed nothing for {longest_silence:?}; {}", what_it_did(&lines));
                }
            }
        }
    }
    Ok(Watched { ok: child.wait()?.success(), lines })
}

/// What a program that hangs was at: the tests of cargo that have not ended, or else the last lines.
fn what_it_did(lines: &[String]) -> String {
    let slow = lines.iter().filter_map(|line| line.strip_suffix(" has been running for over 60 seconds"));
    let has_ended = |test: &str| lines.iter().any(|line| line.starts_with(&format!("{test} ... ")));
    let tests: Vec<&str> = slow.filter(|test| !has_ended(test)).collect();
    if !tests.is_empty() {
        return format!("still running: {}", tests.join(", "));
    }
    let last = &lines[lines.len().saturating_sub(5)..];
    format!("its last lines were:\n{}", last.join("\n"))
}

/// Ends a program and, where the system lists them, those that it started and that these started.
fn end_with_all(child: &mut Child) -> Result<()> {
    for process in started_by(child.id()) {
        // One that has ended meanwhile is what was wanted.
        let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// The processes that a process started, and those that these started, as Linux lists them (`proc_pid_task(5)`).
fn started_by(process: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| list.split_whitespace().filter_map(|it| it.parse().ok()).collect::<Vec<_>>())
        .collect();
    children.into_iter().flat_map(|child| started_by(child).into_iter().chain([child])).collect()
}

fn not_started(command: &Command) -> String {
    format!("{} could not be started", shown(command))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    format!("`{}`", words.map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" "))
}

/// How many programs can run at once; 1 if the system does not say.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn listened(script: &str) -> Result<Vec<String>> {
        let mut child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("its output was piped")?;
        Ok(listen(child, stdout, Duration::from_secs(2), |_| {})?.lines)
    }

    #[test]
    fn what_a_program_left_running_is_not_waited_for() {
        assert_eq!(listened("sleep 60 & echo one").map(|lines| lines.len()).ok(), Some(1));
    }

    #[test]
    fn a_program_that_hangs_is_ended_and_said() {
        let said = listened("echo one; sleep 600").unwrap_err().to_string();
        assert_eq!(said, "it printed nothing for 2s; its last lines were:\none");
        let text = "echo 'test a has been running for over 60 seconds'; echo 'test b has been running for over 60 seconds'
            echo 'test a ... ok'; sleep 600";
        assert_eq!(
            listened(text).unwrap_err().to_string(),
            "it printed nothing for 2s; still running: test b"
        );
    }
}
