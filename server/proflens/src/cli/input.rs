//! The traces of a command: read with a progress bar, placed, added up.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use analysis::files::{FilePath, Runner};
use analysis::locate::{LocateSettings, PathMapping};
use analysis::recording::{Recording, load};
use analysis::scope::{FunctionName, Scope, StackChange};
use analysis::symbolicate::LoadSettings;
use profile::decode::Progress;
use profile::model::{Amount, Profile};
use profile::problem::Problem;
use profile::scope::{Direction, Threads, parse_time};
use source::large_stack::with_large_stack;

use super::screen::{printable, show_progress};
use super::values;
use crate::config::Config;
use crate::disk::Disk;
use crate::locating::{MapLocations, add_launch_configurations};
use crate::open;
use crate::scope_request::ScopeRequest;
use crate::traces::{self, ReadError, ReadTrace};

/// Stands for stdin among the traces.
pub(super) const STDIN: &str = "-";

/// The workspace and how resources are found in it, from the flags that all commands share.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Workspace")]
pub(super) struct WorkspaceArgs {
    /// The workspace folder; the current folder if not given
    #[arg(long, value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)
    #[arg(long = "map", value_name = "FROM=TO")]
    pub(super) maps: Vec<String>,
    /// Count code below node_modules as workspace code
    #[arg(long)]
    pub(super) dependencies: bool,
    /// Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)
    #[arg(long, value_name = "RUNNERS", value_delimiter = ',', value_parser = values::parser(values::runner))]
    pub(super) runner_caches: Vec<Runner>,
}

/// The opened workspace.
pub(super) struct Workspace {
    /// Its files.
    pub(super) disk: Disk,
    /// Its folder.
    pub(super) folder: FilePath,
    /// What is wrong with its debug configurations.
    problems: Vec<Problem>,
    /// What the user mapped.
    mapped: Vec<PathMapping>,
    settings: LocateSettings,
    maps: MapLocations,
}

impl WorkspaceArgs {
    /// Opens the folder.
    ///
    /// # Errors
    /// If it is not a folder, or a mapping is not `FROM=TO`.
    pub(super) fn open(&self) -> Result<Workspace, Problem> {
        let named = self.workspace.as_deref().unwrap_or(Path::new("."));
        let absolute = std::fs::canonicalize(named).ok().filter(|path| path.is_dir()).ok_or_else(|| {
            let what = format!("{} is not a folder", named.display());
            Problem::new(what, "name the workspace folder with --workspace")
        })?;
        let folder = FilePath::new(&absolute.to_string_lossy());
        let mapped: Vec<_> =
            self.maps.iter().map(|text| path_mapping(text)).collect::<Result<_, Problem>>()?;
        let mappings = mapped.iter().cloned().collect();
        let disk = Disk::new(vec![folder.clone()], self.dependencies).with_caches(&self.runner_caches);
        let mut settings =
            LocateSettings { mappings, dependencies: self.dependencies, ..LocateSettings::default() };
        let problems = add_launch_configurations(&mut settings, &disk);
        let maps = if self.dependencies {
            MapLocations::new(&["**".to_owned()])
        } else {
            MapLocations::new(&Config::default().source_maps_locations)
        };
        Ok(Workspace { disk, folder, problems, mapped, settings, maps })
    }
}

/// A mapping as written on the command line: `http://localhost:3000/=public/`.
fn path_mapping(text: &str) -> Result<PathMapping, Problem> {
    let (from, to) = text.split_once('=').ok_or_else(|| {
        let hint = "write it as FROM=TO, such as http://localhost:3000/=public/";
        Problem::new(format!("--map {text} has no ="), hint)
    })?;
    // A relative folder is relative to the current one, like every other path on the command line.
    let mut to_path =
        std::path::absolute(to).map_err(|error| Problem::new(format!("--map {text}: {error}"), ""))?;
    if to.ends_with('/') {
        to_path.push("");
    }
    Ok(PathMapping { from: from.to_string(), to: to_path.to_string_lossy().into_owned() })
}

impl Workspace {
    /// What is wrong with its debug configurations, and what its history, the caches of runners and mappings have been
    /// missing so far.
    pub(super) fn all_problems(&self) -> impl Iterator<Item = Problem> {
        let of_disk = self.disk.history_problems().chain(self.disk.cache_problems());
        self.problems.iter().cloned().chain(of_disk).chain(self.useless_mappings())
    }

