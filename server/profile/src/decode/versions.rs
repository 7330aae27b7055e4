//! The newest version of each format that was tested, and the message about a file that is newer.
//!
//! Formats change. A file of an untested version is read if everything decisive is as before, but never silently. The
//! table in docs/formats.md is generated from this list.

use crate::builder::ProfileBuilder;

/// A format, or a form of one that has its own versions.
#[derive(Debug)]
pub struct KnownFormat {
    /// The name in [`Profile::format`](crate::model::Profile::format).
    pub format: &'static str,
    /// Which form of it has these versions; empty if there is only one.
    pub form: &'static str,
    /// What a file says about its version.
    pub version: VersionOf,
    /// What wrote the newest version that was tested.
    pub tried: &'static str,
    /// The day on which its sources were last checked, in ISO 8601.
    pub looked_at: &'static str,
    /// Where it is described or written.
    pub source: &'static str,
}

/// What a file of a format says about its version.
#[derive(Debug)]
pub enum VersionOf {
    /// Nothing: everything needed is recognised by name.
    None,
    /// A member, and the newest version that was tested.
    Newest {
        /// The member that holds it, such as `meta.version`.
        member: &'static str,
        /// Numbers separated by dots.
        newest: &'static str,
    },
}

/// All formats that are read, in the order of the documentation.
pub const KNOWN_FORMATS: &[&KnownFormat] = &[
    &SELF_PROFILING,
    &CPUPROFILE,
    &HEAPPROFILE,
    &CHROME_TRACE,
    &FIREFOX_RAW,
    &FIREFOX_PROCESSED,
    &FIREFOX_SLABS,
    &SPEEDSCOPE,
    &PPROF,
    &OTLP,
    &COLLAPSED,
    &PERF,
    &SAFARI,
    &SENTRY,
    &SLICE,
    &V8_LOG,
];

const SELF_PROFILING: KnownFormat = KnownFormat {
    format: "self-profiling",
    form: "",
    version: VersionOf::None,
    tried: "Chromium 156",
    looked_at: "2026-11-20",
    source: "https://wicg.github.io/js-self-profiling/",
};

const CPUPROFILE: KnownFormat = KnownFormat {
    format: "cpuprofile",
    form: "",
    version: VersionOf::None,
    tried: "Node 26, Chromium 156, Bun 1.4.4, Deno 2.9.6, wrangler 4.164, Next 16.4",
    looked_at: "2026-11-28",
    source: "https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile",
};

const HEAPPROFILE: KnownFormat = KnownFormat {
    format: "heapprofile",
    form: "",
    version: VersionOf::None,
    tried: "Node 20",
    looked_at: "2026-11-20",
    source: "https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile",
};

/// What DevTools adds to the events of a trace; the events themselves have no version.
pub(super) const CHROME_TRACE: KnownFormat = KnownFormat {
    format: "chrome-trace",
    form: "with scripts",
    version: VersionOf::Newest { member: "metadata.enhancedTraceVersion", newest: "1" },
    tried: "Chromium 156",
    looked_at: "2026-11-26",
    source: "https://github.com/ChromeDevTools/devtools-frontend/blob/main/front_end/models/trace/types/File.ts",
};

pub(super) const FIREFOX_RAW: KnownFormat = KnownFormat {
    format: "firefox",
    form: "raw",
    version: VersionOf::Newest { member: "meta.version", newest: "36" },
    tried: "Firefox ESR 153",
    looked_at: "2026-11-26",
    source: "https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md",
};

pub(super) const FIREFOX_PROCESSED: KnownFormat = KnownFormat {
    format: "firefox",
    form: "processed",
    version: VersionOf::Newest { member: "meta.preprocessedProfileVersion", newest: "75" },
    tried: "@firefox-devtools/profiler-cli 0.10.0, samply 0.13.1",
    looked_at: "2026-11-28",
    source: "https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md",
};

/// The container; its contents have a version of their own. Other versions are refused.
pub(super) const FIREFOX_SLABS: KnownFormat = KnownFormat {
    format: "firefox",
    form: "in JsonSlabs",
    version: VersionOf::Newest { member: "the head", newest: "1" },
    tried: "the crate json-slabs 0.2, @firefox-devtools/profiler-cli 0.10.0",
    looked_at: "2026-11-26",
    source: "https://github.com/mstange/json-slabs/blob/main/FORMAT.md",
};

/// Only its first files had a version.
const SPEEDSCOPE: KnownFormat = KnownFormat {
    format: "speedscope",
    form: "",
    version: VersionOf::Newest { member: "version", newest: "0.0.1" },
    tried: "speedscope 1.25",
    looked_at: "2026-11-26",
    source: "https://www.speedscope.app/file-format-schema.json",
};

