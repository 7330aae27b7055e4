//! The scripts of a trace that is being written: where their source maps are, and whether a text is theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};
use url::Url;

/// How much of a trace may be remembered while it is written: the URLs of its source maps, and what texts are known by.
const MAX_BYTES: usize = 32 << 20;
/// What a script or a piece of its text takes.
const EACH: usize = 128;

/// The isolate of a script, as the trace names it, and V8's number of the script in there.
pub(super) type ScriptKey = (String, u64);

/// Where the source map of a script is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MapPlace {
    pub(super) script: String,
    pub(super) map_url: String,
}

/// The scripts of a trace. V8 announces a script in several events, a long text in pieces.
#[derive(Default)]
pub(super) struct TracedScripts {
    /// By where their maps are, unless those are in the texts themselves.
    pub(super) maps: BTreeMap<MapPlace, BTreeSet<ScriptKey>>,
    texts: BTreeMap<ScriptKey, BTreeMap<u64, Piece>>,
    /// The first events of texts in pieces, without the texts.
    long: BTreeMap<ScriptKey, Value>,
    bytes: usize,
}

/// A piece of a text.
struct Piece {
    length: usize,
    /// How many bytes at each end of it count for nothing.
    edge: usize,
    hash: u64,
}

/// How many bytes at the edge of a piece may be those of a character that V8 broke.
const BROKEN: usize = 3;

impl TracedScripts {
    /// Takes an event that may be about a script. It gets the full URL of the map, because that is what DevTools looks for.
    pub(super) fn take(&mut self, event: &mut Value) {
        let Some(data) = event.pointer_mut("/args/data") else { return };
        let place = MapPlace::of(data);
        let Some((isolate, number)) = data["isolate"].as_str().zip(data["scriptId"].as_u64()) else {
            // Older versions do not say which script it is.
            if let Some(place) = place.filter(|place| self.has_room(place.bytes())) {
                self.maps.entry(place).or_default();
            }
            return;
        };
        let key = (isolate.to_owned(), number);
        if let Some(place) = place.filter(|place| self.has_room(place.bytes() + key.0.len())) {
            self.maps.entry(place).or_default().insert(key.clone());
        }
        if let Some(text) = data["sourceText"].as_str()
            && self.has_room(key.0.len())
        {
            let edge = if data["splitCount"].is_u64() { BROKEN } else { 0 };
            let piece = Piece { length: text.len(), edge, hash: hash_within(text.as_bytes(), edge) };
            let index = data["splitIndex"].as_u64().unwrap_or(0);
            self.texts.entry(key.clone()).or_default().insert(index, piece);
            if index == 0 && data["splitCount"].is_u64() {
                let about =
                    ["cat", "ph", "pid", "tid", "ts"].map(|name| (name.to_owned(), event[name].clone()));
                self.long.insert(key, Value::Object(about.into_iter().collect()));
            }
        }
    }

    /// The scripts of a URL that have maps.
    pub(super) fn of_url(&self, url: &str) -> impl Iterator<Item = &ScriptKey> {
        self.maps.iter().filter(move |(place, _)| place.script == url).flat_map(|(_, scripts)| scripts)
    }

    /// Whether a script had this text; `None` where the trace does not hold its text.
    pub(super) fn has_text(&self, key: &ScriptKey, text: &str) -> Option<bool> {
        let pieces = self.texts.get(key)?;
        // Chrome writes this into a trace.
        let text = text.replace('\u{7f}', "?");
        let mut rest = text.as_bytes();
        for piece in pieces.values() {
            match rest.split_at_checked(piece.length) {
                Some((start, more)) if hash_within(start, piece.edge) == piece.hash => rest = more,
                _ => return Some(false),
            }
        }
        // V8 takes the length of a long text for that of its UTF-8, and leaves out the rest.
        let is_cut = || {
            let length: usize = pieces.values().map(|piece| piece.length).sum();
            pieces.len() > 1 && text.encode_utf16().count() == length
        };
        Some(rest.is_empty() || is_cut())
    }

