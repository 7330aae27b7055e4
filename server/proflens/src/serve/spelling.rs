//! URIs in the clients' spelling, and in that of the standard (RFC 3986).
//!
//! Several editors send `file:///app/[slug]/page.tsx` as it is. The protocol's types refuse such URIs, so they
//! are percent-encoded on the way in. On the way out the client gets its own spelling back, because it compares
//! URIs as strings.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// When the young spellings have this many bytes, they become the old ones.
const MAX_YOUNG_BYTES: usize = 1 << 20;

/// Remembers how the client spells the URIs that had to be encoded, at least those that it used last: a client names a
/// document before it gets answers about it.
#[derive(Default)]
pub(super) struct UriSpelling {
    client: Mutex<SpellingCache>,
}

/// The client's spellings by the encoded ones, in two generations. Spellings that have not been used for long are forgotten.
#[derive(Default)]
struct SpellingCache {
    young: HashMap<String, String>,
    old: HashMap<String, String>,
    /// Bytes of the young ones.
    bytes: usize,
}

impl SpellingCache {
    fn insert(&mut self, encoded: String, original: String) {
        if self.young.contains_key(&encoded) {
            return;
        }
        let bytes = encoded.len() + original.len();
        if self.bytes + bytes > MAX_YOUNG_BYTES {
            (self.old, self.bytes) = (std::mem::take(&mut self.young), 0);
        }
        self.bytes += bytes;
        self.young.insert(encoded, original);
    }

    fn get(&self, encoded: &str) -> Option<&String> {
        self.young.get(encoded).or_else(|| self.old.get(encoded))
    }
}

impl UriSpelling {
    /// Encodes all URIs of a message of the client.
    pub(super) fn encode(&self, message: &mut Value) {
        each_uri(message, &mut |uri| {
            if let Some(encoded) = encode(uri) {
                let original = std::mem::replace(uri, encoded.clone());
                self.client().insert(encoded, original);
            }
        });
    }

    /// Whether nothing has had to be encoded so far.
    pub(super) fn is_standard(&self) -> bool {
        self.client().young.is_empty()
    }

    /// Restores the client's spelling of the URIs in a message, which is JSON text: of those strings that are one.
    pub(super) fn restore(&self, message: &str) -> String {
        let client = self.client();
        let mut restored = String::with_capacity(message.len());
        let mut rest = message;
        while let Some((before, string)) = rest.split_once('"') {
            let end = end_of_string(string);
            restored.push_str(before);
            match client.get(&string[..end]) {
                Some(original) => restored.push_str(&Value::from(original.as_str()).to_string()),
                None => restored.extend(["\"", &string[..end], "\""]),
            }
            rest = string[end..].strip_prefix('"').unwrap_or_default();
        }
        restored + rest
    }

    fn client(&self) -> MutexGuard<'_, SpellingCache> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a JSON string ends, given the text after its opening quote.
fn end_of_string(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find(['"', '\\']) {
        let found = from + found;
        if text[found..].starts_with('"') {
            return found;
        }
        // An escaped character is a single ASCII character.
        from = (found + 2).min(text.len());
    }
    text.len()
}

/// Visits the strings under `uri`, `rootUri`, `targetUri` and their like, and the arguments of commands.
fn each_uri(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each_uri(item, visit)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "uri" || key.ends_with("Uri") => visit(text),
                    Value::Array(items) if key == "arguments" => {
                        items.iter_mut().for_each(|item| each_argument(item, visit));
                    }
                    Value::Array(_) | Value::Object(_) => each_uri(value, visit),
                    _ => (),
                }
            }
        }
        _ => (),
    }
}

fn each_argument(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) if text.starts_with("file:") => visit(text),
        other => each_uri(other, visit),
    }
}

