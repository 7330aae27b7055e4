//! The findings of `doctor` as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

use analysis::files::FilePath;
use analysis::locate::{FoundBy, Located};
use analysis::symbolicate::{FollowedMap, MapDecision, MapPlace, WhichText};
use analysis::views::{Examination, ExaminedScript, NotPlaced};
use profile::model::Unit;
use profile::problem::Problem;
use serde::Serialize;

use super::super::amounts::{InUnit, named};
use super::super::relative;
use super::super::screen::json_text;

/// What `doctor --format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonDoctor<'a> {
    /// 1. Fields may be added under it; none changes its meaning.
    version: u32,
    /// What was measured: `time` or `bytes`.
    unit: Unit,
    /// The trace, as it was named.
    trace: &'a str,
    /// The workspace folder, its whole path.
    workspace: &'a str,
    /// The active time of all threads.
    #[serde(flatten)]
    active_ns: InUnit<u64>,
    /// The scripts of the trace, the costliest first.
    scripts: Vec<JsonScript<'a>>,
    /// The time of functions that are in no script, by its reason.
    without_script: Vec<JsonNotPlaced>,
    /// What is wrong with the debug configurations and the history of the workspace, and mappings that lead to no file.
    problems: &'a [Problem],
}

/// A script, as the trace calls it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonScript<'a> {
    /// The url or path exactly as the trace has it.
    resource: &'a str,
    /// The self time of its functions.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
    /// How many of its functions ran.
    functions: usize,
    /// Which file it is.
    file: JsonScriptFile,
    /// In which text functions were looked for: `today`, `committed`, `trace`, `cache`; `null` if there is none.
    text: Option<&'static str>,
    /// The module of WebAssembly, from the workspace folder, whose names its functions have, where they had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<String>,
    /// What became of its source map; `null` where it has no file.
    map: Option<JsonMap>,
    /// The files on which its functions were placed.
    placed: Vec<JsonPlaced>,
    /// The time of those that were not, by its reason.
    unplaced: Vec<JsonNotPlaced>,
    /// What to do; `null` if there is nothing to do.
    help: Option<String>,
}

/// The file of a script, or why there is none.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonScriptFile {
    /// The file, from the workspace folder; `null` if there is none.
    path: Option<String>,
    /// How it was found: `path`, `end-of-path`, `text`, `moved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// Whether what ran was made of it on its way, as a development server does.
    #[serde(skip_serializing_if = "Option::is_none")]
    transformed: Option<bool>,
    /// Why there is none: the reason, as in the ledger of `report`.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    /// Files of its name that it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    namesakes: Option<Vec<String>>,
}

/// What became of a source map.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct JsonMap {
    /// `read`, `stale` (read, and of another build), `in-trace`, `not-needed`, `off`, `missing`, `refused` or `broken`.
    state: &'static str,
    /// The map, from the workspace folder, or where it was looked for; `inline` and `trace` where it is in the text or the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// How many sources it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<usize>,
    /// Those that are not in the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_found: Option<Vec<String>>,
    /// Those that were moved since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved: Vec<JsonMoved>,
    /// `true` if functions stay on the generated file, as its package came without its sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    functions_stay: Option<bool>,
    /// The maps of sources that were generated themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    of_sources: Vec<JsonMapOfSource>,
    /// Why it was refused, or what is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A source that was moved since its map was made.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonMoved {
    /// The source, as the map has it.
    source: String,
    /// The file that it is today.
    file: String,
}

/// The map of a source.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonMapOfSource {
    /// The source, from the workspace folder.
    source: String,
    /// Its map.
    map: JsonMap,
}

/// Functions that were placed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPlaced {
    /// The file, from the workspace folder.
    file: String,
    /// How many they are.
    functions: usize,
}

/// Functions that were not placed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonNotPlaced {
    /// The reason, as in the ledger of `report`.
    why: &'static str,
    /// How many they are.
    functions: usize,
    /// Their self time.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
}

/// One object and a line break. `help` says what the user can do about a script.
pub(super) fn render(
    examination: &Examination,
    trace: &str,
    folder: &FilePath,
    problems: &[Problem],
    help: &dyn Fn(&ExaminedScript) -> Option<String>,
) -> String {
    let unit = examination.unit;
    let page = Page { help, folder, unit };
    let root = JsonDoctor {
        version: 1,
        unit,
        trace,
        workspace: folder.as_str(),
        active_ns: named("active", unit, examination.active),
        scripts: examination.scripts.iter().map(|script| page.script(script)).collect(),
        without_script: not_placed(&examination.without_script, unit),
        problems,
    };
    json_text(&root)
}

