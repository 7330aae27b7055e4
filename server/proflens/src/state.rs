//! What the server knows: open documents, and one immutable [`Session`] that is swapped as a whole.
//!
//! Only notification handlers, commands and the loader write. Everyone else takes a [`View`], which no later
//! change reaches.

mod asking;
pub(crate) mod editor;
pub(crate) mod loading;
mod placing;
pub(crate) mod progress;
pub(crate) mod queue;
pub(crate) mod slots;
pub(crate) mod telling;
pub(crate) mod watching;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use analysis::views::{HintsConfig, LensesConfig, Threshold};
use analysis::{Document, FilePath, Files, LocateSettings, PathMapping, Recording};
use dashmap::DashMap;
use globset::GlobSet;
use profile::{Problem, Profile};
use serde_json::Value;
use tower_lsp::ls_types::Uri;

use crate::config::{Config, Unit};
use crate::disk::{self, Disk, Patterns, Stamp, glob_set};
use crate::locating::{MapLocations, add_launch};
use crate::proto::capabilities::ClientCapabilities;
use crate::proto::{from_proto, to_proto};
use crate::serve::ByteBudget;
use asking::Asked;
use editor::Editor;
use queue::Queue;
use slots::ComputeSlots;

/// Everything that outlives a request.
pub(crate) struct State {
    documents: DashMap<FilePath, Arc<Open>>,
    session: RwLock<Arc<Session>>,
    /// On what answers are computed.
    pub(crate) slots: ComputeSlots,
    /// The other side.
    pub(crate) editor: Editor,
    /// What there is to load.
    pub(crate) queue: Queue,
}

/// A document as the editor has it.
pub(crate) struct Open {
    /// As the client spells it.
    pub(crate) uri: Uri,
    pub(crate) document: Document,
    /// Whether there is a newer version, or none any more.
    is_outdated: AtomicBool,
}

/// All that is known but the documents.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) client: ClientCapabilities,
    pub(crate) config: Arc<Config>,
    /// What was wrong with the settings.
    pub(crate) complaints: Vec<Problem>,
    /// What the settings were made from: those of `initialize`, and the client's later ones over them.
    pub(crate) given: [Arc<Value>; 2],
    /// The unit on screen; the setting's until the user cycles.
    pub(crate) unit: Unit,
    /// Whether hints and lenses are shown.
    pub(crate) enabled: bool,
    /// Whether the client's settings are known, so that traces may be looked for.
    pub(crate) ready: bool,
    pub(crate) disk: Arc<Disk>,
    globs: Arc<Globs>,
    /// What the settings want that cannot be looked for.
    pub(crate) not_searched: Vec<Problem>,
    /// The traces that are known, the newest first.
    pub(crate) traces: Vec<Trace>,
    /// The one whose costs are shown.
    pub(crate) shown: Option<Arc<Shown>>,
    /// Traces up to this one are not loaded by themselves: the user took it off the screen.
    pub(crate) dismissed: Option<Stamp>,
    /// The thread that the user chose of a trace, by its name.
    threads: HashMap<PathBuf, String>,
    /// Traces that the user named in a command: these may lie anywhere.
    named: HashSet<PathBuf>,
    /// Traces for which the user was asked to act.
    asked: HashMap<PathBuf, Stamp>,
    /// Generated files whose source maps the user does not miss.
    ignored: BTreeSet<FilePath>,
}

/// A trace that is known.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) state: TraceState,
}

/// What became of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceState {
    /// It is offered.
    Found,
    /// It is being read.
    Loading,
    /// Its costs are known.
    Loaded,
    /// One sentence that says why not.
    Failed(String),
}

/// The trace whose costs are shown.
pub(crate) struct Shown {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    /// What was read, so that it can be placed again: one profile, or of a folder one for each of its traces.
    profiles: Arc<[Read]>,
    /// Of a folder: what could not be.
    left_out: Vec<Problem>,
    pub(crate) recording: Recording,
    /// The files that decided where it was placed, as they were.
    seen: Vec<(FilePath, Option<Stamp>)>,
    /// What was asked of the history and not answered in time.
    late: Option<Arc<Asked>>,
}

