//! A folder with sources and traces on the real disk, and an editor that has it open.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::client::{Client, TIMEOUT};

/// A temporary folder for each test; removed when dropped.
pub(crate) struct Workspace {
    folder: PathBuf,
}

/// Two functions, and what they cost: 3 samples of 10 ms in `work`, called by `main`, and 1 in `main` itself.
pub(crate) const APP: &str = "function main() {\n  work();\n}\nfunction work() {}\nmain();\n";
pub(crate) const STACKS: &[&[&str]] = &[&["main"], &["main", "work"], &["main", "work"], &["main", "work"]];

impl Workspace {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("proflens-session-{}-{number}", std::process::id()));
        fs::create_dir_all(folder.join("ws")).unwrap();
        Self { folder: dunce::canonicalize(folder).unwrap() }
    }

    /// `app.js` and a trace of it.
    pub(crate) fn with_app() -> Self {
        let workspace = Self::new();
        workspace.write("ws/app.js", APP);
        workspace.trace("ws/app.jsprofile", "ws/app.js", STACKS, 0);
        workspace
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    pub(crate) fn uri(&self, file: &str) -> String {
        let path = self.path(file).to_str().unwrap().replace('\\', "/");
        match path.split_once(':') {
            // As VS Code and the server write a drive.
            Some((drive, rest)) if cfg!(windows) => format!("file:///{drive}%3A{rest}"),
            _ => format!("file://{path}"),
        }
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a Self-Profiling trace of one sample each 10 ms, `newer` seconds newer than others. Stacks are names of
    /// functions of a source file, outermost first.
    pub(crate) fn trace(&self, trace: &str, source: &str, stacks: &[&[&str]], newer: u64) {
        self.trace_of_url(trace, &self.uri(source), source, stacks, newer);
    }

    /// A trace with a script that has this URL.
    pub(crate) fn trace_of_url(&self, trace: &str, url: &str, source: &str, stacks: &[&[&str]], newer: u64) {
        let text = fs::read_to_string(self.path(source)).unwrap();
        let (mut frames, mut tree, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        for (at, stack) in stacks.iter().enumerate() {
            let mut caller = None;
            for name in *stack {
                let (line, column) = definition(&text, name);
                frames.push(json!({ "name": name, "resourceId": 0, "line": line, "column": column }));
                let mut node = json!({ "frameId": frames.len() - 1 });
                if let Some(caller) = caller {
                    node["parentId"] = json!(caller);
                }
                tree.push(node);
                caller = Some(tree.len() - 1);
            }
            samples.push(json!({ "timestamp": 10 * at, "stackId": caller }));
        }
        let json = json!({ "resources": [url], "frames": frames, "stacks": tree, "samples": samples });
        self.write(trace, json.to_string());
        self.date(trace, newer);
    }

    /// Makes a file look as if it was written this many seconds after a day in the past.
    pub(crate) fn date(&self, file: &str, newer: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + newer);
        File::options().write(true).open(self.path(file)).unwrap().set_modified(time).unwrap();
    }

    /// Makes a file look as if it was just written.
    pub(crate) fn touch(&self, file: &str) {
        let file = File::options().write(true).open(self.path(file)).unwrap();
        file.set_modified(SystemTime::now()).unwrap();
    }

    /// An editor that has the folder `ws` open, with these settings.
    pub(crate) fn edit(&self, settings: Value) -> Client {
        self.edit_as(json!({ "initializationOptions": settings }))
    }

    /// A client with other fields of `initialize`.
    pub(crate) fn edit_as(&self, params: Value) -> Client {
        self.edit_with_progress_delay(params, proflens::lsp::PROGRESS_DELAY)
    }

    /// A client of a server in which loads that take longer than `progress_delay` show their progress.
    pub(crate) fn edit_with_progress_delay(&self, params: Value, progress_delay: Duration) -> Client {
        let mut client =
            Client::start(move |input, output| proflens::lsp::serve_on(input, output, progress_delay));
        let mut all = json!({
            "capabilities": refreshing(),
            "workspaceFolders": [{ "uri": self.uri("ws"), "name": "ws" }],
        });
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        client.initialize(all);
        client
    }

    /// Opens a file of the folder as it is on the disk; its version is 1.
    pub(crate) fn open(&self, client: &mut Client, file: &str) -> String {
        let uri = self.uri(file);
        open(client, &uri, &fs::read_to_string(self.path(file)).unwrap());
        uri
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The capabilities of a client that can refresh.
pub(crate) fn refreshing() -> Value {
    json!({ "workspace": { "inlayHint": { "refreshSupport": true }, "codeLens": { "refreshSupport": true } } })
}

pub(crate) fn open(client: &mut Client, uri: &str, text: &str) {
    let document = json!({ "uri": uri, "languageId": "javascript", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
}

/// Replaces a range, given as `line:character-line:character`, or the whole text if it is empty.
pub(crate) fn change(client: &mut Client, uri: &str, version: i32, range: &str, text: &str) {
    let mut change = json!({ "text": text });
    if let Some((start, end)) = range.split_once('-') {
        change["range"] = json!({ "start": position(start), "end": position(end) });
    }
    let document = json!({ "uri": uri, "version": version });
    client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
}

/// `line:character`, 0-based.
pub(crate) fn position(text: &str) -> Value {
    let (line, character) = text.split_once(':').unwrap();
    json!({ "line": line.parse::<u32>().unwrap(), "character": character.parse::<u32>().unwrap() })
}

/// Waits until a load or a change of settings is done: the client is asked to refresh hints and lenses.
pub(crate) fn refreshed(client: &mut Client) {
    for what in ["workspace/inlayHint/refresh", "workspace/codeLens/refresh"] {
        let request = client.expect(what);
        client.reply(&request, Value::Null);
    }
}

/// An editor with `app.js` open, in which the newest trace is shown.
pub(crate) fn ready(workspace: &Workspace) -> (Client, String) {
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    loaded(&mut client);
    (client, uri)
}

/// Waits for all messages of a load: the refreshes of hints and lenses, and a line for the log.
pub(crate) fn loaded(client: &mut Client) {
    refreshed(client);
    logged(client);
}

/// What a load writes to the log, without the name of the method.
pub(crate) fn logged(client: &mut Client) -> String {
    client.expect("window/logMessage")["params"]["message"].as_str().unwrap().to_string()
}

pub(crate) fn hints_request(uri: &str) -> Value {
    let range = json!({ "start": position("0:0"), "end": position("10000:0") });
    json!({ "textDocument": { "uri": uri }, "range": range })
}

/// Waits until a list has this content: how many refreshes come before that is a matter of timing.
pub(crate) fn until_equal(expected: &[&str], mut now: impl FnMut() -> Vec<String>) {
    let started = Instant::now();
    loop {
        let list = now();
        if list == expected {
            return;
        }
        assert!(started.elapsed() < TIMEOUT, "{list:?} never became {expected:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until these are the hints of a document.
pub(crate) fn becomes(client: &mut Client, uri: &str, expected: &[&str]) {
    until_equal(expected, || hints(client, uri));
}

/// All hints of a document: `line:character label`.
pub(crate) fn hints(client: &mut Client, uri: &str) -> Vec<String> {
    listed(&client.call("textDocument/inlayHint", hints_request(uri)))
}

pub(crate) fn listed(hints: &Value) -> Vec<String> {
    let line = |it: &Value| {
        let at = &it["position"];
        format!("{}:{} {}", at["line"], at["character"], it["label"].as_str().unwrap())
    };
    hints.as_array().map(|all| all.iter().map(line).collect()).unwrap_or_default()
}

/// Runs a command.
pub(crate) fn execute(client: &mut Client, command: &str, arguments: Value) -> Value {
    client.call("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
}

/// Where `function name(` has its parenthesis: 1-based, UTF-16, as engines write it.
fn definition(text: &str, name: &str) -> (usize, usize) {
    let head = format!("function {name}(");
    let at = text.find(&head).unwrap_or_else(|| panic!("no {head} in {text}")) + head.len() - 1;
    let line = text[..at].matches('\n').count() + 1;
    let column = text[..at].rsplit('\n').next().unwrap().encode_utf16().count() + 1;
    (line, column)
}
