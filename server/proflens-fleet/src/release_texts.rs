//! Takes the texts of a release into the lake, and places the functions that the lake already has of it.
//!
//! Which texts are needed is found by placing every function of the scripts: everything that is read on the way is kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use analysis::files::{CachedText, FilePath, Files};
use analysis::locate::{LocateSettings, PathMapping};
use analysis::symbolicate::Place;
use profile::model::{Position, Profile};
use profile::problem::Problem;
use proflens::disk::Disk;
use source::language::Language;
use source::text::{Encoding, LineEnds, LineIndex, text_of};

use crate::lake::Lake;
use crate::place::{RanOnce, symbols};
use crate::release::{Manifest, Release, WORKSPACE};

/// Larger files are not scripts.
const MAX_SCRIPT: usize = 64 << 20;

/// Where the texts of a release are.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// The workspace.
    pub(crate) workspace: PathBuf,
    /// Folders of scripts and maps; none if they are in the workspace.
    pub(crate) maps: Vec<PathBuf>,
    /// Pairs of an address and a folder.
    pub(crate) mappings: Vec<(String, PathBuf)>,
}

/// What was found in the scripts of a release.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// The number of scripts.
    pub(crate) scripts: usize,
    /// The number of their functions.
    pub(crate) functions: usize,
    /// How many of them have a definition.
    pub(crate) placed: usize,
}

/// Keeps the texts of a release.
///
/// # Errors
/// If a folder is not there, or the lake cannot be written.
pub(crate) fn keep(lake: &Lake, release: &str, sources: &Sources) -> Result<Found, Problem> {
    let folders = Folders::of(sources)?;
    let disk = Noted {
        disk: Disk::new(folders.0.iter().map(|folder| folder.real.clone()).collect(), false),
        read: Mutex::default(),
    };
    // From addresses to folders on this disk, and to their names in the lake.
    let (mut mappings, mut kept_mappings) = (Vec::new(), Vec::new());
    for (from, to) in &sources.mappings {
        let folder = absolute(to)?;
        kept_mappings.push((from.clone(), format!("{}/", folders.name(&folder))));
        mappings.push(PathMapping { from: from.clone(), to: folder.to_string() });
    }
    let locate = LocateSettings { mappings: mappings.into_iter().collect(), ..LocateSettings::default() };
    let maps = sources.maps.iter().map(|folder| absolute(folder)).collect::<Result<Vec<_>, _>>()?;
    let scripts: Vec<FilePath> = disk.list().iter().filter(|file| is_script(file, &maps)).cloned().collect();
    let mut found = Found { scripts: scripts.len(), ..Found::default() };
    let profile = all_functions(&scripts, &disk);
    found.functions = profile.functions.len();
    if found.functions > 0 {
        let symbols = symbols(&profile, &disk, &locate)?;
        found.placed = symbols.places.iter().filter(|place| matches!(place, Place::At { .. })).count();
    }
    let mut files: Vec<String> = disk.list().iter().map(|file| folders.name(file)).collect();
    files.sort();
    let manifest = Manifest {
        folders: folders.0.iter().map(|folder| folder.name.clone()).collect(),
        files,
        texts: BTreeMap::new(),
        mappings: kept_mappings,
    };
    let read = disk.read.into_inner().unwrap_or_else(PoisonError::into_inner);
    let texts = read.iter().map(|(file, text)| (folders.name(file), Arc::clone(text))).collect();
    Release::store(lake, release, manifest, &texts)?;
    Ok(found)
}

/// The folders of a release; folders of maps inside the workspace are not listed separately.
struct Folders(Vec<NamedFolder>);

struct NamedFolder {
    /// Where it is on this disk.
    real: FilePath,
    /// Its name in the lake.
    name: String,
}

impl Folders {
    fn of(sources: &Sources) -> Result<Self, Problem> {
        let workspace = absolute(&sources.workspace)?;
        let mut folders = vec![NamedFolder { real: workspace.clone(), name: WORKSPACE.to_owned() }];
        for maps in &sources.maps {
            let real = absolute(maps)?;
            if real != workspace && real.relative_to(&workspace).is_none() {
                let name = format!("/maps-{}", folders.len());
                folders.push(NamedFolder { real, name });
            }
        }
        Ok(Self(folders))
    }

    /// The name in the lake of a folder or of anything in it.
    fn name(&self, path: &FilePath) -> String {
        if let Some(itself) = self.0.iter().find(|folder| folder.real == *path) {
            return itself.name.clone();
        }
        match self.0.iter().find_map(|folder| Some((&folder.name, path.relative_to(&folder.real)?))) {
            Some((name, rest)) => format!("{name}/{rest}"),
            None => path.to_string(),
        }
    }
}

fn absolute(folder: &Path) -> Result<FilePath, Problem> {
    match std::fs::canonicalize(folder) {
        Ok(real) if real.is_dir() => Ok(FilePath::new(&real.to_string_lossy())),
        _ => Err(Problem::new(format!("{} is not a folder", folder.display()), "name one that is there")),
    }
}

/// Whether a file may be a script that runs: JavaScript or a page, in a folder of maps if such folders are named.
fn is_script(file: &FilePath, maps: &[FilePath]) -> bool {
    let is_code = matches!(Language::of_path(file.as_str()), Some(Language::JavaScript | Language::Html));
    is_code && (maps.is_empty() || maps.iter().any(|folder| file.relative_to(folder).is_some()))
}

/// A profile in which every function of the scripts ran, at the place that V8 reports.
fn all_functions(scripts: &[FilePath], files: &dyn Files) -> Profile {
    let mut ran = RanOnce::new();
    for script in scripts {
        let Some(bytes) = files.read(script).filter(|bytes| bytes.len() <= MAX_SCRIPT) else { continue };
        let text = text_of(&bytes);
        let Some(language) = Language::of_path(script.as_str()) else { continue };
        let Ok(outline) = source::large_stack::outline(&text, language) else { continue };
        let lines = LineIndex::new(&text, LineEnds::Engine);
        let resource = ran.resource(script.as_str());
        for definition in &outline.definitions {
            let at = lines.line_col(&text, definition.defined_at, Encoding::Utf16);
            let position = Position { line: at.line, column: Some(at.column) };
            ran.add(&definition.name, Some(resource), Some(position));
        }
    }
    ran.finish()
}

/// The disk, and what was read from it.
struct Noted {
    disk: Disk,
    read: Mutex<BTreeMap<FilePath, Arc<[u8]>>>,
}

impl Files for Noted {
    fn folders(&self) -> &[FilePath] {
        self.disk.folders()
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.disk.list()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        let text = self.disk.read(file)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(file.clone(), Arc::clone(&text));
        Some(text)
    }

    fn cached_texts(&self, _: &FilePath) -> Vec<CachedText> {
        Vec::new()
    }

    fn modified(&self, _: &FilePath) -> Option<SystemTime> {
        None
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.disk.resolve(file)
    }
}
