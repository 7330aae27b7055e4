//! How long the answer to each question of an editor takes while a recording of a million samples is shown, one
//! question after the other.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tests::{Client, uri};

use super::editor::{self, FILE};
use super::inputs::Input;

/// How many times each question is asked, each time about another function.
const TIMES: usize = 200;
/// How many of the hottest functions the questions are about.
const FUNCTIONS: usize = 20;

/// The times of a question's answers in seconds, sorted.
pub(super) struct AnswerTimes {
    pub(super) question: &'static str,
    pub(super) times: Vec<f64>,
}

impl AnswerTimes {
    /// The time within which this part of the answers arrived.
    pub(super) fn within(&self, part: f64) -> f64 {
        self.times[((self.times.len() - 1) as f64 * part).round() as usize]
    }
}

pub(super) fn measure(server: &Path, input: &Input) -> Vec<AnswerTimes> {
    let mut client = editor::open(server, &input.workspace, &input.path);
    let document = json!({ "uri": uri(&input.workspace.join(FILE)) });
    let list = client.request("proflens/hottest", json!({ "by": "total", "limit": FUNCTIONS }));
    let functions: Vec<Value> =
        list["items"].as_array().into_iter().flatten().map(|it| it["function"].clone()).collect();
    assert_eq!(functions.len(), FUNCTIONS, "functions of the workspace were measured");
    let tree =
        |direction: &str, at: usize| json!({ "function": functions[at % FUNCTIONS], "direction": direction });
    let place =
        |at: usize| json!({ "textDocument": document, "position": { "line": at % 16 * 5, "character": 18 } });
    let screen = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 60, "character": 0 } });
    let hottest = |group: &str| json!({ "group": group, "filter": "module-1", "limit": 100 });
    type Params<'a> = &'a dyn Fn(usize) -> Value;
    let questions: [(&str, &str, Params<'_>); 9] = [
        (
            "hints of a screen",
            "textDocument/inlayHint",
            &|_| json!({ "textDocument": document, "range": screen }),
        ),
        ("hover", "textDocument/hover", &place),
        ("costs of a file and its lines", "proflens/documentCosts", &|_| json!({ "textDocument": document })),
        ("hottest functions, filtered", "proflens/hottest", &|_| hottest("function")),
        ("hottest files, filtered", "proflens/hottest", &|_| hottest("file")),
        ("hottest folders", "proflens/hottest", &|_| json!({ "group": "folder" })),
        ("callers of a function", "proflens/callTree", &|at| tree("callers", at)),
        ("callees of a function", "proflens/callTree", &|at| tree("callees", at)),
        ("symbols `#hot`", "workspace/symbol", &|_| json!({ "query": "#hot" })),
    ];
    let mut all: Vec<AnswerTimes> = Vec::new();
    for (question, method, params) in questions {
        all.push(timed(question, TIMES, |at| _ = client.request(method, params(at))));
    }
    let item = client.request("textDocument/prepareCallHierarchy", place(0))[0].clone();
    let item = json!({ "item": item });
    for (question, method) in
        [("incoming calls", "callHierarchy/incomingCalls"), ("outgoing calls", "callHierarchy/outgoingCalls")]
    {
        all.push(timed(question, TIMES, |_| _ = client.request(method, item.clone())));
    }
    let focus = |at: usize| json!({ "function": functions[at % FUNCTIONS], "how": "merge" });
    all.push(timed("another scope, and all of it again", FUNCTIONS, |at| {
        execute(&mut client, "proflens.focus", &focus(at));
        execute(&mut client, "proflens.clearScope", &Value::Null);
    }));
    client.close();
    all
}

fn execute(client: &mut Client, command: &str, argument: &Value) {
    client.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }));
}

fn timed(question: &'static str, times: usize, mut ask: impl FnMut(usize)) -> AnswerTimes {
    let mut times: Vec<f64> = (0..times)
        .map(|at| {
            let asked = Instant::now();
            ask(at);
            asked.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    AnswerTimes { question, times }
}
