//! The part of a recording that somebody wants to see, in their own words: the flags of a command, or what was chosen in an
//! editor. It becomes a [`Scope`] for each profile, because threads, markers and labels have different numbers in each.

use analysis::scope::{Scope, StackChange};
use profile::model::{Amount, Profile};
use profile::problem::Problem;
use profile::scope::{Labels, Threads, Windows};

/// What somebody wants to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScopeRequest {
    /// Threads by name or number; `all` means all of them, and an empty list the usual ones.
    pub(crate) threads: Vec<String>,
    /// Between two moments since the start.
    pub(crate) between: Option<(Amount, Amount)>,
    /// While these markers last.
    pub(crate) markers: Vec<String>,
    /// With these labels, each `KEY=VALUE`.
    pub(crate) labels: Vec<String>,
    /// With these changes of the stacks.
    pub(crate) changes: Vec<StackChange>,
}

impl ScopeRequest {
    /// The scope of a profile; the threads are `otherwise` if none were named.
    ///
    /// # Errors
    /// If there is no such thread, marker or label, or no time axis.
    pub(crate) fn of(&self, profile: &Profile, trace: &str, otherwise: Threads) -> Result<Scope, Problem> {
        let is_default = self.threads.is_empty();
        let threads = if is_default { otherwise } else { Threads::named(profile, trace, &self.threads)? };
        let windows = self.windows(profile, trace, &threads)?;
        let labels = self.labels(profile, trace)?;
        Ok(Scope { threads, windows, labels, changes: self.changes.clone() })
    }

    /// The scope of a newer version of the trace that this was chosen for. What the trace lacks is left out, with a problem.
    pub(crate) fn of_newer(&self, profile: &Profile, trace: &str) -> (Scope, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut threads = Threads::Page;
        if !self.threads.is_empty() {
            match Threads::chosen_before(profile, trace, &self.threads) {
                Ok(chosen) => threads = chosen,
                Err(problem) => problems.push(problem.at(trace).instead("the threads of the page are shown")),
            }
        }
        let windows = self.windows(profile, trace, &threads).unwrap_or_else(|problem| {
            problems.push(problem.at(trace).instead("all of the recording is shown"));
            None
        });
        let labels = self.labels(profile, trace).unwrap_or_else(|problem| {
            problems.push(problem.at(trace).instead("samples of all labels are shown"));
            None
        });
        (Scope { threads, windows, labels, changes: self.changes.clone() }, problems)
    }

    fn labels(&self, profile: &Profile, trace: &str) -> Result<Option<Labels>, Problem> {
        if self.labels.is_empty() {
            return Ok(None);
        }
        Labels::of(profile, trace, &self.labels).map(Some)
    }

    fn windows(&self, profile: &Profile, trace: &str, threads: &Threads) -> Result<Option<Windows>, Problem> {
        let between = match self.between {
            Some((from, to)) => Some(Windows::between(profile, trace, from, to)?),
            None => None,
        };
        if self.markers.is_empty() {
            return Ok(between);
        }
        let marked = Windows::of_markers(profile, trace, threads, &self.markers)?;
        Ok(Some(match between {
            Some(between) => marked.and(between),
            None => marked,
        }))
    }
}
