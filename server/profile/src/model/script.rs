//! What a trace holds of a script, so that it can be placed without its file.

use crate::model::units::Position;

/// A script as it ran, as far as the trace holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its text.
    pub text: Option<Box<str>>,
    /// How many UTF-16 code units the whole text has, if the trace lacks its end.
    pub whole_length: Option<usize>,
    /// The text of its source map.
    pub map: Option<Box<str>>,
    /// Where the map was, as named by the script, or its own url.
    pub map_url: Option<Box<str>>,
    /// Whether its text is the source as written, before any build. Functions are then found in it by the starts of their
    /// names, and the resource is a path below the workspace.
    pub is_source: bool,
    /// Where its text starts in the resource, which may be a page; `None` if the trace does not tell.
    pub start: Option<Position>,
}

impl Script {
    /// Whether its text is another one only because Chrome does not write each text as it is: it leaves out the end of long
    /// ones, breaks characters where one of their pieces ends, and has `?` for U+007F.
    pub fn is_inexact_copy_of(&self, whole: &str) -> bool {
        let Some(text) = self.text.as_deref().filter(|text| *text != whole) else { return false };
        let has_length = match self.whole_length {
            Some(length) => text.len() <= whole.len() && whole.encode_utf16().count() == length,
            None => text.len() == whole.len(),
        };
        let is_cut = self.whole_length.is_some();
        let mut bytes = text.bytes().zip(whole.bytes()).enumerate();
        has_length
            && bytes.all(|(at, (traced, byte))| {
                traced == byte || (traced, byte) == (b'?', b'\x7f') || is_cut && is_at_an_edge(at)
            })
    }
}

/// How many bytes a piece of a long text has (`kSplitMaxLength`, v8/src/objects/script.cc).
const PIECE: usize = 1_000_000;
/// How many bytes of a broken character may be on one side of the edge.
const BROKEN: usize = 3;

/// Whether a byte may be of a character that two pieces share.
fn is_at_an_edge(at: usize) -> bool {
    (at + BROKEN) % PIECE < 2 * BROKEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_two_pieces_share() {
        let whole = format!("{}€{}", "x".repeat(PIECE - 1), "y".repeat(PIECE));
        let traced = |text: String| {
            let whole_length = Some(whole.encode_utf16().count());
            Script { text: Some(text.into()), whole_length, ..Script::default() }.is_inexact_copy_of(&whole)
        };
        let broken = format!("{}\u{2}\u{2},{}", "x".repeat(PIECE - 1), "y".repeat(PIECE - 2));
        assert!(traced(broken.clone()));
        assert!(!traced(broken.replacen("yyyyyy", "yyyyyz", 1)));
    }
}
