//! Why a file was not read, as one clause that users can act on.

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::plain::plain;
use crate::problem::Problem;

/// The result of every reader of a part of a trace.
pub(super) type Result<T, E = DecodeError> = std::result::Result<T, E>;

/// Why [`decode`](crate::decode()) returned no profile.
#[derive(Debug)]
pub enum DecodeError {
    /// Reading the bytes failed.
    Io(io::Error),
    /// [`Progress::cancelled`](crate::decode::progress::Progress::cancelled) returned true.
    Cancelled,
    /// Nothing but white space.
    Empty,
    /// Not a CPU profile, or one in a format that is not read.
    UnsupportedFormat(UnsupportedFormat),
    /// A CPU profile in which nothing was measured.
    NoSamples,
    /// No counts of calls.
    NoCoverage,
    /// The JSON is wrong.
    Syntax {
        /// The byte offset in the (inflated) text.
        offset: u64,
        /// What should have been there.
        expected: &'static str,
    },
    /// The JSON ends in the middle.
    Truncated {
        /// The length of the (inflated) text in bytes.
        offset: u64,
    },
    /// The compressed data is cut off or wrong.
    DamagedGzip,
    /// The zstd data is cut off or wrong.
    DamagedZstd,
    /// The table of JsonSlabs is cut off or wrong.
    DamagedSlabs,
    /// Begins like a pprof or OTLP profile, but continues in a way that neither can.
    DamagedProtobuf,
    /// Inflates to an implausible size, or holds a text of more than 64 MB.
    TooLarge,
    /// Nested deeper than a million levels.
    TooDeep,
}

/// What a file turned out to be instead of a supported profile. If it is several, the first in this list is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnsupportedFormat {
    /// `.heapsnapshot`.
    HeapSnapshot,
    /// Trace events without any CPU profile.
    ChromeTraceWithoutSamples,
    /// V8 or Istanbul coverage.
    Coverage,
    /// ECMA-426.
    SourceMap,
    /// A slice of another version.
    SliceVersion,
    /// A profile without a column that decides what its numbers mean.
    LacksColumn(LackingColumn),
    /// A slice of no sessions.
    EmptySlice,
    /// Neither times nor bytes, in a format that can hold both.
    OtherUnit,
    /// OTLP before opentelemetry-proto 1.8, which had no stacks in its dictionary.
    OldOtlp,
    /// Ruby's stackprof.
    Stackprof,
    /// What `node --prof` writes.
    V8Log,
    /// Samples of `perf` in which no JavaScript has a name.
    PerfWithoutScripts,
    /// `perf.data`, or what simpleperf records on Android.
    PerfData,
    /// Another version of the binary form in which profiler.firefox.com saves profiles.
    JsonSlabs,
    /// `.nettrace`.
    DotNet,
    /// Java Flight Recorder.
    Java,
    /// `.pftrace`.
    Perfetto,
    /// Network requests.
    Har,
    /// A Lighthouse report about a page.
    Lighthouse,
    /// Firefox's profiler before 2016, which had stacks without tables.
    Cleopatra,
    /// What gperftools, Go and Java wrote before pprof's protobuf.
    OldPprof,
    /// Valgrind's instruction counts, as text.
    Callgrind,
    /// Valgrind's heap profiler, as JSON.
    Dhat,
    /// GHC's `+RTS -pj`.
    Haskell,
    /// A method trace of Android's runtime.
    Android,
    /// A call tree copied from Instruments.
    Instruments,
    /// A flame graph as Pyroscope saves it, without files and lines.
    Flamebearer,
    /// A zip archive.
    Zip,
    /// Compressed more times than are unpacked.
    PackedTooOften,
    /// Compressed by zstd with a dictionary that is not in the file.
    ZstdDictionary,
    /// A web page, often an error page that was saved instead of a file.
    Html,
    /// No JSON at all.
    NotJson,
    /// `{}`, `[]` or a lone number.
    EmptyJson,
    /// JSON about something else.
    OtherJson,
}

/// A column without which a profile would be misread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LackingColumn {
    /// What it is, as part of a sentence: `a processed Firefox profile`.
    pub what: &'static str,
    /// Its version.
    pub version: u32,
    /// The newest version that was tested.
    pub newest: u32,
    /// The table and the column: `funcTable.isJS`.
    pub column: &'static str,
}

