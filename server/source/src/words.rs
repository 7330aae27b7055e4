//! A text as the hashes of its words and signs, for comparing two texts that are not the same.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::skim::{Piece, Skim};

/// The hashes of the words, literals and signs of a text in their order, blind to white space and comments. Any part
/// of a JavaScript or TypeScript text will do, also one that does not parse.
pub fn words(text: &str) -> impl Iterator<Item = u64> + '_ {
    Skim::new(text.as_bytes()).filter_map(|(start, piece)| {
        let end = match piece {
            Piece::Comment(_) => return None,
            Piece::Word(end) | Piece::Literal(end) => end,
            Piece::Open(_) | Piece::Close(_) | Piece::Byte(_) => start + 1,
        };
        let mut hasher = FxHasher::default();
        hasher.write(&text.as_bytes()[start..end]);
        Some(hasher.finish())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_comments_are_no_words() {
        let of = |text| words(text).collect::<Vec<_>>();
        assert_eq!(of("a + b"), of("a/* and */+\n  b // sum"));
        assert_eq!(of("f('a b', 1)").len(), 6);
        assert_ne!(of("a + b"), of("b + a"));
        assert_eq!(of("`half"), of("`half"), "what does not end is one word");
    }
}
