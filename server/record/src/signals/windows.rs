//! Keyboard interrupts in a Windows console. Ctrl-C and Ctrl-Break reach all programs of the console by themselves, so a
//! command decides what they mean while it runs.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use winsafe::{HPROCESS, co};

/// A key press may be noticed a moment after the end of the command that it ended, and then belongs to the command.
const HEARD_LATE: Duration = Duration::from_millis(300);
/// The status of a program that Ctrl-C ended: `STATUS_CONTROL_C_EXIT` (learn.microsoft.com, MS-ERREF 2.3.1).
const CONTROL_C_EXIT: u32 = 0xC000_013A;

pub(super) fn is_running(process: u32) -> bool {
    match HPROCESS::OpenProcess(co::PROCESS::SYNCHRONIZE, false, process) {
        // An ended process still exists as long as somebody holds a handle to it.
        Ok(process) => process.WaitForSingleObject(Some(0)) == Ok(co::WAIT::TIMEOUT),
        Err(error) => error == co::ERROR::ACCESS_DENIED,
    }
}

static CONSOLE: Mutex<Console> = Mutex::new(Console {
    is_listening: false,
    has_command: false,
    ended: None,
    is_told: false,
    flags: Vec::new(),
});

struct Console {
    is_listening: bool,
    /// Whether a command is running.
    has_command: bool,
    /// When the last command ended.
    ended: Option<Instant>,
    /// Whether a key that ends programs was pressed.
    is_told: bool,
    /// Set when such a key is pressed.
    flags: Vec<Arc<AtomicBool>>,
}

fn console() -> MutexGuard<'static, Console> {
    CONSOLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a command. From now on, it decides what happens on Ctrl-C. If no command runs, Ctrl-C ends this process.
pub(crate) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    listen()?;
    let mut console = console();
    let child = spawn()?;
    console.has_command = true;
    Ok(child)
}

/// Waits until a command has ended.
pub(crate) fn wait(mut child: Child) -> io::Result<ExitStatus> {
    let status = child.wait();
    let mut console = console();
    console.has_command = false;
    console.ended = Some(Instant::now());
    status
}

pub(super) fn listen() -> io::Result<()> {
    let mut console = console();
    if !console.is_listening {
        ctrlc::set_handler(hear).map_err(io::Error::other)?;
        console.is_listening = true;
    }
    Ok(())
}

fn hear() {
    let mut console = console();
    for flag in &console.flags {
        flag.store(true, Ordering::SeqCst);
    }
    let is_late = console.ended.is_some_and(|time| time.elapsed() < HEARD_LATE);
    let is_first = !console.is_told;
    console.is_told = true;
    let somebody_decides = console.has_command || !console.flags.is_empty();
    if !(somebody_decides || is_late && is_first) {
        super::remove_unfinished();
        end_as_typed();
    }
}

pub(super) fn told_to_end() -> Option<i32> {
    console().is_told.then_some(0)
}

/// A flag that is set when this process is told to end.
pub(crate) fn end_flag() -> io::Result<Arc<AtomicBool>> {
    listen()?;
    let flag = Arc::new(AtomicBool::new(false));
    console().flags.push(Arc::clone(&flag));
    Ok(flag)
}

pub(super) fn end_by(_: i32) -> u8 {
    end_as_typed()
}

/// Exit statuses have 32 bits here.
pub(super) fn end_as(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or(1);
    u8::try_from(code).unwrap_or_else(|_| std::process::exit(code))
}

fn end_as_typed() -> ! {
    std::process::exit(CONTROL_C_EXIT.cast_signed())
}
