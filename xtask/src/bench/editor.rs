//! The response times that an editor sees with a large trace: until its costs are shown, of other requests while it is
//! loaded, and until a load is cancelled.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Client, uri};

use super::inputs::Input;

/// A file of the workspace that has costs in the trace.
pub(super) const FILE: &str = "packages/compiler/src/passes/module-7.ts";
/// How long after the progress was seen the click comes.
const BEFORE_CLICK: Duration = Duration::from_millis(50);

/// Times in seconds.
pub(super) struct EditorTimes {
    /// From the start of the server to the first hints, with the trace in the settings.
    pub(super) first_hint: f64,
    /// The number of hints and hovers that were requested one after the other while the trace was loaded again; then
    /// their median and slowest time.
    pub(super) answers: usize,
    pub(super) median: f64,
    pub(super) slowest: f64,
    /// From a click on "Cancel" to the end of the progress; `None` if the load was over before it showed any.
    pub(super) cancelled: Option<f64>,
}

/// A session in which the costs of a trace are shown in [`FILE`].
pub(super) fn open(server: &Path, folder: &Path, trace: &Path) -> Client {
    let mut client = Client::start(server, &["lsp"]);
    let capabilities = json!({
        "workspace": { "inlayHint": { "refreshSupport": true } }, "window": { "workDoneProgress": true },
    });
    let folders = json!([{ "uri": uri(folder), "name": "bench" }]);
    let settings = json!({ "traces": [trace] });
    client.request(
        "initialize",
        json!({
            "processId": std::process::id(), "capabilities": capabilities, "workspaceFolders": folders,
            "initializationOptions": settings,
        }),
    );
    client.notify("initialized", json!({}));
    client.did_open(folder, FILE);
    client.hear("workspace/inlayHint/refresh");
    assert!(!hints(&mut client, folder).as_array().is_none_or(Vec::is_empty), "the trace shows in the file");
    client
}

pub(super) fn measure(server: &Path, input: &Input) -> EditorTimes {
    let started = Instant::now();
    let mut client = open(server, &input.workspace, &input.path);
    let first_hint = started.elapsed().as_secs_f64();

    let mut times = answers_while_loading(&mut client, input);
    times.sort_by(f64::total_cmp);
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    let cancelled = cancel(&mut client, input);
    client.close();
    EditorTimes { first_hint, answers: times.len(), median, slowest, cancelled }
}

fn answers_while_loading(client: &mut Client, input: &Input) -> Vec<f64> {
    client.heard.clear();
    load(client, input);
    let mut times = Vec::new();
    while client.heard.iter().all(|it| it["method"] != "workspace/inlayHint/refresh") {
        let asked = Instant::now();
        hints(client, &input.workspace);
        times.push(asked.elapsed().as_secs_f64());
        let asked = Instant::now();
        let document = json!({ "uri": uri(&input.workspace.join(FILE)) });
        let place = json!({ "textDocument": document, "position": { "line": 0, "character": 18 } });
        client.request("textDocument/hover", place);
        times.push(asked.elapsed().as_secs_f64());
    }
    times
}

fn cancel(client: &mut Client, input: &Input) -> Option<f64> {
    client.heard.clear();
    load(client, input);
    let begun = loop {
        hints(client, &input.workspace);
        let heard = |method: &str| client.heard.iter().find(|it| it["method"] == method);
        match (heard("$/progress"), heard("workspace/inlayHint/refresh")) {
            (Some(progress), _) => break progress["params"]["token"].clone(),
            (None, Some(_)) => return None,
            (None, None) => {}
        }
    };
    std::thread::sleep(BEFORE_CLICK);
    client.heard.retain(|it| it["method"] != "$/progress");
    let clicked = Instant::now();
    client.notify("window/workDoneProgress/cancel", json!({ "token": begun }));
    loop {
        client.heard.retain(|it| it["params"]["value"]["kind"] == "end");
        if client.hear("$/progress")["params"]["value"]["kind"] == "end" {
            return Some(clicked.elapsed().as_secs_f64());
        }
    }
}

fn load(client: &mut Client, input: &Input) {
    let params = json!({ "command": "proflens.loadTrace", "arguments": [uri(&input.path)] });
    client.begin("workspace/executeCommand", params);
}

fn hints(client: &mut Client, folder: &Path) -> Value {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 60, "character": 0 } });
    let document = json!({ "uri": uri(&folder.join(FILE)) });
    client.request("textDocument/inlayHint", json!({ "textDocument": document, "range": range }))
}
