//! Which source map a generated file has: what its last comments name, or what lies where maps usually lie.
//!
//! Files only: a map on a server is looked for as the file that the server would send. A map that is not said to be
//! the file's must prove it, by its name, its `file` or its debug id.

use std::fmt;

use source::map::{DataUrlError, SourceMap, data_url, debug_id, source_mapping_url};

use crate::files::{has_drive, normal_path};
use crate::locate::address::{self, Resource};
use crate::locate::mapping::{self, Mapped};
use crate::locate::module::{self, ModuleName};
use crate::locate::{LocateSettings, Located, known, locate};
use crate::{FilePath, Files};

/// So many maps without a generated file beside them are opened in search of one, up to so many bytes in all.
const MOST_OPENED: usize = 64;
const MOST_OPENED_BYTES: usize = 256 << 20;

/// What the user said about maps.
#[derive(Clone, Copy)]
pub struct MapSettings<'a> {
    /// Whether a map may be read (`sourceMaps.locations`); of an inline map, the generated file is asked about.
    pub allowed: &'a dyn Fn(&FilePath) -> bool,
    /// A path mapping also says where a map is.
    pub locate: &'a LocateSettings,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapFound {
    /// Nothing says that the file was generated.
    NotGenerated,
    /// It was generated, but its map is not there.
    Missing {
        /// The path or url at which it ought to be.
        wanted: String,
    },
    /// There may be a map, but it must not or cannot be read.
    Refused {
        /// The path or url of the map; of an inline map, the generated file.
        wanted: String,
        /// Why not.
        why: Refusal,
    },
    /// The map's text, which may be broken.
    Text {
        /// Where it was.
        at: MapPlace,
        /// Without a byte order mark.
        text: String,
        /// Whether the map is of another build, as their debug ids differ.
        stale: bool,
    },
}

/// Where a map is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// A file, as [`Files::resolve`] gives it.
    File(FilePath),
    /// The generated file itself.
    Inline,
    /// The trace, which holds the map of the very text that ran.
    Trace,
}

/// Why a map is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It lies outside of the workspace folders.
    Outside,
    /// `sourceMaps.locations` leaves it out.
    NotAllowed,
    /// It is too large, or it cannot be opened.
    Unreadable,
    /// It is inline, and broken.
    Inline(DataUrlError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("the source map lies outside of the workspace folders"),
            Self::NotAllowed => {
                f.write_str("the setting proflens.sourceMaps.locations leaves the source map out")
            }
            Self::Unreadable => f.write_str("the source map cannot be opened, or it is too large"),
            Self::Inline(error) => error.fmt(f),
        }
    }
}

/// Finds the map of a generated file by its text. A file that names none has one if a map lies beside it.
pub fn map_of(generated: &FilePath, text: &str, files: &dyn Files, settings: &MapSettings<'_>) -> MapFound {
    let id = debug_id(text);
    let reference = source_mapping_url(text);
    let mut search = Search { generated, id: id.as_deref(), files, settings, refused: None };
    if let Some(chosen) = settings.locate.maps.get(generated) {
        return search.chosen(chosen);
    }
    if let Some(inline) = reference.and_then(data_url) {
        return search.inline(inline);
    }
    let beside = FilePath::new(&format!("{generated}.map"));
    let wanted = reference.map(|url| search.wanted(url));
    let found = reference.and_then(|url| search.named(url)).or_else(|| search.open(&beside));
    // Maps that only might be the file's are not what is refused.
    let refused = search.refused.clone();
    if let Some(found) = found.or_else(|| search.kin(reference)) {
        return found;
    }
    if let Some((at, why)) = refused {
        return MapFound::Refused { wanted: at.to_string(), why };
    }
    match wanted {
        Some((wanted, true)) => MapFound::Refused { wanted, why: Refusal::Outside },
        Some((wanted, false)) => MapFound::Missing { wanted },
        None if id.is_some() => MapFound::Missing { wanted: beside.to_string() },
        None => MapFound::NotGenerated,
    }
}

/// The map in a text that only the trace holds.
pub(crate) fn map_within(text: &str) -> MapFound {
    match source_mapping_url(text).and_then(data_url) {
        Some(Ok(text)) => MapFound::Text { at: MapPlace::Trace, text, stale: false },
        Some(Err(error)) => MapFound::Refused { wanted: String::new(), why: Refusal::Inline(error) },
        None => MapFound::NotGenerated,
    }
}

struct Search<'a> {
    generated: &'a FilePath,
    /// The generated file's debug id.
    id: Option<&'a str>,
    files: &'a dyn Files,
    settings: &'a MapSettings<'a>,
    /// The first map that was there and was not read.
    refused: Option<(FilePath, Refusal)>,
}

