//! The built binary as an editor and as a shell start it. Few tests by intent: what is said is tested where it is
//! computed; here is tested that it is heard.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod bad_input;
mod cli;
mod history;
mod lsp;
mod threads;
mod traces;
