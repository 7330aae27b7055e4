//! Runs a command to its end: what hangs, or leaves something running that keeps its output open, costs a test and not all of them.

use std::io::{Read, Write as _};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A command that has not ended by then hangs.
const LONGEST: Duration = Duration::from_secs(300);
/// How often it is checked whether a command has ended.
const POLL: Duration = Duration::from_millis(3);

/// What a command printed and how it ended; `None` if it did not, or something that it started keeps its output open: then all of its group
/// is killed.
pub(crate) fn ended(mut command: Command, input: &[u8]) -> Option<Output> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read closes it.
    drop(child.stdin.take().unwrap().write_all(input));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let status = status(&mut child, || stdout.is_finished() && stderr.is_finished())?;
    Some(Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() })
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

fn status(child: &mut Child, is_closed: impl Fn() -> bool) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        if let Some(status) = child.try_wait().unwrap()
            && is_closed()
        {
            return Some(status);
        }
        thread::sleep(POLL);
    }
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status().unwrap();
    child.wait().unwrap();
    None
}
