//! The traces of a command: read with a progress bar, placed, added up.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use analysis::{
    FilePath, FunctionName, LoadSettings, LocateSettings, PathMapping, Recording, Runner, Scope, StackChange,
    load,
};
use profile::{Amount, Direction, Problem, Profile, Progress, Threads, parse_time};

use super::screen::{printable, show_progress};
use crate::config::Config;
use crate::disk::Disk;
use crate::locating::{MapLocations, add_launch_configurations};
use crate::open;
use crate::scope_request::ScopeRequest;
use crate::traces::{self, ReadError, ReadTrace};

/// What stands for stdin among the traces.
pub(super) const STDIN: &str = "-";

/// The workspace and how resources are found in it, from the flags that all commands share.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Workspace")]
pub(super) struct WorkspaceArgs {
    /// The workspace folder; the current folder if not given
    #[arg(long, value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// Where the scripts of an address lie: http://localhost:3000/=public/ (repeatable)
    #[arg(long = "map", value_name = "FROM=TO")]
    pub(super) maps: Vec<String>,
    /// Count code below node_modules as workspace code
    #[arg(long)]
    pub(super) dependencies: bool,
    /// Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)
    #[arg(long, value_name = "RUNNERS", value_delimiter = ',', value_parser = runner)]
    pub(super) runner_caches: Vec<Runner>,
}

/// A runner by the name that it has on the command line.
pub(super) fn runner(name: &str) -> Result<Runner, String> {
    let found = Runner::ALL.into_iter().find(|it| it.name() == name);
    found.ok_or_else(|| format!("is none of {}", Runner::ALL.map(Runner::name).join(", ")))
}

/// The opened workspace.
pub(super) struct Workspace {
    /// Its files.
    pub(super) disk: Disk,
    /// Its folder.
    pub(super) folder: FilePath,
    /// What is wrong with its debug configurations.
    pub(super) problems: Vec<Problem>,
    settings: LocateSettings,
    maps: MapLocations,
}

impl WorkspaceArgs {
    /// Opens the folder.
    ///
    /// # Errors
    /// One sentence about a folder that is none, or a mapping that is not `FROM=TO`.
    pub(super) fn open(&self) -> Result<Workspace, String> {
        let folder = self.workspace.as_deref().unwrap_or(Path::new("."));
        let absolute = std::fs::canonicalize(folder).ok().filter(|it| it.is_dir()).ok_or_else(|| {
            format!("{} is not a folder. Name the workspace folder with --workspace.", folder.display())
        })?;
        let folder = FilePath::new(&absolute.to_string_lossy());
        let mapping = |text: &String| {
            let (from, to) = text.split_once('=').ok_or_else(|| {
                format!("--map {text} has no =. Write it as FROM=TO, such as http://localhost:3000/=public/.")
            })?;
            // A relative folder is relative to the current one, like every other path on the command line.
            let mut to_path = std::path::absolute(to).map_err(|error| format!("--map {text}: {error}."))?;
            if to.ends_with('/') {
                to_path.push("");
            }
            Ok(PathMapping { from: from.to_string(), to: to_path.to_string_lossy().into_owned() })
        };
        let mappings = self.maps.iter().map(mapping).collect::<Result<_, String>>()?;
        let disk = Disk::new(vec![folder.clone()], self.dependencies).with_caches(&self.runner_caches);
        let mut settings =
            LocateSettings { mappings, dependencies: self.dependencies, ..LocateSettings::default() };
        let problems = add_launch_configurations(&mut settings, &disk);
        let everywhere = ["**".to_owned()];
        let maps = if self.dependencies {
            MapLocations::new(&everywhere)
        } else {
            MapLocations::new(&Config::default().source_maps_locations)
        };
        Ok(Workspace { disk, folder, problems, settings, maps })
    }
}

