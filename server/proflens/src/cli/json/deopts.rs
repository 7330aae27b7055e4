//! What V8's compiler did with functions, in the report as JSON.

use std::borrow::Cow;

use analysis::deopts::{CompiledDefinition, CompilerLog};
use analysis::summary::Measured;
use serde::Serialize;

use crate::cli::content::Report;
use crate::cli::relative;

/// What V8's compiler did with functions, which never changes times.
#[derive(Serialize)]
pub(super) struct JsonCompilerLog<'a> {
    /// In which run that was logged: `another`, as logging would change the times.
    run: &'static str,
    /// How often optimised code was given up in all.
    times: u64,
    /// The functions that were deoptimised or have megamorphic accesses, with and without samples, those first whose code was given up
    /// most often, at most `--limit`.
    functions: Vec<JsonDeoptimized<'a>>,
}

/// A function that was deoptimised, or has megamorphic accesses.
#[derive(Serialize)]
struct JsonDeoptimized<'a> {
    /// Its name.
    name: &'a str,
    /// Its file, as that of a function.
    file: Cow<'a, str>,
    /// The line of its name, or of itself where it has none.
    line: u32,
    /// The column of that.
    column: u32,
    /// What was done with it.
    deopts: JsonDeopts<'a>,
}

/// What V8's compiler did with a function.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonDeopts<'a> {
    /// Whether it was optimised, by itself or inlined in what called it.
    optimized: bool,
    /// Whether it was not, although it has many samples.
    never_optimized: bool,
    /// How often its optimised code was given up.
    times: u64,
    /// The same by place and reason, the most frequent first.
    sites: Vec<JsonDeoptSite<'a>>,
    /// The accesses that met too many shapes of objects, in order.
    megamorphic: Vec<JsonMegamorphic<'a>>,
}

/// Where and why optimised code was given up.
#[derive(Serialize)]
struct JsonDeoptSite<'a> {
    /// The line of its file; `null` where that is not known.
    line: Option<u32>,
    /// `eager` (it met something that it was not made for), `lazy` (what it relied on had changed when it was returned to) or `dependency` (that
    /// changed while it did not run).
    kind: &'static str,
    /// V8's reason, such as `wrong map`.
    reason: &'a str,
    /// How often.
    times: u64,
}

/// An access that met too many shapes of objects.
#[derive(Serialize)]
struct JsonMegamorphic<'a> {
    /// The line of its file; `null` where that is not known.
    line: Option<u32>,
    /// The property; `null` where it is accessed by keys.
    property: Option<&'a str>,
}

/// The compiler log for a report.
pub(super) fn json_compiler_log<'a>(report: &Report<'a>, log: &'a CompilerLog) -> JsonCompilerLog<'a> {
    let functions = log.remarkable().into_iter().take(report.limit);
    let functions = functions.map(|(key, compiled)| JsonDeoptimized {
        name: &compiled.name,
        file: relative(&key.file, report.folder),
        line: compiled.start.line + 1,
        column: compiled.start.column + 1,
        deopts: json_deopts(compiled, report.recording.summary.definitions.get(key)),
    });
    JsonCompilerLog { run: "another", times: log.times(), functions: functions.collect() }
}

/// What the compiler did with a function.
pub(super) fn json_deopts<'a>(
    compiled: &'a CompiledDefinition,
    measured: Option<&Measured>,
) -> JsonDeopts<'a> {
    let sites = compiled.sites().into_iter().map(|(site, times)| JsonDeoptSite {
        line: site.line.map(|line| line + 1),
        kind: site.kind.name(),
        reason: &site.reason,
        times,
    });
    let megamorphic = compiled.megamorphic.iter().map(|access| JsonMegamorphic {
        line: access.line.map(|line| line + 1),
        property: Some(&*access.property).filter(|property| !property.is_empty()),
    });
    JsonDeopts {
        optimized: compiled.is_optimized,
        never_optimized: measured.is_some_and(|measured| compiled.is_never_optimized(measured)),
        times: compiled.times(),
        sites: sites.collect(),
        megamorphic: megamorphic.collect(),
    }
}
