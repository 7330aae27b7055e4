//! One event of a trace: what it is about, and the pieces of a profile that it may contain.

use super::call_sites::{InnermostFrame, STACK};
use super::generic::{CallFields, SourcePlace};
use super::interactions::EventTiming;
use super::label::read_label;
use super::markers::CATEGORY;
use super::scripts::{Announcement, Scripts};
use super::tasks::{SAMPLE, nanos, sample_id};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{Json, Number};
use crate::decode::v8::nodes::V8Profile;

/// Who asked for a profile. If a thread has several, the first in this order is shown, as in DevTools.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RequestedBy {
    Internal,
    Inspector,
    /// A page that profiles itself, or a version of Chrome that does not say.
    #[default]
    Other,
}

/// What an event is about.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum EventSubject {
    Profile,
    ProfileChunk,
    CpuProfile,
    ThreadName,
    Worker,
    Script,
    EventTiming,
    #[default]
    Other,
}

/// What every event has.
#[derive(Default)]
pub(super) struct EventHeader {
    pub(super) event: EventSubject,
    pub(super) process: String,
    pub(super) thread: String,
    pub(super) id: String,
    /// Whether it is a mark or a measure of a page.
    pub(super) is_timing: bool,
    pub(super) time: f64,
    pub(super) call: CallFields,
    /// The time and the duration in nanoseconds.
    pub(super) start: i64,
    pub(super) duration: i64,
}

/// The contents of an event's arguments.
#[derive(Default)]
pub(super) struct EventData {
    pub(super) profile: V8Profile,
    /// The line of each sample, from 1; 0 if not known.
    pub(super) lines: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) source: Option<RequestedBy>,
    pub(super) thread_name: String,
    pub(super) worker_thread: String,
    pub(super) script: Announcement,
    pub(super) timing: EventTiming,
    pub(super) place: SourcePlace,
    /// Whether the event names a document that is opened, and whether that is in a frame of another one.
    pub(super) has_document: bool,
    pub(super) is_framed: bool,
    /// The sample that was taken for this event.
    pub(super) sample: Option<u64>,
    /// The innermost frame of the stack in which it began.
    pub(super) frame: Option<InnermostFrame>,
    /// Samples that were taken for events: their ids and nodes.
    pub(super) event_samples: Vec<(u64, u32)>,
}

impl EventHeader {
    /// Reads an event, and its contents into `data`.
    pub(super) fn read(json: &mut Json, data: &mut EventData, builder: &mut ProfileBuilder) -> Result<Self> {
        let mut header = EventHeader::default();
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"args" => data.read_args(json, builder)?,
                b"name" => {
                    header.call.name = json.string(str::to_owned)?.unwrap_or_default();
                    header.event = EventSubject::of(&header.call.name);
                }
                b"cat" => {
                    header.is_timing =
                        json.string(|text| text.as_bytes().starts_with(CATEGORY))? == Some(true);
                }
                b"ph" => header.call.phase = json.string(first_byte)?.unwrap_or_default(),
                b"sf" => header.call.frame = Some(read_label(json)?),
                b"pid" => header.process = read_label(json)?,
                b"tid" => header.thread = read_label(json)?,
                b"id" => header.id = read_label(json)?,
                b"id2" => header.id = read_scoped_id(json)?,
                b"ts" => {
                    let time = json.number()?;
                    (header.time, header.start) = (time.map_or(0.0, Number::as_f64), time.map_or(0, nanos));
                }
                b"dur" => {
                    let duration = json.number()?;
                    header.call.duration = duration.map(Number::as_f64);
                    header.duration = duration.map_or(0, nanos);
                }
                _ => json.skip()?,
            }
        }
        Ok(header)
    }
}

impl EventSubject {
    pub(super) fn of(text: &str) -> Self {
        match text {
            "Profile" => Self::Profile,
            "ProfileChunk" => Self::ProfileChunk,
            "CpuProfile" => Self::CpuProfile,
            "thread_name" => Self::ThreadName,
            "TracingSessionIdForWorker" => Self::Worker,
            "EventTiming" => Self::EventTiming,
            name if Scripts::is_event(name) => Self::Script,
            _ => Self::Other,
        }
    }
}

