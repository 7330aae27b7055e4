//! Puts together what the threads of a command have left.
//!
//! ```text
//! <pid>-<thread>.start.json   a thread has been found: which program it is of
//! <pid>-<thread>.part.json    its profile, once it has ended
//! <hash>-<length>.text        the text of a script, for all threads
//! <pid>-<thread>.error.txt    why something is missing
//! <pid>-<thread>.writing      a thread writes its profile just now
//! <pid>.child.json            a process was started that may outlive the command
//! ```

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::in_memory::{TextStart, settle};
use crate::maps::read_map;
use crate::profile::{Mark, Script, Thread, V8Profile};
use crate::recorder::is_recorder;
use crate::regular;
use crate::runtimes::profiles;

/// A command line is at most 128 kB on Linux (`MAX_ARG_STRLEN`) for each of its words; this is for all of them.
const MAX_START_BYTES: u64 = 8 << 20;

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

impl Gathered {
    /// Whether there is nothing at all, and nothing is known to be missing.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.heaps.is_empty() && self.running.is_empty() && self.missing.is_empty()
    }
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
    #[serde(default)]
    start_line: i64,
    #[serde(default)]
    start_column: i64,
}

/// The processes of a recording that are still recorded, or about to be.
pub(crate) fn unfinished(folder: &Path) -> Vec<u32> {
    let starts = starts(folder);
    let is_unfinished = |name: &str| {
        let has = |ending: &str| folder.join(format!("{name}.{ending}")).exists();
        !has("part.json") && !has("error.txt")
    };
    let recorded = starts.iter().filter(|(name, _)| is_unfinished(name)).map(|(_, start)| start.process);
    let mut processes: Vec<u32> = recorded.chain(not_begun(folder, &starts)).collect();
    processes.dedup();
    processes
}

/// Whether a thread writes its profile just now.
pub(crate) fn is_writing(folder: &Path) -> bool {
    !names(folder, ".writing").is_empty()
}

/// Children that may outlive the command and have not come to load the recorder yet.
fn not_begun(folder: &Path, starts: &[(String, Start)]) -> Vec<u32> {
    let has_begun = |process: u32| starts.iter().any(|(_, start)| start.process == process);
    let children = names(folder, ".child.json").into_iter().filter_map(|it| it.parse().ok());
    children.filter(|&it| !has_begun(it)).collect()
}

/// Reads a folder; `is_running` tells whether a process has not ended.
pub fn gather(folder: &Path, is_running: impl Fn(u32) -> bool) -> Gathered {
    let mut gathered = Gathered::default();
    let starts = starts(folder);
    gathered.running.extend(not_begun(folder, &starts).into_iter().filter(|it| is_running(*it)));
    for name in names(folder, ".error.txt") {
        if starts.iter().all(|it| it.0 != name)
            && let Ok(why) = fs::read_to_string(folder.join(format!("{name}.error.txt")))
        {
            gathered.missing.push(format!("something of process {name} was not recorded: {why}"));
        }
    }
    for (name, start) in &starts {
        let title = start.title(&starts);
        let part = folder.join(format!("{name}.part.json"));
        if !part.exists() {
            match fs::read_to_string(folder.join(format!("{name}.error.txt"))) {
                Ok(why) => gathered.missing.push(format!("{title} was not recorded: {why}")),
                Err(_) if is_running(start.process) => gathered.running.push(start.process),
                Err(_) => gathered.missing.push(format!(
                    "{title} ended before what it recorded could be written: it was killed, it crashed, or the disk is full"
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
    let (threads, missing) = profiles(folder);
    gathered.threads.extend(threads);
    gathered.missing.extend(missing);
    gathered
}

/// The threads that were found, by the name of their files, in the order of processes and threads.
fn starts(folder: &Path) -> Vec<(String, Start)> {
    // A file that was cut off is one of a thread that was killed while it wrote it.
    let read = |name: String| -> Option<(String, Start)> {
        let text = regular::read(&folder.join(format!("{name}.start.json")), MAX_START_BYTES).ok()?;
        Some((name, serde_json::from_slice(&text).ok()?))
    };
    let mut starts: Vec<(String, Start)> =
        names(folder, ".start.json").into_iter().filter_map(read).collect();
    starts.sort_by_key(|(_, start)| (start.process, start.thread));
    starts
}

/// The names of the files that end so, without that, in order.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |it: fs::DirEntry| Some(it.file_name().to_str()?.strip_suffix(ending)?.to_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
    names.sort();
    names
}

fn read_part(folder: &Path, file: &Path, name: String) -> Result<(Option<Thread>, Option<Value>), String> {
    let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut part: Part =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    // The time of the recorder itself is no code of the user's.
    let nodes = part.profile.iter_mut().flat_map(|it| &mut it.nodes);
    for node in nodes.filter(|it| is_recorder(&it.call_frame.url)) {
        node.call_frame.url = "node:internal/proflens".to_owned();
    }
    let mut scripts = Vec::new();
    for script in part.scripts {
        let start = TextStart { line: script.start_line, column: script.start_column };
        let mark = script.text.trim_end_matches(".text").to_owned();
        let mut script = script.read(folder)?;
        settle(&mut script, start, &mark, part.profile.as_mut());
        scripts.push(script);
    }
    let thread = part.profile.map(|profile| Thread { name, profile, scripts, marks: part.marks });
    Ok((thread, part.heap))
}

impl Start {
    /// `main.ts (pid 7)`, `main.ts, worker 2 (pid 7)`.
    fn title(&self, all: &[(String, Start)]) -> String {
        // A worker knows no arguments when it starts.
        let main = all.iter().find(|(_, it)| it.process == self.process && it.thread == 0);
        let of_main = main.and_then(|(_, it)| it.arguments.first());
        let script = self
            .arguments
            .first()
            .filter(|it| !it.is_empty())
            .or(of_main)
            .map_or("node", |it| it.rsplit(['/', '\\']).next().unwrap_or(it));
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
