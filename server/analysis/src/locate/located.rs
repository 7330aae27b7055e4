//! The answer for a resource: its file and how it was found, or the reason why there is none.

use crate::files::FilePath;
use crate::locate::unplaced::UnplacedReason;

/// Where a resource is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// A regular file in the workspace.
    File {
        /// As [`Files::resolve`](crate::files::Files::resolve) gives it.
        file: FilePath,
        /// How it was found.
        found_by: FoundBy,
        /// Whether the text that ran differs from the file's, so that positions say little: modules in `eval`
        /// (`webpack-internal:///./src/a.ts`), and files that a development server compiles before it sends them.
        transformed: bool,
    },
    /// No file, for this reason.
    Unplaced(UnplacedReason),
}

impl Located {
    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<&FilePath> {
        if let Self::File { file, .. } = self { Some(file) } else { None }
    }
}

/// How a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// By the path itself, or by a mapping.
    Path,
    /// By the end of its path, as decided by the vote of all resources of the trace.
    EndOfPath,
    /// By the end of its path, which other files share: packages in other versions, bundles of other projects. Its text
    /// decides (`symbolicate/claims.rs`).
    Claim {
        /// Why its functions are unplaced if the text does not fit.
        otherwise: UnplacedReason,
    },
    /// By its name and its text, which is the one that ran (`same_text`).
    Text,
    /// By its text, or most of its functions: it was at the path of the trace, and is elsewhere today
    /// (`symbolicate/moved_files.rs`).
    Moved,
}
