//! Which workspace file each source of a map is.
//!
//! Maps name their sources by paths from the map, by paths of the machine that built them, or by names of a bundler.
//! All maps of a trace are looked at together, as what one of them leaves open another may tell. Never a wrong file:
//! what may be several files is unplaced. `docs/locating.md` has the rules.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::address::{self, Address, Resource, Space};
use super::build::{self, Build, Placed};
use super::folders::{Near, depends, in_served_folder, near_tops};
use super::known;
use super::mapping::{self, Mapped};
use super::module::{self, FromRoot, Module, Named};
use super::overrides::Overrides;
use super::resources::Certainty;
use super::settings::LocateSettings;
use super::text::{Digest, Texts};
use super::workspace::Workspace;
use crate::files::has_drive;
use crate::{FilePath, Files, UnplacedReason};

/// What one map says of its sources.
pub struct MapSources<'a> {
    /// The map's file; of an inline map, the generated file.
    pub map: FilePath,
    /// The url of a map that is no file of the workspace: names count from there.
    pub url: Option<&'a str>,
    /// The names, each with `sourceRoot` before it ([`source::map::Source::url`]); `None` where there is none.
    pub sources: Vec<Option<&'a str>>,
    /// The text of a source by its index, if the map has it.
    pub content: &'a dyn Fn(usize) -> Option<Cow<'a, str>>,
}

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocatedSource {
    /// A regular file in the workspace.
    File {
        /// As [`Files::resolve`] gives it.
        file: FilePath,
        /// `Exact`: where the map or the user says. `Suffix`: where most of the build lies, or where a file of
        /// that name holds the text.
        certainty: Certainty,
        /// Whether the file holds the text that the map has, whatever the line ends; `None` if it has none.
        content_matches: Option<bool>,
    },
    /// It never was a file: the runtime of a bundler, or a module that a tool made up.
    NoFile(UnplacedReason),
    /// It may be a file, but none was found, and why.
    Unplaced(UnplacedReason),
}

