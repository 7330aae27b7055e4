//! Chrome's performance traces: CPU profiles in pieces, scattered among a million events about other things.
//!
//! The format is the Trace Event format, as Chrome and DevTools write it. A `Profile` event says which thread is
//! profiled; its samples follow in `ProfileChunk` events of the same process and id, which another thread sends. Before
//! Chrome 67, a single `CpuProfile` event held it all. Positions of functions are 0-based as in `.cpuprofile`; `lines`,
//! where each sample was seen, count from 1. [`super::v8`] describes what the samples mean.

mod call_sites;
mod event;
mod fast_events;
mod generic;
mod interactions;
mod label;
mod markers;
mod scripts;
mod side_by_side;
mod tasks;
mod thread_profile;

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use self::call_sites::CallSites;
use self::event::{EventData, EventHeader, EventSubject, RequestedBy};
use self::fast_events::FastEvents;
use self::generic::{Generic, MAX_EVENTS_LOOKED_AT};
use self::interactions::Interactions;
use self::markers::{PageMarkers, TimingEvent};
use self::scripts::Scripts;
use self::side_by_side::{WORTH_A_THREAD, read_side_by_side};
use self::tasks::{Phase, Task, Tasks};
use self::thread_profile::ThreadProfile;
use super::error::{DecodeError, Result, UnsupportedFormat};
use super::json::{FastReader, Json, Kind, Number};
use super::json_format::{Answer, JsonFormat};
use super::v8::events::{EventKind, ThreadEvents};
use super::v8::thread;
use crate::builder::ProfileBuilder;
use crate::model::MarkerKind;
use crate::problem::count;

/// The thread of a page on which its scripts run.
const MAIN_THREAD: &str = "CrRendererMain";

/// The part of a trace read so far.
#[derive(Default)]
pub(super) struct ChromeTrace {
    /// Whether anything belonged to a trace.
    is_trace: bool,
    profiles: Vec<ThreadProfile>,
    by_key: FxHashMap<ProfileKey, usize>,
    /// By process and thread.
    names: FxHashMap<(String, String), String>,
    /// The urls of the scripts of workers, by process and thread.
    workers: FxHashMap<(String, String), String>,
    /// The data of the event that is being read. Cleared after each event.
    data: EventData,
    scripts: Scripts,
    /// Stacks that V8 did not record; only read while there is no V8 profile.
    generic: Generic,
    /// How many events were read one member at a time.
    looks: u32,
    tasks: Tasks,
    call_sites: CallSites,
    markers: PageMarkers,
    interactions: Interactions,
}

/// The process, and the id that is unique within it. The old event has no id, but is on the profiled thread.
#[derive(PartialEq, Eq, Hash)]
enum ProfileKey {
    Chunks { process: String, id: String },
    Whole { process: String, thread: String },
}

/// Sort key of threads, the last one first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Which profile of the thread it is, from 1.
    number: Reverse<u32>,
    is_main: bool,
    busy: u64,
}

