//! A text as the hashes of its tokens, for measuring how similar two texts are.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::scanner::{Lexeme, Scanner};

/// The hashes of the tokens of a text, in order; white space and comments make no difference. Any part of a JavaScript
/// or TypeScript text will do, even one that does not parse.
pub fn token_hashes(text: &str) -> impl Iterator<Item = u64> + '_ {
    hashes(text, |token| token)
}

/// The same, but all strings that begin with `./` or `../` are alike: they are module paths, which change when a file is moved.
pub fn token_hashes_without_paths(text: &str) -> impl Iterator<Item = u64> + '_ {
    hashes(text, |token| if is_relative_path(token) { b"'./'" } else { token })
}

/// Hashes the part of each token that `counted` returns.
fn hashes<'t>(text: &'t str, counted: fn(&[u8]) -> &[u8]) -> impl Iterator<Item = u64> + 't {
    let mut scanner = Scanner::new(text.as_bytes());
    std::iter::from_fn(move || {
        loop {
            let (start, lexeme) = scanner.next()?;
            if !matches!(lexeme, Lexeme::Comment(_)) {
                // A brace that ends `${..}` includes the text of the template after it.
                let mut hasher = FxHasher::default();
                hasher.write(counted(&text.as_bytes()[start..scanner.at]));
                return Some(hasher.finish());
            }
        }
    })
}

fn is_relative_path(token: &[u8]) -> bool {
    matches!(token, [b'"' | b'\'' | b'`', rest @ ..] if rest.starts_with(b"./") || rest.starts_with(b"../"))
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

    #[test]
    fn paths_of_modules_are_alike() {
        let plain = |text| token_hashes(text).collect::<Vec<_>>();
        let hashes = |text| token_hashes_without_paths(text).collect::<Vec<_>>();
        let rows = [
            ("import { a } from './a.js'", "import { a } from \"../lib/b.js\"", true),
            ("require('./a')", "require('../..')", true),
            ("import('react')", "import('preact')", false),
            ("f('.a')", "f('.b')", false),
        ];
        for (one, other, are_alike) in rows {
            assert_eq!(hashes(one) == hashes(other), are_alike, "{one} {other}");
            assert_ne!(plain(one), plain(other), "{one} {other}");
        }
    }
}
