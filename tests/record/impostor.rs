//! Malicious inspectors: what they send is limited, leads nowhere else and does not reach a terminal, and the user can
//! leave them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tests::{Folder, proflens};
use tungstenite::{Message, WebSocket};

use crate::outcome::said;

/// No test comes near this, however busy the machine is.
const LONGEST: Duration = Duration::from_secs(120);

/// What an inspector does when somebody connects to it.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// Accepts, and answers no HTTP.
    NotEvenHttp,
    /// Answers HTTP without end.
    EndlessHttp,
    /// Answers no handshake.
    NoHandshake,
    /// Answers nothing.
    Nothing,
    /// Answers until the recording is asked for.
    NothingAtTheEnd,
    /// Sends a frame that claims to have 2^40 bytes.
    LongFrame,
    /// Sends a message of many frames without end.
    EndlessMessage,
    /// Sends a byte of a frame now and then.
    Drips,
    Events,
    /// Reports new workers without end, each of which would be asked something.
    Workers,
    /// Answers with a tree of JSON that takes eighty times its length.
    Tree,
    /// Has escape sequences in its texts.
    Escapes,
    /// Claims to be elsewhere.
    Redirects(u16),
}

/// Starts one; the receiver is told when it has done its work.
fn impostor(does: Does) -> (u16, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (reached, hears) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, reached) = (stream.unwrap(), reached.clone());
            // The other side goes away when it has heard enough.
            std::thread::spawn(move || serve(stream, does, port, &reached).unwrap_or_default());
        }
    });
    (port, hears)
}

