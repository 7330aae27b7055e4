//! Source maps through the front door of the crate.

mod drawn;
mod hostile;
mod index_maps;
mod mappings;
mod placing;
mod tables;
mod tc39;