/// A trace that was read.
pub(crate) struct Read {
    pub(crate) name: String,
    stamp: Stamp,
    pub(crate) profile: Profile,
}

/// The globs of the settings, ready to be asked about many files.
struct Globs {
    /// What is annotated.
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    traces: Patterns,
    maps: MapLocations,
}

impl Globs {
    fn new(config: &Config) -> Self {
        Self {
            include: glob_set(&config.include),
            exclude: glob_set(&config.exclude),
            traces: Patterns::new(&config.traces),
            maps: MapLocations::new(&config.source_maps_locations),
        }
    }
}

/// One document and what is known, at one moment: what an answer is made from.
pub(crate) struct View {
    pub(crate) session: Arc<Session>,
    pub(crate) open: Arc<Open>,
}

impl State {
    /// Nothing is known yet. `answers` bounds what waits for the client.
    pub(crate) fn new(editor: Editor, answers: ByteBudget) -> Self {
        let session = RwLock::new(Arc::new(Session::default()));
        let slots = ComputeSlots::new(answers);
        Self { documents: DashMap::new(), session, slots, editor, queue: Queue::default() }
    }

    /// What is known now.
    pub(crate) fn session(&self) -> Arc<Session> {
        self.session.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is known; returns what `change` returns.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.session.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut session))
    }

    /// A document was opened, or is another one now.
    pub(crate) fn put(&self, uri: Uri, document: Document) {
        let file = document.file.clone();
        let open = Open { uri, document, is_outdated: AtomicBool::new(false) };
        if let Some(older) = self.documents.insert(file, Arc::new(open)) {
            older.is_outdated.store(true, Ordering::SeqCst);
        }
    }

    /// A document was closed.
    pub(crate) fn remove(&self, file: &FilePath) {
        if let Some((_, open)) = self.documents.remove(file) {
            open.is_outdated.store(true, Ordering::SeqCst);
        }
    }

    /// An open document.
    pub(crate) fn open(&self, file: &FilePath) -> Option<Arc<Open>> {
        self.documents.get(file).map(|it| Arc::clone(&it))
    }

    /// What an answer about a document is made from; `None` for documents that are not open.
    pub(crate) fn view(&self, uri: &Uri) -> Option<View> {
        let open = self.open(&from_proto::file_path(uri)?)?;
        Some(View { session: self.session(), open })
    }

    /// The same by the number that hints and lenses carry.
    pub(crate) fn view_by_number(&self, number: u32) -> Option<View> {
        let open = self.documents.iter().find(|it| to_proto::number(it.key()) == number)?;
        Some(View { session: self.session(), open: Arc::clone(&open) })
    }

    /// All documents that are open.
    pub(crate) fn open_documents(&self) -> HashMap<FilePath, Arc<Open>> {
        self.documents.iter().map(|it| (it.key().clone(), Arc::clone(&it))).collect()
    }

    /// How the client spells the documents that are open.
    pub(crate) fn open_uris(&self) -> HashMap<FilePath, Uri> {
        self.documents.iter().map(|it| (it.key().clone(), it.uri.clone())).collect()
    }
}

impl Open {
    /// Whether this is what the editor shows.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_outdated.load(Ordering::SeqCst)
    }
}

impl View {
    /// The costs to show in this document, if it is to be annotated at all.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        let shown = self.session.shown.as_deref()?;
        self.session.annotates(&self.open.document.file).then_some(&shown.recording)
    }

    /// The same for what can be switched off.
    pub(crate) fn recording_if(&self, wanted: bool) -> Option<&Recording> {
        self.recording().filter(|_| wanted && self.session.enabled)
    }
}

