//! A recording as a whole: what its flame graph consists of, as bytes for the page that draws it, as one file of HTML, and as a picture.
//!
//! The room is pure: no disk, no threads, no clock, no protocol. docs/flame.md describes the bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bytes;
mod compared;
mod difference;
mod functions;
mod graph;
mod html;
mod runs;
mod stacks;
mod svg;

pub use bytes::encode;
pub use functions::{Category, FlameFunction};
pub use graph::{Amounts, FlameComparison, FlameGraph, FlameMarker, FlameThread};
pub use html::html;
pub use stacks::FlameStacks;
pub use svg::svg;