impl JsonFormat for ChromeTrace {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        match key {
            b"traceEvents" => {
                self.is_trace = true;
                if json.enter_array()? {
                    self.read_events(json, builder)?;
                }
            }
            b"samples" if json.items_have_key(&[b"sf"])? => {
                self.is_trace = true;
                self.generic.read_samples(json)?;
            }
            b"stackFrames" => self.generic.read_frames(json, builder)?,
            // Added by DevTools when it saves a trace.
            b"metadata" => self.scripts.read_metadata(json)?,
            // The list of scripts that Edge writes next to a trace.
            b"scripts" => self.scripts.read_list(json)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    /// Reads a list of events that is not inside an object.
    fn rest_of_list(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<bool> {
        if !json.next_has_key(&[b"ph"])? {
            return Ok(false);
        }
        self.is_trace = true;
        self.read_event(json, builder)?;
        self.read_events(json, builder)?;
        Ok(true)
    }

    fn has_samples(&self) -> bool {
        self.profiles.iter().any(ThreadProfile::has_samples) || self.generic.has_samples()
    }

    fn is_profile(&self) -> bool {
        self.is_trace
    }

    /// Makes a thread of each profiled thread, the main thread of the page first. After all of these comes one for each
    /// further profile of the same thread.
    fn finish(mut self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let has_samples = self.has_samples();
        self.find_threads(builder);
        let mut profiles = std::mem::take(&mut self.profiles);
        let scripts = std::mem::take(&mut self.scripts);
        let of_text = scripts.finish(self.data.profile.script_ids.take().unwrap_or_default(), builder);
        let nodes = profiles.iter_mut().flat_map(|it| &mut it.profile.nodes);
        nodes.for_each(|it| it.function = of_text.get(&it.function).copied().unwrap_or(it.function));
        profiles.retain(|it| it.has_samples() && it.thread.is_some());
        profiles.sort_by(|a, b| a.source.cmp(&b.source).then(a.start.total_cmp(&b.start)));
        let mut number_of: FxHashMap<_, u32> = FxHashMap::default();
        let mut threads: Vec<(Rank, ThreadProfile)> = profiles
            .into_iter()
            .map(|it| {
                let number = number_of.entry((it.process.clone(), it.thread.clone())).or_default();
                *number += 1;
                let is_main = self.name(&it) == Some(MAIN_THREAD);
                (Rank { number: Reverse(*number), is_main, busy: it.busy(builder) }, it)
            })
            .collect();
        if threads.is_empty() {
            let generic = std::mem::take(&mut self.generic);
            generic.finish(|process, thread| self.place(process, Some(thread)), builder);
        }
        threads.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.start.total_cmp(&b.1.start)));
        self.mark_page(threads.iter().map(|it| &*it.1.process).collect(), builder);
        for (index, (Rank { number: Reverse(number), .. }, thread_profile)) in threads.into_iter().enumerate()
        {
            let title = self.title(&thread_profile, number);
            let thread_events = self.thread_events(&thread_profile);
            let process = builder.process(&thread_profile.process);
            if let Some(events) = thread_events.as_ref().filter(|_| index == 0) {
                mark_long_tasks(events, process, builder);
            }
            let began = thread_profile.began;
            let mut profile = thread_profile.into_profile(title);
            profile.began = began;
            profile.process = process;
            profile.thread_events = thread_events;
            thread::finish(profile, "chrome-trace", builder);
            if number > 1 {
                builder.thread_repeats();
            }
        }
        has_samples
    }

    /// Only counts if the trace gave no thread.
    fn unsupported(&self, _: bool) -> Option<UnsupportedFormat> {
        self.is_trace.then_some(UnsupportedFormat::ChromeTraceWithoutSamples)
    }
}

