//! `proflens collect` as pages, strangers and broken machines meet it: the built program, over raw sockets.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod crash;
mod hostile;
mod limits;
mod load;
mod server;
mod traces;
mod wire;
