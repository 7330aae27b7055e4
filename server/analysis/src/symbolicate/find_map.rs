//! Finds the source map of a generated file: the one that its last comments name, or one where maps usually are.
//!
//! Only files are read: for a map on a server, the file that the server would send is looked for. A map that the
//! generated file does not name must prove that it belongs to the file by its name, its `file` or its debug id.

use std::cell::OnceCell;

use source::built::is_built;
use source::map::{DataUrlError, SourceMap, data_url, debug_id, source_mapping_url};
use source::text::text_of;

use super::decisions::{MapDecision, MapPlace, Refusal};
use crate::files::{FilePath, Files, has_drive, normal_path};
use crate::locate::address::{self, Resource};
use crate::locate::mapping::{self, Mapped};
use crate::locate::module::{self, ModuleName};
use crate::locate::{LocateSettings, Located, known, locate};
use crate::package::Package;
use crate::rules::Rule;

/// At most this many maps without a generated file next to them are opened in search of one.
const MAX_OPENED: usize = 64;
/// The search ends once this many bytes were read.
const MAX_OPENED_BYTES: usize = 256 << 20;

/// What the user said about maps.
#[derive(Clone, Copy)]
pub(crate) struct MapSettings<'a> {
    /// Whether a map may be read (`sourceMaps.locations`). For an inline map this is called with the generated file.
    pub(crate) allowed: &'a (dyn Fn(&FilePath) -> bool + Sync),
    /// Where to look: path mappings also lead to maps.
    pub(crate) locate: &'a LocateSettings,
}

/// The maps of the workspace without a generated file next to them. They are listed once for all files of a trace, when
/// one is first looked for.
pub(crate) struct LooseMaps<'a> {
    files: &'a dyn Files,
    listed: OnceCell<Vec<FilePath>>,
}

impl<'a> LooseMaps<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self { files, listed: OnceCell::new() }
    }

    fn list(&self) -> &[FilePath] {
        self.listed.get_or_init(|| {
            let list = self.files.list();
            let loose = list.iter().filter(|file| match file.as_str().strip_suffix(".map") {
                Some(generated) => self.files.resolve(&FilePath::new(generated)).is_none(),
                None => false,
            });
            loose.cloned().collect()
        })
    }
}

/// A map that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MapText {
    /// Where the map was found.
    pub(crate) at: MapPlace,
    /// The map's text, without a byte order mark, which may be broken.
    pub(crate) text: String,
    /// Whether the map belongs to another build, since the debug ids differ.
    pub(crate) stale: bool,
}

/// Finds the map of a file by the file's text. A file that names no map still has one if a map lies next to it.
///
/// # Errors
/// Why there is none.
pub(crate) fn find_map(
    generated: &FilePath,
    text: &str,
    loose: &LooseMaps<'_>,
    settings: &MapSettings<'_>,
) -> Result<MapText, MapDecision> {
    let id = debug_id(text);
    let reference = source_mapping_url(text);
    let files = loose.files;
    let mut search = MapSearch { generated, id: id.as_deref(), files, settings, refused: None };
    if let Some(chosen) = settings.locate.maps.get(generated) {
        return search.chosen(chosen);
    }
    if let Some(inline) = reference.and_then(data_url) {
        return search.inline(inline);
    }
    let beside = FilePath::new(&format!("{generated}.map"));
    let wanted = reference.map(|url| search.wanted(url));
    let rules = settings.locate.rules;
    let named = reference.filter(|_| rules.has(Rule::NamedMap)).and_then(|url| search.named(url));
    let found = named.or_else(|| rules.has(Rule::MapBeside).then(|| search.open(&beside))?);
    // Only maps that belong to the file are reported as refused, not those that `map_elsewhere` also tries.
    let refused = search.refused.clone();
    let found =
        found.or_else(|| rules.has(Rule::MapElsewhere).then(|| search.map_elsewhere(reference, loose))?);
    found.ok_or_else(|| match (refused, wanted) {
        (Some((at, refusal)), _) => MapDecision::Refused { wanted: at.to_string(), refusal },
        (None, Some((wanted, true))) => MapDecision::Refused { wanted, refusal: Refusal::Outside },
        (None, Some((wanted, false))) => MapDecision::Missing { wanted },
        _ if id.is_some() || search.is_built(text) => MapDecision::Missing { wanted: beside.to_string() },
        _ => MapDecision::NotGenerated,
    })
}

/// The map of a text that only the trace holds: an inline map.
///
/// # Errors
/// Why there is none.
pub(crate) fn find_map_in_trace(text: &str) -> Result<MapText, MapDecision> {
    match source_mapping_url(text).and_then(data_url) {
        Some(Ok(text)) => Ok(MapText { at: MapPlace::Trace, text, stale: false }),
        Some(Err(error)) => {
            Err(MapDecision::Refused { wanted: String::new(), refusal: Refusal::Inline(error) })
        }
        None => Err(MapDecision::NotGenerated),
    }
}

/// The search for the map of one file.
struct MapSearch<'a> {
    generated: &'a FilePath,
    /// The debug id of the generated file.
    id: Option<&'a str>,
    files: &'a dyn Files,
    settings: &'a MapSettings<'a>,
    /// The first map that exists but was not read.
    refused: Option<(FilePath, Refusal)>,
}

