//! The tables of a lake: a public format, of which this is version [`VERSION`] (docs/fleet.md).
//!
//! Every file has every column, in this order. Integers are signed and have 64 bits.

/// The version of the format, in `lake.json`.
pub const VERSION: u32 = 1;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A signed integer of 64 bits; never null.
    Integer,
    /// Text in UTF-8; never null.
    Text,
    /// Text in UTF-8, or null.
    OptionalText,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// The names and types of its columns.
    pub columns: &'static [(&'static str, Type)],
    /// Whether it is partitioned by `date` and `release`; otherwise by `release` alone.
    pub is_dated: bool,
}

impl Table {
    /// The names of its columns.
    pub fn column_names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.0)
    }
}

use Type::{Integer, OptionalText, Text};

/// One row for each session.
pub const SESSIONS: Table = Table {
    name: "sessions",
    columns: &[
        ("session", Integer),
        ("received_ms", Integer),
        ("page", OptionalText),
        ("device", OptionalText),
        ("country", OptionalText),
        ("user", OptionalText),
        ("samples", Integer),
        ("total_ns", Integer),
        ("active_ns", Integer),
        ("idle_ns", Integer),
        ("no_stack_ns", Integer),
        ("program_ns", Integer),
        ("gc_ns", Integer),
        ("native_ns", Integer),
        ("unsampled_ns", Integer),
        ("unknown_ns", Integer),
    ],
    is_dated: true,
};

/// One row for each stack of a session: the time with exactly this stack.
pub const STACKS: Table = Table {
    name: "stacks",
    columns: &[("session", Integer), ("stack", Integer), ("ns", Integer), ("samples", Integer)],
    is_dated: true,
};

/// One row for each definition that ran in a session.
pub const COSTS: Table = Table {
    name: "costs",
    columns: &[
        ("session", Integer),
        ("definition", Integer),
        ("self_ns", Integer),
        ("total_ns", Integer),
        ("self_samples", Integer),
        ("total_samples", Integer),
        ("self_bucket", Integer),
        ("total_bucket", Integer),
    ],
    is_dated: true,
};

/// The nodes that stacks consist of. Rows may repeat.
pub const NODES: Table = Table {
    name: "nodes",
    columns: &[("node", Integer), ("parent", Integer), ("function", Integer)],
    is_dated: true,
};

/// What the trace says about the functions. Rows may repeat.
pub const FUNCTIONS: Table = Table {
    name: "functions",
    columns: &[
        ("function", Integer),
        ("resource", OptionalText),
        ("name", Text),
        ("line", Integer),
        ("column", Integer),
        ("kind", Integer),
    ],
    is_dated: false,
};

/// Which definitions the functions are. Rows may repeat.
pub const SYMBOLS: Table = Table {
    name: "symbols",
    columns: &[
        ("function", Integer),
        ("definition", Integer),
        ("file", OptionalText),
        ("path", OptionalText),
        ("name", OptionalText),
        ("line", Integer),
        ("column", Integer),
        ("reason", OptionalText),
        ("map", Integer),
        ("text", Integer),
    ],
    is_dated: false,
};

/// All of them.
pub const ALL: [Table; 6] = [SESSIONS, STACKS, COSTS, NODES, FUNCTIONS, SYMBOLS];

/// Whether a text can be a release: it is the name of a folder, and engines read it from there.
pub fn is_release(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        && !text.bytes().all(|byte| byte == b'.')
}

/// Whether a text is a day as the lake writes it: `2026-11-20`.
pub fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// The day of sessions whose day is not known.
pub const NO_DATE: &str = "unknown";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_names_of_folders() {
        let rows = [
            ("42", true),
            ("1.10.0-rc.1_b", true),
            ("", false),
            ("..", false),
            ("a/b", false),
            ("a b", false),
            ("é", false),
            ("a=b", false),
        ];
        assert_eq!(rows.map(|it| (it.0, is_release(it.0))), rows);
        assert!(!is_release(&"x".repeat(65)));
    }

    #[test]
    fn days_have_one_form() {
        let rows = [
            ("2026-11-20", true),
            ("2026-1-20", false),
            ("20261120", false),
            ("2026-11-2x", false),
            ("", false),
        ];
        assert_eq!(rows.map(|it| (it.0, is_date(it.0))), rows);
    }
}
