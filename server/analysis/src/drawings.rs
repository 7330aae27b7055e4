//! What the analysis does, drawn: each test is a small program, what was measured of it, and what is shown.

mod costs;
mod edits;
mod lists;
mod placing;
mod traced;