impl LackingColumn {
    fn is_newer(self) -> bool {
        self.version > self.newest
    }

    /// What the user can do about it.
    fn hint(self) -> &'static str {
        match self.is_newer() {
            true => "update Proflens, or record with an older version of what wrote it",
            false => "save or record it again",
        }
    }
}

impl fmt::Display for LackingColumn {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, version, newest, column } = self;
        write!(to, "it is {what} of version {version}")?;
        if self.is_newer() {
            write!(to, ", which is newer than {newest}, the newest that was tried,")?;
        }
        write!(to, " without the column {column}, which decides what its stacks mean")
    }
}

impl DecodeError {
    /// Whether the file ends too early, so that what comes before is sound.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self, Self::Truncated { .. } | Self::DamagedGzip | Self::DamagedZstd)
    }

    /// The problem with a damaged trace whose beginning can be used; `end` is the byte up to which it was read.
    pub(super) fn damage(&self, end: u64) -> Option<String> {
        match self {
            Self::Truncated { .. } => Some(format!("the trace ends at byte {end}, in its middle")),
            Self::DamagedGzip | Self::DamagedZstd => {
                Some(format!("the compressed data is damaged or cut off after byte {end} of the trace"))
            }
            Self::Syntax { offset, .. } => Some(format!("the trace is not valid JSON at byte {offset}")),
            _ => None,
        }
    }

    /// The problem to report. `name` is the user's name for the file.
    pub fn problem(&self, name: &str) -> Problem {
        let name = plain(name);
        let (what, hint) = self.what_and_hint();
        let what = match self {
            Self::Io(_) => format!("{name} cannot be read: {what}"),
            Self::Cancelled => format!("{name} was not read: {what}"),
            _ => format!("{name} is not a profile that Proflens reads: {what}"),
        };
        Problem::new(what, hint)
    }

    /// Like [`DecodeError::problem`], for a file that should hold counts of calls.
    pub fn problem_of_counts(&self, name: &str) -> Problem {
        let problem = self.problem(name);
        Problem { what: problem.what.replacen("is not a profile", "is not coverage of V8", 1), ..problem }
    }

    /// What is wrong, as part of a sentence, and what to do about it.
    fn what_and_hint(&self) -> (Cow<'static, str>, &'static str) {
        let (what, hint) = match self {
            Self::Io(error) => return (io_reason(error).into(), ""),
            Self::Syntax { offset, expected } => {
                let what = format!("it is not valid JSON at byte {offset}, where {expected} should be");
                return (what.into(), "");
            }
            Self::Truncated { offset } => {
                let what = format!("it looks truncated, it ends at byte {offset} in the middle of its JSON");
                return (what.into(), "copy or record it again");
            }
            Self::UnsupportedFormat(UnsupportedFormat::LacksColumn(lacking)) => {
                return (lacking.to_string().into(), lacking.hint());
            }
            Self::UnsupportedFormat(format) => format.what_and_hint(),
            Self::Cancelled => ("reading it was cancelled", ""),
            Self::Empty => ("the file is empty", "record it again"),
            Self::NoCoverage => {
                ("it counts no calls of functions", "name a file or folder that NODE_V8_COVERAGE wrote")
            }
            Self::NoSamples => {
                ("it is a profile without samples", "record for longer, and while the program is busy")
            }
            Self::DamagedProtobuf => ("its protobuf data is damaged or cut off", "copy or record it again"),
            Self::DamagedSlabs => ("its JsonSlabs are damaged or cut off", "copy or save it again"),
            Self::DamagedGzip => ("its gzip data is damaged or cut off", "copy it again"),
            Self::DamagedZstd => ("its zstd data is damaged or cut off", "copy it again"),
            Self::TooLarge => ("it is too large when inflated", "inflate it yourself if that is meant"),
            Self::TooDeep => ("its JSON is nested more than a million levels deep", ""),
        };
        (what.into(), hint)
    }
}

/// The system's message, without its error number.
fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The readers of [`std::io`] only return their own errors, so ours travels inside one of these.
impl From<DecodeError> for io::Error {
    fn from(error: DecodeError) -> Self {
        Self::other(error)
    }
}

