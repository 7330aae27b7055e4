//! Messages of a client to a server in the same process: it runs until the input ends, every request gets exactly one
//! answer, and none of these is an internal error.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use proflens::lsp::{PROGRESS_DELAY, serve_on};
use serde_json::{Value, json};

use crate::draw::Draw;

/// How long the server may take for all requests of one input. Only that it answers is asserted.
const LONGEST: Duration = Duration::from_secs(15);

/// The most messages of one input.
const MOST: usize = 40;

/// A workspace with a trace, the same for all inputs.
static WORKSPACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join("proflens-fuzz");
    let trace = json!({
        "nodes": [
            { "id": 1, "callFrame": { "functionName": "(root)" }, "children": [2] },
            { "id": 2, "children": [3], "callFrame": {
                "functionName": "main", "url": "/app/src/main.js", "lineNumber": 0, "columnNumber": 13 } },
            { "id": 3, "callFrame": {
                "functionName": "work", "url": "/app/src/main.js", "lineNumber": 3, "columnNumber": 13 } },
        ],
        "startTime": 0, "endTime": 4000, "samples": [2, 3, 3, 3], "timeDeltas": [1000, 1000, 1000, 1000],
    });
    let files = [
        ("src/main.js", "function main() {\n  work();\n}\nfunction work() {}\n".to_owned()),
        ("src/other.ts", "export const other = () => 1;\n".to_owned()),
        ("main.cpuprofile", trace.to_string()),
    ];
    for (file, text) in files {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    folder
});

/// One message a line, the first with what the client can do. A line that begins with `!` is not a message at all. What
/// follows a 0 comes last, unchanged: broken headers and whatever follows from them.
pub(crate) fn check(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let mut lines = draw.before(0).split(|it| *it == b'\n').take(MOST);
    let mut session = Session::start();
    let first = serde_json::from_slice(lines.next().unwrap_or_default()).unwrap_or(json!({}));
    session.request(json!({ "method": "initialize", "params": initialize(confined(first)) }));
    session.wait();
    session.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    for line in lines {
        match (line.strip_prefix(b"!"), serde_json::from_str(&String::from_utf8_lossy(line))) {
            // A header would take what comes next for its body; other lines are skipped.
            (Some(stray), _) => {
                let stray: Vec<u8> = stray.iter().copied().filter(|it| !b":\r".contains(it)).collect();
                session.write(&[&stray[..], b"\r\n"].concat());
            }
            (None, Ok(message)) => session.say(confined(message)),
            (None, Err(_)) => session.frame(line),
        }
    }
    session.wait();
    session.end(draw.0);
}

/// The parameters of `initialize`, with what an input says about the client.
fn initialize(client: Value) -> Value {
    let folder = tests::uri(&WORKSPACE);
    let field = |name: &str| client.get(name).cloned().filter(Value::is_object).unwrap_or(json!({}));
    json!({
        "processId": null, "rootUri": folder, "capabilities": capabilities(&client),
        "workspaceFolders": [{ "uri": folder, "name": "fuzz" }], "initializationOptions": field("initializationOptions"),
    })
}

