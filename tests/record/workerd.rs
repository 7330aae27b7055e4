//! workerd, in which the development servers of Cloudflare run workers: its inspector evaluates nothing and has no domains of Node.

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::Folder;

use crate::drawn::{Answer, Drawn, refusal, start};
use crate::outcome::{functions, record, recordings, said};
use crate::page::{MAPPINGS, SCRIPT, SOURCE};

fn list(port: u16) -> Value {
    let worker = |name: &str| json!({ "type": "node", "title": "Cloudflare Worker", "webSocketDebuggerUrl": format!("ws://127.0.0.1:{port}/{name}") });
    json!([worker("shop"), worker("mail")])
}

/// Where a function of the bundle begins for V8: at its parameters.
fn frame(name: &str, begins: &str) -> Value {
    let column = SCRIPT.find(begins).unwrap() + begins.len();
    json!({ "functionName": name, "scriptId": "8", "url": "index.js", "lineNumber": 0, "columnNumber": column })
}

fn profile() -> Value {
    let root =
        json!({ "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 });
    let built_in = json!({
        "functionName": "get", "scriptId": "4", "url": "workerd:per-isolate/main", "lineNumber": 9, "columnNumber": 4,
    });
    json!({
        "nodes": [
            { "id": 1, "callFrame": root, "children": [2, 4] },
            { "id": 2, "callFrame": frame("o", "function o"), "children": [3] },
            { "id": 3, "callFrame": frame("e", "function e") },
            { "id": 4, "callFrame": built_in },
        ],
        "startTime": 1000, "endTime": 5000, "samples": [2, 3, 3, 4], "timeDeltas": [1000, 1000, 1000, 1000],
    })
}

/// Answers as workerd does, and remembers what it was asked. Its own profiler repeats the method, and knows nothing else of that domain;
/// garbage is collected when code runs, which is never.
fn workerd(bundle: String, asked: Arc<Mutex<Vec<String>>>) -> Drawn {
    let answered = move |method: &str, params: &Value| match method {
        "Debugger.enable" => {
            let script = json!({
                "scriptId": "8", "url": format!("file://{bundle}"), "embedderName": "index.js", "hasSourceURL": true,
                "sourceMapURL": "index.js.map", "startLine": 0, "startColumn": 0,
            });
            let parsed = json!({ "method": "Debugger.scriptParsed", "params": script });
            Answer::After(vec![parsed], json!({ "result": { "debuggerId": "1.2" } }))
        }
        "Debugger.getScriptSource" if params["scriptId"] == "8" => {
            Answer::With(json!({ "result": { "scriptSource": SCRIPT } }))
        }
        "Debugger.setSkipAllPauses" | "Debugger.disable" | "Profiler.disable" => {
            Answer::With(json!({ "result": {} }))
        }
        "Profiler.enable" | "Profiler.setSamplingInterval" | "Profiler.start" => {
            Answer::With(json!({ "method": method, "params": params }))
        }
        "Profiler.stop" => Answer::With(json!({ "method": method, "result": { "profile": profile() } })),
        "Runtime.evaluate" => refusal("Cannot find default execution context"),
        "Profiler.startPreciseCoverage" | "Profiler.stopPreciseCoverage" => {
            refusal("Profiler is not enabled")
        }
        "HeapProfiler.collectGarbage" => Answer::None,
        _ => refusal(&format!("'{method}' wasn't found")),
    };
    let answer = move |method: &str, params: &Value| {
        asked.lock().unwrap().push(method.to_owned());
        answered(method, params)
    };
    let version = |_| json!({ "Browser": "wrangler/v4.164.0", "Protocol-Version": "1.3" });
    Drawn { version, list, answer: Box::new(answer) }
}

#[test]
fn a_worker_is_recorded_with_its_bundle_and_the_map_of_that() {
    let folder = Folder::new();
    folder.write("src/app.ts", SOURCE);
    let map = json!({ "version": 3, "sources": ["../../src/app.ts"], "mappings": MAPPINGS, "names": ["spin", "ms", "end", "round"] });
    folder.write("build/dev-1/index.js", SCRIPT);
    folder.write("build/dev-1/index.js.map", &map.to_string());
    let bundle = folder.path().join("build/dev-1/index.js");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let port = start(workerd(bundle.display().to_string(), Arc::clone(&asked)));
    let output = record(&folder, &["--duration", "100ms", "--attach", &format!("127.0.0.1:{port}")]);
    // The next build has another name; the recording has the text and the map.
    fs::remove_dir_all(folder.path().join("build")).unwrap();
    let lines = said(&output).join("\n").replace(&port.to_string(), "PORT");
    let all = recordings(&folder);
    assert_eq!(all.len(), 1, "{lines}");
    assert_eq!(functions(&folder, &all[0]), ["round src/app.ts:5", "spin src/app.ts:1"], "{lines}");
    let notes: Vec<&str> = lines.lines().filter(|line| line.starts_with("Note")).collect();
    assert_eq!(notes, ["Note: ws://127.0.0.1:PORT/mail was not recorded: name it to record it."], "{lines}");
    assert_eq!(
        *asked.lock().unwrap(),
        [
            "Runtime.evaluate",
            "JsDebug.subscribe",
            "Runtime.evaluate",
            "HeapProfiler.collectGarbage",
            "Debugger.enable",
            "Debugger.setSkipAllPauses",
            "Profiler.enable",
            "Profiler.setSamplingInterval",
            "Profiler.start",
            "Profiler.stop",
            "Runtime.evaluate",
            "Debugger.getScriptSource",
            "Profiler.disable",
            "Debugger.disable",
        ]
    );
}
