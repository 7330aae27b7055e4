//! A recording as a whole: the content of its flame graph, as bytes for the page that draws it, as one HTML file, and as a picture.
//!
//! The room is pure: no disk, no threads, no clock, no protocol. docs/flame.md describes the bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod bytes;
mod compared;
mod difference;
pub mod functions;
pub mod graph;
pub mod html;
pub mod stacks;
mod stretches;
pub mod svg;
