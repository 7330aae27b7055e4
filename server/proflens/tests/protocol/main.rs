//! The protocol: a client and a server in one process, connected by pipes. One file for each subject.
// Clippy's exception for tests does not reach their helpers.
#![allow(clippy::unwrap_used)]

mod bytes;
mod client;
mod deopts;
mod editing;
mod history;
mod long_loads;
mod maps;
mod order;
mod serving;
mod settings;
mod surfaces;
mod threads;
mod toy;
mod traces;
mod workspace;
