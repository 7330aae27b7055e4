//! A trace of allocations: every number an editor gets says that it counts bytes.

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{Workspace, hints, logged, position, refreshed};

/// The recorded heap profile, in a folder that is searched for traces of any format.
fn ready() -> (Workspace, Client, String) {
    let workspace = Workspace::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    workspace.write("ws/heap.mjs", std::fs::read(tests.join("workspaces/heap/heap.mjs")).unwrap());
    let trace = tests.join("traces/heapprofile/heap-node20.heapprofile.gz");
    workspace.write("ws/.proflens/heap.gz", std::fs::read(trace).unwrap());
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/heap.mjs");
    refreshed(&mut client);
    assert_eq!(logged(&mut client), ".proflens/heap.gz: 361 samples, 90 % of the allocated memory placed.");
    (workspace, client, uri)
}

#[test]
fn what_people_read() {
    let (_workspace, mut client, uri) = ready();
    let document = json!({ "uri": uri });
    let mut shown = hints(&mut client, &uri);
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": document }));
    let lens = client.call("codeLens/resolve", lenses[1].clone());
    shown.push(lens["command"]["title"].to_string());
    let hover = json!({ "textDocument": document, "position": position("20:10") });
    let hover = client.call("textDocument/hover", hover);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("100 % is allocated memory"), "{text}");
    shown.extend(
        text.lines().take_while(|it| *it != "---").map(|it| it.split("](").next().unwrap().to_owned()),
    );
    expect![[r#"
        0:0 7.93MB total
        4:24 4.29MB self · 4.29MB total
        8:25 1.8MB total
        8:69 1.36MB self · 1.36MB total
        10:12 400kB self · 400kB total
        14:14 2.73MB total
        20:21 1.41MB self · 1.62MB total
        31:16 7.93MB total
        "Self 4.29 MB (52 %) · Total 4.29 MB (52 %) · 161 samples"
        | tree  |    Size | Share | Samples |
        |:------|--------:|------:|--------:|
        | Self  | 1.41 MB |  17 % |      82 |
        | Total | 1.62 MB |  20 % |      95 |

        **Called by**

        - 20 % · 1.62 MB · [main

        **Calls**

        - 2.6 % · 214 kB · [words
    "#]]
    .assert_eq(&shown.join("\n"));
    for command in ["proflens.showLedger", "proflens.showHottest"] {
        client.call("workspace/executeCommand", json!({ "command": command }));
        let said = client.expect("window/showMessage")["params"]["message"].take();
        assert!(said.as_str().unwrap().contains(" MB"), "{said}");
    }
    client.finish();
}

#[test]
fn what_programs_read() {
    let (_workspace, mut client, uri) = ready();
    let costs = client.call("proflens/documentCosts", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(costs["unit"], "bytes");
    let numbers = &costs["functions"][1];
    let own = json!({ "bytes": 4_289_872, "text": "4.29 MB", "beside": "52 %" });
    assert_eq!((&numbers["self"], &numbers["totalSamples"]), (&own, &json!(161)));
    let status = client.call("proflens/status", json!({}));
    let trace = &status["traces"][0];
    assert_eq!((&trace["unit"], &trace["duration"]["text"]), (&json!("bytes"), &json!("0 ms")));
    assert_eq!(
        (&status["unit"], &status["ledger"]["total"]),
        (&json!("time"), &json!({ "bytes": 8_284_696, "text": "8.28 MB" }))
    );
    assert_eq!(
        status["ledger"]["rows"].as_array().unwrap().iter().find(|row| row["why"] == "native"),
        Some(&json!({
            "why": "native", "label": "Native code of the engine or the browser", "amount": { "bytes": 470_696, "text": "471 kB", "beside": "5.7 %" },
            "examples": ["from", "push"],
        }))
    );
    let hottest = client.call("workspace/executeCommand", json!({ "command": "proflens.showHottest" }));
    let at = json!({ "textDocument": { "uri": uri }, "position": position("4:12") });
    let callers = json!({ "command": "proflens.showCallers", "arguments": [at] });
    let callers = client.call("workspace/executeCommand", callers);
    assert_eq!((&hottest[0]["total"], &callers["self"]), (&own, &own));
    for answer in [costs, status["ledger"].clone(), hottest, callers] {
        assert_eq!(named_as_times(&answer), Vec::<String>::new());
    }
    for _ in ["showHottest", "showCallers"] {
        client.expect("window/showMessage");
    }
    client.finish();
}

/// The keys of an answer, however deep, that promise nanoseconds.
fn named_as_times(answer: &Value) -> Vec<String> {
    match answer {
        Value::Array(items) => items.iter().flat_map(named_as_times).collect(),
        Value::Object(members) => {
            let own = members.keys().filter(|name| name.ends_with("Ns") || *name == "ns").cloned();
            own.chain(members.values().flat_map(named_as_times)).collect()
        }
        _ => Vec::new(),
    }
}
