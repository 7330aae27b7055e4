//! Signals and processes, as far as systems have them.

/// Whether a process has not ended.
pub fn is_running(process: u32) -> bool {
    imp::is_running(process)
}

pub(crate) use imp::{end_as, forward};

#[cfg(unix)]
mod imp {
    use std::io::IsTerminal;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::Signals;

    pub(super) fn is_running(process: u32) -> bool {
        pid(process).is_some_and(|it| test_kill_process(it).is_ok())
    }

    /// From now on this process hands its signals on to the command, which decides what they mean. What is typed at a
    /// terminal reaches the command without help, as it belongs to the same group of processes.
    pub(crate) fn forward(process: u32) -> std::io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2])?;
        let is_typed = std::io::stdin().is_terminal();
        std::thread::spawn(move || {
            for number in signals.forever() {
                let typed = is_typed && matches!(number, SIGINT | SIGQUIT);
                let signal = Signal::from_named_raw(number).filter(|_| !typed);
                if let (Some(signal), Some(pid)) = (signal, pid(process)) {
                    // A command that has just ended needs no signal.
                    let _ = kill_process(pid, signal);
                }
            }
        });
        Ok(())
    }

    /// The status to end with: that of the command. If a signal ended it, the same one ends this process.
    pub(crate) fn end_as(status: ExitStatus) -> u8 {
        if let Some(signal) = status.signal() {
            // Only returns if the signal cannot end a process.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            return u8::try_from(128 + signal).unwrap_or(1);
        }
        status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1)
    }

    fn pid(process: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(process).ok()?)
    }
}

#[cfg(not(unix))]
mod imp {
    use std::process::ExitStatus;

    /// Not known: what a process has left counts as all there is.
    pub(super) fn is_running(_: u32) -> bool {
        false
    }

    /// What is typed in a console reaches the command without help.
    pub(crate) fn forward(_: u32) -> std::io::Result<()> {
        Ok(())
    }

    pub(crate) fn end_as(status: ExitStatus) -> u8 {
        status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1)
    }
}
