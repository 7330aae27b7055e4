//! Writes a [`Profile`] as a file in another tool's format.
//!
//! Files are written row by row. Threads become whatever the format has for them. Time on no stack is written as the
//! format does it; if a format only has frames, it is a stack with a single frame such as `(program)`.

mod collapsed;
mod cpuprofile;
mod firefox;
mod json;
mod names;
mod otlp;
mod pprof;
mod protobuf;
mod single_samples;
mod speedscope;
mod texts;

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::model::{Profile, Thread, Unit};

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// V8's `.cpuprofile`, of one thread.
    Cpuprofile,
    /// speedscope's own format.
    Speedscope,
    /// pprof's protobuf, not yet compressed.
    Pprof,
    /// OTLP's protobuf, as a `ProfilesData`.
    Otlp,
    /// A processed profile of the Firefox Profiler.
    Firefox,
    /// Collapsed stacks.
    Collapsed,
}

/// Writes some threads of a profile; only the first one in a format that has room for one.
///
/// # Errors
/// If writing to `out` fails, or the format holds times and the profile counts bytes.
pub fn encode(profile: &Profile, threads: &[Thread], to: Target, out: &mut dyn Write) -> io::Result<()> {
    match to {
        Target::Cpuprofile if profile.unit == Unit::Bytes => {
            let what = "a .cpuprofile holds times, and this profile counts bytes";
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
        Target::Cpuprofile => match threads {
            [thread, ..] => cpuprofile::write(profile, thread, out),
            [] => cpuprofile::write(profile, &Thread::default(), out),
        },
        Target::Speedscope => speedscope::write(profile, threads, out),
        Target::Pprof => pprof::write(profile, threads, out),
        Target::Otlp => otlp::write(profile, threads, out),
        Target::Firefox => firefox::write(profile, threads, out),
        Target::Collapsed => collapsed::write(profile, threads, out),
    }
}

/// Like [`encode`], but compressed with gzip.
///
/// # Errors
/// If writing to `out` fails.
pub fn encode_gzipped(
    profile: &Profile,
    threads: &[Thread],
    to: Target,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Each write clears a buffer of the encoder, which costs more than a short write itself.
    let mut out = BufWriter::with_capacity(64 << 10, GzEncoder::new(out, Compression::default()));
    encode(profile, threads, to, &mut out)?;
    out.into_inner()?.finish().map(|_| ())
}
