//! What accompanies the trace in a line kept by `proflens collect`: when it was received, and its dimensions.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tables;

/// What groups sessions, as far as the lake has columns for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dimensions {
    /// The page.
    pub page: Option<String>,
    /// The device.
    pub device: Option<String>,
    /// The country.
    pub country: Option<String>,
    /// The user, or whatever else sessions that are not independent have in common.
    pub user: Option<String>,
}

/// What a line says about its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// When the session was received, in milliseconds of Unix time.
    pub received: Option<i64>,
    /// The release, if the line says it.
    pub release: Option<String>,
    /// Its dimensions.
    pub dimensions: Dimensions,
    /// The names of the dimensions that the lake has no column for.
    pub others: BTreeSet<String>,
    /// What is wrong with the dimensions that cannot be used.
    pub wrong: Vec<WrongDimension>,
}

/// Why a dimension is left out; the rest of its line is still used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongDimension {
    /// The dimensions are not an object, or their JSON cannot be read.
    All,
    /// The name is empty or too long.
    Name,
    /// The value is too long.
    Long,
    /// The value is not a string, number or boolean, or cannot be read.
    Value,
}

impl fmt::Display for WrongDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("they are no object"),
            Self::Name => write!(f, "its name has not 1 to {MAX_NAME} bytes"),
            Self::Long => write!(f, "its value is longer than {MAX_TEXT} bytes"),
            Self::Value => f.write_str("its value is no text and no number"),
        }
    }
}

/// The longest name, in bytes, and the longest value, as in `proflens collect`.
const MAX_NAME: usize = 64;
const MAX_TEXT: usize = 512;

/// The parts of a line as they are written: an error in one of them only affects that part.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "receivedAt")]
    received_at: Option<&'a RawValue>,
    #[serde(borrow)]
    dimensions: Option<&'a RawValue>,
}

impl Envelope {
    /// Reads it from a line; it is empty if the line has none, or is not JSON.
    pub fn of(line: &[u8]) -> Self {
        // The trace comes last, so that its 100 kB need not be read twice.
        let before = memchr::memmem::find(line, b",\"trace\":").map(|at| [&line[..at], b"}"].concat());
        let short = before.as_deref().and_then(|text| serde_json::from_slice::<Line<'_>>(text).ok());
        let Some(read) = short.or_else(|| serde_json::from_slice(line).ok()) else { return Self::default() };
        let time = read.received_at.and_then(|json| serde_json::from_str::<Cow<'_, str>>(json.get()).ok());
        let mut envelope = Self { received: time.and_then(|time| milliseconds(&time)), ..Self::default() };
        let Some(json) = read.dimensions.filter(|json| json.get() != "null") else { return envelope };
        match serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(json.get()) {
            Ok(dimensions) => {
                for (name, value) in dimensions {
                    envelope.add(name.into_owned(), value).unwrap_or_else(|why| envelope.wrong.push(why));
                }
            }
            Err(_) => envelope.wrong.push(WrongDimension::All),
        }
        envelope
    }

    fn add(&mut self, name: String, value: &RawValue) -> Result<(), WrongDimension> {
        if !(1..=MAX_NAME).contains(&name.len()) {
            return Err(WrongDimension::Name);
        }
        // A character can be written in six bytes; anything longer need not be read.
        if value.get().len() > 6 * MAX_TEXT + 2 {
            return Err(WrongDimension::Long);
        }
        let text = match serde_json::from_str(value.get()) {
            Ok(Value::String(text)) => text,
            Ok(Value::Number(number)) => number.to_string(),
            Ok(Value::Bool(flag)) => flag.to_string(),
            _ => return Err(WrongDimension::Value),
        };
        if text.len() > MAX_TEXT {
            return Err(WrongDimension::Long);
        }
        match name.as_str() {
            "release" => self.release = Some(text),
            "page" => self.dimensions.page = Some(text),
            "device" => self.dimensions.device = Some(text),
            "country" => self.dimensions.country = Some(text),
            "user" => self.dimensions.user = Some(text),
            _ => _ = self.others.insert(name),
        }
        Ok(())
    }

    /// The day on which it was received, in UTC: `2026-11-20`.
    pub fn date(&self) -> Option<String> {
        let time = UNIX_EPOCH + std::time::Duration::from_millis(self.received?.try_into().ok()?);
        let mut text = String::new();
        // There is no form for years with five digits.
        write!(text, "{}", humantime::format_rfc3339_seconds(time)).ok()?;
        let day = text.get(..10)?;
        tables::is_date(day).then(|| day.to_owned())
    }
}

fn milliseconds(time: &str) -> Option<i64> {
    let time: SystemTime = humantime::parse_rfc3339(time).ok()?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_read_wherever_it_stands() {
        let cart = Dimensions { page: Some("/cart".into()), ..Dimensions::default() };
        let whole = Envelope {
            received: Some(1_795_352_207_123),
            release: Some("1.4".into()),
            dimensions: cart.clone(),
            others: ["beta".to_owned()].into(),
            ..Envelope::default()
        };
        let rows = [
            (
                r#"{"receivedAt":"2026-11-22T12:56:47.123Z","dimensions":{"page":"/cart","release":"1.4","beta":1},"trace":{"frames":[}"#,
                whole.clone(),
            ),
            (
                r#"{"trace":{},"dimensions":{"page":"/cart","release":"1.4","beta":true},"receivedAt":"2026-11-22T12:56:47.123Z"}"#,
                whole,
            ),
            (
                r#"{"dimensions":{"page":"/cart","trace":{}}, "trace":{}}"#,
                Envelope { dimensions: cart, wrong: vec![WrongDimension::Value], ..Envelope::default() },
            ),
            (
                r#"{"dimensions":{"page":["/cart"],"device":null,"user":"\ud800","country":1e999,"":"x","release":"1.4"},"trace":{}}"#,
                Envelope {
                    release: Some("1.4".into()),
                    wrong: [&[WrongDimension::Name][..], &[WrongDimension::Value; 4]].concat(),
                    ..Envelope::default()
                },
            ),
            (
                r#"{"receivedAt":5,"dimensions":["/cart"],"trace":{}}"#,
                Envelope { wrong: vec![WrongDimension::All], ..Envelope::default() },
            ),
            (r#"{"receivedAt":"yesterday","trace":{}}"#, Envelope::default()),
            (r#"{"receivedAt":5}"#, Envelope::default()),
            ("no JSON", Envelope::default()),
        ];
        for (line, expected) in rows {
            assert_eq!(Envelope::of(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn what_is_too_long_is_left_out() {
        let line = |name: usize, text: usize| {
            let (name, text) = ("n".repeat(name), "x".repeat(text));
            format!(r#"{{"dimensions":{{"page":"{text}","{name}":1}},"trace":{{}}}}"#)
        };
        let wrong = |name, text| Envelope::of(line(name, text).as_bytes()).wrong;
        assert_eq!(wrong(64, 512), []);
        assert_eq!([wrong(65, 1), wrong(1, 513)], [[WrongDimension::Name], [WrongDimension::Long]]);
        assert_eq!(wrong(1, 5000), [WrongDimension::Long]);
    }

    #[test]
    fn days_are_those_of_utc() {
        let date = |time: &str| {
            Envelope { received: milliseconds(time), ..Envelope::default() }.date().unwrap_or_default()
        };
        assert_eq!(date("2026-11-22T23:59:59.999Z"), "2026-11-22");
        assert_eq!(date("1969-01-01T00:00:00Z"), "");
    }
}
