//! Drives of Windows in every spelling that editors send them in: the folder in one, the document in another.

use std::path::Path;

use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

/// A path as `file:` URLs: as Neovim and Helix send it, as Emacs does, and as VS Code does, with a drive of either case.
fn spellings(path: &Path) -> [String; 4] {
    let path = path.to_str().unwrap().replace('\\', "/");
    let (drive, rest) = path.split_once(':').unwrap();
    let [upper, lower] = [drive.to_uppercase(), drive.to_lowercase()];
    [(&upper, ":"), (&lower, ":"), (&lower, "%3A"), (&upper, "%3a")]
        .map(|(letter, colon)| format!("file:///{letter}{colon}{rest}"))
}

/// The hints of a document that is opened in a session on a folder.
fn hints(folder: &str, document: &str, text: &str) -> Vec<String> {
    let mut client = Client::start(proflens(), &["lsp"]);
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let folders = json!([{ "uri": folder, "name": "folder" }]);
    client.request("initialize", json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    client.notify("initialized", json!({}));
    let opened = json!({ "uri": document, "languageId": "javascript", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": opened }));
    client.hear("workspace/inlayHint/refresh");
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1000, "character": 0 } });
    let params = json!({ "textDocument": { "uri": document }, "range": whole });
    let hints = client.request("textDocument/inlayHint", params);
    client.close();
    let labels = hints.as_array().into_iter().flatten();
    labels.map(|hint| hint["label"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn folders_and_documents_may_spell_a_drive_differently() {
    let folder = Folder::copy_of("examples/primes");
    let text = folder.read("generate.js");
    let expected = ["570ms self · 570ms total", "10.3ms self · 582ms total"];
    let [documents, folders] = [folder.path().join("generate.js"), folder.path().to_owned()];
    for workspace in spellings(&folders) {
        for document in spellings(&documents) {
            assert_eq!(hints(&workspace, &document, &text), expected, "{document} in {workspace}");
        }
    }
}

/// Traces name files by drive as well, and reports show paths of the workspace with `/`.
#[test]
fn traces_may_spell_a_drive_differently() {
    let folder = Folder::new();
    folder.write("src/app.js", "function main() {\n  work();\n}\nfunction work() {}\nmain();\n");
    let app = folder.path().join("src").join("app.js");
    let backslashes = app.to_str().unwrap().to_owned();
    let urls = spellings(&app).into_iter().chain([backslashes.clone(), format!(r"\\?\{backslashes}")]);
    for url in urls {
        let frame = |name: &str, line: u64, column: u64| json!({ "name": name, "resourceId": 0, "line": line, "column": column });
        let trace = json!({
            "resources": [url], "frames": [frame("work", 4, 14)], "stacks": [{ "frameId": 0 }],
            "samples": [{ "timestamp": 0, "stackId": 0 }, { "timestamp": 10, "stackId": 0 }],
        });
        folder.write("app.jsprofile", trace.to_string());
        let report = std::process::Command::new(proflens())
            .args(["report", "app.jsprofile", "--format", "json"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let places: Vec<String> = report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|function| {
                format!(
                    "{} {}:{}",
                    function["name"].as_str().unwrap(),
                    function["file"].as_str().unwrap(),
                    function["line"]
                )
            })
            .collect();
        assert_eq!(places, ["work src/app.js:4"], "{url}");
    }
}
