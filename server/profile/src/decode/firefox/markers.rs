//! The markers of a thread: user timings of the page, long tasks, navigations, and anything else that took a while; and
//! what happened on the page: user events, style and layout.
//!
//! The table is like the others, but has an object in its last column, whose type says what else is in it. Markers of a
//! moment are left out unless the page or a navigation set them. Of markers with one row for the start and another for
//! the end, only events and layout are read. Before 2020, markers had no columns for start and end; those are not read.

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::interactions::InputEvents;
use super::labels::SampleLabel;
use super::rendering::RenderingMarkers;
use super::tables::{Cell, Column, Millionths, NONE, Schema, StringTable, at, column, times};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{FastReader, Json, Kind, index_of};
use crate::model::{MarkerKind, RenderingKind, StringId};

/// The phases of a marker with both a start and an end, with only the start, and with only the end.
const INTERVAL: u32 = 1;
const INTERVAL_START: u32 = 2;
const INTERVAL_END: u32 = 3;

/// The needed columns, in the order of their numbers here.
const COLUMNS: [&[u8]; 5] = [b"name", b"startTime", b"endTime", b"phase", b"data"];

/// The markers of a thread: in rows, or in columns.
#[derive(Default)]
pub(super) struct ThreadMarkers {
    rows: Vec<MarkerRow>,
    names: Column,
    starts: Vec<Millionths>,
    ends: Vec<Millionths>,
    phases: Column,
    /// Each row, and what its marker says about itself.
    said: Vec<(u32, MarkerData)>,
    /// Labels of samples, written by Proflens.
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

/// The meaning of a marker, by its name.
#[derive(Clone, Copy)]
enum NameMeans {
    /// A marker, even if it took no time.
    Moment(MarkerKind),
    /// A marker only if it took a while.
    Interval(MarkerKind),
    /// The same; style or layout was computed.
    Rendering(RenderingKind),
    /// The same; pending changes were computed for somebody.
    Flush,
    /// An event that was dispatched to listeners.
    Event,
}

/// The empty text, for markers that are left out.
const NO_NAME: StringId = StringId(0);

/// The meaning of markers with a name, and what to call them.
fn meaning(name: Option<&str>, builder: &mut ProfileBuilder) -> (StringId, NameMeans) {
    let name = name.unwrap_or_default();
    let (name, means) = match name {
        "Navigation::Start" => ("navigation", NameMeans::Moment(MarkerKind::Navigation)),
        "LongTask" | "MainThreadLongTask" => ("long task", NameMeans::Interval(MarkerKind::LongTask)),
        "DocumentLoad" => (name, NameMeans::Interval(MarkerKind::Navigation)),
        "Styles" => (name, NameMeans::Rendering(RenderingKind::Style)),
        "Reflow" | "Reflow (sync)" | "Reflow (interruptible)" => {
            (name, NameMeans::Rendering(RenderingKind::Layout))
        }
        "DoFlushPendingNotifications" => (name, NameMeans::Flush),
        "DOMEvent" => (name, NameMeans::Event),
        _ => (name, NameMeans::Interval(MarkerKind::Other)),
    };
    (builder.string(name), means)
}

/// What a marker says about itself, by its type.
enum MarkerData {
    /// For a user timing: the name that the program gave it.
    Timing(MarkerText),
    /// For an event: its type, and how long after its creation it was dispatched.
    Event { kind: MarkerText, latency: Millionths },
    /// For a text: the row of the stack on which it was written.
    Stack(u32),
}

enum MarkerText {
    Text(Box<str>),
    /// A string of the profile.
    Index(u32),
}

/// What happened on the page of a thread.
#[derive(Default)]
pub(super) struct PageWork {
    pub(super) inputs: InputEvents,
    pub(super) rendering: RenderingMarkers,
}

/// The types of markers that say more about themselves than their columns do.
const TYPES: [&str; 4] = ["UserTiming", "DOMEvent", "TextStack", "SampleLabel"];

/// Whether the data of a marker has one of these types. Firefox often writes the type first.
#[inline]
fn may_say_more(data: &[u8]) -> bool {
    match data.strip_prefix(b"{\"type\":\"") {
        Some(named) => TYPES.iter().any(|it| named.starts_with(it.as_bytes())),
        None => TYPES.iter().any(|it| memmem::find(data, it.as_bytes()).is_some()),
    }
}

impl MarkerText {
    fn read(json: &mut Json) -> Result<Option<Self>> {
        match json.kind()? {
            Kind::String => json.string(|text| Self::Text(text.into())),
            _ => Ok(json.index()?.map(Self::Index)),
        }
    }