fn serve(mut stream: TcpStream, does: Does, port: u16, reached: &Sender<()>) -> Option<()> {
    let mut seen = [0; 1024];
    let length = stream.peek(&mut seen).ok()?;
    let is_http = seen[..length].starts_with(b"GET /json/");
    match does {
        Does::NotEvenHttp => return hold(reached),
        Does::EndlessHttp => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
            loop {
                stream.write_all(&[b' '; 1 << 16]).ok()?;
            }
        }
        Does::NoHandshake if !is_http => return hold(reached),
        Does::Redirects(other) => {
            let away = format!(
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{other}/json/version\r\ncontent-length: 0\r\n\r\n"
            );
            return stream.write_all(away.as_bytes()).ok();
        }
        _ if is_http => {
            let length = stream.read(&mut seen).ok()?;
            let is_version = seen[..length].starts_with(b"GET /json/version");
            let list = json!([{ "webSocketDebuggerUrl": format!("ws://127.0.0.1:{port}/a") }]);
            let body = if is_version { json!({ "Browser": "node.js/v20" }) } else { list }.to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            return stream.write_all(format!("{head}{body}").as_bytes()).ok();
        }
        _ => {}
    }
    let mut socket = tungstenite::accept(stream).ok()?;
    let long = |first: u8| [&[first, 127][..], &(1_u64 << 20).to_be_bytes(), &[b' '; 1 << 20]].concat();
    match does {
        Does::LongFrame => {
            let head = [&[0x81, 127][..], &(1_u64 << 40).to_be_bytes()].concat();
            socket.get_mut().write_all(&head).ok()?;
            hold(reached)
        }
        Does::EndlessMessage => {
            socket.get_mut().write_all(&long(0x01)).ok()?;
            let more = long(0x00);
            loop {
                socket.get_mut().write_all(&more).ok()?;
            }
        }
        Does::Drips => {
            socket.read().ok()?;
            socket.get_mut().write_all(&[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]).ok()?;
            reached.send(()).ok()?;
            loop {
                socket.get_mut().write_all(b" ").ok()?;
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Does::Events => loop {
            socket.write(Message::text(r#"{"method":"X.y","params":{"a":"b"}}"#)).ok()?;
        },
        Does::Nothing => {
            // The client has been told that the connection is open.
            socket.read().ok()?;
            hold(reached)
        }
        _ => answer(&mut socket, does, reached),
    }
}

fn hold(reached: &Sender<()>) -> Option<()> {
    reached.send(()).ok()?;
    std::thread::sleep(LONGEST);
    None
}

fn answer(socket: &mut WebSocket<TcpStream>, does: Does, reached: &Sender<()>) -> Option<()> {
    for number in 0.. {
        let Message::Text(text) = socket.read().ok()? else { return None };
        let asked: Value = serde_json::from_str(&text).unwrap();
        let method = asked["method"].as_str().unwrap();
        let mut later = None;
        let mut answer = match (does, method) {
            (Does::NothingAtTheEnd, "Profiler.stop") => return hold(reached),
            (Does::NothingAtTheEnd, "Profiler.start") => {
                reached.send(()).ok()?;
                json!({ "result": {} })
            }
            (Does::Escapes, "Profiler.enable") => {
                json!({ "error": { "message": "\u{1b}]0;x\u{7}\u{202e}no\n::error::no" } })
            }
            (Does::Tree, _) => {
                let tree = vec![r#"{"":0}"#; 1 << 22].join(",");
                let text = format!(r#"{{"id":{},"result":{{"result":{{"value":[{tree}]}}}}}}"#, asked["id"]);
                socket.send(Message::text(text)).ok()?;
                continue;
            }
            _ => json!({ "result": {} }),
        };
        if let Does::Workers = does {
            let worker = json!({ "sessionId": number.to_string(), "workerInfo": { "title": "w" } });
            let event = json!({ "method": "NodeWorker.attachedToWorker", "params": worker });
            socket.send(Message::text(event.to_string())).ok()?;
            if method == "NodeWorker.sendMessageToWorker" {
                let question: Value =
                    serde_json::from_str(asked["params"]["message"].as_str().unwrap()).unwrap();
                let refusal = json!({ "id": question["id"], "error": { "message": "no" } }).to_string();
                let worker = json!({ "sessionId": asked["params"]["sessionId"], "message": refusal });
                let event = json!({ "method": "NodeWorker.receivedMessageFromWorker", "params": worker });
                later = Some(event.to_string());
            }
        }
        answer["id"] = asked["id"].clone();
        socket.send(Message::text(answer.to_string())).ok()?;
        if let Some(event) = later {
            socket.send(Message::text(event)).ok()?;
        }
    }
    None
}

/// Records what is at a port, with at most 3 GB of address space.
fn attach(folder: &Folder, port: u16) -> Child {
    let mut command = Command::new("bash");
    let line = "ulimit -v 3000000; exec \"$0\" record --duration 200ms --attach \"$1\"";
    command.args(["-c", line]).arg(proflens()).arg(format!("127.0.0.1:{port}")).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// How it ended, and its last sentence, without port numbers.
fn ended(output: &Output, port: u16) -> String {
    let last = said(output).pop().unwrap_or_default();
    format!("{:?} {}", output.status.code(), last.replace(&port.to_string(), "PORT"))
}

#[test]
fn whatever_an_inspector_sends_ends_in_a_sentence() {
    let folder = Folder::new();
    let (elsewhere, asked_elsewhere) = impostor(Does::NotEvenHttp);
    let all = [
        Does::EndlessHttp,
        Does::LongFrame,
        Does::EndlessMessage,
        Does::Events,
        Does::Workers,
        Does::Tree,
        Does::Escapes,
        Does::Redirects(elsewhere),
    ];
    let ends: Vec<String> = all
        .into_iter()
        .map(|does| {
            let (port, _reached) = impostor(does);
            let output = attach(&folder, port).wait_with_output().unwrap();
            ended(&output, port)
        })
        .collect();
    assert!(asked_elsewhere.try_recv().is_err(), "nobody else is asked");
    expect_test::expect![[r#"
        Some(1) http://127.0.0.1:PORT/ does not answer as an inspector: the response body is larger than request limit: 4194304. Start the program with --inspect, or the browser with --remote-debugging-port.
        Some(1) ws://127.0.0.1:PORT/a: the inspector sends a message of more than 256 MiB, which is more than is taken.
        Some(1) ws://127.0.0.1:PORT/a: the inspector sends a message of more than 256 MiB, which is more than is taken.
        Some(1) ws://127.0.0.1:PORT/a: the inspector sends events without end, which is more than is taken.
        Some(1) ws://127.0.0.1:PORT/a: the inspector refuses: Profiler.stop: its answer is none: missing field `profile` at line 1 column 20.
        Some(1) ws://127.0.0.1:PORT/a: the inspector refuses: Runtime.evaluate: its answer is none: invalid type: sequence, expected a string at line 1 column 36.
        Some(1) ws://127.0.0.1:PORT/a: the inspector refuses: Profiler.enable: �]0;x��no�::error::no.
        Some(1) http://127.0.0.1:PORT/ does not answer as an inspector: status 302. Start the program with --inspect, or the browser with --remote-debugging-port."#]].assert_eq(&ends.join("\n"));
}

#[test]
fn an_inspector_that_is_silent_can_be_left() {
    let folder = Folder::new();
    let all = [Does::NotEvenHttp, Does::NoHandshake, Does::Nothing, Does::Drips, Does::NothingAtTheEnd];
    let ends: Vec<String> = all
        .into_iter()
        .map(|does| {
            let (port, reached) = impostor(does);
            let child = attach(&folder, port);
            reached.recv_timeout(LONGEST).unwrap();
            if let Does::NothingAtTheEnd = does {
                // The time of the recording is over.
                reached.recv_timeout(LONGEST).unwrap();
            }
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
            let output = child.wait_with_output().unwrap();
            ended(&output, port)
        })
        .collect();
    expect_test::expect![[r#"
        Some(1) http://127.0.0.1:PORT/ does not answer as an inspector: ended from here before it answered. Start the program with --inspect, or the browser with --remote-debugging-port.
        Some(1) ws://127.0.0.1:PORT/a: it was ended from here before the inspector had answered. Check that the program runs, and was started with --inspect.
        Some(1) ws://127.0.0.1:PORT/a: it was ended from here before the inspector had answered.
        Some(1) ws://127.0.0.1:PORT/a: it was ended from here before the inspector had answered.
        Some(1) ws://127.0.0.1:PORT/a: it was ended from here before the inspector had answered."#]].assert_eq(&ends.join("\n"));
}
