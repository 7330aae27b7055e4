//! Recognises the text of a file whose types were replaced by blanks, as Node does it: positions in both texts are the same.

/// Whether a text is that of a file whose types were replaced by blanks, as Node does it: everything else is where it was.
pub(super) fn is_stripped(ran: &str, file: &str) -> bool {
    let mut rest = ran.encode_utf16();
    let is_same = file.encode_utf16().all(|unit| rest.next().is_some_and(|ran| ran == unit || is_blank(ran)));
    let rest = String::from_utf16_lossy(&rest.collect::<Vec<u16>>());
    is_same && rest.lines().all(|line| line.is_empty() || line.starts_with("//# sourceURL="))
}

/// Whether a UTF-16 unit may stand where a type was: a blank, a `;` that ends a statement which would otherwise go on, or a parenthesis
/// that moved to where an arrow function begins or ends.
fn is_blank(unit: u16) -> bool {
    char::from_u32(unit.into()).is_some_and(|letter| match letter {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => false,
        ';' | '(' | ')' | '\u{feff}' => true,
        letter => letter.is_whitespace(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_became_blanks() {
        let file = "const a = <T>(b: T): T => b;\nrun(1 as any)\n";
        let rows = [
            ("const a =    (b   )    => b;\nrun(1       )\n", true),
            ("const a =    (b        => b;\nrun(1      ;)\n\n//# sourceURL=a.ts", true),
            (file, true),
            ("const a =    (b   )    => c;\nrun(1       )\n", false),
            ("const a =    (b   )    => b;\n\nun(1       )\n", false),
            ("const a =    (b   )    => b;\n", false),
            ("const a =    (b   )    => b;\nrun(1       )\nmore()", false),
        ];
        for (ran, expected) in rows {
            assert_eq!(is_stripped(ran, file), expected, "{ran}");
        }
    }
}