impl Workspace {
    /// Calls `then` with how to place a trace that was written at the time `recorded`.
    pub(super) fn with_settings<T>(
        &self,
        recorded: Option<SystemTime>,
        then: impl FnOnce(&LoadSettings<'_>) -> T,
    ) -> T {
        let allowed = |file: &FilePath| self.maps.allow(file, &self.disk);
        then(&LoadSettings { locate: &self.settings, maps: Some(&allowed), recorded })
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
    /// What of a profile to add up; the threads are `otherwise` if the user picked none.
    ///
    /// # Errors
    /// One sentence about a thread or a marker that there is not, or an axis of time.
    pub(super) fn of(&self, profile: &Profile, name: &str, otherwise: Threads) -> Result<Scope, String> {
        Ok(self.request().of(profile, name, otherwise)?)
    }

    /// Whether threads or moments are wanted, which are those of each trace.
    pub(super) fn is_of_each(&self) -> bool {
        !self.threads.is_empty() || !self.between.is_empty() || !self.markers.is_empty()
    }

    fn request(&self) -> ScopeRequest {
        let between = match *self.between.as_slice() {
            [from, to] => Some((from, to)),
            _ => None,
        };
        let name = |it: &String| FunctionName::Called(it.clone());
        let changes = self.focus.iter().map(|it| StackChange::Focus(name(it)));
        let changes = changes.chain(self.callers_of.iter().map(|it| StackChange::Callers(name(it))));
        let path = |it: &String| it.split('>').map(|it| FunctionName::Called(it.trim().to_owned())).collect();
        let changes =
            changes.chain(self.path.iter().map(|it| StackChange::Path(Direction::Callees, path(it))));
        let changes = changes.chain(self.drop.iter().map(|it| StackChange::Drop(name(it))));
        let changes = changes.chain(self.merge.iter().map(|it| StackChange::Merge(name(it))));
        let changes = changes.chain(self.collapse.iter().map(|it| StackChange::Collapse(it.clone())));
        let (threads, markers) = (self.threads.clone(), self.markers.clone());
        ScopeRequest { threads, between, markers, changes: changes.collect() }
    }
}

/// Reads a trace and places it.
///
/// # Errors
/// One sentence about a file that cannot be used, or about a scope that it does not have.
pub(super) fn load_one(
    path: &Path,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> Result<((Arc<Profile>, Scope), Recording), String> {
    let read = read(path)?;
    let (scope, recording) = place(&read, workspace, scope)?;
    Ok(((read.profile, scope), recording))
}

/// Places a trace that was read.
///
/// # Errors
/// One sentence about a scope that it does not have.
pub(super) fn place(
    read: &ReadTrace,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> Result<(Scope, Recording), String> {
    let ReadTrace { name, profile, .. } = read;
    let scope = scope.of(profile, name, Threads::Page)?;
    let place = |settings: &LoadSettings<'_>| load(name, profile, &scope, &workspace.disk, settings);
    let recording = source::with_large_stack(|| workspace.with_settings(read.recorded(), place))
        .map_err(|why| format!("{name} cannot be placed: {why}. Free some memory."))?;
    Ok((scope, recording))
}

/// Reads a trace, also from stdin if it is called `-`.
///
/// # Errors
/// One sentence, if it is no file, cannot be opened, or is no profile.
pub(super) fn read(path: &Path) -> Result<ReadTrace, String> {
    if path == Path::new(STDIN) {
        if io::stdin().is_terminal() {
            return Err("- stands for stdin, which is a terminal. Send a trace to it, or name a file.".into());
        }
        let name = "stdin".to_owned();
        let bar = ProgressBar::new(&name, 0);
        return traces::read_from(&mut io::stdin(), name.clone(), None, &bar).map_err(sentence);
    }
    let name = path.display().to_string();
    let bar = ProgressBar::new(&name, open::stamp(path).map_or(0, |it| it.size));
    traces::read(path, name.clone(), &bar).map_err(sentence)
}

/// The sentence about a trace that was not read.
pub(super) fn sentence(failure: ReadError) -> String {
    match failure {
        ReadError::Unusable(sentence) => sentence,
        ReadError::Cancelled => "The load was cancelled.".to_owned(), // the command line has no way to cancel
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
        // How much comes through stdin is not known.
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