/// Capabilities are refused as a whole if any part of them is wrong, which would end most inputs at their first line.
fn capabilities(client: &Value) -> Value {
    let has = |word: &str| client.get(word).is_some();
    let refresh = json!({ "refreshSupport": has("refresh") });
    json!({
        "general": { "positionEncodings": if has("utf8") { vec!["utf-8"] } else { vec![] } },
        "window": { "workDoneProgress": has("progress"), "showDocument": { "support": has("show") } },
        "workspace": {
            "configuration": has("configuration"), "codeLens": refresh, "inlayHint": refresh,
            "workspaceFolders": true, "didChangeWatchedFiles": { "dynamicRegistration": has("watching") },
        },
        "textDocument": { "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } } },
    })
}

/// A message with all its paths moved below the workspace, because files that an input names are opened.
fn confined(mut value: Value) -> Value {
    match &mut value {
        Value::String(text) => {
            let folder = WORKSPACE.display();
            let rest = text.replace("..", ".");
            *text = match rest.strip_prefix("file:") {
                Some(path) => format!("{}/{}", tests::uri(&WORKSPACE), path.trim_start_matches('/')),
                None if rest.starts_with(['/', '\\', '~']) => format!("{folder}{rest}"),
                None => rest,
            };
        }
        Value::Array(items) => items.iter_mut().for_each(|it| *it = confined(it.take())),
        Value::Object(fields) => {
            fields.remove("processId"); // the server ends with that process
            fields.values_mut().for_each(|it| *it = confined(it.take()));
        }
        _ => {}
    }
    value
}

/// A running server and its client.
struct Session {
    to_server: PipeWriter,
    from_server: Receiver<Value>,
    server: std::thread::JoinHandle<u8>,
    /// Requests by their id, and how often each was answered.
    asked: BTreeMap<u64, (String, u32)>,
}

impl Session {
    fn start() -> Self {
        let (input, to_server) = io::pipe().expect("a pipe");
        let (output, server_output) = io::pipe().expect("a pipe");
        let server = std::thread::spawn(move || serve_on(input, server_output, PROGRESS_DELAY));
        let (messages, from_server) = channel();
        std::thread::spawn(move || {
            // Ends with the server.
            let _ = each_message(output, |message| messages.send(message).is_ok());
        });
        Self { to_server, from_server, server, asked: BTreeMap::new() }
    }

    /// Sends any message; a request gets an id that no other has.
    fn say(&mut self, mut message: Value) {
        let Some(fields) = message.as_object_mut() else { return self.frame(message.to_string().as_bytes()) };
        fields.insert("jsonrpc".to_owned(), "2.0".into());
        match fields.get("method") {
            Some(method) if method == "exit" => {}
            Some(_) if fields.contains_key("id") => self.request(message),
            _ => self.send(&message),
        }
    }

    fn request(&mut self, mut message: Value) {
        let id = self.asked.len() as u64 + 1;
        (message["jsonrpc"], message["id"]) = ("2.0".into(), id.into());
        self.asked.insert(id, (message.to_string(), 0));
        self.send(&message);
    }

    fn send(&mut self, message: &Value) {
        self.frame(message.to_string().as_bytes());
    }

    fn frame(&mut self, body: &[u8]) {
        self.write(&[format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat());
    }

    fn write(&mut self, bytes: &[u8]) {
        self.to_server.write_all(bytes).expect("the server lives and reads");
    }

    /// Waits until every request has its answer.
    fn wait(&mut self) {
        while let Some((message, _)) = self.asked.values().find(|it| it.1 == 0) {
            match self.from_server.recv_timeout(LONGEST) {
                Ok(message) => self.heard(message),
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {message}"),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended before it answered {message}")
                }
            }
        }
    }

    fn heard(&mut self, message: Value) {
        if message.get("method").is_some() {
            // The server's questions to the client; one that is already closed need not answer.
            if let Some(id) = message.get("id") {
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                self.frame(answer.to_string().as_bytes());
            }
            return;
        }
        is_no_failure(&message);
        let Some(id) = message["id"].as_u64() else { return };
        let (asked, answers) =
            self.asked.get_mut(&id).unwrap_or_else(|| panic!("nobody asked for {message}"));
        *answers += 1;
        assert_eq!(*answers, 1, "one more answer to {asked}: {message}");
    }

    /// Sends something broken and closes the input; the server ends without having failed.
    fn end(mut self, broken: &[u8]) {
        // It may hold an `exit`.
        let _ = self.to_server.write_all(broken);
        drop(std::mem::replace(&mut self.to_server, io::pipe().expect("a pipe").1));
        loop {
            match self.from_server.recv_timeout(LONGEST) {
                // Whatever the broken part asked for is answered too.
                Ok(message) if message.get("method").is_some() || !broken.is_empty() => {
                    is_no_failure(&message)
                }
                Ok(message) => self.heard(message),
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.server.join().expect("the server did not panic");
    }
}

fn is_no_failure(message: &Value) {
    assert_ne!(message["error"]["code"], -32603, "the server failed: {message}");
}

fn each_message(output: PipeReader, mut take: impl FnMut(Value) -> bool) -> io::Result<()> {
    let mut output = BufReader::new(output);
    loop {
        let mut header = String::new();
        if output.read_line(&mut header)? == 0 {
            return Ok(());
        }
        let length = header.trim().strip_prefix("Content-Length: ").and_then(|it| it.parse().ok());
        let mut body = vec![0; length.expect("the server frames its messages")];
        output.read_line(&mut String::new())?;
        output.read_exact(&mut body)?;
        if !take(serde_json::from_slice(&body)?) {
            return Ok(());
        }
    }
}
