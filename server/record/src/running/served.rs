//! What a server on this machine sends for a script, and maps as any server sends them.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::de::IgnoredAny;
use source::language::Language;
use url::Url;

use super::inspector::agent;
use super::message::shown;

pub(super) const LONGEST_LOAD: Duration = Duration::from_secs(10);
/// The maps of the largest bundles have some 100 MB.
pub(super) const MAX_MAP: usize = 256 << 20;

/// What a server sends.
pub(super) struct Sent {
    pub(super) text: String,
    /// Where a header says that the map is.
    pub(super) map_url: Option<String>,
}

/// Whether a URL is that of a file on this machine that somebody may edit: not of a package, and not one without a file's
/// name, which may do something each time it is asked for.
pub(super) fn is_edited_here(script: &str) -> bool {
    Url::parse(script).is_ok_and(|url| {
        is_local(&url) && Language::of_path(url.path()).is_some() && !url.path().contains("/node_modules/")
    })
}

/// Whether a server on this machine can be asked without the browser.
pub(super) fn is_local(url: &Url) -> bool {
    url.scheme() == "http" && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// The text that a server on this machine has of a script now; `None` also for a page, of which a script is a part.
pub(super) fn sent_text(script: &str) -> Option<String> {
    sent(script).map(|sent| sent.text)
}

/// What a server on this machine sends now, unless it is a page.
pub(super) fn sent(url: &str) -> Option<Sent> {
    let mut answer = agent(LONGEST_LOAD).get(url).call().ok().filter(|answer| answer.status() == 200)?;
    let header = |name: &str| answer.headers().get(name).and_then(|it| it.to_str().ok()).map(str::to_owned);
    if header("content-type").is_some_and(|kind| kind.contains("html")) {
        return None;
    }
    let map_url = header("sourcemap").or_else(|| header("x-sourcemap"));
    let bytes = answer.body_mut().with_config().limit(MAX_MAP as u64).read_to_vec().ok()?;
    Some(Sent { text: without_bom(String::from_utf8(bytes).ok()?), map_url })
}

/// What is sent may begin with a byte order mark, which is not part of the text.
fn without_bom(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Why something is not JSON.
#[derive(Debug)]
pub(super) struct NotJson(String);

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is no JSON: {}", self.0)
    }
}

/// Reads a source map: JSON, which is left as it is.
///
/// # Errors
/// If it is not JSON.
pub(super) fn read_json(bytes: Vec<u8>) -> Result<String, NotJson> {
    let text = without_bom(String::from_utf8(bytes).map_err(|error| not_json(&error))?);
    // Some servers put this before JSON to keep it from being read as a script (source map specification, 11.2.2).
    let text = match text.strip_prefix(")]}'") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, json)| json).to_owned(),
        None => text,
    };
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(not_json(&error)),
    }
}

fn not_json(error: &dyn Error) -> NotJson {
    NotJson(shown(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_machine_are_asked_for_again() {
        let urls = [
            ("http://localhost:5173/src/main.tsx?t=1", true),
            ("http://127.0.0.1:8080/main.js", true),
            ("http://[::1]/a.mjs", true),
            ("http://localhost:5173/api/items?callback=show", false),
            ("http://localhost:5173/node_modules/.vite/deps/react.js", false),
            ("http://example.com/main.js", false),
            ("https://localhost/main.js", false),
            ("file:///main.js", false),
        ];
        for (url, expected) in urls {
            assert_eq!(is_edited_here(url), expected, "{url}");
        }
    }

    #[test]
    fn a_map_is_json_and_stays_as_it_is() {
        let texts = ["{\"a\" : 1}", ")]}'\n[]", ")]}'", "{", "[]}", "\u{feff}{}"];
        let read = texts.map(|it| read_json(it.as_bytes().to_vec()).map_err(|error| error.to_string()));
        expect_test::expect![[r#"
            [
                Ok(
                    "{\"a\" : 1}",
                ),
                Ok(
                    "[]",
                ),
                Err(
                    "it is no JSON: EOF while parsing a value at line 1 column 0",
                ),
                Err(
                    "it is no JSON: EOF while parsing an object at line 1 column 1",
                ),
                Err(
                    "it is no JSON: trailing characters at line 1 column 3",
                ),
                Ok(
                    "{}",
                ),
            ]
        "#]]
        .assert_debug_eq(&read);
    }
}
