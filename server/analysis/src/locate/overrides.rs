//! Applies the `sourceMapPathOverrides` of a debug configuration by the rules of VS Code's JavaScript debugger.
//!
//! Its documentation leaves much open, so these are the rules of its code (vscode-js-debug, `sourceMapOverrides.ts`):
//!
//! - Longer patterns come first; the first `?:*` of a pattern counts as one letter. The first pattern that changes the
//!   name wins.
//! - A pattern matches the whole name, upper and lower case alike. One without `*` also matches everything below.
//! - `*` matches as little as possible, and its text replaces the `*` on the right. `?:*` matches, but captures nothing.
//! - If the right side has no `*` but `$1` or the like, the left side is a regular expression.

use std::cmp::Reverse;

use regex_automata::meta::Regex;
use regex_syntax::escape;

/// The overrides of one configuration, ready to be applied.
pub(crate) struct Overrides {
    /// Each with the text that replaces it, with `$1`, `$&` and `$$`.
    patterns: Vec<(Regex, String)>,
}

impl Overrides {
    /// Sorts the overrides, longest pattern first; invalid ones are left out.
    pub(crate) fn new(pairs: &[(String, String)]) -> Overrides {
        let mut pairs: Vec<_> = pairs.iter().collect();
        pairs.sort_by_key(|(left, _)| Reverse(left.replacen("?:*", "*", 1).encode_utf16().count()));
        Overrides { patterns: pairs.into_iter().filter_map(|(left, right)| pattern(left, right)).collect() }
    }

    /// The name that replaces the name of a source, if any pattern changes it.
    pub(crate) fn apply(&self, source: &str) -> Option<String> {
        let source = source.replace('\\', "/");
        let mut found = self.patterns.iter().filter_map(|(regex, right)| {
            let mut captures = regex.create_captures();
            regex.captures(&source, &mut captures);
            let whole = captures.get_match()?;
            let group = |at: usize| captures.get_group(at).map_or("", |span| &source[span.range()]);
            let right = filled(right, group, captures.group_len());
            let mapped = format!("{}{right}{}", &source[..whole.start()], &source[whole.end()..]);
            (mapped != source).then_some(mapped)
        });
        found.next()
    }
}

/// Turns an override into a regular expression and its replacement; `None` if it is invalid.
fn pattern(left: &str, right: &str) -> Option<(Regex, String)> {
    let is_template = right.match_indices('$').any(|(at, _)| {
        right[at + 1..].starts_with(|next: char| next.is_ascii_digit() || "'`&".contains(next))
    });
    if !right.contains('*') && is_template {
        return Some((Regex::new(&format!("(?i)^{left}$")).ok()?, right.to_owned()));
    }
    let left = left.replace('\\', "/");
    let captured = left.matches('*').count() - left.matches("?:*").count();
    if captured > 1 || right.matches('*').count() > captured {
        return None;
    }
    let mut source = String::from("(?i)^");
    let mut rest = &left[..];
    while let Some(star) = rest.find('*') {
        match rest[..star].strip_suffix("?:") {
            Some(text) => source.extend([&escape(text), ".*?"]),
            None => source.extend([&escape(&rest[..star]), "(.*?)"]),
        }
        rest = &rest[star + 1..];
    }
    source.push_str(&escape(rest));
    let mut right = right.replace('$', "$$").replace('*', "$1");
    if captured == 0 {
        source.push_str(r"([/\\].*)?");
        right.push_str("$1");
    }
    source.push('$');
    Some((Regex::new(&source).ok()?, right))
}

