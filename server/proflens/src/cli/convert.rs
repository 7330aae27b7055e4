//! `proflens convert`: a trace in the format of another tool, with the names and places that its functions have in
//! the source.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::{
    FilePath, LoadSettings, LocateSettings, Place, Runner, Scope, Symbols, new_names, symbolicate,
};
use profile::{Profile, Target, Thread, Threads, Unit, encode, encode_gzipped, rename, thread_names};
use std::borrow::Cow;
use url::Url;

use super::input::{ScopeArgs, Workspace, WorkspaceArgs, read, runner};
use super::load::named_or_newest_one;
use super::outfile::{NamedBy, write_file};
use super::{Outcome, WRONG_FLAGS, note, relative, say};
use crate::disk::Disk;

/// The flags of `convert`.
#[derive(clap::Args, Debug)]
pub struct ConvertArgs {
    /// The trace; - is stdin; the newest recording or trace of the workspace, or of the current folder, if none is named
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// The format to write; if not given, what the ending of FILE says
    #[arg(long, value_enum, value_name = "FORMAT", required_unless_present = "output")]
    to: Option<ConvertFormat>,
    /// Where to write, instead of stdout; what ends in .gz is compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the names and places that functions have in this folder, through source maps
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Where the scripts of an address lie: http://localhost:3000/=public/ (repeatable)
    #[arg(long = "map", value_name = "FROM=TO", requires = "workspace")]
    maps: Vec<String>,
    /// Count code below node_modules as workspace code
    #[arg(long, requires = "workspace")]
    dependencies: bool,
    /// Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)
    #[arg(long, requires = "workspace", value_name = "RUNNERS", value_delimiter = ',', value_parser = runner)]
    runner_caches: Vec<Runner>,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ConvertFormat {
    /// For Chrome's DevTools and VS Code; one thread
    Cpuprofile,
    /// For speedscope
    Speedscope,
    /// For pprof and continuous profilers; always compressed
    Pprof,
    /// For flame graph tools, in microseconds
    Collapsed,
}

impl ConvertFormat {
    /// The format that the ending of a file's name stands for.
    fn of_ending(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let endings: [(&[&str], Self); 4] = [
            (&[".cpuprofile"], Self::Cpuprofile),
            (&[".speedscope.json", ".speedscope"], Self::Speedscope),
            (&[".pb", ".pprof", ".prof"], Self::Pprof),
            (&[".collapsed", ".collapsed.txt", ".collapsedstack.txt", ".folded"], Self::Collapsed),
        ];
        let found = endings.iter().find(|(endings, _)| endings.iter().any(|it| name.ends_with(it)));
        found.map(|&(_, format)| format)
    }

    fn target(self) -> Target {
        match self {
            Self::Cpuprofile => Target::Cpuprofile,
            Self::Speedscope => Target::Speedscope,
            Self::Pprof => Target::Pprof,
            Self::Collapsed => Target::Collapsed,
        }
    }
}

/// Runs it.
pub fn run(args: &ConvertArgs) -> Outcome {
    let Some(format) = args.to.or_else(|| args.output.as_deref().and_then(ConvertFormat::of_ending)) else {
        let file = args.output.as_deref().unwrap_or(Path::new("FILE")).display();
        say(&format!(
            "error: the ending of {file} tells no format. Say it with --to: cpuprofile, speedscope, pprof or collapsed."
        ));
        return Outcome::ended(WRONG_FLAGS);
    };
    match convert(args, format) {
        Ok(()) => Outcome::of(Vec::new()),
        Err(sentence) => Outcome::failed(sentence),
    }
}

fn convert(args: &ConvertArgs, format: ConvertFormat) -> Result<(), String> {
    let workspace = args.open_workspace()?;
    let path = match &workspace {
        Some(it) => named_or_newest_one(args.trace.as_deref(), &it.disk, &it.folder),
        None => {
            let here = WorkspaceArgs::default().open()?;
            named_or_newest_one(args.trace.as_deref(), &here.disk, &here.folder)
        }
    }?;
    match args.output.as_deref() {
        Some(file) if is_same(file, &path) => {
            let file = file.display();
            return Err(format!("{file} is the trace itself. Name another file with --output."));
        }
        None if format == ConvertFormat::Pprof && io::stdout().is_terminal() => {
            return Err("pprof is no text for a terminal. Name a file with --output, or a pipe.".into());
        }
        _ => {}
    }
    let trace = read(&path)?;
    let name = trace.name.clone();
    let recorded = trace.recorded();
    let mut profile = Arc::unwrap_or_clone(trace.profile);
    if format == ConvertFormat::Cpuprofile && profile.unit == Unit::Bytes {
        let others = "Write it as speedscope, pprof or collapsed stacks";
        return Err(format!("{name} counts allocated bytes, and a .cpuprofile holds times. {others}."));
    }
    for it in &profile.problems {
        note(&format!("{}: {}; {}", it.place, it.what, it.hint));
    }
    let mut scope = args.scope.of(&profile, &name, Threads::All)?;
    let placed = |workspace: &Workspace| {
        let place = |settings: &LoadSettings<'_>| symbolicate(&profile, &workspace.disk, settings);
        source::with_large_stack(|| workspace.with_settings(recorded, place))
            .map_err(|why| format!("{name} cannot be placed: {why}. Free some memory."))
    };
    let symbols = match &workspace {
        Some(workspace) => Some(placed(workspace)?),
        // Without a workspace functions are named as the trace names them.
        None if !scope.changes.is_empty() => {
            let settings = LoadSettings { locate: &LocateSettings::default(), maps: None, recorded };
            Some(symbolicate(&profile, &Disk::new(Vec::new(), false), &settings))
        }
        None => None,
    };
    let main = thread_names(&profile).into_iter().next().unwrap_or_default();
    if let Some(symbols) = symbols.as_ref().filter(|_| !scope.changes.is_empty()) {
        let problem = scope.cut(&mut profile, symbols).map_err(|lost| lost.sentence(&name))?;
        if let Some(it) = problem {
            note(&format!("{}; {}", it.what, it.hint));
        }
        scope = Scope::from(Threads::All);
    }
    if let (Some(workspace), Some(symbols)) = (&workspace, &symbols) {
        profile = renamed(&profile, symbols, format, workspace);
    }
    let threads = chosen(&mut profile, &scope);
    if format == ConvertFormat::Cpuprofile && threads.len() > 1 {
        let others = analysis::format::count(threads.len() as u64 - 1, "other");
        note(&format!("a .cpuprofile holds one thread: {main}; {others} left out, --thread picks one"));
    }
    write(&profile, &threads, format, args.output.as_deref())
}

impl ConvertArgs {
    fn open_workspace(&self) -> Result<Option<Workspace>, String> {
        let Some(folder) = &self.workspace else { return Ok(None) };
        let (workspace, maps) = (Some(folder.clone()), self.maps.clone());
        let runner_caches = self.runner_caches.clone();
        WorkspaceArgs { workspace, maps, dependencies: self.dependencies, runner_caches }.open().map(Some)
    }
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|it| Some(it) == real(other))
}