/// The encoded form, or `None` if the URI is fine as it is.
fn encode(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once(':')?;
    let authority = rest.strip_prefix("//").map_or(0, |rest| 2 + rest.find('/').unwrap_or(rest.len()));
    let (authority, path) = rest.split_at(authority);
    let in_file = scheme.eq_ignore_ascii_case("file");
    let bytes = path.as_bytes();
    let mut encoded = String::with_capacity(uri.len());
    encoded.extend([scheme, ":", authority]);
    for (at, &byte) in bytes.iter().enumerate() {
        let fine = match byte {
            b'%' => bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
            // No editor means a query or a fragment of a file.
            b'?' | b'#' => !in_file,
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte),
        };
        if fine {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    (encoded != uri).then_some(encoded)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_standard_forbids_is_encoded() {
        let encoded = |uri| encode(uri).unwrap_or_else(|| "fine".into());
        assert_eq!(encoded("file:///w/[slug]/page.tsx"), "file:///w/%5Bslug%5D/page.tsx");
        assert_eq!(encoded("file:///w/a b/é/{x}"), "file:///w/a%20b/%C3%A9/%7Bx%7D");
        assert_eq!(encoded("file:///w/100%.ts"), "file:///w/100%25.ts");
        assert_eq!(encoded("file:///w/c#/why?.ts"), "file:///w/c%23/why%3F.ts");
        assert_eq!(encoded("file:///c%3A/w/%5Bslug%5D/a+b@1.ts"), "fine");
        assert_eq!(encoded("untitled:Untitled 1"), "untitled:Untitled%201");
        assert_eq!(encoded("vscode-remote://ssh-remote%2Bhost/w/a.ts?x#y"), "fine");
        assert_eq!(encoded("no uri at all"), "fine");
    }

    #[test]
    fn the_client_gets_its_own_spelling_back() {
        let sent = json!({
            "textDocument": { "uri": "file:///w/[a].ts", "text": "uri" }, "rootUri": null,
            "arguments": ["file:///w/{b}.ts", "[c]", { "uri": "file:///d e" }],
        });
        let (spelling, mut message) = (UriSpelling::default(), sent.clone());
        spelling.encode(&mut message);
        assert_eq!(
            message,
            json!({
                "textDocument": { "uri": "file:///w/%5Ba%5D.ts", "text": "uri" }, "rootUri": null,
                "arguments": ["file:///w/%7Bb%7D.ts", "[c]", { "uri": "file:///d%20e" }],
            })
        );
        let restored: Value = serde_json::from_str(&spelling.restore(&message.to_string())).unwrap();
        assert_eq!(restored, sent);
    }

    #[test]
    fn nothing_else_of_a_message_changes() {
        let spelling = UriSpelling::default();
        spelling.encode(&mut json!([{ "uri": "file:///w/[\"a\\].ts" }, { "uri": "file:///é" }]));
        let message = r#"{"a":0.1234567890123456789,"b":"\"file:///%C3%A9\\","uri":"file:///%C3%A9","c":["file:///w/%5B%22a%5C%5D.ts",""]}"#;
        let restored = r#"{"a":0.1234567890123456789,"b":"\"file:///%C3%A9\\","uri":"file:///é","c":["file:///w/[\"a\\].ts",""]}"#;
        assert_eq!(spelling.restore(message), restored);
    }

    #[test]
    fn only_the_spellings_that_are_used_are_kept() {
        let spelling = UriSpelling::default();
        let use_it = |uri: &str| spelling.encode(&mut json!({ "uri": uri }));
        let back = |uri: &str| {
            let message = json!({ "uri": encode(uri).unwrap() });
            serde_json::from_str::<Value>(&spelling.restore(&message.to_string())).unwrap()["uri"] == uri
        };
        use_it("file:///w/once.ts?");
        for number in 0..80_000 {
            use_it(&format!("file:///w/[{number}].ts"));
            if number % 1000 == 0 {
                use_it("file:///w/[open].ts");
            }
        }
        assert!(back("file:///w/[open].ts") && back("file:///w/[79999].ts"));
        assert!(!back("file:///w/once.ts?") && !back("file:///w/[0].ts"));
        let SpellingCache { young, old, .. } = &*spelling.client();
        let bytes = |it: &HashMap<String, String>| it.iter().map(|it| it.0.len() + it.1.len()).sum::<usize>();
        assert!(bytes(young) <= MAX_YOUNG_BYTES && bytes(old) <= MAX_YOUNG_BYTES);
    }
}
