//! `proflens doctor`: what became of each script of a trace, and what to do if something is missing.

mod json;
mod of_others;

use std::path::PathBuf;

use analysis::files::{FilePath, Runner};
use analysis::format::{Style, amount, column, count, percent, whole};
use analysis::locate::{FoundBy, Located, Namesake, UnplacedReason, path_inside};
use analysis::recording::{WRITE_OUT, to_build_with};
use analysis::summary::share;
use analysis::symbolicate::{Compiler, FollowedMap, MapDecision, MapPlace, WhichText, symbolicate};
use analysis::views::{Examination, ExaminedScript, NotPlaced, examine};
use profile::model::Amount;
use profile::plain::plain;
use profile::problem::Problem;

use self::of_others::without_scripts_of_others;
use super::input::{Workspace, WorkspaceArgs, read};
use super::load::named_or_newest_one;
use super::screen::{Stream, problem_line};
use super::table::reason_text;
use super::{Outcome, print, print_json, printable};
use crate::disk::Disk;
use crate::shell;

/// The most files, sources and namesakes that are named.
const NAMED: usize = 5;

/// The flags of `doctor`.
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// The trace; - is stdin; the newest recording or trace of the workspace if none is named
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: DoctorFormat,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum DoctorFormat {
    Text,
    Json,
}

/// Runs it.
pub fn run(args: &DoctorArgs) -> Outcome {
    Outcome::of_result(doctor(args))
}

fn doctor(args: &DoctorArgs) -> Result<(), Problem> {
    let workspace = args.workspace.open()?;
    let trace = read(&named_or_newest_one(args.trace.as_deref(), &workspace.disk, &workspace.folder)?)?;
    let name = &trace.name;
    let examination = workspace.with_settings(trace.recorded(), |settings| {
        let symbols = symbolicate(&trace.profile, &workspace.disk, settings);
        examine(&trace.profile, &symbols, &workspace.disk)
    });
    let problems: Vec<Problem> = workspace.all_problems().collect();
    match args.format {
        DoctorFormat::Text => print(&text(&examination, name, &workspace, &problems)),
        DoctorFormat::Json => {
            let caches = workspace.disk.offered_caches();
            let help = |script: &ExaminedScript| help(script, &workspace.disk, &caches);
            print_json(&json::render(&examination, name, &workspace.folder, &problems, &help))
        }
    }
}

fn text(examination: &Examination, name: &str, workspace: &Workspace, problems: &[Problem]) -> String {
    let unit = examination.unit;
    let caches = workspace.disk.offered_caches();
    // Of those that were only seen calling others, the number says enough.
    let (scripts, without_time): (Vec<_>, Vec<_>) =
        examination.scripts.iter().partition(|script| script.time > Amount(0));
    let (groups, scripts) =
        without_scripts_of_others(scripts, |script| help(script, &workspace.disk, &caches).is_some());
    let without_script = examination.without_script.iter().map(|row| row.time).sum();
    let times =
        scripts.iter().map(|script| script.time).chain(groups.iter().map(|group| group.not_placed.time));
    let costs = costs(examination, times.chain([without_script]));
    let indent = costs.first().map_or(0, |cost| cost.chars().count() + 2);
    let mut costs = costs.into_iter();
    let page = TextPage {
        indent,
        caches,
        active: examination.active,
        folder: &workspace.folder,
        disk: &workspace.disk,
    };
    let all = count(examination.scripts.len() as u64, "script");
    let active = format!("{} of {}", amount(examination.active, unit, Style::Text), whole(unit));
    let (name, folder) = (plain(name), plain(workspace.folder.as_str()));
    let mut text = format!("{name}: {active} in {all}.\nWorkspace: {folder}\n");
    text.extend(problems.iter().map(|problem| problem_line(problem, Stream::Out.columns())));
    for script in scripts {
        text += &page.script(script, &costs.next().unwrap_or_default());
    }
    for group in groups {
        let scripts = count(group.scripts.len() as u64, "script");
        let names: Vec<String> =
            group.scripts.iter().map(|script| page.name_of_other(&script.resource)).collect();
        text += &format!("\n{}  {scripts}\n", costs.next().unwrap_or_default());
        text += &page.not_placed_among(&group.not_placed, &format!(": {}", some(&names)));
    }
    if !without_time.is_empty() {
        text += &format!("\nWithout a share of their own: {}\n", count(without_time.len() as u64, "script"));
    }
    if !examination.without_script.is_empty() {
        text += &format!("\n{}  no script\n", costs.next().unwrap_or_default());
        text += &page.not_placed(&examination.without_script);
    }
    text
}

