//! The first screen if a tool was recorded: the costs of its packages, because hardly any of its code is in the workspace.

use std::path::{Path, PathBuf};

use analysis::files::{FilePath, Files};
use analysis::format::column;
use analysis::recording::Recording;
use analysis::summary::Base;
use analysis::views::{PackageCost, packages};
use profile::model::{Amount, Weight};

use super::printable;
use crate::disk::Disk;
use crate::proto::amounts::Amounts;
use crate::shell;

/// A larger `package.json` is not read.
const MAX_PACKAGE_JSON: usize = 1 << 20;

/// The most packages that are listed.
pub(super) const LISTED: usize = 10;

/// The most traces that are named in a command.
const NAMED: usize = 3;

/// A package and what is known about it here.
pub(super) struct Package {
    /// What it cost.
    pub(super) cost: PackageCost,
    /// Its version, if its `package.json` is here.
    pub(super) version: Option<String>,
    /// Its folder, if it is here.
    pub(super) folder: Option<PathBuf>,
}

impl Package {
    /// `typescript@5.6.3`.
    pub(super) fn title(&self) -> String {
        let version = self.version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
        printable(&format!("{}{version}", self.cost.name), 60)
    }

    /// Its self time, and the share of that.
    pub(super) fn cells(&self, amounts: Amounts<'_>) -> [String; 2] {
        amounts.spent(Weight { time: self.cost.self_time, samples: self.cost.self_samples }).cells()
    }
}

/// All packages of a recording that are not in the workspace, the hottest first.
pub(super) fn all(recording: &Recording, disk: &Disk) -> Vec<Package> {
    packages(recording).into_iter().map(|cost| known(cost, disk)).collect()
}

/// Whether packages took most of the time, so that the user is not interested in functions of the workspace.
pub(super) fn are_most(all: &[Package], recording: &Recording, base: Base) -> bool {
    let time: Amount = all.iter().map(|package| package.cost.self_time).sum();
    let ledger = &recording.summary.ledger;
    let (placed, whole) = (ledger.placed.time, ledger.base(base));
    // Short runs of a tool spend most of their time in the runtime, which loads it.
    time > placed && (time.0.saturating_mul(3) >= whole.0 || placed.0.saturating_mul(100) < whole.0)
}

fn known(cost: PackageCost, disk: &Disk) -> Package {
    let folder = match url::Url::parse(&cost.folder) {
        Ok(url) => url.to_file_path().ok(),
        // A path named by a source map may be relative to anything.
        Err(_) => Some(PathBuf::from(&cost.folder)).filter(|folder| folder.is_absolute() || !cost.is_bundled),
    };
    let json = folder.as_ref().and_then(|folder| package_json(folder, disk));
    let is_here = json.is_some();
    let own = json.and_then(|json| Some(json["version"].as_str()?.to_owned()));
    let version = own.or_else(|| cost.version.clone());
    Package { cost, version, folder: folder.filter(|_| is_here) }
}

fn package_json(folder: &Path, disk: &Disk) -> Option<serde_json::Value> {
    let bytes = disk.read(&FilePath::new(&folder.join("package.json").to_string_lossy()))?;
    if bytes.len() > MAX_PACKAGE_JSON { None } else { serde_json::from_slice(&bytes).ok() }
}

/// A row for each package: self time, its share, the name, and its folder from here.
pub(super) fn rows(all: &[Package], amounts: Amounts<'_>) -> Vec<[String; 4]> {
    let (times, shares): (Vec<String>, Vec<String>) =
        all.iter().map(|package| <(String, String)>::from(package.cells(amounts))).unzip();
    let cells = column(&times).into_iter().zip(column(&shares)).zip(all);
    cells
        .map(|((time, share), package)| {
            let folder = package.folder.as_deref().map(from_here).unwrap_or_default();
            [time, share, package.title(), folder.display().to_string()]
        })
        .collect()
}

/// The command that shows the functions of the hottest package, and the one that shows those of all packages.
pub(super) fn ways_in(all: &[Package], recording: &Recording) -> Vec<String> {
    let names: Vec<String> = recording.traces.iter().map(|trace| shell::word(&trace.name)).collect();
    let traces = if names.len() <= NAMED { names.join(" ") } else { "TRACE...".to_owned() };
    let mut ways = Vec::new();
    // The files of a bundle are found from the workspace in which it was built.
    let mut alone = all.iter().filter(|package| !package.cost.is_bundled);
    if let Some(folder) = alone.find_map(|package| package.folder.as_deref()) {
        let folder = shell::word(&from_here(folder).display().to_string());
        ways.push(format!("The functions of a package: proflens report {traces} --workspace {folder}"));
    }
    ways.push(format!("Those of all packages: proflens report {traces} --dependencies"));
    ways
}

/// A path as it would be typed in the current folder.
fn from_here(path: &Path) -> PathBuf {
    let Ok(here) = std::env::current_dir() else { return path.to_path_buf() };
    // At the root, two paths have nothing in common that is worth climbing to.
    let common = here
        .ancestors()
        .enumerate()
        .find(|(_, folder)| folder.parent().is_some() && path.starts_with(folder));
    let Some((up, common)) = common else { return path.to_path_buf() };
    let below = path.strip_prefix(common).unwrap_or(path);
    (0..up).map(|_| Path::new("..")).chain([below]).collect()
}