/// Locates the sources of all maps of a trace; one answer for each, in order.
pub fn locate_sources(
    maps: &[MapSources<'_>],
    files: &dyn Files,
    settings: &LocateSettings,
) -> Vec<Vec<LocatedSource>> {
    let reader = Reader {
        files,
        settings,
        overrides: settings.overrides.iter().map(|pairs| Overrides::new(pairs)).collect(),
    };
    let texts = Texts::new(files);
    let mut builds: BTreeMap<Key, Members> = BTreeMap::new();
    let mut located: Vec<Vec<Option<LocatedSource>>> = Vec::new();
    for (number, map) in maps.iter().enumerate() {
        let read: Vec<Read> = map.sources.iter().map(|name| reader.read(*name, map)).collect();
        let was_built_here = read.iter().any(|read| matches!(read, Read::Here(..)));
        let mut row = Vec::new();
        for (index, read) in read.into_iter().enumerate() {
            let (kind, module) = match read {
                Read::Done(done) => {
                    row.push(Some(done));
                    continue;
                }
                Read::At(file) | Read::Here(file) => {
                    let text = || (map.content)(index).map(|text| Digest::of(&text));
                    row.push(Some(reader.file(&file, Certainty::Exact, text, &texts)));
                    continue;
                }
                Read::Module(kind, module) => (kind, module),
            };
            // A machine has one `/home/me/app`, and it is this one.
            let kind = if kind == Kind::Disk && was_built_here { Kind::GoneFromDisk } else { kind };
            let text = if module.is_dependency() { None } else { (map.content)(index) };
            let member = Member { map: number, index, module, text: text.map(|text| Digest::of(&text)) };
            let key = Key { kind, build: member.module.build.clone(), folder: folder_of(&map.map) };
            builds.entry(key).or_default().push(member);
            row.push(None);
        }
        located.push(row);
    }
    if !builds.is_empty() {
        let list = files.list();
        let workspace = Workspace::new(&list, files.folders());
        for (member, placed) in place_all(builds, maps, &reader, &workspace, &texts) {
            located[member.map][member.index] = Some(reader.outcome(&member, placed, &texts));
        }
    }
    let nowhere = LocatedSource::Unplaced(UnplacedReason::NotInWorkspace);
    let filled = |row: Vec<Option<LocatedSource>>| {
        row.into_iter().map(|located| located.unwrap_or_else(|| nowhere.clone())).collect()
    };
    located.into_iter().map(filled).collect()
}

/// What a name counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The map.
    Map,
    /// The root of a bundler's build.
    Bundle,
    /// The disk of the machine that built it.
    Disk,
    /// The same, where that is this disk.
    GoneFromDisk,
    /// A server; `local` is one that a developer runs.
    Web { local: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    kind: Kind,
    build: String,
    folder: FilePath,
}

struct Member {
    map: usize,
    index: usize,
    module: Module,
    text: Option<Digest>,
}

type Members = Vec<Member>;

/// What a name says by itself.
enum Read {
    Done(LocatedSource),
    /// A file, as the user said.
    At(FilePath),
    /// A file, by its path on this disk.
    Here(FilePath),
    Module(Kind, Module),
}

/// Places builds, each by itself; then those in which nothing was found together with those of the same name.
fn place_all(
    builds: BTreeMap<Key, Members>,
    maps: &[MapSources<'_>],
    reader: &Reader<'_>,
    workspace: &Workspace<'_>,
    texts: &Texts<'_>,
) -> Vec<(Member, Placed)> {
    let mut groups: BTreeMap<(Kind, String), Vec<(Member, Placed)>> = BTreeMap::new();
    let (mut open, mut open_builds) = (FxHashSet::default(), BTreeMap::<_, usize>::new());
    for (key, members) in builds {
        let placed = build::place(&reader.build(&members, &key, maps), workspace, texts);
        let group = (key.kind, key.build.clone());
        let is_open = placed.iter().all(|placed| !matches!(placed, Placed::At { .. }));
        if is_open && key.kind.is_shared(&key.build) {
            open.extend(members.iter().map(|member| (member.map, member.index)));
        }
        *open_builds.entry(group.clone()).or_default() += 1;
        groups.entry(group).or_default().extend(members.into_iter().zip(placed));
    }
    for (group, members) in &mut groups {
        let is_open = |member: &Member| open.contains(&(member.map, member.index));
        if open_builds[group] < 2 || !members.iter().any(|(member, _)| is_open(member)) {
            continue;
        }
        let together = Build {
            modules: members.iter().map(|(member, _)| (&member.module, member.text)).collect(),
            outputs: maps.iter().flat_map(|map| outputs_of(&map.map)).collect(),
            foreign: group.0 == Kind::Web { local: false },
            ..Build::default()
        };
        let placed = build::place(&together, workspace, texts);
        for ((member, alone), together) in members.iter_mut().zip(placed) {
            if is_open(member) {
                *alone = together;
            }
        }
    }
    groups.into_values().flatten().collect()
}

impl Kind {
    /// Whether equal names of builds in several folders mean the same root.
    fn is_shared(self, build: &str) -> bool {
        match self {
            Kind::Disk | Kind::Web { .. } => true,
            Kind::Bundle => !build.ends_with("://"),
            Kind::Map | Kind::GoneFromDisk => false,
        }
    }
}

/// How names are read.
struct Reader<'a> {
    files: &'a dyn Files,
    settings: &'a LocateSettings,
    overrides: Vec<Overrides>,
}

impl Reader<'_> {
    fn read(&self, name: Option<&str>, map: &MapSources<'_>) -> Read {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
            return Read::Done(LocatedSource::NoFile(UnplacedReason::NoResource));
        };
        if name.len() > address::LONGEST {
            return Read::Done(LocatedSource::NoFile(UnplacedReason::NoResource));
        }
        // webpack's templates write a zero before each `#` of a path, as no `#` of a url has.
        let encoded = name.starts_with("file:").then(|| name.replace("\0#", "%23"));
        let name = encoded.as_deref().unwrap_or(name);
        if let Some(file) = self.configured(name, &map.map) {
            return Read::At(file);
        }
        let no_file = |why| Read::Done(LocatedSource::NoFile(why));
        match module::read(name) {
            Some(Named::Made(why)) => return no_file(why),
            Some(Named::Module(module)) => return Read::Module(Kind::Bundle, module),
            Some(Named::Elsewhere(path)) => return self.absolute(&path),
            None => {}
        }
        if known::is_development_client(name) {
            return no_file(UnplacedReason::Runtime);
        }
        if let Some(path) = name.strip_prefix("/@fs/") {
            return self.absolute(&if has_drive(path) { path.to_owned() } else { format!("/{path}") });
        }
        match address::scheme(name) {
            Some(("file", _)) => self.absolute(name),
            Some((scheme, _)) if address::is_served(scheme) => self.absolute(name),
            Some(_) => no_file(known::why(name).unwrap_or(UnplacedReason::NoResource)),
            None if has_drive(name) || name.starts_with(['/', '\\']) => self.absolute(name),
            None => match (map.url, module::module("", name)) {
                (Some(url), Named::Module(_)) => self.absolute(&address::join(url, name)),
                (None, Named::Module(module)) => Read::Module(Kind::Map, module),
                (_, Named::Made(why)) => no_file(why),
                (_, Named::Elsewhere(path)) => self.absolute(&path),
            },
        }
    }

    /// The file that the user's settings give a name, or a debug configuration, unless several differ.
    fn configured(&self, name: &str, map: &FilePath) -> Option<FilePath> {
        let plain = without_query(name);
        let folder = folder_of(map);
        let mut overridden: Vec<FilePath> = Vec::new();
        for overrides in &self.overrides {
            let Some(path) = overrides.apply(plain) else { continue };
            let is_absolute = has_drive(&path) || path.starts_with(['/', '\\']);
            let path = if is_absolute { path } else { format!("{folder}/{path}") };
            let file = self.here(&path).or_else(|| self.mapped(&path));
            overridden.extend(file.filter(|file| !overridden.contains(file)));
        }
        match &overridden[..] {
            [file] => Some(file.clone()),
            _ => self.mapped(name),
        }
    }

    fn mapped(&self, name: &str) -> Option<FilePath> {
        match self.settings.mappings.find(name, &address::read(name), self.files) {
            Mapped::File(file, _) => Some(file),
            Mapped::Missing(_) | Mapped::Unmapped => None,
        }
    }

    /// A file by its path on this disk.
    fn here(&self, path: &str) -> Option<FilePath> {
        let path = FilePath::new(path);
        self.files.resolve(&mapping::spelled_inside(path.as_str(), self.files.folders())?)
    }

    /// A path of some disk, or a url of a server.
    fn absolute(&self, name: &str) -> Read {
        let addresses = match address::read(name) {
            Resource::At(addresses) => addresses,
            Resource::Module(module) => return Read::Module(Kind::Bundle, module),
            Resource::Known(why) => return Read::Done(LocatedSource::Unplaced(why)),
            Resource::Relative(_) => {
                return Read::Done(LocatedSource::Unplaced(UnplacedReason::NotInWorkspace));
            }
        };
        let origin = addresses[0].text[..addresses[0].root].to_owned();
        let from_root = |address: &Address| FromRoot {
            climbs: 0,
            rest: address.path().trim_start_matches('/').to_owned(),
        };
        let paths = addresses.iter().filter(|address| !address.guessed).map(from_root);
        let paths: Vec<FromRoot> = paths.filter(|path| !path.rest.is_empty()).collect();
        let is_dependency = addresses.iter().any(Address::is_dependency);
        let elsewhere = match addresses[0].space {
            Space::Disk => {
                if let Some(file) = addresses.iter().find_map(|address| self.here(&address.text)) {
                    return Read::Here(file);
                }
                known::is_installed(addresses[0].path())
            }
            Space::Web { .. } => {
                if let Some(file) = in_served_folder(&addresses, self.files, self.settings) {
                    return Read::At(file);
                }
                known::is_package_host(&origin)
            }
        };
        if elsewhere || paths.is_empty() {
            let is_dependency = is_dependency && !self.settings.dependencies;
            let why = if is_dependency { UnplacedReason::Dependency } else { UnplacedReason::NotInWorkspace };
            return Read::Done(LocatedSource::Unplaced(why));
        }
        let kind = match addresses[0].space {
            Space::Disk => Kind::Disk,
            Space::Web { local } => Kind::Web { local },
        };
        Read::Module(kind, Module { build: origin, paths })
    }

    fn build<'m>(&self, members: &'m [Member], key: &Key, maps: &[MapSources<'_>]) -> Build<'m> {
        let mut outputs: Vec<FilePath> =
            members.iter().flat_map(|member| outputs_of(&maps[member.map].map)).collect();
        outputs.sort();
        outputs.dedup();
        Build {
            modules: members.iter().map(|member| (&member.module, member.text)).collect(),
            near: self.near(key),
            outputs,
            foreign: key.kind == Kind::Web { local: false },
            rootless: key.kind == Kind::GoneFromDisk,
        }
    }

    /// The folders around a map, also those above the workspace: a bundler's root may be one of them.
    fn near(&self, key: &Key) -> Vec<Near> {
        let first = if key.kind == Kind::Map { Near::SAID } else { Near::OUTPUT };
        let mut near = vec![Near { folder: key.folder.clone(), rank: first }];
        let mut folder = key.folder.as_str();
        while let Some((above, _)) = folder.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
            near.push(Near { folder: FilePath::new(above), rank: Near::AROUND + near.len() as u32 });
            folder = above;
        }
        for top in near_tops(self.files, self.settings) {
            if near.iter().all(|known| known.folder != top.folder) {
                near.push(top);
            }
        }
        near
    }

    fn outcome(&self, member: &Member, placed: Placed, texts: &Texts<'_>) -> LocatedSource {
        let is_dependency = member.module.is_dependency() && !self.settings.dependencies;
        let why = if is_dependency { UnplacedReason::Dependency } else { UnplacedReason::NotInWorkspace };
        match placed {
            Placed::At { file, said } => {
                let certainty = if said { Certainty::Exact } else { Certainty::Suffix };
                match self.files.resolve(&file) {
                    Some(file) => self.file(&file, certainty, || member.text, texts),
                    None => LocatedSource::Unplaced(why),
                }
            }
            Placed::Ambiguous => LocatedSource::Unplaced(UnplacedReason::Ambiguous),
            Placed::Nowhere => LocatedSource::Unplaced(why),
        }
    }

    fn file(
        &self,
        file: &FilePath,
        certainty: Certainty,
        text: impl FnOnce() -> Option<Digest>,
        texts: &Texts<'_>,
    ) -> LocatedSource {
        if !self.settings.dependencies && depends(file, self.files.folders()) {
            return LocatedSource::Unplaced(UnplacedReason::Dependency);
        }
        let content_matches = text().map(|text| texts.holds(file, text));
        LocatedSource::File { file: file.clone(), certainty, content_matches }
    }
}

fn folder_of(file: &FilePath) -> FilePath {
    FilePath::new(file.as_str().rsplit_once('/').map_or("/", |(folder, _)| folder))
}

/// The file that a map is of, which is none of its sources.
fn outputs_of(map: &FilePath) -> impl Iterator<Item = FilePath> {
    [Some(map.clone()), map.as_str().strip_suffix(".map").map(FilePath::new)].into_iter().flatten()
}

/// As the debugger cuts it: from the last `?` on, except behind `.vue`.
fn without_query(name: &str) -> &str {
    match name.rsplit_once('?') {
        Some((path, _)) if !path.ends_with(".vue") => path,
        _ => name,
    }
}

#[cfg(test)]
mod tests;
