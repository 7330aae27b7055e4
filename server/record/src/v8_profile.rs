//! What was recorded of one thread, as V8's inspector hands it out.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What V8 calls the time in which nothing runs.
const IDLE: &str = "(idle)";

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

impl V8Profile {
    /// Makes the time between two samples idle, from `us` microseconds after the first on. V8 takes no samples of an isolate that no thread is
    /// in, and threads leave the isolate of a worker of workerd while it waits. Without this, the function that ran last would get that time.
    pub(crate) fn make_gaps_idle(&mut self, us: i64) {
        let known = self.nodes.iter().find(|node| node.is_idle()).map(|node| node.id);
        let highest = self.nodes.iter().map(|node| node.id).max();
        let Some(number) = known.or_else(|| highest?.checked_add(1)) else { return };
        let (mut samples, mut deltas) = (Vec::new(), Vec::new());
        for (at, (&sample, &delta)) in self.samples.iter().zip(&self.time_deltas).enumerate() {
            let is_gap = at > 0 && delta > us;
            if is_gap {
                samples.push(number);
                deltas.push(us);
            }
            samples.push(sample);
            deltas.push(if is_gap { delta - us } else { delta });
        }
        if samples.len() == self.samples.len() {
            return;
        }
        (self.samples, self.time_deltas) = (samples, deltas);
        if known.is_none() {
            self.nodes[0].children.push(number);
            self.nodes.push(Node { id: number, ..Node::of(CallFrame::idle()) });
        }
    }
}

impl Node {
    /// A node of a function that nothing else is known of; its number is still to be given.
    pub(crate) fn of(call_frame: CallFrame) -> Self {
        Self { id: 0, call_frame, children: Vec::new(), position_ticks: Vec::new() }
    }

    fn is_idle(&self) -> bool {
        self.call_frame.function_name == IDLE && self.call_frame.url.is_empty()
    }
}

impl CallFrame {
    /// The frame of idle time, as V8 writes it below the root.
    pub(crate) fn idle() -> Self {
        Self {
            function_name: IDLE.to_owned(),
            script_id: "0".to_owned(),
            url: String::new(),
            line_number: -1,
            column_number: -1,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn where_nothing_was_sampled_for_long_nothing_ran() {
        let frame = |name: &str| json!({ "functionName": name, "scriptId": "1", "url": "", "lineNumber": 0, "columnNumber": 0 });
        let mut drawn = Vec::new();
        for (other, deltas) in [
            ("other", [900, 10, 10, 51, 400]),
            ("other", [900, 10, 10, 50, 50]),
            ("(idle)", [900, 10, 10, 51, 50]),
        ] {
            let mut profile: V8Profile = serde_json::from_value(json!({
                "nodes": [
                    { "id": 1, "callFrame": frame("(root)"), "children": [7, 9] },
                    { "id": 7, "callFrame": frame("work") },
                    { "id": 9, "callFrame": frame(other) },
                ],
                "startTime": 0, "endTime": 2000, "samples": [7, 1, 7, 7, 1], "timeDeltas": deltas,
            }))
            .unwrap();
            profile.make_gaps_idle(50);
            let nodes = profile.nodes.iter().map(|node| format!("{} {:?}", node.id, node.children));
            let samples =
                profile.samples.iter().zip(&profile.time_deltas).map(|(it, us)| format!("{us} {it}"));
            drawn.push(format!(
                "{}: {}",
                nodes.collect::<Vec<_>>().join(", "),
                samples.collect::<Vec<_>>().join(", ")
            ));
        }
        assert_eq!(
            drawn,
            [
                "1 [7, 9, 10], 7 [], 9 [], 10 []: 900 7, 10 1, 10 7, 50 10, 1 7, 50 10, 350 1",
                "1 [7, 9], 7 [], 9 []: 900 7, 10 1, 10 7, 50 7, 50 1",
                "1 [7, 9], 7 [], 9 []: 900 7, 10 1, 10 7, 50 9, 1 7, 50 1",
            ]
        );
    }
}
