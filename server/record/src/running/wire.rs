//! How messages come and go: over a WebSocket, or over the pipe of a browser of our own, one after the other with a zero byte
//! after each. No read takes longer than a moment, whatever the other side does, and none keeps more than a message may have.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use tungstenite::error::CapacityError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message as Frame, Utf8Bytes, WebSocket};
use url::Url;

use super::message::{CdpError, MAX_MESSAGE};
use super::wait::{POLL, Told};

/// An inspector that does not answer for this long is not there.
const LONGEST_CONNECT: Duration = Duration::from_secs(5);
const TOO_LONG: CdpError = CdpError::TooMuch("a message of more than 256 MiB");

/// The connection to an inspector.
pub(crate) enum Wire {
    /// Over TCP.
    Socket(Box<WebSocket<Patient<TcpStream>>>),
    /// To a browser that was started here.
    #[cfg(unix)]
    Pipe(Pipe),
}

/// A stream that reads for a moment only: bytes that trickle in, and a message without end, are left until the clock is checked
/// again.
pub(crate) struct Patient<S> {
    stream: S,
    until: Option<Instant>,
}

impl<S: Read> Read for Patient<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.until.is_some_and(|end| Instant::now() >= end) {
                return Err(ErrorKind::WouldBlock.into());
            }
            match self.stream.read(bytes) {
                // A signal is heard elsewhere, and says nothing about the connection.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl<S: Write> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Wire {
    /// Connects to a url such as `ws://127.0.0.1:9229/0f2c…`.
    pub(crate) fn connect(url: &Url, told: &Told) -> Result<Self, CdpError> {
        let there = url.clone();
        match told.wait_for(LONGEST_CONNECT, move || connect(&there)) {
            Ok(connected) => Ok(Self::Socket(Box::new(connected?))),
            Err(_) if told.is_told() => Err(CdpError::Told),
            Err(given_up) => Err(CdpError::closed(given_up)),
        }
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, text: String) -> Result<(), CdpError> {
        match self {
            Self::Socket(socket) => socket.send(Frame::text(text)).map_err(CdpError::closed),
            #[cfg(unix)]
            Self::Pipe(pipe) => pipe.send(&text).map_err(CdpError::closed),
        }
    }

    /// A message, if one comes within a moment.
    pub(crate) fn read(&mut self) -> Result<Option<Utf8Bytes>, CdpError> {
        match self {
            Self::Socket(socket) => {
                socket.get_mut().until = Some(Instant::now() + POLL);
                match socket.read() {
                    Ok(Frame::Text(text)) => Ok(Some(text)),
                    Ok(_) => Ok(None),
                    Err(tungstenite::Error::Io(error)) if is_timeout(&error) => Ok(None),
                    Err(tungstenite::Error::Capacity(CapacityError::MessageTooLong { .. })) => Err(TOO_LONG),
                    Err(error) => Err(CdpError::closed(error)),
                }
            }
            #[cfg(unix)]
            Self::Pipe(pipe) => pipe.read(),
        }
    }

    /// Says goodbye.
    pub(crate) fn close(self) {
        if let Self::Socket(mut socket) = self {
            // The other side may already be gone.
            let _ = socket.close(None).and_then(|()| socket.flush());
        }
    }
}

fn connect(url: &Url) -> Result<WebSocket<Patient<TcpStream>>, CdpError> {
    let stream = stream_to(url).map_err(CdpError::closed)?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
    let patient = Patient { stream, until: None };
    let (mut socket, _) = tungstenite::client::client_with_config(url.as_str(), patient, Some(config))
        .map_err(CdpError::closed)?;
    socket.get_mut().stream.set_read_timeout(Some(POLL)).map_err(CdpError::closed)?;
    Ok(socket)
}

