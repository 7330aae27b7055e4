//! The client's side of a session: sends, waits, answers, and checks at the end that nothing was overlooked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// How long a test waits for what must come; this is never part of an assertion.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    to_server: Option<PipeWriter>,
    from_server: Receiver<Value>,
    start_reading: Option<Sender<()>>,
    kept: VecDeque<Value>,
    server: Option<JoinHandle<u8>>,
    last_id: i64,
}

impl Client {
    /// Starts a server: a function that serves these pipes and returns its exit code.
    pub(crate) fn start(serve: impl FnOnce(PipeReader, PipeWriter) -> u8 + Send + 'static) -> Self {
        let mut client = Self::start_without_reading(serve);
        client.read();
        client
    }

    /// [`Client::start`], but the server's messages stay in the pipe until [`Client::read`].
    pub(crate) fn start_without_reading(
        serve: impl FnOnce(PipeReader, PipeWriter) -> u8 + Send + 'static,
    ) -> Self {
        let (input, to_server) = std::io::pipe().unwrap();
        let (output, server_output) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || serve(input, server_output));
        let (messages, from_server) = channel();
        let (start_reading, started) = channel();
        std::thread::spawn(move || {
            if started.recv().is_ok() {
                each_message(output, |message| messages.send(message).is_ok());
            }
        });
        Self {
            to_server: Some(to_server),
            from_server,
            start_reading: Some(start_reading),
            kept: VecDeque::new(),
            server: Some(server),
            last_id: 0,
        }
    }

    pub(crate) fn read(&mut self) {
        self.start_reading.take().unwrap().send(()).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    /// Sends bytes that may not be text.
    pub(crate) fn send_bytes(&mut self, body: &[u8]) {
        let framed = [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
        self.to_server.as_mut().unwrap().write_all(&framed).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait; its answer is for [`Client::answer`].
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        self.last_id
    }

    /// The whole answer to a request, `result` or `error`.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        self.wait(|it| it.get("method").is_none() && it["id"] == id)
    }

    /// Sends a request and waits for its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    pub(crate) fn cancel(&mut self, id: i64) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Waits for a request or notification of the server.
    pub(crate) fn expect(&mut self, method: &str) -> Value {
        self.wait(|it| it["method"] == method)
    }

    /// Answers a request of the server.
    pub(crate) fn reply(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// Drops the messages of these methods that came so far, and answers the requests among them; returns whether there
    /// were any.
    pub(crate) fn forget(&mut self, methods: &[&str]) -> bool {
        self.kept.extend(self.from_server.try_iter());
        let is_one = |it: &Value| methods.iter().any(|method| it["method"] == *method);
        let (forgotten, kept): (Vec<_>, Vec<_>) = self.kept.drain(..).partition(is_one);
        self.kept = kept.into();
        forgotten.iter().filter(|it| it.get("id").is_some()).for_each(|it| self.reply(it, Value::Null));
        !forgotten.is_empty()
    }

    /// The next message, whatever it is.
    pub(crate) fn next(&mut self) -> Value {
        self.wait(|_| true)
    }

    /// `initialize` and `initialized`; returns the server's capabilities.
    pub(crate) fn initialize(&mut self, params: Value) -> Value {
        let mut result = self.call("initialize", params);
        self.notify("initialized", json!({}));
        result["capabilities"].take()
    }

    /// Shuts the server down as the protocol wants it, its input still open, and checks that nothing is left.
    pub(crate) fn finish(self) {
        self.finish_ignoring(&[]);
    }

    /// The same where messages of some methods may still have been on their way.
    pub(crate) fn finish_ignoring(mut self, methods: &[&str]) {
        assert_eq!(self.call("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.exit_code(), 0, "exit code");
        let left = self.kept.drain(..).chain(self.from_server.iter());
        // Several changes cause one refresh, if they come quickly.
        let is_expected = |message: &Value| {
            is_refresh(message) || methods.iter().any(|method| message["method"] == *method)
        };
        let left: Vec<Value> = left.filter(|message| !is_expected(message)).collect();
        assert_eq!(left, Vec::<Value>::new(), "messages that the test overlooked");
    }

    /// Waits for the server's end, and ignores its messages until then.
    pub(crate) fn exit_code(&mut self) -> u8 {
        let server = self.server.take().unwrap();
        let waited = std::time::Instant::now();
        while !server.is_finished() {
            assert!(waited.elapsed() < TIMEOUT, "the server does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
        server.join().unwrap()
    }

    /// Closes the server's input.
    pub(crate) fn hang_up(&mut self) {
        self.to_server = None;
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let Ok(message) = self.from_server.recv_timeout(TIMEOUT) else {
                panic!("what was waited for did not come; what came instead: {:?}", self.kept)
            };
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }
}

fn is_refresh(message: &Value) -> bool {
    message["method"].as_str().is_some_and(|method| method.ends_with("/refresh"))
}

fn each_message(output: PipeReader, mut take: impl FnMut(Value) -> bool) {
    let mut output = BufReader::new(output);
    loop {
        let mut header = String::new();
        if output.read_line(&mut header).unwrap() == 0 {
            return;
        }
        let length = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        output.read_line(&mut String::new()).unwrap();
        output.read_exact(&mut body).unwrap();
        if !take(serde_json::from_slice(&body).unwrap()) {
            return;
        }
    }
}
