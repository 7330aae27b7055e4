//! What the server sends to the editor on its own. Nothing here waits: messages are sent in order by a task of their
//! own, and the user's answers arrive in a callback.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use futures::future::BoxFuture;
use profile::plain::plain;
use profile::problem::Problem;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::ls_types::notification::{Notification, Progress};
use tower_lsp::ls_types::{
    MessageActionItem, MessageType, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::progress::{ProgressGuard, ProgressReport};
use crate::logging;
use crate::proto::capabilities::ClientCapabilities;
use crate::proto::{ext, to_proto};

/// Changes within this time cause one refresh.
const REFRESH_DELAY: Duration = Duration::from_millis(30);

/// How often progress is reported.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

static NEXT_TOKEN: AtomicU32 = AtomicU32::new(1);

/// The client, as far as the server sends it something.
#[derive(Clone)]
pub(crate) struct Editor {
    pub(crate) client: Client,
    runtime: Handle,
    say: mpsc::UnboundedSender<BoxFuture<'static, ()>>,
    refreshing: Arc<AtomicBool>,
    /// Shorter loads show no progress.
    pub(crate) progress_delay: Duration,
    /// Running loads, by the client's token for their progress.
    pub(crate) progress: Arc<DashMap<ProgressToken, Arc<ProgressReport>>>,
}

enum ActNotification {}

impl Notification for ActNotification {
    type Params = ext::ActParams;
    const METHOD: &'static str = ext::ACT;
}

impl Editor {
    /// Must be called inside a runtime.
    pub(crate) fn new(client: Client, progress_delay: Duration) -> Self {
        let (say, mut said) = mpsc::unbounded_channel::<BoxFuture<'static, ()>>();
        let runtime = Handle::current();
        runtime.spawn(async move {
            while let Some(sending) = said.recv().await {
                sending.await;
            }
        });
        Self { client, runtime, say, refreshing: Arc::default(), progress_delay, progress: Arc::default() }
    }

    /// Runs a task in the background.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// Writes a line to the client's log and to ours.
    pub(crate) fn log(&self, text: impl AsRef<str>) {
        let (client, text) = (self.client.clone(), plain(text.as_ref()).into_owned());
        logging::note(&text);
        self.say(async move { client.log_message(MessageType::INFO, text).await });
    }

    /// Shows a sentence to the user.
    pub(crate) fn message(&self, kind: MessageType, text: impl AsRef<str>) {
        self.message_of_lines(kind, &[text]);
    }

    /// Tells the user what failed.
    pub(crate) fn error(&self, problem: &Problem) {
        self.message(MessageType::ERROR, to_proto::failure(problem));
    }

    /// Shows sentences to the user, one per line.
    pub(crate) fn message_of_lines(&self, kind: MessageType, lines: &[impl AsRef<str>]) {
        let lines: Vec<_> = lines.iter().map(|line| plain(line.as_ref())).collect();
        let (client, text) = (self.client.clone(), lines.join("\n"));
        logging::note(&lines.join(" "));
        self.say(async move { client.show_message(kind, text).await });
    }

    /// Shows a sentence with buttons; `then` gets the title of the one that was clicked.
    pub(crate) fn ask(
        &self,
        kind: MessageType,
        text: &str,
        buttons: impl IntoIterator<Item = String>,
        then: impl FnOnce(String) + Send + 'static,
    ) {
        let buttons: Vec<_> = buttons
            .into_iter()
            .map(|title| MessageActionItem { title, properties: HashMap::new() })
            .collect();
        let (client, text) = (self.client.clone(), plain(text).into_owned());
        logging::note(&text);
        self.spawn(async move {
            // A client that cannot show buttons answers with an error: then nothing was clicked.
            if let Ok(Some(clicked)) = client.show_message_request(kind, text, Some(buttons)).await {
                then(clicked.title);
            }
        });
    }

    /// Lets one of our own clients run the command of a button.
    pub(crate) fn run_action(&self, action: &str) {
        let (client, action) = (self.client.clone(), action.to_string());
        self.say(async move { client.send_notification::<ActNotification>(ext::ActParams { action }).await });
    }

    /// Asks the editor to request hints, lenses and diagnostics again, once for changes in quick succession.
    pub(crate) fn refresh(&self, capabilities: &ClientCapabilities) {
        if self.refreshing.swap(true, Ordering::SeqCst) {
            return;
        }
        let (client, refreshing) = (self.client.clone(), self.refreshing.clone());
        let (hints, lenses) = (capabilities.refreshes_hints, capabilities.refreshes_lenses);
        let diagnostics = capabilities.refreshes_diagnostics;
        self.spawn(async move {
            tokio::time::sleep(REFRESH_DELAY).await;
            refreshing.store(false, Ordering::SeqCst);
            let hints = async { if hints { client.inlay_hint_refresh().await } else { Ok(()) } };
            let lenses = async { if lenses { client.code_lens_refresh().await } else { Ok(()) } };
            let diagnostics =
                async { if diagnostics { client.workspace_diagnostic_refresh().await } else { Ok(()) } };
            let (hints, lenses, diagnostics) = futures::join!(hints, lenses, diagnostics);
            for refused in [hints.err(), lenses.err(), diagnostics.err()].into_iter().flatten() {
                logging::info(&format!("The client refused to refresh: {refused}."));
            }
        });
    }

    /// Starts the progress of a load; `shown`: whether the client can show it.
    pub(crate) fn start_progress(&self, title: String, bytes: u64, shown: bool) -> ProgressGuard {
        let progress = Arc::new(ProgressReport::new(plain(&title).into_owned(), bytes));
        if shown {
            self.spawn(self.clone().show(progress.clone()));
        }
        ProgressGuard::new(progress)
    }

    async fn show(self, progress: Arc<ProgressReport>) {
        // Without a delay every load shows its progress, even if it is already over.
        if !self.progress_delay.is_zero() && progress.ends_within(self.progress_delay).await {
            return;
        }
        let token = ProgressToken::String(format!("proflens-{}", NEXT_TOKEN.fetch_add(1, Ordering::Relaxed)));
        if self.client.create_work_done_progress(token.clone()).await.is_err() {
            return;
        }
        self.progress.insert(token.clone(), progress.clone());
        let send = async |step| {
            let value = ProgressParamsValue::WorkDone(step);
            self.client.send_notification::<Progress>(ProgressParams { token: token.clone(), value }).await;
        };
        send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: progress.title.clone(),
            cancellable: Some(true),
            message: None,
            percentage: Some(progress.percent()),
        }))
        .await;
        let mut reported = progress.percent();
        while !progress.ends_within(PROGRESS_INTERVAL).await {
            let percent = progress.percent();
            if percent > reported {
                reported = percent;
                let cancellable = Some(true);
                send(WorkDoneProgress::Report(WorkDoneProgressReport {
                    cancellable,
                    message: progress.message(),
                    percentage: Some(percent),
                }))
                .await;
            }
        }
        self.progress.remove(&token);
        send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
    }

    fn say(&self, sending: impl Future<Output = ()> + Send + 'static) {
        // It fails only when the runtime shuts down.
        let _ = self.say.send(Box::pin(sending));
    }
}
