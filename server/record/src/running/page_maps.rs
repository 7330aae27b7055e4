//! Loads the source maps of scripts that ran in a browser when the recording is over, and writes them into it one by one.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use url::Url;

use super::cdp::Connection;
use super::inspector::agent;
use super::message::{CdpError, shown};
use super::wait::Told;

const LONGEST_LOAD: Duration = Duration::from_secs(10);
/// The maps of the largest bundles have some 100 MB.
const MAX_MAP: usize = 256 << 20;

/// Where maps come from.
pub(super) struct Loader<'c> {
    pub(super) connection: &'c mut Connection,
    /// The session of the page.
    pub(super) session: &'c str,
    pub(super) told: &'c Told,
    /// Whether the browser is on this machine, so that its `localhost` is ours.
    pub(super) is_here: bool,
}

/// Why a map was not loaded.
enum Unloaded {
    Cdp(CdpError),
    /// What the browser or the server says.
    Refused(String),
    NoJson(String),
    TooLarge,
    TooLate,
}

impl fmt::Display for Unloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cdp(error) => write!(f, "{error}"),
            Self::Refused(why) => write!(f, "{}", shown(why)),
            Self::NoJson(error) => write!(f, "it is no JSON: {}", shown(error)),
            Self::TooLarge => write!(f, "it has more than 256 MiB"),
            Self::TooLate => write!(f, "it takes too long"),
        }
    }
}

impl From<CdpError> for Unloaded {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameTree {
    frame_tree: FrameNode,
}

#[derive(Deserialize)]
struct FrameNode {
    frame: Frame,
}

#[derive(Deserialize)]
struct Frame {
    id: String,
}

#[derive(Deserialize)]
struct Loaded {
    resource: Resource,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    stream: Option<String>,
    http_status_code: Option<f64>,
    net_error_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    data: String,
    #[serde(default)]
    base64_encoded: bool,
    #[serde(default)]
    eof: bool,
}

/// Where the source map of a script is.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MapPlace {
    script: String,
    map_url: String,
}

impl MapPlace {
    /// The map of the script that an event reports, unless the map is in the text itself. The event gets the full URL, because that is
    /// what DevTools looks for.
    pub(super) fn of(event: &mut Value) -> Option<Self> {
        let data = event.pointer_mut("/args/data")?;
        let named =
            data["sourceMapUrl"].as_str().filter(|url| !url.is_empty() && !url.starts_with("data:"))?;
        let script = data["url"].as_str()?.to_owned();
        let whole = Url::parse(&script).ok().and_then(|base| base.join(named).ok());
        let map_url = whole.map_or_else(|| named.to_owned(), Url::into);
        data["sourceMapUrl"] = json!(map_url);
        Some(Self { script, map_url })
    }

    /// The total length of its URLs.
    pub(super) fn bytes(&self) -> usize {
        self.script.len() + self.map_url.len()
    }
}

