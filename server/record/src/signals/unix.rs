//! Signals of POSIX: a command gets those that this process gets, and decides what they mean.

use std::io::{self, IsTerminal};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, getsid, kill_process, test_kill_process, waitid,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};

/// A signal may be noticed a moment after the end of the command that it ended, and then belongs to the command. Both reach
/// this process at once; only its threads may be late.
const HEARD_LATE: Duration = Duration::from_millis(300);

pub(super) fn is_running(process: u32) -> bool {
    // A process of another user may not be signalled, but it is there.
    pid(process).is_some_and(|pid| matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)))
}

/// The running command, if there is one.
static COMMAND: Mutex<Command> = Mutex::new(Command { process: None, ended: None, is_listening: false });
/// The last signal that told this process to end; 0 if there was none.
static END: AtomicI32 = AtomicI32::new(0);

struct Command {
    process: Option<Pid>,
    /// When the last one ended.
    ended: Option<Instant>,
    is_listening: bool,
}

fn command() -> MutexGuard<'static, Command> {
    COMMAND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a command. From now on this process passes its signals on to it, because the command decides what they mean.
/// When no command runs, they end this process.
pub(crate) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    listen()?;
    let mut command = command();
    let child = spawn()?;
    command.process = pid(child.id());
    Ok(child)
}

/// Waits until a command has ended. Its number may belong to another process as soon as it is reaped, so it is forgotten
/// before that.
pub(crate) fn wait(mut child: Child) -> io::Result<ExitStatus> {
    if let Some(pid) = pid(child.id()) {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(pid), ended).is_err_and(|error| error == Errno::INTR) {}
    }
    let mut command = command();
    command.process = None;
    command.ended = Some(Instant::now());
    drop(command);
    child.wait()
}

pub(super) fn listen() -> io::Result<()> {
    let mut command = command();
    if command.is_listening {
        return Ok(());
    }
    // What is ignored here, as with nohup, stays ignored in the command: `exec` resets handlers.
    let ignored = ignored();
    let heard = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]
        .into_iter()
        .filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = SignalsInfo::<WithOrigin>::new(heard)?;
    std::thread::spawn(move || signals.forever().for_each(|origin| hear(&origin)));
    command.is_listening = true;
    Ok(())
}

/// The signals that this process was told to ignore when it was started, as Linux reports them (proc_pid_status(5)).
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn hear(origin: &Origin) {
    let ends = !matches!(origin.signal, SIGUSR1 | SIGUSR2);
    // Held until the signal is sent, so that the process is still the command.
    let command = command();
    if let Some(process) = command.process {
        if ends {
            END.store(origin.signal, Ordering::SeqCst);
        }
        if let Some(signal) = Signal::from_named_raw(origin.signal).filter(|_| !went_to_all(origin)) {
            // A command that has just ended needs no signal.
            let _ = kill_process(process, signal);
        }
        return;
    }
    let is_late = command.ended.is_some_and(|time| time.elapsed() < HEARD_LATE);
    let is_first = told_to_end().is_none();
    drop(command);
    if !ends {
        return;
    }
    END.store(origin.signal, Ordering::SeqCst);
    if !(is_late && is_first) {
        crate::signals::remove_unfinished();
        std::process::exit(i32::from(end_by(origin.signal)));
    }
}

/// Whether a signal was typed at the terminal, or came from the end of the terminal: the system sends such a signal to all
/// processes of the foreground group, which the command belongs to.
fn went_to_all(origin: &Origin) -> bool {
    match origin.cause {
        // When a terminal is gone, only the first process of the session is told (`tty_signal_session_leader` of
        // drivers/tty/tty_jobctrl.c); the others are told when that one has ended.
        Cause::Kernel => origin.signal != SIGHUP || getsid(None).ok() != Some(getpid()),
        // macOS does not say. A program whose stdin is not a terminal then receives Ctrl-C twice.
        Cause::Unknown => matches!(origin.signal, SIGINT | SIGQUIT) && io::stdin().is_terminal(),
        _ => false,
    }
}

pub(super) fn told_to_end() -> Option<i32> {
    Some(END.load(Ordering::SeqCst)).filter(|it| *it != 0)
}

/// A flag that is set when this process is told to end.
pub(crate) fn end_flag() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

pub(super) fn end_as(status: ExitStatus) -> u8 {
    match status.signal() {
        Some(signal) => end_by(signal),
        None => status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1),
    }
}

pub(super) fn end_by(signal: i32) -> u8 {
    // This only returns if the signal cannot end a process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    u8::try_from(128 + signal).unwrap_or(1)
}

fn pid(process: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(process).ok()?)
}
