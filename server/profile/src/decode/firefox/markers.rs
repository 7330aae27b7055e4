//! The markers of a thread: user timings of the page, long tasks, navigations, and whatever else took a while.
//!
//! A table like the others, but with an object in its last column, and of those only a user timing's says more than the
//! columns: its name. What is only a moment is left out, unless the page or a navigation set it. Before 2020 markers had
//! no columns for their start and end; those are not read.

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::labels::SampleLabel;
use super::tables::{Cell, Column, Millionths, NONE, StringTable, at, column, times};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{FastReader, Json, Kind, index_of};
use crate::model::{MarkerKind, StringId};

/// The phase of a marker that has both a start and an end.
const INTERVAL: u32 = 1;

/// The columns that are needed, in the order of their numbers here.
const COLUMNS: [&[u8]; 5] = [b"name", b"startTime", b"endTime", b"phase", b"data"];

/// The markers of a thread: in rows, or in columns.
#[derive(Default)]
pub(super) struct ThreadMarkers {
    rows: Vec<MarkerRow>,
    names: Column,
    starts: Vec<Millionths>,
    ends: Vec<Millionths>,
    phases: Column,
    /// By row: what the program called it.
    user_timings: Vec<(u32, TimingName)>,
    /// What Proflens wrote of samples.
    pub(super) labels: Vec<SampleLabel>,
}

/// A row of the table.
#[derive(Clone, Copy)]
struct MarkerRow {
    name: u32,
    start: Millionths,
    end: Millionths,
    phase: u32,
}

const NO_MARKER: MarkerRow =
    MarkerRow { name: NONE, start: Millionths::NONE, end: Millionths::NONE, phase: NONE };

/// What a marker is by its name.
#[derive(Clone, Copy)]
enum NameMeans {
    /// Something, even if it took no time.
    Moment(MarkerKind),
    /// Something only if it took a while.
    Interval(MarkerKind),
}

/// The empty text, of markers that are left out.
const NO_NAME: StringId = StringId(0);

/// What the markers of a name are, and what to call them.
fn meaning(name: Option<&str>, builder: &mut ProfileBuilder) -> (StringId, NameMeans) {
    let name = name.unwrap_or_default();
    let (name, means) = match name {
        "Navigation::Start" => ("navigation", NameMeans::Moment(MarkerKind::Navigation)),
        "LongTask" | "MainThreadLongTask" => ("long task", NameMeans::Interval(MarkerKind::LongTask)),
        "DocumentLoad" => (name, NameMeans::Interval(MarkerKind::Navigation)),
        _ => (name, NameMeans::Interval(MarkerKind::Other)),
    };
    (builder.string(name), means)
}

/// Whether what a marker says of itself has the type of a user timing. Firefox writes the type first.
#[inline]
fn may_be_user_timing(data: &[u8]) -> bool {
    match data.strip_prefix(b"{\"type\":\"") {
        Some(named) => named.starts_with(b"UserTiming\""),
        None => memmem::find(data, b"\"UserTiming\"").is_some(),
    }
}

/// The name of a user timing.
enum TimingName {
    Text(Box<str>),
    /// A string of the profile.
    Index(u32),
}

impl ThreadMarkers {
    /// Reads the table.
    pub(super) fn read(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        let mut cells: Vec<Option<usize>> = Vec::new();
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"schema" => cells = read_schema(json)?,
                b"data" if cells.is_empty() => self.read_data_column(json)?,
                b"data" => self.read_rows(json, &cells)?,
                b"name" => column(json, &mut self.names)?,
                b"startTime" => times(json, &mut self.starts)?,
                b"endTime" => times(json, &mut self.ends)?,
                b"phase" => column(json, &mut self.phases)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    /// The name of a row of a table in columns.
    pub(super) fn name(&self, row: u32) -> u32 {
        at(&self.names, row)
    }

    /// Adds them to the session. Their times count from `origin`, which is on the clock of the session, in nanoseconds. In a file that
    /// Proflens wrote labels are no markers.
    pub(super) fn finish(
        &self,
        strings: &StringTable,
        origin: i64,
        is_converted: bool,
        process: u32,
        builder: &mut ProfileBuilder,
    ) {
        let columns = (0..self.starts.len().min(self.ends.len()) as u32).map(|row| MarkerRow {
            name: at(&self.names, row),
            start: self.starts[row as usize],
            end: self.ends[row as usize],
            phase: at(&self.phases, row),
        });
        let mut user_timings = self.user_timings.iter().peekable();
        let mut labels = self.labels.iter().filter(|_| is_converted).peekable();
        // By index of its name: many markers have few names.
        let mut known: FxHashMap<u32, (StringId, NameMeans)> = FxHashMap::default();
        for (number, row) in (0..).zip(self.rows.iter().copied().chain(columns)) {
            let MarkerRow { name, start, end, phase } = row;
            let is_interval = phase == INTERVAL && end > start;
            let user_timing = user_timings.next_if(|it| it.0 == number);
            if labels.next_if(|it| it.marker == number).is_some() {
                continue;
            }
            if start == Millionths::NONE || (user_timing.is_none() && name == NONE) {
                continue;
            }
            let (name, kind) = match user_timing {
                Some((_, TimingName::Text(text))) => (builder.string(text), MarkerKind::UserTiming),
                Some((_, TimingName::Index(index))) => {
                    (builder.string(strings.get(*index).unwrap_or_default()), MarkerKind::UserTiming)
                }
                None => {
                    let (name, means) =
                        *known.entry(name).or_insert_with(|| meaning(strings.get(name), builder));
                    match means {
                        NameMeans::Moment(kind) => (name, kind),
                        NameMeans::Interval(kind) if is_interval => (name, kind),
                        NameMeans::Interval(_) => continue,
                    }
                }
            };
            if name == NO_NAME {
                continue;
            }
            let end = if is_interval { end } else { start };
            let span = (origin.saturating_add(start.0), origin.saturating_add(end.0));
            builder.marker(name, kind, process, span);
        }
    }

    fn read_rows(&mut self, json: &mut Json, cells: &[Option<usize>]) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        loop {
            json.fast_items(|item| plain_row(item, cells).map(|row| self.rows.push(row)));
            if !json.next_item()? {
                return Ok(());
            }
            let (mut row, mut cell, number) = (NO_MARKER, 0, self.rows.len() as u32);
            if json.enter_array()? {
                while json.next_item()? {
                    match cells.get(cell).copied().flatten() {
                        Some(0) => row.name = json.index()?.unwrap_or(NONE),
                        Some(1) => row.start = Millionths::read(json)?,
                        Some(2) => row.end = Millionths::read(json)?,
                        Some(3) => row.phase = json.index()?.unwrap_or(NONE),
                        Some(4) => self.read_data(number, json)?,
                        _ => json.skip()?,
                    }
                    cell += 1;
                }
            }
            self.rows.push(row);
        }
    }