const PPROF: KnownFormat = KnownFormat {
    format: "pprof",
    form: "",
    version: VersionOf::None,
    tried: "the definition of 2026",
    looked_at: "2026-11-20",
    source: "https://github.com/google/pprof/blob/main/proto/profile.proto",
};

/// Files do not say which version of opentelemetry-proto they use; those before 1.8 are refused by their fields.
const OTLP: KnownFormat = KnownFormat {
    format: "otlp",
    form: "",
    version: VersionOf::None,
    tried: "the definitions of opentelemetry-proto 1.8 to 1.11",
    looked_at: "2026-11-27",
    source: "https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/profiles/v1development/profiles.proto",
};

const COLLAPSED: KnownFormat = KnownFormat {
    format: "collapsed",
    form: "",
    version: VersionOf::None,
    tried: "names as 0x 5 writes them",
    looked_at: "2026-11-20",
    source: "https://github.com/brendangregg/FlameGraph",
};

const PERF: KnownFormat = KnownFormat {
    format: "perf",
    form: "",
    version: VersionOf::None,
    tried: "perf 6.1, Node 20",
    looked_at: "2026-11-20",
    source: "https://man7.org/linux/man-pages/man1/perf-script.1.html",
};

const SAFARI: KnownFormat = KnownFormat {
    format: "safari",
    form: "",
    version: VersionOf::Newest { member: "version", newest: "1" },
    tried: "the form that WebKit's sources write",
    looked_at: "2026-11-20",
    source: "https://github.com/WebKit/WebKit/blob/main/Source/WebInspectorUI/UserInterface/Models/TimelineRecording.js",
};

const SENTRY: KnownFormat = KnownFormat {
    format: "sentry",
    form: "",
    version: VersionOf::Newest { member: "version", newest: "2" },
    tried: "@sentry/profiling-node 9.40, @sentry/browser 10.30",
    looked_at: "2026-11-20",
    source: "https://develop.sentry.dev/sdk/telemetry/profiles/",
};

/// Refused in any other version: its numbers are sums over many sessions, which nobody could check.
pub(super) const SLICE: KnownFormat = KnownFormat {
    format: "slice",
    form: "",
    version: VersionOf::Newest { member: "proflensSlice", newest: "1" },
    tried: "proflens-fleet of this release",
    looked_at: "2026-11-23",
    source: "#slice",
};

const V8_LOG: KnownFormat = KnownFormat {
    format: "v8-log",
    form: "",
    version: VersionOf::None,
    tried: "Node 20",
    looked_at: "2026-11-20",
    source: "https://github.com/v8/v8/blob/main/tools/profile.mjs",
};

impl VersionOf {
    /// The newest version, if it is a single number.
    pub(super) fn newest_number(&self) -> u32 {
        match self {
            Self::Newest { newest, .. } => newest.parse().unwrap_or(0),
            Self::None => 0,
        }
    }
}

impl KnownFormat {
    /// Reports if this version of a file is newer than what was tested. The processes of one recording report it once.
    pub(super) fn note_newer(&self, version: &str, builder: &mut ProfileBuilder) {
        let Some(what) = self.newer(version) else { return };
        if builder.tables().problems.iter().all(|it| it.what != what) {
            builder.problem(
                what,
                "what is needed of it was found; compare a few numbers with the tool that wrote it",
            );
        }
    }

    /// The problem with a version that is newer than all tested ones.
    pub(super) fn newer(&self, version: &str) -> Option<String> {
        let VersionOf::Newest { newest, .. } = self.version else { return None };
        (numbers(version) > numbers(newest))
            .then(|| format!("version {version} is newer than {newest}, the newest that was tried"))
    }
}

/// Reports that a file is newer, for formats whose objects have a member `version`.
pub(super) fn note_newer_object(version: &str, builder: &mut ProfileBuilder) {
    let format = builder.tables().format;
    let known = KNOWN_FORMATS.iter().find(|known| {
        known.format == format && matches!(known.version, VersionOf::Newest { member: "version", .. })
    });
    if let Some(known) = known {
        known.note_newer(version, builder);
    }
}

/// The numbers of a version, without trailing zeros. Anything else is newer than all numbers.
fn numbers(version: &str) -> Vec<u64> {
    let mut numbers: Vec<u64> = version.split('.').map(|part| part.parse().unwrap_or(u64::MAX)).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let newer = |version| SPEEDSCOPE.newer(version).is_some();
        assert_eq!(
            ["0.0.1", "0.0.1.0", "0.0", "0.0.2", "1", "0.1.0", "next"].map(newer),
            [false, false, false, true, true, true, true]
        );
        assert_eq!(
            FIREFOX_RAW.newer("136").unwrap_or_default(),
            "version 136 is newer than 36, the newest that was tried"
        );
        assert_eq!(CPUPROFILE.newer("9"), None);
    }
}
