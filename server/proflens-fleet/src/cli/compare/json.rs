//! The comparison as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

use compare::{FunctionChange, Presence};
use proflens::cli::compare::{JsonChange, json_change};
use serde::Serialize;

use super::{Cluster, Report, Work};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonComparison<'a> {
    version: u32,
    unit: &'static str,
    /// By what times are divided: `session`, `active`.
    per: &'static str,
    /// What is independent: `user`, `session`.
    by: &'static str,
    /// The part of false alarms that is allowed, 0..1.
    level: f64,
    before: JsonSide<'a>,
    after: JsonSide<'a>,
    /// The active time.
    active: JsonChange,
    functions: Vec<JsonFunction<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSide<'a> {
    #[serde(rename = "where")]
    condition: String,
    sessions: u64,
    users: u64,
    /// Users, and sessions of nobody in particular.
    clusters: u64,
    samples: u64,
    releases: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFunction<'a> {
    name: &'a str,
    file: &'a str,
    /// Of the newest release, from 1.
    line: u32,
    column: u32,
    verdict: &'static str,
    /// Which sides have it: `both`, `before`, `after`.
    measured: &'static str,
    /// The time that tells most: `self`, `total`.
    shown: &'static str,
    #[serde(rename = "self")]
    self_time: JsonChange,
    total: JsonChange,
}

/// One object and a line break.
pub(super) fn render(report: &Report<'_>, limit: usize) -> String {
    let comparison = report.comparison;
    let [before, after] = [0, 1].map(|it| side(report, it));
    let json = JsonComparison {
        version: 1,
        unit: comparison.unit.name(),
        per: match report.args.sides.per {
            Work::Session => "session",
            Work::Active => "active",
        },
        by: match report.args.sides.by {
            Cluster::User => "user",
            Cluster::Session => "session",
        },
        level: comparison.settings.level,
        before,
        after,
        active: json_change(&comparison.whole),
        functions: comparison.functions.iter().take(limit).map(function).collect(),
    };
    let json = serde_json::to_value(&json).expect("plain structs with string keys always serialize");
    format!("{json:#}\n")
}

fn side<'a>(report: &Report<'a>, side: usize) -> JsonSide<'a> {
    let it = &report.sides[side];
    let [_, _, samples] = it.chosen.totals.sums;
    JsonSide {
        condition: report.condition(side).to_string(),
        sessions: it.chosen.totals.sessions,
        users: it.users,
        clusters: report.comparison.sides[side].runs,
        samples,
        releases: it.releases().into_iter().collect(),
    }
}

fn function(it: &FunctionChange) -> JsonFunction<'_> {
    JsonFunction {
        name: &it.info.name,
        file: it.key.file.as_str().trim_start_matches('/'),
        line: it.info.start.line + 1,
        column: it.info.start.column + 1,
        verdict: it.verdict.name(),
        measured: match it.presence {
            Presence::Both => "both",
            Presence::Before => "before",
            Presence::After => "after",
        },
        shown: if it.shows_total() { "total" } else { "self" },
        self_time: json_change(&it.self_time),
        total: json_change(&it.total_time),
    }
}
