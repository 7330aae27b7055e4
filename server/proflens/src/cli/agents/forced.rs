//! Style and layout that a function forced, for agents.

use analysis::rendering::ForcedByFunction;
use schemars::JsonSchema;
use serde::Serialize;

use super::quoted::{NAME, quoted};

/// How often a function forced style and layout.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ForcedAnswer {
    /// How often it forced a layout.
    layouts: u64,
    /// How often it forced a computation of style.
    styles: u64,
    /// The time of both, a part of its self time.
    pub(super) time_ns: u64,
    /// The same in words, with the costliest place: what it asked for and the line, from 1.
    pub(super) text: String,
}

impl ForcedAnswer {
    /// Creates it for a function; `line_today` returns the lines of today, 0-based.
    pub(super) fn new(by_function: &ForcedByFunction, line_today: impl Fn(u32) -> Option<u32>) -> Self {
        let forced = by_function.forced;
        let site = by_function.site_text(|asked_for| quoted(asked_for, NAME), line_today);
        let site = site.map(|site| format!(" ({site})")).unwrap_or_default();
        Self {
            layouts: forced.layouts,
            styles: forced.styles,
            time_ns: forced.time().0,
            text: format!("{}{site}", forced.text()),
        }
    }
}
