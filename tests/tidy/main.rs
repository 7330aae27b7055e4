//! The rules of the project as tests: what a reviewer would otherwise have to remember.
//! docs/contributing.md lists them in words.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod files;
mod floors;
mod formats;
mod generated;
mod imports;
mod json;
mod manual;
mod protocol;
mod tree;
mod versions;
mod workflows;
