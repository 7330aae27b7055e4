//! Finds where a function of a given name is called in a piece of code, as far as the text alone can tell.

use text_size::{TextRange, TextSize};

use crate::scanner::{Lexeme, Scanner};

/// The places in `code` at which functions with this name are called, in order; see [`called_names`].
pub fn call_sites(code: &str, name: &str) -> Vec<TextRange> {
    let mut sites = called_names(code);
    sites.retain(|&site| code[site] == *name);
    sites
}

/// The names in `code` that are called: `name(..)`, `a.name(..)`, `name?.(..)`, `` name`..` `` and `new name`, in order. Strings and
/// comments do not count, and neither do declarations: `function name(..)`.
pub fn called_names(code: &str) -> Vec<TextRange> {
    let scanned = Scanner::new(code.as_bytes());
    let lexemes: Vec<(usize, Lexeme)> =
        scanned.filter(|(_, lexeme)| !matches!(lexeme, Lexeme::Comment(_))).collect();
    let mut names = Vec::new();
    let mut before = "";
    for (index, &(start, lexeme)) in lexemes.iter().enumerate() {
        let word = if let Lexeme::Word(end) = lexeme { &code[start..end] } else { "" };
        if !word.is_empty() && is_site(before, code, &lexemes[index + 1..]) {
            names.push(TextRange::at(TextSize::new(start as u32), TextSize::of(word)));
        }
        before = word;
    }
    names
}

/// Whether a name is called, judging by the word before it and what comes after it.
fn is_site(before: &str, code: &str, after: &[(usize, Lexeme)]) -> bool {
    match (before, after) {
        ("function" | "get" | "set", _) => false,
        ("new", _) => true,
        (_, [(_, Lexeme::Open(b'(')), ..]) => true,
        (_, [(start, Lexeme::Literal(_)), ..]) => code.as_bytes()[*start] == b'`',
        (_, [(_, Lexeme::Byte(b'?')), (_, Lexeme::Byte(b'.')), (_, Lexeme::Open(b'(')), ..]) => true,
        _ => false,
    }
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