    /// What the user mapped and what has led to no file of the traces that were placed.
    fn useless_mappings(&self) -> impl Iterator<Item = Problem> {
        let useless = self.settings.mappings.without_file().filter(|(it, _)| self.mapped.contains(it));
        useless.map(|(PathMapping { from, to }, fits)| {
            let (what, hint) = if fits {
                ("no address that begins like this has a file there", "name a folder inside the workspace")
            } else {
                let what = "nothing in the trace or its source maps begins like this";
                (what, "begin with an address that `proflens doctor` lists")
            };
            Problem::new(what, hint).at(format!("--map {from}={to}"))
        })
    }

    /// When the code that ran was as it was recorded: the time of the recording, or, if that is from a commit that is no
    /// longer checked out, the time of the commit. Its files are located by what the history says about that time.
    fn when_written(&self, read: &ReadTrace) -> Option<SystemTime> {
        let commit = read.profile.checkout.as_ref().filter(|checkout| checkout.clean == Some(true));
        commit.and_then(|checkout| self.disk.made_earlier(&checkout.commit)).or_else(|| read.recorded())
    }

    /// Calls `then` with the options for placing a trace that was written at the time `recorded`.
    pub(super) fn with_settings<T>(
        &self,
        recorded: Option<SystemTime>,
        then: impl FnOnce(&LoadSettings<'_>) -> T,
    ) -> T {
        let maps: &(dyn Fn(&FilePath) -> bool + Sync) = &|file| self.maps.allow(file, &self.disk);
        then(&LoadSettings { locate: &self.settings, maps: Some(maps), recorded })
    }

    /// The same on a stack that is large enough for any text; `name` is the name of the trace.
    ///
    /// # Errors
    /// If there is not enough memory for it.
    pub(super) fn on_large_stack<T: Send>(
        &self,
        recorded: Option<SystemTime>,
        name: &str,
        then: impl FnOnce(&LoadSettings<'_>) -> T + Send,
    ) -> Result<T, Problem> {
        with_large_stack(|| self.with_settings(recorded, then))
            .map_err(|error| Problem::new(format!("{name} cannot be placed: {error}"), "free some memory"))
    }
}

/// The flags that pick a part of each trace.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "What is counted")]
pub(super) struct ScopeArgs {
    /// Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all
    /// adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript
    #[arg(long = "thread", value_name = "NAME|NUMBER|all")]
    threads: Vec<String>,
    /// Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], value_parser = parse_time)]
    between: Vec<Amount>,
    /// Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)
    #[arg(long = "marker", value_name = "NAME")]
    markers: Vec<String>,
    /// Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each
    /// other, different keys narrow (repeatable)
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)
    #[arg(long, value_name = "NAME")]
    focus: Vec<String>,
    /// Only who called this function, which gets the time of all that it called (repeatable)
    #[arg(long, value_name = "NAME")]
    callers_of: Vec<String>,
    /// Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)
    #[arg(long, value_name = "NAME > NAME")]
    path: Vec<String>,
    /// Leave out the samples in which this function ran (repeatable)
    #[arg(long, value_name = "NAME")]
    drop: Vec<String>,
    /// Give the time of this function to its callers (repeatable)
    #[arg(long, value_name = "NAME")]
    merge: Vec<String>,
    /// Make the functions of this package one (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    collapse: Vec<String>,
}

impl ScopeArgs {
    /// The part of a profile to add up; the threads are `otherwise` if the user picked none.
    ///
    /// # Errors
    /// If there is no such thread, marker or label, or no time axis.
    pub(super) fn of(&self, profile: &Profile, name: &str, otherwise: Threads) -> Result<Scope, Problem> {
        self.request().of(profile, name, otherwise)
    }

    /// Whether nothing was chosen, so that all of each trace is looked at.
    pub(super) fn is_all(&self) -> bool {
        let Self { threads, between, markers, labels, focus, callers_of, path, drop, merge, collapse } = self;
        let texts = [threads, markers, labels, focus, callers_of, path, drop, merge, collapse];
        between.is_empty() && texts.iter().all(|chosen| chosen.is_empty())
    }

    /// Whether threads or moments were chosen, which mean something different in each trace.
    pub(super) fn is_of_each(&self) -> bool {
        !self.threads.is_empty() || !self.between.is_empty() || !self.markers.is_empty()
    }