struct TextPage<'a> {
    /// The name of a script comes after this many columns, which have its share and its time.
    indent: usize,
    /// Runners whose caches were not read.
    caches: Vec<Runner>,
    active: Amount,
    folder: &'a FilePath,
    disk: &'a Disk,
}

impl TextPage<'_> {
    fn script(&self, script: &ExaminedScript, cost: &str) -> String {
        let room = Stream::Out.columns().saturating_sub(self.indent).clamp(20, 100);
        let mut text = format!("\n{cost}  {}\n", printable(&script.resource, room));
        text += &self.row("file", &self.file(script));
        let which = if is_of_memory(script) { Some(OF_MEMORY) } else { script.text.and_then(which_text) };
        if let Some(which) = which {
            text += &self.row("text", which);
        }
        if let Some(module) = &script.names {
            let how = "whose functions begin where these do";
            text += &self.row("names", &format!("{}, {how}", self.path(module)));
        }
        // Of a text without a map that is already said.
        if let Some(map) =
            script.map.as_ref().filter(|_| !matches!(script.text, Some(WhichText::Compiled(_))))
        {
            text += &self.row("map", &self.map(map));
            text += &self.maps_of_sources(map);
        }
        if !script.placed.is_empty() {
            let functions: usize = script.placed.iter().map(|(_, count)| count).sum();
            let files: Vec<String> =
                script.placed.iter().map(|(file, count)| format!("{} ({count})", self.path(file))).collect();
            let ran = count(script.functions as u64, "function");
            text += &self.row("placed", &format!("{functions} of {ran}: {}", some(&files)));
        }
        text += &self.not_placed(&script.not_placed);
        if let Some(help) = help(script, self.disk, &self.caches) {
            text += &self.row("help", &help);
        }
        text
    }

    fn file(&self, script: &ExaminedScript) -> String {
        match &script.file {
            Located::File { file, found_by, transformed } => {
                let how = match found_by {
                    _ if has_other_text(script) => "by the end of its path, but it has another text",
                    FoundBy::Path => "by its path or a mapping",
                    FoundBy::EndOfPath => "by the end of its path and the rest of the trace",
                    FoundBy::Moved => "by its text: it was moved since the trace was recorded",
                    FoundBy::Text => "by its name and its text",
                    FoundBy::Claim { .. } => "by the end of its path, and its functions stand where they ran",
                };
                let ran = if *transformed { "; what ran was made from it on its way" } else { "" };
                format!("{}, {how}{ran}", self.path(file))
            }
            Located::Unplaced(reason) => {
                let files: Vec<String> =
                    script.namesakes.iter().map(|namesake| self.path(&namesake.file)).collect();
                match (reason, &files[..]) {
                    (UnplacedReason::NotInWorkspace, []) => {
                        "none: no file of the workspace has its path or its name".into()
                    }
                    (UnplacedReason::Ambiguous, [file]) => {
                        format!("none for sure; {file} may be this script or another one of the trace")
                    }
                    (UnplacedReason::NotInWorkspace, [file]) => {
                        format!("none for sure; of its name there is {file}")
                    }
                    (UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous, [_, ..]) => {
                        format!("none for sure; of its name there are {}", some(&files))
                    }
                    _ => format!("none: it {}", reason_text(*reason)),
                }
            }
        }
    }

    fn map(&self, map: &MapDecision) -> String {
        match map {
            MapDecision::NotGenerated => "none needed: nothing says that the file was generated".into(),
            MapDecision::Off => "none: the settings want none to be read".into(),
            MapDecision::Followed(FollowedMap { at: MapPlace::Trace, not_found, moved, .. }) => {
                format!("in the trace, of the text that ran{}{}", missing(not_found), self.moved(moved))
            }
            MapDecision::Followed(FollowedMap {
                at, stale, sources, not_found, moved, unshipped, ..
            }) => {
                let stale = if *stale { ", of another build than the file" } else { "" };
                let mut text = format!("{}{stale}, {}", self.place(at), count(*sources as u64, "source"));
                text += &missing(not_found);
                text += &self.moved(moved);
                if *unshipped {
                    text += "; functions stay in the file, as its package does not contain its sources";
                }
                text
            }
            MapDecision::Broken { at, reason } => format!("{} cannot be used: {reason}", self.place(at)),
            MapDecision::Missing { wanted } => format!("missing: {} is not there", self.wanted(wanted)),
            MapDecision::Refused { wanted, refusal } => {
                format!("{} is not used: {refusal}", self.wanted(wanted))
            }
        }
    }

    /// The sources that were moved since the map was made.
    fn moved(&self, moved: &[(String, FilePath)]) -> String {
        let names: Vec<String> =
            moved.iter().map(|(was, now)| format!("{} is {}", printable(was, 60), self.path(now))).collect();
        match &names[..] {
            [] => String::new(),
            _ => format!("; moved since: {}", some(&names)),
        }
    }

    /// The maps of sources that were generated themselves, a row each.
    fn maps_of_sources(&self, map: &MapDecision) -> String {
        let MapDecision::Followed(FollowedMap { of_sources, .. }) = map else { return String::new() };
        let rows = of_sources.iter().map(|(file, map)| {
            self.row("", &format!("of {}: {}", self.path(file), self.map(map))) + &self.maps_of_sources(map)
        });
        rows.collect()
    }

    fn not_placed(&self, all: &[NotPlaced]) -> String {
        all.iter().map(|row| self.not_placed_among(row, "")).collect()
    }

    /// `scripts` names the scripts if there are several.
    fn not_placed_among(&self, row: &NotPlaced, scripts: &str) -> String {
        let (part, functions) = (self.part(row.time), count(row.functions as u64, "function"));
        self.row("not", &format!("{part} ({functions}) {}{scripts}", reason_text(row.reason)))
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

    fn name_of_other(&self, resource: &str) -> String {
        let path = resource.strip_prefix("file://").unwrap_or(resource);
        self.path_of(path, &FilePath::new(path))
    }

    fn row(&self, what: &str, text: &str) -> String {
        format!("{:indent$}{what:<8}{}\n", "", plain(text), indent = self.indent)
    }

    fn part(&self, time: Amount) -> String {
        percent(share(time, self.active), Style::Text)
    }
}

