//! `proflens compare`: what changed between traces before and after, and whether that is more than noise.

mod content;
mod json;
mod markdown;
mod table;

pub(super) use content::Row;
pub use content::{Content, Sort};
pub use json::{JsonChange, JsonFunctionChange, change as json_change, function as json_function};
pub use markdown::functions as markdown_functions;
pub use table::functions as table_functions;
pub(super) use table::render as table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use analysis::format::{Style, count, percent};
use compare::comparison::Comparison;
use compare::run::Run;
use compare::statistics::MIN_RUNS;
use compare::verdict::Settings;
use compare::work::Per;
use profile::model::Profile;
use profile::problem::Problem;
use profile::scope::{Chosen, Threads, Windows};

use super::counts::CountsOfSidesArgs;
use super::input::{ScopeArgs, Workspace, WorkspaceArgs, load_one};
use super::screen::Stream;
use super::{Outcome, note, note_problem, print, print_json, values};
use crate::open;
use crate::recordings::{self, StoredRecording};

/// The exit status when something got slower by as much as `--fail-on-regression` allows, or more.
const REGRESSION: u8 = 3;

/// The flags of `compare`.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "proflens compare [OPTIONS] <BEFORE>... -- <AFTER>...\n       proflens compare [OPTIONS] --before <DIR> --after <DIR>\n       proflens compare [OPTIONS] --before-rev <REV>\n       proflens compare [OPTIONS]"
)]
pub struct CompareArgs {
    /// The traces before, or folders with traces in them; each is a run. If none is named, the recording of the same command before those after
    #[arg(value_name = "BEFORE")]
    before_traces: Vec<PathBuf>,
    /// The traces after, behind --; if none is named, the newest recording
    #[arg(last = true, value_name = "AFTER")]
    after_traces: Vec<PathBuf>,
    /// Traces or a folder before; it need not exist, as in the first run of a CI job: then there is nothing to compare, and no error
    #[arg(long, value_name = "PATH")]
    before: Vec<PathBuf>,
    /// Traces or a folder after (repeatable)
    #[arg(long, value_name = "PATH")]
    after: Vec<PathBuf>,
    /// Before: the recordings in .proflens/recordings of this commit, branch or tag; after is then the newest recording, if not named
    #[arg(long, value_name = "REV", conflicts_with_all = ["before_traces", "before"])]
    before_rev: Option<String>,
    /// What times are divided by: machine (how fast the machine was, as all functions together tell), run (nothing), call (how often each function was called, where that was counted on both sides), active (the active time), function:NAME (the time of something that did not change),
    /// marker:NAME (how often it was set, such as requests)
    #[arg(long, value_name = "WORK", default_value = "machine", value_parser = values::parser(Per::parse))]
    per: Per,
    /// With one run a side: how much runs are taken to differ without a cause (one standard deviation)
    #[arg(long, value_name = "PERCENT", default_value = "10%", value_parser = values::parser(values::part))]
    noise: f64,
    /// Ends with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise
    #[arg(long, value_name = "PERCENT", value_parser = values::parser(values::part))]
    fail_on_regression: Option<f64>,
    /// Which time of functions is listed; auto is the one that tells most of what changed
    #[arg(long, value_enum, default_value = "auto")]
    by: WhichTime,
    /// How many functions to list; 0 lists all; if not given 20, and all in JSON
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: CompareFormat,
    /// In Markdown, functions are links to their lines below this address: https://github.com/me/app/blob/main
    #[arg(long, value_name = "URL")]
    link_base: Option<String>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    counts: CountsOfSidesArgs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum WhichTime {
    Auto,
    #[value(name = "self")]
    SelfTime,
    #[value(name = "total")]
    TotalTime,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum CompareFormat {
    Table,
    Json,
    Markdown,
}

/// Runs it.
pub fn run(args: &CompareArgs) -> Outcome {
    compare(args).unwrap_or_else(Outcome::failed)
}

fn compare(args: &CompareArgs) -> Result<Outcome, Problem> {
    let workspace = args.workspace.open()?;
    let (comparison, mut errors) = match compared(args, &workspace)? {
        ComparedSides::Sides { comparison, named, errors } => {
            if let Some([before, after]) = named {
                note(&format!("Compares {before}, before, with {after}, after"));
            }
            (comparison, errors)
        }
        ComparedSides::NoBaseline(why) => {
            note_problem(&why);
            return Ok(Outcome::ended(0));
        }
        ComparedSides::Unreadable(errors) => return Ok(Outcome::with_errors(errors)),
    };
    let content = Content {
        comparison: &comparison,
        folder: &workspace.folder,
        by: match args.by {
            WhichTime::Auto => Sort::Shown,
            WhichTime::SelfTime => Sort::SelfTime,
            WhichTime::TotalTime => Sort::TotalTime,
        },
        limit: match (args.limit, args.format) {
            (Some(0), _) | (None, CompareFormat::Json) => usize::MAX,
            (limit, _) => limit.unwrap_or(20),
        },
        link_base: args.link_base.as_deref(),
    };
    let written = match args.format {
        CompareFormat::Table => print(&table::render(&content, Stream::Out)),
        CompareFormat::Json => print_json(&json::render(&content)),
        CompareFormat::Markdown => print(&markdown::render(&content)),
    };
    errors.extend(written.err());
    let status = args.fail_on_regression.map_or(0, |least| status(&comparison, least));
    Ok(Outcome { errors, status })
}

/// The exit status if `--fail-on-regression` allows less than this fraction of slowdown, with a note on why.
pub(super) fn status(comparison: &Comparison, least: f64) -> u8 {
    if comparison.sides.iter().any(|side| side.runs < MIN_RUNS) {
        note(&format!(
            "With fewer than {MIN_RUNS} runs a side nothing is certain, so that nothing fails; record more, with proflens record --repeat"
        ));
    }
    let Some(sentence) = regression(comparison, least) else { return 0 };
    note(&sentence);
    REGRESSION
}

/// The costs of a trace.
///
/// # Errors
/// If it cannot be used, or has nothing by which its times could be divided.
pub(super) fn run_of(
    path: &Path,
    workspace: &Workspace,
    scope: &ScopeArgs,
    per: &Per,
) -> Result<Run, Problem> {
    let loaded = load_one(path, workspace, scope)?;
    let markers = match per {
        Per::Marker(marker) => {
            times_of(marker, &loaded.profile, &path.display().to_string(), &loaded.scope.threads)?
        }
        _ => 0,
    };
    let work = per.of(&loaded.recording, markers)?;
    Ok(Run::of(&loaded.recording, work))
}

/// The outcome of a comparison.
pub(super) enum ComparedSides {
    /// Two sides.
    Sides {
        comparison: Box<Comparison>,
        /// Which these are, if a side was not named.
        named: Option<[String; 2]>,
        /// Why some traces of them could not be used.
        errors: Vec<Problem>,
    },
    /// There is nothing to compare with yet.
    NoBaseline(Problem),
    /// A side has no trace that can be used.
    Unreadable(Vec<Problem>),
}

/// Reads and compares what the flags name.
///
/// # Errors
/// If they name no two sides.
pub(super) fn compared(args: &CompareArgs, workspace: &Workspace) -> Result<ComparedSides, Problem> {
    let folder = Path::new(workspace.folder.as_str());
    let (sides, named) = match args.sides(folder)? {
        Sides::Both(sides) => (sides, None),
        Sides::Newest(sides) => {
            let names = sides.each_ref().map(|paths| name_of(paths, folder));
            (sides, Some(names))
        }
        Sides::NoBaseline(why) => return Ok(ComparedSides::NoBaseline(why)),
    };
    let mut errors = Vec::new();
    let [mut before, mut after] = sides.map(|paths| args.runs(&paths, workspace, &mut errors));
    if before.is_empty() || after.is_empty() {
        return Ok(ComparedSides::Unreadable(errors));
    }
    errors.extend(args.counts.add_to([&mut before, &mut after], workspace, &args.scope).err());
    let settings = Settings { noise: args.noise, ..Settings::default() };
    match Comparison::of(&before, &after, args.per.clone(), settings) {
        Ok(mut comparison) => {
            comparison.problems.extend(workspace.all_problems());
            Ok(ComparedSides::Sides { comparison: Box::new(comparison), named, errors })
        }
        Err(problem) => {
            errors.push(problem);
            Ok(ComparedSides::Unreadable(errors))
        }
    }
}

/// The traces to compare.
enum Sides {
    Both([Vec<PathBuf>; 2]),
    /// The same, of which at least one was not named.
    Newest([Vec<PathBuf>; 2]),
    /// There is nothing to compare with yet.
    NoBaseline(Problem),
}

impl CompareArgs {
    /// The files of each side.
    fn sides(&self, workspace: &Path) -> Result<Sides, Problem> {
        if let Some(missing) = self.before.iter().find(|path| is_missing(path)) {
            return Ok(Sides::NoBaseline(Problem::new(
                format!("There is no trace in {} yet, so that nothing was compared", missing.display()),
                "keep the traces of this run there for the next one",
            )));
        }
        let mut before = files_of_all([&self.before_traces, &self.before])?;
        let mut after = files_of_all([&self.after_traces, &self.after])?;
        let is_named = !after.is_empty() && !before.is_empty();
        // What follows traces that are named one by one may have been forgotten.
        if after.is_empty() && self.before_traces.is_empty() {
            after = paths(recordings::newest(workspace)?);
        }
        if let Some(revision) = &self.before_rev {
            let mut found = recordings::recordings_of(workspace, revision)?;
            // Among the recordings of several commands, those of the command that was recorded after.
            if let Some(head) = after.first().and_then(|path| recordings::head(path)) {
                found.retain_named(&head.name);
            }
            if let Some(why) = found.why_none() {
                return Ok(Sides::NoBaseline(why));
            }
            before = paths(found.recordings);
        } else if before.is_empty() {
            before = before_newest(workspace, &after)?;
        }
        if after.is_empty() {
            return Err(Problem::new(
                "No trace after was named",
                "write proflens compare BEFORE... -- AFTER..., or name folders with --before and --after",
            ));
        }
        let sides = [before, after];
        check_named_once(&sides)?;
        Ok(if is_named { Sides::Both(sides) } else { Sides::Newest(sides) })
    }

    /// The costs of the traces of a side. Traces that cannot be used are errors.
    fn runs(&self, paths: &[PathBuf], workspace: &Workspace, errors: &mut Vec<Problem>) -> Vec<Run> {
        let mut runs = Vec::new();
        for path in paths {
            match run_of(path, workspace, &self.scope, &self.per) {
                Ok(run) => runs.push(run),
                Err(problem) => errors.push(problem),
            }
        }
        runs
    }
}

/// The recording of the same command before those after, with all runs of it.
fn before_newest(workspace: &Path, after: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let before = match after.first() {
        Some(after) => recordings::the_one_before(workspace, after)?,
        None => None,
    };
    let before = before.ok_or_else(|| {
        let what = match after {
            [] => "There is no recording of proflens record here yet".to_owned(),
            _ => format!("There is no recording of the same command before {}", name_of(after, workspace)),
        };
        Problem::new(what, "record one before the change and one after it, or name before and after")
    })?;
    files(&recordings::folder_of_runs(workspace, &before).unwrap_or(before))
}

/// The trace of a side below the workspace, or the folder of its traces.
fn name_of(side: &[PathBuf], workspace: &Path) -> String {
    let path = match side {
        [path] => Some(path.as_path()),
        _ => side.first().and_then(|path| path.parent()),
    };
    let path = path.unwrap_or(workspace);
    path.strip_prefix(workspace).unwrap_or(path).display().to_string()
}

/// How often a marker was set.
fn times_of(marker: &str, profile: &Profile, trace: &str, threads: &Threads) -> Result<u64, Problem> {
    let windows = Windows::of_markers(profile, trace, threads, &[marker.to_owned()])?;
    let markers = windows.chosen().iter().flat_map(|chosen| match chosen {
        Chosen::Markers(markers) => &markers[..],
        Chosen::Between(..) => &[],
    });
    Ok(markers.map(|marker| marker.times as u64).sum())
}

/// Whether there is no trace at a path, as in an empty folder.
fn is_missing(path: &Path) -> bool {
    !path.exists() || path.is_dir() && files(path).is_ok_and(|files| files.is_empty())
}

fn paths(recordings: Vec<StoredRecording>) -> Vec<PathBuf> {
    recordings.into_iter().map(|recording| recording.path).collect()
}

fn files_of_all(lists: [&Vec<PathBuf>; 2]) -> Result<Vec<PathBuf>, Problem> {
    let all = lists.into_iter().flatten().map(|path| files(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(all.concat())
}

/// The files of a folder, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, Problem> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    open::files_in(path).map_err(|error| open::unreadable(&path.display().to_string(), &error))
}

/// Checks that no trace is named twice.
fn check_named_once(sides: &[Vec<PathBuf>; 2]) -> Result<(), Problem> {
    let mut seen: HashMap<PathBuf, usize> = HashMap::new();
    for (side, paths) in sides.iter().enumerate() {
        for path in paths {
            let (real, name) = (std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()), path.display());
            match seen.insert(real, side) {
                Some(before) if before != side => {
                    return Err(Problem::new(
                        format!("{name} is before and after: a trace compared with itself tells nothing"),
                        "name another one",
                    ));
                }
                Some(_) => {
                    return Err(Problem::new(
                        format!("{name} is named twice on one side: it would count as two runs"),
                        "name it once",
                    ));
                }
                None => {}
            }
        }
    }
    Ok(())
}

/// The sentence about what got slower by at least this much.
fn regression(comparison: &Comparison, least: f64) -> Option<String> {
    let (functions, whole) = comparison.regressions(least);
    let slower = match &functions[..] {
        [] if whole => "all of it got slower".to_owned(),
        [] => return None,
        [worst, ..] => {
            let number = count(functions.len() as u64, "function");
            format!("{number} got slower, {} the most", worst.info.name)
        }
    };
    let least = percent(least, Style::Text);
    Some(format!("By at least {least}, {slower}; the exit status is {REGRESSION}"))
}
