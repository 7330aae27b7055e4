//! `proflens doctor`: what became of each script of a trace, and what to do where something is missing.

use std::path::PathBuf;

use analysis::format::{Style, amount, count, percent, whole};
use analysis::views::{Examination, NotPlaced, Script, WhichFile, WhichMap, examine};
use analysis::{Certainty, FilePath, MapPlace, UnplacedReason, share, symbolicate};
use profile::{Amount, Unit};
use serde_json::{Value, json};

use super::input::{Workspace, WorkspaceArgs, read};
use super::table::reason_text;
use super::{Outcome, print, printable, relative};
use crate::amounts;

/// So many files, sources and namesakes are named.
const NAMED: usize = 5;

/// The flags of `doctor`.
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Format {
    Text,
    Json,
}

/// Runs it.
pub fn run(args: &DoctorArgs) -> Outcome {
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let name = args.trace.display().to_string();
    let (profile, recorded) = match read(&args.trace, &name) {
        Ok(read) => read,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let examination = workspace.with_settings(recorded, |settings| {
        let symbols = symbolicate(&profile, &workspace.disk, settings);
        examine(&profile, &symbols, &workspace.disk, settings)
    });
    print(&match args.format {
        Format::Text => text(&examination, &name, &workspace),
        Format::Json => json(&examination, &name, &workspace),
    });
    Outcome { errors: Vec::new() }
}

fn text(examination: &Examination, name: &str, workspace: &Workspace) -> String {
    let unit = examination.unit;
    let page = Page { active: examination.active, unit, folder: &workspace.folder };
    let scripts = count(examination.scripts.len() as u64, "script");
    let active = format!("{} of {}", amount(examination.active, unit, Style::Text), whole(unit));
    let mut text = format!("{name}: {active} in {scripts}.\nWorkspace: {}\n", workspace.folder);
    for problem in &workspace.problems {
        text += &format!("Note: {}: {}; {}.\n", problem.place, problem.what, problem.hint);
    }
    for script in &examination.scripts {
        text += &page.script(script);
    }
    if !examination.without_script.is_empty() {
        let all = examination.without_script.iter().map(|it| it.time).sum();
        text += &format!("\n{}  no script\n", page.cost(all));
        text += &page.not_placed(&examination.without_script);
    }
    text
}

struct Page<'a> {
    active: Amount,
    unit: Unit,
    folder: &'a FilePath,
}

impl Page<'_> {
    fn script(&self, script: &Script) -> String {
        let mut text = format!("\n{}  {}\n", self.cost(script.time), printable(&script.resource, 100));
        text += &row("file", &self.file(script));
        if let Some(map) = &script.map {
            text += &row("map", &self.map(map));
        }
        if !script.placed.is_empty() {
            let functions: usize = script.placed.iter().map(|it| it.1).sum();
            let files: Vec<String> =
                script.placed.iter().map(|(file, count)| format!("{} ({count})", self.path(file))).collect();
            let of = count(script.functions as u64, "function");
            text += &row("placed", &format!("{functions} of {of}: {}", some(&files)));
        }
        text += &self.not_placed(&script.not_placed);
        if let Some(help) = help(script) {
            text += &row("help", &help);
        }
        text
    }

    fn file(&self, script: &Script) -> String {
        match &script.file {
            WhichFile::File { file, certainty, transformed } => {
                let how = match certainty {
                    Certainty::Exact => "by its path or a mapping",
                    Certainty::Suffix => "by the end of its path and the rest of the trace",
                };
                let ran = if *transformed { "; what ran was made from it on its way" } else { "" };
                format!("{}, {how}{ran}", self.path(file))
            }
            WhichFile::None { why, namesakes } => {
                let files: Vec<String> = namesakes.iter().map(|it| self.path(it)).collect();
                match (why, files.is_empty()) {
                    (UnplacedReason::NotInWorkspace, true) => {
                        "none: no file of the workspace has its path or its name".into()
                    }
                    (UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous, false) => {
                        format!("none for sure; of its name there are {}", some(&files))
                    }
                    _ => format!("none: it {}", reason_text(*why)),
                }
            }
        }
    }

    fn map(&self, map: &WhichMap) -> String {
        match map {
            WhichMap::NotGenerated => "none needed: nothing says that the file was generated".into(),
            WhichMap::Off => "none: the settings want none to be read".into(),
            WhichMap::InTrace => "in the trace, of the text that ran".into(),
            WhichMap::Read { at, stale, sources, not_found } => {
                let stale = if *stale { ", of another build than the file" } else { "" };
                let mut text = format!("{}{stale}, {}", self.place(at), count(*sources as u64, "source"));
                if !not_found.is_empty() {
                    let names: Vec<String> = not_found.iter().map(|it| printable(it, 60)).collect();
                    text += &format!("; {} not in the workspace: {}", names.len(), some(&names));
                }
                text
            }
            WhichMap::Broken { at, reason } => format!("{} cannot be used: {reason}", self.place(at)),
            WhichMap::Missing { wanted } => format!("missing: {} is not there", self.wanted(wanted)),
            WhichMap::Refused { wanted, why } => format!("{} is not used: {why}", self.wanted(wanted)),
        }
    }

    fn not_placed(&self, all: &[NotPlaced]) -> String {
        let line = |it: &NotPlaced| {
            let (part, functions) = (self.part(it.time), count(it.functions as u64, "function"));
            row("not", &format!("{part} ({functions}) {}", reason_text(it.why)))
        };
        all.iter().map(line).collect()
    }

    fn place(&self, at: &MapPlace) -> String {
        match at {
            MapPlace::File(file) => self.path(file),
            MapPlace::Inline => "in the file itself".into(),
            MapPlace::Trace => "in the trace".into(),
        }
    }

    fn wanted(&self, wanted: &str) -> String {
        self.path_of(wanted, &FilePath::new(wanted))
    }

    fn path(&self, file: &FilePath) -> String {
        self.path_of(file.as_str(), file)
    }

    fn path_of(&self, text: &str, file: &FilePath) -> String {
        printable(file.relative_to(self.folder).unwrap_or(text), 80)
    }

    fn part(&self, time: Amount) -> String {
        percent(share(time, self.active), Style::Text)
    }

    fn cost(&self, nanos: Amount) -> String {
        format!("{:>7} {:>8}", self.part(nanos), amount(nanos, self.unit, Style::Text))
    }
}

