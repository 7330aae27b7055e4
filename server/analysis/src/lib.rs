//! Where the two meet: what was measured, placed on what was written.
//!
//! Pure: no disk, no threads, no clock, no protocol. What it needs of the outside it asks of a [`Files`].
//!
//! The road is [`load`]: resources to files (`locate`), functions to definitions (`symbolicate`), costs by
//! definition (`summary`). The answers are in [`views`].

mod anchor;
mod component;
pub mod display;
mod document;
#[cfg(test)]
mod drawings;
mod files;
#[cfg(test)]
mod fixture;
mod launch;
mod locate;
mod maps;
mod measured;
mod originals;
mod placing;
mod ran;
mod recording;
mod renaming;
mod sources;
mod summary;
mod symbolicate;
mod threads;
pub mod views;
mod why;

pub use anchor::{Freshness, Version, anchor};
pub use document::Document;
pub use files::{FilePath, Files};
pub use launch::{Launch, LaunchError};
pub use locate::{Certainty, LocateSettings, Located, Mappings, PathMapping, locate};
pub use maps::{MapFound, MapPlace, MapSettings, Refusal, map_of};
pub use measured::SourceText;
pub use originals::{LoadSettings, LostMap};
pub use placing::Confidence;
pub use recording::{Recording, SameUnit, TraceInfo, load};
pub use renaming::new_names;
pub use sources::{LocatedSource, MapSources, locate_sources};
pub use summary::{
    Call, DefinitionKey, Ledger, Measured, MeasuredAt, Other, Summary, Unplaced, UnplacedFunction, share,
    summarize,
};
pub use symbolicate::{Found, Origin, Place, Symbols, symbolicate};
pub use threads::{ThreadInfo, Threads, match_previous_thread, thread_named, thread_names};
pub use why::UnplacedReason;
