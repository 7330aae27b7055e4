//! Finds the workspace file of a resource of a trace, or of a source of a map.
//!
//! Traces and maps name scripts by url or path, often of another machine or of a server. Files are found by the user's
//! mappings, by the path itself, or by a vote of all names together (`vote`). If a name may stand for several files, it
//! is unplaced: no file is better than a wrong one. `docs/locating.md` has the rules.

pub(crate) mod address;
mod build;
mod chosen;
mod dependencies;
mod folders;
mod installed;
pub(crate) mod known;
mod launch;
mod located;
mod locator;
pub(crate) mod mapping;
pub(crate) mod module;
mod name_matches;
mod namesakes;
mod overrides;
mod packages;
mod percent;
mod relocation;
mod resources;
mod same_text;
mod settings;
mod source_name;
mod sources;
pub(crate) mod text;
mod unplaced;
mod vote;
mod workspace;

pub(crate) use known::has_node_modules;
pub use launch::Launch;
pub use located::{FoundBy, Located};
pub(crate) use locator::depends;
pub use mapping::{Mappings, PathMapping};
pub use namesakes::{Namesake, namesakes};
pub(crate) use resources::locate_below;
pub use resources::{locate, path_inside};
pub(crate) use same_text::locate_by_text;
pub use settings::LocateSettings;
pub(crate) use sources::{LocatedSource, MapSources, locate_sources};
pub use unplaced::UnplacedReason;