/// Takes our error out again.
impl From<io::Error> for DecodeError {
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Io)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what_and_hint().0)
    }
}

impl std::error::Error for DecodeError {}

impl UnsupportedFormat {
    /// What the file is, as part of a sentence, and what to do instead.
    fn what_and_hint(self) -> (&'static str, &'static str) {
        match self {
            Self::HeapSnapshot => ("it is a heap snapshot", "record a CPU profile instead"),
            Self::Coverage => (
                "it is a coverage report",
                "record a CPU profile; coverage of V8 joins it, by --counts or loaded after it",
            ),
            Self::SourceMap => ("it is a source map", "open the profile that it belongs to"),
            Self::ChromeTraceWithoutSamples => (
                "it is a Chrome trace without CPU samples",
                "record while the page runs JavaScript, with the JavaScript samples of the Performance panel",
            ),
            Self::LacksColumn(lacking) => ("it lacks a column", lacking.hint()),
            Self::SliceVersion => (
                "it is a slice of another version",
                "update Proflens, or make it again with proflens-fleet slice",
            ),
            Self::EmptySlice => (
                "it is a slice without a session",
                "make it again with a condition that some sessions fulfil",
            ),
            Self::OtherUnit => ("it counts neither time nor bytes", "record a CPU profile instead"),
            Self::OldOtlp => (
                "it is an OTLP profile in a form before opentelemetry-proto 1.8, without a dictionary of stacks",
                "export it with a newer version of the profiler or collector that wrote it",
            ),
            Self::Stackprof => ("it is a stackprof profile of Ruby", "record a JavaScript CPU profile"),
            Self::V8Log => {
                ("it is a raw V8 log", "run node --prof-process --preprocess on it and open what that prints")
            }
            Self::PerfWithoutScripts => (
                "its samples name no JavaScript",
                "run perf on node --perf-basic-prof --interpreted-frames-native-stack",
            ),
            Self::PerfData => ("it is raw data of perf", "open what perf script prints of it"),
            Self::JsonSlabs => (
                "it is a Firefox profile in JsonSlabs of a version that is newer than 1, the newest that was tried",
                "save it as JSON",
            ),
            Self::DotNet => ("it is a trace of .NET", "record a JavaScript CPU profile"),
            Self::Java => ("it is a recording of Java Flight Recorder", "record a JavaScript CPU profile"),
            Self::Perfetto => {
                ("it is a Perfetto trace", "record with the Performance panel of DevTools instead")
            }
            Self::Har => ("it is a list of network requests (HAR)", "record a CPU profile instead"),
            Self::Cleopatra => ("it is a profile of a Firefox before 2016", "record it with a newer one"),
            Self::Lighthouse => (
                "it is a report of Lighthouse",
                "open the trace that lighthouse --save-assets writes beside it",
            ),
            Self::OldPprof => {
                ("it is a profile in the form that was before pprof's", "convert it with pprof -proto")
            }
            Self::Callgrind => ("it is a profile of Callgrind", "record a JavaScript CPU profile"),
            Self::Dhat => ("it is a heap profile of DHAT", "record a JavaScript CPU profile"),
            Self::Haskell => ("it is a profile of Haskell", "record a JavaScript CPU profile"),
            Self::Android => ("it is a method trace of Android", "record a JavaScript CPU profile"),
            Self::Instruments => ("it is text copied from Instruments", "record a JavaScript CPU profile"),
            Self::Flamebearer => ("it is a flame graph of Pyroscope", "export the profile as pprof"),
            Self::Zip => ("it is a zip archive", "unpack it first"),
            Self::PackedTooOften => ("it is compressed more than twice", "unpack it first"),
            Self::ZstdDictionary => ("it is compressed by zstd with a dictionary", "unpack it first"),
            Self::Html => ("it is an HTML page", "download the profile again"),
            Self::NotJson => ("it is not JSON", "open a .cpuprofile or a JS Self-Profiling trace"),
            Self::EmptyJson => ("its JSON is empty", "record it again"),
            Self::OtherJson => {
                ("its JSON holds no CPU profile", "open a .cpuprofile or a JS Self-Profiling trace")
            }
        }
    }
}