impl Search<'_> {
    fn inline(&self, decoded: Result<String, DataUrlError>) -> MapFound {
        let wanted = self.generated.to_string();
        if !(self.settings.allowed)(self.generated) {
            return MapFound::Refused { wanted, why: Refusal::NotAllowed };
        }
        match decoded {
            Ok(text) => MapFound::Text { at: MapPlace::Inline, stale: self.is_stale(&text), text },
            Err(error) => MapFound::Refused { wanted, why: Refusal::Inline(error) },
        }
    }

    /// The map that the user gave to the file.
    fn chosen(&mut self, map: &FilePath) -> MapFound {
        let wanted = map.to_string();
        if mapping::spelled_inside(map.as_str(), self.files.folders()).is_none() {
            return MapFound::Refused { wanted, why: Refusal::Outside };
        }
        let found = self.open(map);
        let refused = self.refused.take();
        found.unwrap_or(match refused {
            Some((_, why)) => MapFound::Refused { wanted, why },
            None => MapFound::Missing { wanted },
        })
    }

    /// What a url means, for people, and whether it is a path outside of the workspace.
    fn wanted(&self, url: &str) -> (String, bool) {
        let is_inside = |path: &str| mapping::spelled_inside(path, self.files.folders()).is_some();
        match self.relative(url).into_iter().next() {
            Some(path) => {
                let is_outside = !is_inside(&path);
                (path, is_outside)
            }
            None => {
                let is_file = url.starts_with("file:") || has_drive(url) || url.starts_with('\\');
                (url.to_owned(), is_file)
            }
        }
    }

    /// The readings of a url that counts from the generated file.
    fn relative(&self, url: &str) -> Vec<String> {
        let is_absolute = address::scheme(url).is_some() || has_drive(url) || url.starts_with(['/', '\\']);
        let path = url.split(['?', '#']).next().unwrap_or(url);
        let folder = self.generated.folder();
        match module::from_path("", path) {
            ModuleName::Module(module) if !is_absolute => {
                module.paths.iter().map(|it| it.below(folder)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The map that the text names.
    fn named(&mut self, url: &str) -> Option<MapFound> {
        let relative = self.relative(url);
        let url_of = relative.first().map_or(url, |path| path);
        let resource = address::read(url_of);
        if let Mapped::File(file, _) = self.settings.locate.mappings.find(url_of, &resource, self.files) {
            return self.open(&file);
        }
        if let Some(found) = relative.iter().find_map(|path| self.open(&FilePath::new(path))) {
            return Some(found);
        }
        let Resource::Absolute(addresses) = resource else { return None };
        if relative.is_empty() {
            if let Some(found) = addresses.iter().find_map(|it| self.open(&FilePath::new(&it.text))) {
                return Some(found);
            }
            // The server's root, or that of the machine which built it, is likely a folder around the file.
            let mut around = self.generated.folder();
            while !around.is_empty() {
                let path = |it: &address::Address| FilePath::new(&format!("{around}{}", it.path()));
                if let Some(found) = addresses.iter().map(path).find_map(|it| self.open(&it)) {
                    return Some(found);
                }
                around = around.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        let name = addresses[0].path().rsplit('/').next().unwrap_or_default();
        let beside = FilePath::new(&format!("{}/{name}", self.generated.folder()));
        self.open(&beside).or_else(|| match &locate(&[url_of], self.files, self.settings.locate)[..] {
            [Located::File { file, .. }] if !self.is_of_another(file) => self.open(&file.clone()),
            _ => None,
        })
    }

    /// A map that proves to be the file's: in its folder or below, or of its name anywhere.
    fn kin(&mut self, reference: Option<&str>) -> Option<MapFound> {
        let list = self.files.list();
        let folder = FilePath::new(self.generated.folder());
        let maps = list.iter().filter(|it| it.as_str().ends_with(".map") && !self.is_of_another(it));
        let maps: Vec<&FilePath> = maps.collect();
        let in_folder = maps.iter().filter(|it| it.relative_to(&folder).is_some());
        let mut opened = 0;
        for map in in_folder.take(MOST_OPENED) {
            let Some(MapFound::Text { at, text, .. }) = self.open(map) else { continue };
            opened += text.len();
            if self.is_proven(&text) {
                return Some(MapFound::Text { at, text, stale: false });
            }
            if opened > MOST_OPENED_BYTES {
                break;
            }
        }
        let own = format!("{}.map", self.generated.name());
        let named = reference.map(|url| url.split(['?', '#']).next().unwrap_or(url));
        let named = named.and_then(|url| url.rsplit('/').next()).unwrap_or(&own);
        let mut same_name = maps.iter().filter(|it| it.name() == own || it.name() == named);
        let (map, None) = (same_name.next()?, same_name.next()) else { return None };
        let is_rare = !known::is_common_name(self.generated.name());
        match self.open(map)? {
            MapFound::Text { at, text, stale } if is_rare || self.is_proven(&text) => {
                Some(MapFound::Text { at, text, stale })
            }
            _ => None,
        }
    }

    /// Whether a map lies beside another file that it is the map of.
    fn is_of_another(&self, map: &FilePath) -> bool {
        let generated = map.as_str().strip_suffix(".map").map(FilePath::new);
        generated.is_some_and(|it| it != *self.generated && self.files.resolve(&it).is_some())
    }

    /// Whether a map says itself that it is this file's. Its `file` alone can say no: webpack renames files after
    /// their maps were made.
    fn is_proven(&self, text: &str) -> bool {
        let Ok(map) = SourceMap::parse(text) else { return false };
        match (self.id, &map.debug_id) {
            (Some(own), Some(id)) => own == id,
            _ => map.file.is_some_and(|file| file.rsplit(['/', '\\']).next() == Some(self.generated.name())),
        }
    }

    fn is_stale(&self, text: &str) -> bool {
        self.id.is_some_and(|own| {
            SourceMap::parse(text).is_ok_and(|map| map.debug_id.is_some_and(|id| id != own))
        })
    }

    /// The map in a file; `None` where there is none, or where it is not read, which is noted.
    fn open(&mut self, file: &FilePath) -> Option<MapFound> {
        let inside = mapping::spelled_inside(&normal_path(file.as_str()), self.files.folders())?;
        let file = self.files.resolve(&inside).filter(|it| it != self.generated)?;
        let read = || Some(source::text_of(&self.files.read(&file)?));
        let text = if (self.settings.allowed)(&file) {
            read().ok_or(Refusal::Unreadable)
        } else {
            Err(Refusal::NotAllowed)
        };
        match text {
            Ok(text) => Some(MapFound::Text { stale: self.is_stale(&text), at: MapPlace::File(file), text }),
            Err(why) => {
                self.refused.get_or_insert((file, why));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
