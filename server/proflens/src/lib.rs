//! How it is heard: the language server, the command line and the disk. `main` and the session tests share this.

pub mod logging;
mod serve;

pub use serve::serve;
