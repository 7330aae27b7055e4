//! `proflens record` as it is started: real programs under a real Node, what they do with it and without it, and where their
//! time is shown.

mod endings;
mod options;
mod recorded;
mod runners;
