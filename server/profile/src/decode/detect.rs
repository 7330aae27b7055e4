//! Determines what a text contains, profiles or something else, in one pass over its keys.
//!
//! A trace cannot be read twice (it may be a pipe, and inflating is expensive), and keys come in any order. So every
//! member of an object is offered to each format of the [table](super::table). At the end of the object, the first format
//! that has everything it needs makes a profile:
//!
//! ```text
//! {"meta": {...},          Firefox reads it
//!  "frames": [...],        Self-Profiling reads it
//!  "threads": [...]}       Firefox reads it, and has a profile: it counts
//! ```
//!
//! What no format takes is skipped, unless it is a wrapper, which may contain a profile.

use std::io::Read;

use super::error::{DecodeError, Result, UnsupportedFormat};
use super::json::{Json, Kind};
use super::json_format::{Answer, JsonFormat};
use super::lines::Lines;
use super::table::{IN_LINES, IN_OBJECTS, IN_PIECES};
use super::{coverage, deopts, recorder, unsupported, versions};
use crate::builder::ProfileBuilder;
use crate::model::Profile;

/// Members that may hold a profile, as a value or as a JSON string.
const WRAPPERS: [&[u8]; 6] = [b"payload", b"trace", b"profile", b"cpuProfile", b"data", b"result"];
/// `{payload: {trace: "{profile: ...}"}}` is the deepest nesting seen.
const MAX_WRAPPERS: u32 = 4;
/// At most this many items of a list are examined to see whether the list is itself a trace.
const MAX_LOOKS_AHEAD: u32 = 16;

/// Reads a whole text: a single JSON value, one per line, or lines of another kind.
pub(crate) fn read(text: &mut dyn Read, builder: ProfileBuilder) -> Result<Profile> {
    let mut json = Json::new(text);
    if json.at_end()? {
        return Err(DecodeError::Empty);
    }
    if json.kind().is_ok_and(|kind| kind == Kind::Other) {
        return read_lines(&mut json, builder);
    }
    let pieces = IN_PIECES.iter().map(|new| new()).collect();
    let mut file = File { builder, pieces, spare: Vec::new(), evidence: Evidence::default() };
    let first = file.first_value(&mut json);
    let more = match &first {
        Ok(at_end) => !at_end,
        Err(DecodeError::Syntax { .. }) => json.skip_line()?,
        Err(_) => false,
    };
    let bad_lines = u32::from(first.is_err()) + if more { file.more_lines(&mut json)? } else { 0 };
    file.finish(first, bad_lines)
}

/// Reads a whole text that is not JSON.
fn read_lines(json: &mut Json, builder: ProfileBuilder) -> Result<Profile> {
    let mut lines = Lines::new(json);
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(format) = unsupported::by_first_line(line) {
            return Err(DecodeError::UnsupportedFormat(format));
        }
        let Some(format) = IN_LINES.iter().find(|it| (it.begins)(line)) else { break };
        lines.hold();
        return (format.read)(&mut lines, builder);
    }
    Err(lines.error().unwrap_or(DecodeError::UnsupportedFormat(UnsupportedFormat::NotJson)))
}

/// What was found in a file so far.
struct File {
    builder: ProfileBuilder,
    /// Formats in pieces, wherever they were found.
    pieces: Vec<Box<dyn JsonFormat>>,
    /// Readers for the next object.
    spare: Vec<Readers>,
    evidence: Evidence,
}

/// What else is known about a file, in case it contains no profile.
#[derive(Default)]
struct Evidence {
    /// Whether the file has any content.
    anything: bool,
    /// Whether there was a profile without samples.
    no_samples: bool,
    unsupported: Option<UnsupportedFormat>,
}

impl Evidence {
    /// Records a format; the first one in the order of [`UnsupportedFormat`] counts.
    fn note(&mut self, format: Option<UnsupportedFormat>) {
        self.unsupported = self.unsupported.into_iter().chain(format).min();
    }

    /// Why a file has no profile, given the result of reading its first value.
    fn verdict(&self, first: Result<bool>) -> DecodeError {
        let is_trace = self.unsupported == Some(UnsupportedFormat::ChromeTraceWithoutSamples);
        let what = match self.unsupported {
            _ if self.no_samples => Some(DecodeError::NoSamples),
            format => format.map(DecodeError::UnsupportedFormat),
        };
        match (what, first) {
            (_, Err(error @ DecodeError::Syntax { .. })) if is_trace => error,
            (Some(what), Ok(_) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. })) => what,
            (_, Err(error)) => error,
            (None, Ok(_)) => DecodeError::UnsupportedFormat(match self.anything {
                true => UnsupportedFormat::OtherJson,
                false => UnsupportedFormat::EmptyJson,
            }),
        }
    }
}

