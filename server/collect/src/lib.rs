//! Receives traces that pages measure of themselves (JS Self-Profiling), and keeps them in files, one trace a line.
//!
//! ```text
//!  connection -> service -> line -> writer -> store
//!  (sockets)     (HTTP)     (what a request holds, checked)    (files)
//! ```
//!
//! The only room that listens on a socket, and only while [`Collector::run`] runs. A request is data: it is checked and
//! written to a file, never run, and no part of it appears in an answer.

mod clock;
pub mod connections;
mod dimensions;
mod line;
mod nesting;
pub mod origins;
mod places;
mod quota;
mod recovery;
mod refusal;
pub mod service;
pub mod settings;
mod store;
pub mod writer;

use profile::problem::Problem;

/// The line that a collector keeps for the body of a request; for the fuzzer.
///
/// # Errors
/// The text of the answer for a body that is not kept.
pub fn line_of_body(body: Vec<u8>, is_gzip: bool, max_body: u64) -> Result<Vec<u8>, Problem> {
    let memory = quota::Memory::new(max_body.saturating_mul(4));
    Ok(line::line_of(body, is_gzip, max_body, &mut memory.reserve_nothing())?)
}