    fn read_data_column(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            let mut row = 0;
            while json.next_item()? {
                self.read_data(row, json)?;
                row += 1;
            }
        }
        Ok(())
    }

    /// Reads what a marker says of itself.
    fn read_data(&mut self, row: u32, json: &mut Json) -> Result<()> {
        if json.kind()? != Kind::Object {
            return json.skip();
        }
        json.enter_object()?;
        let mut means = DataMeans::Unknown;
        let (mut name, mut value, mut first, mut samples) = (None, None, None, None);
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"type" => means = json.string(DataMeans::of)?.unwrap_or(DataMeans::Other),
                b"name" if means.may_be(DataMeans::Timing) => {
                    name = match json.kind()? {
                        Kind::String => json.string(|text| TimingName::Text(text.into()))?,
                        _ => json.index()?.map(TimingName::Index),
                    };
                }
                b"value" if means.may_be(DataMeans::Label) => value = json.string(|text| text.into())?,
                b"firstSample" if means.may_be(DataMeans::Label) => first = json.index()?,
                b"samples" if means.may_be(DataMeans::Label) => samples = json.index()?,
                _ => json.skip()?,
            }
        }
        match (means, value, first, samples) {
            (DataMeans::Timing, ..) => self.user_timings.extend(name.map(|it| (row, it))),
            (DataMeans::Label, Some(value), Some(first), Some(samples)) => {
                self.labels.push(SampleLabel { marker: row, value, first, samples });
            }
            _ => {}
        }
        Ok(())
    }
}

/// What the data of a marker are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DataMeans {
    /// Their type was not read yet.
    Unknown,
    Timing,
    Label,
    Other,
}

impl DataMeans {
    fn of(name: &str) -> Self {
        match name {
            "UserTiming" => Self::Timing,
            "SampleLabel" => Self::Label,
            _ => Self::Other,
        }
    }

    fn may_be(self, other: Self) -> bool {
        self == other || self == Self::Unknown
    }
}

/// By cell of a row: which of the columns it is of.
fn read_schema(json: &mut Json) -> Result<Vec<Option<usize>>> {
    let mut cells = Vec::new();
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            let column = COLUMNS.iter().position(|&name| name == key.bytes());
            if let Some(cell) = json.index()?.filter(|&cell| cell < 64) {
                cells.resize(cells.len().max(cell as usize + 1), None);
                cells[cell as usize] = column;
            }
        }
    }
    Ok(cells)
}

/// A row as Firefox writes it, unless it is a user timing.
fn plain_row(item: &mut FastReader, cells: &[Option<usize>]) -> Option<MarkerRow> {
    let (mut row, mut cells) = (NO_MARKER, cells.iter());
    item.items(|item| {
        match cells.next().copied().flatten() {
            Some(0) => row.name = index_of(item.integer()?)?,
            Some(1) => row.start = Millionths::read_plain(item)?,
            Some(2) if item.takes(b"null") => {}
            Some(2) => row.end = Millionths::read_plain(item)?,
            Some(3) => row.phase = index_of(item.integer()?)?,
            Some(4) if may_be_user_timing(item.value()?) => return None,
            Some(_) => {}
            None if item.skips_word() => {}
            None => return None,
        }
        Some(())
    })?;
    Some(row)
}
