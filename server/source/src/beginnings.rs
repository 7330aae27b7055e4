//! Finds where a statement, an argument or a line of code may begin in a text, and the braces around each place. How
//! often such a place ran is how often the code that begins there did. Nothing is parsed, so texts of any size and
//! language are read in one pass.

use crate::scanner::{Lexeme, Scanner};

/// The beginnings of a text, and its braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginnings {
    /// The offsets of all places at which something may begin, in order.
    pub places: Vec<usize>,
    /// The pairs of braces, by their opening brace: where they are, and the number of the pair around them.
    braces: Vec<Braces>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Braces {
    open: usize,
    /// The end of the text if they are not closed.
    close: usize,
    around: Option<usize>,
    /// Whether they are a statement of their own, and belong to nothing before them.
    is_plain: bool,
}

impl Beginnings {
    /// Finds the beginnings of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let (mut end, mut may_begin, mut inside, mut ends_statement) = (0, true, None, true);
        for (start, lexeme) in Scanner::new(bytes) {
            may_begin |= bytes[end..start].contains(&b'\n');
            end = match lexeme {
                Lexeme::Word(end) | Lexeme::Literal(end) | Lexeme::Comment(end) => end,
                Lexeme::Open(_) | Lexeme::Close(_) | Lexeme::Byte(_) => start + 1,
            };
            match lexeme {
                Lexeme::Comment(_) => continue,
                Lexeme::Close(_) | Lexeme::Byte(b';' | b',' | b'.') => {}
                _ if may_begin => found.places.push(start),
                _ => {}
            }
            match lexeme {
                Lexeme::Open(b'{') => {
                    let (close, around) = (text.len(), inside);
                    let braces = Braces { open: start, close, around, is_plain: ends_statement };
                    inside = Some(found.braces.len());
                    found.braces.push(braces);
                }
                Lexeme::Close(b'}') => {
                    if let Some(pair) = inside {
                        found.braces[pair].close = start;
                        inside = found.braces[pair].around;
                    }
                }
                _ => {}
            }
            ends_statement = matches!(lexeme, Lexeme::Open(b'{') | Lexeme::Close(b'}') | Lexeme::Byte(b';'));
            may_begin = matches!(lexeme, Lexeme::Open(_) | Lexeme::Close(_) | Lexeme::Byte(b';' | b','));
        }
        found
    }

    /// Where the innermost braces around an offset that belong to something, such as a function or a `try`, are closed;
    /// `None` if there are none.
    pub fn closed_at(&self, offset: usize) -> Option<usize> {
        let next = self.braces.partition_point(|braces| braces.open < offset);
        let mut pair = next.checked_sub(1);
        while let Some(braces) = pair.map(|pair| self.braces[pair]) {
            if offset <= braces.close && !braces.is_plain {
                return Some(braces.close);
            }
            pair = braces.around;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// Not here; nor here.
function work(all, more) { /* nor { here */ const x = `a; ${ all } b`;
  { plain(); }
  if (x) return more
    .map((it) => it * 2); // or here
  return /;{/.test(x) ? [1,
    2] : { a: 'b; c' };
}
work();
";

    #[test]
    fn what_may_begin_a_line_or_a_statement() {
        let found = Beginnings::of(TEXT);
        let mut marked = TEXT.to_owned();
        found.places.iter().rev().for_each(|at| marked.insert(*at, '^'));
        let expected = "\
// Not here; nor here.
^function work(^all, ^more) ^{ /* nor { here */ ^const x = `a; ${ ^all } b`;
  ^{ ^plain(); }
  ^if (^x) ^return more
    .map(^(^it) ^=> it * 2); // or here
  ^return /;{/.test(^x) ^? [^1,
    ^2] ^: { ^a: 'b; c' };
}
^work();
";
        assert_eq!(marked, expected);
    }

    #[test]
    fn where_braces_are_closed() {
        let found = Beginnings::of(TEXT);
        let closed = |at: &str| {
            let offset = TEXT.find(at).expect(at);
            found.closed_at(offset).map(|close| TEXT[..close].matches('\n').count() + 1)
        };
        let cases = [
            ("function", None),
            ("const", Some(8)),
            ("plain", Some(8)),
            ("return more", Some(8)),
            ("a: 'b", Some(7)),
            ("work();", None),
        ];
        for (at, line) in cases {
            assert_eq!(closed(at), line, "{at}");
        }
        let unfinished = Beginnings::of("a { b } } c { d");
        let closed = [3, 5, 10, 15].map(|at| unfinished.closed_at(at));
        assert_eq!(closed, [Some(6), Some(6), None, Some(15)]);
    }
}