    fn request(&self) -> ScopeRequest {
        let between = match *self.between.as_slice() {
            [from, to] => Some((from, to)),
            _ => None,
        };
        let mut changes = Vec::new();
        changes.extend(self.focus.iter().map(|name| StackChange::Focus(called(name))));
        changes.extend(self.callers_of.iter().map(|name| StackChange::Callers(called(name))));
        changes.extend(self.path.iter().map(|names| {
            StackChange::Path(Direction::Callees, names.split('>').map(|name| called(name.trim())).collect())
        }));
        changes.extend(self.drop.iter().map(|name| StackChange::Drop(called(name))));
        changes.extend(self.merge.iter().map(|name| StackChange::Merge(called(name))));
        changes.extend(self.collapse.iter().map(|package| StackChange::Collapse(package.clone())));
        let (threads, markers, labels) = (self.threads.clone(), self.markers.clone(), self.labels.clone());
        ScopeRequest { threads, between, markers, labels, changes }
    }
}

fn called(name: &str) -> FunctionName {
    FunctionName::Called(name.to_owned())
}

/// A trace that was read and placed, and the part of it that was added up.
pub(super) struct Loaded {
    pub(super) profile: Arc<Profile>,
    pub(super) scope: Scope,
    pub(super) recording: Recording,
}

/// Reads a trace and places it.
///
/// # Errors
/// If the file cannot be used, or does not have the scope.
pub(super) fn load_one(path: &Path, workspace: &Workspace, scope: &ScopeArgs) -> Result<Loaded, Problem> {
    place(&read(path)?, workspace, scope)
}

/// Places a trace that was read.
///
/// # Errors
/// If it does not have the scope.
pub(super) fn place(read: &ReadTrace, workspace: &Workspace, scope: &ScopeArgs) -> Result<Loaded, Problem> {
    let ReadTrace { name, profile, .. } = read;
    let scope = scope.of(profile, name, Threads::Page)?;
    let recording = workspace.on_large_stack(workspace.when_written(read), name, |settings| {
        load(name, profile, &scope, &workspace.disk, settings)
    })?;
    Ok(Loaded { profile: Arc::clone(profile), scope, recording })
}

/// Reads a trace, also from stdin if its name is `-`.
///
/// # Errors
/// If it is not a file, cannot be opened, or is not a profile.
pub(super) fn read(path: &Path) -> Result<ReadTrace, Problem> {
    if path == Path::new(STDIN) {
        if io::stdin().is_terminal() {
            let what = "- stands for stdin, which is a terminal";
            return Err(Problem::new(what, "send a trace to it, or name a file"));
        }
        let name = "stdin".to_owned();
        let bar = ProgressBar::new(&name, 0);
        return traces::read_from(&mut io::stdin(), name.clone(), None, &bar).map_err(why_unread);
    }
    let name = path.display().to_string();
    let bar = ProgressBar::new(&name, open::stamp(path).map_or(0, |stamp| stamp.size));
    traces::read(path, name.clone(), &bar).map_err(why_unread)
}

/// Why a trace was not read.
pub(super) fn why_unread(failure: ReadError) -> Problem {
    match failure {
        ReadError::Unusable(problem) => problem,
        ReadError::Cancelled => Problem::new("The load was cancelled", ""), // the command line has no way to cancel
    }
}

/// A line on the terminal's stderr while a read takes longer than half a second.
struct ProgressBar<'a> {
    name: &'a str,
    bytes: u64,
    started: Instant,
    drawn: AtomicU64,
    terminal: bool,
}

impl<'a> ProgressBar<'a> {
    fn new(name: &'a str, bytes: u64) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { name, bytes: bytes.max(1), started: Instant::now(), drawn: AtomicU64::new(0), terminal }
    }
}

impl Progress for ProgressBar<'_> {
    fn read(&self, bytes: u64) {
        let percent = bytes.min(self.bytes) * 100 / self.bytes;
        // It is not known how much comes through stdin.
        if !self.terminal || self.bytes == 1 || self.started.elapsed() < Duration::from_millis(500) {
            return;
        }
        if self.drawn.swap(percent + 1, Ordering::Relaxed) != percent + 1 {
            show_progress(&format!("Reading {}… {percent} %", printable(self.name, 80)));
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

impl Drop for ProgressBar<'_> {
    fn drop(&mut self) {
        if self.drawn.load(Ordering::Relaxed) > 0 {
            show_progress("");
        }
    }
}
