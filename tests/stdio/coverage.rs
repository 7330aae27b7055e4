//! Coverage of V8 that is loaded as traces are: it joins the trace that is shown, over real pipes.

use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

/// Coverage of `generate.js`, as `NODE_V8_COVERAGE` writes it: the calls of two functions.
fn coverage(folder: &Folder, calls: [u64; 2]) -> String {
    let text = std::fs::read_to_string(folder.path().join("generate.js")).unwrap();
    let functions = ["function isPrime", "export function genPrimes"].into_iter().zip(calls);
    let functions = functions.map(|(starts, calls)| {
        let start = text.find(starts).unwrap();
        let end = start + text[start..].find("\n}").unwrap() + 2;
        let start = start + starts.find("function").unwrap();
        let range = json!({ "startOffset": start, "endOffset": end, "count": calls });
        json!({ "functionName": "", "isBlockCoverage": true, "ranges": [range] })
    });
    let functions: Vec<Value> = functions.collect();
    json!({ "result": [{ "url": folder.uri("generate.js"), "functions": functions }] }).to_string()
}

fn load(client: &mut Client, uri: &str) -> Value {
    let params = json!({ "command": "proflens.loadTrace", "arguments": [uri] });
    client.request("workspace/executeCommand", params)
}

/// What is said in a message, which is taken away.
fn told(client: &mut Client) -> String {
    let told = client.hear("window/showMessage")["params"]["message"].as_str().unwrap().to_owned();
    client.heard.retain(|it| it["method"] != "window/showMessage");
    told
}

/// The calls of the functions of `generate.js`, and how often its lines ran.
fn calls(client: &mut Client, folder: &Folder) -> Vec<Value> {
    let document = json!({ "textDocument": { "uri": folder.uri("generate.js") } });
    let costs = client.request("proflens/documentCosts", document);
    costs["functions"].as_array().unwrap().iter().map(|it| it["calls"].clone()).collect()
}

#[test]
fn coverage_joins_the_trace_that_is_shown() {
    let folder = Folder::copy_of("examples/primes");
    folder.write("coverage/one.json", coverage(&folder, [600_000, 3]));
    folder.write("coverage/two.json", coverage(&folder, [1, 4]));
    folder.write("coverage/note.txt", "no coverage");
    folder.write("flags.json", coverage(&folder, [1, 1]));
    let mut client = Client::open(
        proflens(),
        folder.path(),
        json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }),
    );
    client.did_open(folder.path(), "generate.js");
    client.hear("workspace/inlayHint/refresh");
    assert_eq!(calls(&mut client, &folder), [Value::Null, Value::Null]);

    assert_eq!(load(&mut client, &folder.uri("coverage")), Value::Null, "it is no trace");
    assert_eq!(
        told(&mut client),
        "coverage has the calls of 2 functions, which are shown with primes.cpuprofile."
    );
    assert_eq!(calls(&mut client, &folder), [json!(600_001), json!(7)]);
    load(&mut client, &folder.uri("coverage/two.json"));
    assert_eq!(
        told(&mut client),
        "two.json has the calls of 2 functions, which are shown with primes.cpuprofile."
    );
    assert_eq!(calls(&mut client, &folder), [json!(1), json!(4)]);

    // What is looked at may change, and the calls stay with all of it.
    let execute = |client: &mut Client, command: &str, argument: Value| {
        client.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    };
    execute(&mut client, "proflens.window", json!({ "from": "0", "to": "300ms" }));
    assert_eq!(calls(&mut client, &folder), [Value::Null, Value::Null]);
    execute(&mut client, "proflens.clearScope", Value::Null);
    assert_eq!(calls(&mut client, &folder), [json!(1), json!(4)]);

    load(&mut client, &folder.uri("flags.json"));
    let refusal = told(&mut client);
    assert!(
        refusal.starts_with("flags.json has no number above 1, so that it may only say which functions ran."),
        "{refusal}"
    );
    assert_eq!(calls(&mut client, &folder), [json!(1), json!(4)]);

    // Another reading of the trace has no calls: they were those of another run.
    load(&mut client, &folder.uri("primes.cpuprofile"));
    assert_eq!(calls(&mut client, &folder), [Value::Null, Value::Null]);
    client.close();
}

#[test]
fn coverage_without_a_trace_says_what_to_do() {
    let folder = Folder::copy_of("examples/primes");
    std::fs::remove_file(folder.path().join("primes.cpuprofile")).unwrap();
    folder.write("one.json", coverage(&folder, [600_000, 3]));
    let mut client = Client::open(proflens(), folder.path(), json!({}));
    client.did_open(folder.path(), "generate.js");
    load(&mut client, &folder.uri("one.json"));
    assert_eq!(
        told(&mut client),
        "one.json tells how often functions were called, and there is no trace to join that to. Load a trace of the same program first."
    );
    client.close();
}
