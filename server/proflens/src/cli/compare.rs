//! `proflens compare`: what changed between traces before and after, and whether that is more than noise.

mod content;
mod json;
mod markdown;
mod table;

pub use content::{Content, Sort};
pub use json::{JsonChange, change as json_change};
pub use markdown::functions as markdown_functions;
pub use table::functions as table_functions;

use std::path::{Path, PathBuf};

use analysis::format::{Style, count, percent};
use compare::{Comparison, MIN_RUNS, Per, Run, Settings, Work};
use profile::{Chosen, Windows};

use super::input::{ScopeArgs, Workspace, WorkspaceArgs, load_one};
use super::{Outcome, note, print, print_json};
use crate::{open, recordings};

/// The exit status when something got slower by as much as `--fail-on-regression` says.
const REGRESSION: u8 = 3;

/// The flags of `compare`.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "proflens compare [OPTIONS] <BEFORE>... -- <AFTER>...\n       proflens compare [OPTIONS] --before <DIR> --after <DIR>\n       proflens compare [OPTIONS] --before-rev <REV>"
)]
pub struct CompareArgs {
    /// The traces before, or folders with traces in them; each is a run
    #[arg(value_name = "BEFORE")]
    before_traces: Vec<PathBuf>,
    /// The traces after, behind --
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
    /// By what times are divided: run (nothing), active (the active time), function:NAME (the time of something that did not change),
    /// marker:NAME (how often it was set, such as requests)
    #[arg(long, value_name = "WORK", default_value = "run", value_parser = per)]
    per: Per,
    /// With one run a side: how much runs are taken to differ without a cause (one standard deviation)
    #[arg(long, value_name = "PERCENT", default_value = "10%", value_parser = part)]
    noise: f64,
    /// Ends with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise
    #[arg(long, value_name = "PERCENT", value_parser = part)]
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

/// What `--per` says; of a mistake only what is wrong, as the end of a sentence.
fn per(text: &str) -> Result<Per, String> {
    Per::parse(text).map_err(|problem| problem.what)
}

/// A part of a time as people write it: `10%`, `2.5 %` or `10`.
fn part(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    let percent = number.ok().filter(|it| it.is_finite() && *it >= 0.0);
    percent.map(|it| it / 100.0).ok_or_else(|| format!("{text} is no percentage such as 10%"))
}

/// Runs it.
pub fn run(args: &CompareArgs) -> Outcome {
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let sides = match args.sides(Path::new(workspace.folder.as_str())) {
        Ok(Sides::Both(sides)) => sides,
        Ok(Sides::NoBaseline(sentence)) => {
            note(&sentence);
            return Outcome::of(Vec::new());
        }
        Err(sentence) => return Outcome::failed(sentence),
    };
    let mut errors = Vec::new();
    let [before, after] = sides.map(|paths| args.runs(&paths, &workspace, &mut errors));
    if before.is_empty() || after.is_empty() {
        return Outcome::of(errors);
    }
    let settings = Settings { noise: args.noise, ..Settings::default() };
    let mut comparison = match Comparison::of(&before, &after, args.per.clone(), settings) {
        Ok(comparison) => comparison,
        Err(problem) => {
            errors.push(problem.to_string());
            return Outcome::of(errors);
        }
    };
    comparison.problems.extend(workspace.problems.iter().cloned());
    comparison.problems.extend(workspace.disk.history_problems());
    comparison.problems.extend(workspace.disk.cache_problems());
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
        CompareFormat::Table => print(&table::render(&content)),
        CompareFormat::Json => print_json(&json::render(&content)),
        CompareFormat::Markdown => print(&markdown::render(&content)),
    };
    errors.extend(written.err().map(|unwritten| unwritten.to_string()));
    if args.fail_on_regression.is_some() && comparison.sides.iter().any(|it| it.runs < MIN_RUNS) {
        note(&format!(
            "With fewer than {MIN_RUNS} runs a side nothing is certain, so that nothing fails; record more, with proflens record --repeat"
        ));
    }
    match args.fail_on_regression.and_then(|least| regression(&comparison, least)) {
        Some(sentence) => {
            note(&sentence);
            Outcome { errors, status: REGRESSION }
        }
        None => Outcome::of(errors),
    }
}

/// The traces to compare.
enum Sides {
    Both([Vec<PathBuf>; 2]),
    /// There is none to compare with yet, as a sentence.
    NoBaseline(String),
}

