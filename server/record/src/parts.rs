//! Puts together what the threads of a command have left.
//!
//! ```text
//! <pid>-<thread>.start.json   a thread has been found: which program it is of
//! <pid>-<thread>.pieces       the pieces of its profile so far, one a line
//! <pid>-<thread>.part.json    the last piece, once it has ended
//! <hash>-<length>.text        the text of a script, for all threads
//! <pid>-<thread>.error.txt    why something is missing
//! <pid>-<thread>-….note.txt   what a program started that is not recorded
//! <pid>-<thread>.writing      a thread writes its profile just now
//! <pid>.asked                 a process of Windows is about to be ended, and is to end its recording before that
//! <pid>.child.json            a process was started that may outlive the command
//! ```
//! The recorded program can also write there. So only regular files are read, none without a limit, and nothing in them is used
//! as the name of another place.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use profile::model::{Counts, Deopts};
use profile::problem::Problem;
use serde::Deserialize;
use serde_json::Value;

use crate::counted::{PartCounts, TextBefore, counts};
use crate::heap::Heap;
use crate::in_memory::{TextStart, settle};
use crate::made::{Made, makers};
use crate::maps::read_map;
use crate::pieces;
use crate::regular::{self, unread};
use crate::runtimes::profiles;
use crate::texts::{MAX_PART_BYTES, read_text};
use crate::v8_profile::{Mark, Script, Thread, V8Profile};

/// On Linux each word of a command line has at most 128 kB (`MAX_ARG_STRLEN`); this is for all of them together.
const MAX_START_BYTES: u64 = 8 << 20;
/// A sentence.
const MAX_SENTENCE_BYTES: u64 = 64 << 10;
/// All pieces of a thread together; they are read one by one.
const MAX_PIECES_BYTES: u64 = 64 << 30;

/// What was found in the folder of a recording.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What was recorded of time, in the order of processes and threads.
    pub threads: Vec<Thread>,
    /// Sampled allocations.
    pub heaps: Vec<Heap>,
    /// How often functions were called, where that was counted.
    pub counts: Counts,
    /// What V8's compiler did with functions, where that was logged in another run.
    pub deopts: Deopts,
    /// Processes that are still running.
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
    /// What its files are named.
    #[serde(skip)]
    name: String,
    process: u32,
    thread: u32,
    #[serde(default)]
    arguments: Vec<String>,
}

/// The last piece, or an earlier one.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    profile: Option<V8Profile>,
    heap: Option<Heap>,
    #[serde(default)]
    scripts: Vec<PartScript>,
    /// Who made the scripts that have no URL.
    #[serde(default)]
    made: Vec<Made>,
    #[serde(default)]
    marks: Vec<Mark>,
    #[serde(default)]
    counts: Vec<PartCounts>,
    /// Whether somebody else may have asked V8 for what it counts, and set it back.
    #[serde(default)]
    is_disturbed: bool,
    /// Whether it ran for so long that V8 may have counted as far as it can.
    #[serde(default)]
    may_be_full: bool,
    /// How many microseconds of it were to be recorded.
    until: Option<i64>,
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
    let recorded = starts.iter().filter(|start| !start.has_ended(folder)).map(|start| start.process);
    let mut processes: Vec<u32> = recorded.chain(not_begun(folder, &starts)).collect();
    processes.dedup();
    processes
}

/// Whether a thread is writing its profile right now.
pub(crate) fn is_writing(folder: &Path) -> bool {
    !names(folder, ".writing").is_empty()
}

/// Children that may outlive the command and have not loaded the recorder yet.
fn not_begun(folder: &Path, starts: &[Start]) -> Vec<u32> {
    let begun: BTreeSet<u32> = starts.iter().map(|start| start.process).collect();
    let children = names(folder, ".child.json").into_iter().filter_map(|name| name.parse().ok());
    children.filter(|child| !begun.contains(child)).collect()
}

