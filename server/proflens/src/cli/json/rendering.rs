//! Style and layout that functions forced, in the report as JSON.

use std::borrow::Cow;

use analysis::rendering::{Forced, ForcedByFunction, Rendering};
use analysis::summary::CallEnd;
use serde::Serialize;

use crate::cli::content::Report;
use crate::cli::relative;

/// Style and layout that functions forced, which is a part of their self times.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonRendering<'a> {
    /// All of it.
    all: JsonForced,
    /// The functions that forced it, those first for which it took the most time, at most `--limit`.
    functions: Vec<JsonForcing<'a>>,
}

/// How often style and layout were forced, and how long they took.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonForced {
    /// How often layout was computed.
    layouts: u64,
    /// The time that this took.
    layout_ns: u64,
    /// How often style was computed.
    styles: u64,
    /// The time that this took.
    style_ns: u64,
}

/// A function that forced style or layout.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonForcing<'a> {
    /// Its name; empty where it has none, and `null` for what was forced while JavaScript ran, by no function that the trace names.
    name: Option<&'a str>,
    /// Its file, as that of a function; `null` where it was not placed.
    file: Option<Cow<'a, str>>,
    /// The line of its name, or of itself where it has none; `null` where it was not placed.
    line: Option<u32>,
    /// The script of a function that was not placed, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<&'a str>,
    /// Why it was not placed, as in the ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    /// What it forced.
    forced: JsonForcedByFunction<'a>,
}

/// What a function forced.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonForcedByFunction<'a> {
    /// All of it.
    #[serde(flatten)]
    all: JsonForced,
    /// The same by place, the costliest first.
    sites: Vec<JsonSite<'a>>,
}

/// A place at which a function forced style or layout.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSite<'a> {
    /// The line of its file; `null` where that is not known.
    line: Option<u32>,
    /// The property that it asked for, such as `offsetWidth`; `null` where that is not known.
    asked_for: Option<&'a str>,
    /// What it forced there.
    #[serde(flatten)]
    forced: JsonForced,
}

/// The forced style and layout for a report.
pub(super) fn json_rendering<'a>(report: &Report<'a>, rendering: &'a Rendering) -> JsonRendering<'a> {
    let functions = rendering.costliest().into_iter().take(report.limit);
    let functions = functions.map(|(end, by_function)| forcing(report, end, by_function));
    JsonRendering { all: json_forced(&rendering.all()), functions: functions.collect() }
}

/// What a function forced.
pub(super) fn json_forced_by(by_function: &ForcedByFunction) -> JsonForcedByFunction<'_> {
    let sites = by_function.costliest_sites().into_iter().map(|(site, forced)| JsonSite {
        line: site.line.map(|line| line + 1),
        asked_for: site.asked_for.as_deref(),
        forced: json_forced(&forced),
    });
    JsonForcedByFunction { all: json_forced(&by_function.forced), sites: sites.collect() }
}

fn forcing<'a>(report: &Report<'a>, end: &'a CallEnd, by_function: &'a ForcedByFunction) -> JsonForcing<'a> {
    let (file, resource, why) = match end {
        CallEnd::Entry => (None, None, None),
        CallEnd::Definition(key) => (Some(relative(&key.file, report.folder)), None, None),
        CallEnd::Unplaced(function) => (None, function.resource.as_deref(), Some(function.reason.name())),
    };
    JsonForcing {
        name: (*end != CallEnd::Entry).then_some(&*by_function.name),
        file,
        line: by_function.start.map(|start| start.line + 1),
        resource,
        why,
        forced: json_forced_by(by_function),
    }
}

fn json_forced(forced: &Forced) -> JsonForced {
    JsonForced {
        layouts: forced.layouts,
        layout_ns: forced.layout_time.0,
        styles: forced.styles,
        style_ns: forced.style_time.0,
    }
}
