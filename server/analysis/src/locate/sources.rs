//! Finds the workspace file of each source of a map.
//!
//! Maps name their sources by paths relative to the map, by paths on the machine that built them, or by a bundler's
//! names. All maps of a trace are looked at together, because one may decide what another leaves open. If a name may
//! stand for several files, the source is unplaced: no file is better than a wrong one. `docs/locating.md` has the rules.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::build::{self, Build};
use super::chosen::Chosen;
use super::folders::{RootCandidate, common_root_candidates};
use super::locator::Locator;
use super::module::Module;
use super::packages::Packages;
use super::settings::LocateSettings;
use super::source_name::{NameBase, NameReader, NameReading};
use super::text::{Digest, FileDigests};
use super::workspace::Workspace;
use crate::files::{FilePath, Files};
use crate::locate::unplaced::UnplacedReason;
use crate::package::is_of_tool;

/// What one map says about its sources.
pub(crate) struct MapSources<'a> {
    /// The map's file; for an inline map, the generated file.
    pub(crate) map: FilePath,
    /// Whether its file was written by a build, and so is none of its sources. It may be a source if a server makes what
    /// it sends from the file on request.
    pub(crate) is_output: bool,
    /// The url of a map that is not a file of the workspace; relative names are resolved against it.
    pub(crate) url: Option<&'a str>,
    /// The names, each prefixed with `sourceRoot` ([`source::map::Source::url`]); `None` for a source without a name.
    pub(crate) sources: Vec<Option<&'a str>>,
    /// The text of a source by its index, if the map has it.
    pub(crate) content: &'a dyn Fn(usize) -> Option<Cow<'a, str>>,
}

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocatedSource {
    /// A regular file in the workspace.
    File {
        /// As [`Files::resolve`] gives it.
        file: FilePath,
        /// The text that the map holds for it, which the file may not hold any more; `None` if the map has none.
        in_map: Option<Digest>,
    },
    /// No file, for this reason: the runtime of a bundler and modules that tools generate never were files.
    Unplaced(UnplacedReason),
}

impl LocatedSource {
    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<&FilePath> {
        if let Self::File { file, .. } = self { Some(file) } else { None }
    }
}

/// Locates the sources of all maps of a trace; one answer per map, in order.
pub(crate) fn locate_sources(
    maps: &[MapSources<'_>],
    files: &dyn Files,
    settings: &LocateSettings,
) -> Vec<Vec<LocatedSource>> {
    let (digests, packages) = (FileDigests::new(files), OnceCell::new());
    let locator = SourceLocator { locator: Locator { files, settings }, digests, packages };
    let (mut located, builds) = locator.read_names(maps);
    if !builds.is_empty() {
        let list = files.list();
        let workspace = Workspace::new(&list, files.folders());
        for (member, placed) in place_all(builds, maps, &locator, &workspace) {
            located[member.map][member.index] = Some(locator.answer(&member, placed));
        }
    }
    let nowhere = LocatedSource::Unplaced(UnplacedReason::NotInWorkspace);
    located
        .into_iter()
        .map(|row| row.into_iter().map(|located| located.unwrap_or_else(|| nowhere.clone())).collect())
        .collect()
}

/// What the names of one build have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BuildKey {
    base: NameBase,
    build: String,
    /// The folder of the map.
    folder: FilePath,
}

/// The sources of all maps whose roots have yet to be found.
type Builds = BTreeMap<BuildKey, Vec<BuildMember>>;

/// A source whose root has yet to be found.
struct BuildMember {
    /// Its map, by index.
    map: usize,
    /// Its own index in the map.
    index: usize,
    module: Module,
    text: Option<Digest>,
}

/// A source and its file.
type PlacedMember = (BuildMember, Chosen<FilePath>);

/// Places each build by itself, then builds without any file together with others of the same name.
fn place_all(
    builds: Builds,
    maps: &[MapSources<'_>],
    locator: &SourceLocator<'_>,
    workspace: &Workspace<'_>,
) -> Vec<PlacedMember> {
    // By name base and name of the builds.
    let mut groups: BTreeMap<(NameBase, String), Vec<PlacedMember>> = BTreeMap::new();
    let (mut unfound, mut builds_of_group) = (FxHashSet::default(), BTreeMap::<_, usize>::new());
    for (key, members) in builds {
        let placed = build::place(&locator.build(&members, &key, maps), workspace, &locator.digests);
        let group = (key.base, key.build.clone());
        let is_unfound = placed.iter().all(|placed| !matches!(placed, Chosen::Is(_)));
        if is_unfound && key.base.means_one_root(&key.build) {
            unfound.extend(members.iter().map(|member| (member.map, member.index)));
        }
        *builds_of_group.entry(group.clone()).or_default() += 1;
        groups.entry(group).or_default().extend(members.into_iter().zip(placed));
    }
    for (group, members) in &mut groups {
        let is_unfound = |member: &BuildMember| unfound.contains(&(member.map, member.index));
        if builds_of_group[group] < 2 || !members.iter().any(|(member, _)| is_unfound(member)) {
            continue;
        }
        let together = Build {
            modules: members.iter().map(|(member, _)| (&member.module, member.text)).collect(),
            outputs: maps.iter().flat_map(outputs_of).collect(),
            is_foreign: group.0 == NameBase::Web { local: false },
            ..Build::default()
        };
        let placed = build::place(&together, workspace, &locator.digests);
        for ((member, alone), together) in members.iter_mut().zip(placed) {
            if is_unfound(member) {
                *alone = together;
            }
        }
    }
    groups.into_values().flatten().collect()
}

/// What is needed to find the files of sources.
struct SourceLocator<'a> {
    locator: Locator<'a>,
    digests: FileDigests<'a>,
    packages: OnceCell<Packages>,
}

