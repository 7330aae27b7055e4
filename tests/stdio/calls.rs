//! From a number to its cause over real pipes: call trees, the call hierarchy, hot lists, and the scope of all of them.

use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

fn opened() -> (Folder, Client) {
    let folder = Folder::copy_of("examples/primes");
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut client = Client::open(proflens(), folder.path(), capabilities);
    client.did_open(folder.path(), "generate.js");
    client.hear("workspace/inlayHint/refresh");
    (folder, client)
}

/// A place in `isPrime`.
fn is_prime(folder: &Folder) -> Value {
    json!({ "textDocument": { "uri": folder.uri("generate.js") }, "position": { "line": 5, "character": 10 } })
}

fn millis(amount: &Value) -> u64 {
    amount["ns"].as_u64().unwrap() / 1_000_000
}

/// All nodes of a call tree, indented by their depth: the time, the share, and what ends there.
fn tree(client: &mut Client, function: &Value, direction: &str, path: &[u64], recording: &Value) -> String {
    let params =
        json!({ "function": function, "direction": direction, "path": path, "recording": recording });
    let node = client.request("proflens/callTree", params);
    let mut text = String::new();
    for item in node["items"].as_array().unwrap() {
        let share = (item["share"].as_f64().unwrap() * 100.0).round();
        let place = item["uri"].as_str().and_then(|it| it.rsplit('/').next()).unwrap_or("-");
        let indent = "  ".repeat(path.len());
        text += &format!(
            "{indent}{} {} ms {share} % {place}\n",
            item["name"].as_str().unwrap(),
            millis(&item["total"])
        );
        let below = [path, &[item["key"].as_u64().unwrap()]].concat();
        text += &tree(client, function, direction, &below, &node["recording"]);
    }
    if millis(&node["ends"]) > 0 {
        text += &format!("{}ends {} ms\n", "  ".repeat(path.len()), millis(&node["ends"]));
    }
    text
}

#[test]
fn a_call_tree_is_unfolded_node_by_node() {
    let (folder, mut client) = opened();
    let function = is_prime(&folder);
    assert_eq!(
        tree(&mut client, &function, "callers", &[], &Value::Null),
        "genPrimes 570 ms 87 % generate.js\n  handleClick 570 ms 87 % main.js\n    ends 570 ms\n"
    );
    let handler = json!({ "uri": folder.uri("main.js"), "path": "handleClick" });
    let callees = tree(&mut client, &handler, "callees", &[], &Value::Null);
    assert_eq!(callees.lines().next(), Some("genPrimes 581 ms 88 % generate.js"), "{callees}");
    assert!(callees.contains("\n  isPrime 570 ms 87 % generate.js\n    ends 570 ms\n"), "{callees}");

    // Another recording has other keys.
    let outdated = json!({ "function": function, "direction": "callers", "path": [0], "recording": 0 });
    assert_eq!(client.ask("proflens/callTree", outdated)["error"]["code"], -32801);
    let nothing = json!({ "textDocument": { "uri": folder.uri("generate.js") }, "position": { "line": 0, "character": 0 } });
    let nothing = json!({ "function": nothing, "direction": "callers" });
    assert_eq!(client.request("proflens/callTree", nothing), Value::Null);
    client.close();
}

#[test]
fn a_call_hierarchy_is_that_of_the_samples() {
    let (folder, mut client) = opened();
    let items = client.request("textDocument/prepareCallHierarchy", is_prime(&folder));
    assert_eq!(items[0]["detail"], "570 ms (87 %)");
    let line = |call: &Value, end: &str| {
        let (item, sites) = (&call[end], call["fromRanges"].as_array().unwrap());
        let lines: Vec<u64> = sites.iter().map(|it| it["start"]["line"].as_u64().unwrap() + 1).collect();
        format!("{} {} {lines:?}", item["name"].as_str().unwrap(), item["detail"].as_str().unwrap())
    };
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!(line(&incoming[0], "from"), "genPrimes 570 ms (87 %) [19]");
    let further = client.request("callHierarchy/incomingCalls", json!({ "item": incoming[0]["from"] }));
    assert_eq!(line(&further[0], "from"), "handleClick 570 ms (87 %) [8]", "only what flows into the first");
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({ "item": further[0]["from"] }));
    assert_eq!(line(&outgoing[0], "to"), "genPrimes 582 ms (88 %) [8]", "of it alone, all of it");
    client.close();
}

