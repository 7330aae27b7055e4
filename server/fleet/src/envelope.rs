//! What stands beside the trace in a line that `proflens collect` has kept: when it was received, and its dimensions.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;

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
    /// The user, or whatever several sessions have in common that are not independent.
    pub user: Option<String>,
}

/// What a line says of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// When the session was received, in milliseconds of Unix time.
    pub received: Option<i64>,
    /// The release that it says.
    pub release: Option<String>,
    /// Its dimensions.
    pub dimensions: Dimensions,
    /// The names of those for which the lake has no column.
    pub others: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "receivedAt")]
    received_at: Option<Cow<'a, str>>,
    dimensions: Option<BTreeMap<String, Value>>,
}

impl Envelope {
    /// Reads it from a line; it is empty where the line has none, or is no JSON.
    pub fn of(line: &[u8]) -> Self {
        // The trace comes last, so that the 100 kB of it need not be read twice.
        let before = find(line, b",\"trace\":").map(|at| [&line[..at], b"}"].concat());
        let short = before.as_deref().and_then(|it| serde_json::from_slice::<Line<'_>>(it).ok());
        let Some(read) = short.or_else(|| serde_json::from_slice(line).ok()) else { return Self::default() };
        let mut it = Self { received: read.received_at.and_then(|it| milliseconds(&it)), ..Self::default() };
        for (name, value) in read.dimensions.unwrap_or_default() {
            let text = match value {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => {
                    it.others.insert(name);
                    continue;
                }
            };
            match name.as_str() {
                "release" => it.release = Some(text),
                "page" => it.dimensions.page = Some(text),
                "device" => it.dimensions.device = Some(text),
                "country" => it.dimensions.country = Some(text),
                "user" => it.dimensions.user = Some(text),
                _ => _ = it.others.insert(name),
            }
        }
        it
    }

    /// The day on which it was received, in UTC: `2026-11-20`.
    pub fn date(&self) -> Option<String> {
        let time = UNIX_EPOCH + std::time::Duration::from_millis(self.received?.try_into().ok()?);
        let text = humantime::format_rfc3339_seconds(time).to_string();
        let day = text.get(..10)?;
        tables::is_date(day).then(|| day.to_owned())
    }
}

fn milliseconds(time: &str) -> Option<i64> {
    let time: SystemTime = humantime::parse_rfc3339(time).ok()?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
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
                Envelope { dimensions: cart, others: ["trace".to_owned()].into(), ..Envelope::default() },
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
    fn days_are_those_of_utc() {
        let date = |time: &str| {
            Envelope { received: milliseconds(time), ..Envelope::default() }.date().unwrap_or_default()
        };
        assert_eq!(date("2026-11-22T23:59:59.999Z"), "2026-11-22");
        assert_eq!(date("1969-01-01T00:00:00Z"), "");
    }
}
