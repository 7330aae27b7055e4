//! The built program as an editor and a shell start it. These tests are few: results are tested where they are
//! computed; here it is only checked that they are printed or sent.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod action;
mod bad_input;
mod caches;
mod calls;
mod chosen;
mod cli;
mod compare;
mod compare_lsp;
mod compilers;
mod coverage;
mod drawn;
#[cfg(windows)]
mod drives;
mod flame;
mod folders;
mod history;
mod hostile;
mod inlined;
mod labels;
mod lsp;
mod packages;
mod rendering;
mod roots;
mod runners;
mod scope;
mod shares;
mod slices;
mod threads;
mod tour;
mod traces;
mod wasm;
