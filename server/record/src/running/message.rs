//! What an inspector sends: messages of the DevTools protocol (<https://chromedevtools.github.io/devtools-protocol>), from whoever
//! answers there. Their parts are read into types, never into a tree of arbitrary JSON, so that the memory they take is a small
//! multiple of their length.

use std::collections::VecDeque;
use std::fmt;

use profile::problem::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tungstenite::Utf8Bytes;

/// The longest message that is accepted: a profile of some hours at 1 ms. What is made of it then fits into 2 GB.
pub(crate) const MAX_MESSAGE: usize = 256 << 20;
/// How many bytes of events may wait until somebody asks for them.
const MAX_WAITING_BYTES: usize = 256 << 20;
/// How many events may wait; a large program reports some thousand scripts at once.
const MAX_WAITING: usize = 100_000;
/// How much of a peer's text is shown.
const MAX_SHOWN: usize = 300;

/// Why something that an inspector sent was not accepted, or why it sent nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CdpError {
    /// It refuses, or answers something other than what was asked.
    Refused(String),
    /// The program or the connection has ended, or it does not answer.
    Closed(String),
    /// It sends more than is accepted.
    TooMuch(&'static str),
    /// This process was told to end.
    Told,
}

impl CdpError {
    /// The inspector refuses; `why` may be its own words.
    pub(crate) fn refused(why: impl fmt::Display) -> Self {
        Self::Refused(shown(&why.to_string()))
    }

    /// The connection has ended.
    pub(crate) fn closed(why: impl fmt::Display) -> Self {
        Self::Closed(shown(&why.to_string()))
    }
}

impl fmt::Display for CdpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "the inspector refuses: {why}"),
            Self::Closed(why) => write!(f, "the connection to the inspector has ended: {why}"),
            Self::TooMuch(what) => write!(f, "the inspector sends {what}, which is more than is taken"),
            Self::Told => write!(f, "it was ended from here before the inspector had answered"),
        }
    }
}

impl From<CdpError> for Problem {
    fn from(error: CdpError) -> Self {
        Self::new(error.to_string(), "")
    }
}

/// Text of a peer that is safe to show: one line, without control characters and without characters that change the
/// direction of text.
pub(crate) fn shown(text: &str) -> String {
    let letters = text.chars().take(MAX_SHOWN);
    let mut clean: String =
        letters.map(|letter| if is_harmless(letter) { letter } else { '\u{FFFD}' }).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        clean.push('…');
    }
    clean
}

fn is_harmless(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A message that was sent, still as text; only what tells its kind was read.
#[derive(Debug)]
pub(crate) struct Message {
    text: Utf8Bytes,
    /// Which question it answers.
    pub(crate) id: Option<u64>,
    /// What it reports without being asked: `Debugger.scriptParsed`.
    pub(crate) method: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    id: Option<u64>,
    method: Option<String>,
    error: Option<SaidRefusal>,
}

#[derive(Deserialize)]
struct SaidRefusal {
    message: Option<String>,
}

#[derive(Deserialize)]
struct Answer<T> {
    result: Option<T>,
}

#[derive(Deserialize)]
struct EventOf<T> {
    params: T,
}

impl Message {
    /// Reads what kind of message it is.
    ///
    /// # Errors
    /// If it is not a message of the protocol.
    pub(crate) fn read(text: Utf8Bytes) -> Result<Self, CdpError> {
        let envelope: Envelope = serde_json::from_str(&text)
            .map_err(|error| CdpError::refused(format!("it sends what is no message: {error}")))?;
        let refusal =
            envelope.error.map(|error| error.message.unwrap_or_else(|| "it does not say why".to_owned()));
        Ok(Self { text, id: envelope.id, method: envelope.method, refusal })
    }

    /// The answer to `method`.
    ///
    /// # Errors
    /// If the inspector refuses, or answers something else.
    pub(crate) fn result<T: DeserializeOwned>(&self, method: &str) -> Result<T, CdpError> {
        if let Some(why) = &self.refusal {
            // V8 sends a full sentence; here it ends another one.
            return Err(CdpError::refused(format!("{method}: {}", why.trim_end_matches('.'))));
        }
        let answer = serde_json::from_str(&self.text).and_then(|answer: Answer<T>| match answer.result {
            Some(result) => Ok(result),
            // Debuggers in between leave out empty values.
            None => serde_json::from_str("{}"),
        });
        answer.map_err(|error| CdpError::refused(format!("{method}: its answer is none: {error}")))
    }

    /// What an event reports; `None` if it is not what such an event contains.
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str::<EventOf<T>>(&self.text).ok().map(|event| event.params)
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }
}

/// Events that nobody has asked for yet.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    events: VecDeque<Message>,
    bytes: usize,
}

impl Waiting {
    /// Keeps an event. Anything else answers a question whose answer does not matter.
    ///
    /// # Errors
    /// If there are too many of them.
    pub(crate) fn keep(&mut self, message: Message) -> Result<(), CdpError> {
        if message.method.is_none() {
            return Ok(());
        }
        self.bytes += message.bytes();
        self.events.push_back(message);
        if self.bytes > MAX_WAITING_BYTES || self.events.len() > MAX_WAITING {
            return Err(CdpError::TooMuch("events without end"));
        }
        Ok(())
    }

    /// The first of them.
    pub(crate) fn next(&mut self) -> Option<Message> {
        let event = self.events.pop_front()?;
        self.bytes -= event.bytes();
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IgnoredAny;

    fn message(text: &str) -> Result<Message, CdpError> {
        Message::read(Utf8Bytes::from(text.to_owned()))
    }

    #[test]
    fn what_a_peer_says_steers_no_terminal() {
        let refusal =
            message(r#"{"id":1,"error":{"message":"\u001b]0;x\u0007\u202egnp.\n::error::"}}"#).unwrap();
        let said = refusal.result::<IgnoredAny>("Profiler.enable").unwrap_err().to_string();
        let endless = shown(&"a".repeat(1 << 20));
        expect_test::expect![[r#"the inspector refuses: Profiler.enable: �]0;x��gnp.�::error:: 301"#]]
            .assert_eq(&format!("{said} {}", endless.chars().count()));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let sent = ["", "[]", "7", "{\"id\":-1}", "{\"method\":7}", "{\"id\":1,\"error\":7}"];
        assert_eq!(sent.iter().filter(|it| message(it).is_ok()).count(), 0);
        let deep = format!("{{\"id\":1,\"result\":{}1{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        let answer = message(&deep);
        assert!(answer.is_err() || answer.is_ok_and(|it| it.result::<Vec<u8>>("x").is_err()));
        assert!(message("{\"id\":1,\"result\":{}}").unwrap().result::<Vec<u8>>("x").is_err());
        assert!(message("{\"id\":1}").unwrap().result::<Vec<u8>>("x").is_err());
        assert!(message("{\"id\":1}").unwrap().result::<IgnoredAny>("x").is_ok());
    }

    #[test]
    fn events_wait_up_to_a_number() {
        let mut waiting = Waiting::default();
        let kept = (0..).take_while(|_| waiting.keep(message("{\"method\":\"a\"}").unwrap()).is_ok()).count();
        assert_eq!(kept, MAX_WAITING);
        assert_eq!(std::iter::from_fn(|| waiting.next()).count(), MAX_WAITING + 1);
        assert_eq!(waiting.bytes, 0);
        waiting.keep(message("{\"id\":1}").unwrap()).unwrap();
        assert!(waiting.next().is_none(), "an answer is no event");
    }
}
