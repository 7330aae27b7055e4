//! The markers of a thread: the trace's own, and labels of its samples.

use std::io::{self, Write};

use super::labels::LabelRun;
use super::tables::column;
use crate::encode::json;
use crate::model::{Amount, Marker, MarkerKind, Profile};

/// Tells readers how to show markers that say more than their names.
pub(super) const SCHEMA: &str = concat!(
    r#"[{"name":"UserTiming","display":["marker-chart","marker-table"],"tooltipLabel":"{marker.data.name}","#,
    r#""tableLabel":"{marker.data.name}","chartLabel":"{marker.data.name}","#,
    r#""fields":[{"key":"name","label":"Name","format":"string"},"#,
    r#"{"key":"entryType","label":"Entry Type","format":"string"}]},"#,
    r#"{"name":"SampleLabel","display":["marker-chart","marker-table"],"#,
    r#""tooltipLabel":"{marker.name}={marker.data.value}","#,
    r#""tableLabel":"{marker.name}={marker.data.value}","chartLabel":"{marker.data.value}","#,
    r#""fields":[{"key":"value","label":"Value","format":"string"},"#,
    r#"{"key":"firstSample","label":"First Sample","format":"integer"},"#,
    r#"{"key":"samples","label":"Samples","format":"integer"}]}]"#
);

/// A row of the table.
pub(super) enum FirefoxMarker<'p> {
    Marked(&'p Marker),
    Label(LabelRun),
}

impl FirefoxMarker<'_> {
    /// Its name, if that says what it is.
    pub(super) fn name<'p>(&self, profile: &'p Profile) -> &'p str {
        let marker = match self {
            Self::Marked(marker) => marker,
            Self::Label(run) => return profile.strings.get(run.key),
        };
        match (marker.kind, profile.strings.get(marker.name)) {
            (MarkerKind::UserTiming, _) => "UserTiming",
            (MarkerKind::LongTask, "long task") => "LongTask",
            (MarkerKind::Navigation, "navigation") => "Navigation::Start",
            (_, name) => name,
        }
    }

    fn start(&self) -> Amount {
        match self {
            Self::Marked(marker) => marker.start,
            Self::Label(run) => run.start,
        }
    }

    fn end(&self) -> Amount {
        match self {
            Self::Marked(marker) => marker.start + marker.duration,
            Self::Label(run) => run.end,
        }
    }

    fn write_data(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Marked(marker) if marker.kind == MarkerKind::UserTiming => {
                let entry = if marker.duration > Amount(0) { "measure" } else { "mark" };
                write!(out, r#"{{"type":"UserTiming","entryType":"{entry}","name":"#)?;
                json::text(profile.strings.get(marker.name), out)?;
                out.write_all(b"}")
            }
            Self::Marked(_) => out.write_all(b"null"),
            Self::Label(run) => {
                write!(out, r#"{{"type":"SampleLabel","value":"#)?;
                json::text(profile.strings.get(run.value), out)?;
                write!(out, r#","firstSample":{},"samples":{}}}"#, run.first, run.samples)
            }
        }
    }
}

/// Writes the table; `names` holds the indices of the markers' names.
pub(super) fn write_markers(
    profile: &Profile,
    markers: &[FirefoxMarker],
    names: &[u64],
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(br#""markers":{"#)?;
    column("name", names.iter(), out)?;
    // An interval, or a moment.
    column("phase", markers.iter().map(|it| u32::from(it.end() > it.start())), out)?;
    column("category", markers.iter().map(|_| 0), out)?;
    out.write_all(br#""startTime":"#)?;
    json::list(markers, out, |marker, out| json::millis(marker.start().0, out))?;
    out.write_all(br#","endTime":"#)?;
    json::list(markers, out, |marker, out| json::millis(marker.end().0, out))?;
    out.write_all(br#","data":"#)?;
    json::list(markers, out, |marker, out| marker.write_data(profile, out))?;
    write!(out, r#","length":{}}}"#, markers.len())
}
