//! Where definitions are now, for commands that list them: in open documents as they are, in other files as they were
//! measured.

use std::sync::Arc;

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::summary::{Call, CallEnd, DefinitionKey, Measured};
use analysis::views::MeasuredDocument;
use source::definition::Definition;
use source::text::{Encoding, LineIndex};
use text_size::TextRange;
use tower_lsp::ls_types::{Position, Range, Uri};

use crate::proto::{ext, from_proto, to_proto};
use crate::state::{Current, Documents, OpenDocument, State};

/// Finds where definitions are now: in open documents as they are, in others as they were measured.
pub(in crate::handlers) struct DefinitionLocations {
    pub(in crate::handlers) current: Arc<Current>,
    documents: Arc<Documents>,
}

impl DefinitionLocations {
    pub(in crate::handlers) fn of(state: &State) -> Self {
        Self { current: state.current(), documents: Arc::clone(&state.documents) }
    }

    pub(in crate::handlers) fn recording(&self) -> Option<&Arc<Recording>> {
        self.current.shown.as_ref().map(|shown| &shown.recording)
    }

    /// What was measured in an open document.
    fn measured<T>(&self, open: &OpenDocument, ask: impl FnOnce(MeasuredDocument<'_>) -> T) -> Option<T> {
        let recording = self.recording()?;
        let functions = open.measured_by(recording);
        Some(ask(MeasuredDocument { recording, document: &open.document, functions: &functions }))
    }

    /// Asks about a definition in today's text; `None` if it is gone from its document.
    fn today<T>(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
        ask: impl FnOnce(&Uri, &LineIndex, &str, &Definition) -> T,
    ) -> Option<T> {
        if let Some(open) = self.documents.get(&key.file) {
            let (uri, document) = (&open.uri, &open.document);
            return self.measured(&open, |measured| {
                let definition = measured.definition(measured.function(&key.path)?);
                Some(ask(uri, document.lines(), document.text(), definition))
            })?;
        }
        let file = recording.files.get(&key.file)?;
        let definition = file.outline.get(measured.definition?);
        Some(ask(&to_proto::uri(&key.file), &file.lines, &file.text, definition))
    }

    /// Where the name of a definition is.
    pub(in crate::handlers) fn location(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<(Uri, Range)> {
        self.today(recording, key, measured, |uri, lines, text, definition| {
            let selection = definition.name_range.unwrap_or_else(|| TextRange::empty(definition.anchor()));
            (uri.clone(), to_proto::range(lines, text, selection, self.encoding()))
        })
    }

    /// The place to go to for a caller or callee: its definition, or that of the function that made its code.
    pub(in crate::handlers) fn end_location(
        &self,
        recording: &Recording,
        end: &CallEnd,
    ) -> Option<(Uri, Range)> {
        let (key, maker) = match end {
            CallEnd::Entry => return None,
            CallEnd::Definition(key) => (key, None),
            CallEnd::Unplaced(function) => {
                let maker = function.made_by.as_ref()?;
                (maker.definition.as_ref()?, Some(maker))
            }
        };
        let measured = recording.summary.definitions.get(key);
        if let Some(found) = measured.and_then(|measured| self.location(recording, key, measured)) {
            return Some(found);
        }
        // The definition of a maker was seldom measured itself.
        let start = Position::new(maker?.line, 0);
        Some((to_proto::uri(&key.file), Range::new(start, start)))
    }

    /// The 0-based line of the name of a definition.
    pub(in crate::handlers) fn line(&self, key: &DefinitionKey, measured: &Measured) -> u32 {
        let location = self.recording().and_then(|recording| self.location(recording, key, measured));
        location.map_or(measured.start.line, |(_, range)| range.start.line)
    }

    /// The address of a 0-based line of a file.
    pub(in crate::handlers) fn link(&self, file: &FilePath, line: u32) -> String {
        match self.documents.get(file) {
            Some(open) => to_proto::link(&open.uri, line),
            None => to_proto::link(&to_proto::uri(file), line),
        }
    }

    /// Where all of a definition is.
    pub(in crate::handlers) fn range(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<Range> {
        self.today(recording, key, measured, |_, lines, text, definition| {
            let whole = definition.name_range.map_or(definition.range, |name| name.cover(definition.range));
            to_proto::range(lines, text, whole, self.encoding())
        })
    }

    /// What `find` finds in the text of a definition, given the text of the file and the range of the definition.
    pub(in crate::handlers) fn in_text(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        find: impl FnOnce(&str, TextRange) -> Vec<TextRange>,
    ) -> Option<Vec<Range>> {
        let measured = recording.summary.definitions.get(key)?;
        self.today(recording, key, measured, |_, lines, text, definition| {
            let found = find(text, definition.range).into_iter();
            found.map(|range| to_proto::range(lines, text, range, self.encoding())).collect()
        })
    }

    pub(in crate::handlers) fn call(
        &self,
        recording: &Recording,
        measured: &Measured,
        call: &Call,
    ) -> ext::Call {
        let name = end_name(recording, &call.other);
        let (uri, selection_range) = self.end_location(recording, &call.other).unzip();
        let amounts = self.current.amounts(recording);
        let (total, share) =
            (amounts.call(call.spent, measured, &call.other), amounts.share(call.spent.time));
        ext::Call { name, uri, selection_range, total, share }
    }

    pub(in crate::handlers) fn definition(&self, about: ext::CallersParams) -> Option<DefinitionKey> {
        match about {
            ext::CallersParams::Definition(data) => {
                Some(DefinitionKey { file: from_proto::file_path(&data.uri)?, path: data.path.into() })
            }
            ext::CallersParams::At { text_document, position } => {
                let open = self.documents.get(&from_proto::file_path(&text_document.uri)?)?;
                let offset = from_proto::offset_in(&open.document, position, self.encoding());
                self.measured(&open, |measured| Some(measured.innermost(offset)?.key.clone()))?
            }
        }
    }

    fn encoding(&self) -> Encoding {
        self.current.client.encoding
    }
}

/// The display name of a caller or callee.
pub(in crate::handlers) fn end_name(recording: &Recording, end: &CallEnd) -> String {
    let name = match end {
        CallEnd::Entry => recording.entry().0,
        CallEnd::Definition(key) => {
            recording.summary.measured(end).map_or(&*key.path, |measured| &measured.name)
        }
        CallEnd::Unplaced(function) if function.name.is_empty() => "(anonymous)",
        CallEnd::Unplaced(function) => &function.name,
    };
    to_proto::shown(name)
}
