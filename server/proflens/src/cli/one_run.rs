//! Decides which traces of a folder belong to one run, and so have a sum: the sessions that pages sent, the repeated runs
//! of a command, the processes and workers of a program that ran at the same time. Two recordings that somebody saved one
//! after the other have no sum.

use std::path::Path;
use std::time::{Duration, SystemTime};

use profile::model::Profile;
use record::head::Head;

use crate::recordings;
use crate::traces::{ReadTrace, file_name};

/// The names that Node gives profiles have whole seconds, and a process takes a moment after its start until its profile begins.
const SLACK: u64 = 2;

/// What is known about a trace in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// When it was recorded, or if that is unknown, written.
    pub(super) recorded: Option<SystemTime>,
    set: TraceSet,
}

/// What kind of set a trace belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TraceSet {
    /// Sessions of many users.
    Sessions,
    /// Runs of `record --repeat`.
    Runs(Box<Head>),
    /// A process that Node recorded, from this second on for this many seconds.
    Process { start: u64, seconds: u64 },
    /// Nothing.
    Itself,
}

impl Kept {
    /// The kind of set that a file belongs to.
    pub(super) fn of(file: &Path, read: &ReadTrace) -> Self {
        Self { recorded: read.recorded(), set: TraceSet::new(file, &read.profile) }
    }
}

impl TraceSet {
    fn new(file: &Path, profile: &Profile) -> Self {
        let name = file_name(file);
        if profile.format == "self-profiling" {
            return Self::Sessions;
        }
        if let Some(start) = second_in(&name) {
            let longest = profile.threads.iter().map(|thread| thread.duration.0).max().unwrap_or(0);
            return Self::Process { start, seconds: Duration::from_nanos(longest).as_secs() + 1 };
        }
        match recordings::head(file) {
            Some(head) if is_run(&name, &head) => Self::Runs(Box::new(head)),
            _ => Self::Itself,
        }
    }
}

/// Whether a file is named like those of `record --repeat`: `main.ts-01.json.gz`.
fn is_run(file: &str, head: &Head) -> bool {
    let rest = file
        .strip_prefix(&*record::destination::file_name(&head.name))
        .and_then(|rest| rest.strip_prefix('-'));
    let number = rest.and_then(|rest| rest.split('.').next()).unwrap_or_default();
    number.len() >= 2 && is_of_digits(number)
}

/// The second at which Node began a profile, by its name: `CPU.20240131.235959.PID.TID.SEQUENCE.cpuprofile` (`DiagnosticFilename`
/// of Node), on an axis of its own.
fn second_in(file: &str) -> Option<u64> {
    let mut parts = file.split('.');
    parts.next().filter(|kind| matches!(*kind, "CPU" | "Heap"))?;
    let date = parts.next().filter(|date| date.len() == 8 && is_of_digits(date))?.parse::<u64>().ok()?;
    let time = parts.next().filter(|time| time.len() == 6 && is_of_digits(time))?.parse::<u64>().ok()?;
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    // Counting 31 days for each month keeps the order, and the seconds within a day; only runs across midnight at the end of a month are
    // split.
    let days = (year * 12 + month) * 31 + day;
    Some(days * 86_400 + time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100)
}

fn is_of_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// For each trace of a folder, whether it belongs to the same run as the newest.
pub(super) fn newest_run(all: &[&Kept]) -> Vec<bool> {
    let Some(newest) = (0..all.len()).max_by_key(|&at| (all[at].recorded, at)) else { return Vec::new() };
    let mut together = vec![false; all.len()];
    together[newest] = true;
    // Two processes may only overlap with a third one, so the search continues from each one that is found.
    let mut found = vec![newest];
    while let Some(one) = found.pop() {
        for other in 0..all.len() {
            if !together[other] && belong(all[one], all[other]) {
                together[other] = true;
                found.push(other);
            }
        }
    }
    together
}

/// Whether two traces belong to one run.
fn belong(one: &Kept, other: &Kept) -> bool {
    match (&one.set, &other.set) {
        (TraceSet::Sessions, TraceSet::Sessions) => true,
        (TraceSet::Runs(one), TraceSet::Runs(other)) => {
            (&one.name, &one.checkout) == (&other.name, &other.checkout)
        }
        (TraceSet::Process { start, seconds }, TraceSet::Process { start: other, seconds: others }) => {
            *start <= other + others + SLACK && *other <= start + seconds + SLACK
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use record::head::Checkout;

    use super::*;

    fn together(all: &[(u64, TraceSet)]) -> Vec<bool> {
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let all: Vec<Kept> =
            all.iter().map(|(recorded, set)| Kept { recorded: at(*recorded), set: set.clone() }).collect();
        newest_run(&all.iter().collect::<Vec<_>>())
    }

    fn process(name: &str, seconds: u64) -> TraceSet {
        TraceSet::Process { start: second_in(name).unwrap(), seconds }
    }

    #[test]
    fn processes_that_ran_at_the_same_time_are_one_run() {
        let all = [
            (100, process("CPU.20261124.235950.100.0.001.cpuprofile", 30)),
            (101, process("CPU.20261124.235952.101.0.002.cpuprofile", 2)),
            (102, process("CPU.20261125.000018.102.0.003.cpuprofile", 9)),
            (90, process("CPU.20261124.225952.77.0.001.cpuprofile", 2)),
            (95, TraceSet::Itself),
        ];
        assert_eq!(together(&all), [true, true, true, false, false]);
        assert_eq!(together(&all[3..]), [false, true]);
        assert_eq!(
            second_in("CPU-20261124T235950.cpuprofile"),
            None,
            "DevTools names what somebody saved so"
        );
        assert_eq!(second_in("CPU.2026.cpuprofile"), None);
    }

    #[test]
    fn runs_of_a_command_at_a_commit_are_one() {
        let head = |name: &str, time, commit: &str| {
            let checkout = Checkout { commit: commit.to_owned(), ..Checkout::default() };
            Head { time, name: name.to_owned(), checkout: Some(checkout), ..Head::default() }
        };
        let run = |name: &str, time, commit: &str| (time, TraceSet::Runs(Box::new(head(name, time, commit))));
        let all = [run("a.js", 1, "x"), run("a.js", 2, "y"), run("a.js", 3, "y"), run("b.js", 2, "y")];
        assert_eq!(together(&all), [false, true, true, false]);
        assert!(is_run("main.ts-01.json.gz", &head("src/main.ts", 1, "x")));
        assert!(!is_run("2026-11-24T03-10-00-main.ts.json.gz", &head("src/main.ts", 1, "x")));
    }

    #[test]
    fn sessions_of_users_are_one_and_what_was_saved_is_alone() {
        assert_eq!(
            together(&[(1, TraceSet::Sessions), (3, TraceSet::Sessions), (2, TraceSet::Itself)]),
            [true, true, false]
        );
        assert_eq!(together(&[(1, TraceSet::Itself), (1, TraceSet::Itself)]), [false, true]);
        assert_eq!(together(&[]), [] as [bool; 0]);
    }
}
