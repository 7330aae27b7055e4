//! `proflens convert`: a trace in the format of another tool, with the names and places that its functions have in
//! the source.

use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::files::{FilePath, Runner};
use analysis::locate::LocateSettings;
use analysis::scope::Scope;
use analysis::symbolicate::{LoadSettings, Place, Symbols, new_names, symbolicate};
use analysis::wasm_names::with_names_of_modules;
use profile::encode::{Target, encode, encode_gzipped};
use profile::model::{Profile, Thread, Unit};
use profile::problem::Problem;
use profile::rename::rename;
use profile::scope::{Threads, thread_names};
use url::Url;

use super::input::{ScopeArgs, Workspace, WorkspaceArgs, read};
use super::load::named_or_newest_one;
use super::outfile::{NamedBy, write_file};
use super::{Outcome, WRONG_FLAGS, note, note_problem, relative, say, values};
use crate::disk::Disk;
use crate::traces::ReadTrace;

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
    #[arg(long, short, alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the names and places that functions have in this folder, through source maps
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)
    #[arg(long = "map", value_name = "FROM=TO", requires = "workspace")]
    maps: Vec<String>,
    /// Count code below node_modules as workspace code
    #[arg(long, requires = "workspace")]
    dependencies: bool,
    /// Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)
    #[arg(long, requires = "workspace", value_name = "RUNNERS", value_delimiter = ',', value_parser = values::parser(values::runner))]
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
    /// For collectors and backends of OpenTelemetry, as protobuf
    Otlp,
    /// For the Firefox Profiler, profiler.firefox.com
    Firefox,
    /// For flame graph tools, in microseconds
    Collapsed,
}

impl ConvertFormat {
    /// The format that the extension of a file's name stands for.
    fn of_ending(file: &Path) -> Option<Self> {
        const ENDINGS: [(&str, ConvertFormat); 14] = [
            (".cpuprofile", ConvertFormat::Cpuprofile),
            (".speedscope.json", ConvertFormat::Speedscope),
            (".speedscope", ConvertFormat::Speedscope),
            (".otlp", ConvertFormat::Otlp),
            (".otlp.pb", ConvertFormat::Otlp),
            (".otlp.bin", ConvertFormat::Otlp),
            (".pb", ConvertFormat::Pprof),
            (".pprof", ConvertFormat::Pprof),
            (".prof", ConvertFormat::Pprof),
            (".firefox.json", ConvertFormat::Firefox),
            (".collapsed", ConvertFormat::Collapsed),
            (".collapsed.txt", ConvertFormat::Collapsed),
            (".collapsedstack.txt", ConvertFormat::Collapsed),
            (".folded", ConvertFormat::Collapsed),
        ];
        let lower = file.file_name()?.to_str()?.to_ascii_lowercase();
        let name = lower.strip_suffix(".gz").unwrap_or(&lower);
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|&(_, format)| format)
    }

    /// Whether it is not text.
    fn is_binary(self) -> bool {
        matches!(self, Self::Pprof | Self::Otlp)
    }

    /// Whether the format has labels of samples.
    fn has_labels(self) -> bool {
        matches!(self, Self::Pprof | Self::Otlp | Self::Firefox)
    }

    fn target(self) -> Target {
        match self {
            Self::Cpuprofile => Target::Cpuprofile,
            Self::Speedscope => Target::Speedscope,
            Self::Pprof => Target::Pprof,
            Self::Otlp => Target::Otlp,
            Self::Firefox => Target::Firefox,
            Self::Collapsed => Target::Collapsed,
        }
    }
}

/// Runs it.
pub fn run(args: &ConvertArgs) -> Outcome {
    let Some(format) = args.to.or_else(|| args.output.as_deref().and_then(ConvertFormat::of_ending)) else {
        let file = args.output.as_deref().unwrap_or(Path::new("FILE")).display();
        say(&format!(
            "error: the ending of {file} tells no format. Say it with --to: cpuprofile, speedscope, pprof, otlp, firefox or collapsed."
        ));
        return Outcome::ended(WRONG_FLAGS);
    };
    Outcome::of_result(convert(args, format))
}

