//! The comparison as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

use compare::change::{FunctionChange, Presence};
use proflens::cli::compare::{JsonChange, json_change};
use serde::Serialize;

use super::report::Report;
use crate::compare_fold::{Cluster, Work};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonComparison<'a> {
    version: u32,
    unit: &'static str,
    /// What times are divided by: `session`, `active`.
    per: &'static str,
    /// What is independent: `user`, `session`.
    by: &'static str,
    /// The proportion of false alarms that is allowed, 0..1.
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
    /// Users, and sessions without a user.
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
    /// The time that says most: `self`, `total`.
    shown: &'static str,
    #[serde(rename = "self")]
    self_time: JsonChange,
    total: JsonChange,
}

/// One object and a line break.
pub(super) fn render(report: &Report<'_>, limit: usize) -> String {
    let comparison = report.comparison;
    let [before, after] = [0, 1].map(|number| side(report, number));
    let json = JsonComparison {
        version: 1,
        unit: comparison.unit.name(),
        per: match report.per {
            Work::Session => "session",
            Work::Active => "active",
        },
        by: match report.by {
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

fn side<'a>(report: &Report<'a>, number: usize) -> JsonSide<'a> {
    let side = &report.sides[number];
    let [_, _, samples] = side.chosen.totals.sums;
    JsonSide {
        condition: report.conditions[number].to_string(),
        sessions: side.chosen.totals.sessions,
        users: side.users,
        clusters: report.comparison.sides[number].runs,
        samples,
        releases: side.releases().into_iter().collect(),
    }
}

fn function(change: &FunctionChange) -> JsonFunction<'_> {
    JsonFunction {
        name: &change.info.name,
        file: change.key.file.as_str().trim_start_matches('/'),
        line: change.info.start.line + 1,
        column: change.info.start.column + 1,
        verdict: change.verdict.name(),
        measured: match change.presence {
            Presence::Both => "both",
            Presence::Before => "before",
            Presence::After => "after",
        },
        shown: if change.shows_total() { "total" } else { "self" },
        self_time: json_change(&change.self_time),
        total: json_change(&change.total_time),
    }
}
