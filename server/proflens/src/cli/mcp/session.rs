//! The state of one connection: the workspace, and the last recording that was asked about, which is read again when its file changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use analysis::recording::Recording;
use profile::problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::agents::Subject;
use super::super::agents::paths::Graph;
use super::super::agents::quoted::{NAME, PATH, shown};
use super::super::agents::recordings::{RecordingsAnswer, StoredTrace};
use super::super::agents::today::Today;
use super::super::input::{ScopeArgs, Workspace, WorkspaceArgs};
use super::super::load::{FolderOf, load_all, newest_runs};
use super::flags::flags;
use crate::config::Config;
use crate::disk::{FoundTrace, TracePatterns};
use crate::open::{Stamp, files_in, is_link, stamp};
use crate::recordings;
use crate::traces::age;
use record::destination::{SIDES, is_of_other_version};
use record::head::TreeState;

/// How long the newest trace is assumed to be the newest without searching the whole workspace again. A trace made by
/// `proflens record`, or one directly in the workspace folder, is seen at once.
const NEWEST_FOR: Duration = Duration::from_secs(5);

/// How many recordings are kept: one, and a part of it.
const KEPT: usize = 2;

/// The state of one connection.
pub(super) struct Session {
    flags: WorkspaceArgs,
    workspace: Option<Arc<Workspace>>,
    loaded: Vec<Arc<LoadedRecording>>,
    newest: Option<Newest>,
}

/// The newest recording, as of the last search of the workspace.
struct Newest {
    at: Instant,
    folders: [Option<std::time::SystemTime>; 2],
    traces: Vec<PathBuf>,
}

/// A recording in memory.
pub(super) struct LoadedRecording {
    traces: Vec<PathBuf>,
    stamps: Vec<Option<Stamp>>,
    /// The flags of its scope.
    scope: Vec<String>,
    workspace: Arc<Workspace>,
    recording: Recording,
    today: Today,
    graph: OnceLock<Graph>,
}

impl LoadedRecording {
    /// The recording, for answers about it.
    pub(super) fn subject(&self) -> Subject<'_> {
        let Self { recording, workspace, today, .. } = self;
        Subject { recording, folder: &workspace.folder, disk: &workspace.disk, today }
    }

    /// Its stacks as a graph, made on the first question.
    pub(super) fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::of(&self.recording, &self.workspace.folder))
    }
}

impl Session {
    pub(super) fn new(flags: WorkspaceArgs) -> Self {
        Self { flags, workspace: None, loaded: Vec::new(), newest: None }
    }

    /// Takes a folder as the workspace, unless one was named with a flag.
    pub(super) fn begin_in(&mut self, folder: PathBuf) {
        if self.flags.workspace.is_none() {
            self.flags.workspace = Some(folder);
            self.workspace = None;
        }
    }

    /// The workspace.
    ///
    /// # Errors
    /// If its folder cannot be opened.
    pub(super) fn workspace(&mut self) -> Result<Arc<Workspace>, Problem> {
        if let Some(workspace) = &self.workspace {
            return Ok(Arc::clone(workspace));
        }
        let workspace = Arc::new(self.flags.open()?);
        self.workspace = Some(Arc::clone(&workspace));
        Ok(workspace)
    }

    /// A path that a client named, if it is in the workspace.
    ///
    /// # Errors
    /// If it is not, or does not exist.
    pub(super) fn inside(&mut self, named: &str) -> Result<PathBuf, Problem> {
        let workspace = self.workspace()?;
        let folder = Path::new(workspace.folder.as_str());
        let missing = || {
            Problem::new(
                format!("There is no file {named} in the workspace"),
                "ask recordings which there are",
            )
        };
        let real = std::fs::canonicalize(folder.join(named)).map_err(|_| missing())?;
        if !real.starts_with(folder) {
            let what = format!("{named} lies outside of the workspace, and nothing there is read");
            return Err(Problem::new(
                what,
                "move the file into the workspace, or let the user start proflens mcp with another --workspace",
            ));
        }
        Ok(real)
    }