impl ChromeTrace {
    /// Reads the rest of an array of events. A list that ends without its bracket is complete: Chrome may write it that way.
    fn read_events(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        let mut glance = FastEvents::new();
        let mut is_alone = false;
        loop {
            let mut glances = !self.may_be_generic();
            if glances && !is_alone && json.offset() >= WORTH_A_THREAD {
                let mut tasks = std::mem::take(&mut self.tasks);
                let read = read_side_by_side(json, &mut tasks, |json| self.read_event(json, builder));
                tasks.append(&self.tasks);
                self.tasks = tasks;
                if read? {
                    return Ok(());
                }
                is_alone = true;
            }
            glance.is_sure = false;
            if glances {
                json.fast_items(|plain| glance.take(plain, &mut self.tasks));
                glances = !glance.is_sure;
            }
            match json.next_item() {
                Ok(true) if json.kind()? == Kind::Object => {
                    // The window may have ended within the event, or there was something between it and the comma.
                    let mut take = |plain: &mut FastReader| glance.take(plain, &mut self.tasks);
                    if !glances || !json.fast_object(&mut take)? {
                        self.read_event(json, builder)?;
                    }
                }
                Ok(true) => json.skip()?,
                Ok(false) | Err(DecodeError::Truncated { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads one event.
    fn read_event(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        self.data.profile.script_ids.get_or_insert_default();
        let header = EventHeader::read(json, &mut self.data, builder)?;
        self.looks = self.looks.saturating_add(1);
        self.take(header, builder);
        self.data.clear();
        Ok(())
    }

    /// Keeps the contents of an event.
    fn take(&mut self, header: EventHeader, builder: &mut ProfileBuilder) {
        let EventHeader { event, process, thread, id, is_timing, time, start, duration, call } = header;
        if is_timing {
            let (name, phase) = (call.name.clone(), call.phase);
            let opens_page = self.data.has_document && !self.data.is_framed;
            let (process, id) = (process.clone(), id.clone());
            self.markers.add(TimingEvent { process, name, phase, id, time: start, opens_page });
        }
        if let Some(phase) = Phase::of(&[call.phase]) {
            let (kind, sample) = (EventKind::of(&call.name), self.data.sample);
            let task = Task { phase, kind, start, duration, sample };
            self.tasks.add(process.clone(), thread.clone(), &task);
            if let (EventKind::Rendering(_), Some(frame)) = (kind, self.data.frame.take()) {
                self.call_sites.add((&process, &thread), start, frame);
            }
        }
        match event {
            EventSubject::Profile => {
                let source = self.data.source;
                let thread_profile = self.thread_profile(ProfileKey::Chunks { process, id });
                thread_profile.thread = Some(thread);
                thread_profile.source = source.unwrap_or(thread_profile.source);
                thread_profile.start = time;
                thread_profile.began = Some(start);
            }
            EventSubject::EventTiming => {
                let timing = std::mem::take(&mut self.data.timing);
                self.interactions.add((process, id), call.phase, start, timing);
            }
            EventSubject::ProfileChunk => {
                let mut data = std::mem::take(&mut self.data);
                self.thread_profile(ProfileKey::Chunks { process, id }).add(&mut data, time);
                self.data = data;
            }
            EventSubject::CpuProfile => {
                let mut data = std::mem::take(&mut self.data);
                let thread_profile =
                    self.thread_profile(ProfileKey::Whole { process, thread: thread.clone() });
                if !thread_profile.has_samples() {
                    thread_profile.thread = Some(thread);
                    thread_profile.add(&mut data, time);
                    thread_profile.began = Some(tasks::nanos(Number::Float(thread_profile.profile.start)));
                }
                self.data = data;
            }
            EventSubject::ThreadName => {
                self.names.insert((process, thread), std::mem::take(&mut self.data.thread_name));
            }
            EventSubject::Worker => {
                let thread = std::mem::take(&mut self.data.worker_thread);
                self.workers.insert((process, thread), std::mem::take(&mut self.data.script.url));
            }
            EventSubject::Script => self.scripts.add(&process, std::mem::take(&mut self.data.script)),
            EventSubject::Other => {
                if self.may_be_generic() {
                    let place = std::mem::take(&mut self.data.place);
                    let event = generic::GenericEvent { thread: (process, thread), time, call, place };
                    self.generic.add(event, builder);
                }
            }
        }
    }

    /// Whether to look for stacks that V8 did not record.
    fn may_be_generic(&self) -> bool {
        self.profiles.is_empty() && (self.generic.is_on || self.looks <= MAX_EVENTS_LOOKED_AT)
    }

    /// What else a profiled thread did, if it is known when the profile began.
    fn thread_events(&mut self, thread_profile: &ThreadProfile) -> Option<ThreadEvents> {
        let mut nodes = thread_profile.event_samples.clone();
        nodes.sort_by_key(|&(id, _)| id);
        let node = |id| Some(nodes[nodes.binary_search_by_key(&id, |it| it.0).ok()?].1);
        let (process, thread) = (&*thread_profile.process, thread_profile.thread.as_deref()?);
        let events = self.tasks.of_thread(process, thread, node);
        Some(ThreadEvents {
            start: thread_profile.began?,
            events,
            sites: self.call_sites.take(process, thread),
        })
    }

    /// Adds the markers of these processes.
    fn mark_page(&mut self, processes: Vec<&str>, builder: &mut ProfileBuilder) {
        let markers = std::mem::take(&mut self.markers).finish();
        let interactions = std::mem::take(&mut self.interactions).finish();
        let all = markers.into_iter().chain(interactions);
        for it in all.filter(|it| processes.contains(&&*it.process)) {
            let process = builder.process(&it.process);
            let name = builder.string(&it.name);
            builder.marker(name, it.kind, process, (it.start, it.end));
        }
    }

    fn thread_profile(&mut self, key: ProfileKey) -> &mut ThreadProfile {
        let (ProfileKey::Chunks { process, .. } | ProfileKey::Whole { process, .. }) = &key;
        let process = process.clone();
        let index = *self.by_key.entry(key).or_insert_with(|| {
            self.profiles.push(ThreadProfile::new(process));
            self.profiles.len() - 1
        });
        &mut self.profiles[index]
    }

    /// If the start of a profile is missing, its thread is known only if it is the only one of its process.
    fn find_threads(&mut self, builder: &mut ProfileBuilder) {
        let mut of_process: FxHashMap<String, u32> = FxHashMap::default();
        for thread_profile in self.profiles.iter().filter(|it| it.has_samples()) {
            *of_process.entry(thread_profile.process.clone()).or_default() += 1;
        }
        let mut lost = 0;
        for thread_profile in self.profiles.iter_mut().filter(|it| it.has_samples() && it.thread.is_none()) {
            if of_process[&thread_profile.process] > 1 {
                lost += 1;
                continue;
            }
            let main = self
                .names
                .iter()
                .filter(|(key, name)| key.0 == thread_profile.process && *name == MAIN_THREAD)
                .map(|(key, _)| key.1.clone());
            thread_profile.thread = Some(main.min().unwrap_or_default());
            let what = format!("the start of a CPU profile of process {} is missing", thread_profile.process);
            builder.problem(what, "what was left of it was read");
        }
        if lost > 0 {
            let what = format!("the start of {} is missing", count(lost, "CPU profile", "CPU profiles"));
            builder.problem(what, "they were left out, as nobody knows their threads");
        }
    }

    fn name(&self, thread_profile: &ThreadProfile) -> Option<&str> {
        let key = (thread_profile.process.clone(), thread_profile.thread.clone()?);
        self.names.get(&key).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The display name: `CrRendererMain (pid 7, tid 8)`, with `, profile 2 by the page` for a second profile of the same thread.
    fn title(&self, thread_profile: &ThreadProfile, number: u32) -> String {
        let title = self.place(&thread_profile.process, thread_profile.thread.as_deref());
        let by = match thread_profile.source {
            RequestedBy::Internal => " by the panel",
            RequestedBy::Inspector => " by the inspector",
            RequestedBy::Other => " by the page",
        };
        if number > 1 { format!("{title}, profile {number}{by}") } else { title }
    }

    /// The displayed place: `CrRendererMain (pid 7, tid 8)`, `DedicatedWorker thread · worker.js (pid 7, tid 9)`, or, for
    /// a recording, `main.js, worker 2 (pid 4711)`.
    fn place(&self, process: &str, thread: Option<&str>) -> String {
        let thread = thread.unwrap_or_default();
        let key = (process.to_owned(), thread.to_owned());
        let name = self.names.get(&key).map(String::as_str);
        let url = self.workers.get(&key).map(|url| url.trim_start_matches(r"\\?\"));
        let url = url.map(|url| url.split(['?', '#']).next().unwrap_or(url));
        let script = url.map(|url| url.rsplit(['/', '\\']).next().unwrap_or(url));
        let names: Vec<&str> = [name, script].into_iter().flatten().filter(|it| !it.is_empty()).collect();
        // `proflens record` names the process; the numbers in its traces are not those of a process.
        if names.last().is_some_and(|name| name.ends_with(')') && name.contains(" (pid ")) {
            return names.join(" · ");
        }
        let mut place = format!("pid {process}");
        if !thread.is_empty() {
            place = format!("{place}, tid {thread}");
        }
        if names.is_empty() { place } else { format!("{} ({place})", names.join(" · ")) }
    }
}

/// Adds the long tasks of a thread.
fn mark_long_tasks(thread: &ThreadEvents, process: u32, builder: &mut ProfileBuilder) {
    for task in thread.events.iter().filter(|event| event.is_long_task()) {
        let name = builder.string("long task");
        builder.marker(name, MarkerKind::LongTask, process, (task.start, task.end));
    }
}