    /// An event with the whole text of a script, if the trace has only the beginning of this text.
    pub(super) fn whole_text(&self, key: &ScriptKey, text: &str) -> Option<Value> {
        let length: usize = self.texts.get(key)?.values().map(|piece| piece.length).sum();
        let mut event = self.long.get(key).filter(|_| length < text.len())?.clone();
        self.has_text(key, text).filter(|has_it| *has_it)?;
        event["name"] = json!("ScriptCatchup");
        event["args"] = json!({ "data": { "isolate": key.0, "scriptId": key.1, "sourceText": text } });
        Some(event)
    }

    /// How many bytes are kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes + EACH <= MAX_BYTES;
        self.bytes += if has_room { bytes + EACH } else { 0 };
        has_room
    }
}

impl MapPlace {
    /// The map of a script, by what an event says of it.
    fn of(data: &mut Value) -> Option<Self> {
        let named =
            data["sourceMapUrl"].as_str().filter(|url| !url.is_empty() && !url.starts_with("data:"))?;
        let script = data["url"].as_str()?.to_owned();
        let whole = Url::parse(&script).ok().and_then(|base| base.join(named).ok());
        let map_url = whole.map_or_else(|| named.to_owned(), Url::into);
        data["sourceMapUrl"] = json!(map_url);
        Some(Self { script, map_url })
    }

    /// The total length of its URLs.
    fn bytes(&self) -> usize {
        self.script.len() + self.map_url.len()
    }
}

/// What a piece is known by, without its edges.
fn hash_within(piece: &[u8], edge: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    piece.get(edge..piece.len().saturating_sub(edge)).unwrap_or(piece).hash(&mut hasher);
    hasher.finish()
}

/// What a text is known by.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V8's events of a script whose text is in these pieces.
    fn traced(pieces: &[&str]) -> TracedScripts {
        let mut scripts = TracedScripts::default();
        for (index, text) in pieces.iter().enumerate() {
            let mut data = json!({ "isolate": "8", "scriptId": 3, "sourceText": text });
            if pieces.len() > 1 {
                data["splitIndex"] = json!(index);
                data["splitCount"] = json!(pieces.len());
            }
            scripts.take(&mut json!({ "name": "x", "pid": 1, "tid": 2, "ts": 5, "args": { "data": data } }));
        }
        scripts
    }

    #[test]
    fn a_text_that_is_not_traced_as_it_is() {
        let key = ("8".to_owned(), 3);
        let cut = traced(&["é", "€ "]);
        let known = |text: &str| (cut.has_text(&key, text), cut.whole_text(&key, text).is_some());
        assert_eq!(known("é€ end"), (Some(true), true));
        assert_eq!(known("é€ "), (Some(true), false));
        assert_eq!(known("é€ longer"), (Some(false), false));
        assert_eq!(known("é€ en"), (Some(false), false));
        assert_eq!(known("é€"), (Some(false), false));
        let event = cut.whole_text(&key, "é€ end").map(|event| event.to_string());
        let expected = json!({
            "name": "ScriptCatchup", "cat": null, "ph": null, "pid": 1, "tid": 2, "ts": 5,
            "args": { "data": { "isolate": "8", "scriptId": 3, "sourceText": "é€ end" } },
        });
        assert_eq!(event, Some(expected.to_string()));

        let broken = traced(&["xxxxxxxx\u{2}", "\u{2},yyyyyyyy"]);
        assert_eq!(broken.has_text(&key, "xxxxxxxx€yyyyyyyyyy"), Some(true), "V8 broke a character");
        assert_eq!(broken.has_text(&key, "xxxxxxxx€yyzyyyyyyy"), Some(false));
        let whole = traced(&["a?"]);
        assert_eq!(whole.has_text(&key, "a\u{7f}"), Some(true));
        let whole = traced(&["é€ "]);
        assert_eq!(whole.has_text(&key, "é€ end"), Some(false), "only long texts are cut");
        assert_eq!(whole.whole_text(&key, "é€ "), None);
    }
}
