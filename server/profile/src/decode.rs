//! The front door: bytes of any origin to one [`Profile`], or the reason why not.
//!
//! What a file is follows from its content alone. Its name is only for people.

mod bytes;
mod chrome_trace;
mod collapsed;
mod cpuprofile;
mod document;
mod error;
mod firefox;
mod heapprofile;
mod json;
mod lines;
mod perf;
mod pprof;
mod safari;
mod self_profiling;
mod sentry;
mod speedscope;
mod v8;
mod v8_log;

use std::io::Read;

pub use error::{DecodeError, UnsupportedFormat};

use self::bytes::Source;
use crate::builder::ProfileBuilder;
use crate::{Amount, Problem, Profile, Samples};

/// Who waits for a profile: told how far it is, asked whether to go on.
pub trait Progress: Sync {
    /// So many bytes of the file were read by now (compressed ones, where it is compressed).
    fn read(&self, bytes: u64);
    /// Whether to stop; asked several times for each megabyte.
    fn cancelled(&self) -> bool;
}

/// Nobody waits.
impl Progress for () {
    fn read(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Decodes a trace of any format that Proflens reads, also compressed by gzip or zstd (at most twice) or in UTF-16.
///
/// A file with several traces (arrays, one JSON document a line) gives one thread for each. `name` is the file as
/// people know it; it goes into [`Problem::place`](crate::Problem::place) and decides nothing.
///
/// # Errors
/// For each file that holds no CPU profile with at least one sample; [`DecodeError::sentence`] says it to people.
pub fn decode(input: &mut dyn Read, name: &str, watch: &dyn Progress) -> Result<Profile, DecodeError> {
    decode_keeping(Samples::Summed, input, name, watch)
}

/// The same, which keeps of samples what is asked for.
///
/// # Errors
/// As [`decode`].
pub fn decode_keeping(
    samples: Samples,
    input: &mut dyn Read,
    name: &str,
    watch: &dyn Progress,
) -> Result<Profile, DecodeError> {
    let builder = ProfileBuilder::keeping(samples);
    let mut profile = match bytes::open(input, watch)? {
        Source::Text(mut text) => document::read(&mut *text, builder)?,
        Source::Protobuf(mut bytes) => pprof::read(&mut *bytes, builder)?,
    };
    if profile.threads.iter().all(|thread| thread.duration == Amount(0)) {
        profile.problems.push(Problem {
            what: "its samples span no time".to_owned(),
            place: String::new(),
            hint: "record for longer, and while the program is busy".to_owned(),
        });
    }
    for problem in &mut profile.problems {
        name.clone_into(&mut problem.place);
    }
    Ok(profile)
}

#[cfg(test)]
mod tests;
