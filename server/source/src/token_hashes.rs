//! A text as the hashes of its tokens, for measuring how similar two texts are.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::scanner::{Lexeme, Scanner};

/// The hashes of the tokens of a text, in order; white space and comments make no difference. Any part of a JavaScript
/// or TypeScript text will do, even one that does not parse.
pub fn token_hashes(text: &str) -> impl Iterator<Item = u64> + '_ {
    let mut scanner = Scanner::new(text.as_bytes());
    std::iter::from_fn(move || {
        loop {
            let (start, lexeme) = scanner.next()?;
            if !matches!(lexeme, Lexeme::Comment(_)) {
                // A brace that ends `${..}` includes the text of the template after it.
                let mut hasher = FxHasher::default();
                hasher.write(&text.as_bytes()[start..scanner.at]);
                return Some(hasher.finish());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_comments_are_no_tokens() {
        let hashes = |text| token_hashes(text).collect::<Vec<_>>();
        assert_eq!(hashes("a + b"), hashes("a/* and */+\n  b // sum"));
        assert_eq!(hashes("f('a b', 1)").len(), 6);
        assert_ne!(hashes("a + b"), hashes("b + a"));
        assert_ne!(hashes("`a ${b} c`"), hashes("`a ${b} d`"));
        assert_eq!(hashes("`half of it").len(), 1, "what does not end is one token");
    }
}
