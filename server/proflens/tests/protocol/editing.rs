//! Hints while the user types: they move at once, and are never on the wrong function.

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{
    APP, STACKS, Workspace, change, hints, hints_request, listed, logged, open, refreshed,
};

fn ready(workspace: &Workspace, params: Value) -> Client {
    let client = workspace.edit_as(params);
    loaded(client)
}

fn loaded(mut client: Client) -> Client {
    refreshed(&mut client);
    logged(&mut client);
    client
}

#[test]
fn hints_follow_every_edit_at_once() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    let untouched = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];
    assert_eq!(hints(&mut client, &uri), untouched);

    change(&mut client, &uri, 2, "0:0-0:0", "// one\n// two\n");
    assert_eq!(hints(&mut client, &uri), ["2:16 10ms self · 40ms total", "5:16 30ms self · 30ms total"]);
    change(&mut client, &uri, 3, "2:0-2:0", "let x; ");
    assert_eq!(hints(&mut client, &uri), ["2:23 10ms self · 40ms total", "5:16 30ms self · 30ms total"]);
    change(&mut client, &uri, 4, "5:17-5:17", "let y;");
    assert_eq!(hints(&mut client, &uri), ["2:23 10ms self · 40ms total", "5:16 ~30ms self · 30ms total"]);
    change(&mut client, &uri, 5, "2:0-5:0", "");
    assert_eq!(hints(&mut client, &uri), ["2:16 ~30ms self · 30ms total"]);
    change(&mut client, &uri, 6, "", APP);
    assert_eq!(hints(&mut client, &uri), untouched);
    client.finish();
}

#[test]
fn a_text_that_does_not_parse_keeps_its_hints() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    hints(&mut client, &uri);
    change(&mut client, &uri, 2, "2:1-2:1", "\nif (");
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms self · 40ms total", "4:16 30ms self · 30ms total"]);
    client.finish();
}

/// Neovim sends the bytes of a file as they are, here those of Latin-1.
#[test]
fn an_edit_that_is_no_utf_8_is_none_that_is_lost() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    hints(&mut client, &uri);
    let edit = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": format!("// ?\n{APP}") }] });
    let mut message = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": edit })
        .to_string()
        .into_bytes();
    *message.iter_mut().find(|it| **it == b'?').unwrap() = 0xe9;
    client.send_bytes(&message);
    assert_eq!(hints(&mut client, &uri), ["1:16 10ms self · 40ms total", "4:16 30ms self · 30ms total"]);
    client.finish();
}

#[test]
fn several_edits_of_one_message_build_on_each_other() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    let at_top = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let edits = json!([{ "range": at_top, "text": "\n" }, { "range": at_top, "text": "\n" }, { "range": at_top, "text": ";" }]);
    let document = json!({ "uri": uri, "version": 2 });
    client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": edits }));
    assert_eq!(hints(&mut client, &uri), ["2:16 10ms self · 40ms total", "5:16 30ms self · 30ms total"]);
    client.finish();
}

#[test]
fn columns_are_in_the_encoding_that_the_client_offers_first() {
    let workspace = Workspace::new();
    workspace.write("ws/app.js", "/* é𝄞 */ function main() {}\n");
    workspace.trace("ws/app.jsprofile", "ws/app.js", &[&["main"]], 0);
    let shown = |offered: Value| {
        let mut capabilities = crate::workspace::refreshing();
        capabilities["general"] = json!({ "positionEncodings": offered });
        let mut client = ready(&workspace, json!({ "capabilities": capabilities }));
        let uri = workspace.open(&mut client, "ws/app.js");
        let before = hints(&mut client, &uri).remove(0);
        // `;` after the comment, in the same columns.
        let comment: usize = before.split([':', ' ']).nth(1).unwrap().parse::<usize>().unwrap() - 17;
        change(&mut client, &uri, 2, &format!("0:{comment}-0:{comment}"), ";");
        let after = hints(&mut client, &uri).remove(0);
        client.finish();
        [before, after]
    };
    let expected = |column: usize| [column, column + 1].map(|it| format!("0:{it} 10ms self · 10ms total"));
    assert_eq!(shown(json!(["utf-8", "utf-16"])), expected(29));
    assert_eq!(shown(json!(["utf-32"])), expected(25));
    assert_eq!(shown(json!(["utf-7", "utf-16", "utf-8"])), expected(26));
    assert_eq!(shown(Value::Null), expected(26));
}

#[test]
fn odd_names_of_files_work_and_keep_the_clients_spelling() {
    for name in ["[slug]/page.js", "a b.js", "é.js", "{x}.js", "100%.js"] {
        let workspace = Workspace::new();
        workspace.write(&format!("ws/{name}"), APP);
        workspace.trace_of_url(
            "ws/t.jsprofile",
            &format!("http://localhost/{name}"),
            &format!("ws/{name}"),
            STACKS,
            0,
        );
        let mut client = ready(&workspace, json!({}));
        let uri = workspace.open(&mut client, &format!("ws/{name}"));
        assert_eq!(hints(&mut client, &uri).len(), 2, "{name}");
        let hottest = crate::workspace::execute(&mut client, "proflens.showHottest", json!([]));
        assert_eq!(hottest[0]["uri"], uri);
        client.expect("window/showMessage");
        client.finish();
    }
}

#[test]
fn a_buffer_that_was_never_saved_is_no_file() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    open(&mut client, "untitled:Untitled-1", APP);
    assert_eq!(hints(&mut client, "untitled:Untitled-1"), Vec::<String>::new());
    client.finish();
}

#[test]
fn every_answer_of_a_burst_is_of_the_moment_of_its_question() {
    let workspace = Workspace::with_app();
    let mut client = ready(&workspace, json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    let mut asked = Vec::new();
    for version in 2..200 {
        change(&mut client, &uri, version, "0:0-0:0", "\n");
        let id = client.request("textDocument/inlayHint", hints_request(&uri));
        if version % 7 == 0 {
            client.cancel(id);
        }
        asked.push((version - 1, id));
    }
    for (lines, id) in asked {
        let answer = client.answer(id);
        match answer["error"]["code"].as_i64() {
            Some(code) => assert!(code == -32800 || code == -32801, "{answer}"),
            None => assert_eq!(
                listed(&answer["result"]),
                [
                    format!("{lines}:16 10ms self · 40ms total"),
                    format!("{}:16 30ms self · 30ms total", lines + 3)
                ]
            ),
        }
    }
    assert_eq!(hints(&mut client, &uri)[0], "198:16 10ms self · 40ms total");
    client.finish();
}