#[test]
fn a_call_hierarchy_adds_up_all_paths_to_an_item() {
    let folder = Folder::new();
    folder.write("app.js", "function main() {}\nfunction work() {}\nfunction leaf() {}\n");
    let frame = |(name, line): (&str, u32)| json!({ "name": name, "file": folder.uri("app.js"), "line": line, "col": 14 });
    let mut frames: Vec<Value> = [("main", 1), ("work", 2), ("leaf", 3)].map(frame).to_vec();
    frames.extend(["sort", "map"].map(|name| json!({ "name": name })));
    let samples = json!([[0, 3, 1, 2], [0, 4, 1, 2], [0, 1], [1, 2]]);
    let profile = json!({ "type": "sampled", "name": "main", "unit": "milliseconds", "samples": samples, "weights": [1, 2, 4, 8] });
    let schema = "https://www.speedscope.app/file-format-schema.json";
    folder.write(
        "several.json",
        json!({ "$schema": schema, "shared": { "frames": frames }, "profiles": [profile] }).to_string(),
    );
    let mut client = Client::open(proflens(), folder.path(), json!({}));
    client.did_open(folder.path(), "app.js");
    let load = json!({ "command": "proflens.loadTrace", "arguments": [folder.uri("several.json")] });
    client.request("workspace/executeCommand", load);
    let at = json!({ "textDocument": { "uri": folder.uri("app.js") }, "position": { "line": 0, "character": 10 } });
    let items = client.request("textDocument/prepareCallHierarchy", at);
    assert_eq!(items[0]["detail"], "7.00 ms (47 %)");
    let mut called = |item: &Value| {
        let calls = client.request("callHierarchy/outgoingCalls", json!({ "item": item }));
        let to: Vec<Value> = calls.as_array().unwrap().iter().map(|it| it["to"].clone()).collect();
        let line =
            |it: &Value| format!("{} {}", it["name"].as_str().unwrap(), it["detail"].as_str().unwrap());
        (to.iter().map(line).collect::<Vec<_>>(), to)
    };
    let (lines, to) = called(&items[0]);
    assert_eq!(lines, ["work 7.00 ms (47 %)"]);
    assert_eq!(
        called(&to[0]).0,
        ["leaf 3.00 ms (20 %)"],
        "through sort and through map, but not what others called"
    );
    client.close();
}

