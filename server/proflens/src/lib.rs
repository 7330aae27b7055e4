//! How it is heard: the language server, the command line and the disk. `main` and the session tests share this.

mod amounts;
pub mod cli;
pub mod config;
pub mod disk;
mod folder;
mod handlers;
pub mod history;
mod locating;
pub mod logging;
pub mod lsp;
mod memory;
mod proto;
mod serve;
mod server;
mod state;

pub use serve::{ByteBudget, serve};
