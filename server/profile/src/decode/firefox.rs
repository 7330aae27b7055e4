//! Firefox's profiles: raw ones as the browser writes them, and processed ones as profiler.firefox.com saves them.
//!
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md> lists the versions. Tables
//! are read by the names of their columns, so that one reader serves them all. Only frames of JavaScript and labels
//! that are relevant for it are kept; the time of all others goes to the nearest kept frame below, as in the
//! "JavaScript" view of the profiler. A sample is worth its weight times the interval, again as there.

mod location;
mod tables;
mod thread;

use self::tables::{Tables, View};
use self::thread::RawThread;
use super::DecodeError;
use super::json::{Json, Kind};
use crate::builder::ProfileBuilder;
use crate::problem::count;

/// What Firefox samples with unless told otherwise, in nanoseconds.
const USUAL_INTERVAL: f64 = 1e6;

type Result<T> = std::result::Result<T, DecodeError>;

/// What was read of a profile (of one process, where it is raw).
#[derive(Default)]
pub(crate) struct Parts {
    meta: Option<Meta>,
    /// The tables that all threads of a newer processed profile have in common.
    shared: Tables,
    /// Threads that cannot be understood yet: what explains them stands further down in the file.
    waiting: Vec<RawThread>,
    has_threads: bool,
    has_samples: bool,
    oddities: Oddities,
}

/// What holds for all threads.
struct Meta {
    is_versioned: bool,
    /// Nanoseconds.
    interval: f64,
    /// The category of sleeping.
    idle: Option<u32>,
}

/// What was odd, counted over all threads.
#[derive(Default)]
struct Oddities {
    lost_samples: u64,
    broken_stacks: u64,
    negative_weights: u64,
    lost_processes: u64,
}

impl Parts {
    /// Whether these are the parts of a profile, perhaps one without samples.
    pub(crate) fn is_profile(&self) -> bool {
        self.has_threads && self.meta.as_ref().is_some_and(|meta| meta.is_versioned)
    }

    pub(crate) fn read_meta(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        let mut meta = Meta { is_versioned: false, interval: USUAL_INTERVAL, idle: None };
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"version" | b"preprocessedProfileVersion" => meta.is_versioned |= json.number()?.is_some(),
                b"interval" => {
                    let interval = json.number()?.map(|millis| millis.as_f64() * 1e6);
                    meta.interval = interval.filter(|&it| it > 0.0).unwrap_or(USUAL_INTERVAL);
                }
                b"categories" => meta.idle = read_idle(json)?,
                _ => json.skip()?,
            }
        }
        self.meta = Some(meta);
        Ok(())
    }

    /// Reads a member of the tables in common; `false` if it is none, with its value still to be read.
    pub(crate) fn read_shared(&mut self, key: &[u8], json: &mut Json) -> Result<bool> {
        self.shared.member(key, json)
    }

    pub(crate) fn read_threads(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_threads = true;
        while json.next_item()? {
            match json.kind()? {
                Kind::Object => self.read_thread(json, builder)?,
                Kind::String => self.read_process(json, builder)?,
                Kind::Array | Kind::Other => json.skip()?,
            }
        }
        Ok(())
    }

    fn read_thread(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        let thread = RawThread::read(json)?;
        match (&self.meta, View::of(&thread.tables, &self.shared)) {
            (Some(meta), Some(view)) => {
                self.has_samples |= thread.finish(view, meta, &mut self.oddities, builder);
            }
            _ => self.waiting.push(thread),
        }
        Ok(())
    }

    /// Before version 4 a child process is a profile in a string, among the threads.
    fn read_process(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        let mut text = json.string_source();
        let read = Self::read(&mut Json::small(&mut text), builder);
        text.finish()?;
        match read {
            Ok(process) if process.is_profile() => self.has_samples |= finish(process, builder),
            Ok(_) | Err(DecodeError::Syntax { .. } | DecodeError::Truncated { .. }) => {
                self.oddities.lost_processes += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn read(json: &mut Json, builder: &mut ProfileBuilder) -> Result<Self> {
        let mut parts = Self::default();
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"meta" => parts.read_meta(json)?,
                    b"threads" => parts.read_threads(json, builder)?,
                    _ => json.skip()?,
                }
            }
        }
        Ok(parts)
    }
}

/// Makes the threads that are left; `false` if the whole profile has no samples.
pub(crate) fn finish(mut parts: Parts, builder: &mut ProfileBuilder) -> bool {
    let Some(meta) = parts.meta else { return false };
    for thread in parts.waiting {
        let view = View::of_what_is_there(&thread.tables, &parts.shared);
        parts.has_samples |= thread.finish(view, &meta, &mut parts.oddities, builder);
    }
    let Oddities { lost_samples, broken_stacks, negative_weights, lost_processes } = parts.oddities;
    if lost_processes > 0 {
        let what = format!("{} cannot be read", count(lost_processes, "child process", "child processes"));
        builder.problem(what, "the others were read");
    }
    if lost_samples > 0 {
        let what = format!("{} of stacks that do not exist", count(lost_samples, "sample", "samples"));
        builder.problem(what, "their time is booked as unknown");
    }
    if broken_stacks > 0 {
        let what =
            format!("{} of callers or frames that do not exist", count(broken_stacks, "stack", "stacks"));
        builder.problem(what, "what is known of them was kept");
    }
    if negative_weights > 0 {
        let what = format!("{} of negative weight", count(negative_weights, "sample", "samples"));
        builder.problem(what, "they count as nothing: compare profiles in the Firefox Profiler");
    }
    parts.has_samples
}

/// The number of the category `Idle`.
fn read_idle(json: &mut Json) -> Result<Option<u32>> {
    let (mut idle, mut number) = (None, 0);
    if json.enter_array()? {
        while json.next_item()? {
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    if key.bytes() != b"name" {
                        json.skip()?;
                    } else if json.string(|name| name == "Idle")? == Some(true) {
                        idle = idle.or(Some(number));
                    }
                }
            }
            number += 1;
        }
    }
    Ok(idle)
}