impl MapSearch<'_> {
    /// Whether a tool built the file. A loader may have built the text that ran from a file that somebody wrote; and what dependencies are
    /// made of is not for their users to build.
    fn is_built(&self, ran: &str) -> bool {
        Package::of(self.generated.as_str()).is_none()
            && is_built(ran)
            && self.files.read(self.generated).is_some_and(|file| is_built(&text_of(&file)))
    }

    /// The map in the text of the file.
    fn inline(&self, decoded: Result<String, DataUrlError>) -> Result<MapText, MapDecision> {
        let is_allowed = (self.settings.allowed)(self.generated);
        let decoded = if is_allowed { decoded.map_err(Refusal::Inline) } else { Err(Refusal::NotAllowed) };
        let text = decoded
            .map_err(|refusal| MapDecision::Refused { wanted: self.generated.to_string(), refusal })?;
        Ok(MapText { at: MapPlace::Inline, stale: self.is_stale(&text), text })
    }

    /// The map that the user chose for the file.
    fn chosen(&mut self, map: &FilePath) -> Result<MapText, MapDecision> {
        let wanted = map.to_string();
        if mapping::spelled_reachable(map.as_str(), self.files.folders()).is_none() {
            return Err(MapDecision::Refused { wanted, refusal: Refusal::Outside });
        }
        self.open(map).ok_or_else(|| match self.refused.take() {
            Some((_, refusal)) => MapDecision::Refused { wanted, refusal },
            None => MapDecision::Missing { wanted },
        })
    }

    /// The path or url of a map as shown to users, and whether it is a path outside of the workspace.
    fn wanted(&self, url: &str) -> (String, bool) {
        match self.relative(url).into_iter().next() {
            Some(path) => {
                let is_outside = mapping::spelled_reachable(&path, self.files.folders()).is_none();
                (path, is_outside)
            }
            None => {
                let is_file = url.starts_with("file:") || has_drive(url) || url.starts_with('\\');
                (url.to_owned(), is_file)
            }
        }
    }

    /// The possible readings of a relative url, resolved against the generated file.
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
    fn named(&mut self, url: &str) -> Option<MapText> {
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
            // The root of the server, or of the machine that built the file, is probably a folder around the file.
            let mut around = self.generated.folder();
            while !around.is_empty() {
                for it in &addresses {
                    if let Some(found) = self.open(&FilePath::new(&format!("{around}{}", it.path()))) {
                        return Some(found);
                    }
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

    /// A map that the file does not name but that proves to belong to it: one in its folder or below, or the only map with its name.
    fn map_elsewhere(&mut self, reference: Option<&str>, loose: &LooseMaps<'_>) -> Option<MapText> {
        let folder = FilePath::new(self.generated.folder());
        let own = FilePath::new(&format!("{}.map", self.generated));
        let listed = self.files.list().binary_search(&own).is_ok().then_some(&own);
        let maps = || listed.into_iter().chain(loose.list());
        let mut opened = 0;
        for map in maps().filter(|it| it.relative_to(&folder).is_some()).take(MAX_OPENED) {
            let Some(found) = self.open(map) else { continue };
            opened += found.text.len();
            if self.is_proven(&found.text) {
                return Some(MapText { stale: false, ..found });
            }
            if opened > MAX_OPENED_BYTES {
                break;
            }
        }
        let named = reference.map(|url| url.split(['?', '#']).next().unwrap_or(url));
        let named = named.and_then(|url| url.rsplit('/').next()).unwrap_or(own.name());
        let mut same_name = maps().filter(|it| it.name() == own.name() || it.name() == named);
        let (map, None) = (same_name.next()?, same_name.next()) else { return None };
        let is_rare = !known::is_common_name(self.generated.name());
        self.open(map).filter(|found| is_rare || self.is_proven(&found.text))
    }

    /// Whether a map belongs to another file that it lies next to.
    fn is_of_another(&self, map: &FilePath) -> bool {
        let generated = map.as_str().strip_suffix(".map").map(FilePath::new);
        generated.is_some_and(|it| it != *self.generated && self.files.resolve(&it).is_some())
    }

    /// Whether a map names this file, by its debug id or else by its `file`. A different `file` does not disprove it:
    /// webpack renames files after it has written their maps.
    fn is_proven(&self, text: &str) -> bool {
        let Ok(map) = SourceMap::parse(text) else { return false };
        match (self.id, &map.debug_id) {
            (Some(own), Some(id)) => own == id,
            _ => map.file.is_some_and(|file| file.rsplit(['/', '\\']).next() == Some(self.generated.name())),
        }
    }

    /// Whether a map belongs to another build of the file: both have debug ids, and they differ.
    fn is_stale(&self, text: &str) -> bool {
        self.id.is_some_and(|own| {
            SourceMap::parse(text).is_ok_and(|map| map.debug_id.is_some_and(|id| id != own))
        })
    }

    /// Opens the map in a file. Returns `None` if there is none, or if it is refused, which is recorded.
    fn open(&mut self, file: &FilePath) -> Option<MapText> {
        let inside = mapping::spelled_reachable(&normal_path(file.as_str()), self.files.folders())?;
        let file = self.files.resolve(&inside).filter(|it| it != self.generated)?;
        let text = if (self.settings.allowed)(&file) {
            self.files.read(&file).map(|it| text_of(&it)).ok_or(Refusal::Unreadable)
        } else {
            Err(Refusal::NotAllowed)
        };
        match text {
            Ok(text) => Some(MapText { stale: self.is_stale(&text), at: MapPlace::File(file), text }),
            Err(refusal) => {
                self.refused.get_or_insert((file, refusal));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