/// The sources that are not in the workspace.
fn missing(not_found: &[String]) -> String {
    let names: Vec<String> = not_found.iter().map(|source| printable(source, 60)).collect();
    match names.len() {
        0 => String::new(),
        number => format!("; {} not in the workspace: {}", count(number as u64, "source"), some(&names)),
    }
}

/// The share and each of these times, in columns.
fn costs(examination: &Examination, times: impl Iterator<Item = Amount>) -> Vec<String> {
    let (mut parts, mut amounts) = (Vec::new(), Vec::new());
    for time in times {
        parts.push(percent(share(time, examination.active), Style::Text));
        amounts.push(amount(time, examination.unit, Style::Text));
    }
    column(&parts).iter().zip(column(&amounts)).map(|(part, time)| format!("{part}  {time}")).collect()
}

/// The first few entries of a list, and how many more there are.
fn some(all: &[String]) -> String {
    let named = all[..all.len().min(NAMED)].join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// The text in which functions were searched for, if it is not the obvious one.
fn which_text(text: WhichText) -> Option<&'static str> {
    match text {
        WhichText::Today | WhichText::None { .. } => None,
        WhichText::Committed => Some("as it was committed when the trace was recorded"),
        WhichText::Trace => Some("the one that the trace holds"),
        WhichText::Compiled(_) => Some(
            "transformed, without a source map: functions are found by their names, their code and their order",
        ),
        WhichText::Cache(Runner::Tsx) => Some("transformed by tsx, whose cache has it"),
        WhichText::Cache(Runner::Jest) => Some("transformed by Jest, whose cache has it"),
        WhichText::Cache(Runner::Babel) => Some("transformed by @babel/register, whose cache has it"),
    }
}

/// What is said of the text of a script that a development server keeps in memory, where the disk has the output of a build.
const OF_MEMORY: &str = "not that of the file, whose source map does not describe it";

/// Whether a script ran from memory though its file was built: the map of the file says nothing of what ran.
fn is_of_memory(script: &ExaminedScript) -> bool {
    matches!(script.text, Some(WhichText::Compiled(_)))
        && matches!(script.map, Some(MapDecision::Followed(FollowedMap { at: MapPlace::File(_), .. })))
        && script.not_placed.iter().any(|row| row.reason == UnplacedReason::OtherText)
}

