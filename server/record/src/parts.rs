//! Puts together what the threads of a command have left.
//!
//! ```text
//! <pid>-<thread>.start.json   a thread has been found: which program it is of
//! <pid>-<thread>.part.json    its profile, once it has ended
//! <hash>-<length>.text        the text of a script, for all threads
//! <pid>-<thread>.error.txt    why something is missing
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::maps::read_map;
use crate::profile::{Mark, Script, Thread, V8Profile};

/// What was found in the folder of a recording.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What was recorded of time, in the order of processes and threads.
    pub threads: Vec<Thread>,
    /// Sampled allocations, as V8 has them (`HeapProfiler.SamplingHeapProfile`).
    pub heaps: Vec<Value>,
    /// Processes that run on.
    pub running: Vec<u32>,
    /// One sentence for each thing that is missing.
    pub missing: Vec<String>,
}

/// What a thread says of itself when it is found.
#[derive(Clone, Debug, Deserialize)]
struct Start {
    process: u32,
    thread: u32,
    #[serde(default)]
    arguments: Vec<String>,
}

#[derive(Deserialize)]
struct Part {
    profile: Option<V8Profile>,
    heap: Option<Value>,
    #[serde(default)]
    scripts: Vec<PartScript>,
    #[serde(default)]
    marks: Vec<Mark>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartScript {
    script_id: String,
    url: String,
    text: String,
    map_url: Option<String>,
    map: Option<Value>,
}

/// The processes of a recording that are still recorded.
pub(crate) fn unfinished(folder: &Path) -> Vec<u32> {
    let mut processes: Vec<u32> = starts(folder)
        .into_iter()
        .filter(|(name, _)| {
            !folder.join(format!("{name}.part.json")).exists()
                && !folder.join(format!("{name}.error.txt")).exists()
        })
        .map(|(_, start)| start.process)
        .collect();
    processes.dedup();
    processes
}

/// Reads a folder; `is_running` tells whether a process has not ended.
pub fn gather(folder: &Path, is_running: impl Fn(u32) -> bool) -> Gathered {
    let mut gathered = Gathered::default();
    for (name, start) in starts(folder) {
        let title = start.title();
        let part = folder.join(format!("{name}.part.json"));
        if !part.exists() {
            match fs::read_to_string(folder.join(format!("{name}.error.txt"))) {
                Ok(why) => gathered.missing.push(format!("{title} was not recorded: {why}")),
                Err(_) if is_running(start.process) => gathered.running.push(start.process),
                Err(_) => gathered.missing.push(format!(
                    "{title} ended before what it recorded could be written: it was killed, or it crashed"
                )),
            }
            continue;
        }
        match read_part(folder, &part, title.clone()) {
            Ok((thread, heap)) => {
                gathered.threads.extend(thread);
                gathered.heaps.extend(heap);
            }
            Err(why) => gathered.missing.push(format!("{title} was not recorded: {why}")),
        }
    }
    gathered.running.dedup();
    gathered
}

/// The threads that were found, by the name of their files, in the order of processes and threads.
fn starts(folder: &Path) -> Vec<(String, Start)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut starts: BTreeMap<(u32, u32), (String, Start)> = BTreeMap::new();
    for entry in entries.flatten() {
        let file = entry.file_name();
        let Some(name) = file.to_str().and_then(|it| it.strip_suffix(".start.json")) else { continue };
        // A file that was cut off is one of a thread that was killed while it wrote it.
        let Some(start) =
            fs::read(entry.path()).ok().and_then(|it| serde_json::from_slice::<Start>(&it).ok())
        else {
            continue;
        };
        starts.insert((start.process, start.thread), (name.to_owned(), start));
    }
    starts.into_values().collect()
}

fn read_part(folder: &Path, file: &Path, name: String) -> Result<(Option<Thread>, Option<Value>), String> {
    let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut part: Part =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    // The time of the recorder itself is no code of the user's.
    let nodes = part.profile.iter_mut().flat_map(|it| &mut it.nodes);
    for node in nodes.filter(|it| it.call_frame.url.contains("/.proflens/.unfinished/")) {
        node.call_frame.url = "node:internal/proflens".to_owned();
    }
    let scripts = part.scripts.into_iter().map(|it| it.read(folder)).collect::<Result<_, String>>()?;
    let thread = part.profile.map(|profile| Thread { name, profile, scripts, marks: part.marks });
    Ok((thread, part.heap))
}

impl Start {
    /// `main.ts (pid 7)`, `main.ts, worker 2 (pid 7)`.
    fn title(&self) -> String {
        let script = self.arguments.first().map_or("node", |it| it.rsplit(['/', '\\']).next().unwrap_or(it));
        match self.thread {
            0 => format!("{script} (pid {})", self.process),
            thread => format!("{script}, worker {thread} (pid {})", self.process),
        }
    }
}

impl PartScript {
    fn read(self, folder: &Path) -> Result<Script, String> {
        let file = folder.join(&self.text);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let map = self.map.map(|it| it.to_string()).or_else(|| read_map(&self.url, self.map_url.as_deref()?));
        Ok(Script { id: self.script_id, url: self.url, text, map_url: self.map_url, map })
    }
}
