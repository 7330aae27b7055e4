//! Reads a long trace on two threads: one skips the million events that only tell when something happened, the other
//! reads the few that need care, such as pieces of profiles.
//!
//! ```text
//! {"name":"RunTask",..}          this thread: a task
//! {"name":"ProfileChunk",..}     this thread finds its end and hands it over; the other thread reads it
//! {"name":"FunctionCall",..}     this thread, meanwhile
//! ```
//!
//! Events are handed over in order. The result does not depend on which thread is faster: this one always goes on to the
//! end of the events, even if the other has found one that is not JSON.

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

use super::fast_events::FastEvents;
use super::tasks::Tasks;
use crate::decode::error::{DecodeError, Result};
use crate::decode::json::{FastReader, Json, Kind};

/// From this byte of a text on, it is worth starting a second thread.
pub(super) const WORTH_A_THREAD: u64 = 1 << 20;
/// How many bytes are handed over at once.
const BLOCK: usize = 64 << 10;
/// How many blocks may be waiting, so that neither thread gets far ahead.
const MAX_WAITING: usize = 8;

/// An event to be read with care, and its offset in the text.
type Event = (u64, Vec<u8>);

/// Why the first thread stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The list has ended.
    End,
    /// The next event is too long to be handed over.
    LongEvent,
    /// No other thread could be started.
    Alone,
}

/// Reads the rest of an array of events: tasks itself, and those that need care with `read_event`. Returns `false` if no
/// second thread could be started, and the rest is still to be read.
pub(super) fn read_side_by_side(
    json: &mut Json,
    tasks: &mut Tasks,
    mut read_event: impl FnMut(&mut Json) -> Result<()> + Send,
) -> Result<bool> {
    loop {
        match read_on_both(json, tasks, &mut read_event)? {
            Stop::End => return Ok(true),
            Stop::LongEvent => read_event(json)?,
            Stop::Alone => return Ok(false),
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the thread ends before the function does")]
fn read_on_both(
    json: &mut Json,
    tasks: &mut Tasks,
    read_event: &mut (impl FnMut(&mut Json) -> Result<()> + Send),
) -> Result<Stop> {
    std::thread::scope(|scope| {
        let (sender, handed) = sync_channel::<Vec<Event>>(MAX_WAITING);
        let other = Builder::new().spawn_scoped(scope, move || {
            let mut events = handed.iter().flatten();
            events.try_for_each(|(offset, text)| read_event(&mut Json::part(&mut io::empty(), text, offset)))
        });
        let Ok(other) = other else { return Ok(Stop::Alone) };
        let mut hand = Hand { sender, block: Vec::new(), size: 0 };
        let stop = hand_over(json, tasks, &mut hand);
        hand.send();
        drop(hand);
        // Its error is about an event before the one at which this thread stopped.
        other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        stop
    })
}

/// Passes events to the other thread in batches.
struct Hand {
    sender: SyncSender<Vec<Event>>,
    block: Vec<Event>,
    /// In bytes.
    size: usize,
}

impl Hand {
    fn add(&mut self, offset: u64, event: &[u8]) {
        self.block.push((offset, event.to_vec()));
        self.size += event.len();
        if self.size >= BLOCK {
            self.send();
        }
    }

    fn send(&mut self) {
        self.size = 0;
        // A thread that has found an error receives nothing more, and returns the error itself.
        let _ = self.sender.send(std::mem::take(&mut self.block));
    }
}

/// Skips events and hands over those that need care.
fn hand_over(json: &mut Json, tasks: &mut Tasks, hand: &mut Hand) -> Result<Stop> {
    let mut glance = FastEvents::new();
    loop {
        glance.is_sure = false;
        json.fast_items(|plain| glance.take(plain, tasks));
        let is_sure = glance.is_sure;
        match json.next_item() {
            Ok(true) if json.kind()? == Kind::Object => {
                // The window may have ended within the event, or there was something between it and the comma.
                if !is_sure && json.fast_object(|plain: &mut FastReader| glance.take(plain, tasks))? {
                    continue;
                }
                let offset = json.offset();
                let Some(event) = json.peek_object()? else { return Ok(Stop::LongEvent) };
                hand.add(offset, event);
                let length = event.len();
                json.skip_peeked(length);
            }
            Ok(true) => json.skip()?,
            Ok(false) | Err(DecodeError::Truncated { .. }) => return Ok(Stop::End),
            Err(error) => return Err(error),
        }
    }
}
