//! The language server over real pipes: from the first hint to every way in which an editor may end.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

fn refreshing() -> Value {
    json!({ "workspace": { "inlayHint": { "refreshSupport": true }, "codeLens": { "refreshSupport": true } } })
}

#[test]
fn an_editor_opens_a_project_and_sees_what_it_cost() {
    let folder = Folder::copy_of("examples/primes");
    let mut client = Client::open(proflens(), folder.path(), refreshing());
    client.did_open(folder.path(), "generate.js");
    client.hear("workspace/inlayHint/refresh");

    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1000, "character": 0 } });
    let document = json!({ "uri": folder.uri("generate.js") });
    let hints = client.request("textDocument/inlayHint", json!({ "textDocument": document, "range": whole }));
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": document }));
    let at = hints[0]["position"].clone();
    let hover = client.request("textDocument/hover", json!({ "textDocument": document, "position": at }));

    let mut shown = String::new();
    for hint in hints.as_array().unwrap() {
        let at = &hint["position"];
        shown += &format!("hint {}:{} {}\n", at["line"], at["character"], hint["label"]);
    }
    for lens in lenses.as_array().unwrap() {
        let lens = client.request("codeLens/resolve", lens.clone());
        shown += &format!("lens {} {}\n", lens["range"]["start"]["line"], lens["command"]["title"]);
    }
    shown += &format!("hover {}\n", hover["contents"]["kind"]);
    expect![[r#"
        hint 5:20 "570ms self · 570ms total"
        hint 14:28 "10.3ms self · 582ms total"
        lens 5 "Self 570 ms (87 %) · Total 570 ms (87 %) · 558 samples"
        lens 14 "Self ~10.3 ms (1.6 %) · Total 582 ms (88 %) · 567 samples"
        hover "markdown"
    "#]]
    .assert_eq(&shown);
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn plain_proflens_and_stdio_are_the_server_too() {
    for arguments in [&[][..], &["--stdio"], &["lsp", "--stdio"]] {
        let mut client = Client::start(proflens(), arguments);
        let answer = client.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["serverInfo"], json!({ "name": "proflens", "version": env!("CARGO_PKG_VERSION") }));
        assert_eq!(client.close().status.code(), Some(0));
    }
}

#[test]
fn a_log_file_takes_what_stderr_takes() {
    let folder = Folder::new();
    let log = folder.path().join("proflens.log");
    let mut client = Client::start(proflens(), &["lsp", "--log", log.to_str().unwrap()]);
    client.request("initialize", json!({ "capabilities": {} }));
    let ended = client.close();
    assert_ne!(folder.read("proflens.log"), "");
    assert!(!ended.log.contains("panicked"), "{}", ended.log);
}

#[test]
fn exit_without_shutdown_is_an_error_status() {
    let mut client = Client::start(proflens(), &["lsp"]);
    client.request("initialize", json!({ "capabilities": {} }));
    client.notify("exit", Value::Null);
    assert_eq!(client.ended().status.code(), Some(1));
}

#[test]
fn a_closed_pipe_ends_the_server() {
    let mut before = Client::start(proflens(), &["lsp"]);
    before.hang_up();
    before.ended();

    let mut after = Client::start(proflens(), &["lsp"]);
    after.request("initialize", json!({ "capabilities": {} }));
    after.hang_up();
    after.ended();
}

#[test]
fn the_server_ends_when_the_editor_is_gone() {
    // The pipe stays open: a third process may hold its other end.
    let mut editor = Command::new("sleep").arg("600").spawn().unwrap();
    let mut client = Client::start(proflens(), &["lsp"]);
    client.request("initialize", json!({ "capabilities": {}, "processId": editor.id() }));
    editor.kill().unwrap();
    editor.wait().unwrap();
    client.ended();
}

#[test]
fn a_message_that_is_no_json_costs_nothing_but_itself() {
    let mut client = Client::start(proflens(), &["lsp"]);
    client.request("initialize", json!({ "capabilities": {} }));
    client.write(b"Content-Length: 5\r\n\r\n{oops");
    let answer = client.ask("no/suchMethod", Value::Null);
    assert_eq!(answer["error"]["code"], json!(-32601));
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn a_trace_that_cannot_be_read_is_said_and_the_server_goes_on() {
    let folder = Folder::copy_of("examples/primes");
    let broken =
        folder.write("broken.json", "{\"snapshot\":{\"meta\":{}},\"nodes\":[],\"edges\":[],\"strings\":[]}");
    assert!(broken.exists());
    let mut client = Client::open(proflens(), folder.path(), refreshing());
    client.did_open(folder.path(), "generate.js");
    client.hear("workspace/inlayHint/refresh");
    let load = json!({ "command": "proflens.loadTrace", "arguments": [folder.uri("broken.json")] });
    client.ask("workspace/executeCommand", load);
    let message = client.hear("window/showMessage");
    expect!["broken.json is not a profile that Proflens reads: it is a heap snapshot. Record a CPU profile instead."].assert_eq(message["params"]["message"].as_str().unwrap());
    client.request("proflens/status", json!({}));
    assert_eq!(client.close().status.code(), Some(0));
}
