//! The serve loop, with a test for each fault of the framework's own loop.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::toy;

fn change(version: i64, text: &str) -> Value {
    json!({
        "textDocument": { "uri": "file:///a.ts", "version": version },
        "contentChanges": [{ "text": text }],
    })
}

#[test]
fn edits_keep_their_order_across_awaits() {
    let (mut client, _) = toy::start();
    let mut expected = String::new();
    for version in 0..500 {
        client.notify("textDocument/didChange", change(version, &format!("{version} ")));
        expected += &format!("{version} ");
    }
    assert_eq!(client.call("toy/text", Value::Null), expected);
    client.finish();
}

#[test]
fn handlers_that_wait_for_the_client_block_nothing() {
    let (mut client, _) = toy::start();
    let asked: Vec<i64> = (0..400).map(|_| client.request("toy/ask", Value::Null)).collect();
    let requests: Vec<Value> = asked.iter().map(|_| client.expect("workspace/configuration")).collect();
    for version in 0..110 {
        client.notify("textDocument/didChange", change(version, "x"));
    }
    assert_eq!(client.call("toy/text", Value::Null), "x".repeat(110));
    for request in requests {
        client.reply(&request, json!(["yes"]));
    }
    for id in asked {
        assert_eq!(client.answer(id)["result"], "yes");
    }
    client.finish();
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let (mut client, _) = toy::start();
    let running: Vec<i64> = (0..4).map(|_| client.request("toy/forever", Value::Null)).collect();
    for &id in &running {
        client.cancel(id);
    }
    for id in running {
        assert_eq!(client.answer(id)["error"]["code"], -32800);
    }
    client.finish();
}

#[test]
fn cancelling_what_is_done_or_never_was_does_nothing() {
    let (mut client, _) = toy::start();
    let id = client.request("toy/text", Value::Null);
    client.answer(id);
    client.cancel(id);
    client.cancel(12345);
    client.notify("$/cancelRequest", json!({}));
    assert_eq!(client.call("toy/text", Value::Null), "");
    client.finish();
}

#[test]
fn a_request_passes_others_that_wait_or_compute() {
    let (mut client, _) = toy::start();
    let mut busy: Vec<i64> = (0..4).map(|_| client.request("toy/forever", Value::Null)).collect();
    busy.extend((0..4).map(|_| client.request("toy/compute", Value::Null)));
    busy.push(client.request("toy/hog", Value::Null));
    let id = client.request("toy/text", Value::Null);
    assert_eq!(client.next()["id"], id, "the first answer");
    client.call("toy/open", Value::Null);
    for &id in &busy[4..] {
        assert_eq!(client.answer(id)["result"], Value::Null);
    }
    for &id in &busy[..4] {
        client.cancel(id);
        client.answer(id);
    }
    client.finish();
}

#[test]
fn a_panic_costs_one_answer() {
    let (mut client, _) = toy::start();
    for _ in 0..3 {
        let id = client.request("toy/panic", Value::Null);
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(answer["error"]["message"], "toy/panic failed inside the server; its log says where.");
    }
    assert_eq!(client.call("toy/text", Value::Null), "");
    client.notify("toy/panicNotification", Value::Null);
    assert_eq!(client.call("toy/uris", Value::Null)["seen"], "");
    client.finish();
}

#[test]
fn odd_uris_open_and_come_back_as_the_client_spells_them() {
    let (mut client, _) = toy::start();
    let odd = [
        "file:///w/[slug]/page.tsx",
        "file:///w/a b.ts",
        "file:///w/é.ts",
        "file:///w/{x}.ts",
        "file:///w/100%.ts",
        "file:///w/%5Bfine%5D.ts",
    ];
    for uri in odd {
        let document = json!({ "uri": uri, "languageId": "typescript", "version": 1, "text": "" });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }
    let uris = client.call("toy/uris", Value::Null);
    assert_eq!(
        uris["seen"],
        "file:///w/%5Bslug%5D/page.tsx file:///w/a%20b.ts file:///w/%C3%A9.ts file:///w/%7Bx%7D.ts \
         file:///w/100%25.ts file:///w/%5Bfine%5D.ts"
    );
    assert_eq!(uris["links"], json!(odd.map(|uri| json!({ "uri": uri }))));
    client.finish();
}

