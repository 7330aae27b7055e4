//! What was written: the function definitions of a JavaScript or TypeScript text.
//!
//! This room knows nothing of profiles, of files on disk or of editors.

mod definition;
mod language;
mod text;

pub use definition::{Definition, DefinitionId, DefinitionKind, Outline};
pub use language::Language;
pub use text::{Encoding, LineCol, LineEnds, LineIndex};
