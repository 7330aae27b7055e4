//! The table of all formats. To add one, write its file and add its line here.

use super::chrome_trace::ChromeTrace;
use super::cpuprofile::Cpuprofile;
use super::error::Result;
use super::firefox::FirefoxProfile;
use super::json_format::JsonFormat;
use super::lines::Lines;
use super::otlp::OtlpJson;
use super::safari::SafariRecording;
use super::self_profiling::SelfProfilingTrace;
use super::sentry::SentryProfile;
use super::slice::SliceFile;
use super::speedscope::SpeedscopeFile;
use super::unsupported::UnsupportedJson;
use super::v8_log::ProcessedV8Log;
use super::{collapsed, perf};
use crate::builder::ProfileBuilder;
use crate::model::Profile;

type New = fn() -> Box<dyn JsonFormat>;

fn new<F: JsonFormat + Default + 'static>() -> Box<dyn JsonFormat> {
    Box::<F>::default()
}

/// Formats whose pieces may be anywhere in a file: one reader for the whole file, asked before those of objects.
pub(super) const IN_PIECES: &[New] = &[new::<ChromeTrace>];

/// Formats in which an object is a whole profile: a reader for each object, asked in this order.
pub(super) const IN_OBJECTS: &[New] = &[
    new::<SliceFile>,  // first, as it takes members only if its own came first
    new::<Cpuprofile>, // and `.heapprofile`
    new::<FirefoxProfile>,
    new::<SpeedscopeFile>,
    new::<SentryProfile>,
    new::<ProcessedV8Log>,
    new::<OtlpJson>,
    new::<SafariRecording>,
    new::<SelfProfilingTrace>, // after all that have `samples`, `stacks` or `frames` of a special kind
    new::<UnsupportedJson>,
];

/// A format of text that is not JSON.
pub(super) struct TextFormat {
    /// Whether a text with this first line may be in this format.
    pub(super) begins: fn(&str) -> bool,
    /// Reads a text from its first line on.
    pub(super) read: fn(&mut Lines, ProfileBuilder) -> Result<Profile>,
}

/// Formats that are read line by line; the first one that fits reads the text.
pub(super) const IN_LINES: &[TextFormat] = &[
    TextFormat { begins: perf::is_header, read: perf::read },
    TextFormat { begins: |_| true, read: collapsed::read },
];
