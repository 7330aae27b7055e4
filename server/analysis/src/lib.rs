//! Where the two meet: what was measured, placed on what was written.
//!
//! Pure: no disk, no threads, no clock, no protocol. What it needs of the outside it asks of a [`Files`].
//!
//! The road is [`load`]: resources to files (`locate`), functions to definitions (`symbolicate`), costs by
//! definition (`summary`). The answers are in [`views`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod anchor;
mod document;
mod files;
#[cfg(test)]
mod fixtures;
pub mod format;
mod locate;
mod recording;
mod summary;
mod symbolicate;
mod unplaced;
pub mod views;

pub use anchor::{Freshness, Version, anchor};
pub use document::Document;
pub use files::{FilePath, Files};
pub use locate::{Certainty, Launch, LaunchError, LocateSettings, Located, Mappings, PathMapping, locate};
pub use recording::{LostMap, Origin, Recording, TraceInfo, load};
pub use summary::{
    Call, DefinitionKey, Ledger, Measured, MeasuredAt, Other, Summary, Unplaced, UnplacedFunction, share,
    summarize,
};
pub use symbolicate::{
    Confidence, FollowedMap, FoundDefinition, LoadSettings, MapDecision, MapPlace, Place, Refusal,
    ScriptDecision, SourceText, Symbols, WhichText, new_names, symbolicate,
};
pub use unplaced::UnplacedReason;
