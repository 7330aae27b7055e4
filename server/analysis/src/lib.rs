//! Places what was measured on what was written: from a profile to the costs of the definitions of a workspace.
//!
//! This crate is pure: no disk, no threads, no clock, no protocol. Files are read by the trait [`Files`].
//!
//! [`load`] makes a [`Recording`] of a profile: it finds the files of resources (`locate`) and the definitions of
//! functions (`symbolicate`), and adds up costs by definition (`summary`). What editors and reports show of a recording
//! are the functions of [`views`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod anchor;
mod bars;
mod document;
mod files;
#[cfg(test)]
mod fixtures;
pub mod format;
mod locate;
mod package;
mod recording;
mod rules;
mod scope;
mod similar;
mod summary;
mod symbolicate;
mod together;
pub mod views;

pub use anchor::{Freshness, Version, anchor};
pub use document::Document;
pub use files::{CachedText, FilePath, Files, Runner};
pub use locate::{
    Certainty, Launch, LaunchError, LocateSettings, Located, Mappings, Namesake, PathMapping, UnplacedReason,
    locate, namesakes,
};
pub use package::Package;
pub use recording::{LostMap, Origin, Recording, TraceInfo, add_up, load};
pub use rules::{Rule, Rules};
pub use scope::{FunctionName, LostChange, Scope, StackChange, WhyLost};
pub use summary::{
    Base, Call, CallEnd, CallStacks, Calls, DefinitionKey, Generated, Ledger, Maker, Measured, MeasuredAt,
    OnThread, Summary, ThreadTime, UnplacedFunction, UnplacedTime, share,
};
pub use symbolicate::{
    Confidence, FollowedMap, FoundDefinition, LoadSettings, MapDecision, MapPlace, Place, Refusal,
    ScriptDecision, SourceText, Symbols, WhichText, new_names, symbolicate,
};
pub use together::{Placed, place};