    fn get<'t>(&'t self, strings: &'t StringTable) -> &'t str {
        match self {
            Self::Text(text) => text,
            Self::Index(index) => strings.get(*index).unwrap_or_default(),
        }
    }
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

    /// Adds the markers to the session, and returns what happened on the page. Times are relative to `origin`, which is
    /// on the clock of the session, in nanoseconds. In a file written by Proflens, labels are not markers.
    pub(super) fn finish(
        &self,
        strings: &StringTable,
        origin: i64,
        is_converted: bool,
        process: u32,
        builder: &mut ProfileBuilder,
    ) -> PageWork {
        let mut work = PageWork::default();
        let columns = (0..self.starts.len().min(self.ends.len()) as u32).map(|row| MarkerRow {
            name: at(&self.names, row),
            start: self.starts[row as usize],
            end: self.ends[row as usize],
            phase: at(&self.phases, row),
        });
        let mut said = self.said.iter().peekable();
        let mut labels = self.labels.iter().filter(|_| is_converted).peekable();
        // By index of the name, as many markers share few names.
        let mut known: FxHashMap<u32, (StringId, NameMeans)> = FxHashMap::default();
        // What began but has not ended yet, also by index of the name.
        let mut begun: FxHashMap<u32, Vec<Millionths>> = FxHashMap::default();
        for (number, row) in (0..).zip(self.rows.iter().copied().chain(columns)) {
            let said = said.next_if(|it| it.0 == number).map(|it| &it.1);
            if labels.next_if(|it| it.marker == number).is_some() {
                continue;
            }
            if let Some(MarkerData::Timing(text)) = said {
                if row.start != Millionths::NONE {
                    let name = builder.string(text.get(strings));
                    add(name, MarkerKind::UserTiming, row.from(origin), process, builder);
                }
                continue;
            }
            if row.name == NONE {
                continue;
            }
            let (name, means) =
                *known.entry(row.name).or_insert_with(|| meaning(strings.get(row.name), builder));
            let kind = match means {
                NameMeans::Moment(kind) | NameMeans::Interval(kind) => kind,
                NameMeans::Rendering(_) | NameMeans::Flush | NameMeans::Event => MarkerKind::Other,
            };
            let is_shown = row.is_interval() || matches!(means, NameMeans::Moment(_));
            if is_shown && row.start != Millionths::NONE {
                add(name, kind, row.from(origin), process, builder);
            }
            if matches!(means, NameMeans::Moment(_) | NameMeans::Interval(_)) {
                continue;
            }
            let start = match row.phase {
                INTERVAL_START => {
                    begun.entry(row.name).or_default().push(row.start);
                    continue;
                }
                INTERVAL_END => begun.get_mut(&row.name).and_then(Vec::pop).unwrap_or(Millionths::NONE),
                _ => row.start,
            };
            let whole = MarkerRow { start, phase: INTERVAL, ..row };
            if start == Millionths::NONE || !whole.is_interval() {
                continue;
            }
            let span = whole.from(origin);
            match (means, said) {
                (NameMeans::Rendering(kind), _) => work.rendering.computed(kind, span),
                (NameMeans::Flush, Some(&MarkerData::Stack(stack))) => work.rendering.flushed(span, stack),
                (NameMeans::Event, Some(MarkerData::Event { kind, latency })) => {
                    work.inputs.add(kind.get(strings), *latency, span);
                }
                _ => {}
            }
        }
        work
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

    /// Reads the data of a marker.
    fn read_data(&mut self, row: u32, json: &mut Json) -> Result<()> {
        if json.kind()? != Kind::Object {
            return json.skip();
        }
        json.enter_object()?;
        let (mut kind, mut name, mut event, mut stack) = (None, None, None, NONE);
        let (mut value, mut first, mut samples) = (None, None, None);
        let mut latency = Millionths::NONE;
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"type" => kind = json.string(|text| TYPES.iter().position(|it| *it == text))?.flatten(),
                b"name" => name = MarkerText::read(json)?,
                b"eventType" => event = MarkerText::read(json)?,
                b"latency" => latency = Millionths::read(json)?,
                b"stack" | b"cause" => stack = read_stack(json)?,
                b"value" if json.kind()? == Kind::String => value = json.string(|text| text.into())?,
                b"firstSample" => first = json.index()?,
                b"samples" => samples = json.index()?,
                _ => json.skip()?,
            }
        }
        let data = match kind.map(|it| TYPES[it]) {
            Some("UserTiming") => name.map(MarkerData::Timing),
            Some("DOMEvent") if latency != Millionths::NONE => {
                event.map(|kind| MarkerData::Event { kind, latency })
            }
            Some("TextStack") => (stack != NONE).then_some(MarkerData::Stack(stack)),
            Some("SampleLabel") => {
                let label = value.zip(first).zip(samples);
                let label =
                    label.map(|((value, first), samples)| SampleLabel { marker: row, value, first, samples });
                self.labels.extend(label);
                None
            }
            _ => None,
        };
        self.said.extend(data.map(|it| (row, it)));
        Ok(())
    }
}

