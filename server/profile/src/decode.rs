//! Decodes bytes of any origin into one [`Profile`], or tells why there is none.
//!
//! A file's format is determined by its content alone. Its name is only used in messages.

mod chrome_trace;
mod collapsed;
mod conventions;
mod coverage;
mod cpuprofile;
mod deopts;
mod detect;
mod error;
mod firefox;
mod heapprofile;
mod input;
mod interaction;
mod json;
mod json_format;
mod json_slabs;
mod lines;
mod otlp;
mod perf;
mod pprof;
mod progress;
mod protobuf;
mod recorder;
mod safari;
mod self_profiling;
mod sentry;
mod slice;
mod speedscope;
mod table;
mod unsupported;
mod v8;
mod v8_log;
pub mod versions;

use std::io::Read;

use rustc_hash::FxHashMap;

pub use self::error::{DecodeError, LackingColumn, UnsupportedFormat};
pub use self::progress::Progress;

use self::input::Input;
use self::json::Json;
use self::json_slabs::SlabText;
use crate::builder::ProfileBuilder;
use crate::model::{Amount, Counts, Profile};
use crate::problem::Problem;

/// Decodes a trace of any format that Proflens reads, also if it is compressed with gzip or zstd (at most twice) or in UTF-16.
///
/// A file with several traces (arrays, one JSON document per line) becomes one thread per trace. `name` is the user's
/// name for the file; it only goes into [`Problem::place`](crate::problem::Problem::place).
///
/// # Errors
/// If the file holds no CPU profile with at least one sample; [`DecodeError::problem`] says so to users.
pub fn decode(
    input: &mut (dyn Read + Send),
    name: &str,
    progress: &dyn Progress,
) -> Result<Profile, DecodeError> {
    let mut profile = input::with_threads(|threads| read(Input::open(input, progress, threads)?))?;
    if profile.threads.iter().all(|thread| thread.duration == Amount(0)) {
        profile.problems.push(Problem {
            what: "its samples span no time".to_owned(),
            place: String::new(),
            hint: "record for longer, and while the program is busy".to_owned(),
        });
    }
    profile.problems = each_once(std::mem::take(&mut profile.problems));
    for problem in &mut profile.problems {
        name.clone_into(&mut problem.place);
    }
    Ok(profile)
}

/// Decodes a file of V8's precise coverage, also if it is compressed or in UTF-16: how often functions were called.
/// `name` is the user's name for the file.
///
/// # Errors
/// If the file holds no V8 coverage; [`DecodeError::problem_of_counts`] says so to users.
pub fn decode_counts(
    input: &mut (dyn Read + Send),
    name: &str,
    progress: &dyn Progress,
) -> Result<Counts, DecodeError> {
    let mut counts = input::with_threads(|threads| {
        let mut text = Input::open(input, progress, threads)?.into_text();
        coverage::read_file(&mut Json::new(&mut *text))
    })?;
    for problem in &mut counts.problems {
        name.clone_into(&mut problem.place);
    }
    Ok(counts)
}

fn read(input: Input<'_>) -> Result<Profile, DecodeError> {
    let builder = ProfileBuilder::default();
    match input.unmarked_head() {
        Some(head) if otlp::begins(head) => otlp::read(&mut input.into_bytes(), builder),
        Some(head) if pprof::begins(head) => pprof::read(&mut input.into_bytes(), builder),
        Some(head) if json_slabs::begins(head) => {
            detect::read(&mut SlabText::read(&mut input.into_bytes())?, builder)
        }
        head => {
            head.map_or(Ok(()), |head| unsupported::refuse_by_first_bytes(head, input::HEAD))?;
            detect::read(&mut *input.into_text(), builder)
        }
    }
}

/// Merges problems that many sessions of a file share, each with its number.
fn each_once(problems: Vec<Problem>) -> Vec<Problem> {
    let mut once: Vec<(Problem, u64)> = Vec::new();
    let mut known = FxHashMap::default();
    for problem in problems {
        let at = *known.entry((problem.what.clone(), problem.hint.clone())).or_insert(once.len());
        match once.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => once.push((problem, 1)),
        }
    }
    let counted = once.into_iter().map(|(mut problem, count)| {
        if count > 1 {
            problem.what += &format!(" ({count} times)");
        }
        problem
    });
    counted.collect()
}

#[cfg(test)]
mod tests;
