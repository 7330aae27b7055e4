//! What people call a definition: its name, its path in the file, and whether a name that an engine reports is the same.

mod agree;
mod given;
mod paths;

pub use agree::{is_name_of, is_of_default_export, names_agree};
pub(crate) use given::{GivenName, GivenNames};
pub(crate) use paths::{Paths, own_path};
