//! Places measurements on source code: turns a profile into the costs of the definitions of a workspace.
//!
//! This crate is pure: no disk, no threads, no clock, no protocol. Files are read through the trait [`Files`].
//!
//! [`load`] makes a [`Recording`] from a profile: it finds the files of resources (`locate`) and the definitions of
//! functions (`symbolicate`), and adds up costs by definition (`summary`). The functions of [`views`] compute what
//! editors and reports show of a recording.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod anchor;
mod bars;
pub mod counts;
pub mod deopts;
pub mod document;
pub mod files;
#[cfg(test)]
mod fixtures;
pub mod format;
pub mod locate;
mod other_run;
pub mod package;
pub mod recording;
pub mod rendering;
pub mod rules;
pub mod scope;
pub mod similar;
pub mod summary;
pub mod symbolicate;
pub mod together;
pub mod views;
pub mod wasm_names;
