//! From the body of a request to a line of a file, if it is a trace. It is checked as JSON, and by the reader that will
//! read it later.
//!
//! ```text
//! {"dimensions": {"page": "/cart"}, "trace": {"frames": ..}}    an envelope
//! {"dimensions": {"page": "/cart"}, "frames": ..}               a trace with dimensions beside its lists
//!
//! {"receivedAt":"..","dimensions":{"page":"/cart"},"trace":{"frames":..}}    the line of both
//! ```

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::time::SystemTime;

use flate2::bufread::MultiGzDecoder;
use profile::decode::{DecodeError, decode};
use profile::model::{Amount, Profile};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::clock::utc_text;
use crate::dimensions::Dimensions;
use crate::nesting::append_on_one_line;
use crate::quota::Reserved;
use crate::refusal::{Refusal, TOO_LARGE};

/// The longest name or address of a script, in bytes.
const MAX_STRING: usize = 64 << 10;
/// The longest trace: no session of a page lasts for days, and times of years would hide all others.
const MAX_DURATION: Amount = Amount(24 * 3600 * 1_000_000_000);
/// What gzip data begins with. Beacons have no headers of their own, so compression is recognised by this.
const GZIP: &[u8] = b"\x1f\x8b";

/// The line, with its line end, for the content of a request. The memory that it takes is reserved first.
pub(crate) fn line_of(
    body: Vec<u8>,
    is_gzip: bool,
    max_body: u64,
    reserved: &mut Reserved,
) -> Result<Vec<u8>, Refusal> {
    let body = if is_gzip || body.starts_with(GZIP) { unpack(&body, max_body, reserved)? } else { body };
    let text = str::from_utf8(&body).map_err(|_| Refusal::broken("The body is not UTF-8"))?;
    let Envelope { dimensions, trace: own } =
        serde_json::from_str(text).map_err(|error| why_not_read(&error))?;
    let trace = own.map_or(text, RawValue::get);
    reserved.grow(trace.len())?;
    let line = written(&dimensions, trace)?;
    // The reader is that of `proflens report`: what it cannot use is not kept.
    let profile = decode(&mut &line[..], "", &()).map_err(|error| why_no_trace(&error))?;
    check(&profile)?;
    Ok(line)
}

fn unpack(packed: &[u8], max_body: u64, reserved: &mut Reserved) -> Result<Vec<u8>, Refusal> {
    const STEP: usize = 256 << 10;
    let mut unpacking = MultiGzDecoder::new(packed);
    let mut text = Vec::new();
    loop {
        reserved.grow(STEP)?;
        let read = (&mut unpacking).take(STEP as u64).read_to_end(&mut text);
        let count = read.map_err(|_| Refusal::broken("The gzip data is damaged or cut off"))?;
        if text.len() as u64 > max_body {
            return Err(TOO_LARGE);
        }
        if count < STEP {
            return Ok(text);
        }
    }
}

fn written(dimensions: &Dimensions, trace: &str) -> Result<Vec<u8>, Refusal> {
    let mut line = Vec::with_capacity(trace.len() + 256);
    line.extend_from_slice(b"{\"receivedAt\":\"");
    line.extend_from_slice(utc_text(SystemTime::now()).as_bytes());
    line.push(b'"');
    if !dimensions.is_empty() {
        line.extend_from_slice(b",\"dimensions\":");
        // A map of strings always fits into JSON.
        serde_json::to_writer(&mut line, dimensions).map_err(|_| WRONG_ENVELOPE)?;
    }
    line.extend_from_slice(b",\"trace\":");
    if !append_on_one_line(trace, &mut line) {
        return Err(Refusal::no_trace("The trace is nested too deeply, or has a number that is too large"));
    }
    line.extend_from_slice(b"}\n");
    Ok(line)
}

fn check(profile: &Profile) -> Result<(), Refusal> {
    let [thread] = &profile.threads[..] else {
        return Err(Refusal::no_trace("The body holds more than one trace").with_hint("send each by itself"));
    };
    if profile.format != "self-profiling" {
        return Err(NO_TRACE);
    }
    if thread.duration > MAX_DURATION {
        return Err(Refusal::no_trace("The samples of the trace span more than a day"));
    }
    let names = profile.functions.iter().map(|function| function.name);
    let mut texts = names.chain(profile.resources.iter().copied()).map(|id| profile.strings.get(id));
    if texts.any(|text| text.len() > MAX_STRING) {
        return Err(Refusal::no_trace("A name or an address in the trace is longer than 64 kB"));
    }
    Ok(())
}

/// The members that count; a body without `trace` is the trace itself.
#[derive(Default)]
struct Envelope<'a> {
    dimensions: Dimensions,
    trace: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let (mut dimensions, mut trace) = (None, None);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let is_first = match &*key {
                "dimensions" => dimensions.replace(map.next_value()?).is_none(),
                "trace" => trace.replace(map.next_value::<&RawValue>()?).is_none(),
                _ => map.next_value::<IgnoredAny>().map(|_| true)?,
            };
            if !is_first {
                return Err(Error::custom("a member is there twice"));
            }
        }
        if trace.is_some_and(|trace: &RawValue| !trace.get().starts_with('{')) {
            return Err(Error::custom("a trace is an object"));
        }
        Ok(Envelope { dimensions: dimensions.unwrap_or_default(), trace })
    }
}

const WRONG_ENVELOPE: Refusal = Refusal::no_trace(
    "The body is not {\"trace\": {..}, \"dimensions\": {..}} with at most 16 dimensions, which are texts of at most 512 bytes",
);
const NO_TRACE: Refusal = Refusal::no_trace("The body is no trace of the JS Self-Profiling API");

fn why_not_read(error: &serde_json::Error) -> Refusal {
    match error.classify() {
        Category::Data => WRONG_ENVELOPE,
        Category::Eof => Refusal::broken("The JSON ends in its middle"),
        Category::Syntax | Category::Io => Refusal::broken("The body is not valid JSON"),
    }
}

fn why_no_trace(error: &DecodeError) -> Refusal {
    match error {
        DecodeError::NoSamples => Refusal::no_trace("The trace has no samples"),
        _ => NO_TRACE,
    }
}
