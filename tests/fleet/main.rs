//! The fleet's program as people run it, on generated sessions of the shop in `examples/fleet`.

mod fleet;
mod lake;
mod wrong;