/// The profile with the names of the workspace.
fn renamed(profile: &Profile, symbols: &Symbols, format: ConvertFormat, workspace: &Workspace) -> Profile {
    for (generated, wanted, refusal) in symbols.lost_maps() {
        let what = refusal.map_or_else(|| format!("{wanted} is missing"), |it| it.to_string());
        let file = relative(generated, &workspace.folder);
        note(&format!("{file}: {what}; its functions stay on generated lines"));
    }
    if symbols.places.iter().all(|it| matches!(it, Place::Unplaced(_))) {
        let folder = &workspace.folder;
        note(&format!(
            "no function of the trace lies in {folder}; all keep their names. proflens doctor says why"
        ));
    }
    // DevTools and VS Code expect URLs, people read paths.
    let resource = |file: &FilePath| match format {
        ConvertFormat::Cpuprofile => {
            Url::from_file_path(file.as_str()).map_or_else(|()| file.to_string(), String::from)
        }
        ConvertFormat::Speedscope | ConvertFormat::Pprof | ConvertFormat::Collapsed => {
            relative(file, &workspace.folder).into_owned()
        }
    };
    rename(profile, &new_names(symbols, resource))
}

/// The threads to write, the main one first; none twice.
fn chosen(profile: &mut Profile, scope: &Scope) -> Vec<Thread> {
    if scope.windows.is_some() {
        let selection = scope.of(profile);
        if let Some(it) = scope.problem(&selection) {
            note(&format!("{}; {}", it.what, it.hint));
        }
        return selection.threads.into_iter().map(Cow::into_owned).collect();
    }
    let mut indices = scope.threads.indices(profile).into_iter().peekable();
    let threads = std::mem::take(&mut profile.threads).into_iter().enumerate();
    threads.filter(|(index, _)| indices.next_if_eq(index).is_some()).map(|it| it.1).collect()
}

fn write(
    profile: &Profile,
    threads: &[Thread],
    format: ConvertFormat,
    file: Option<&Path>,
) -> Result<(), String> {
    let gzipped = |file: &Path| file.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
    let encode =
        if format == ConvertFormat::Pprof || file.is_some_and(gzipped) { encode_gzipped } else { encode };
    let Some(file) = file else {
        let mut out = BufWriter::new(io::stdout().lock());
        return match encode(profile, threads, format.target(), &mut out).and_then(|()| out.flush()) {
            // A reader that has closed its pipe is no error.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(format!("stdout takes no more: {error}."))
            }
            _ => Ok(()),
        };
    };
    let cannot = |error: io::Error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such folder".to_owned(),
            ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        let file = file.display();
        format!("{file} cannot be written: {why}. Check the path, its permissions and the space on the disk.")
    };
    write_file(file, NamedBy::User, |to| encode(profile, threads, format.target(), to)).map_err(cannot)
}
