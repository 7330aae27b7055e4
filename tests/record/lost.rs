//! Programs that end while they are recorded, without a goodbye: what was handed over by then is kept, and otherwise nothing is, which is said.

use serde_json::{Value, json};
use tests::Folder;

use crate::drawn::{Answer, Drawn, refusal, start};
use crate::outcome::{record, recordings, said};

/// A browser with a page, which ends as soon as it has answered this, and has handed over these events of its trace by then.
fn browser(last: &'static str, events: Vec<Value>) -> Drawn {
    let answer = move |method: &str, _: &Value| {
        let result = match method {
            "Target.getTargets" => {
                json!({ "targetInfos": [{ "targetId": "T", "type": "page", "url": "http://h/" }] })
            }
            "Target.attachToTarget" => json!({ "sessionId": "S" }),
            _ => json!({}),
        };
        let answer = json!({ "result": result });
        if method == last {
            let piece = json!({ "method": "Tracing.dataCollected", "params": { "value": events } });
            return Answer::Last(vec![piece], answer);
        }
        Answer::With(answer)
    };
    let version = |port| json!({ "Browser": "Chrome/140", "webSocketDebuggerUrl": format!("ws://127.0.0.1:{port}/devtools/browser/b") });
    Drawn { version, list: |_| json!([]), answer: Box::new(answer) }
}

fn node(answer: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Drawn {
    let list = |port| json!([{ "webSocketDebuggerUrl": format!("ws://127.0.0.1:{port}/n") }]);
    Drawn { version: |_| json!({ "Browser": "node.js/v24" }), list, answer: Box::new(answer) }
}

/// A process with a worker, which is recorded and ends; then the process is killed.
fn with_a_worker() -> Drawn {
    let profile = json!({
        "nodes": [
            { "id": 1, "callFrame": { "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 } },
        ],
        "startTime": 0, "endTime": 9000, "samples": [1], "timeDeltas": [9000],
    });
    let of_worker = |message: &Value| {
        let said = json!({ "sessionId": "1", "message": message.to_string() });
        json!({ "method": "NodeWorker.receivedMessageFromWorker", "params": said })
    };
    node(move |method, params| match method {
        "JsDebug.subscribe" => refusal("'JsDebug.subscribe' wasn't found"),
        "NodeWorker.enable" => {
            let worker = json!({ "sessionId": "1", "workerInfo": { "title": "w" } });
            let begun = json!({ "method": "NodeWorker.attachedToWorker", "params": worker });
            Answer::After(vec![begun], json!({ "result": {} }))
        }
        "NodeWorker.sendMessageToWorker" => {
            let asked: Value = serde_json::from_str(params["message"].as_str().unwrap()).unwrap();
            let result = match asked["method"].as_str() {
                Some("Profiler.stop") => json!({ "profile": profile }),
                _ => json!({}),
            };
            let mut events = vec![of_worker(&json!({ "id": asked["id"], "result": result }))];
            if asked["method"] == "NodeRuntime.notifyWhenWaitingForDisconnect" {
                events
                    .push(of_worker(&json!({ "method": "NodeRuntime.waitingForDisconnect", "params": {} })));
            }
            Answer::After(events, json!({ "result": {} }))
        }
        "NodeWorker.detach" => Answer::Last(Vec::new(), json!({ "result": {} })),
        _ => Answer::With(json!({ "result": {} })),
    })
}

#[test]
fn what_a_program_takes_along_is_said_and_what_it_handed_over_is_kept() {
    let killed = node(|method, _| match method {
        "JsDebug.subscribe" => refusal("'JsDebug.subscribe' wasn't found"),
        "NodeWorker.enable" => Answer::Last(Vec::new(), json!({ "result": {} })),
        _ => Answer::With(json!({ "result": {} })),
    });
    let event = || json!({ "name": "RunTask", "ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "args": {} });
    let all = [
        // How long they are recorded, if they do not end before.
        ("100s", browser("Target.setDiscoverTargets", Vec::new())),
        ("1ms", browser("Tracing.end", Vec::new())),
        ("1ms", browser("Tracing.end", vec![event()])),
        ("100s", killed),
        ("100s", with_a_worker()),
    ];
    let ends = all.map(|(duration, drawn)| {
        let folder = Folder::new();
        let port = start(drawn);
        let output = record(&folder, &["--duration", duration, "--attach", &format!("127.0.0.1:{port}")]);
        let kept = recordings(&folder).len();
        let lines: Vec<String> = said(&output)
            .into_iter()
            // The drawn trace has no samples, which is said of the file.
            .filter(|line| line.starts_with("Note: the ") || line.starts_with("ws://"))
            // What the system says of the end depends on the moment.
            .map(|line| {
                line.split(" (WebSocket").next().unwrap_or_default().replace(&port.to_string(), "PORT")
            })
            .collect();
        format!("{:?}, {kept} kept\n{}", output.status.code(), lines.join("\n"))
    });
    expect_test::expect![[r#"
        Some(1), 0 kept
        ws://127.0.0.1:PORT/devtools/browser/b: the browser ended while it was recorded, and took along all that was recorded of it
        Some(1), 0 kept
        ws://127.0.0.1:PORT/devtools/browser/b: the browser ended while it was recorded, and took along all that was recorded of it
        Some(0), 1 kept
        Note: the browser ended before it had handed over all of its trace.
        Some(1), 0 kept
        ws://127.0.0.1:PORT/n: the program ended while it was recorded, and took along all that was recorded of it
        Some(0), 1 kept
    "#]].assert_eq(&ends.join("\n"));
}
