//! The documents that are open, each version an immutable value.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use analysis::document::Document;
use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::views::MeasuredFunctions;
use dashmap::DashMap;
use tower_lsp::ls_types::Uri;

/// With more files than this, the numbers of closed ones are forgotten.
const MAX_NUMBERS: usize = 10_000;

/// All that are open.
#[derive(Default)]
pub(crate) struct Documents {
    open: DashMap<FilePath, Arc<OpenDocument>>,
    /// The files that the client spells differently from the disk, by the client's spelling.
    otherwise_spelled: DashMap<FilePath, FilePath>,
    numbers: Mutex<Numbers>,
}

/// The numbers by which hints and lenses name files. No number is used twice, and a file that is opened again keeps its number.
#[derive(Default)]
struct Numbers {
    of_files: HashMap<FilePath, u32>,
    next: u32,
}

impl Documents {
    /// Opens a document whose file the client spells like this.
    pub(crate) fn open(&self, spelled: FilePath, uri: Uri, document: Document) {
        if spelled != document.file {
            self.otherwise_spelled.insert(spelled, document.file.clone());
        }
        self.put(uri, document);
    }

    /// Stores a new version of a document.
    pub(crate) fn put(&self, uri: Uri, document: Document) {
        let file = document.file.clone();
        let number = self.number_of(&file);
        if let Some(older) = self.open.insert(file, Arc::new(OpenDocument::new(uri, document, number))) {
            older.mark_outdated();
        }
    }

    /// Removes the document of a closed file.
    pub(crate) fn remove(&self, file: &FilePath) {
        let spelled = self.otherwise_spelled.remove(file);
        if let Some((_, open)) = self.open.remove(spelled.as_ref().map_or(file, |(_, file)| file)) {
            open.mark_outdated();
        }
    }

    /// The open document of a file.
    pub(crate) fn get(&self, file: &FilePath) -> Option<Arc<OpenDocument>> {
        let spelled = self.otherwise_spelled.get(file);
        self.open.get(spelled.as_deref().unwrap_or(file)).map(|open| Arc::clone(&open))
    }

    /// The open document with this number.
    pub(crate) fn numbered(&self, number: u32) -> Option<Arc<OpenDocument>> {
        self.open.iter().find(|open| open.number == number).map(|open| Arc::clone(&open))
    }

    /// The files of the open documents in which somebody looked for measured functions.
    pub(crate) fn files_with_costs(&self) -> Vec<FilePath> {
        // No lock is held while a document is waited for.
        let mut open: Vec<Arc<OpenDocument>> = self.open.iter().map(|open| Arc::clone(&open)).collect();
        open.retain(|open| open.measured().is_some());
        open.iter().map(|open| open.document.file.clone()).collect()
    }

    fn number_of(&self, file: &FilePath) -> u32 {
        let mut numbers = self.numbers();
        if let Some(&number) = numbers.of_files.get(file) {
            return number;
        }
        if numbers.of_files.len() >= MAX_NUMBERS {
            numbers.of_files.retain(|file, _| self.open.contains_key(file));
        }
        let number = numbers.next;
        numbers.next += 1;
        numbers.of_files.insert(file.clone(), number);
        number
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A document as the editor has it.
pub(crate) struct OpenDocument {
    /// As the client spells it.
    pub(crate) uri: Uri,
    pub(crate) document: Document,
    /// The number by which hints and lenses name it, in all its versions.
    pub(crate) number: u32,
    /// Whether there is a newer version, or the document was closed.
    is_outdated: AtomicBool,
    /// Where the functions of a recording are in this version. The recording is not kept alive by this.
    measured: Mutex<Option<Measured>>,
}

/// A recording, and where its functions are.
type Measured = (Weak<Recording>, Arc<MeasuredFunctions>);

impl OpenDocument {
    fn new(uri: Uri, document: Document, number: u32) -> Self {
        Self { uri, document, number, is_outdated: AtomicBool::new(false), measured: Mutex::default() }
    }

    /// Marks that there is a newer version, or that the document was closed.
    fn mark_outdated(&self) {
        self.is_outdated.store(true, Ordering::SeqCst);
    }

    /// Whether this is what the editor shows.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_outdated.load(Ordering::SeqCst)
    }

    /// Where the functions that a recording measured are in this version. They are located once, on demand.
    pub(crate) fn measured_by(&self, recording: &Arc<Recording>) -> Arc<MeasuredFunctions> {
        let mut measured = self.measured();
        match &*measured {
            Some((known, functions)) if Weak::ptr_eq(known, &Arc::downgrade(recording)) => {
                Arc::clone(functions)
            }
            _ => {
                let functions = Arc::new(MeasuredFunctions::find(recording, &self.document));
                *measured = Some((Arc::downgrade(recording), Arc::clone(&functions)));
                functions
            }
        }
    }

    fn measured(&self) -> MutexGuard<'_, Option<Measured>> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_number_while_it_is_open_and_no_other_file_gets_it() {
        let documents = Documents::default();
        let open = |file: &str| {
            let (file, uri) = (FilePath::new(file), format!("file://{file}").parse().unwrap());
            documents.put(uri, Document::new(file.clone(), 1, ""));
            documents.get(&file).unwrap().number
        };
        assert_eq!(["/a.js", "/b.js", "/a.js"].map(open), [0, 1, 0]);
        documents.remove(&FilePath::new("/b.js"));
        assert!(documents.numbered(1).is_none());
        assert_eq!(["/c.js", "/b.js"].map(open), [2, 1], "and has it again");
        documents.remove(&FilePath::new("/b.js"));
        (3..MAX_NUMBERS).for_each(|it| _ = open(&format!("/{it}.js")));
        assert_eq!(
            ["/d.js", "/a.js", "/b.js"].map(open),
            [10_000, 0, 10_001],
            "unless there are too many files"
        );
    }

    #[test]
    fn a_document_is_found_by_both_spellings() {
        let documents = Documents::default();
        let [spelled, file] = ["C:/ws/APP.js", "C:/ws/app.js"].map(FilePath::new);
        let uri = "file:///C:/ws/APP.js".parse().unwrap();
        documents.open(spelled.clone(), uri, Document::new(file.clone(), 1, ""));
        let open =
            || [&spelled, &file].map(|file| documents.get(file).map(|open| open.document.file.to_string()));
        assert_eq!(open(), [Some(file.to_string()), Some(file.to_string())]);
        documents.remove(&spelled);
        assert_eq!(open(), [None, None]);
    }

    #[test]
    fn measured_functions_are_searched_once_and_keep_no_recording_alive() {
        let uri = "file:///a.js".parse().unwrap();
        let open = OpenDocument::new(uri, Document::new(FilePath::new("/a.js"), 1, ""), 0);
        let [one, other] = [(); 2].map(|()| Arc::new(Recording::default()));
        let first = open.measured_by(&one);
        assert!(Arc::ptr_eq(&first, &open.measured_by(&one)), "all questions share it");
        assert!(!Arc::ptr_eq(&first, &open.measured_by(&other)), "another recording has its own");
        assert_eq!([&one, &other].map(Arc::strong_count), [1, 1]);
    }
}