impl CompareArgs {
    /// The files of each side.
    fn sides(&self, workspace: &Path) -> Result<Sides, String> {
        let is_empty = |it: &Path| it.is_dir() && files(it).is_ok_and(|it| it.is_empty());
        if let Some(missing) = self.before.iter().find(|it| !it.exists() || is_empty(it)) {
            return Ok(Sides::NoBaseline(format!(
                "There is no trace in {} yet, so that nothing was compared; keep the traces of this run there for the next one",
                missing.display()
            )));
        }
        let all = |paths: [&Vec<PathBuf>; 2]| -> Result<Vec<PathBuf>, String> {
            Ok(paths.into_iter().flatten().map(|it| files(it)).collect::<Result<Vec<_>, _>>()?.concat())
        };
        let mut before = all([&self.before_traces, &self.before])?;
        let mut after = all([&self.after_traces, &self.after])?;
        if let Some(revision) = &self.before_rev {
            if after.is_empty() {
                after = recordings::newest(workspace)?.into_iter().map(|it| it.path).collect();
            }
            let mut found = recordings::recordings_of(workspace, revision)?;
            // Of several commands the one that was recorded after.
            if let Some(head) = after.first().and_then(|it| recordings::head(it)) {
                found.retain_named(&head.name);
            }
            if let Some(sentence) = found.why_none() {
                return Ok(Sides::NoBaseline(sentence.trim_end_matches('.').to_owned()));
            }
            before = found.recordings.into_iter().map(|it| it.path).collect();
        }
        for (side, name) in [(&before, "before"), (&after, "after")] {
            if side.is_empty() {
                return Err(format!(
                    "No trace {name} was named. Write proflens compare BEFORE... -- AFTER..., or name folders with --before and --after."
                ));
            }
        }
        let sides = [before, after];
        twice(&sides)?;
        Ok(Sides::Both(sides))
    }

    /// What the traces of a side cost.
    fn runs(&self, paths: &[PathBuf], workspace: &Workspace, errors: &mut Vec<String>) -> Vec<Run> {
        let runs =
            paths.iter().filter_map(|path| self.run(path, workspace).map_err(|it| errors.push(it)).ok());
        runs.collect()
    }

    fn run(&self, path: &Path, workspace: &Workspace) -> Result<Run, String> {
        let ((profile, scope), recording) = load_one(path, workspace, &self.scope)?;
        let name = path.display().to_string();
        let markers = match &self.per {
            Per::Marker(marker) => {
                let windows =
                    Windows::of_markers(&profile, &name, &scope.threads, std::slice::from_ref(marker))?;
                let times = |it: &Chosen| match it {
                    Chosen::Markers(all) => all.iter().map(|it| it.times as u64).sum(),
                    Chosen::Between(..) => 0,
                };
                windows.chosen().iter().map(times).sum()
            }
            _ => 0,
        };
        let work: Work = self.per.of(&recording, markers)?;
        Ok(Run::of(&recording, work))
    }
}

/// The files of a folder, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    open::files_in(path).map_err(|why| crate::traces::cannot_be_read(&path.display().to_string(), &why))
}

/// Checks that no trace is named twice.
fn twice(sides: &[Vec<PathBuf>; 2]) -> Result<(), String> {
    let mut seen: Vec<(PathBuf, usize)> = Vec::new();
    for (side, paths) in sides.iter().enumerate() {
        for path in paths {
            let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            match seen.iter().find(|it| it.0 == real) {
                Some((_, other)) if *other != side => {
                    return Err(format!(
                        "{} is before and after: a trace compared with itself tells nothing. Name another one.",
                        path.display()
                    ));
                }
                Some(_) => {
                    return Err(format!(
                        "{} is named twice on one side: it would count as two runs. Name it once.",
                        path.display()
                    ));
                }
                None => seen.push((real, side)),
            }
        }
    }
    Ok(())
}

/// The sentence about what got slower by at least this much.
fn regression(comparison: &Comparison, least: f64) -> Option<String> {
    let (functions, whole) = comparison.regressions(least);
    let least = percent(least, Style::Text);
    let worst = functions.first().map(|it| format!("{} the most", it.info.name));
    let functions = match functions.len() {
        0 if whole => "all of it".to_owned(),
        0 => return None,
        number => count(number as u64, "function"),
    };
    let worst = worst.map_or_else(String::new, |it| format!(", {it}"));
    Some(format!("By at least {least}, {functions} got slower{worst}; the exit status is {REGRESSION}"))
}
