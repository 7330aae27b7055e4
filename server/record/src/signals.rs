//! Signals and processes, as far as systems have them.

use std::process::ExitStatus;

/// Whether a process has not ended.
pub fn is_running(process: u32) -> bool {
    imp::is_running(process)
}

/// Ends this process as a command has ended, or gives the status for that. If a signal ended the command, the same one ends
/// this process.
pub fn end_as(status: ExitStatus) -> u8 {
    imp::end_as(status)
}

/// Whether this process was told to end while a command ran, or since.
pub fn is_told_to_end() -> bool {
    imp::told_to_end().is_some()
}

/// Ends this process by the signal that told it to end, or gives the status for that.
pub fn end_as_told() -> u8 {
    imp::told_to_end().map_or(0, imp::end_by)
}

pub(crate) use imp::{end_flag, forward, stop_forwarding};

#[cfg(unix)]
mod imp {
    use std::io::IsTerminal;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::Signals;

    pub(super) fn is_running(process: u32) -> bool {
        pid(process).is_some_and(|it| test_kill_process(it).is_ok())
    }

    /// The command to which signals are handed on; 0 if none runs.
    static COMMAND: AtomicU32 = AtomicU32::new(0);
    /// The last signal that told this process to end; 0 if there was none.
    static END: AtomicI32 = AtomicI32::new(0);
    static IS_LISTENING: Mutex<bool> = Mutex::new(false);

    /// From now on this process hands its signals on to the command, which decides what they mean. What is typed at a
    /// terminal reaches the command without help, as it belongs to the same group of processes.
    pub(crate) fn forward(process: u32) -> std::io::Result<()> {
        COMMAND.store(process, Ordering::SeqCst);
        let mut is_listening = IS_LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_listening {
            return Ok(());
        }
        let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2])?;
        *is_listening = true;
        let is_typed = std::io::stdin().is_terminal();
        std::thread::spawn(move || {
            for number in signals.forever() {
                if !matches!(number, SIGUSR1 | SIGUSR2) {
                    END.store(number, Ordering::SeqCst);
                }
                let typed = is_typed && matches!(number, SIGINT | SIGQUIT);
                let signal = Signal::from_named_raw(number).filter(|_| !typed);
                let command = Some(COMMAND.load(Ordering::SeqCst)).filter(|it| *it != 0);
                if let (Some(signal), Some(pid)) = (signal, command.and_then(pid)) {
                    // A command that has just ended needs no signal.
                    let _ = kill_process(pid, signal);
                }
            }
        });
        Ok(())
    }

    /// The command has ended: another process may get its number.
    pub(crate) fn stop_forwarding() {
        COMMAND.store(0, Ordering::SeqCst);
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
        // Only returns if the signal cannot end a process.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        u8::try_from(128 + signal).unwrap_or(1)
    }

    fn pid(process: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(process).ok()?)
    }
}

#[cfg(not(unix))]
mod imp {
    use std::process::ExitStatus;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Not known: what a process has left counts as all there is.
    pub(super) fn is_running(_: u32) -> bool {
        false
    }

    pub(crate) fn end_flag() -> std::io::Result<Arc<AtomicBool>> {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&flag))?;
        Ok(flag)
    }

    /// What is typed in a console reaches the command without help.
    pub(crate) fn forward(_: u32) -> std::io::Result<()> {
        Ok(())
    }

    /// What is typed in a console ends this process, too.
    pub(crate) fn stop_forwarding() {}

    pub(super) fn told_to_end() -> Option<i32> {
        None
    }

    pub(super) fn end_by(_: i32) -> u8 {
        1
    }

    pub(super) fn end_as(status: ExitStatus) -> u8 {
        status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1)
    }
}
