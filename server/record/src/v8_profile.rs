//! What was recorded of one thread, as V8's inspector hands it out.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What was recorded of one thread.
#[derive(Debug)]
pub struct Thread {
    /// Its name: `node main.ts (pid 7)`.
    pub name: String,
    /// What V8 measured.
    pub profile: V8Profile,
    /// The sampled scripts whose texts are known.
    pub scripts: Vec<Script>,
    /// The marks and measures of the program.
    pub marks: Vec<Mark>,
}

/// A profile of the `Profiler` domain
/// (<https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct V8Profile {
    /// The call tree; the root comes first.
    pub nodes: Vec<Node>,
    /// When it began, in microseconds of a clock that all processes of a machine share.
    pub start_time: i64,
    /// When it ended.
    pub end_time: i64,
    /// The node of each sample.
    #[serde(default)]
    pub samples: Vec<u32>,
    /// Microseconds from each sample to the one before, or to the start.
    #[serde(default)]
    pub time_deltas: Vec<i64>,
    /// For each script, the function that made it by `eval` or `new Function`, where that is known.
    #[serde(skip)]
    pub makers: HashMap<String, CallFrame>,
}

/// A node of the call tree.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its number.
    pub id: u32,
    /// The function.
    pub call_frame: CallFrame,
    /// The numbers of the functions that it called.
    #[serde(default)]
    pub children: Vec<u32>,
    /// How many samples were at which of its lines.
    #[serde(default)]
    pub position_ticks: Vec<PositionTick>,
}

/// How many samples were at a line.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PositionTick {
    /// The line, from 1.
    pub line: u32,
    /// The number of samples.
    pub ticks: u32,
}

/// A function and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFrame {
    /// Its name; empty if it has none.
    pub function_name: String,
    /// V8's number of the script.
    pub script_id: String,
    /// The script.
    pub url: String,
    /// The line from 0; -1 if unknown.
    pub line_number: i64,
    /// The column from 0; -1 if unknown.
    pub column_number: i64,
}

/// The text that ran.
#[derive(Debug, Default)]
pub struct Script {
    /// V8's number of it in its thread.
    pub id: String,
    /// Its url or path.
    pub url: String,
    /// The text.
    pub text: String,
    /// Where its source map is, unless the text holds it.
    pub map_url: Option<String>,
    /// The source map as JSON, unless the text holds it.
    pub map: Option<String>,
}

/// A mark or a measure of the program (`performance.mark`, `performance.measure`).
#[derive(Clone, Debug, Deserialize)]
pub struct Mark {
    /// Its name.
    pub name: String,
    /// `mark` or `measure`.
    pub kind: String,
    /// When it began, in microseconds of the profile's clock.
    pub start: i64,
    /// How long it took, in microseconds.
    pub duration: i64,
}