    /// A recording or a part of it: the one in memory if its files are unchanged, otherwise as they are now. Without a
    /// trace, it is the newest.
    ///
    /// # Errors
    /// If there is none, if it cannot be read, or if it does not have that part.
    pub(super) fn load(
        &mut self,
        trace: Option<&str>,
        scope: &[String],
    ) -> Result<Arc<LoadedRecording>, Problem> {
        let workspace = self.workspace()?;
        let traces = match trace {
            Some(named) => vec![self.inside(named)?],
            None => self.newest(&workspace)?,
        };
        let stamps: Vec<Option<Stamp>> = traces.iter().map(|trace| stamp(trace)).collect();
        let is_it = |loaded: &Arc<LoadedRecording>| {
            loaded.traces == traces && loaded.stamps == stamps && loaded.scope == scope
        };
        if let Some(at) = self.loaded.iter().position(is_it) {
            let loaded = self.loaded.remove(at);
            self.loaded.insert(0, Arc::clone(&loaded));
            return Ok(loaded);
        }
        // Recordings that are no longer asked about make room before the next one is read.
        self.loaded.retain(|loaded| loaded.traces == traces && loaded.stamps == stamps);
        self.loaded.truncate(KEPT - 1);
        workspace.disk.invalidate();
        let flags: ScopeArgs = flags(scope)?;
        let (recording, errors) = load_all(&traces, FolderOf::Anything, &workspace, &flags);
        let Some(mut recording) = recording else {
            let first = errors.into_iter().next();
            return Err(first.unwrap_or_else(|| {
                Problem::new("There is no trace in this folder", "ask recordings which there are")
            }));
        };
        recording.problems.splice(0..0, errors);
        let loaded = Arc::new(LoadedRecording {
            traces,
            stamps,
            scope: scope.to_vec(),
            workspace,
            recording,
            today: Today::default(),
            graph: OnceLock::new(),
        });
        self.loaded.insert(0, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// The files of the newest recording.
    fn newest(&mut self, workspace: &Workspace) -> Result<Vec<PathBuf>, Problem> {
        let folder = Path::new(workspace.folder.as_str());
        let folders = [folder.to_path_buf(), folder.join(".proflens/recordings")]
            .map(|folder| std::fs::metadata(folder).and_then(|about| about.modified()).ok());
        if let Some(newest) = &self.newest
            && newest.folders == folders
            && newest.at.elapsed() < NEWEST_FOR
        {
            return Ok(newest.traces.clone());
        }
        workspace.disk.invalidate();
        let (_, traces) = newest_runs(&workspace.disk, &workspace.folder)?;
        self.newest = Some(Newest { at: Instant::now(), folders, traces: traces.clone() });
        Ok(traces)
    }

    /// The recordings that can be asked about.
    ///
    /// # Errors
    /// If the workspace cannot be opened.
    pub(super) fn recordings(&mut self) -> Result<RecordingsAnswer, Problem> {
        let workspace = self.workspace()?;
        workspace.disk.invalidate();
        let found = workspace.disk.traces(&TracePatterns::new(&Config::default().traces)).traces;
        let found = with_other_versions(found);
        let folder = Path::new(workspace.folder.as_str());
        // Runs of one command are one row, placed like the newest of them.
        let mut all: Vec<(PathBuf, Vec<&FoundTrace>)> = Vec::new();
        let mut row_of = FxHashMap::default();
        for trace in &found {
            let runs = recordings::folder_of_runs(folder, &trace.path);
            let path = runs.unwrap_or_else(|| trace.path.clone());
            let row = *row_of.entry(path.clone()).or_insert_with(|| {
                all.push((path, Vec::new()));
                all.len() - 1
            });
            all[row].1.push(trace);
        }
        let traces = all.iter().map(|(path, runs)| {
            let newest = runs[0];
            let head = recordings::head(&newest.path);
            let recorded = head.as_ref().and_then(record::head::Head::recorded);
            let checkout = head.as_ref().and_then(|head| head.checkout.as_ref());
            let below = path.strip_prefix(folder).unwrap_or(path);
            StoredTrace {
                trace: shown(&below.to_string_lossy(), PATH),
                runs: runs.len(),
                age: age(recorded.unwrap_or(newest.stamp.modified)),
                size: runs.iter().map(|run| run.stamp.size).sum(),
                command: head.as_ref().map(|head| shown(&head.name, NAME)),
                commit: checkout.map(|checkout| shown(&checkout.commit, 64)),
                is_changed: checkout
                    .and_then(|checkout| checkout.tree)
                    .map(|tree| tree == TreeState::Changed),
            }
        });
        let traces: Vec<StoredTrace> = traces.take(MOST_TRACES).collect();
        let next = match traces.first() {
            Some(_) => "Next: ledger says where the time of the first went; trace asks about another.",
            None => {
                "There is none yet. Make one with the tool record, or in a shell: proflens record COMMAND, such as proflens record npm run bench."
            }
        };
        Ok(RecordingsAnswer {
            workspace: shown(workspace.folder.as_str(), PATH),
            left_out: all.len() - traces.len(),
            traces,
            next: next.to_owned(),
        })
    }

    /// Forgets which trace is the newest, because a new one was made.
    pub(super) fn look_again(&mut self) {
        self.newest = None;
    }
}

/// These traces, with those of other versions that were recorded by turns with them, to compare with.
fn with_other_versions(found: Vec<FoundTrace>) -> Vec<FoundTrace> {
    let mut seen = FxHashSet::default();
    let with_others = found.into_iter().flat_map(|trace| {
        let side = trace.path.parent().filter(|side| side.ends_with(SIDES[1]));
        let other = side.map(|side| side.with_file_name(SIDES[0])).filter(|other| seen.insert(other.clone()));
        let files = other.and_then(|other| files_in(&other).ok()).unwrap_or_default();
        let of_other = files.into_iter().filter(|file| is_of_other_version(file) && !is_link(file));
        let others =
            of_other.filter_map(|path| Some(FoundTrace { stamp: stamp(&path)?, path, named: false }));
        std::iter::once(trace).chain(others.collect::<Vec<_>>())
    });
    with_others.collect()
}

/// If there are more traces than this, their heads are not read.
const MOST_TRACES: usize = 100;
