//! The source maps of scripts of a server on this machine, kept while a page runs them: once the source is edited, a development server
//! sends another script and its map under the same URLs. Neither page nor browser is asked for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use serde::Deserialize;
use source::map::source_mapping_url;
use url::Url;

use super::message::Message;
use super::served::{LONGEST_LOAD, Sent, is_edited_here, read_json, sent, sent_text};
use super::traced_scripts::hash;
use super::wait::{POLL, Told};

/// How many scripts may wait: a page in development loads some thousand modules at once.
const MAX_WAITING: usize = 10_000;
/// How many bytes of texts and maps are kept.
const MAX_KEPT: usize = 256 << 20;

/// A script as it was sent at one time, and its map of that time.
pub(super) struct KeptMap {
    pub(super) script: String,
    pub(super) text: String,
    pub(super) map: String,
}

/// Keeps the maps of scripts that a page has just loaded, on a thread of its own.
pub(super) struct MapKeeper {
    scripts: SyncSender<String>,
    kept: Receiver<KeptMap>,
    is_over: Arc<AtomicBool>,
}

#[derive(Deserialize)]
struct Received {
    #[serde(rename = "type")]
    kind: String,
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    url: String,
}

impl MapKeeper {
    /// `None` if the system has no thread for it: all maps are then loaded in the end.
    pub(super) fn start() -> Option<Self> {
        let (scripts, asked) = sync_channel(MAX_WAITING);
        let (found, kept) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        thread::Builder::new().spawn(move || keep_maps(&asked, &found, &ends)).ok()?;
        Some(Self { scripts, kept, is_over })
    }

    /// Has the map kept of the script that an event reports.
    pub(super) fn hear(&self, event: &Message) {
        if event.method.as_deref() == Some("Network.responseReceived")
            && let Some(Received { kind, response }) = event.params()
            && kind == "Script"
            && is_edited_here(&response.url)
        {
            // One that finds no room is loaded in the end.
            let _ = self.scripts.try_send(response.url);
        }
    }

    /// What was kept. Scripts that still wait are left to the end of the recording.
    pub(super) fn finish(self, told: &Told) -> Vec<KeptMap> {
        self.is_over.store(true, Ordering::Relaxed);
        drop(self.scripts);
        let (mut all, began) = (Vec::new(), Instant::now());
        while !told.is_told() && began.elapsed() < LONGEST_LOAD {
            match self.kept.recv_timeout(POLL) {
                Ok(kept) => all.push(kept),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        all
    }
}

fn keep_maps(asked: &Receiver<String>, found: &Sender<KeptMap>, is_over: &AtomicBool) {
    // Most texts of a development server hold their maps themselves, and need not be looked at again.
    let mut without: BTreeSet<String> = BTreeSet::new();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut bytes = 0;
    while let Ok(script) = asked.recv() {
        if is_over.load(Ordering::Relaxed) || bytes > MAX_KEPT {
            return;
        }
        if without.contains(&script) {
            continue;
        }
        let Some(Sent { text, map_url }) = sent(&script) else { continue };
        if last.get(&script) == Some(&hash(&text)) {
            continue;
        }
        let map_url = map_url.as_deref().or_else(|| source_mapping_url(&text));
        let Some(map_url) = map_url.filter(|url| !url.starts_with("data:")) else {
            without.insert(script);
            continue;
        };
        let map = beside(&script, map_url).and_then(|url| sent(url.as_str()));
        let Some(map) = map.and_then(|map| read_json(map.text.into_bytes()).ok()) else { continue };
        // It may have been built anew between the two.
        if sent_text(&script).as_ref() == Some(&text) {
            bytes += text.len() + map.len();
            last.insert(script.clone(), hash(&text));
            // Nobody listens any more if it took too long.
            let _ = found.send(KeptMap { script, text, map });
        }
    }
}

/// Where the map of a script is, if the same server has it: a text does not say which other servers are asked.
fn beside(script: &str, map_url: &str) -> Option<Url> {
    let script = Url::parse(script).ok()?;
    script.join(map_url).ok().filter(|map| map.origin() == script.origin())
}
