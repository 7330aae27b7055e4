//! Drawn inspectors: each answers as a real one does that no test can start, or that would have to break at a certain moment.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// What an inspector does when it is asked something.
pub(crate) enum Answer {
    /// It answers with these parts of a message.
    With(Value),
    /// It reports these events first.
    After(Vec<Value>, Value),
    /// It does the same, and ends.
    Last(Vec<Value>, Value),
    /// It does not answer.
    None,
}

/// A drawn inspector: what `/json/version` and `/json/list` say, by its port, and what it answers to a method with parameters.
pub(crate) struct Drawn {
    pub(crate) version: fn(u16) -> Value,
    pub(crate) list: fn(u16) -> Value,
    pub(crate) answer: Box<dyn Fn(&str, &Value) -> Answer + Send + Sync>,
}

/// Starts it; it serves until the test program ends.
pub(crate) fn start(drawn: Drawn) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let drawn = Arc::new(drawn);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, drawn) = (stream.unwrap(), Arc::clone(&drawn));
            std::thread::spawn(move || serve(stream, &drawn, port).unwrap_or_default());
        }
    });
    port
}

fn serve(mut stream: TcpStream, drawn: &Drawn, port: u16) -> Option<()> {
    let mut seen = [0; 1024];
    let length = stream.peek(&mut seen).ok()?;
    if seen[..length].starts_with(b"GET /json/") {
        let length = stream.read(&mut seen).ok()?;
        let is_version = seen[..length].starts_with(b"GET /json/version");
        let body = if is_version { (drawn.version)(port) } else { (drawn.list)(port) }.to_string();
        let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        return stream.write_all(format!("{head}{body}").as_bytes()).ok();
    }
    let mut socket = tungstenite::accept(stream).ok()?;
    // The other side goes away when it has what it wants.
    while let Ok(Message::Text(text)) = socket.read() {
        let asked: Value = serde_json::from_str(&text).unwrap();
        let answer = (drawn.answer)(asked["method"].as_str().unwrap(), &asked["params"]);
        let is_last = matches!(answer, Answer::Last(..));
        let (events, mut answer) = match answer {
            Answer::With(answer) => (Vec::new(), answer),
            Answer::After(events, answer) | Answer::Last(events, answer) => (events, answer),
            Answer::None => continue,
        };
        events.iter().try_for_each(|event| send(&mut socket, event))?;
        answer["id"] = asked["id"].clone();
        send(&mut socket, &answer)?;
        if is_last {
            return None;
        }
    }
    Some(())
}

fn send(socket: &mut WebSocket<TcpStream>, message: &Value) -> Option<()> {
    socket.send(Message::text(message.to_string())).ok()
}

/// The answer of an inspector that refuses.
pub(crate) fn refusal(why: &str) -> Answer {
    Answer::With(json!({ "error": { "code": -32000, "message": why } }))
}