impl Shown {
    /// The full name of a thread of the trace that somebody means.
    ///
    /// # Errors
    /// One sentence if there is none.
    pub(crate) fn thread_named(&self, wanted: &str) -> Result<String, String> {
        let [Read { name, profile, .. }] = &*self.profiles else {
            return Err(format!("{} is a folder: all its traces are shown as one sum.", self.path.display()));
        };
        let index = profile::thread_named(profile, name, wanted)?;
        Ok(profile::thread_names(profile).swap_remove(index))
    }
}

impl Default for Session {
    fn default() -> Self {
        let config = Config::default();
        Self {
            client: ClientCapabilities::default(),
            unit: config.unit,
            complaints: Vec::new(),
            given: Default::default(),
            enabled: true,
            ready: false,
            disk: Arc::new(Disk::new(Vec::new(), false)),
            globs: Arc::new(Globs::new(&config)),
            not_searched: Vec::new(),
            traces: Vec::new(),
            shown: None,
            dismissed: None,
            threads: HashMap::new(),
            named: HashSet::new(),
            asked: HashMap::new(),
            ignored: BTreeSet::new(),
            config: Arc::new(config),
        }
    }
}

impl Session {
    /// Reads the settings anew.
    pub(crate) fn configure(&mut self) {
        let (config, complaints) = Config::read(self.given.iter().map(|it| &**it));
        if config.unit != self.config.unit {
            self.unit = config.unit;
        }
        self.globs = Arc::new(Globs::new(&config));
        (self.config, self.complaints) = (Arc::new(config), complaints);
        self.move_to(self.disk.folders().to_vec());
    }

    /// Other workspace folders, or the same with other settings.
    pub(crate) fn move_to(&mut self, folders: Vec<FilePath>) {
        self.disk = Arc::new(Disk::new(folders, self.dependencies()));
    }

    /// Where and how to look for the scripts of a trace and their source maps, and what is wrong with what the
    /// debug configurations say about that.
    pub(crate) fn locate_settings(&self) -> (LocateSettings, Vec<Problem>) {
        let folders = self.disk.folders();
        let mappings = folders.iter().flat_map(|folder| {
            let mapping = move |it: &crate::config::PathMapping| PathMapping {
                from: it.from.clone(),
                to: path_in(folder, &it.to),
            };
            self.config.path_mappings.iter().map(mapping)
        });
        let mappings = mappings.collect();
        let maps = folders.iter().flat_map(|folder| {
            let path = move |it: &String| FilePath::new(&path_in(folder, it));
            self.config.source_maps_chosen.iter().map(move |(generated, map)| (path(generated), path(map)))
        });
        let (maps, dependencies) = (maps.collect(), self.dependencies());
        let mut settings = LocateSettings { mappings, dependencies, maps, ..LocateSettings::default() };
        let problems = add_launch(&mut settings, &self.disk);
        (settings, problems)
    }

    /// When and how large a trace is; `None` where there is none, or where a link leads to it that nobody may follow.
    pub(crate) fn stamp(&self, trace: &Path) -> Option<Stamp> {
        if self.reaches(trace) { disk::stamp(trace) } else { None }
    }

    /// Whether a trace may be opened.
    fn reaches(&self, trace: &Path) -> bool {
        self.named.contains(trace) || self.disk.reaches(trace, &self.globs.traces)
    }

    /// Whether the settings want this file annotated.
    pub(crate) fn annotates(&self, file: &FilePath) -> bool {
        let Some(path) = self.disk.relative(file) else { return true };
        let Globs { include, exclude, .. } = &*self.globs;
        include.as_ref().is_none_or(|it| it.is_match(path))
            && !exclude.as_ref().is_some_and(|it| it.is_match(path))
    }

    /// What a trace is called: its path in the workspace, or all of it.
    pub(crate) fn name_of(&self, trace: &Path) -> String {
        let path = FilePath::new(&trace.to_string_lossy());
        self.disk.relative(&path).unwrap_or(path.as_str()).to_string()
    }

