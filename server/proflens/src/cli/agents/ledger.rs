//! Where all time went; for time on no function of the workspace, why, and what to do about it.

use analysis::locate::UnplacedReason;
use analysis::scope::marker_detail;
use analysis::summary::Base;
use analysis::views::{SortBy, hottest, ledger_rows};
use schemars::JsonSchema;
use serde::Serialize;

use super::quoted::{PATH, place, quoted, shown};
use super::{AgentAnswer, Cost, Subject, left_out, lines};

/// How many markers are listed: those of the program, and the slowest user interactions.
const MAX_MARKERS: usize = 6;

/// Where all time went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerAnswer {
    /// What was measured.
    measured: String,
    /// The parts, which add up to all time; those of the active time first.
    rows: Vec<LedgerPart>,
    /// How many rows were left out.
    left_out: usize,
    /// Markers of the trace that a window can be made of, with when they were: clicks and keys of a page, what a program marked.
    markers: Vec<String>,
    /// What should be known before a number is believed.
    warnings: Vec<String>,
    /// What to ask next.
    next: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LedgerPart {
    /// Why it is on no function of the workspace, by the name that reports use; `placed` for what is.
    why: String,
    /// The same in words.
    label: String,
    cost: Cost,
    /// Whether it is a part of the 100 %.
    is_active: bool,
    /// To what it applies: packages, paths or names, as the trace has them.
    examples: Vec<String>,
    /// What can be done about it.
    help: String,
}

/// The ledger of a recording.
pub(crate) fn ledger(subject: Subject<'_>) -> LedgerAnswer {
    let summary = &subject.recording.summary;
    let has_rendering = subject.recording.rendering.is_some();
    let rows = ledger_rows(&summary.ledger, Base::Active).into_iter().map(|row| LedgerPart {
        why: row.why.to_owned(),
        cost: subject.spent(row.spent),
        is_active: row.share.is_some(),
        examples: row.examples.iter().map(|example| shown(example, PATH)).collect(),
        help: help(row.why, has_rendering).to_owned(),
        label: row.label,
    });
    let choices = subject.recording.traces.iter().flat_map(|trace| &trace.markers);
    let markers =
        choices.map(|choice| format!("{} ({})", quoted(&choice.marked.name, PATH), marker_detail(choice)));
    let next = next(subject);
    LedgerAnswer {
        measured: subject.measured(),
        rows: rows.collect(),
        left_out: 0,
        markers: markers.take(MAX_MARKERS).collect(),
        warnings: subject.warnings(),
        next,
    }
}

impl LedgerAnswer {
    /// As a part of a text, after which there is nobody to ask.
    pub(crate) fn in_a_text(mut self) -> Self {
        self.next.clear();
        for row in &mut self.rows {
            if row.why == UnplacedReason::Dependency.name() {
                row.help = "--dependencies lists their functions".to_owned();
            } else if row.why == UnplacedReason::Program.name() {
                row.help = NO_JAVASCRIPT.to_owned();
            }
        }
        self
    }
}

/// What to ask next. If most time is in callees outside of the workspace, its self times say little.
fn next(subject: Subject<'_>) -> String {
    let summary = &subject.recording.summary;
    let Some((key, measured)) = hottest(summary, SortBy::SelfTime).into_iter().next() else {
        return "Next: nothing is on functions of this workspace; do what the largest part says.".to_owned();
    };
    if summary.ledger.placed_share(Base::Active) < 0.5 {
        return "Next: hottest with by: total, as most time is in what functions of this workspace call."
            .to_owned();
    }
    let (name, file) =
        (quoted(&measured.name, PATH), place(&subject.path(&key.file), subject.line(key, measured)));
    format!("Next: hottest, or function of {name} in {file}, which has the most self time.")
}

impl AgentAnswer for LedgerAnswer {
    fn text(&self) -> String {
        let rows = self.rows.iter().map(LedgerPart::text).collect::<String>();
        // A part of a text is printed in a shell.
        let (tokens, marker) = match self.next.is_empty() {
            true => ("a larger --max-tokens lists them", "--marker"),
            false => ("a larger max_tokens lists them", "marker"),
        };
        let more = left_out(self.left_out, "small part", tokens).unwrap_or_default();
        let markers = match &self.markers[..] {
            [] => String::new(),
            markers => {
                format!("`{marker}` looks at the time of one of these alone: {}.", markers.join(", "))
            }
        };
        let warnings = self.warnings.iter().map(String::as_str);
        let first = [&*self.measured, rows.trim_end(), &more, &markers];
        lines(first.into_iter().chain(warnings).chain([&*self.next]))
    }

    fn shrink(&mut self) -> bool {
        if self.warnings.pop().or_else(|| self.markers.pop()).is_some() {
            return true;
        }
        let is_needed = self.rows.len() <= 2;
        if !is_needed {
            self.rows.pop();
            self.left_out += 1;
        }
        !is_needed
    }
}

impl LedgerPart {
    fn text(&self) -> String {
        let cost =
            if self.is_active { self.cost.text() } else { format!("{}, not in the 100 %", self.cost.text) };
        let examples: Vec<String> = self.examples.iter().map(|example| quoted(example, PATH + 30)).collect();
        let of =
            if examples.is_empty() { String::new() } else { format!(", such as {}", examples.join(", ")) };
        let help = if self.help.is_empty() { String::new() } else { format!(". {}", self.help) };
        format!("- {}: {cost}{of}{help}\n", self.label)
    }
}

const NO_JAVASCRIPT: &str =
    "No JavaScript ran: parsing, compiling, input and output; in a page also style, layout and paint";

/// What can be done about time that is on no function of the workspace. `has_rendering`: whether the trace tells what
/// forced style and layout.
fn help(why: &str, has_rendering: bool) -> &'static str {
    use UnplacedReason as Why;
    let reason = Why::ALL.into_iter().find(|reason| reason.name() == why);
    let Some(reason) = reason else {
        return if why == "generated" { "Build with source maps and keep them beside the files" } else { "" };
    };
    match reason {
        Why::Native => "Look at who calls it: it is in the total time of its callers",
        Why::Program if has_rendering => {
            "No JavaScript ran: parsing, compiling, input and output, style, layout and paint; hottest with what: rendering names the functions that forced style and layout"
        }
        Why::Program => NO_JAVASCRIPT,
        Why::GarbageCollector => "Look for what allocates: record with --heap=all",
        Why::Runtime => "It is called by your code or loads it: look at total times and paths",
        Why::NoResource => "Code made while the program ran, which is in no file",
        Why::Compiler => "Helpers of a compiler: they are in the total time of their callers",
        Why::NotInWorkspace => {
            "Start in the folder that has these files, or say where they lie with --map FROM=TO"
        }
        Why::OtherText => "Check out the version that ran, or record again",
        Why::Dependency => {
            "hottest with what: packages names them; started with --dependencies, their functions are listed"
        }
        Why::MapBroken | Why::OutsideMap => "Build again with complete source maps, and record again",
        Why::Transformed => {
            "Record with proflens record, which keeps what a loader made, or allow --runner-caches"
        }
        Why::NoDefinition => "The file is not the one that ran: record again",
        Why::Ambiguous => "Several files fit: say which with --map FROM=TO",
        Why::Unsampled => "The program did not run then, or the machine was too busy to sample it",
        Why::Unknown => "The trace is damaged there",
    }
}
