//! The state of the server: open documents, and what is [`Current`], an immutable value that is replaced as a whole.
//!
//! Only notification handlers, commands and the loader write. Everyone else takes a [`Snapshot`], which later changes
//! do not reach.

mod current;
mod documents;
pub(crate) mod editor;
mod history_lookup;
pub(crate) mod progress;
pub(crate) mod queue;
mod shown;
pub(crate) mod slots;

use std::sync::{Arc, PoisonError, RwLock};

use analysis::views::MeasuredDocument;
use tower_lsp::ls_types::Uri;

use crate::proto::from_proto;
use crate::serve::ByteBudget;
use editor::Editor;
use queue::Queue;
use slots::ComputeSlots;

pub(crate) use current::{Current, KnownTrace, TraceState};
pub(crate) use documents::{Documents, OpenDocument};
pub(crate) use history_lookup::HistoryLookup;
pub(crate) use shown::{Compared, Placements, ShownTrace, SideBefore, only};

/// Everything that outlives a request.
pub(crate) struct State {
    /// What the editor has open.
    pub(crate) documents: Arc<Documents>,
    current: RwLock<Arc<Current>>,
    /// Limits how many answers are computed at once.
    pub(crate) slots: ComputeSlots,
    /// The client.
    pub(crate) editor: Editor,
    /// What the loader is to do.
    pub(crate) queue: Queue,
}

/// One document and what was current at one moment: what an answer is made from.
pub(crate) struct Snapshot {
    pub(crate) current: Arc<Current>,
    pub(crate) open: Arc<OpenDocument>,
}

impl State {
    /// The state before `initialize`. `answers` bounds the answers that wait for the client.
    pub(crate) fn new(editor: Editor, answers: ByteBudget) -> Self {
        let current = RwLock::new(Arc::new(Current::default()));
        let slots = ComputeSlots::new(answers);
        Self { documents: Arc::default(), current, slots, editor, queue: Queue::default() }
    }

    /// What is current.
    pub(crate) fn current(&self) -> Arc<Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is current; returns what `change` returns.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Current) -> T) -> T {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut current))
    }

    /// A document and what is current; `None` for documents that are not open.
    pub(crate) fn snapshot(&self, uri: &Uri) -> Option<Snapshot> {
        let open = self.documents.get(&from_proto::file_path(uri)?)?;
        Some(Snapshot { current: self.current(), open })
    }

    /// [`State::snapshot`] by the number that hints and lenses carry.
    pub(crate) fn snapshot_by_number(&self, number: u32) -> Option<Snapshot> {
        Some(Snapshot { current: self.current(), open: self.documents.numbered(number)? })
    }
}

impl Snapshot {
    /// What was measured in this document, if it is to be annotated at all.
    pub(crate) fn measured<T>(&self, ask: impl FnOnce(MeasuredDocument<'_>) -> T) -> Option<T> {
        let recording = &self.current.shown.as_ref()?.recording;
        let document = &self.open.document;
        if !self.current.annotates(&document.file) {
            return None;
        }
        let functions = self.open.measured_by(recording);
        Some(ask(MeasuredDocument { recording, document, functions: &functions }))
    }

    /// [`Snapshot::measured`] for what the user can turn off.
    pub(crate) fn measured_if<T>(
        &self,
        wanted: bool,
        ask: impl FnOnce(MeasuredDocument<'_>) -> T,
    ) -> Option<T> {
        if wanted && self.current.enabled { self.measured(ask) } else { None }
    }
}
