//! Whether a file of the workspace still holds the text that a map was made from.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHashMap;
use source::text::text_of;

use crate::files::{FilePath, Files};

/// A hash that identifies a text, ignoring line ends and the byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digest {
    hash: u64,
    length: usize,
}

impl Digest {
    pub(crate) fn of(text: &str) -> Digest {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let plain;
        let text = if text.contains('\r') {
            plain = text.replace("\r\n", "\n").replace('\r', "\n");
            &plain
        } else {
            text
        };
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        Digest { hash: hasher.finish(), length: text.len() }
    }

    /// A hash that identifies a list of numbers.
    pub(crate) fn of_numbers(numbers: &[u64]) -> Digest {
        let mut hasher = DefaultHasher::new();
        numbers.hash(&mut hasher);
        Digest { hash: hasher.finish(), length: numbers.len() }
    }
}

/// The digests of workspace files; each file is read at most once.
pub(crate) struct FileDigests<'a> {
    pub(crate) files: &'a dyn Files,
    known: RefCell<FxHashMap<FilePath, Option<Digest>>>,
}

impl<'a> FileDigests<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> FileDigests<'a> {
        FileDigests { files, known: RefCell::default() }
    }

    /// Whether a file holds the text; `false` if it cannot be read.
    pub(crate) fn holds(&self, file: &FilePath, text: Digest) -> bool {
        let read = || Some(Digest::of(&text_of(&self.files.read(file)?)));
        let known = *self.known.borrow_mut().entry(file.clone()).or_insert_with(read);
        known == Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_make_no_difference() {
        let digest = Digest::of("a\nb\n");
        for same in ["a\r\nb\r\n", "\u{FEFF}a\nb\n", "a\rb\r"] {
            assert_eq!(Digest::of(same), digest, "{same:?}");
        }
        assert_ne!(Digest::of("a\nb"), digest);
    }
}
