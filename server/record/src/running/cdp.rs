//! A connection to an inspector, by the DevTools protocol (<https://chromedevtools.github.io/devtools-protocol>): JSON over a
//! WebSocket.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// An inspector that does not answer for so long is not there.
const LONGEST_CONNECT: Duration = Duration::from_secs(5);
/// The profile of an hour is written in some seconds.
const LONGEST_ANSWER: Duration = Duration::from_secs(120);
/// How often a wait looks whether it shall end.
const POLL: Duration = Duration::from_millis(50);

/// A connection to an inspector.
pub(crate) struct Connection {
    socket: WebSocket<TcpStream>,
    last_id: u64,
    events: VecDeque<Event>,
}

/// What an inspector tells without being asked.
#[derive(Debug)]
pub(crate) struct Event {
    /// `Debugger.scriptParsed`.
    pub(crate) method: String,
    /// What it is about.
    pub(crate) params: Value,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum CdpError {
    /// The inspector refuses.
    Refused(String),
    /// The program has ended, or the connection.
    Closed(String),
}

impl std::fmt::Display for CdpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "the inspector refuses: {why}"),
            Self::Closed(why) => write!(f, "the connection to the inspector has ended: {why}"),
        }
    }
}

impl Connection {
    /// Connects to a url such as `ws://127.0.0.1:9229/0f2c…`.
    pub(crate) fn open(url: &url::Url) -> Result<Self, String> {
        let failed = |why: String| {
            format!(
                "{url} cannot be reached: {why}. Check that the program runs and was started with --inspect."
            )
        };
        let host = url.host_str().unwrap_or("127.0.0.1").trim_matches(['[', ']']);
        let port = url.port_or_known_default().unwrap_or(9229);
        let mut addresses = (host, port).to_socket_addrs().map_err(|error| failed(error.to_string()))?;
        let address = addresses.next().ok_or_else(|| failed("it has no address".to_owned()))?;
        let stream = TcpStream::connect_timeout(&address, LONGEST_CONNECT)
            .map_err(|error| failed(error.to_string()))?;
        let set = stream.set_read_timeout(Some(LONGEST_CONNECT)).and_then(|()| stream.set_nodelay(true));
        set.map_err(|error| failed(error.to_string()))?;
        // A profile is as long as it is.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = tungstenite::client::client_with_config(url.as_str(), stream, Some(config))
            .map_err(|error| failed(error.to_string()))?;
        socket.get_ref().set_read_timeout(Some(POLL)).map_err(|error| failed(error.to_string()))?;
        Ok(Self { socket, last_id: 0, events: VecDeque::new() })
    }

    /// Asks something and waits for the answer. Events that come meanwhile are kept.
    pub(crate) fn ask(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, CdpError> {
        let id = self.send(session, method, params)?;
        let end = Instant::now() + LONGEST_ANSWER;
        while Instant::now() < end {
            let Some(mut message) = self.read()? else { continue };
            if message["id"].as_u64() == Some(id) {
                return match message.get("error") {
                    Some(error) => {
                        let why =
                            error["message"].as_str().unwrap_or("it does not say why").trim_end_matches('.');
                        Err(CdpError::Refused(format!("{method}: {why}")))
                    }
                    None => Ok(message["result"].take()),
                };
            }
            self.keep(message);
        }
        Err(CdpError::Closed(format!("{method} was not answered for {} s", LONGEST_ANSWER.as_secs())))
    }

    /// Sends something whose answer does not matter.
    pub(crate) fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<u64, CdpError> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).map_err(closed)?;
        Ok(self.last_id)
    }

    /// The next event, if one comes within a moment.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>, CdpError> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        if let Some(message) = self.read()? {
            self.keep(message);
        }
        Ok(self.events.pop_front())
    }

    /// Says goodbye.
    pub(crate) fn close(mut self) {
        // The other side may be gone already.
        let _ = self.socket.close(None).and_then(|()| self.socket.flush());
    }

    fn keep(&mut self, mut message: Value) {
        if let Some(method) = message["method"].as_str().map(str::to_owned) {
            self.events.push_back(Event { method, params: message["params"].take() });
        }
    }

    /// A message, if one comes within a moment.
    fn read(&mut self) -> Result<Option<Value>, CdpError> {
        match self.socket.read() {
            Ok(Message::Text(text)) => {
                let message = serde_json::from_str(&text);
                message.map(Some).map_err(|error| CdpError::Refused(format!("it answers no JSON: {error}")))
            }
            Ok(_) => Ok(None),
            Err(tungstenite::Error::Io(error)) if is_timeout(&error) => Ok(None),
            Err(error) => Err(closed(error)),
        }
    }
}

/// Also where a signal came meanwhile.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn closed(error: tungstenite::Error) -> CdpError {
    CdpError::Closed(error.to_string())
}
