//! Signals and processes, as far as systems have them.

/// Whether a process has not ended.
pub fn is_running(process: u32) -> bool {
    imp::is_running(process)
}

pub(crate) use imp::{ask_for_inspector, end_as, end_flag, forward};

#[cfg(unix)]
mod imp {
    use std::io::IsTerminal;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

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

    /// Has Node open its inspector. Any other program would end at that signal.
    pub(crate) fn ask_for_inspector(process: u32) -> Result<(), String> {
        let program = std::fs::read_link(format!("/proc/{process}/exe"))
            .map_err(|error| format!("Process {process} cannot be looked at: {error}."))?;
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("node") && !name.starts_with("electron") {
            return Err(format!(
                "Process {process} is {name}, not Node. If it is Node inside, start it with --inspect=0, and give the address that it prints."
            ));
        }
        let sent = pid(process).map(|it| kill_process(it, Signal::USR1));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(format!("Process {process} takes no signal: {error}.")),
            None => Err(format!("There is no process {process}.")),
        }
    }

    /// A flag that is set when this process is told to end.
    pub(crate) fn end_flag() -> std::io::Result<Arc<AtomicBool>> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(flag)
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
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Not known: what a process has left counts as all there is.
    pub(super) fn is_running(_: u32) -> bool {
        false
    }

    pub(crate) fn ask_for_inspector(process: u32) -> Result<(), String> {
        Err(format!(
            "Process {process} cannot be asked on this system. Start it with --inspect, and give HOST:PORT."
        ))
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

    pub(crate) fn end_as(status: ExitStatus) -> u8 {
        status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1)
    }
}