fn stream_to(url: &Url) -> io::Result<TcpStream> {
    let host = url.host_str().unwrap_or("127.0.0.1").trim_matches(['[', ']']);
    let port = url.port_or_known_default().unwrap_or(9229);
    let mut addresses = (host, port).to_socket_addrs()?;
    let address = addresses.next().ok_or_else(|| io::Error::other("it has no address"))?;
    let stream = TcpStream::connect_timeout(&address, LONGEST_CONNECT)?;
    stream.set_read_timeout(Some(LONGEST_CONNECT))?;
    stream.set_write_timeout(Some(LONGEST_CONNECT))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Also if a signal arrived meanwhile.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The two pipes of `--remote-debugging-pipe`, which one socket is
/// (<https://chromium.googlesource.com/chromium/src/+/main/content/browser/devtools/devtools_pipe_handler.cc>).
#[cfg(unix)]
pub(crate) struct Pipe {
    stream: std::os::unix::net::UnixStream,
    /// What came after the last message.
    bytes: Vec<u8>,
    /// There is no zero byte before this offset.
    seen: usize,
}

#[cfg(unix)]
impl Pipe {
    /// Speaks over a socket whose other end a browser has.
    pub(crate) fn new(stream: std::os::unix::net::UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(POLL))?;
        stream.set_write_timeout(Some(LONGEST_CONNECT))?;
        Ok(Self { stream, bytes: Vec::new(), seen: 0 })
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())?;
        self.stream.write_all(&[0])
    }

    fn read(&mut self) -> Result<Option<Utf8Bytes>, CdpError> {
        let until = Instant::now() + POLL;
        let mut buffer = [0; 64 << 10];
        loop {
            if let Some(length) = self.bytes[self.seen..].iter().position(|byte| *byte == 0) {
                let rest = self.bytes.split_off(self.seen + length + 1);
                let mut message = std::mem::replace(&mut self.bytes, rest);
                message.pop();
                self.seen = 0;
                return match String::from_utf8(message) {
                    Ok(text) => Ok(Some(text.into())),
                    Err(_) => Err(CdpError::refused("it sends what is no text")),
                };
            }
            self.seen = self.bytes.len();
            if self.seen > MAX_MESSAGE {
                return Err(TOO_LONG);
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(CdpError::closed("the browser has ended")),
                Ok(length) => self.bytes.extend(&buffer[..length]),
                Err(error) if is_timeout(&error) => return Ok(None),
                Err(error) => return Err(CdpError::closed(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::os::unix::net::UnixStream;

    /// A stream whose first read a signal interrupts.
    struct Interrupted(bool);

    impl Read for Interrupted {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return b"HTTP".as_slice().read(bytes);
            }
            Err(ErrorKind::Interrupted.into())
        }
    }

    #[test]
    fn a_signal_ends_no_read() {
        let mut bytes = [0; 4];
        let mut patient = Patient { stream: Interrupted(false), until: None };
        assert_eq!((patient.read(&mut bytes).unwrap(), &bytes), (4, b"HTTP"));
        let over = Some(Instant::now());
        let mut patient = Patient { stream: Interrupted(false), until: over };
        assert_eq!(patient.read(&mut bytes).unwrap_err().kind(), ErrorKind::WouldBlock);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_has_messages_with_zeros_between() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut pipe = Pipe::new(ours).unwrap();
        theirs.write_all(b"{}\0{\"id\":1}\0{\"i").unwrap();
        let mut read = || pipe.read().unwrap().map(|it| it.to_string());
        assert_eq!([read(), read(), read()], [Some("{}".into()), Some("{\"id\":1}".into()), None]);
        theirs.write_all(b"d\":2}\0").unwrap();
        assert_eq!(read().as_deref(), Some("{\"id\":2}"));
        pipe.send("[]").unwrap();
        let mut sent = [0; 3];
        theirs.read_exact(&mut sent).unwrap();
        assert_eq!(&sent, b"[]\0");
        drop(theirs);
        assert!(pipe.read().is_err());
    }
}