impl JsonMap {
    fn in_state(state: &'static str) -> Self {
        Self { state, ..Self::default() }
    }
}

struct Page<'a> {
    help: &'a dyn Fn(&ExaminedScript) -> Option<String>,
    folder: &'a FilePath,
    unit: Unit,
}

impl Page<'_> {
    fn path(&self, file: &FilePath) -> String {
        relative(file, self.folder).into_owned()
    }

    fn script<'s>(&self, script: &'s ExaminedScript) -> JsonScript<'s> {
        let placed = script.placed.iter();
        JsonScript {
            resource: &script.resource,
            self_ns: named("self", self.unit, script.time),
            functions: script.functions,
            names: script.names.as_ref().map(|it| self.path(it)),
            file: self.file(script),
            text: script.text.and_then(text),
            map: script.map.as_ref().map(|decision| self.map(decision)),
            placed: placed
                .map(|(file, functions)| JsonPlaced { file: self.path(file), functions: *functions })
                .collect(),
            unplaced: not_placed(&script.not_placed, self.unit),
            help: (self.help)(script),
        }
    }

    fn file(&self, script: &ExaminedScript) -> JsonScriptFile {
        match &script.file {
            Located::File { file, found_by, transformed } => {
                let by = match found_by {
                    FoundBy::Path => "path",
                    FoundBy::EndOfPath => "end-of-path",
                    FoundBy::Claim { .. } | FoundBy::Text => "text",
                    FoundBy::Moved => "moved",
                };
                JsonScriptFile {
                    path: Some(self.path(file)),
                    by: Some(by),
                    transformed: Some(*transformed),
                    why: None,
                    namesakes: None,
                }
            }
            Located::Unplaced(reason) => JsonScriptFile {
                path: None,
                by: None,
                transformed: None,
                why: Some(reason.name()),
                namesakes: Some(script.namesakes.iter().map(|namesake| self.path(&namesake.file)).collect()),
            },
        }
    }

    /// The decision about a source map, and about those of its sources.
    fn map(&self, decision: &MapDecision) -> JsonMap {
        match decision {
            MapDecision::NotGenerated => JsonMap::in_state("not-needed"),
            MapDecision::Off => JsonMap::in_state("off"),
            MapDecision::Followed(FollowedMap { at: MapPlace::Trace, moved, .. }) => {
                JsonMap { moved: self.moved(moved), ..JsonMap::in_state("in-trace") }
            }
            MapDecision::Followed(map) => JsonMap {
                path: Some(self.place(&map.at)),
                sources: Some(map.sources),
                not_found: Some(map.not_found.clone()),
                moved: self.moved(&map.moved),
                functions_stay: map.unshipped.then_some(true),
                of_sources: map
                    .of_sources
                    .iter()
                    .map(|(file, map)| JsonMapOfSource { source: self.path(file), map: self.map(map) })
                    .collect(),
                ..JsonMap::in_state(if map.stale { "stale" } else { "read" })
            },
            MapDecision::Broken { at, reason } => JsonMap {
                path: Some(self.place(at)),
                reason: Some(reason.to_string()),
                ..JsonMap::in_state("broken")
            },
            MapDecision::Missing { wanted } => {
                JsonMap { path: Some(self.path(&FilePath::new(wanted))), ..JsonMap::in_state("missing") }
            }
            MapDecision::Refused { wanted, refusal } => JsonMap {
                path: Some(self.path(&FilePath::new(wanted))),
                reason: Some(refusal.to_string()),
                ..JsonMap::in_state("refused")
            },
        }
    }

    fn moved(&self, moved: &[(String, FilePath)]) -> Vec<JsonMoved> {
        moved
            .iter()
            .map(|(source, file)| JsonMoved { source: source.clone(), file: self.path(file) })
            .collect()
    }

    fn place(&self, at: &MapPlace) -> String {
        match at {
            MapPlace::File(file) => self.path(file),
            MapPlace::Inline => "inline".to_owned(),
            MapPlace::Trace => "trace".to_owned(),
        }
    }
}

fn text(text: WhichText) -> Option<&'static str> {
    match text {
        WhichText::Today => Some("today"),
        WhichText::Committed => Some("committed"),
        WhichText::Trace => Some("trace"),
        WhichText::Cache(_) => Some("cache"),
        WhichText::Compiled(_) => Some("compiled"),
        WhichText::None { .. } => None,
    }
}

fn not_placed(all: &[NotPlaced], unit: Unit) -> Vec<JsonNotPlaced> {
    let rows = all.iter().map(|row| JsonNotPlaced {
        why: row.reason.name(),
        functions: row.functions,
        self_ns: named("self", unit, row.time),
    });
    rows.collect()
}
