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
//! This room knows no types of the project: the `check` of each test file says what a fixture means. A fixture that
//! cannot be read panics and names the line, because that is a mistake in the test.

pub mod columns;
pub mod fixture;
pub mod markers;
