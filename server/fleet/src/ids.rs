//! Ids by content: the same thing has the same id in every shard, so that the processes that make rows need not communicate.
//!
//! An id is the XXH3 hash (64 bits, <https://github.com/Cyan4973/xxHash>) of its parts, each text preceded by its length, as a
//! signed integer, because every engine has those. Two things with the same id are refused where they meet ([`Collision`]), never
//! added up.

use std::fmt;

use twox_hash::XxHash3_64;

/// The id of a session, a function, a node or a definition.
pub type Id = i64;

/// Stands for no node below, and for no definition.
pub const NONE: Id = 0;

/// Ids this near to 0 are reserved, for [`NONE`] and for time without a stack.
const RESERVED: i64 = 16;

/// Two different things have the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collision {
    /// What they are: `functions`.
    pub what: &'static str,
    /// Their id.
    pub id: Id,
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, id } = self;
        write!(f, "two different {what} have the id {id}, so that their times cannot be told apart")
    }
}

/// The parts of an id, one after the other.
struct Parts(Vec<u8>);

impl Parts {
    fn new(kind: &str) -> Self {
        Self(Vec::with_capacity(128)).text(kind)
    }

    fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    fn optional(self, text: Option<&str>) -> Self {
        let there = self.number(i64::from(text.is_some()));
        there.text(text.unwrap_or_default())
    }

    fn number(mut self, number: i64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn id(&self) -> Id {
        of_hash(XxHash3_64::oneshot(&self.0))
    }
}

/// The hash of bytes, such as those of a text or a shard.
pub fn of_bytes(bytes: &[u8]) -> Id {
    of_hash(XxHash3_64::oneshot(bytes))
}

/// The id of the `count`-th session with these bytes in a shard, counting from 0.
pub fn session(bytes: Id, count: u64) -> Id {
    Parts::new("session").number(bytes).number(count.cast_signed()).id()
}

/// The id of a stack: its function, called from the node `parent`, or [`NONE`].
pub fn node(parent: Id, function: Id) -> Id {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&parent.to_le_bytes());
    bytes[8..].copy_from_slice(&function.to_le_bytes());
    of_hash(XxHash3_64::oneshot(&bytes))
}

/// The id of a definition: the same in all releases.
pub fn definition(file: &str, path: &str) -> Id {
    Parts::new("definition").text(file).text(path).id()
}

/// The id of a function of a release. Two releases may have different texts at the same address, so they have different ids.
pub fn function(
    release: &str,
    resource: Option<&str>,
    name: &str,
    (line, column): (i64, i64),
    kind: i64,
) -> Id {
    Parts::new("function")
        .text(release)
        .optional(resource)
        .text(name)
        .number(line)
        .number(column)
        .number(kind)
        .id()
}

fn of_hash(hash: u64) -> Id {
    let id = hash.cast_signed();
    if (-RESERVED..RESERVED).contains(&id) { id ^ (1 << 62) } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_a_part_of_the_format_and_never_change() {
        let app = Some("https://shop.example/app.js");
        assert_eq!(
            [
                session(of_bytes(b"{}"), 0),
                session(of_bytes(b"{}"), 1),
                function("42", app, "sum", (0, 199), 0),
                function("43", app, "sum", (0, 199), 0),
                function("42", None, "sum", (0, 199), 0),
                node(NONE, 17),
                node(17, 18),
                definition("src/cart.ts", "Cart.sum"),
            ],
            [
                2757242107805303419,
                8321641252884520616,
                7396423479758025577,
                -2711224274028134617,
                -856250800366556370,
                -5858381986906991720,
                6486984769059461152,
                -8111561225343133674
            ]
        );
    }

    #[test]
    fn what_is_reserved_is_no_id() {
        assert_eq!(
            [of_hash(0), of_hash(15), of_hash(u64::MAX)].map(|it| it.unsigned_abs() > 1 << 60),
            [true; 3]
        );
    }
}
