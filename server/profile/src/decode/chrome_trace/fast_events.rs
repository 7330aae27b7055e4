//! Reads events as Chrome writes them, which is nearly all of a trace, in a few instructions.
//!
//! Few of a million events hold a piece of a profile; for the others, only their place in time is needed. An event that
//! is written with white space or escapes is left to [`super::event`], which can read them all.

use memchr::memmem::Finder;

use super::call_sites::STACK;
use super::event::EventSubject;
use super::markers::CATEGORY;
use super::tasks::{Phase, SAMPLE, Task, Tasks, nanos, sample_id};
use crate::decode::json::FastReader;
use crate::decode::v8::events::EventKind;

/// Reads events that only tell when something happened.
pub(super) struct FastEvents {
    sample: Finder<'static>,
    stack: Finder<'static>,
    /// Whether the last event is certainly one for the careful reader, whatever else is in it.
    pub(super) is_sure: bool,
}

impl FastEvents {
    pub(super) fn new() -> Self {
        Self { sample: Finder::new(SAMPLE), stack: Finder::new(STACK), is_sure: false }
    }

    /// Takes the next event; `None` leaves it to the careful reader.
    #[inline]
    pub(super) fn take(&mut self, plain: &mut FastReader<'_>, tasks: &mut Tasks) -> Option<()> {
        self.is_sure = false;
        let (mut phase, mut kind, mut args) = (None, EventKind::Other, None);
        let (mut process, mut thread, mut start, mut duration) = (None, None, 0, 0);
        plain.takes(b"\n"); // Chrome ends a line with each event
        plain.members(|plain| {
            // The keys in Chrome's order, which is not guaranteed.
            if plain.takes(b"\"args\":") {
                args = if plain.takes(b"{}") { None } else { Some(plain.value()?) };
            } else if plain.takes(b"\"cat\":") {
                self.is_sure = plain.bytes()?.starts_with(CATEGORY);
                if self.is_sure {
                    return None;
                }
            } else if plain.takes(b"\"dur\":") {
                duration = nanos(plain.number()?);
            } else if plain.takes(b"\"name\":") {
                let name = plain.string()?;
                kind = EventKind::of(name);
                self.is_sure = EventSubject::of(name) != EventSubject::Other;
                if self.is_sure {
                    return None;
                }
            } else if plain.takes(b"\"ph\":") {
                phase = Phase::of(plain.bytes()?);
            } else if plain.takes(b"\"pid\":") {
                process = Some(plain.integer()?);
            } else if plain.takes(b"\"tid\":") {
                thread = Some(plain.integer()?);
            } else if plain.takes(b"\"ts\":") {
                start = nanos(plain.number()?);
            } else {
                plain.key()?;
                plain.value()?;
            }
            Some(())
        })?;
        // Events that tell where a script waited for style or layout are left to the careful reader.
        let is_rendering = matches!(kind, EventKind::Rendering(_));
        self.is_sure = is_rendering && args.is_some_and(|args| self.stack.find(args).is_some());
        if self.is_sure {
            return None;
        }
        if let Some(phase) = phase {
            let event_samples = args.filter(|args| is_rendering && self.sample.find(args).is_some());
            let sample = if let Some(args) = event_samples { sample_of(args)? } else { None };
            tasks.add_numbered(process?, thread?, &Task { phase, kind, start, duration, sample });
        }
        Some(())
    }
}

/// The id of the sample that was taken for the event, if it is where DevTools looks for it; `None` if the fast reader
/// cannot read these arguments.
fn sample_of(args: &[u8]) -> Option<Option<u64>> {
    let mut sample = None;
    let mut plain = FastReader::new(args);
    plain.members(|plain| {
        match plain.key()? {
            SAMPLE => sample = Some(sample_id(plain.number()?)),
            b"data" | b"beginData" => {
                plain.members(|plain| {
                    if plain.key()? == SAMPLE {
                        sample = Some(sample_id(plain.number()?));
                        Some(())
                    } else {
                        plain.value().map(|_| ())
                    }
                })?;
            }
            _ => _ = plain.value()?,
        }
        Some(())
    })?;
    Some(sample)
}
