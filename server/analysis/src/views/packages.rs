//! What packages cost that are not part of the workspace: the first thing to look at when a tool was recorded that has no
//! code in the workspace.

use std::collections::BTreeMap;

use profile::model::Amount;

use crate::locate::module::in_no_layer;
use crate::package::Package;
use crate::recording::Recording;

/// What the unplaced functions of a package cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageCost {
    /// `react`, `@babel/core`; for code that Vite has bundled, the import: `react-dom/client`.
    pub name: String,
    /// Its version, if the trace has it.
    pub version: Option<String>,
    /// Its folder as in the trace: a url or a path, with `/`, and without the layer of a bundler.
    pub folder: String,
    /// Whether its code was in a bundle and is known through the bundle's source map.
    pub is_bundled: bool,
    /// The self times of its functions, which add up.
    pub self_time: Amount,
    /// The samples in which one of them was at the top of the stack.
    pub self_samples: u64,
    /// How many of them ran.
    pub functions: usize,
}

/// The packages below `node_modules` whose functions were not placed, hottest first; those of equal cost are ordered by folder.
pub fn packages(recording: &Recording) -> Vec<PackageCost> {
    let mut all: BTreeMap<[String; 2], PackageCost> = BTreeMap::new();
    for (function, cost) in &recording.summary.unplaced {
        let Some(package) = function.file().and_then(|file| Package::of(file)) else { continue };
        let folder = in_no_layer(package.folder).replace('\\', "/");
        let name = package.name.into_owned();
        let of = all.entry([folder.clone(), name.clone()]).or_insert_with(|| PackageCost {
            name,
            version: package.version.map(str::to_owned),
            folder,
            is_bundled: false,
            self_time: Amount(0),
            self_samples: 0,
            functions: 0,
        });
        of.is_bundled |= function.source.is_some();
        of.self_time += cost.self_time;
        of.self_samples += cost.self_samples;
        of.functions += 1;
    }
    let mut all: Vec<PackageCost> = all.into_values().filter(|it| it.self_time > Amount(0)).collect();
    all.sort_by(|a, b| {
        b.self_time.cmp(&a.self_time).then_with(|| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)))
    });
    all
}
