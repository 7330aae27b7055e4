//! How it is heard: the language server, the command line and the disk. `main` and the session tests share this.

pub mod cli;
pub mod commands;
pub mod config;
mod disk;
mod handlers;
mod history;
mod loader;
mod locating;
mod logging;
pub mod lsp;
mod memory;
mod open;
mod proto;
mod serve;
mod server;
mod state;
mod traces;

pub use serve::{ByteBudget, serve};
