//! The targets.

pub(crate) mod beacons;
pub(crate) mod deopts;
pub(crate) mod edits;
pub(crate) mod inspector;
pub(crate) mod locate;
pub(crate) mod maps;
pub(crate) mod markup;
pub(crate) mod messages;
pub(crate) mod outline;
pub(crate) mod parquet;
pub(crate) mod parts;
pub(crate) mod rereads;
pub(crate) mod settings;
pub(crate) mod traces;
pub(crate) mod wasm;
