//! What became of a definition since it was measured.

use serde::Serialize;

/// How well a measured cost fits today's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Freshness {
    /// Same code, same place.
    #[default]
    Fresh,
    /// Same code, another place or name.
    Moved,
    /// Found again with different code: the cost was measured on an older version.
    Edited,
    /// Not in the text any more.
    Gone,
}

impl Freshness {
    /// Whether its lines are known because the code is the same as when it was measured.
    pub fn keeps_lines(self) -> bool {
        matches!(self, Self::Fresh | Self::Moved)
    }

    /// The name in `report` and in the editors' protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Moved => "moved",
            Self::Edited => "edited",
            Self::Gone => "gone",
        }
    }
}
