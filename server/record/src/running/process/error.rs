//! Why a process is not recorded, and what to do about it.

use profile::problem::Problem;

use super::super::message::shown;

/// Why a process is not recorded. The number comes first in each sentence.
#[derive(Debug)]
pub(crate) struct ProcessError {
    pub(crate) process: u32,
    pub(crate) why: Why,
}

#[cfg(target_os = "linux")]
impl ProcessError {
    /// Whether it may be different in a moment.
    pub(crate) fn is_too_early(&self) -> bool {
        matches!(self.why, Why::DoesNotListen)
    }
}

/// Why a process is not recorded.
#[derive(Debug)]
#[allow(
    dead_code,
    reason = "processes are looked at on Linux only, and what is said elsewhere is tested there too"
)]
pub(crate) enum Why {
    Gone,
    NotReadable(std::io::Error),
    /// Its ports are not those of this machine.
    OtherNetwork,
    /// It is another program, with this name.
    NotNode(String),
    /// It is Node, and would end on the signal, or never receive it.
    DoesNotListen,
    /// The program does something of its own on the signal.
    ListensItself,
    /// It cannot be determined whether it does.
    MayListenItself(&'static str),
    TakesCoverage(String),
    NotSignalled(std::io::Error),
    OpensNothing {
        is_taken: bool,
    },
    /// The number of the process that answered instead.
    Other(u64),
    Interrupted,
    /// It can only be found by its number on Linux.
    OtherSystem {
        is_windows: bool,
    },
}

const START: &str = "start it with --inspect=0, and give the address that it prints";

impl From<ProcessError> for Problem {
    fn from(ProcessError { process, why }: ProcessError) -> Self {
        match why {
            Why::Gone => Self::new(format!("There is no process {process}"), ""),
            Why::NotReadable(error) => {
                Self::new(format!("Process {process} cannot be looked at: {error}"), "")
            }
            Why::OtherNetwork => Self::new(
                format!(
                    "Process {process} is in another network namespace, such as a container, whose ports are not those of this machine"
                ),
                "run proflens in there (docker exec, nsenter), or start it with --inspect=0.0.0.0, publish that port on 127.0.0.1, and \
                 give HOST:PORT",
            ),
            Why::NotNode(name) => Self::new(
                format!("Process {process} is {}, not Node", shown(&name)),
                format!("if it is Node inside, {START}"),
            ),
            Why::DoesNotListen => Self::new(
                format!(
                    "Process {process} is Node, and does not open its inspector when it is asked (--disable-sigusr1, or it has not \
                     started yet)"
                ),
                START,
            ),
            Why::ListensItself => Self::new(
                format!(
                    "Process {process} has a listener of its own for SIGUSR1, by which Node is asked for its inspector, so it gets none"
                ),
                START,
            ),
            Why::MayListenItself(why) => Self::new(
                format!(
                    "Whether process {process} has a listener of its own for SIGUSR1, by which Node is asked for its inspector, cannot be \
                     told: {why}"
                ),
                format!("if it has none, kill -USR1 {process} opens its inspector; then attach again"),
            ),
            Why::TakesCoverage(sign) => takes_coverage(&format!("Process {process}"), &sign),
            Why::NotSignalled(error) => Self::new(format!("Process {process} takes no signal: {error}"), ""),
            Why::OpensNothing { is_taken } => {
                let taken = if is_taken { ", as another program listens on port 9229" } else { "" };
                Self::new(format!("Process {process} opens no inspector{taken}"), START)
            }
            Why::Other(other) => Self::new(
                format!("The inspector on a port of process {process} is that of process {other}"),
                "nothing was done to either. Give the address that the program itself prints",
            ),
            Why::Interrupted => Self::new(
                format!("Process {process} was not recorded: that was ended before its inspector answered"),
                "",
            ),
            // Node opens its inspector on a signal, or, where there are none, when another Node asks
            // (nodejs.org/en/learn/getting-started/debugging).
            Why::OtherSystem { is_windows } => {
                let ask = match is_windows {
                    true => format!("node -e \"process._debugProcess({process})\""),
                    false => format!("kill -USR1 {process}"),
                };
                Self::new(
                    format!("Where process {process} listens cannot be known on this system"),
                    format!(
                        "if it is Node, `{ask}` opens its inspector: then give 127.0.0.1:9229, or HOST:PORT as it prints them"
                    ),
                )
            }
        }
    }
}

/// The problem with a program that collects coverage, by a sign of that.
pub(crate) fn takes_coverage(program: &str, sign: &str) -> Problem {
    Problem::new(
        format!("{program} takes coverage ({}), which V8 loses when a recording ends", shown(sign)),
        "it was left as it is; run it without coverage to record it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_a_process_elsewhere_is_told_the_command() {
        let said = |is_windows| {
            let error = ProcessError { process: 7, why: Why::OtherSystem { is_windows } };
            Problem::from(error).hint
        };
        assert!(
            said(true)
                .starts_with("if it is Node, `node -e \"process._debugProcess(7)\"` opens its inspector")
        );
        assert!(said(false).starts_with("if it is Node, `kill -USR1 7` opens its inspector"));
    }
}
