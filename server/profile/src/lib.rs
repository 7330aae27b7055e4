//! Decodes traces of every format into one [`Profile`](model::Profile), and computes what follows from a profile alone.
//!
//! ```text
//! decode   encode              the formats: bytes to a profile, and back
//! join     rename              profiles to one profile, the same profile under other names
//! tally    builder . calls     the kernel: what each function cost; how a profile is made, which calls its samples show
//! scope                        which threads, windows and stacks are looked at
//! model                        the tables
//! problem  plain  uncertainty  what was odd, what may be shown, how sure a sampled amount is
//! ```
//!
//! This crate knows nothing of files, paths, source texts or editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod builder;
pub mod decode;
pub mod encode;
pub mod join;
pub mod model;
pub mod plain;
pub mod problem;
pub mod rename;
pub mod scope;
pub mod tally;
mod timeline;
pub mod uncertainty;
