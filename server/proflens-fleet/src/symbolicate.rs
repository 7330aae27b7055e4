//! Takes the texts of a release into the lake, and places what the lake has of it already.
//!
//! Which texts are needed is found by placing every function that the scripts have: what is read on the way is kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use analysis::{CachedText, FilePath, Files, LocateSettings, PathMapping, Place};
use profile::{Amount, Position, Profile, ProfileBuilder, Thread, Weight};
use proflens::Disk;
use source::{Encoding, Language, LineEnds, LineIndex};

use crate::lake::Lake;
use crate::place::symbols;
use crate::release::{Manifest, Release, WORKSPACE};

/// Larger files are no scripts.
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
/// One sentence.
pub(crate) fn keep(lake: &Lake, release: &str, sources: &Sources) -> Result<Found, String> {
    let names = names(sources)?;
    let folders: Vec<FilePath> = names.iter().map(|it| it.0.clone()).collect();
    let disk = Noted { disk: Disk::new(folders, false), read: Mutex::default() };
    let mapped = |(from, to): &(String, PathBuf)| {
        let to = absolute(to)?;
        Ok((from.clone(), to))
    };
    let mappings = sources.mappings.iter().map(mapped).collect::<Result<Vec<_>, String>>()?;
    let setting = |(from, to): &(String, FilePath)| PathMapping { from: from.clone(), to: to.to_string() };
    let locate =
        LocateSettings { mappings: mappings.iter().map(setting).collect(), ..LocateSettings::default() };

    let maps = sources.maps.iter().map(|it| absolute(it)).collect::<Result<Vec<_>, String>>()?;
    let scripts: Vec<FilePath> = disk.list().iter().filter(|it| is_script(it, &maps)).cloned().collect();
    let mut found = Found { scripts: scripts.len(), ..Found::default() };
    let profile = all_functions(&scripts, &disk);
    found.functions = profile.functions.len();
    if found.functions > 0 {
        let symbols = symbols(&profile, &disk, &locate)?;
        found.placed = symbols.places.iter().filter(|it| matches!(it, Place::At { .. })).count();
    }
    let virtual_name = |file: &FilePath| {
        let of = names.iter().find_map(|(real, name)| Some((name, file.relative_to(real)?)));
        of.map_or_else(|| file.to_string(), |(name, rest)| format!("{name}/{rest}"))
    };
    let mut files: Vec<String> = disk.list().iter().map(virtual_name).collect();
    files.sort();
    let folder = |(from, to): &(String, FilePath)| {
        let root = names.iter().find(|(real, _)| real == to).map(|it| format!("{}/", it.1));
        (from.clone(), root.unwrap_or_else(|| format!("{}/", virtual_name(to))))
    };
    let manifest = Manifest {
        folders: names.iter().map(|it| it.1.clone()).collect(),
        files,
        texts: BTreeMap::new(),
        mappings: mappings.iter().map(folder).collect(),
    };
    let read = disk.read.into_inner().unwrap_or_else(PoisonError::into_inner);
    let texts = read.iter().map(|(file, text)| (virtual_name(file), Arc::clone(text))).collect();
    Release::store(lake, release, manifest, &texts)?;
    Ok(found)
}

/// The folders with their names in the lake; those of maps inside of the workspace have none of their own.
fn names(sources: &Sources) -> Result<Vec<(FilePath, String)>, String> {
    let workspace = absolute(&sources.workspace)?;
    let mut names = vec![(workspace.clone(), WORKSPACE.to_owned())];
    for maps in &sources.maps {
        let folder = absolute(maps)?;
        if folder != workspace && folder.relative_to(&workspace).is_none() {
            names.push((folder, format!("/maps-{}", names.len())));
        }
    }
    Ok(names)
}

fn absolute(folder: &Path) -> Result<FilePath, String> {
    let real = std::fs::canonicalize(folder).ok().filter(|it| it.is_dir());
    let real =
        real.ok_or_else(|| format!("{} is not a folder. Name one that is there.", folder.display()))?;
    Ok(FilePath::new(&real.to_string_lossy()))
}

/// Whether a file may be a script that runs: JavaScript or a page, in a folder of maps if those are named.
fn is_script(file: &FilePath, maps: &[FilePath]) -> bool {
    let is_code = matches!(Language::of_path(file.as_str()), Some(Language::JavaScript | Language::Html));
    is_code && (maps.is_empty() || maps.iter().any(|it| file.relative_to(it).is_some()))
}

/// A profile in which every function of the scripts ran, at the place that V8 says.
fn all_functions(scripts: &[FilePath], files: &dyn Files) -> Profile {
    let mut builder = ProfileBuilder::new("self-profiling");
    for script in scripts {
        let Some(bytes) = files.read(script).filter(|it| it.len() <= MAX_SCRIPT) else { continue };
        let text = source::text_of(&bytes);
        let Some(language) = Language::of_path(script.as_str()) else { continue };
        let Ok(outline) = source::outline(&text, language) else { continue };
        let lines = LineIndex::new(&text, LineEnds::Engine);
        let resource = builder.resource(script.as_str());
        for definition in &outline.definitions {
            let at = lines.line_col(&text, definition.defined_at, Encoding::Utf16);
            let name = builder.string(&definition.name);
            let position = Position { line: at.line, column: Some(at.column) };
            let function = builder.function(name, Some(resource), Some(position));
            let stack = builder.stack(None, function);
            builder.add_on_stack(stack, Weight { time: Amount(1), samples: 1 });
        }
    }
    builder.end_thread(Thread { samples: 1, ..Thread::default() });
    builder.end_session(0);
    builder.finish()
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
