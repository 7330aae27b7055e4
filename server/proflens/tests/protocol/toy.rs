//! A small server whose handlers do what the serve loop must cope with.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use proflens::serve::{ByteBudget, serve};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    ConfigurationItem, DidChangeTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    InitializeResult,
};
use tower_lsp::{Client as ToClient, LanguageServer, LspService};

use crate::client::Client;

pub(crate) struct Toy {
    client: ToClient,
    shared: Arc<Shared>,
}

#[derive(Default)]
pub(crate) struct Shared {
    text: Mutex<String>,
    uris: Mutex<Vec<String>>,
    gate: (Mutex<bool>, Condvar),
    pub(crate) answers: AtomicUsize,
}

pub(crate) fn start() -> (Client, Arc<Shared>) {
    let (serve, shared) = toy();
    let mut client = Client::start(serve);
    client.initialize(json!({ "capabilities": {} }));
    (client, shared)
}

pub(crate) fn toy() -> (impl FnOnce(std::io::PipeReader, std::io::PipeWriter) -> u8, Arc<Shared>) {
    let shared = Arc::new(Shared::default());
    let of_server = shared.clone();
    let run = move |input, output| {
        let service = LspService::build(|client| Toy { client, shared: of_server })
            .custom_method("toy/text", Toy::text)
            .custom_method("toy/uris", Toy::uris)
            .custom_method("toy/ask", Toy::ask)
            .custom_method("toy/forever", Toy::forever)
            .custom_method("toy/compute", Toy::compute)
            .custom_method("toy/hog", Toy::hog)
            .custom_method("toy/open", Toy::open)
            .custom_method("toy/panic", Toy::panic)
            .custom_method("toy/panicNotification", Toy::panic_notification)
            .custom_method("toy/large", Toy::large)
            .finish();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let code = runtime.block_on(serve(input, output, ByteBudget::new(), service));
        runtime.shutdown_background();
        code
    };
    (run, shared)
}

impl LanguageServer for Toy {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.shared.uris.lock().unwrap().push(params.text_document.uri.to_string());
    }

    /// Awaits before it changes anything, which servers must be allowed to do.
    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        for _ in 0..params.text_document.version % 4 {
            tokio::task::yield_now().await;
        }
        let new = &params.content_changes[0].text;
        self.shared.text.lock().unwrap().push_str(new);
    }
}

impl Toy {
    /// Takes its snapshot before the first await, as all our handlers do, and answers some time later.
    async fn text(&self) -> Result<String> {
        let snapshot = self.shared.text.lock().unwrap().clone();
        for _ in 0..snapshot.len() % 3 {
            tokio::task::yield_now().await;
        }
        Ok(snapshot)
    }

    async fn uris(&self) -> Result<Value> {
        let seen = self.shared.uris.lock().unwrap().clone();
        let links = seen.iter().map(|it| json!({ "uri": it })).collect::<Vec<_>>();
        Ok(json!({ "seen": seen.join(" "), "links": links }))
    }

    async fn ask(&self) -> Result<Value> {
        let item = ConfigurationItem { scope_uri: None, section: None };
        Ok(self.client.configuration(vec![item]).await?.remove(0))
    }

    async fn forever(&self) -> Result<()> {
        std::future::pending().await
    }

    /// Computes on another thread until `toy/open`.
    async fn compute(&self) -> Result<()> {
        let shared = self.shared.clone();
        tokio::task::spawn_blocking(move || shared.wait()).await.unwrap();
        Ok(())
    }

    /// Computes where it must not, after an await, until `toy/open`.
    async fn hog(&self) -> Result<()> {
        tokio::task::yield_now().await;
        self.shared.wait();
        Ok(())
    }

    async fn open(&self) -> Result<()> {
        *self.shared.gate.0.lock().unwrap() = true;
        self.shared.gate.1.notify_all();
        Ok(())
    }

    async fn panic(&self) -> Result<()> {
        panic!("a handler of a test panics")
    }

    async fn panic_notification(&self) {
        let _guard = self.shared.text.lock();
        panic!("a notification of a test panics")
    }

    async fn large(&self, params: Value) -> Result<String> {
        self.shared.answers.fetch_add(1, Ordering::SeqCst);
        Ok("x".repeat(params["size"].as_u64().unwrap() as usize))
    }
}

impl Shared {
    fn wait(&self) {
        let open = self.gate.0.lock().unwrap();
        drop(self.gate.1.wait_while(open, |open| !*open).unwrap());
    }
}
