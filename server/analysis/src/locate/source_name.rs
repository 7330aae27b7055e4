//! What the name of a source says by itself: a file that the settings give for it, a file on this disk, no file at all,
//! or a path from a folder that is yet to be found (`sources`).

use super::address::{self, Address, Resource, Space};
use super::folders::in_served_folder;
use super::known;
use super::locator::Locator;
use super::mapping::{self, Mapped};
use super::module::{self, Module, ModuleName, RootRelative};
use super::overrides::Overrides;
use crate::files::{FilePath, has_drive};
use crate::locate::unplaced::UnplacedReason;

/// What the names of a map are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameBase {
    /// The folder of the map.
    Map,
    /// The root of a bundler's build.
    Bundle,
    /// The disk of the machine that built the map.
    Disk,
    /// The disk of this machine, where the map was built, but from which the file is gone.
    GoneFromDisk,
    /// The root of a server; `local` if a developer runs it.
    Web { local: bool },
}

/// What a name says by itself.
pub(super) enum NameReading {
    /// It never was a file, or not one of the workspace.
    Unplaced(UnplacedReason),
    /// A file, given by the user's settings or a debug configuration.
    Configured(FilePath),
    /// A file, given by its path on this disk.
    OnThisDisk(FilePath),
    /// A path from a folder that is yet to be found.
    Module(NameBase, Module),
}

/// Reads names by the user's settings.
pub(super) struct NameReader<'a> {
    locator: Locator<'a>,
    overrides: Vec<Overrides>,
}

impl NameBase {
    /// Whether builds with the same name, whose maps lie in several folders, have one root.
    pub(super) fn means_one_root(self, build: &str) -> bool {
        match self {
            NameBase::Disk | NameBase::Web { .. } => true,
            NameBase::Bundle => !build.ends_with("://"),
            NameBase::Map | NameBase::GoneFromDisk => false,
        }
    }
}

impl<'a> NameReader<'a> {
    pub(super) fn new(locator: Locator<'a>) -> Self {
        let overrides = locator.settings.overrides.iter().map(|pairs| Overrides::new(pairs)).collect();
        Self { locator, overrides }
    }

    /// Reads a name of a map.
    pub(super) fn read(&self, name: Option<&str>, map: &FilePath, url: Option<&str>) -> NameReading {
        let lengths = 1..=address::MAX_RESOURCE_LENGTH;
        let Some(name) = name.map(str::trim).filter(|name| lengths.contains(&name.len())) else {
            return NameReading::Unplaced(UnplacedReason::NoResource);
        };
        // webpack writes a NUL before each `#` that belongs to a path, to tell it from the `#` of a url.
        let encoded = name.starts_with("file:").then(|| name.replace("\0#", "%23"));
        let name = encoded.as_deref().unwrap_or(name);
        if let Some(file) = self.configured(name, map) {
            return NameReading::Configured(file);
        }
        match module::read(name) {
            Some(ModuleName::NoFile(reason)) => return NameReading::Unplaced(reason),
            Some(ModuleName::Module(module)) => return NameReading::Module(NameBase::Bundle, module),
            Some(ModuleName::Absolute(path)) => return self.absolute(&path),
            None => {}
        }
        if known::is_development_client(name) {
            return NameReading::Unplaced(UnplacedReason::Runtime);
        }
        if let Some(path) = name.strip_prefix("/@fs/") {
            return self.absolute(&if has_drive(path) { path.to_owned() } else { format!("/{path}") });
        }
        match address::scheme(name) {
            Some(("file", _)) => self.absolute(name),
            Some((scheme, _)) if address::is_served(scheme) => self.absolute(name),
            Some(_) => {
                NameReading::Unplaced(known::unplaced_reason(name).unwrap_or(UnplacedReason::NoResource))
            }
            None if has_drive(name) || name.starts_with(['/', '\\']) => self.absolute(name),
            None => match (url, module::from_path("", name)) {
                (Some(url), ModuleName::Module(_)) => self.absolute(&address::join(url, name)),
                (None, ModuleName::Module(module)) => NameReading::Module(NameBase::Map, module),
                (_, ModuleName::NoFile(reason)) => NameReading::Unplaced(reason),
                (_, ModuleName::Absolute(path)) => self.absolute(&path),
            },
        }
    }

    /// The file that the settings give for a name: by debug configurations, unless they disagree, or else by path mappings.
    fn configured(&self, name: &str, map: &FilePath) -> Option<FilePath> {
        let plain = without_query(name);
        let folder = FilePath::new(map.folder());
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

    /// The file that path mappings give for a name.
    fn mapped(&self, name: &str) -> Option<FilePath> {
        match self.locator.settings.mappings.find(name, &address::read(name), self.locator.files) {
            Mapped::File(file, _) => Some(file),
            Mapped::Missing(_) | Mapped::Unmapped => None,
        }
    }

    /// The file at a path, if it lies in the workspace.
    fn here(&self, path: &str) -> Option<FilePath> {
        let path = FilePath::new(path);
        let files = self.locator.files;
        files.resolve(&mapping::spelled_reachable(path.as_str(), files.folders())?)
    }

    /// Reads a path of some disk, or a url of a server.
    fn absolute(&self, name: &str) -> NameReading {
        let addresses = match address::read(name) {
            Resource::Absolute(addresses) => addresses,
            Resource::Module(module) => return NameReading::Module(NameBase::Bundle, module),
            Resource::Unplaced(reason) => return NameReading::Unplaced(reason),
            Resource::Relative(_) => return NameReading::Unplaced(UnplacedReason::NotInWorkspace),
        };
        let origin = addresses[0].text[..addresses[0].root].to_owned();
        let paths = addresses.iter().filter(|address| !address.guessed).map(|address| RootRelative {
            levels_up: 0,
            rest: address.path().trim_start_matches('/').to_owned(),
        });
        let paths: Vec<RootRelative> = paths.filter(|path| !path.rest.is_empty()).collect();
        let is_dependency = addresses.iter().any(Address::is_dependency);
        let is_elsewhere = match addresses[0].space {
            Space::Disk => {
                if let Some(file) = addresses.iter().find_map(|address| self.here(&address.text)) {
                    return NameReading::OnThisDisk(file);
                }
                known::is_installed(addresses[0].path())
            }
            Space::Extension => false,
            Space::Web { .. } => {
                if let Some(file) = in_served_folder(&addresses, self.locator) {
                    return NameReading::Configured(file);
                }
                known::is_package_host(&origin)
            }
        };
        if is_elsewhere || paths.is_empty() {
            return NameReading::Unplaced(self.locator.reason_without_file(is_dependency));
        }
        let base = match addresses[0].space {
            Space::Disk => NameBase::Disk,
            Space::Extension => NameBase::Web { local: true },
            Space::Web { local } => NameBase::Web { local },
        };
        NameReading::Module(base, Module { build: origin, paths })
    }
}

/// A name without its query, cut as VS Code's debugger does: from the last `?` on, except after `.vue`.
fn without_query(name: &str) -> &str {
    match name.rsplit_once('?') {
        Some((path, _)) if !path.ends_with(".vue") => path,
        _ => name,
    }
}