impl SourceLocator<'_> {
    /// Answers the sources that their name alone decides. The others are `None`, and are returned grouped by build.
    fn read_names(&self, maps: &[MapSources<'_>]) -> (Vec<Vec<Option<LocatedSource>>>, Builds) {
        let reader = NameReader::new(self.locator);
        let mut builds = Builds::new();
        let mut located = Vec::new();
        for (number, map) in maps.iter().enumerate() {
            let readings: Vec<NameReading> =
                map.sources.iter().map(|name| reader.read(*name, &map.map, map.url)).collect();
            let was_built_here = readings.iter().any(|it| matches!(it, NameReading::OnThisDisk(..)));
            let row = readings.into_iter().enumerate().map(|(index, reading)| match reading {
                NameReading::Unplaced(reason) => Some(LocatedSource::Unplaced(reason)),
                NameReading::Configured(file) | NameReading::OnThisDisk(file) => {
                    let text = || (map.content)(index).map(|text| Digest::of(&text));
                    Some(self.file(file, text))
                }
                NameReading::Module(base, module) => {
                    // A source of the map exists at its path on this disk, so the map was built here. Other paths on this
                    // disk that do not exist were deleted or renamed: a file elsewhere is a different one.
                    let is_gone = base == NameBase::Disk && was_built_here;
                    let base = if is_gone { NameBase::GoneFromDisk } else { base };
                    let text = if module.is_dependency() { None } else { (map.content)(index) };
                    let text = text.map(|text| Digest::of(&text));
                    let folder = FilePath::new(map.map.folder());
                    let key = BuildKey { base, build: module.build.clone(), folder };
                    builds.entry(key).or_default().push(BuildMember { map: number, index, module, text });
                    None
                }
            });
            located.push(row.collect());
        }
        (located, builds)
    }

    /// The modules of one build, with what is known about its root.
    fn build<'m>(&self, members: &'m [BuildMember], key: &BuildKey, maps: &[MapSources<'_>]) -> Build<'m> {
        let mut outputs: Vec<FilePath> =
            members.iter().flat_map(|member| outputs_of(&maps[member.map])).collect();
        outputs.sort();
        outputs.dedup();
        Build {
            modules: members.iter().map(|member| (&member.module, member.text)).collect(),
            candidates: self.root_candidates(key),
            outputs,
            is_foreign: key.base == NameBase::Web { local: false },
            root_is_gone: key.base == NameBase::GoneFromDisk,
        }
    }

    /// The folders that the names of a build may be relative to: those around its maps, even above the workspace, since a
    /// bundler's root may be one of them, followed by those that are likely for any build.
    fn root_candidates(&self, key: &BuildKey) -> Vec<RootCandidate> {
        let first =
            if key.base == NameBase::Map { RootCandidate::STATED } else { RootCandidate::BUNDLE_FOLDER };
        let mut candidates = vec![RootCandidate { folder: key.folder.clone(), rank: first }];
        let mut folder = key.folder.as_str();
        while let Some((above, _)) = folder.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
            let rank = RootCandidate::ENCLOSING + candidates.len() as u32;
            candidates.push(RootCandidate { folder: FilePath::new(above), rank });
            folder = above;
        }
        let package = self.packages.get_or_init(|| Packages::new(self.locator.files)).root(&key.build);
        for common in package.into_iter().chain(common_root_candidates(self.locator)) {
            if candidates.iter().all(|known| known.folder != common.folder) {
                candidates.push(common);
            }
        }
        candidates
    }

    /// The answer for a module once it is placed.
    fn answer(&self, member: &BuildMember, placed: Chosen<FilePath>) -> LocatedSource {
        let file = match placed {
            Chosen::Is(file) => self.locator.files.resolve(&file),
            Chosen::Ambiguous => return LocatedSource::Unplaced(UnplacedReason::Ambiguous),
            Chosen::Nowhere => None,
        };
        match file {
            Some(file) => self.file(file, || member.text),
            None => {
                let is_dependency = member.module.is_dependency();
                LocatedSource::Unplaced(self.locator.reason_without_file(is_dependency))
            }
        }
    }

    /// The answer for a source whose file was found. Of what a tool made, its own map decides whose code it is.
    fn file(&self, file: FilePath, text: impl FnOnce() -> Option<Digest>) -> LocatedSource {
        if self.locator.leaves_out(&file) && !is_of_tool(file.as_str()) {
            return LocatedSource::Unplaced(UnplacedReason::Dependency);
        }
        LocatedSource::File { file, in_map: text() }
    }
}

/// A map and the file that it belongs to: neither is one of its sources.
fn outputs_of(of: &MapSources<'_>) -> impl Iterator<Item = FilePath> {
    let map = &of.map;
    let both = [Some(map.clone()), map.as_str().strip_suffix(".map").map(FilePath::new)];
    both.into_iter().flatten().filter(|_| of.is_output)
}

#[cfg(test)]
mod tests;
