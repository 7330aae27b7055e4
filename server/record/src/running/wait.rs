//! Waits that are bounded, and that end when this process is told to end.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a wait checks whether it has to end.
pub(crate) const POLL: Duration = Duration::from_millis(50);

/// Whether this process was told to end, by Ctrl-C or a signal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Arc<AtomicBool>);

impl Told {
    /// A request to end that comes from a flag.
    pub(crate) fn by(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Whether it was requested.
    pub(crate) fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// From now on nobody waits.
    pub(crate) fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was requested; the next request counts anew. The first Ctrl-C ends a recording in order, and a second one
    /// also ends the wait for what was recorded.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    /// Does something that may block on a thread of its own, which is abandoned if it takes too long: a system call cannot be
    /// interrupted from outside.
    pub(crate) fn wait_for<T: Send + 'static>(
        &self,
        longest: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, GivenUp> {
        let (done, result) = sync_channel(1);
        let began = Instant::now();
        let worker = thread::Builder::new().spawn(move || {
            // Nobody is listening any more if it took too long.
            let _ = done.send(work());
        });
        worker.map_err(|_| GivenUp::NoThread)?;
        loop {
            match result.recv_timeout(POLL) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => return Err(GivenUp::NoThread),
                Err(RecvTimeoutError::Timeout) if self.is_told() => return Err(GivenUp::Told),
                Err(RecvTimeoutError::Timeout) if began.elapsed() > longest => {
                    return Err(GivenUp::TooLong(longest));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Why a wait has ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// This process was told to end.
    Told,
    /// It took longer than that.
    TooLong(Duration),
    /// The system provides no thread to wait on.
    NoThread,
}

impl Error for GivenUp {}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told => write!(f, "ended from here before it answered"),
            Self::TooLong(longest) => write!(f, "no answer within {} s", longest.as_secs()),
            Self::NoThread => write!(f, "the system has no thread for it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_blocks_is_left_to_itself() {
        let told = Told::default();
        let forever = || thread::sleep(Duration::from_secs(3600));
        assert_eq!(told.wait_for(Duration::ZERO, forever), Err(GivenUp::TooLong(Duration::ZERO)));
        assert_eq!(told.wait_for(Duration::from_secs(60), || 7), Ok(7));
        told.tell();
        assert_eq!(told.wait_for(Duration::from_secs(60), forever), Err(GivenUp::Told));
        assert!(told.take() && !told.take());
    }
}