fn convert(args: &ConvertArgs, format: ConvertFormat) -> Result<(), Problem> {
    let workspace = args.open_workspace()?;
    let path = match &workspace {
        Some(workspace) => named_or_newest_one(args.trace.as_deref(), &workspace.disk, &workspace.folder),
        None => {
            let here = WorkspaceArgs::default().open()?;
            named_or_newest_one(args.trace.as_deref(), &here.disk, &here.folder)
        }
    }?;
    check_output(args.output.as_deref(), format, &path)?;
    let mut trace = read(&path)?;
    if let Some(workspace) = &workspace {
        trace.profile = with_names_of_modules(&trace.profile, &workspace.disk);
    }
    if format == ConvertFormat::Cpuprofile && trace.profile.unit == Unit::Bytes {
        let what = format!("{} counts allocated bytes, and a .cpuprofile holds times", trace.name);
        return Err(Problem::new(
            what,
            "write it as speedscope, pprof, OTLP, collapsed stacks or for the Firefox Profiler",
        ));
    }
    trace.profile.problems.iter().for_each(note_problem);
    let mut scope = args.scope.of(&trace.profile, &trace.name, Threads::All)?;
    let symbols = symbols(&trace, &scope, workspace.as_ref())?;
    let name = trace.name;
    let mut profile = Arc::unwrap_or_clone(trace.profile);
    let main = thread_names(&profile).into_iter().next().unwrap_or_default();
    if let Some(symbols) = symbols.as_ref().filter(|_| !scope.changes.is_empty()) {
        let problem = scope.cut(&mut profile, symbols).map_err(|lost| lost.problem().at(&name))?;
        problem.iter().for_each(note_problem);
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
    if !profile.label_sets.is_empty() && !format.has_labels() {
        note("its samples have labels, which this format cannot hold; pprof, otlp and firefox can");
    }
    write(&profile, &threads, format, args.output.as_deref())
}

/// Checks that the file to write is not the trace, and not a terminal that would show raw bytes.
fn check_output(output: Option<&Path>, format: ConvertFormat, trace: &Path) -> Result<(), Problem> {
    match output {
        Some(file) if is_same(file, trace) => {
            let what = format!("{} is the trace itself", file.display());
            Err(Problem::new(what, "name another file with --output"))
        }
        None if format.is_binary() && io::stdout().is_terminal() => {
            let name = if format == ConvertFormat::Pprof { "pprof" } else { "OTLP" };
            let what = format!("{name} is no text for a terminal");
            Err(Problem::new(what, "name a file with --output, or a pipe"))
        }
        _ => Ok(()),
    }
}

/// Where the functions of a trace are, if needed. Without a workspace, they keep the names in the trace.
fn symbols(
    trace: &ReadTrace,
    scope: &Scope,
    workspace: Option<&Workspace>,
) -> Result<Option<Symbols>, Problem> {
    let recorded = trace.recorded();
    match workspace {
        Some(workspace) => workspace
            .on_large_stack(recorded, &trace.name, |settings| {
                symbolicate(&trace.profile, &workspace.disk, settings)
            })
            .map(Some),
        None if scope.changes.is_empty() => Ok(None),
        None => {
            let settings = LoadSettings { locate: &LocateSettings::default(), maps: None, recorded };
            Ok(Some(symbolicate(&trace.profile, &Disk::new(Vec::new(), false), &settings)))
        }
    }
}

impl ConvertArgs {
    fn open_workspace(&self) -> Result<Option<Workspace>, Problem> {
        let Some(folder) = &self.workspace else { return Ok(None) };
        let (workspace, maps) = (Some(folder.clone()), self.maps.clone());
        let runner_caches = self.runner_caches.clone();
        WorkspaceArgs { workspace, maps, dependencies: self.dependencies, runner_caches }.open().map(Some)
    }
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = [one, other].map(|path| std::fs::canonicalize(path).ok());
    real[0].is_some() && real[0] == real[1]
}

/// The profile with the names of the workspace.
fn renamed(profile: &Profile, symbols: &Symbols, format: ConvertFormat, workspace: &Workspace) -> Profile {
    for (generated, wanted, refusal) in symbols.lost_maps() {
        let what = refusal.map_or_else(|| format!("{wanted} is missing"), |refusal| refusal.to_string());
        let file = relative(generated, &workspace.folder);
        note(&format!("{file}: {what}; its functions stay on generated lines"));
    }
    if symbols.places.iter().all(|place| matches!(place, Place::Unplaced(_))) {
        let folder = &workspace.folder;
        note(&format!(
            "no function of the trace lies in {folder}; all keep their names. proflens doctor says why"
        ));
    }
    rename(profile, &new_names(symbols, |file| resource(file, format, &workspace.folder)))
}

/// How a file is named: DevTools and VS Code expect URLs, people read paths.
fn resource(file: &FilePath, format: ConvertFormat, folder: &FilePath) -> String {
    match format {
        ConvertFormat::Cpuprofile => {
            Url::from_file_path(file.as_str()).map_or_else(|()| file.to_string(), String::from)
        }
        ConvertFormat::Speedscope
        | ConvertFormat::Pprof
        | ConvertFormat::Otlp
        | ConvertFormat::Firefox
        | ConvertFormat::Collapsed => relative(file, folder).into_owned(),
    }
}

/// The threads to write, the main one first; none twice.
fn chosen(profile: &mut Profile, scope: &Scope) -> Vec<Thread> {
    if !scope.is_whole() {
        let selection = scope.of(profile);
        scope.problem(&selection).iter().for_each(note_problem);
        return selection.threads.into_iter().map(Cow::into_owned).collect();
    }
    let mut indices = scope.threads.indices(profile).into_iter().peekable();
    let threads = std::mem::take(&mut profile.threads).into_iter().enumerate();
    threads.filter(|(index, _)| indices.next_if_eq(index).is_some()).map(|(_, thread)| thread).collect()
}

fn write(
    profile: &Profile,
    threads: &[Thread],
    format: ConvertFormat,
    file: Option<&Path>,
) -> Result<(), Problem> {
    let ending = file.and_then(Path::extension).unwrap_or_default();
    let is_gzipped = format == ConvertFormat::Pprof || ending.eq_ignore_ascii_case("gz");
    let encode = if is_gzipped { encode_gzipped } else { encode };
    let Some(file) = file else {
        let mut out = BufWriter::new(io::stdout().lock());
        return match encode(profile, threads, format.target(), &mut out).and_then(|()| out.flush()) {
            // A reader that has closed its pipe is not an error.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Problem::new(format!("stdout takes no more: {error}"), ""))
            }
            _ => Ok(()),
        };
    };
    write_file(file, NamedBy::User, |to| encode(profile, threads, format.target(), to)).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such folder".to_owned(),
            ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        let what = format!("{} cannot be written: {why}", file.display());
        Problem::new(what, "check the path, its permissions and the space on the disk")
    })
}
