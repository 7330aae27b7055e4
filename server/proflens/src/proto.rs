//! Where the protocol's types begin and end: nothing below knows them, nothing above converts them.

pub(crate) mod capabilities;
pub(crate) mod ext;
pub(crate) mod from_proto;
pub(crate) mod to_proto;
