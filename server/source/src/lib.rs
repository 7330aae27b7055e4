//! What was written: the function definitions of a JavaScript or TypeScript text.
//!
//! This room knows nothing of profiles, of files on disk or of editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod beginnings;
pub mod built;
pub mod call_sites;
pub mod definition;
mod edit;
mod embedded;
pub mod language;
pub mod large_stack;
pub mod loaders;
pub mod map;
pub mod name;
pub mod outline;
mod parse;
mod recovery;
mod scanner;
pub mod stack_budget;
pub mod text;
pub mod token_hashes;
pub mod wasm;
