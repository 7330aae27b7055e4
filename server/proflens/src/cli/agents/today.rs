//! Finds measured functions in the files as they are now. An agent edits files between two questions, so each answer
//! checks the disk; files that did not change since the last question are not read again.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use analysis::anchor::Freshness;
use analysis::document::Document;
use analysis::files::{FilePath, Files};
use analysis::recording::Recording;
use analysis::summary::DefinitionKey;
use analysis::views::{
    LineHeat, LineRuns, MeasuredDocument, MeasuredFunctions, function_lines, function_runs,
};
use rustc_hash::FxHashMap;
use source::text::{Encoding, LineCol, text_of};

use crate::disk::Disk;
use crate::open::{self, Stamp};

/// How many files are kept.
const KEPT: usize = 64;

/// The files that were read for answers about a recording.
#[derive(Default)]
pub(crate) struct Today {
    files: Mutex<FxHashMap<FilePath, Known>>,
}

/// A file that was read, and the data that tells whether it has changed since.
#[derive(Clone)]
struct Known {
    stamp: Option<Stamp>,
    file: Arc<FileToday>,
}

/// A file as it is now, with what a recording measured of it.
pub(crate) struct FileToday {
    document: Document,
    functions: MeasuredFunctions,
}

/// A measured function in today's text.
pub(crate) struct FunctionToday {
    /// The line of its name, 0-based.
    pub(crate) line: u32,
    /// Its last line, 0-based.
    pub(crate) end_line: u32,
    pub(crate) freshness: Freshness,
    file: Arc<FileToday>,
}

impl Today {
    /// A file as it is now; `None` if it cannot be read.
    pub(crate) fn file(&self, recording: &Recording, disk: &Disk, path: &FilePath) -> Option<Arc<FileToday>> {
        let stamp = open::stamp(Path::new(path.as_str()));
        let known = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(known) = known.filter(|known| known.stamp == stamp && stamp.is_some()) {
            return Some(known.file);
        }
        let bytes = disk.read(path)?;
        let document = Document::new(path.clone(), 0, text_of(&bytes));
        let functions = MeasuredFunctions::find(recording, &document);
        let file = Arc::new(FileToday { document, functions });
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= KEPT {
            files.clear();
        }
        files.insert(path.clone(), Known { stamp, file: Arc::clone(&file) });
        Some(file)
    }

    /// A measured function in today's text; `None` if it is gone from its file.
    pub(crate) fn function(
        &self,
        recording: &Recording,
        disk: &Disk,
        key: &DefinitionKey,
    ) -> Option<FunctionToday> {
        let file = self.file(recording, disk, &key.file)?;
        let measured = file.measured(recording);
        let function = measured.function(&key.path)?;
        let line_of = |offset| file.document.line_col(offset).line;
        let line = line_of(measured.selection(function).start());
        let end_line = line_of(measured.definition(function).range.end());
        Some(FunctionToday { line, end_line, freshness: function.freshness, file })
    }
}

impl FileToday {
    fn measured<'a>(&'a self, recording: &'a Recording) -> MeasuredDocument<'a> {
        MeasuredDocument { recording, document: &self.document, functions: &self.functions }
    }

    /// A 0-based line without its end and its indentation.
    fn line(&self, line: u32) -> &str {
        let (lines, text) = (self.document.lines(), self.document.text());
        let start = |line| lines.offset(text, LineCol { line, column: 0 }, Encoding::Utf8).map(usize::from);
        let Some(begin) = start(line) else { return "" };
        let end = start(line + 1).filter(|end| *end > begin).unwrap_or(text.len());
        text[begin..end].trim()
    }
}

impl FunctionToday {
    /// Its self time by line of today; empty if it was edited.
    pub(crate) fn lines(&self, recording: &Recording, key: &DefinitionKey) -> Vec<LineHeat> {
        let measured = self.file.measured(recording);
        measured.function(&key.path).map(|function| function_lines(measured, function)).unwrap_or_default()
    }

    /// How often its lines of today ran in the counted run; empty if it was edited, or if not known.
    pub(crate) fn runs(&self, recording: &Recording, key: &DefinitionKey) -> Vec<LineRuns> {
        let measured = self.file.measured(recording);
        measured.function(&key.path).map(|function| function_runs(measured, function)).unwrap_or_default()
    }

    /// Converts a 0-based line of its file when the recording was loaded to a line of today; `None` if the function was edited.
    pub(crate) fn line_today(&self, recording: &Recording, key: &DefinitionKey, line: u32) -> Option<u32> {
        let measured = self.file.measured(recording);
        measured.line_today(measured.function(&key.path)?)?(line)
    }

    /// Converts a 0-based line of inlined code of a definition, in its file when the recording was loaded, to a line of today.
    pub(crate) fn inlined_line_today(
        &self,
        recording: &Recording,
        definition: &DefinitionKey,
        line: u32,
    ) -> Option<u32> {
        self.file.measured(recording).inlined_line_today(definition, line)
    }

    /// A 0-based line of its file, without its indentation.
    pub(crate) fn text(&self, line: u32) -> &str {
        self.file.line(line)
    }
}
