//! Paths of Windows in every spelling that editors and traces have for them: the folder in one, the document in another.

use std::path::Path;
use std::process::Command;

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
    folder.write("src/app.js", APP);
    let app = folder.path().join("src").join("app.js");
    let backslashes = app.to_str().unwrap().to_owned();
    let urls = spellings(&app).into_iter().chain([backslashes.clone(), format!(r"\\?\{backslashes}")]);
    for url in urls {
        assert_eq!(places(&folder, &url), ["work src/app.js:4"], "{url}");
    }
}

/// Windows takes names that differ in case for the same; what is shown is the name of the disk.
#[test]
fn names_may_differ_in_case() {
    let folder = Folder::new();
    folder.write("src/app.js", APP);
    let of_trace = folder.path().join("SRC").join("App.js");
    assert_eq!(places(&folder, &spellings(&of_trace)[0]), ["work src/app.js:4"]);

    let primes = Folder::copy_of("examples/primes");
    let text = primes.read("generate.js");
    let upper = primes.path().to_str().unwrap().to_uppercase();
    let document = Path::new(&upper).join("GENERATE.js");
    let expected = ["570ms self · 570ms total", "10.3ms self · 582ms total"];
    for workspace in [primes.path(), Path::new(&upper)] {
        assert_eq!(
            hints(&spellings(workspace)[0], &spellings(&document)[0], &text),
            expected,
            "{workspace:?}"
        );
    }
}

const APP: &str = "function main() {\n  work();\n}\nfunction work() {}\nmain();\n";

/// The functions of [`APP`] with costs, by a trace that names its file so.
fn places(folder: &Folder, url: &str) -> Vec<String> {
    let frame = json!({ "name": "work", "resourceId": 0, "line": 4, "column": 14 });
    let trace = json!({
        "resources": [url], "frames": [frame], "stacks": [{ "frameId": 0 }],
        "samples": [{ "timestamp": 0, "stackId": 0 }, { "timestamp": 10, "stackId": 0 }],
    });
    folder.write("app.jsprofile", trace.to_string());
    let mut report = Command::new(proflens());
    report.args(["report", "app.jsprofile", "--format", "json"]).current_dir(folder.path());
    let report: Value = serde_json::from_slice(&report.output().unwrap().stdout).unwrap();
    let functions = report["functions"].as_array().unwrap().iter();
    functions
        .map(|function| {
            let [name, file] = ["name", "file"].map(|key| function[key].as_str().unwrap());
            format!("{name} {file}:{}", function["line"])
        })
        .collect()
}
