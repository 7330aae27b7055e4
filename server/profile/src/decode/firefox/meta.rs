//! Metadata that applies to all threads of a profile, and what was odd in them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::builder::ProfileBuilder;
use crate::decode::error::{LackingColumn, Result};
use crate::decode::json::Json;
use crate::decode::versions::{FIREFOX_PROCESSED, FIREFOX_RAW, KnownFormat};
use crate::problem::count;

/// The interval that Firefox uses by default, in nanoseconds.
const USUAL_INTERVAL: f64 = 1e6;

/// The `importedFrom` of profiles that `proflens convert` writes.
const CONVERTED: &str = "proflens";

/// The year 2000, in nanoseconds since 1970; anything before is not a date.
const EARLIEST: i64 = 946_684_800_000_000_000;

/// Metadata that applies to all threads.
pub(super) struct FirefoxMeta {
    /// The version according to the file.
    pub(super) version: Option<FirefoxVersion>,
    /// Nanoseconds.
    pub(super) interval: f64,
    /// When the times of its threads begin, in nanoseconds; each process of a raw profile has a start of its own.
    pub(super) start: i64,
    /// When the recording began, relative to that, in nanoseconds.
    began: i64,
    /// The category of sleeping.
    pub(super) idle: Option<u32>,
    /// Whether `proflens convert` wrote it, so that threads have their original names and order.
    pub(super) is_converted: bool,
}

/// A version of one of the two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirefoxVersion {
    pub(super) is_processed: bool,
    pub(super) number: u32,
}

impl FirefoxVersion {
    fn known(self) -> &'static KnownFormat {
        if self.is_processed { &FIREFOX_PROCESSED } else { &FIREFOX_RAW }
    }

    /// Reports if it is newer than what was tested.
    pub(super) fn note_newer(self, builder: &mut ProfileBuilder) {
        self.known().note_newer(&self.number.to_string(), builder);
    }

    /// What is wrong with a profile that lacks this column.
    pub(super) fn without(self, column: &'static str) -> LackingColumn {
        let what = if self.is_processed { "a processed Firefox profile" } else { "a raw Firefox profile" };
        let newest = self.known().version.newest_number();
        LackingColumn { what, version: self.number, newest, column }
    }

    /// Whether it is a processed profile of this version or newer.
    pub(super) fn is_processed_since(self, number: u32) -> bool {
        self.is_processed && self.number >= number
    }
}

/// What was odd, counted over all threads.
#[derive(Default)]
pub(super) struct FirefoxOddities {
    pub(super) lost_samples: u64,
    pub(super) broken_stacks: u64,
    pub(super) negative_weights: u64,
    pub(super) lost_processes: u64,
    /// Threads without a decisive column, and that column.
    pub(super) lacking: u64,
    pub(super) lacking_column: &'static str,
}

impl FirefoxMeta {
    /// Reads an object.
    pub(super) fn read(json: &mut Json) -> Result<Self> {
        json.enter_object()?;
        let mut meta = Self {
            version: None,
            interval: USUAL_INTERVAL,
            start: 0,
            began: 0,
            idle: None,
            is_converted: false,
        };
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"version" => {
                    // In a processed profile, this is the version of the raw one, and tells nothing.
                    let raw = read_version(json, false)?;
                    meta.version = meta.version.filter(|it| it.is_processed).or(raw);
                }
                b"preprocessedProfileVersion" => meta.version = read_version(json, true)?.or(meta.version),
                b"interval" => {
                    let interval = json.number()?.map(|millis| millis.as_f64() * 1e6);
                    meta.interval = interval.filter(|&it| it > 0.0).unwrap_or(USUAL_INTERVAL);
                }
                b"startTime" => meta.start = read_time(json)?,
                b"profilingStartTime" => meta.began = read_time(json)?,
                b"importedFrom" => meta.is_converted = json.string(|text| text == CONVERTED)? == Some(true),
                b"categories" => meta.idle = read_idle(json)?,
                _ => json.skip()?,
            }
        }
        Ok(meta)
    }

    /// When it was recorded; `None` if its times are not relative to 1970, as with some importers.
    pub(super) fn recorded(&self) -> Option<SystemTime> {
        let began = self.start.checked_add(self.began).filter(|it| *it >= EARLIEST)?;
        UNIX_EPOCH.checked_add(Duration::from_nanos(began.unsigned_abs()))
    }
}

impl FirefoxOddities {
    pub(super) fn report(&self, builder: &mut ProfileBuilder) {
        let &Self { lost_samples, broken_stacks, negative_weights, lost_processes, lacking, lacking_column } =
            self;
        if lacking > 0 {
            let what =
                format!("{} the column {lacking_column}", count(lacking, "thread lacks", "threads lack"));
            builder.problem(what, "they were left out, as nobody knows what their stacks mean");
        }
        if lost_processes > 0 {
            let what =
                format!("{} cannot be read", count(lost_processes, "child process", "child processes"));
            builder.problem(what, "the others were read");
        }
        if lost_samples > 0 {
            let what = format!("{} of stacks that do not exist", count(lost_samples, "sample", "samples"));
            builder.problem(what, "their time is counted as unknown");
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
    }
}

/// A time in milliseconds, as nanoseconds.
fn read_time(json: &mut Json) -> Result<i64> {
    Ok(json.number()?.map_or(0, |millis| (millis.as_f64() * 1e6).round() as i64))
}

fn read_version(json: &mut Json, is_processed: bool) -> Result<Option<FirefoxVersion>> {
    let number = json.number()?.map(|number| number.as_f64().clamp(0.0, f64::from(u32::MAX)) as u32);
    Ok(number.map(|number| FirefoxVersion { is_processed, number }))
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