impl Loader<'_> {
    /// Loads the maps of scripts as the page would, with its cookies and its proxy, and writes them as a list. Ctrl-C skips the rest.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write_maps(
        &mut self,
        maps: &BTreeSet<MapPlace>,
        missing: &mut Vec<String>,
        mut to: &mut dyn Write,
    ) -> io::Result<()> {
        to.write_all(b"[")?;
        let mut written = 0;
        let asked: Result<FrameTree, _> = match maps.is_empty() {
            true => Err(CdpError::Told),
            false => self.connection.ask(Some(self.session), "Page.getFrameTree", json!({})),
        };
        let frame = asked.map(|tree| tree.frame_tree.frame.id).unwrap_or_default();
        for MapPlace { script, map_url } in maps {
            let base = Url::parse(script).ok();
            let Some(url) = base.and_then(|base| base.join(map_url).ok()) else { continue };
            if self.told.take() {
                missing.push("the source maps that were not loaded yet are left out".to_owned());
                break;
            }
            let map = self.load(&frame, &url).or_else(|why| self.load_from_here(&url).ok_or(why));
            match map {
                Ok(map) => {
                    to.write_all(if written == 0 { b"{\"url\":" } else { b",\n{\"url\":" })?;
                    serde_json::to_writer(&mut to, script)?;
                    to.write_all(b",\"sourceMapUrl\":")?;
                    serde_json::to_writer(&mut to, map_url)?;
                    write!(to, ",\"sourceMap\":{map}}}")?;
                    written += 1;
                }
                Err(Unloaded::Cdp(CdpError::Told)) => {}
                Err(why) => {
                    missing.push(format!("the source map {} was not loaded: {why}", shown(url.as_str())))
                }
            }
        }
        to.write_all(b"]")
    }

    fn load(&mut self, frame: &str, url: &Url) -> Result<String, Unloaded> {
        let options = json!({ "disableCache": false, "includeCredentials": true });
        let params = json!({ "frameId": frame, "url": url.as_str(), "options": options });
        let loaded: Loaded =
            self.connection.ask(Some(self.session), "Network.loadNetworkResource", params)?;
        let Resource { stream, http_status_code, net_error_name } = loaded.resource;
        let Some(stream) = stream else {
            let status = http_status_code.map(|status| format!("status {status}"));
            let why = net_error_name.or(status).unwrap_or_else(|| "the browser does not say why".to_owned());
            return Err(Unloaded::Refused(why));
        };
        let mut bytes = Vec::new();
        let began = Instant::now();
        while began.elapsed() < LONGEST_LOAD {
            let chunk: Chunk =
                self.connection.ask(Some(self.session), "IO.read", json!({ "handle": stream }))?;
            if chunk.base64_encoded {
                let decoded = STANDARD.decode(&chunk.data);
                bytes.extend(decoded.map_err(|error| Unloaded::Refused(error.to_string()))?);
            } else {
                bytes.extend(chunk.data.as_bytes());
            }
            if bytes.len() > MAX_MAP {
                return Err(Unloaded::TooLarge);
            }
            if chunk.eof {
                // The browser also closes it with the page.
                let _ = self.connection.send(Some(self.session), "IO.close", json!({ "handle": stream }));
                return read_json(bytes);
            }
        }
        Err(Unloaded::TooLate)
    }

    /// Loads the map of a page that is gone from a server on this machine, such as a development server.
    fn load_from_here(&self, url: &Url) -> Option<String> {
        let is_local = url.scheme() == "http"
            && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
            && self.is_here;
        let url = is_local.then(|| url.to_string())?;
        let asked = self.told.wait_for(LONGEST_LOAD, move || {
            let mut answer =
                agent(LONGEST_LOAD).get(url).call().ok().filter(|answer| answer.status() == 200)?;
            answer.body_mut().with_config().limit(MAX_MAP as u64).read_to_vec().ok()
        });
        read_json(asked.ok()??).ok()
    }
}

/// Reads a source map: JSON, which is left as it is.
fn read_json(bytes: Vec<u8>) -> Result<String, Unloaded> {
    let text = String::from_utf8(bytes).map_err(|error| Unloaded::NoJson(error.to_string()))?;
    // Some servers put this before JSON to keep it from being read as a script (source map specification, 11.2.2).
    let text = match text.strip_prefix(")]}'") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, json)| json).to_owned(),
        None => text,
    };
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Unloaded::NoJson(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_json_and_stays_as_it_is() {
        let texts = ["{\"a\" : 1}", ")]}'\n[]", ")]}'", "{", "[]}", "\u{feff}{}"];
        let read = texts.map(|it| read_json(it.as_bytes().to_vec()).map_err(|why| why.to_string()));
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
                Err(
                    "it is no JSON: expected value at line 1 column 1",
                ),
            ]
        "#]]
        .assert_debug_eq(&read);
    }
}