impl EventData {
    /// Reads `args`. Since the name of the event comes later in the text, it is read whatever the event may be.
    fn read_args(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"data" => self.read_data(json, builder)?,
                b"beginData" => self.read_begin_data(json)?,
                SAMPLE => self.sample = json.number()?.map(sample_id),
                b"name" => self.thread_name = json.string(str::to_owned)?.unwrap_or_default(),
                bytes => {
                    if !self.place.member(bytes, json)? {
                        json.skip()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn read_data(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"cpuProfile" => self.read_profile(json, builder)?,
                b"timeDeltas" => self.profile.read_time_deltas(json)?,
                b"lines" => read_places(json, &mut self.lines)?,
                b"columns" => read_places(json, &mut self.columns)?,
                b"source" => self.source = json.string(RequestedBy::of)?,
                b"documentLoaderURL" => {
                    self.has_document = json.string(|url| !url.is_empty())? == Some(true);
                }
                b"isLoadingMainFrame" | b"isOutermostMainFrame" => {
                    self.is_framed |= json.index_or_flag()? == Some(0);
                }
                b"workerThreadId" => self.worker_thread = read_label(json)?,
                SAMPLE => self.sample = json.number()?.map(sample_id),
                bytes => {
                    if !self.script.member(bytes, json)? && !self.timing.member(bytes, json)? {
                        json.skip()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn read_begin_data(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    SAMPLE => self.sample = json.number()?.map(sample_id),
                    STACK => self.frame = InnermostFrame::read(json)?,
                    _ => json.skip()?,
                }
            }
        }
        Ok(())
    }

    /// `{"12345": 7}`: the ids of samples, and their nodes.
    fn read_event_samples(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                let id = Number::of(key.bytes());
                if let (Some(id), Some(node)) = (id, json.index()?) {
                    self.event_samples.push((sample_id(id), node));
                }
            }
        }
        Ok(())
    }

    fn read_profile(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            let profile = &mut self.profile;
            match key.bytes() {
                b"trace_ids" => self.read_event_samples(json)?,
                b"nodes" => profile.read_nodes(json, builder)?,
                b"samples" => profile.read_samples(json)?,
                b"timeDeltas" => profile.read_time_deltas(json)?,
                b"startTime" => profile.read_start(json)?,
                b"endTime" => profile.read_end(json)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    /// Clears everything except the texts and ids that later events refer to.
    pub(super) fn clear(&mut self) {
        self.profile.clear();
        self.lines.clear();
        self.columns.clear();
        self.source = None;
        self.thread_name.clear();
        self.worker_thread.clear();
        self.script = Announcement::default();
        self.timing = EventTiming::default();
        self.place = SourcePlace::default();
        (self.has_document, self.is_framed) = (false, false);
        (self.sample, self.frame) = (None, None);
        self.event_samples.clear();
    }
}

impl RequestedBy {
    fn of(text: &str) -> Self {
        match text {
            "Internal" => Self::Internal,
            "Inspector" => Self::Inspector,
            _ => Self::Other,
        }
    }
}

fn first_byte(text: &str) -> u8 {
    text.as_bytes().first().copied().unwrap_or_default()
}

/// `{"local": "0x1"}`, an id that states its own scope.
fn read_scoped_id(json: &mut Json) -> Result<String> {
    let mut id = String::new();
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"local" | b"global" => id = read_label(json)?,
                _ => json.skip()?,
            }
        }
    }
    Ok(id)
}

/// Lines or columns, from 1, one per sample; 0 if there is none.
fn read_places(json: &mut Json, places: &mut Vec<u32>) -> Result<()> {
    if json.enter_array()? {
        json.numbers(|number| match number {
            Some(Number::Integer(place)) => places.push(u32::try_from(place).unwrap_or(0)),
            _ => places.push(0),
        })?;
    }
    Ok(())
}
