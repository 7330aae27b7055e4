//! What there is to do for the loader: a newer order takes the place of the same one that waits.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::oneshot;

/// A file that was written within this time may still be in writing.
pub(crate) const QUIET_TIME: Duration = Duration::from_millis(150);
/// How long we wait for a file to lie still.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// What there is to do for the loader.
#[derive(Default)]
pub(crate) struct Queue {
    jobs: Mutex<VecDeque<(Job, Vec<oneshot::Sender<()>>)>>,
    wake: Condvar,
    closed: AtomicBool,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Look which traces there are, and follow the newest if the user wants that.
    Find,
    /// Load this trace and show it: the user said so.
    Load(PathBuf),
    /// Place the shown trace again: settings or folders are others now.
    PlaceAgain,
    /// The same for files that decide about it, once nobody writes them any more.
    Rebuilt,
    /// The same with what the history said late.
    Refine,
}

impl Queue {
    /// Adds a job, unless the same one waits already.
    pub(crate) fn push(&self, job: Job) {
        self.add(job, None);
    }

    /// The same; the answer comes when the job is done.
    pub(crate) fn push_and_wait(&self, job: Job) -> oneshot::Receiver<()> {
        let (done, wait) = oneshot::channel();
        self.add(job, Some(done));
        wait
    }

    /// Ends the loader after what it does now, which it is asked to give up.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.jobs().clear();
        self.wake.notify_all();
    }

    fn add(&self, job: Job, done: Option<oneshot::Sender<()>>) {
        let mut jobs = self.jobs();
        let same = jobs.iter().position(|it| it.0 == job).and_then(|at| jobs.remove(at));
        let mut waiting = same.map_or_else(Vec::new, |it| it.1);
        waiting.extend(done);
        jobs.push_back((job, waiting));
        self.wake.notify_all();
    }

    /// Waits until a job has not been ordered again for a moment; what was ordered meanwhile is one with it.
    pub(crate) fn settle(&self, job: &Job) {
        let since = SystemTime::now();
        loop {
            std::thread::sleep(QUIET_TIME);
            let mut jobs = self.jobs();
            let Some(when_answered) = jobs.iter().position(|it| it.0 == *job) else { return };
            jobs.remove(when_answered);
            let waited = SystemTime::now().duration_since(since).unwrap_or(LONGEST_WAIT);
            if waited >= LONGEST_WAIT || self.is_closed() {
                return;
            }
        }
    }

    pub(crate) fn next(&self) -> Option<(Job, Vec<oneshot::Sender<()>>)> {
        let is_idle = |jobs: &mut VecDeque<_>| jobs.is_empty() && !self.is_closed();
        let mut jobs = self.wake.wait_while(self.jobs(), is_idle).unwrap_or_else(PoisonError::into_inner);
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
    fn orders_that_come_while_files_are_written_are_one() {
        let queue = Queue::default();
        let orders = [Job::Rebuilt, Job::Find, Job::Rebuilt];
        orders.into_iter().for_each(|job| queue.push(job));
        assert_eq!(
            queue.next().map(|it| it.0),
            Some(Job::Find),
            "the newer order takes the older one's place"
        );
        assert_eq!(queue.next().map(|it| it.0), Some(Job::Rebuilt));
        queue.push(Job::Rebuilt);
        queue.push(Job::PlaceAgain);
        queue.settle(&Job::Rebuilt);
        assert_eq!(queue.next().map(|it| it.0), Some(Job::PlaceAgain));
        assert!(queue.jobs().is_empty());
    }
}
