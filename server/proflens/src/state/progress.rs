//! How far a load is: told by the loader, shown by the editor, cancelled by the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tower_lsp::ls_types::notification::Progress as ProgressNotification;
use tower_lsp::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::editor::Editor;

/// How often the editor is told.
const PACE: Duration = Duration::from_millis(100);
/// Percent of a load that reading is; the rest is placing what was read.
const READING: u64 = 90;

static NEXT: AtomicU32 = AtomicU32::new(1);

/// The progress of one load. Dropping its [`Guard`] ends it.
pub(crate) struct ProgressReport {
    title: String,
    bytes: u64,
    read: AtomicU64,
    cancelled: AtomicBool,
    over: AtomicBool,
    ended: Notify,
}

/// Ends a progress when the load is over, however that came.
pub(crate) struct Guard(Arc<ProgressReport>);

impl ProgressReport {
    /// Starts one; `shown`: whether the client can show it.
    pub(crate) fn start(editor: &Editor, title: String, bytes: u64, shown: bool) -> Guard {
        let progress = Arc::new(Self::new(title, bytes));
        if shown {
            editor.spawn(progress.clone().show(editor.clone()));
        }
        Guard(progress)
    }

    fn new(title: String, bytes: u64) -> Self {
        Self {
            title,
            bytes: bytes.max(1),
            read: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            over: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Asks the load to stop. For the user it ends now, whatever the loader is in the middle of.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.ended.notify_one();
    }

    async fn show(self: Arc<Self>, editor: Editor) {
        // Without any patience every load is a long one, even if it is over by now.
        if !editor.patience.is_zero() && self.ends_within(editor.patience).await {
            return;
        }
        let token = ProgressToken::String(format!("proflens-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        if editor.client.create_work_done_progress(token.clone()).await.is_err() {
            return;
        }
        editor.progress.insert(token.clone(), self.clone());
        let send = async |step| {
            let value = ProgressParamsValue::WorkDone(step);
            editor
                .client
                .send_notification::<ProgressNotification>(ProgressParams { token: token.clone(), value })
                .await;
        };
        send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: self.title.clone(),
            cancellable: Some(true),
            message: None,
            percentage: Some(self.percent()),
        }))
        .await;
        let mut told = self.percent();
        while !self.ends_within(PACE).await {
            let percent = self.percent();
            if percent > told {
                told = percent;
                let cancellable = Some(true);
                send(WorkDoneProgress::Report(WorkDoneProgressReport {
                    cancellable,
                    message: None,
                    percentage: Some(percent),
                }))
                .await;
            }
        }
        editor.progress.remove(&token);
        send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
    }

    async fn ends_within(&self, time: Duration) -> bool {
        if !self.is_over() {
            let _ = tokio::time::timeout(time, self.ended.notified()).await; // either way the flags tell
        }
        self.is_over()
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst) || self.cancelled.load(Ordering::SeqCst)
    }

    fn percent(&self) -> u32 {
        let read = self.read.load(Ordering::Relaxed).min(self.bytes);
        (read * READING / self.bytes) as u32
    }
}

impl profile::Progress for Guard {
    fn read(&self, bytes: u64) {
        self.0.read.store(bytes, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use profile::Progress;

    use super::*;

    #[test]
    fn a_load_hears_that_it_is_cancelled_and_tells_how_far_it_is() {
        let guard = Guard(Arc::new(ProgressReport::new("Reading a.cpuprofile…".into(), 200)));
        assert!(!guard.cancelled());
        assert_eq!((guard.0.percent(), &*guard.0.title), (0, "Reading a.cpuprofile…"));
        guard.read(100);
        assert_eq!(guard.0.percent(), 45);
        guard.read(1000);
        assert_eq!(guard.0.percent(), 90, "more cannot be read, and placing is still to come");
        guard.0.cancel();
        assert!(guard.cancelled());
    }
}
