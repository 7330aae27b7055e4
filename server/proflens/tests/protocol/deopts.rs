//! What V8's compiler did: in the hover always, and as diagnostics only where they are asked for.

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{APP, Workspace, execute, logged, refreshed};

/// A trace of `app.js` in which the optimised code of `work` was given up, for a reason that a program has made up.
fn write_trace(workspace: &Workspace) {
    let mut trace: Value =
        serde_json::from_slice(&std::fs::read(workspace.path("ws/app.jsprofile")).unwrap()).unwrap();
    let at = APP.find("() {}").unwrap();
    trace["proflensDeopts"] = json!({ "scripts": [{
        "url": workspace.uri("ws/app.js"), "source": APP, "compiled": [at], "optimized": [at],
        "deopts": [{ "at": at + 3, "kind": "eager", "reason": "wrong\u{202e} map", "count": 14 }],
        "megamorphic": [{ "at": at + 3, "property": "" }],
    }] });
    workspace.write("ws/app.jsprofile", trace.to_string());
}

/// `line:character-line:character severity text`, of each diagnostic.
fn diagnostics(client: &mut Client, uri: &str) -> Vec<String> {
    let report = client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(report["kind"], "full");
    let items = report["items"].as_array().unwrap().iter().map(|item| {
        let place = |end: &str| {
            let at = &item["range"][end];
            format!("{}:{}", at["line"], at["character"])
        };
        let text = item["message"].as_str().unwrap();
        format!("{}-{} {} {text}", place("start"), place("end"), item["severity"])
    });
    items.collect()
}

#[test]
fn diagnostics_are_shown_only_on_request() {
    let workspace = Workspace::with_app();
    write_trace(&workspace);
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    logged(&mut client);
    assert_eq!(diagnostics(&mut client, &uri), [""; 0]);
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 10 } });
    let hover = client.call("textDocument/hover", at);
    let text = hover["contents"]["value"].as_str().unwrap();
    let line = text.lines().find(|line| line.starts_with("V8")).unwrap_or_default();
    assert_eq!(
        line,
        "V8: deoptimised 14 times: `wrong map`, line 4; megamorphic access by keys, line 4; in another run"
    );
    let settings = json!({ "proflens": { "deopts": { "diagnostics": true } } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    refreshed(&mut client);
    assert_eq!(
        diagnostics(&mut client, &uri),
        [
            "3:0-3:18 4 V8 gave up optimised code 14 times: wrong\u{fffd} map",
            "3:0-3:18 4 V8 met too many shapes of objects to remember this access: keys",
        ]
    );
    execute(&mut client, "proflens.unloadTrace", json!([]));
    refreshed(&mut client);
    assert_eq!(diagnostics(&mut client, &uri), [""; 0]);
    client.finish();
}
