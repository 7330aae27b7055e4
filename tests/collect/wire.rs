//! HTTP by hand, so that anything can be sent.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request with these lines after the first, and the body with its length.
pub(crate) fn request(first: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = format!("Content-Length: {}", body.len());
    head(first, &[headers, &[&length]].concat()).into_iter().chain(body.iter().copied()).collect()
}

/// The head of a request, with its Host, after which the connection has to be closed.
pub(crate) fn head(first: &str, headers: &[&str]) -> Vec<u8> {
    let lines = [&[first, "Host: localhost", "Connection: close"], headers].concat();
    format!("{}\r\n\r\n", lines.join("\r\n")).into_bytes()
}

/// A trace, sent as it should be.
pub(crate) fn post(body: impl AsRef<[u8]>) -> Vec<u8> {
    request("POST /v1/traces HTTP/1.1", &[], body)
}

/// Sends bytes and returns everything that comes until the connection is closed: the status and text of each answer.
pub(crate) fn send(address: SocketAddr, bytes: &[u8]) -> String {
    short(&exchange(address, bytes))
}

/// Sends bytes and returns everything that comes until the connection is closed.
pub(crate) fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let stream = connect(address);
    let mut writing = stream.try_clone().unwrap();
    thread::scope(|scope| {
        // A server may answer, and close, before it has received everything.
        scope.spawn(move || drop(writing.write_all(bytes).and_then(|()| writing.flush())));
        read_all(stream)
    })
}

/// Sends a first part, then one byte after the other, until the connection is closed.
pub(crate) fn trickle(address: SocketAddr, first: &[u8], byte: u8) -> String {
    let stream = connect(address);
    let mut writing = stream.try_clone().unwrap();
    writing.write_all(first).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            while writing.write_all(&[byte]).is_ok() {
                thread::sleep(Duration::from_millis(200));
            }
        });
        short(&read_all(stream))
    })
}

/// Sends bytes and nothing more, but keeps the connection open.
pub(crate) fn send_and_end(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(bytes).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    short(&read_all(stream))
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Everything until the end. A server that closes a connection ends it too; a server that is silent does not.
pub(crate) fn read_all(mut stream: TcpStream) -> String {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(count) => all.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("no end after {all:?}: {error}"),
        }
    }
    String::from_utf8(all).unwrap()
}

/// `204`, `404 There is nothing here.`, or `closed`.
pub(crate) fn short(answers: &str) -> String {
    let mut found = Vec::new();
    for answer in answers.split("HTTP/1.").skip(1) {
        let status = answer.split(' ').nth(1).unwrap();
        let (_, text) = answer.split_once("\r\n\r\n").unwrap();
        found.push(format!("{status} {}", text.trim_end()).trim_end().to_owned());
    }
    if found.is_empty() { "closed".to_owned() } else { found.join(", ") }
}
