//! What a program is asked, and the types of its answers.

use serde::Deserialize;

use super::message::CdpError;
use crate::v8_profile::V8Profile;

/// Marks and measures in the clock of V8's profiles, as in the recorder of commands (preload/recorder.cjs).
pub(super) const MARKS: &str = "(() => { \
    if (typeof performance !== 'object' || !performance.getEntriesByType || !process.hrtime.bigint) return '[]'; \
    const origin = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000; \
    const all = [...performance.getEntriesByType('mark'), ...performance.getEntriesByType('measure')]; \
    return JSON.stringify(all.map((entry) => ({ name: entry.name, kind: entry.entryType, \
        start: Math.round(origin + entry.startTime * 1000), duration: Math.round(entry.duration * 1000) }))); })()";
/// Which process it is, and which program: [`AboutProcess`].
pub(super) const ABOUT: &str = "JSON.stringify([process.pid, String(process.argv[1] ?? 'node')])";
/// A sign that a thread collects coverage; nothing if there is none. V8 has one coverage for all sessions of a thread, and ends it with
/// the `Profiler` domain of any of them (v8/src/inspector/v8-profiler-agent-impl.cc, `disable`). Node collects it with
/// `NODE_V8_COVERAGE`, as c8 does, and with a flag; Vitest does in its workers. Coverage by other programs that use the inspector from
/// inside leaves no sign.
pub(super) const COVERAGE: &str = "(() => { \
    const { env, execArgv } = process; \
    if (env.NODE_V8_COVERAGE) return 'NODE_V8_COVERAGE=' + env.NODE_V8_COVERAGE; \
    const flag = '--experimental-test-coverage'; \
    if ([...execArgv, ...(env.NODE_OPTIONS || '').split(' ')].some((word) => word.startsWith(flag))) return flag; \
    const worker = globalThis.__vitest_worker__; \
    const taken = worker && worker.config && worker.config.coverage; \
    return taken && taken.enabled && taken.provider !== 'istanbul' ? 'the coverage of Vitest' : ''; })()";

/// The result of [`ABOUT`].
#[derive(Default, Deserialize, PartialEq, Eq)]
pub(super) struct AboutProcess {
    pub(super) process: u64,
    pub(super) program: String,
}

/// The answer of `Runtime.evaluate`; every expression of ours gives a text.
#[derive(Deserialize)]
pub(super) struct Evaluated {
    #[serde(default)]
    pub(super) result: Evaluation,
}

#[derive(Default, Deserialize)]
pub(super) struct Evaluation {
    pub(super) value: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Stopped {
    pub(super) profile: V8Profile,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Source {
    pub(super) script_source: String,
}

/// How much memory a profile takes, without its names.
pub(super) fn profile_bytes(profile: &V8Profile) -> usize {
    size_of_val(&*profile.nodes) + size_of_val(&*profile.samples) + size_of_val(&*profile.time_deltas)
}

/// Whether an inspector refuses to evaluate anything, in V8's words (v8/src/inspector/v8-runtime-agent-impl.cc, `ensureContext`):
/// workerd makes its contexts without telling V8 that one of them is the default. Any other refusal is one.
pub(super) fn has_no_context(refusal: &str) -> bool {
    refusal.contains("Cannot find default execution context")
}

/// Whether a script belongs to the runtime, so that nobody wants its text.
pub(super) fn is_built_in(url: &str) -> bool {
    ["node:", "workerd:", "cloudflare:", "node-internal:", "cloudflare-internal:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// The answer; `None` if the question was refused.
///
/// # Errors
/// If nothing more can be asked.
pub(super) fn unless_refused<T>(asked: Result<T, CdpError>) -> Result<Option<T>, CdpError> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        Err(CdpError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
