//! What was written: the function definitions of a JavaScript or TypeScript text.
//!
//! This room knows nothing of profiles, of files on disk or of editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod call_sites;
mod definition;
mod edit;
mod embedded;
mod language;
mod large_stack;
mod loaders;
pub mod map;
mod name;
mod outline;
mod parse;
mod recovery;
mod scanner;
mod stack_budget;
mod text;
mod token_hashes;

pub use call_sites::call_sites;
pub use definition::{Definition, DefinitionId, DefinitionKind, Outline, OutlineError};
pub use language::Language;
pub use large_stack::{outline, with_large_stack};
pub use loaders::{LOADERS, Layout, Loader, PrintedFunction, layouts};
pub use name::{is_name_of, names_agree};
pub use outline::outline_here;
pub use stack_budget::{LARGE_STACK, with_stack};
pub use text::{Encoding, LineCol, LineEnds, LineIndex, text_of};
pub use token_hashes::token_hashes;