fn row(what: &str, text: &str) -> String {
    format!("                  {what:<8}{text}\n")
}

/// The first few of a list, and how many there are besides.
fn some(all: &[String]) -> String {
    let named = all[..all.len().min(NAMED)].join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// What the user can do.
fn help(script: &Script) -> Option<String> {
    match (&script.file, &script.map) {
        (_, Some(WhichMap::InTrace)) => None,
        (WhichFile::None { why: UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous, .. }, _) => {
            let resource = &script.resource;
            let origin = resource.find("://").and_then(|at| Some(at + 3 + resource[at + 3..].find('/')?));
            let end = origin.or_else(|| resource.rfind(['/', '\\'])).map_or(resource.len(), |it| it + 1);
            Some(format!("--map '{}=FOLDER/' says where it lies", printable(&resource[..end], 80)))
        }
        (_, Some(WhichMap::Missing { wanted })) => Some(format!(
            "build again with source maps, or --map '{}=FILE' says where the map is",
            printable(wanted, 120)
        )),
        (_, Some(WhichMap::Broken { .. } | WhichMap::Read { stale: true, .. })) => {
            Some("build again with source maps, and record again".into())
        }
        _ => None,
    }
}

fn json(examination: &Examination, name: &str, workspace: &Workspace) -> String {
    let path = |file: &FilePath| relative(file, &workspace.folder).to_owned();
    let not_placed = |all: &[NotPlaced]| -> Vec<Value> {
        all.iter()
            .map(|it| json!({ "why": it.why.name(), "functions": it.functions, "selfNs": it.time.0 }))
            .collect()
    };
    let file = |it: &WhichFile| match it {
        WhichFile::File { file, certainty, transformed } => {
            let by = if *certainty == Certainty::Exact { "path" } else { "end-of-path" };
            json!({ "path": path(file), "by": by, "transformed": transformed })
        }
        WhichFile::None { why, namesakes } => {
            let namesakes: Vec<_> = namesakes.iter().map(path).collect();
            json!({ "path": null, "why": why.name(), "namesakes": namesakes })
        }
    };
    let place = |at: &MapPlace| match at {
        MapPlace::File(file) => json!(path(file)),
        MapPlace::Inline => json!("inline"),
        MapPlace::Trace => json!("trace"),
    };
    let map = |it: &WhichMap| match it {
        WhichMap::NotGenerated => json!({ "state": "not-needed" }),
        WhichMap::Off => json!({ "state": "off" }),
        WhichMap::InTrace => json!({ "state": "in-trace" }),
        WhichMap::Read { at, stale, sources, not_found } => json!({
            "state": if *stale { "stale" } else { "read" }, "path": place(at), "sources": sources, "notFound": not_found,
        }),
        WhichMap::Broken { at, reason } => {
            json!({ "state": "broken", "path": place(at), "reason": reason })
        }
        WhichMap::Missing { wanted } => json!({ "state": "missing", "path": path(&FilePath::new(wanted)) }),
        WhichMap::Refused { wanted, why } => {
            json!({ "state": "refused", "path": path(&FilePath::new(wanted)), "reason": why.to_string() })
        }
    };
    let script = |it: &Script| {
        let placed: Vec<_> = it
            .placed
            .iter()
            .map(|(file, functions)| json!({ "file": path(file), "functions": functions }))
            .collect();
        json!({
            "resource": it.resource, "selfNs": it.time.0, "functions": it.functions, "file": file(&it.file),
            "map": it.map.as_ref().map(map), "placed": placed, "unplaced": not_placed(&it.not_placed),
            "help": help(it),
        })
    };
    let problems = workspace
        .problems
        .iter()
        .map(|it| json!({ "what": it.what, "where": it.place, "hint": it.hint }))
        .collect::<Vec<_>>();
    let root = json!({
        "version": 1, "unit": examination.unit.name(), "trace": name, "workspace": workspace.folder.as_str(), "activeNs": examination.active.0,
        "scripts": examination.scripts.iter().map(script).collect::<Vec<_>>(),
        "withoutScript": not_placed(&examination.without_script), "problems": problems,
    });
    format!("{:#}\n", amounts::named(&root, examination.unit))
}
