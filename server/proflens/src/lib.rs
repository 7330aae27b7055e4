//! The language server, the command line and the disk, as a library: `main` and the tests of the protocol share it.

pub mod cli;
pub mod commands;
pub mod config;
mod coverage;
pub mod disk;
mod handlers;
mod history;
mod loader;
mod locating;
mod logging;
pub mod lsp;
pub mod memory;
mod open;
mod proto;
pub mod recordings;
mod scope_request;
pub mod serve;
mod server;
mod shell;
mod state;
mod traces;
mod version;
