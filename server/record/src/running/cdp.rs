//! A connection to an inspector: asks, waits for answers with a limit, and keeps the events that arrive meanwhile.

use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use super::message::{CdpError, Message, Waiting};
use super::wait::Told;
use super::wire::Wire;

/// The profile of an hour is written in a few seconds.
const LONGEST_ANSWER: Duration = Duration::from_secs(120);
/// How long a program may take, when it is left, to take back what was switched on.
const LONGEST_GOODBYE: Duration = Duration::from_secs(10);
/// The same if somebody is waiting for the end.
const SHORTEST_GOODBYE: Duration = Duration::from_millis(800);

/// A connection to an inspector.
pub(crate) struct Connection {
    wire: Wire,
    last_id: u64,
    events: Waiting,
    told: Told,
    /// Since when it is about to end.
    leaving: Option<Instant>,
}

impl Connection {
    /// Connects to a url such as `ws://127.0.0.1:9229/0f2c…`.
    ///
    /// # Errors
    /// If there is none, or it does not answer.
    pub(crate) fn open(url: &Url, told: &Told) -> Result<Self, CdpError> {
        Ok(Self::over(Wire::connect(url, told)?, told))
    }

    /// Uses a wire that is already connected.
    pub(crate) fn over(wire: Wire, told: &Told) -> Self {
        Self { wire, last_id: 0, events: Waiting::default(), told: told.clone(), leaving: None }
    }

    /// Asks something and waits for the answer. Events that arrive meanwhile are kept.
    ///
    /// # Errors
    /// If there is no answer, or not the one that was asked for.
    pub(crate) fn ask<T: DeserializeOwned>(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<T, CdpError> {
        let id = self.send(session, method, params)?;
        self.answer_within(id, method, Instant::now(), LONGEST_ANSWER)
    }

    /// Waits for the answer to what was sent.
    ///
    /// # Errors
    /// As for [`Self::ask`].
    pub(crate) fn answer_within<T: DeserializeOwned>(
        &mut self,
        id: u64,
        method: &str,
        asked: Instant,
        longest: Duration,
    ) -> Result<T, CdpError> {
        loop {
            self.wait_on(asked, longest, method)?;
            let Some(message) = self.read()? else { continue };
            if message.id == Some(id) {
                return message.result(method);
            }
            self.events.keep(message)?;
        }
    }

    /// Whether the wait for an answer goes on.
    ///
    /// # Errors
    /// If it takes too long, or this process was told to end. Even then a program that is left gets a moment.
    pub(crate) fn wait_on(&self, since: Instant, longest: Duration, method: &str) -> Result<(), CdpError> {
        let longest = self.leaving.map_or(longest, |_| LONGEST_GOODBYE);
        let since = self.leaving.unwrap_or(since);
        if self.told.is_told() && self.leaving.is_none_or(|since| since.elapsed() > SHORTEST_GOODBYE) {
            return Err(CdpError::Told);
        }
        if since.elapsed() > longest {
            return Err(CdpError::closed(format!("{method} was not answered for {} s", longest.as_secs())));
        }
        Ok(())
    }

    /// From now on there is little time left.
    pub(crate) fn begin_to_leave(&mut self) {
        self.leaving = Some(Instant::now());
    }

    /// Sends something whose answer does not matter.
    ///
    /// # Errors
    /// If the connection has ended.
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
        self.wire.send(message.to_string())?;
        Ok(self.last_id)
    }

    /// The next event, if one comes within a moment.
    ///
    /// # Errors
    /// If the connection has ended, or what came is not a message.
    pub(crate) fn next_event(&mut self) -> Result<Option<Message>, CdpError> {
        if let Some(event) = self.events.next() {
            return Ok(Some(event));
        }
        if let Some(message) = self.read()? {
            self.events.keep(message)?;
        }
        Ok(self.events.next())
    }

    /// The next of the events that have already arrived.
    pub(crate) fn known_event(&mut self) -> Option<Message> {
        self.events.next()
    }

    /// Says goodbye.
    pub(crate) fn close(self) {
        self.wire.close();
    }

    fn read(&mut self) -> Result<Option<Message>, CdpError> {
        self.wire.read()?.map(Message::read).transpose()
    }
}
