//! The documents that are open, each version an immutable value.

use std::sync::atomic::{AtomicBool, Ordering};

use analysis::Document;
use tower_lsp::ls_types::Uri;

/// A document as the editor has it.
pub(crate) struct Open {
    /// As the client spells it.
    pub(crate) uri: Uri,
    pub(crate) document: Document,
    /// Whether there is a newer version, or none any more.
    is_outdated: AtomicBool,
}

impl Open {
    /// What the editor shows now.
    pub(crate) fn new(uri: Uri, document: Document) -> Self {
        Self { uri, document, is_outdated: AtomicBool::new(false) }
    }

    /// There is a newer version, or none any more.
    pub(crate) fn outdate(&self) {
        self.is_outdated.store(true, Ordering::SeqCst);
    }

    /// Whether this is what the editor shows.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_outdated.load(Ordering::SeqCst)
    }
}