/// Reads a folder; `is_running` tells whether a process has not ended.
pub fn gather(folder: &Path, is_running: impl Fn(u32) -> bool) -> Gathered {
    let (mut gathered, mut counted) = (Gathered::default(), Vec::new());
    let starts = starts(folder);
    gathered.running.extend(not_begun(folder, &starts).into_iter().filter(|child| is_running(*child)));
    gathered.missing.extend(notes(folder));
    for name in names(folder, ".error.txt") {
        let is_of_thread = starts.iter().any(|start| start.name == name);
        if let Some(why) = sentence(&folder.join(format!("{name}.error.txt"))).filter(|_| !is_of_thread) {
            gathered.missing.push(format!("something of process {name} was not recorded: {why}"));
        }
    }
    for start in &starts {
        let title = start.title(&starts);
        match read_thread(folder, &start.name, title.clone()) {
            Ok(found) => {
                gathered.threads.extend(found.thread);
                gathered.heaps.extend(found.heap);
                counted.push(found.counts);
                gathered.missing.extend(found.missing);
                if found.is_whole {
                    continue;
                }
            }
            Err(why) => gathered.missing.push(format!("{title} was not recorded: {}", why.what)),
        }
        match sentence(&folder.join(format!("{}.error.txt", start.name))) {
            Some(why) => gathered.missing.push(format!("{title} was not recorded: {why}")),
            None if is_running(start.process) => gathered.running.push(start.process),
            None => gathered.missing.push(format!(
                "{title} ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full"
            )),
        }
    }
    gathered.counts = Counts::sum(counted);
    gathered.running.dedup();
    let (threads, missing) = profiles(folder);
    gathered.threads.extend(threads);
    gathered.missing.extend(missing);
    gathered
}

/// The threads that were found, in the order of processes and threads.
fn starts(folder: &Path) -> Vec<Start> {
    let names = names(folder, ".start.json").into_iter();
    let mut starts: Vec<Start> = names.filter_map(|name| Start::read(folder, name)).collect();
    starts.sort_by_key(|start| (start.process, start.thread));
    starts
}

/// The names, without the suffix and in order, of the files that end with it.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ending)?.to_owned()))
        .collect();
    names.sort();
    names
}

/// What a thread has left.
struct Found {
    thread: Option<Thread>,
    heap: Option<Heap>,
    counts: Counts,
    /// Whether it has ended its recording by itself.
    is_whole: bool,
    /// One sentence for each text that cannot be used.
    missing: Vec<String>,
}

/// What the pieces of a thread have recorded so far.
#[derive(Default)]
struct PiecesSoFar {
    profiles: Vec<V8Profile>,
    scripts: Vec<PartScript>,
    made: Vec<Made>,
}

impl PiecesSoFar {
    fn add(&mut self, piece: &mut Part) {
        self.profiles.extend(piece.profile.take());
        self.scripts.append(&mut piece.scripts);
        self.made.append(&mut piece.made);
    }
}