impl MarkerRow {
    fn is_interval(self) -> bool {
        self.phase == INTERVAL && self.end > self.start
    }

    /// When it began and ended, on the clock of the session; a moment if it has no end.
    fn from(self, origin: i64) -> (i64, i64) {
        let end = if self.is_interval() { self.end } else { self.start };
        (origin.saturating_add(self.start.0), origin.saturating_add(end.0))
    }
}

fn add(name: StringId, kind: MarkerKind, span: (i64, i64), process: u32, builder: &mut ProfileBuilder) {
    if name != NO_NAME {
        builder.marker(name, kind, process, span);
    }
}

/// The row of a stack. In raw form, it is that of the only sample of a thread; in processed form, it is next to its time.
fn read_stack(json: &mut Json) -> Result<u32> {
    let mut stack = NONE;
    if json.kind()? != Kind::Object {
        json.skip()?;
        return Ok(stack);
    }
    json.enter_object()?;
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"stack" => stack = json.index()?.unwrap_or(NONE),
            b"samples" if json.kind()? == Kind::Object => {
                json.enter_object()?;
                let mut schema = Schema::default();
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"schema" => schema.read(json, &[b"stack"])?,
                        b"data" => schema.rows(json, |_, [row]| stack = row)?,
                        _ => json.skip()?,
                    }
                }
                schema.early_rows(|_, [row]| stack = row);
            }
            _ => json.skip()?,
        }
    }
    Ok(stack)
}

/// For each cell of a row, the column that it belongs to.
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

/// A row as Firefox writes it, unless it says more about itself than its columns do.
fn plain_row(item: &mut FastReader, cells: &[Option<usize>]) -> Option<MarkerRow> {
    let (mut row, mut cells) = (NO_MARKER, cells.iter());
    item.items(|item| {
        match cells.next().copied().flatten() {
            Some(0) => row.name = index_of(item.integer()?)?,
            Some(1) => row.start = Millionths::read_plain(item)?,
            Some(2) if item.takes(b"null") => {}
            Some(2) => row.end = Millionths::read_plain(item)?,
            Some(3) => row.phase = index_of(item.integer()?)?,
            Some(4) if may_say_more(item.value()?) => return None,
            Some(_) => {}
            None if item.skips_word() => {}
            None => return None,
        }
        Some(())
    })?;
    Some(row)
}
