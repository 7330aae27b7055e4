//! The thread that writes: waiting lines are written together, and each is acknowledged only after that.

use std::io;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

use crate::quota::Reserved;
use crate::refusal::{ENDING, NO_SPACE, Refusal};
use crate::store::Store;

/// How many lines may wait; their memory is limited separately.
const WAITING: usize = 1024;
/// From this many bytes on, lines are written without waiting for more.
const TOGETHER: usize = 1 << 20;

/// What was received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Traces that were kept.
    pub traces: u64,
    /// Files that were begun for them.
    pub files: u64,
}

/// Where lines are sent to; the thread ends when all of these are dropped.
#[derive(Clone, Debug)]
pub(crate) struct Writer(mpsc::Sender<Job>);

#[derive(Debug)]
struct Job {
    line: Vec<u8>,
    done: oneshot::Sender<Result<(), Refusal>>,
    /// The memory of the line.
    _reserved: Reserved,
}

impl Writer {
    pub(crate) fn start(store: Store) -> io::Result<(Self, JoinHandle<Received>)> {
        let (sender, jobs) = mpsc::channel(WAITING);
        let thread = thread::Builder::new().name("writer".to_owned()).spawn(move || write(store, jobs))?;
        Ok((Self(sender), thread))
    }

    /// Returns when the line is in a file.
    pub(crate) async fn keep(&self, line: Vec<u8>, reserved: Reserved) -> Result<(), Refusal> {
        let (done, is_done) = oneshot::channel();
        self.0.send(Job { line, done, _reserved: reserved }).await.map_err(|_| ENDING)?;
        is_done.await.unwrap_or(Err(ENDING))
    }
}

fn write(mut store: Store, mut jobs: mpsc::Receiver<Job>) -> Received {
    let (mut lines, mut together, mut traces) = (Vec::new(), Vec::new(), 0);
    while let Some(first) = jobs.blocking_recv() {
        lines.clear();
        lines.extend_from_slice(&first.line);
        together.push(first);
        while lines.len() < TOGETHER
            && let Ok(next) = jobs.try_recv()
        {
            lines.extend_from_slice(&next.line);
            together.push(next);
        }
        let kept = store.append(&lines);
        if kept == Err(NO_SPACE) && together.len() > 1 {
            // A large line must not keep out small ones.
            for job in together.drain(..) {
                traces += acknowledge(store.append(&job.line), job);
            }
        }
        traces += together.drain(..).map(|job| acknowledge(kept, job)).sum::<u64>();
    }
    store.close();
    Received { traces, files: store.files() }
}

/// Answers the sender of a line; returns the number of lines that were kept.
fn acknowledge(kept: Result<(), Refusal>, job: Job) -> u64 {
    let count = u64::from(kept.is_ok());
    // The sender may be gone.
    let _ = job.done.send(kept);
    count
}