/// A reader of each object format, and whether it has read anything.
struct Readers(Vec<(Box<dyn JsonFormat>, bool)>);

impl Readers {
    fn new() -> Self {
        Self(IN_OBJECTS.iter().map(|new| (new(), false)).collect())
    }

    /// Takes the readers that have read something, and puts new ones in their places.
    fn take_used(&mut self) -> Vec<Box<dyn JsonFormat>> {
        let used = self.0.iter_mut().zip(IN_OBJECTS).filter(|((_, is_used), _)| *is_used);
        used.map(|(reader, new)| std::mem::replace(reader, (new(), false)).0).collect()
    }
}

impl File {
    /// Reads the first value of a file. Returns whether the file ends after it.
    fn first_value(&mut self, json: &mut Json) -> Result<bool> {
        let read = self.value(json, 0).and_then(|()| json.at_end());
        if let Err(error) = &read
            && self.can_use_what_is_before(error)
            && let Some(what) = error.damage(json.offset())
        {
            self.builder.problem(what, "what is whole before that was read");
            return Ok(true);
        }
        read
    }

    /// Reads the other lines of a file. Returns the number of lines without a profile.
    fn more_lines(&mut self, json: &mut Json) -> Result<u32> {
        let mut bad_lines = 0;
        loop {
            let line = self.line(&mut Json::small(&mut json.line_source()));
            match line.and_then(|is_good| Ok((is_good, json.skip_line()?))) {
                Ok((is_good, more)) => {
                    bad_lines += u32::from(!is_good);
                    if !more {
                        return Ok(bad_lines);
                    }
                }
                Err(error) => {
                    let what = error.damage(json.offset()).filter(|_| self.can_use_what_is_before(&error));
                    self.builder.problem(what.ok_or(error)?, "what is whole before that was read");
                    return Ok(bad_lines);
                }
            }
        }
    }

    /// Makes threads from what was found in pieces, and a profile of all threads.
    fn finish(mut self, first: Result<bool>, bad_lines: u32) -> Result<Profile> {
        let session = self.builder.threads();
        for format in self.pieces {
            self.evidence.note(format.unsupported(true));
            format.finish(&mut self.builder);
        }
        self.builder.end_session(session);
        if self.builder.threads() == 0 {
            return Err(self.evidence.verdict(first));
        }
        match first {
            Err(error) if !matches!(error, DecodeError::Syntax { .. }) => return Err(error),
            _ => {}
        }
        if bad_lines > 0 {
            let what = match bad_lines {
                1 => "1 line holds no profile".to_owned(),
                _ => format!("{bad_lines} lines hold no profile"),
            };
            self.builder.problem(what, "the other lines were read");
        }
        Ok(self.builder.finish())
    }

    /// Whether a damaged file contains something complete: pieces, which come in order of time, or threads, if only the
    /// end of the file is missing.
    fn can_use_what_is_before(&self, error: &DecodeError) -> bool {
        let has_pieces = self.pieces.iter().any(|format| format.has_samples());
        has_pieces || (error.is_cut() && self.builder.threads() > 0)
    }

