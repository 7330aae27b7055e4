//! What a trace contains of the scripts themselves: their texts and source maps.
//!
//! "Enhanced" traces have them. V8 announces each script in `ScriptCatchup` events: one that describes it, and one (or
//! several `LargeScriptCatchup`) with its text (`v8-source-rundown`, v8/src/objects/script.cc). The maps are added by
//! DevTools when it saves (`metadata.sourceMaps`). Edge has a list of `scripts` next to the trace. Only the scripts of
//! sampled functions are kept in the end.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::label::read_label;
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::Json;
use crate::decode::v8::script_ids::ScriptIds;
use crate::decode::versions::CHROME_TRACE;
use crate::model::{FunctionId, Position, Script};

/// At most this many bytes of texts and maps are kept while a trace is read, since its samples may come last.
const MAX_BYTES: usize = 256 << 20;

/// Everything found so far.
#[derive(Default)]
pub(super) struct Scripts {
    /// By V8's id and the isolate, or the process if no isolate is given.
    announced: BTreeMap<(String, u32), AnnouncedScript>,
    maps: Vec<ListedMap>,
    /// Texts of whole resources, by url.
    resources: BTreeMap<String, Option<String>>,
    bytes: usize,
    left_out: u64,
    /// The version of the data added to the trace, if any.
    version: Option<String>,
}

/// What an event says about a script.
#[derive(Default)]
pub(super) struct Announcement {
    isolate: String,
    id: Option<u32>,
    pub(super) url: String,
    source_url: String,
    map_url: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    part: u32,
    parts: Option<u32>,
    text: Option<String>,
}

#[derive(Default)]
struct AnnouncedScript {
    url: String,
    source_url: String,
    map_url: Option<String>,
    start: Option<Position>,
    /// Its text, unless it is in parts.
    text: Option<String>,
    parts: BTreeMap<u32, String>,
    /// The number of parts of the text.
    of: u32,
}

struct ListedMap {
    url: String,
    map_url: Option<String>,
    /// The scripts that it is of, as in [`Scripts::announced`]; empty where that is not said.
    scripts: BTreeSet<(String, u32)>,
    text: String,
}

/// The scripts of one url with the same text.
#[derive(Default, PartialEq, Eq)]
struct ScriptBody {
    url: String,
    text: Option<String>,
    /// The length of the whole text, if the trace lacks its end.
    whole_length: Option<usize>,
    map_url: Option<String>,
    start: Option<Position>,
}

/// All scripts, each once.
#[derive(Default)]
struct ScriptBodies {
    all: Vec<ScriptBody>,
    of_url: BTreeMap<String, Vec<usize>>,
}

