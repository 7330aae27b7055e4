//! The fleet's program as people run it, on generated sessions of the shop in `examples/fleet`.

mod bucket;
mod fleet;
mod hostile;
mod lake;
mod wrong;