    /// Reads one line. Returns whether it contained a profile.
    fn line(&mut self, json: &mut Json) -> Result<bool> {
        if json.at_end()? {
            return Ok(true); // blank
        }
        let before = self.builder.threads();
        match self.value(json, 0).and_then(|()| json.at_end()) {
            Ok(at_end) => Ok(at_end && self.builder.threads() > before),
            Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn value(&mut self, json: &mut Json, wrappers: u32) -> Result<()> {
        if wrappers > MAX_WRAPPERS {
            return json.skip();
        }
        match json.kind()? {
            Kind::Object => self.object(json, wrappers),
            Kind::Array => self.array(json, wrappers),
            Kind::String => self.stringified(json, wrappers),
            Kind::Other => json.skip(),
        }
    }

    fn array(&mut self, json: &mut Json, wrappers: u32) -> Result<()> {
        json.enter_array()?;
        let mut looks = 0;
        while json.next_item()? {
            match json.kind()? {
                Kind::Object => {
                    if looks < MAX_LOOKS_AHEAD && self.rest_of_list(json)? {
                        return Ok(());
                    }
                    looks += 1;
                    self.object(json, wrappers)?;
                }
                Kind::Other => json.skip()?,
                Kind::Array | Kind::String => self.value(json, wrappers + 1)?,
            }
        }
        Ok(())
    }

    fn rest_of_list(&mut self, json: &mut Json) -> Result<bool> {
        for format in &mut self.pieces {
            if format.rest_of_list(json, &mut self.builder)? {
                self.evidence.anything = true;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads JSON in a string, as beacons send it. A text that is not JSON is simply not a profile.
    fn stringified(&mut self, json: &mut Json, wrappers: u32) -> Result<()> {
        self.evidence.anything = true;
        let mut text = json.string_source();
        let mut inner = Json::small(&mut text);
        let read = match inner.begins_with_bracket() {
            Ok(true) => self.value(&mut inner, wrappers + 1),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        match read {
            Ok(()) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => text.finish(),
            Err(error) => Err(error),
        }
    }

    fn object(&mut self, json: &mut Json, wrappers: u32) -> Result<()> {
        let mut readers = self.spare.pop().unwrap_or_else(Readers::new);
        let before = self.builder.threads();
        let read = self.members(json, wrappers, &mut readers);
        let used = readers.take_used();
        for found in used.iter().filter_map(|format| format.unsupported(read.is_ok())) {
            self.evidence.note(Some(found));
            if let UnsupportedFormat::LacksColumn(lacking) = found {
                self.builder
                    .problem(format!("a profile in it was left out: {lacking}"), "the others were read");
            }
        }
        let version = used.iter().find_map(|format| format.version()).map(str::to_owned);
        match &read {
            Ok(()) => self.end_object(used, before),
            Err(error) if error.is_cut() => self.cut_object(used, before),
            Err(_) => {}
        }
        if let Some(version) = version.filter(|_| self.builder.threads() > before) {
            versions::note_newer_object(&version, &mut self.builder);
        }
        self.spare.push(readers);
        read
    }

    fn members(&mut self, json: &mut Json, wrappers: u32, readers: &mut Readers) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            self.evidence.anything = true;
            self.member(key.bytes(), json, wrappers, readers)?;
        }
        Ok(())
    }

    fn member(&mut self, key: &[u8], json: &mut Json, wrappers: u32, readers: &mut Readers) -> Result<()> {
        match self.offer(key, json, readers)? {
            Answer::Read => Ok(()),
            Answer::Group => {
                if json.enter_object()? {
                    while let Some(inner) = json.next_key()? {
                        self.member(&[key, b".", inner.bytes()].concat(), json, wrappers, readers)?;
                    }
                }
                Ok(())
            }
            Answer::Nested => self.value(json, wrappers + 1),
            Answer::NotMine if key == recorder::KEY => recorder::read(json, &mut self.builder),
            Answer::NotMine if key == coverage::KEY => {
                self.builder.counts(coverage::read(json)?);
                Ok(())
            }
            Answer::NotMine if key == deopts::KEY => {
                self.builder.deopts(deopts::read(json)?);
                Ok(())
            }
            Answer::NotMine if WRAPPERS.contains(&key) => self.value(json, wrappers + 1),
            Answer::NotMine => json.skip(),
        }
    }

    /// Offers a member to each format until one takes it.
    fn offer(&mut self, key: &[u8], json: &mut Json, readers: &mut Readers) -> Result<Answer> {
        let builder = &mut self.builder;
        for format in &mut self.pieces {
            match format.member(key, json, builder)? {
                Answer::NotMine => {}
                answer => return Ok(answer),
            }
        }
        for (format, is_used) in &mut readers.0 {
            let answer = format.member(key, json, builder);
            // Also if an error stopped it: what it has read so far may be useful.
            *is_used |= !matches!(answer, Ok(Answer::NotMine | Answer::Group));
            match answer? {
                Answer::NotMine => {}
                answer => return Ok(answer),
            }
        }
        Ok(Answer::NotMine)
    }

    /// Makes threads from an object that was read completely.
    fn end_object(&mut self, used: Vec<Box<dyn JsonFormat>>, before: usize) {
        let Some(format) = used.into_iter().find(|format| format.is_profile()) else { return };
        let session = if format.contains_processes() { before } else { self.builder.threads() };
        self.evidence.no_samples |= !format.finish(&mut self.builder);
        self.builder.end_session(session);
    }

    /// Makes threads from an object that is cut off, as far as it is useful.
    fn cut_object(&mut self, used: Vec<Box<dyn JsonFormat>>, before: usize) {
        for format in used {
            let session = if format.contains_processes() { before } else { self.builder.threads() };
            format.finish_cut(&mut self.builder);
            self.builder.end_session(session);
        }
    }
}