#[test]
fn the_hottest_are_listed_by_function_file_and_folder_and_as_symbols() {
    let (_folder, mut client) = opened();
    let mut rows = |params: Value| {
        let list = client.request("proflens/hottest", params);
        let row = |it: &Value| {
            format!(
                "{} {} {}",
                it["path"].as_str().unwrap(),
                it["name"].as_str().unwrap(),
                millis(&it["self"])
            )
        };
        (
            list["count"].as_u64().unwrap(),
            list["items"].as_array().unwrap().iter().map(row).collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        rows(json!({ "limit": 2 })),
        (4, vec!["generate.js isPrime 570".to_owned(), "generate.js genPrimes 10".to_owned()])
    );
    assert_eq!(rows(json!({ "by": "total", "filter": "MAIN" })).1[0], "main.js handleClick 5");
    assert_eq!(rows(json!({ "group": "file" })).1, ["generate.js generate.js 580", "main.js main.js 5"]);
    assert!(rows(json!({ "group": "folder" })).1[0].starts_with(". "), "the folder of the workspace");

    let mut symbols = |query: &str| {
        let found = client.request("workspace/symbol", json!({ "query": query }));
        let name = |it: &Value| {
            format!("{} {}", it["name"].as_str().unwrap(), it["containerName"].as_str().unwrap())
        };
        found.as_array().map(|it| it.iter().map(name).collect::<Vec<_>>())
    };
    assert_eq!(symbols("#self is").unwrap(), ["isPrime 570 ms (87 %) generate.js"]);
    assert_eq!(symbols("#hot").unwrap()[0], "handleClick 587 ms (89 %) main.js");
    assert_eq!(symbols("isPrime"), None, "names are for other servers");
    client.close();
}

#[test]
fn a_scope_holds_for_all_answers_until_it_is_taken_off() {
    let (folder, mut client) = opened();
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1000, "character": 0 } });
    let uri = folder.uri("generate.js");
    let hints = |client: &mut Client| {
        let params = json!({ "textDocument": { "uri": uri }, "range": whole });
        let hints = client.request("textDocument/inlayHint", params);
        hints
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["label"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let execute = |client: &mut Client, command: &str, argument: Value| {
        client.ask("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    };
    let files = |client: &mut Client| {
        let list = client.request("proflens/hottest", json!({ "group": "file", "by": "total" }));
        let row = |it: &Value| format!("{} {}", it["path"].as_str().unwrap(), millis(&it["self"]));
        list["items"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let all_files = files(&mut client);
    assert_eq!(all_files, ["main.js 5", "generate.js 580"]);
    let focus = json!({ "how": "callers", "function": is_prime(&folder) });
    let scoped = execute(&mut client, "proflens.focus", focus);
    assert_eq!(scoped["result"]["scope"], "callers of isPrime");
    assert_eq!(hints(&mut client), ["570ms self · 570ms total", "570ms total"]);
    assert_eq!(files(&mut client), ["generate.js 570", "main.js 0"], "and for what was listed before");

    let scoped = execute(&mut client, "proflens.window", json!({ "from": "0", "to": "300ms" }));
    assert_eq!(scoped["result"]["scope"], "0 ms to 300 ms, callers of isPrime");
    for (argument, words) in [
        (json!({ "from": "300ms" }), "300 ms to the end, callers of isPrime"),
        (json!({ "to": "0.3" }), "0 ms to 300 ms, callers of isPrime"),
    ] {
        assert_eq!(execute(&mut client, "proflens.window", argument)["result"]["scope"], words);
    }
    let refused = execute(&mut client, "proflens.window", json!({}));
    let sentence = refused["error"]["message"].as_str().unwrap();
    assert_eq!(
        sentence,
        "Name a moment to look from or to, a marker or a label: { from, to }, { markers } or { labels }."
    );
    let refused = execute(&mut client, "proflens.window", json!({ "markers": ["checkout"] }));
    let sentence = refused["error"]["message"].as_str().unwrap();
    assert!(sentence.contains("primes.cpuprofile has no markers"), "{sentence}");

    let all = execute(&mut client, "proflens.clearScope", Value::Null);
    assert_eq!(all["result"]["scope"], Value::Null);
    assert_eq!(hints(&mut client), ["570ms self · 570ms total", "10.3ms self · 582ms total"]);
    assert_eq!(files(&mut client), all_files);

    // A row of a tree of callees, and one of a tree of callers: only what flows through it is left.
    let handler = json!({ "uri": folder.uri("main.js"), "path": "handleClick" });
    let rows = [
        (
            handler,
            "callees",
            "below handleClick › genPrimes",
            &["570ms self · 570ms total", "10.3ms self · 582ms total"][..],
        ),
        (is_prime(&folder), "callers", "callers of genPrimes › isPrime", &["570ms self · 570ms total"][..]),
    ];
    for (function, direction, words, left) in rows {
        let root = json!({ "function": function, "direction": direction });
        let tree = client.request("proflens/callTree", root);
        let path = [&tree["items"][0]["key"]];
        let node = json!({ "function": function, "direction": direction, "path": path, "recording": tree["recording"] });
        let focus = json!({ "how": "path", "node": node });
        assert_eq!(execute(&mut client, "proflens.focus", focus.clone())["result"]["scope"], words);
        assert_eq!(hints(&mut client), left);
        // A function of which nothing is left has no tree, and that is not an error.
        let mut gone = Vec::new();
        for (file, path) in
            [("main.js", "handleClick"), ("generate.js", "genPrimes"), ("generate.js", "isPrime")]
        {
            let about =
                json!({ "function": { "uri": folder.uri(file), "path": path }, "direction": direction });
            if client.request("proflens/callTree", about).is_null() {
                gone.push(path);
            }
        }
        assert_eq!(gone, [if direction == "callees" { "handleClick" } else { "isPrime" }]);
        let outdated = execute(&mut client, "proflens.focus", focus);
        assert_eq!(outdated["error"]["code"], -32801, "of another recording the keys are others");
        execute(&mut client, "proflens.clearScope", Value::Null);
    }
    client.close();
}
