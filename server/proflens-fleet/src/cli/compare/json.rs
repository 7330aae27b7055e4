//! The comparison as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

use compare::change::FunctionChange;
use profile::model::Unit;
use proflens::cli::compare::{JsonChange, JsonFunctionChange, json_change, json_function};
use proflens::cli::screen::json_text;
use serde::Serialize;

use super::report::Report;
use crate::compare_fold::{Cluster, Work};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonComparison<'a> {
    version: u32,
    unit: Unit,
    /// What times are divided by: `session`, `active`.
    per: Work,
    /// What is independent: `user`, `session`.
    by: Cluster,
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
    /// Its place is that in the newest release.
    #[serde(flatten)]
    change: JsonFunctionChange<'a>,
    /// The time that says most: `self`, `total`.
    shown: &'static str,
}

/// One object and a line break.
pub(super) fn render(report: &Report<'_>, limit: usize) -> String {
    let comparison = report.comparison;
    let [before, after] = [0, 1].map(|number| side(report, number));
    let json = JsonComparison {
        version: 1,
        unit: comparison.unit,
        per: report.per,
        by: report.by,
        level: comparison.settings.level,
        before,
        after,
        active: json_change(&comparison.whole, comparison.unit),
        functions: comparison
            .functions
            .iter()
            .take(limit)
            .map(|change| function(change, comparison.unit))
            .collect(),
    };
    json_text(&json)
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

fn function(change: &FunctionChange, unit: Unit) -> JsonFunction<'_> {
    let file = change.key.file.as_str().trim_start_matches('/');
    JsonFunction {
        change: json_function(change, file.into(), unit),
        shown: if change.shows_total() { "total" } else { "self" },
    }
}
