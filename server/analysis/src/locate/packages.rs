//! The packages of the workspace by their names: a bundler names its modules after the package in whose folder it is run
//! (`output.uniqueName` of webpack and rspack), `webpack://@my/app/./src/a.ts`.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::folders::RootCandidate;
use super::locator::depends;
use super::percent::decoded;
use crate::files::{FilePath, Files};

/// At most this many manifests are read.
const MAX_PACKAGES: usize = 1_024;

/// The folders of packages, by name.
pub(super) struct Packages {
    folders: FxHashMap<String, Vec<FilePath>>,
}

/// What is read of a `package.json`.
#[derive(Deserialize)]
struct Manifest {
    name: String,
}

impl Packages {
    pub(super) fn new(files: &dyn Files) -> Self {
        let list = files.list();
        let manifests = list.iter().filter(|it| it.name() == "package.json" && !depends(it, files.folders()));
        let mut folders: FxHashMap<String, Vec<FilePath>> = FxHashMap::default();
        for file in manifests.take(MAX_PACKAGES) {
            let manifest = files.read(file).and_then(|it| serde_json::from_slice::<Manifest>(&it).ok());
            if let Some(Manifest { name }) = manifest {
                folders.entry(name).or_default().push(FilePath::new(file.folder()));
            }
        }
        Self { folders }
    }

    /// The folder from which the modules of a build count that is named after a package; `None` if several have its name.
    pub(super) fn root(&self, build: &str) -> Option<RootCandidate> {
        let name = build.strip_prefix("webpack://").or_else(|| build.strip_prefix("rspack://"))?;
        let [folder] = &self.folders.get(decoded(name).as_deref().unwrap_or(name))?[..] else { return None };
        Some(RootCandidate { folder: folder.clone(), rank: RootCandidate::PACKAGE })
    }
}
