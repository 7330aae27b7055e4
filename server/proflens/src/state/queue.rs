//! The loader's queue. A job that is pushed again while it waits moves to the end.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{oneshot, watch};

/// A file that was written less than this time ago may still be being written.
pub(crate) const QUIET_TIME: Duration = Duration::from_millis(150);
/// How long to wait at most for a file to be complete.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(3);
/// How long an answer waits for the first job: editors give up after ten seconds.
const FIRST_JOB_WAIT: Duration = Duration::from_secs(5);

/// The jobs of the loader, in order, each with those who wait for its end.
#[derive(Default)]
pub(crate) struct Queue {
    jobs: Mutex<VecDeque<(Job, Vec<oneshot::Sender<()>>)>>,
    wake: Condvar,
    closed: AtomicBool,
    first_is_done: watch::Sender<bool>,
}

/// One job of the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Look for traces, and load the newest if the user wants that.
    Find,
    /// Load this trace and show it, as the user asked.
    Load(PathBuf),
    /// Place the shown trace again: settings or folders have changed.
    PlaceAgain,
    /// Add up the part of the shown trace that is to be looked at now: all functions stay where they are.
    AddUpAgain,
    /// Place the shown trace again once the files that decide about that are no longer being written.
    Rebuilt,
    /// Place the shown trace again with late answers from the git history.
    Refine,
    /// Compare what is shown with these files and folders, under this name if it is not made from theirs.
    CompareWith(Vec<PathBuf>, Option<String>),
    /// Compare what is shown again with the same side before.
    CompareAgain,
}

impl Queue {
    /// Adds a job, unless the same one waits already.
    pub(crate) fn push(&self, job: Job) {
        self.add(job, None);
    }

    /// [`Queue::push`] with a receiver that is notified when the job is done.
    pub(crate) fn push_and_wait(&self, job: Job) -> oneshot::Receiver<()> {
        let (done, wait) = oneshot::channel();
        self.add(job, Some(done));
        wait
    }

    /// Marks the current job as done.
    pub(crate) fn done(&self) {
        self.first_is_done.send_replace(true);
    }

    /// Waits until the first job is done, which looks for a trace and loads it, or for a while.
    pub(crate) async fn first_job(&self) {
        let mut is_done = self.first_is_done.subscribe();
        let _ = tokio::time::timeout(FIRST_JOB_WAIT, is_done.wait_for(|is_done| *is_done)).await; // in vain is no error
    }

    /// Ends the loader, and asks the current job to stop.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.jobs().clear();
        self.wake.notify_all();
    }

    fn add(&self, job: Job, done: Option<oneshot::Sender<()>>) {
        let mut jobs = self.jobs();
        let same = jobs.iter().position(|(other, _)| *other == job).and_then(|at| jobs.remove(at));
        let mut waiting = same.map(|(_, waiting)| waiting).unwrap_or_default();
        waiting.extend(done);
        jobs.push_back((job, waiting));
        self.wake.notify_all();
    }

    /// Waits until a job has not been pushed again for a moment; jobs pushed meanwhile are merged with it.
    pub(crate) fn settle(&self, job: &Job) {
        let since = SystemTime::now();
        loop {
            std::thread::sleep(QUIET_TIME);
            let mut jobs = self.jobs();
            let Some(again) = jobs.iter().position(|(other, _)| other == job) else { return };
            jobs.remove(again);
            let waited = SystemTime::now().duration_since(since).unwrap_or(MAX_WAIT);
            if waited >= MAX_WAIT || self.is_closed() {
                return;
            }
        }
    }

    pub(crate) fn next(&self) -> Option<(Job, Vec<oneshot::Sender<()>>)> {
        let woken = self.wake.wait_while(self.jobs(), |jobs| jobs.is_empty() && !self.is_closed());
        let mut jobs = woken.unwrap_or_else(PoisonError::into_inner);
        if self.is_closed() { None } else { jobs.pop_front() }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn jobs(&self) -> MutexGuard<'_, VecDeque<(Job, Vec<oneshot::Sender<()>>)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_are_pushed_while_files_are_written_are_one() {
        let queue = Queue::default();
        let jobs = [Job::Rebuilt, Job::Find, Job::Rebuilt];
        jobs.into_iter().for_each(|job| queue.push(job));
        assert_eq!(
            queue.next().map(|it| it.0),
            Some(Job::Find),
            "a job that is pushed again moves to the end"
        );
        assert_eq!(queue.next().map(|it| it.0), Some(Job::Rebuilt));
        queue.push(Job::Rebuilt);
        queue.push(Job::PlaceAgain);
        queue.settle(&Job::Rebuilt);
        assert_eq!(queue.next().map(|it| it.0), Some(Job::PlaceAgain));
        assert!(queue.jobs().is_empty());
    }
}