impl Announcement {
    /// Reads a member of an event's data; `false` if it is not one of these, and its value is still to be read.
    pub(super) fn member(&mut self, key: &[u8], json: &mut Json) -> Result<bool> {
        match key {
            b"isolate" => self.isolate = read_label(json)?,
            b"scriptId" => self.id = json.index()?,
            b"url" => self.url = json.string(str::to_owned)?.unwrap_or_default(),
            b"sourceUrl" => self.source_url = json.string(str::to_owned)?.unwrap_or_default(),
            b"sourceMapUrl" => self.map_url = json.string(str::to_owned)?,
            b"startLine" => self.line = json.index()?,
            b"startColumn" => self.column = json.index()?,
            b"splitIndex" => self.part = json.index()?.unwrap_or(0),
            b"splitCount" => self.parts = json.index()?,
            b"sourceText" => self.text = json.string(str::to_owned)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Scripts {
    /// Whether events with this name are about a script.
    pub(super) fn is_event(name: &str) -> bool {
        matches!(name, "ScriptCatchup" | "LargeScriptCatchup" | "TooLargeScriptCatchup")
    }

    /// Adds an event.
    pub(super) fn add(&mut self, process: &str, it: Announcement) {
        let Some(id) = it.id else { return };
        let isolate = if it.isolate.is_empty() { format!("process {process}") } else { it.isolate };
        let (is_kept, size) = (self.has_room(it.text.as_deref()), it.text.as_ref().map_or(0, String::len));
        let script = self.announced.entry((isolate, id)).or_default();
        if !it.url.is_empty() || !it.source_url.is_empty() {
            (script.url, script.source_url) = (it.url, it.source_url);
        }
        script.map_url = it.map_url.or_else(|| script.map_url.take());
        if let (Some(line), column @ Some(_)) = (it.line, it.column) {
            script.start = Some(Position { line, column });
        }
        // The same script may be announced several times.
        let is_known = match it.parts {
            Some(_) => script.parts.contains_key(&it.part),
            None => script.text.is_some(),
        };
        script.of = it.parts.unwrap_or(script.of);
        if let Some(text) = it.text.filter(|_| is_kept && !is_known) {
            match it.parts {
                Some(_) => drop(script.parts.insert(it.part, text)),
                None => script.text = Some(text),
            }
            self.bytes += size;
        }
    }

    /// Reads the `metadata` of a trace.
    pub(super) fn read_metadata(&mut self, json: &mut Json) -> Result<()> {
        members(json, |key, json| match key {
            b"sourceMaps" => items(json, |json| self.read_map(json)),
            b"resources" => items(json, |json| self.read_resource(json)),
            b"enhancedTraceVersion" => {
                self.version = json.word()?;
                Ok(())
            }
            _ => json.skip(),
        })
    }

    /// Reads Edge's list of scripts.
    pub(super) fn read_list(&mut self, json: &mut Json) -> Result<()> {
        items(json, |json| {
            let mut script = Announcement::default();
            members(json, |key, json| match script.member(key, json)? {
                true => Ok(()),
                false => json.skip(),
            })?;
            self.add("", script);
            Ok(())
        })
    }

    /// Gives the profile what belongs to functions that were sampled, by V8's ids of their scripts. A function that was in two texts is
    /// two functions. Returns which function the copy for a script is.
    pub(super) fn finish(
        self,
        ids: ScriptIds,
        builder: &mut ProfileBuilder,
    ) -> FxHashMap<FunctionId, FunctionId> {
        if self.left_out > 0 {
            let what = format!("the trace holds more than {} MB of scripts and source maps", MAX_BYTES >> 20);
            builder.problem(what, "the first ones were read, the others are looked for in the workspace");
        }
        if let Some(version) = &self.version {
            CHROME_TRACE.note_newer(version, builder);
        }
        let mut bodies = ScriptBodies::default();
        let mut by_id: BTreeMap<(String, u32), BTreeSet<usize>> = BTreeMap::new();
        let mut maps: Vec<Option<ListedMap>> = self.maps.into_iter().map(Some).collect();
        let mut of_maps: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); maps.len()];
        for ((isolate, id), script) in self.announced {
            // Profiles name a script as its own comment does.
            let name = if script.source_url.is_empty() { &script.url } else { &script.source_url };
            let key = (name.clone(), id);
            let body = bodies.add(script.body());
            by_id.entry(key).or_default().insert(body);
            let key = (isolate, id);
            for (map, of_map) in maps.iter().zip(&mut of_maps) {
                of_map.extend(map.iter().filter(|map| map.scripts.contains(&key)).map(|_| body));
            }
        }
        let mut resources = self.resources;
        for map in maps.iter().flatten() {
            resources.entry(map.url.clone()).or_default();
        }
        let mut by_url: BTreeMap<String, usize> = BTreeMap::new();
        for (url, text) in resources {
            if !bodies.of_url.contains_key(&url) {
                by_url.insert(url.clone(), bodies.add(ScriptBody { url, text, ..ScriptBody::default() }));
            }
        }

        let mut scripts: BTreeMap<usize, Option<u32>> = BTreeMap::new();
        let mut of_text = FxHashMap::default();
        for of_function in ids.sorted().chunk_by(|a, b| a.0 == b.0) {
            let function = of_function[0].0;
            let Some(name) = builder.resource_of(function) else { continue };
            let of_url = by_url.get(name);
            let body_of = |id: u32| -> BTreeSet<usize> {
                let known = by_id.get(&(name.to_owned(), id)).into_iter().flatten();
                known.chain(of_url).copied().collect()
            };
            let known: Vec<BTreeSet<usize>> = of_function.iter().map(|it| body_of(it.1)).collect();
            let all: BTreeSet<usize> = known.iter().flatten().copied().collect();
            let mut of_body: BTreeMap<usize, FunctionId> = BTreeMap::new();
            for (&(_, _, copy), known) in of_function.iter().zip(known) {
                let same = match (all.first(), known.first()) {
                    (Some(&body), _) if all.len() == 1 => *of_body.entry(body).or_insert(function),
                    // Of what made code, and of two texts with one id, it is unknown which text ran.
                    (_, Some(&body)) if known.len() == 1 => match copy {
                        Some(copy) => *of_body.entry(body).or_insert(copy),
                        None => continue,
                    },
                    _ => function,
                };
                of_text.extend(copy.map(|copy| (copy, same)));
            }
            for (body, function) in of_body {
                let script = scripts.entry(body).or_insert_with(|| {
                    let map = bodies.map(body, &mut maps, &of_maps);
                    let script = bodies.take(body, map);
                    (script.text.is_some() || script.map.is_some()).then(|| builder.script(script))
                });
                if let Some(script) = *script {
                    builder.in_script(function, script);
                }
            }
        }
        of_text
    }

    fn read_map(&mut self, json: &mut Json) -> Result<()> {
        let mut map =
            ListedMap { url: String::new(), map_url: None, scripts: BTreeSet::new(), text: String::new() };
        let room = MAX_BYTES.saturating_sub(self.bytes);
        members(json, |key, json| {
            match key {
                b"url" => map.url = json.string(str::to_owned)?.unwrap_or_default(),
                b"sourceMapUrl" => map.map_url = json.string(str::to_owned)?,
                b"scripts" => items(json, |json| {
                    let mut script = Announcement::default();
                    members(json, |key, json| match script.member(key, json)? {
                        true => Ok(()),
                        false => json.skip(),
                    })?;
                    map.scripts.extend(script.id.map(|id| (script.isolate, id)));
                    Ok(())
                })?,
                b"sourceMap" => match json.object_text(room)? {
                    Some(text) => map.text = String::from_utf8_lossy(&text).into_owned(),
                    None => self.left_out += 1,
                },
                _ => json.skip()?,
            }
            Ok(())
        })?;
        if !map.text.is_empty() {
            self.bytes += map.text.len();
            self.maps.push(map);
        }
        Ok(())
    }

    fn read_resource(&mut self, json: &mut Json) -> Result<()> {
        let (mut url, mut content, mut kind) = (String::new(), None, None);
        members(json, |key, json| {
            match key {
                b"url" => url = json.string(str::to_owned)?.unwrap_or_default(),
                b"content" => content = json.string(str::to_owned)?,
                b"mimeType" => kind = json.string(|it| it.contains("html") || it.contains("script"))?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        if let Some(content) = content.filter(|_| kind != Some(false))
            && self.has_room(Some(&content))
        {
            self.bytes += content.len();
            self.resources.insert(url, Some(content));
        }
        Ok(())
    }

    /// Whether there is room for a text; if not, it is counted as left out.
    fn has_room(&mut self, text: Option<&str>) -> bool {
        let has_room = self.bytes + text.map_or(0, str::len) <= MAX_BYTES;
        self.left_out += u64::from(!has_room);
        has_room
    }
}

impl AnnouncedScript {
    fn body(self) -> ScriptBody {
        let has_all = !self.parts.is_empty() && self.parts.len() == self.of as usize;
        let joined = has_all.then(|| self.parts.into_values().collect::<String>());
        // V8 takes the length of the text for that of its UTF-8, which is longer if not all of it is ASCII, and leaves out the rest.
        let whole_length =
            joined.as_ref().filter(|_| self.text.is_none()).filter(|text| !text.is_ascii()).map(String::len);
        let text = self.text.or(joined);
        // What `eval` made has no url but the one that its own comment names.
        let url = if self.url.is_empty() { self.source_url } else { self.url };
        ScriptBody { url, text, whole_length, map_url: self.map_url, start: self.start }
    }
}

impl ScriptBodies {
    /// The index of a body, which is added if it is new.
    fn add(&mut self, body: ScriptBody) -> usize {
        let of_url = self.of_url.entry(body.url.clone()).or_default();
        let known = of_url.iter().copied().find(|&it| self.all[it] == body);
        known.unwrap_or_else(|| {
            of_url.push(self.all.len());
            self.all.push(body);
            self.all.len() - 1
        })
    }

    /// Takes the map of a body: the one that is said to be of it, the one that it names, or the one of its url. For the latter two there
    /// must be no other body like that.
    fn map(
        &self,
        body: usize,
        maps: &mut [Option<ListedMap>],
        of_maps: &[BTreeSet<usize>],
    ) -> Option<ListedMap> {
        if let Some(at) = of_maps.iter().position(|bodies| bodies.contains(&body)) {
            return maps[at].take();
        }
        let ScriptBody { url, map_url, .. } = &self.all[body];
        let of_url = &self.of_url[url];
        let named = of_url.iter().filter(|&&it| self.all[it].map_url == *map_url).count();
        let mut of_same_url = maps
            .iter_mut()
            .filter(|map| map.as_ref().is_some_and(|map| map.url == *url && map.scripts.is_empty()));
        let found = match of_url.len() {
            1 => of_same_url.next(),
            _ if named == 1 && map_url.is_some() => {
                of_same_url.find(|it| it.as_ref().is_some_and(|it| it.map_url == *map_url))
            }
            _ => None,
        };
        found?.take()
    }

    /// The part of a body that the profile keeps.
    fn take(&mut self, body: usize, map: Option<ListedMap>) -> Script {
        let ScriptBody { text, whole_length, map_url, start, .. } = &mut self.all[body];
        let (map, listed_url) = map.map_or((None, None), |it| (Some(it.text), it.map_url));
        Script {
            text: text.take().map(String::into_boxed_str),
            whole_length: *whole_length,
            map: map.map(String::into_boxed_str),
            map_url: listed_url.or_else(|| map_url.clone()).map(String::into_boxed_str),
            start: *start,
            is_source: false,
        }
    }
}

/// Reads each member of an object; skips any other value.
fn members(json: &mut Json, mut read: impl FnMut(&[u8], &mut Json) -> Result<()>) -> Result<()> {
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            read(key.bytes(), json)?;
        }
    }
    Ok(())
}

/// Reads each item of an array; skips any other value.
fn items(json: &mut Json, mut read: impl FnMut(&mut Json) -> Result<()>) -> Result<()> {
    if json.enter_array()? {
        while json.next_item()? {
            read(json)?;
        }
    }
    Ok(())
}