/// Whether a file was found whose text differs from the one that ran.
fn has_other_text(script: &ExaminedScript) -> bool {
    matches!(script.text, Some(WhichText::None { reason: UnplacedReason::OtherText, .. }))
}

/// The server of a script, or the name of its build, or its folder on a disk, with a slash at the end.
fn folder(script: &ExaminedScript) -> &str {
    let resource = script.resource.split(['?', '#']).next().unwrap_or_default();
    let root = resource.find("://").map(|at| at + 3).filter(|_| has_root(resource));
    // A build that is named after a package of a scope has two parts: `webpack://@my/app/`.
    let parts = root.map_or(0, |root| usize::from(resource[root..].starts_with('@')));
    let origin = root.and_then(|root| Some(root + resource[root..].match_indices('/').nth(parts)?.0));
    let end = origin.or_else(|| resource.rfind(['/', '\\'])).map_or(resource.len(), |at| at + 1);
    &resource[..end]
}

/// Whether it is of a server or of the build of a bundler.
fn has_root(resource: &str) -> bool {
    resource.contains("://") && !resource.starts_with("file:")
}

/// The mapping of a script's folder that the user can complete.
fn folder_mapping(script: &ExaminedScript) -> String {
    shell::word(&format!("{}=FOLDER/", printable(folder(script), 80)))
}

/// The mapping that makes a script a file with its name.
fn namesake_mapping(namesake: &Namesake) -> String {
    let (from, to) = (printable(&namesake.mapping.from, 80), printable(&namesake.mapping.to, 80));
    shell::word(&format!("{from}={to}"))
}

/// What the user can do.
fn help(script: &ExaminedScript, disk: &Disk, caches: &[Runner]) -> Option<String> {
    match (&script.file, &script.map) {
        _ if is_of_memory(script) => Some(WRITE_OUT.into()),
        (Located::File { .. }, Some(MapDecision::Followed(FollowedMap { not_found, stale: false, .. })))
            if script.placed.is_empty() && !not_found.is_empty() =>
        {
            let how = "put the sources back where the map says";
            Some(format!("{how}, or use a folder that contains them as the workspace (--workspace)"))
        }
        (_, Some(MapDecision::Followed(FollowedMap { at: MapPlace::Trace, .. }))) => None,
        (Located::Unplaced(UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous), _) => {
            match &script.namesakes[..] {
                [only] => Some(format!("--map {} says that it is that file", namesake_mapping(only))),
                [first, ..] => {
                    Some(format!("--map {} says that it is the first of these", namesake_mapping(first)))
                }
                [] if path_inside(&script.resource, disk).is_some() => Some(WRITE_OUT.into()),
                [] => Some(format!("--map {} says where it lies", folder_mapping(script))),
            }
        }
        _ if has_other_text(script) => {
            Some(format!("record again, or --map {} says where it lies", folder_mapping(script)))
        }
        (_, Some(MapDecision::Missing { wanted })) => {
            let how = to_build_with(wanted);
            let mapping = shell::word(&format!("{}=FILE", printable(wanted, 120)));
            Some(format!("build again with {how}, or --map {mapping} says where the map is"))
        }
        (_, Some(MapDecision::Broken { .. } | MapDecision::Followed(FollowedMap { stale: true, .. }))) => {
            Some("build again with source maps, and record again".into())
        }
        _ if matches!(script.text, Some(WhichText::Compiled(_))) => {
            let how = match script.text {
                Some(WhichText::Compiled(Compiler::Jiti)) => {
                    "set JITI_SOURCE_MAPS=1, so that jiti writes source maps"
                }
                Some(WhichText::Compiled(Compiler::Vitest)) => {
                    "run Vitest with --pool=forks or --pool=threads, which have source maps"
                }
                _ => "let the compiler write source maps (`sourceMap` of ts-jest, `devtool` of webpack)",
            };
            Some(format!("{how}, and record again"))
        }
        // What runs in a browser is in the cache of no runner.
        _ if script.transformed && !caches.is_empty() && !has_root(&script.resource) => {
            let names: Vec<&str> = caches.iter().map(|runner| runner.name()).collect();
            Some(format!(
                "record with proflens record, which keeps the text that ran, or --runner-caches {} finds functions exactly, if the cache has it",
                names.join(",")
            ))
        }
        _ => None,
    }
}
