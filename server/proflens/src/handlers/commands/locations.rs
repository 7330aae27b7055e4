//! Where definitions are now, for commands that list them: in open documents as they are, in other files as they were
//! measured.

use std::sync::Arc;

use analysis::views::MeasuredDocument;
use analysis::{Call, CallEnd, DefinitionKey, Measured, Recording, share};
use source::Encoding;
use text_size::TextRange;
use tower_lsp::ls_types::{Range, Uri};

use crate::proto::{ext, from_proto, to_proto};
use crate::state::{Documents, OpenDocument, Session, State};

/// Where definitions are now: in open documents as they are, in others as they were measured.
pub(super) struct DefinitionLocations {
    pub(super) session: Arc<Session>,
    documents: Arc<Documents>,
}

impl DefinitionLocations {
    pub(super) fn of(state: &State) -> Self {
        Self { session: state.session(), documents: Arc::clone(&state.documents) }
    }

    pub(super) fn recording(&self) -> Option<&Arc<Recording>> {
        self.session.shown.as_ref().map(|it| &it.recording)
    }

    /// What was measured of a document that is open.
    fn measured<T>(&self, open: &OpenDocument, ask: impl FnOnce(MeasuredDocument<'_>) -> T) -> Option<T> {
        let recording = self.recording()?;
        let functions = open.measured_by(recording);
        Some(ask(MeasuredDocument { recording, document: &open.document, functions: &functions }))
    }

    /// `None` where it is gone from its document.
    fn location(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<(Uri, Range)> {
        let encoding = self.encoding();
        if let Some(open) = self.documents.get(&key.file) {
            let selection = self.measured(&open, |it| Some(it.selection(it.function(&key.path)?)))??;
            return Some((open.uri.clone(), to_proto::range_in(&open.document, selection, encoding)));
        }
        let file = recording.files.get(&key.file)?;
        let definition = file.outline.get(measured.definition?);
        let selection = definition.name_range.unwrap_or_else(|| TextRange::empty(definition.range.start()));
        Some((to_proto::uri(&key.file), to_proto::range(&file.lines, &file.text, selection, encoding)))
    }

    pub(super) fn hot_function(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<ext::HotFunction> {
        let (uri, selection_range) = self.location(recording, key, measured)?;
        let is_all = self.session.config.base == analysis::views::Base::All;
        let [self_share, total_share] = recording.summary.shares(measured, is_all);
        let cost = measured.cost;
        Some(ext::HotFunction {
            name: measured.name.to_string(),
            uri,
            selection_range,
            self_amount: to_proto::amount(cost.self_time, recording.unit),
            total: to_proto::amount(cost.total_time, recording.unit),
            self_share,
            total_share,
            total_samples: cost.total_samples,
        })
    }

    pub(super) fn call(&self, recording: &Recording, of: &Measured, call: &Call) -> ext::Call {
        let definition = match &*call.other {
            CallEnd::Definition(key) => recording.summary.definitions.get(key).map(|it| (key, it)),
            CallEnd::Entry | CallEnd::Unplaced(_) => None,
        };
        let name = match (&*call.other, definition) {
            (_, Some((_, measured))) => measured.name.to_string(),
            (CallEnd::Unplaced(function), _) if function.name.is_empty() => "(anonymous)".into(),
            (CallEnd::Unplaced(function), _) => function.name.to_string(),
            (CallEnd::Definition(key), _) => key.path.to_string(),
            (CallEnd::Entry, _) => "(entry)".into(),
        };
        let location = definition.and_then(|(key, measured)| self.location(recording, key, measured));
        let (uri, selection_range) = location.unzip();
        let share = share(call.spent.time, of.cost.total_time);
        let total = to_proto::amount(call.spent.time, recording.unit);
        ext::Call { name, uri, selection_range, total, share }
    }

    pub(super) fn definition(&self, about: ext::CallersParams) -> Option<DefinitionKey> {
        match about {
            ext::CallersParams::Definition(data) => {
                Some(DefinitionKey { file: from_proto::file_path(&data.uri)?, path: data.path.into() })
            }
            ext::CallersParams::At { text_document, position } => {
                let open = self.documents.get(&from_proto::file_path(&text_document.uri)?)?;
                let offset = from_proto::offset_in(&open.document, position, self.encoding());
                self.measured(&open, |it| it.innermost(offset).map(|it| it.key.clone()))?
            }
        }
    }

    fn encoding(&self) -> Encoding {
        self.session.client.encoding
    }
}