/// Fills in a template of `String.prototype.replace` (ECMA-262, GetSubstitution), given that the whole text is replaced.
fn filled<'a>(template: &str, group: impl Fn(usize) -> &'a str, groups: usize) -> String {
    let mut result = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let number =
            |digits: usize| rest[..digits].parse::<usize>().ok().filter(|it| (1..groups).contains(it));
        if let Some((digits, number)) = (1..=digits).rev().find_map(|count| Some((count, number(count)?))) {
            result.push_str(group(number));
            rest = &rest[digits..];
        } else if let Some(behind) = rest.strip_prefix('$') {
            result.push('$');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('&') {
            result.push_str(group(0));
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix(['`', '\'']) {
            rest = behind;
        } else {
            result.push('$');
        }
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(pairs: &[(&str, &str)], source: &str) -> String {
        let pairs: Vec<_> = pairs.iter().map(|(left, right)| (left.to_string(), right.to_string())).collect();
        Overrides::new(&pairs).apply(source).unwrap_or_else(|| "-".to_owned())
    }

    #[test]
    fn one_pattern() {
        let rows = [
            ("/a/*", "/b/*", "/a/foo/bar", "/b/foo/bar"),
            ("/a/*", "/b/*", "/q/foo/bar", "-"),
            ("/a/*", "/b", "/a/foo/bar", "/b"),
            ("/a", "/b", "/a", "/b"),
            ("/a", "/b", "/a/x/y.ts", "/b/x/y.ts"),
            ("/a", "/b", "/ab/y.ts", "-"),
            ("/a/?:*/*", "/b/*", "/a/foo/bar", "/b/bar"),
            ("/a/?:*", "/b", "/a/foo", "/b"),
            ("/a/?:*", "/b", "/a/foo/x.ts", "/b/x.ts"),
            ("/a/*", "/c/$/$1/$$/*", "/a/foo", "/c/$/$1/$$/foo"),
            ("/a/([^/]+)/(.+)", "/c/dir-$1/$2", "/a/b/foo", "/c/dir-b/foo"),
            ("/a/([^/]+)/(.+)", "/c/$2$$$&$3$0", "/a/b/x", "/c/x$/a/b/x$3$0"),
            ("webpack:///([a-z]):/(.+)", "$1:/$2", "webpack:///C:/x/a.ts", "C:/x/a.ts"),
            ("webpack:///./~/*", "/ws/node_modules/*", "webpack:///./~/x/i.js", "/ws/node_modules/x/i.js"),
            ("webpack:////*", "/*", "webpack:////srv/a.ts", "/srv/a.ts"),
            ("webpack://@?:*/?:*/*", "/ws/*", "webpack://@my/app/./src/a.ts", "/ws/./src/a.ts"),
            ("webpack://?:*/*", "/ws/*", "webpack:///./src/a.ts", "/ws/./src/a.ts"),
            ("meteor://💻app/*", "/ws/*", "meteor://💻app/lib/a.js", "/ws/lib/a.js"),
            ("turbopack:///[project]/*", "/ws/*", "turbopack:///[project]/a.ts", "/ws/a.ts"),
            ("WEBPACK:///*", "/ws/*", "webpack:///src/A.ts", "/ws/src/A.ts"),
            ("c:\\src\\*", "d:\\ws\\*", "C:\\src\\a\\b.ts", "d:\\ws\\a/b.ts"),
            ("/a/*/b/*", "/c/*", "/a/x/b/y", "-"),
            ("/a", "/c/*", "/a", "-"),
            ("/a/(", "/c/$1", "/a/(", "-"),
            ("/a/*", "/a/*", "/a/x", "-"),
        ];
        for (left, right, source, expected) in rows {
            assert_eq!(applied(&[(left, right)], source), expected, "{left} -> {right}: {source}");
        }
    }

    #[test]
    fn longer_patterns_come_first_and_the_first_that_changes_something_counts() {
        type Row<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
        let rows: [Row<'_>; 4] = [
            (&[("/a/*", "/c"), ("/a/foo", "/b")], "/a/foo", "/b"),
            (&[("webpack://?:*/*", "/1/*"), ("webpack:///*", "/2/*")], "webpack:///a.ts", "/1/a.ts"),
            (&[("/a/?:*?:*x", "/1"), ("/a/*******", "/2"), ("/a/*bcx", "/3")], "/a/bcx", "/1"),
            (&[("/a/foo", "/a/foo"), ("/a/*", "/b/*")], "/a/foo", "/b/foo"),
        ];
        for (pairs, source, expected) in rows {
            assert_eq!(applied(pairs, source), expected, "{source}");
        }
    }
}
