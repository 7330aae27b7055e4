//! The packages below `node_modules` whose functions were not placed, in the report as JSON.

use analysis::summary::share;
use serde::Serialize;

use crate::cli::amounts::{InUnit, named};
use crate::cli::content::Report;
use crate::cli::packages::Package;

/// A package below `node_modules` that is not counted as code of the workspace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonPackage<'a> {
    /// Its name.
    name: &'a str,
    /// Its version; `null` where its `package.json` is not here.
    version: Option<&'a str>,
    /// Its folder, as the trace has it, without the layer that Next builds it for (`(rsc)`).
    folder: &'a str,
    /// The self time of its functions.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
    /// That divided by the base, 0 to 1.
    self_share: f64,
    /// The samples of that.
    self_samples: u64,
    /// How many of its functions ran.
    functions: usize,
}

/// A package for a report.
pub(super) fn json_package<'a>(report: &Report<'_>, package: &'a Package) -> JsonPackage<'a> {
    let whole = report.recording.summary.ledger.base(report.base);
    JsonPackage {
        name: &package.cost.name,
        version: package.version.as_deref(),
        folder: &package.cost.folder,
        self_ns: named("self", report.recording.unit, package.cost.self_time),
        self_share: share(package.cost.self_time, whole),
        self_samples: package.cost.self_samples,
        functions: package.cost.functions,
    }
}
