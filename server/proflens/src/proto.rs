//! The protocol's types, and the only conversions to and from them: modules below do not know them, modules above do
//! not convert them.

pub(crate) mod amounts;
pub(crate) mod capabilities;
pub(crate) mod causes;
pub(crate) mod compare;
pub(crate) mod ext;
pub(crate) mod from_proto;
pub(crate) mod to_proto;
