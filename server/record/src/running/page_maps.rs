//! The source maps of what a browser ran, written into the recording one by one: those that were kept meanwhile, and those that are still
//! there when it is over.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::cdp::Connection;
use super::kept_maps::KeptMap;
use super::message::{CdpError, shown};
use super::served::{LONGEST_LOAD, MAX_MAP, NotJson, is_edited_here, is_local, read_json, sent, sent_text};
use super::traced_scripts::{MapPlace, ScriptKey, TracedScripts};
use super::wait::Told;

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
    NotJson(NotJson),
    TooLarge,
    TooLate,
}

impl fmt::Display for Unloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cdp(error) => write!(f, "{error}"),
            Self::Refused(why) => write!(f, "{}", shown(why)),
            Self::NotJson(why) => write!(f, "{why}"),
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

/// A list of maps that is being written.
struct MapList<'w> {
    to: &'w mut dyn Write,
    written: u32,
}

impl MapList<'_> {
    /// Writes a map and the scripts that it is of; none where that is unknown.
    fn write(&mut self, place: &MapPlace, scripts: &BTreeSet<&ScriptKey>, map: &str) -> io::Result<()> {
        let scripts: Vec<_> =
            scripts.iter().map(|(isolate, id)| json!({ "isolate": isolate, "scriptId": id })).collect();
        let about = json!({ "url": place.script, "sourceMapUrl": place.map_url, "scripts": scripts });
        let mut about = about.to_string();
        about.truncate(about.len() - 1);
        write!(self.to, "{}{about},\"sourceMap\":{map}}}", if self.written == 0 { "" } else { ",\n" })?;
        self.written += 1;
        Ok(())
    }
}

impl Loader<'_> {
    /// Writes the maps of scripts as a list. What was not kept is loaded as the page would, with its cookies and its proxy, if the script
    /// is still the one that ran. Ctrl-C skips the rest.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write_maps(
        &mut self,
        scripts: &TracedScripts,
        kept: &[KeptMap],
        missing: &mut Vec<String>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        to.write_all(b"[")?;
        let mut list = MapList { to, written: 0 };
        let asked: Result<FrameTree, _> = match scripts.maps.is_empty() {
            true => Err(CdpError::Told),
            false => self.connection.ask(Some(self.session), "Page.getFrameTree", json!({})),
        };
        let frame = asked.map(|tree| tree.frame_tree.frame.id).unwrap_or_default();
        for (place, of_place) in &scripts.maps {
            let base = Url::parse(&place.script).ok();
            let Some(url) = base.and_then(|base| base.join(&place.map_url).ok()) else { continue };
            let with_text = |text: &str, has: bool| -> BTreeSet<&ScriptKey> {
                of_place.iter().filter(|&key| scripts.has_text(key, text) == Some(has)).collect()
            };
            let mut others: BTreeSet<&ScriptKey> = of_place.iter().collect();
            for kept in kept.iter().filter(|kept| kept.script == place.script) {
                let mut same = with_text(&kept.text, true);
                same.retain(|&key| others.remove(key));
                if !same.is_empty() {
                    list.write(place, &same, &kept.map)?;
                }
            }
            if others.is_empty() && !of_place.is_empty() {
                continue;
            }
            if self.told.take() {
                missing.push("the source maps that were not loaded yet are left out".to_owned());
                break;
            }
            let text = self.text_now(&place.script);
            if let Some(text) = &text {
                let changed = with_text(text, false);
                others.retain(|&key| !changed.contains(key));
                if !changed.is_empty() {
                    let what = shown(&place.script);
                    missing.push(format!("a source map of {what} is missing: the script was changed since"));
                }
                if others.is_empty() {
                    continue;
                }
            }
            let map = self.load(&frame, &url).or_else(|why| self.load_from_here(&url).ok_or(why));
            match map {
                Ok(map)
                    if text.is_some() && self.text_now(&place.script).is_none_or(|now| Some(now) == text) =>
                {
                    list.write(place, &others, &map)?;
                }
                Ok(map) if text.is_none() => list.write(place, &BTreeSet::new(), &map)?,
                Ok(_) => missing.push(format!(
                    "the source map {} is missing: its script was changed meanwhile",
                    shown(url.as_str())
                )),
                Err(Unloaded::Cdp(CdpError::Told)) => {}
                Err(why) => {
                    missing.push(format!("the source map {} was not loaded: {why}", shown(url.as_str())))
                }
            }
        }
        list.to.write_all(b"]")
    }

    /// The text of a script that a server on this machine has now, where it may have changed.
    fn text_now(&mut self, script: &str) -> Option<String> {
        let script = (self.is_here && is_edited_here(script)).then(|| script.to_owned())?;
        let began = Instant::now();
        let text = self.told.wait_for(LONGEST_LOAD, move || sent_text(&script)).ok().flatten();
        // A server that does not answer is not waited for again.
        self.is_here &= text.is_some() || began.elapsed() < LONGEST_LOAD / 2;
        text
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
                return read_json(bytes).map_err(Unloaded::NotJson);
            }
        }
        Err(Unloaded::TooLate)
    }

    /// Loads the map of a page that is gone from a server on this machine, such as a development server.
    fn load_from_here(&self, url: &Url) -> Option<String> {
        let url = (self.is_here && is_local(url)).then(|| url.to_string())?;
        let sent = self.told.wait_for(LONGEST_LOAD, move || sent(&url)).ok()??;
        read_json(sent.text.into_bytes()).ok()
    }
}
