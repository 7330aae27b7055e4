//! What the server knows: open documents, and one immutable [`Session`] that is swapped as a whole.
//!
//! Only notification handlers, commands and the loader write. Everyone else takes a [`View`], which no later
//! change reaches.

mod asked;
mod documents;
pub(crate) mod editor;
pub(crate) mod progress;
pub(crate) mod queue;
mod session;
pub(crate) mod slots;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use analysis::{Document, FilePath, Recording};
use dashmap::DashMap;
use tower_lsp::ls_types::Uri;

use crate::proto::{from_proto, to_proto};
use crate::serve::ByteBudget;
use editor::Editor;
use queue::Queue;
use slots::ComputeSlots;

pub(crate) use asked::Asked;
pub(crate) use documents::Open;
pub(crate) use session::{Read, Session, Shown, Trace, TraceState};

/// Everything that outlives a request.
pub(crate) struct State {
    documents: DashMap<FilePath, Arc<Open>>,
    session: RwLock<Arc<Session>>,
    /// On what answers are computed.
    pub(crate) slots: ComputeSlots,
    /// The other side.
    pub(crate) editor: Editor,
    /// What there is to load.
    pub(crate) queue: Queue,
}

/// One document and what is known, at one moment: what an answer is made from.
pub(crate) struct View {
    pub(crate) session: Arc<Session>,
    pub(crate) open: Arc<Open>,
}

impl State {
    /// Nothing is known yet. `answers` bounds what waits for the client.
    pub(crate) fn new(editor: Editor, answers: ByteBudget) -> Self {
        let session = RwLock::new(Arc::new(Session::default()));
        let slots = ComputeSlots::new(answers);
        Self { documents: DashMap::new(), session, slots, editor, queue: Queue::default() }
    }

    /// What is known now.
    pub(crate) fn session(&self) -> Arc<Session> {
        self.session.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is known; returns what `change` returns.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.session.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut session))
    }

    /// A document was opened, or is another one now.
    pub(crate) fn put(&self, uri: Uri, document: Document) {
        let file = document.file.clone();
        if let Some(older) = self.documents.insert(file, Arc::new(Open::new(uri, document))) {
            older.outdate();
        }
    }

    /// A document was closed.
    pub(crate) fn remove(&self, file: &FilePath) {
        if let Some((_, open)) = self.documents.remove(file) {
            open.outdate();
        }
    }

    /// An open document.
    pub(crate) fn open(&self, file: &FilePath) -> Option<Arc<Open>> {
        self.documents.get(file).map(|it| Arc::clone(&it))
    }

    /// What an answer about a document is made from; `None` for documents that are not open.
    pub(crate) fn view(&self, uri: &Uri) -> Option<View> {
        let open = self.open(&from_proto::file_path(uri)?)?;
        Some(View { session: self.session(), open })
    }

    /// The same by the number that hints and lenses carry.
    pub(crate) fn view_by_number(&self, number: u32) -> Option<View> {
        let open = self.documents.iter().find(|it| to_proto::number(it.key()) == number)?;
        Some(View { session: self.session(), open: Arc::clone(&open) })
    }

    /// All documents that are open.
    pub(crate) fn open_documents(&self) -> HashMap<FilePath, Arc<Open>> {
        self.documents.iter().map(|it| (it.key().clone(), Arc::clone(&it))).collect()
    }

    /// How the client spells the documents that are open.
    pub(crate) fn open_uris(&self) -> HashMap<FilePath, Uri> {
        self.documents.iter().map(|it| (it.key().clone(), it.uri.clone())).collect()
    }
}

impl View {
    /// The costs to show in this document, if it is to be annotated at all.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        let shown = self.session.shown.as_deref()?;
        self.session.annotates(&self.open.document.file).then_some(&shown.recording)
    }

    /// The same for what can be switched off.
    pub(crate) fn recording_if(&self, wanted: bool) -> Option<&Recording> {
        self.recording().filter(|_| wanted && self.session.enabled)
    }
}
