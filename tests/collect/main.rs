//! `proflens collect` as pages, strangers and broken machines meet it: the built program, over raw sockets.

#![cfg(unix)] // Ctrl-C can be sent to a program there
#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod crash;
mod hostile;
mod limits;
mod load;
mod server;
mod traces;
mod wire;