fn read_thread(folder: &Path, name: &str, title: String) -> Result<Found, Problem> {
    let mut pieces = PiecesSoFar::default();
    let file = folder.join(format!("{name}.pieces"));
    read_pieces(&file, |mut piece| pieces.add(&mut piece)).map_err(|error| unread(&file, error))?;
    let file = folder.join(format!("{name}.part.json"));
    let handed_over = read_part(&file).map_err(|error| unread(&file, error))?;
    let is_whole = handed_over.is_some();
    let mut last = handed_over.unwrap_or_default();
    pieces.add(&mut last);
    let Part { heap, marks, until, counts: mut part_counts, is_disturbed, may_be_full, .. } = last;
    let mut profile = pieces::join(pieces.profiles, until.map(|until| until.max(0)));
    if let Some(profile) = &mut profile {
        profile.makers = makers(folder, pieces.made);
    }
    let (mut scripts, mut missing) = (Vec::new(), Vec::new());
    let mut before = HashMap::new();
    for script in pieces.scripts {
        let start = TextStart { line: script.start_line, column: script.start_column };
        let mark = script.text.trim_end_matches(".text").to_owned();
        let url = script.url.clone();
        match script.read(folder) {
            Ok(mut script) => {
                if !part_counts.is_empty() {
                    before.insert(script.id.clone(), TextBefore::of(&script));
                }
                settle(&mut script, start, &mark, profile.as_mut());
                scripts.push(script);
            }
            Err(why) => missing.push(format!("the text of {url} that ran is not known: {}", why.what)),
        }
    }
    if is_disturbed && !part_counts.is_empty() {
        part_counts.clear();
        missing.push(format!(
            "the calls in {title} were not counted: it uses V8's inspector itself, or a debugger does, which may begin to count anew"
        ));
    }
    if may_be_full && !part_counts.is_empty() {
        missing.push(format!(
            "{title} ran for more than ten seconds, and V8 counts to 4,294,967,295: what was called more often has too low a number"
        ));
    }
    let counts = counts(part_counts, &scripts, &before);
    let thread = profile.map(|profile| Thread { name: title, profile, scripts, marks });
    Ok(Found { thread, heap, counts, is_whole, missing })
}

/// Reads the pieces that a thread has handed over. If it was killed meanwhile, the last one is cut off and is ignored.
fn read_pieces(file: &Path, mut take: impl FnMut(Part)) -> io::Result<()> {
    let mut lines = match regular::open(file, MAX_PIECES_BYTES) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if !line.ends_with(b"\n") {
            return Ok(());
        }
        take(serde_json::from_slice(&line)?);
        line.clear();
    }
    Ok(())
}

/// Reads the last piece of a thread, if the thread got as far as writing it.
fn read_part(file: &Path) -> io::Result<Option<Part>> {
    match regular::read(file, MAX_PART_BYTES) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The processes that programs started without recording, each once.
fn notes(folder: &Path) -> Vec<String> {
    let files = names(folder, ".note.txt").into_iter().map(|name| folder.join(format!("{name}.note.txt")));
    let mut notes: Vec<String> = files.filter_map(|file| sentence(&file)).collect();
    notes.sort();
    notes.dedup();
    notes
}

/// A sentence that the recorder has written.
fn sentence(file: &Path) -> Option<String> {
    let text = regular::read(file, MAX_SENTENCE_BYTES).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

impl Start {
    /// Reads it; `None` if it was cut off because the thread was killed while writing.
    fn read(folder: &Path, name: String) -> Option<Self> {
        let text = regular::read(&folder.join(format!("{name}.start.json")), MAX_START_BYTES).ok()?;
        let start: Self = serde_json::from_slice(&text).ok()?;
        Some(Self { name, ..start })
    }

    /// Whether it has handed over the last of its recording, or said why it could not.
    fn has_ended(&self, folder: &Path) -> bool {
        ["part.json", "error.txt"]
            .iter()
            .any(|ending| folder.join(format!("{}.{ending}", self.name)).exists())
    }

    /// `main.ts (pid 7)`, `main.ts, worker 2 (pid 7)`.
    fn title(&self, all: &[Self]) -> String {
        // A worker knows no arguments when it starts.
        let main = all.iter().find(|start| start.process == self.process && start.thread == 0);
        let own = self.arguments.first().filter(|path| !path.is_empty());
        let path = own.or_else(|| main?.arguments.first());
        let script = path.map_or("node", |path| path.rsplit(['/', '\\']).next().unwrap_or(path));
        match self.thread {
            0 => format!("{script} (pid {})", self.process),
            thread => format!("{script}, worker {thread} (pid {})", self.process),
        }
    }
}

impl PartScript {
    fn read(self, folder: &Path) -> Result<Script, Problem> {
        let text = read_text(folder, &self.text)?;
        let on_disk = || read_map(&self.url, &text, self.map_url.as_deref()?);
        let map = self.map.map(|map| map.to_string()).or_else(on_disk);
        Ok(Script { id: self.script_id, url: self.url, text, map_url: self.map_url, map })
    }
}
