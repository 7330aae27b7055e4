//! The progress of a load: reported by the loader, shown by the editor, cancelled by the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use profile::decode::Progress;
use tokio::sync::Notify;

/// The progress of one load. Dropping its [`ProgressGuard`] ends it.
pub(crate) struct ProgressReport {
    pub(super) title: String,
    bytes: u64,
    read: AtomicU64,
    cancelled: AtomicBool,
    over: AtomicBool,
    ended: Notify,
}

/// Ends a progress when it is dropped: the load is over, whether it succeeded or not.
pub(crate) struct ProgressGuard(Arc<ProgressReport>);

impl ProgressGuard {
    /// The progress of a load that begins now.
    pub(super) fn new(progress: Arc<ProgressReport>) -> Self {
        Self(progress)
    }
}

impl ProgressReport {
    pub(super) fn new(title: String, bytes: u64) -> Self {
        Self {
            title,
            bytes: bytes.max(1),
            read: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            over: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Asks the load to stop. The user sees it end at once, even if the loader needs another moment.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.ended.notify_one();
    }

    pub(super) async fn ends_within(&self, time: Duration) -> bool {
        if !self.is_over() {
            let _ = tokio::time::timeout(time, self.ended.notified()).await; // the flags say which of both it was
        }
        self.is_over()
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst) || self.cancelled.load(Ordering::SeqCst)
    }

    /// How much of the trace has been read, in percent. How long placing its functions will then take is not known.
    pub(super) fn percent(&self) -> u32 {
        let read = self.read.load(Ordering::Relaxed).min(self.bytes);
        (read * 100 / self.bytes) as u32
    }

    /// The message once everything is read.
    pub(super) fn message(&self) -> Option<String> {
        (self.percent() == 100).then(|| "placing its functions".to_owned())
    }
}

impl Progress for ProgressGuard {
    fn read(&self, bytes: u64) {
        self.0.read.store(bytes, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }
}

impl Drop for ProgressGuard {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use profile::decode::Progress;

    use super::*;

    #[test]
    fn a_load_sees_that_it_is_cancelled_and_reports_how_far_it_is() {
        let guard = ProgressGuard(Arc::new(ProgressReport::new("Reading a.cpuprofile…".into(), 200)));
        assert!(!guard.cancelled());
        assert_eq!((guard.0.percent(), &*guard.0.title), (0, "Reading a.cpuprofile…"));
        guard.read(100);
        assert_eq!((guard.0.percent(), guard.0.message()), (50, None));
        guard.read(1000);
        assert_eq!(guard.0.percent(), 100, "more cannot be read");
        assert_eq!(guard.0.message().as_deref(), Some("placing its functions"));
        guard.0.cancel();
        assert!(guard.cancelled());
    }
}
