//! A small language client, written without the server's code, so that the two cannot have the same bug.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::paths::uri;

/// Far longer than any answer takes: a test that waits longer has failed.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running server and its messages.
pub struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Requests and notifications of the server, in order of arrival; its requests were answered with `null`.
    pub heard: Vec<Value>,
    sent: u64,
}

/// How a server ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Everything on its standard error.
    pub log: String,
}

impl Client {
    /// Starts a server with these arguments.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(server: &Path, arguments: &[&str]) -> Self {
        Self::spawn(Command::new(server).args(arguments))
    }

    fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let mut stdout = BufReader::new(server.stdout.take().expect("stdout is piped"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self { stdin: server.stdin.take(), server, messages, heard: Vec::new(), sent: 0 }
    }

    /// Starts the server on one folder, up to `initialized`; `capabilities` are those of the client.
    pub fn open(server: &Path, folder: &Path, capabilities: Value) -> Self {
        Self::start(server, &["lsp"]).initialized(folder, capabilities)
    }

    /// [`Client::open`] of a server that has its own folder for temporary files.
    pub fn open_with_temporary_files(
        server: &Path,
        folder: &Path,
        temporary: &Path,
        capabilities: Value,
    ) -> Self {
        let variables = ["TMPDIR", "TMP", "TEMP"].map(|it| (it, temporary));
        Self::spawn(Command::new(server).arg("lsp").envs(variables)).initialized(folder, capabilities)
    }

    fn initialized(mut self, folder: &Path, capabilities: Value) -> Self {
        self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "capabilities": capabilities,
                "rootUri": uri(folder),
                "workspaceFolders": [{ "uri": uri(folder), "name": "folder" }],
            }),
        );
        self.notify("initialized", json!({}));
        self
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Panics
    /// If the answer is an error, or none arrives.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and returns the whole answer, which may be an error.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(method, |it| it.get("method").is_none() && it["id"] == id)
    }

    /// Sends a request without waiting; returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.sent += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.sent, "method": method, "params": params }));
        self.sent
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Waits until the server sends a request or notification with this method, unless it already has.
    pub fn hear(&mut self, method: &str) -> Value {
        let known = self.heard.iter().find(|it| it["method"] == method).cloned();
        known.unwrap_or_else(|| self.wait(method, |it| it["method"] == method))
    }

    /// Opens a document with the text of its file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn did_open(&mut self, folder: &Path, file: &str) {
        let text = fs::read_to_string(folder.join(file)).expect("the file is there");
        let document = json!({
            "uri": uri(&folder.join(file)), "languageId": "javascript", "version": 1, "text": text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// `shutdown` and `exit`, and how the server ended.
    pub fn close(mut self) -> Ended {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.ended()
    }

    /// Closes the pipe to the server without sending `exit`.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Writes raw bytes.
    ///
    /// # Panics
    /// If the pipe is closed.
    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the client did not hang up");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Waits for the end of the server.
    ///
    /// # Panics
    /// If it does not end.
    pub fn ended(mut self) -> Ended {
        let since = Instant::now();
        let status = loop {
            match self.server.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None if since.elapsed() > TIMEOUT => panic!("the server goes on"),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        let mut log = String::new();
        let mut stderr = self.server.stderr.take().expect("stderr is piped");
        stderr.read_to_string(&mut log).expect("the log is text");
        Ended { status, log }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(TIMEOUT);
            let message =
                message.unwrap_or_else(|_| panic!("{what}: nothing came. Heard: {:#?}", self.heard));
            if let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
            }
            let found = wanted(&message);
            if message.get("method").is_some() {
                self.heard.push(message.clone());
            }
            if found {
                return message;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// Reads one framed message; `None` at the end.
fn read(stdout: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.strip_suffix("\r\n").unwrap_or_else(|| panic!("`{line}` is no header"));
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok();
        }
    }
    let mut body = vec![0; length.expect("a message has a length")];
    stdout.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("a message is JSON"))
}
