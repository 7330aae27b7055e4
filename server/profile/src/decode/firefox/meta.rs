//! What holds for all threads of a profile, and what was odd in them.

use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::Json;
use crate::problem::count;

/// The interval that Firefox uses by default, in nanoseconds.
const USUAL_INTERVAL: f64 = 1e6;

/// What holds for all threads.
pub(super) struct FirefoxMeta {
    pub(super) is_versioned: bool,
    /// Nanoseconds.
    pub(super) interval: f64,
    /// When the times of its threads begin, in nanoseconds: each process of a raw profile has a start of its own.
    pub(super) start: i64,
    /// The category of sleeping.
    pub(super) idle: Option<u32>,
}

/// What was odd, counted over all threads.
#[derive(Default)]
pub(super) struct FirefoxOddities {
    pub(super) lost_samples: u64,
    pub(super) broken_stacks: u64,
    pub(super) negative_weights: u64,
    pub(super) lost_processes: u64,
}

impl FirefoxMeta {
    /// Reads an object.
    pub(super) fn read(json: &mut Json) -> Result<Self> {
        json.enter_object()?;
        let mut meta = Self { is_versioned: false, interval: USUAL_INTERVAL, start: 0, idle: None };
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"version" | b"preprocessedProfileVersion" => meta.is_versioned |= json.number()?.is_some(),
                b"interval" => {
                    let interval = json.number()?.map(|millis| millis.as_f64() * 1e6);
                    meta.interval = interval.filter(|&it| it > 0.0).unwrap_or(USUAL_INTERVAL);
                }
                b"startTime" => {
                    meta.start = json.number()?.map_or(0, |millis| (millis.as_f64() * 1e6).round() as i64);
                }
                b"categories" => meta.idle = read_idle(json)?,
                _ => json.skip()?,
            }
        }
        Ok(meta)
    }
}

impl FirefoxOddities {
    pub(super) fn report(&self, builder: &mut ProfileBuilder) {
        let &Self { lost_samples, broken_stacks, negative_weights, lost_processes } = self;
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