    /// What hints show.
    pub(crate) fn hints_config(&self) -> HintsConfig {
        HintsConfig {
            format: self.config.hints_format.clone(),
            unit: self.unit.into(),
            threshold: self.threshold(),
        }
    }

    /// What lenses show.
    pub(crate) fn lenses_config(&self) -> LensesConfig {
        LensesConfig {
            format: self.config.lens_format.clone(),
            unit: self.unit.into(),
            threshold: self.threshold(),
        }
    }

    /// Wants this thread of a trace shown, or again what is shown without a choice; whether that is news.
    pub(crate) fn choose(&mut self, trace: &Path, thread: Option<String>) -> bool {
        match thread {
            Some(thread) => self.threads.insert(trace.to_path_buf(), thread.clone()) != Some(thread),
            None => self.threads.remove(trace).is_some(),
        }
    }

    /// How long ago the shown trace was recorded, for people.
    pub(crate) fn age(&self) -> Option<String> {
        let written = self.shown.as_ref()?.stamp.modified;
        Some(age(SystemTime::now().duration_since(written).ok()?.as_secs()))
    }

    fn threshold(&self) -> Threshold {
        Threshold { percent: self.config.threshold.0, base: self.config.base.into() }
    }

    /// Whether code below `node_modules` counts as code of the workspace: it does unless excluded.
    fn dependencies(&self) -> bool {
        !self.globs.exclude.as_ref().is_some_and(|it| it.is_match("node_modules/package/index.js"))
    }
}

/// A path of the settings: absolute, or of this workspace folder.
fn path_in(folder: &FilePath, path: &str) -> String {
    let rest = path.strip_prefix("${workspaceFolder}").unwrap_or(path);
    let is_absolute = rest.len() == path.len() && Path::new(path).is_absolute();
    if is_absolute { path.to_string() } else { folder.join(rest).to_string() }
}

fn age(seconds: u64) -> String {
    let (number, unit) = match seconds {
        0..60 => return "just now".into(),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    format!("{} ago", analysis::format::count(number, unit))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn session(settings: Value) -> Session {
        let mut session = Session { given: [Arc::new(settings), Arc::default()], ..Session::default() };
        session.configure();
        session.move_to(vec![FilePath::new("/a"), FilePath::new("/b")]);
        session
    }

    #[test]
    fn mappings_are_of_every_folder() {
        let mappings = json!([
            { "from": "http://x/", "to": "${workspaceFolder}/public/" },
            { "from": "/app", "to": "dist" },
            { "from": "webpack://", "to": "/c" },
        ]);
        let (settings, _) = session(json!({ "pathMappings": mappings })).locate_settings();
        let mappings: Vec<_> =
            settings.mappings.iter().map(|it| format!("{} = {}", it.from, it.to)).collect();
        assert_eq!(
            mappings,
            [
                "webpack:// = /c",
                "http://x/ = /a/public",
                "http://x/ = /b/public",
                "/app = /a/dist",
                "/app = /b/dist",
            ]
        );
        assert!(!settings.dependencies);
    }

    #[test]
    fn what_is_annotated() {
        let annotated = |settings: Value| {
            let session = session(settings);
            let files = ["/a/src/x.ts", "/b/node_modules/y/x.js", "/b/test/x.ts", "/elsewhere/x.ts"];
            files.map(|it| session.annotates(&FilePath::new(it)))
        };
        assert_eq!(annotated(json!({})), [true, false, true, true]);
        assert_eq!(annotated(json!({ "include": ["src/**"] })), [true, false, false, true]);
        assert_eq!(annotated(json!({ "exclude": ["**/test/**"] })), [true, true, false, true]);
        assert!(session(json!({ "exclude": [] })).locate_settings().0.dependencies);
    }

    #[test]
    fn ages() {
        let shown = [3, 61, 150, 7300, 90_000, 864_000].map(age);
        assert_eq!(
            shown,
            ["just now", "1 minute ago", "2 minutes ago", "2 hours ago", "1 day ago", "10 days ago"]
        );
    }
}
