//! The project's own commands, in Rust so that they run wherever the project builds.
fn main() {}
