//! Finds how a generated text names its source map, in the last comments of the text (ECMA-426, "Linking through inline
//! annotations"), and its debug id.

/// How far from the end a comment that breaks the rule may be.
const TAIL: usize = 4096;

/// In how many of the last lines a debug id is looked for (proposal "Debug ID").
const DEBUG_ID_LINES: usize = 5;

/// The URL of a JavaScript text's map, as written: `data:`, absolute, or relative to the text's file. It is found by the
/// standard's rule "without parsing"; failing that, it is the last such comment that ends in the last 4 KB, even if code
/// follows it or it is `/*# .. */`, as left behind by tools that concatenate files.
pub fn source_mapping_url(text: &str) -> Option<&str> {
    trailing_comment_url(text).or_else(|| stray_url(text))
}

/// The debug id of a generated text, in lower case: `//# debugId=<uuid>` in one of the last five lines.
pub fn debug_id(text: &str) -> Option<String> {
    let lines = text.trim_end().rsplit(['\n', '\r', '\u{2028}', '\u{2029}']);
    let mut comments = lines.take(DEBUG_ID_LINES).filter_map(|line| line.trim().strip_prefix("//"));
    comments.find_map(|comment| value_of(comment, "debugId=").and_then(uuid))
}

/// A UUID in lower case, if the text is one.
pub(super) fn uuid(text: &str) -> Option<String> {
    let parts = text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let digits = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    (parts && digits).then(|| text.to_ascii_lowercase())
}

/// The standard's rule: nothing but line comments and white space may follow.
fn trailing_comment_url(text: &str) -> Option<&str> {
    let lines = text.rsplit(['\n', '\r', '\u{2028}', '\u{2029}']);
    for line in lines.map(|line| line.trim_start_matches(is_space)) {
        if line.is_empty() {
            continue;
        }
        let comment = line.strip_prefix("//")?;
        if comment.contains(['"', '\'', '`']) || comment.contains("*/") {
            return None;
        }
        if let Some(url) = value_of(comment, "sourceMappingURL=") {
            return Some(url);
        }
    }
    None
}

fn stray_url(text: &str) -> Option<&str> {
    let name = "sourceMappingURL=";
    let mut until = text.len();
    for (at, _) in text.rmatch_indices(name) {
        let rest = &text[at + name.len()..until];
        let end = rest.find(|char: char| char.is_whitespace() || char == '\u{FEFF}').unwrap_or(rest.len());
        let url = rest[..end].split("*/").next().unwrap_or_default();
        if at + name.len() + end + TAIL < text.len() {
            return None;
        }
        let opening = text[..at].trim_end_matches(is_space).strip_suffix(['#', '@']).unwrap_or_default();
        let is_comment = opening.ends_with("//") || opening.ends_with("/*");
        if is_comment && !url.is_empty() && !url.contains(['"', '\'', '`', '\\']) {
            return Some(url);
        }
        until = at;
    }
    None
}

/// The value of a name in a comment that contains nothing else: `# name=value`.
fn value_of<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let named = comment.strip_prefix(['#', '@'])?.trim_start_matches(is_space);
    let value = named.strip_prefix(name)?.trim_end_matches(is_space);
    (!value.contains(is_space)).then_some(value)
}

/// White space as ECMA-262 defines it.
fn is_space(char: char) -> bool {
    char.is_whitespace() && char != '\u{85}' || char == '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The URL, with `~` before it if the standard does not find it.
    fn found(text: &str) -> String {
        let url = source_mapping_url(text).unwrap_or_default();
        let tilde = if trailing_comment_url(text).is_none() && !url.is_empty() { "~" } else { "" };
        format!("{tilde}{url}")
    }

    #[test]
    fn the_last_comments_name_the_map() {
        let cases = [
            ("let a;\n//# sourceMappingURL=a.map", "a.map"),
            ("let a;\n//# sourceMappingURL=a.map\n\n  \u{FEFF}\n", "a.map"),
            ("let a;\r\n//@ sourceMappingURL=a.map\r\n", "a.map"),
            ("let a;\u{2028}//#\tsourceMappingURL=a.map \u{2029}// other\n//", "a.map"),
            ("//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", "b.map"),
            ("//# sourceMappingURL=\nlet a;\n//# sourceMappingURL=", ""),
            ("let a; //# sourceMappingURL=a.map", "~a.map"),
            ("//# sourceMappingURL=a.map\nlet b;", "~a.map"),
            ("//# sourceMappingURL=a.map\n// it's", "~a.map"),
            ("let a;\n/*# sourceMappingURL=a.map */", "~a.map"),
            ("let a;\n/*# sourceMappingURL=a.map*/\n", "~a.map"),
            ("let a = `\n//# sourceMappingURL=a.map\n// `;", "~a.map"),
            ("let a = \"//# sourceMappingURL=\" + b;", ""),
            ("// sourceMappingURL=a.map", ""),
            ("#sourceMappingURL=a.map", ""),
            ("//# sourceMappingURL=a.map b", "~a.map"),
            ("", ""),
        ];
        for (text, url) in cases {
            assert_eq!(found(text), url, "{text:?}");
        }
    }

    #[test]
    fn a_stray_comment_must_end_near_the_end() {
        let url = format!("data:,{}", "x".repeat(3 * TAIL));
        let code = "let a;".repeat(TAIL);
        assert_eq!(found(&format!("/*# sourceMappingURL={url} */")), format!("~{url}"));
        assert_eq!(found(&format!("/*# sourceMappingURL=a.map */{code}")), "");
    }

    #[test]
    fn debug_ids() {
        let id = "85314830-023f-4cf1-a267-535f4e37bb17";
        assert_eq!(
            debug_id(&format!("let a;\n//# debugId={}\n//\n", id.to_uppercase())).as_deref(),
            Some(id)
        );
        assert_eq!(debug_id(&format!("//# debugId={id}\n1\n2\n3\n4\n5")), None);
        assert_eq!(debug_id("//# debugId=85314830-023f-4cf1-a267"), None);
    }
}
