//! What a test is given: files, places and stacks, drawn in one string, so that a test shows its point at a glance.
//!
//! ```text
//! //- /src/app.ts
//! function $1main() {
//! //         ^^^^ self 1 ms, total 5 ms
//!   work();
//! }
//! function $2work() {}
//! //         ^^^^ self 4 ms, total 4 ms
//! //- trace
//! main@$1  main@$1  main@$1  main@$1  main@$1
//!          work@$2  work@$2  work@$2  work@$2
//! ```
//!
//! This room knows no type of the project: what a fixture means is said by the `check` of each test file.
//! A fixture that cannot be read panics and names the line: it is a mistake of the test.

pub mod columns;
pub mod fixture;
pub mod markers;
