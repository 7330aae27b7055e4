//! Where in a piece of code a function of some name is called, as far as the text alone can tell.

use text_size::{TextRange, TextSize};

use crate::scanner::{Lexeme, Scanner};

/// The names in `code` that are called: `name(..)`, `a.name(..)`, `name?.(..)`, `` name`..` `` and `new name`, in order. Strings and
/// comments do not count, and neither do declarations: `function name(..)`.
pub fn call_sites(code: &str, name: &str) -> Vec<TextRange> {
    let bytes = code.as_bytes();
    let lexemes: Vec<(usize, Lexeme)> =
        Scanner::new(bytes).filter(|it| !matches!(it.1, Lexeme::Comment(_))).collect();
    let word = |at: usize| match lexemes.get(at) {
        Some(&(start, Lexeme::Word(end))) => &code[start..end],
        _ => "",
    };
    let is_byte = |at: usize, byte: u8| lexemes.get(at).is_some_and(|it| it.1 == Lexeme::Byte(byte));
    let is_called = |at: usize| match lexemes.get(at + 1) {
        Some(&(_, Lexeme::Open(b'('))) => true,
        Some(&(start, Lexeme::Literal(_))) => bytes[start] == b'`',
        Some(_) => {
            is_byte(at + 1, b'?')
                && is_byte(at + 2, b'.')
                && lexemes.get(at + 3).is_some_and(|it| it.1 == Lexeme::Open(b'('))
        }
        None => false,
    };
    let before = |at: usize| if at == 0 { "" } else { word(at - 1) };
    let is_site = |at: usize| match before(at) {
        "function" | "get" | "set" => false,
        "new" => true,
        _ => is_called(at),
    };
    let sites = (0..lexemes.len()).filter(|&at| word(at) == name && is_site(at));
    let range = |at: usize| TextRange::at(TextSize::new(lexemes[at].0 as u32), TextSize::of(name));
    sites.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings() {
        let rows = [
            ("work(1); other(work);", "^^^^"),
            ("a.work(work()) + work?.()", "  ^^^^ ^^^^      ^^^^"),
            ("function work() { return new work; }", "                             ^^^^"),
            ("/* work() */ 'work()' + `work()${work()}`", "                                 ^^^^"),
            ("work`x` || work.call(this)", "^^^^"),
            ("working(); rework()", ""),
        ];
        for (code, expected) in rows {
            let mut carets = String::new();
            for site in call_sites(code, "work") {
                carets += &" ".repeat(usize::from(site.start()) - carets.len());
                carets += &"^".repeat(usize::from(site.len()));
            }
            assert_eq!(carets, expected, "{code}");
        }
    }
}