#[test]
fn a_client_that_does_not_read_makes_the_server_wait_and_loses_nothing() {
    const SIZE: usize = 100_000;
    let (serve, shared) = toy::toy();
    let mut client = Client::start_without_reading(serve);
    let init = client.request("initialize", json!({ "capabilities": {} }));
    let asked: Vec<i64> = (0..1000).map(|_| client.request("toy/large", json!({ "size": SIZE }))).collect();
    let mut made = 0;
    while made == 0 || made != shared.answers.load(Ordering::SeqCst) {
        made = shared.answers.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(made * SIZE < 20 << 20, "{made} answers of 100 kB were made while nobody read");
    client.read();
    client.answer(init);
    for id in asked {
        assert_eq!(client.answer(id)["result"].as_str().unwrap().len(), SIZE);
    }
    client.finish();
}

#[test]
fn it_ends_on_exit_while_its_input_is_open() {
    let (client, _) = toy::start();
    client.finish(); // asserts 0

    let (mut client, _) = toy::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 1, "without shutdown");

    let (mut client, _) = toy::start();
    client.request("toy/forever", Value::Null);
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0, "without waiting for the answers");
}

#[test]
fn it_ends_when_the_client_hangs_up() {
    let (mut client, _) = toy::start();
    let id = client.request("toy/text", Value::Null);
    client.hang_up();
    assert_eq!(client.exit_code(), 1);
    assert_eq!(client.answer(id)["result"], "", "what was asked before is answered");
}

#[test]
#[cfg(unix)]
fn it_ends_when_the_clients_process_is_gone() {
    let mut editor = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let mut client = Client::start(toy::toy().0);
    client.initialize(json!({ "capabilities": {}, "processId": editor.id() }));
    editor.kill().unwrap();
    assert_eq!(client.exit_code(), 1); // as a zombie first: nobody has waited for it yet
    editor.wait().unwrap();
}

#[test]
fn a_process_that_never_was_there_is_not_waited_for() {
    let mut client = Client::start(toy::toy().0);
    client.initialize(json!({ "capabilities": {}, "processId": 4_000_000_000_u32 }));
    assert_eq!(client.call("toy/text", Value::Null), "");
    client.finish();
}

#[test]
fn parameters_that_say_nothing_are_no_hindrance() {
    let (mut client, _) = toy::start();
    client.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "toy/text", "params": null }));
    assert_eq!(client.next()["result"], "");
    client.send(&json!({ "jsonrpc": "2.0", "id": "b", "method": "shutdown", "params": {} }));
    assert_eq!(client.next(), json!({ "jsonrpc": "2.0", "id": "b", "result": null }));
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0);
}

#[test]
fn nonsense_is_refused_and_forgotten() {
    let (mut client, _) = toy::start();
    let mut refused = |message: Value| {
        client.send(&message);
        client.next()
    };
    assert_eq!(refused(json!(42))["error"]["code"], -32600);
    assert_eq!(refused(json!({ "jsonrpc": "2.0", "id": 7, "method": 5 }))["id"], 7);
    assert_eq!(refused(json!({ "jsonrpc": "2.0", "id": 8, "method": "toy/none" }))["error"]["code"], -32601);
    assert_eq!(refused(json!({ "jsonrpc": "2.0", "id": 9, "method": "toy/text" }))["result"], "");
    for method in ["$/toy", "$/", "$/setTrace"] {
        let answer = refused(json!({ "jsonrpc": "2.0", "id": 10, "method": method, "params": { "id": 1 } }));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(10), &json!(-32601)), "{method}");
    }
    client.notify("toy/none", Value::Null);
    client.notify("$/setTrace", json!({ "value": "off" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": "nobody asked" }));
    client.finish();
}
