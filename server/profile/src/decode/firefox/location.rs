//! The texts that identify frames in raw profiles: `work (https://a.example/app.js:3:14)`.

/// What a text identifies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameLocation<'t> {
    /// JavaScript; positions count from 1, and the line of an event handler in HTML is 0.
    Script { name: &'t str, url: &'t str, line: u32, column: Option<u32> },
    /// A label of the browser, or machine code.
    Label,
}

/// Reads `name (url:line:column)` or `url:line:column`. Old versions have no column, and an index into the list of
/// sources, `[7]`, may follow.
pub(super) fn parse(text: &str) -> FrameLocation<'_> {
    if text.starts_with("0x") || text.contains(" (in ") {
        return FrameLocation::Label;
    }
    let without_source = strip_source(text);
    if let Some(inner) = without_source.strip_suffix(')')
        && let Some(open) = opening(inner)
        && let Some((url, line, column)) = place(&inner[open + 2..])
    {
        return FrameLocation::Script { name: &inner[..open], url: last_of_chain(url), line, column };
    }
    match place(without_source) {
        Some((url, line, column)) => {
            FrameLocation::Script { name: "", url: last_of_chain(url), line, column }
        }
        None => FrameLocation::Label,
    }
}

/// The name of a label, if its text alone shows that it is relevant for JavaScript: before versions 14 (raw) and 17
/// (processed), nothing else tells. This is the profiler's own rule, in gecko-profile-versioning.ts.
pub(super) fn relevant_label(text: &str) -> Option<&str> {
    if let Some(reason) = text.strip_prefix("AutoEntryScript ") {
        return Some(reason);
    }
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let call = text.strip_prefix("get ").or_else(|| text.strip_prefix("set ")).unwrap_or(text);
    let (object, member) =
        call.split_once('.').or_else(|| Some((call.strip_suffix(" constructor")?, "constructor")))?;
    (is_word(object) && is_word(member)).then_some(text)
}

/// Splits `url:line`, the form of file names before version 18 if the function has a column.
pub(super) fn file_with_line(file: &str) -> Option<(&str, u32)> {
    number_behind_colon(file)
}

/// A script that a loader fetched is named `loader.js -> script.js`.
pub(super) fn last_of_chain(url: &str) -> &str {
    url.rsplit(" -> ").next().unwrap_or(url)
}

fn strip_source(text: &str) -> &str {
    let Some((before, index)) = text.strip_suffix(']').and_then(|it| it.rsplit_once('[')) else {
        return text;
    };
    if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) { before } else { text }
}

/// The position of the ` (` that matches a closing parenthesis after the text; urls and names may have parentheses, too.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    let pairs = text.bytes().enumerate().rev().find_map(|(at, byte)| match byte {
        b')' => {
            depth += 1;
            None
        }
        b'(' if depth > 0 => {
            depth -= 1;
            None
        }
        b'(' => Some(at),
        _ => None,
    });
    match pairs {
        Some(at) if text[..at].ends_with(' ') => Some(at - 1),
        _ => text.rfind(" ("),
    }
}

/// `url:line:column` or `url:line`.
fn place(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (rest, last) = number_behind_colon(text)?;
    match number_behind_colon(rest) {
        Some((url, line)) => Some((url, line, Some(last))),
        None => Some((rest, last, None)),
    }
}

fn number_behind_colon(text: &str) -> Option<(&str, u32)> {
    let (before, digits) = text.rsplit_once(':')?;
    let plain = !before.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?.map(|number| (before, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_urls_and_positions() {
        let script = |name, url, line, column| FrameLocation::Script { name, url, line, column };
        let rows = [
            ("f (http://a/b.js:3:14)", script("f", "http://a/b.js", 3, Some(14))),
            ("f (http://a/b.js:3)", script("f", "http://a/b.js", 3, None)),
            ("f (http://a/b.js:3:14)[7]", script("f", "http://a/b.js", 3, Some(14))),
            ("http://a/b.js:3:14[7]", script("", "http://a/b.js", 3, Some(14))),
            ("http://a:80/b.js:3", script("", "http://a:80/b.js", 3, None)),
            ("f (http://a/b (1).js:3:14)", script("f", "http://a/b (1).js", 3, Some(14))),
            ("o[\"x (y\"] (http://a/b.js:3:14)", script("o[\"x (y\"]", "http://a/b.js", 3, Some(14))),
            ("f (resource://x.js -> http://a/b.js:3:14)", script("f", "http://a/b.js", 3, Some(14))),
            ("f (http://a/ line 5 > eval:1:2)", script("f", "http://a/ line 5 > eval", 1, Some(2))),
            ("onclick (http://a/:0:1)", script("onclick", "http://a/", 0, Some(1))),
            ("map (self-hosted:163:18)", script("map", "self-hosted", 163, Some(18))),
            ("0x7f79f09c4193", FrameLocation::Label),
            ("start (in libc.so)", FrameLocation::Label),
            ("js::RunScript", FrameLocation::Label),
            ("f (http://a/b.js:99999999999999)", FrameLocation::Label),
            (":", FrameLocation::Label),
            (")", FrameLocation::Label),
            ("]", FrameLocation::Label),
            ("", FrameLocation::Label),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn labels_of_old_versions() {
        let rows = [
            ("Node.appendChild", Some("Node.appendChild")),
            ("get Element.scrollTop", Some("get Element.scrollTop")),
            ("StructuredCloneHolder constructor", Some("StructuredCloneHolder constructor")),
            ("AutoEntryScript setTimeout handler", Some("setTimeout handler")),
            ("Startup::XRE_Main", None),
            ("nsTimerImpl::Fire a.b", None),
            (".x", None),
            (" constructor", None),
            ("constructor", None),
            ("0x100000f84", None),
        ];
        for (text, expected) in rows {
            assert_eq!(relevant_label(text), expected, "{text}");
        }
    }
}
