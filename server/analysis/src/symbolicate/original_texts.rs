//! Reads the texts of the sources of a map, and checks whether the map was made from them.
//!
//! A map that does not hold the texts of its sources belongs to the files as they were when it was made. Today's files
//! are used unless their history knows better, but a function is where the map says only if the words around it are there
//! as well (`mapped_words`). In a text that was edited since, the function is where these words are now, so many lines up
//! or down; failing that, it is the only definition with its name; failing that, it is not found.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use source::definition::DefinitionId;
use source::map::{FunctionOrigin, Outlined, Placing, ReportedFunction, origins_of};
use source::text::text_of;
use text_size::TextRange;

use super::by_name::unique_by_name;
use super::mapped_text::{MapOf, MappedText};
use super::mapped_words::surroundings;
use super::source_text::SourceText;
use crate::bars;
use crate::files::{FilePath, Files};
use crate::locate::LocatedSource;
use crate::locate::text::Digest;

/// The texts of a map's sources, read when first asked for. Only sources in the workspace have one.
pub(super) struct OriginalTexts<'a> {
    of: &'a MappedText<'a>,
    files: &'a dyn Files,
    /// If known, files are read as they were at that time.
    recorded: Option<SystemTime>,
    read: Vec<OnceCell<Option<Arc<SourceText>>>>,
}

/// Where a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfirmedOrigin {
    /// As the map says.
    AsMapped(FunctionOrigin),
    /// The map was made from another version of this text, in which the definition and what is around it are on other lines.
    Moved(Placing),
    /// The map was made from another version of this text, and the definition is the only one with its name in it.
    Name(Placing),
    /// The map was made from another version of the text.
    OtherText,
}

impl ConfirmedOrigin {
    /// The definition that it was written as, if it is where the map says.
    pub(super) fn as_mapped(self) -> Option<Placing> {
        if let Self::AsMapped(origin) = self { origin.definition() } else { None }
    }
}

impl<'a> OriginalTexts<'a> {
    pub(super) fn new(of: &'a MappedText<'a>, files: &'a dyn Files, recorded: Option<SystemTime>) -> Self {
        Self { of, files, recorded, read: vec![OnceCell::new(); of.sources.len()] }
    }

    pub(super) fn get(&self, source: u32) -> Option<&Arc<SourceText>> {
        if let Some(moved) = self.of.moved.get(&source) {
            return Some(&moved.text);
        }
        let Some(LocatedSource::File { file, in_map, .. }) = &self.of.sources[source as usize] else {
            return None;
        };
        let text = self.read[source as usize].get_or_init(|| match in_map {
            Some(digest) => self.shipped(source, file, *digest),
            None => self.committed(source, file).or_else(|| SourceText::read(file, self.files).ok()),
        });
        text.as_ref()
    }

    /// The text that the map holds for a source; the text of the file, if at most line ends differ.
    fn shipped(&self, source: u32, file: &FilePath, digest: Digest) -> Option<Arc<SourceText>> {
        let today = self.files.read(file).map(|bytes| text_of(&bytes));
        match today.filter(|text| Digest::of(text) == digest) {
            Some(text) => SourceText::of(file, text).ok(),
            None => SourceText::in_map(file, self.of.map.content(source)?.into_owned()),
        }
    }

    /// Whether any file whose text is not in the map was different when the trace was recorded.
    pub(super) fn differ(&self) -> bool {
        (0..).zip(&self.of.sources).any(|(source, located)| match located {
            Some(LocatedSource::File { file, in_map: None, .. }) => self.committed(source, file).is_some(),
            _ => false,
        })
    }

    /// The text of a source when the trace was recorded, if it differs from today's. For a file that was moved since,
    /// this is under the path that the map gives.
    fn committed(&self, source: u32, file: &FilePath) -> Option<Arc<SourceText>> {
        let was = self
            .of
            .path_of(source, self.files)
            .filter(|named| named != file && self.files.read(named).is_none());
        let committed = was.and_then(|was| SourceText::committed(self.recorded, &was, self.files));
        committed.or_else(|| SourceText::when(self.recorded, file, self.files))
    }

    /// Where functions come from, as far as the words of the texts confirm the map.
    pub(super) fn confirmed(
        &self,
        generated: Outlined<'_>,
        functions: &[ReportedFunction],
        origins: &[FunctionOrigin],
    ) -> Vec<ConfirmedOrigin> {
        let mut asked = Vec::new();
        for (index, origin) in origins.iter().enumerate() {
            let Some(placing) = origin.definition() else { continue };
            // The code outside of functions exists in every version.
            let is_top_level = functions[index].definition == DefinitionId(0);
            if !is_top_level && (self.of.map_of != MapOf::Ran || self.is_today_or_committed(placing.source)) {
                asked.push((index, placing));
            }
        }
        let range = |index: usize| generated.outline.get(functions[index].definition).range;
        let ranges: Vec<(TextRange, u32)> =
            asked.iter().map(|&(index, placing)| (range(index), placing.source)).collect();
        let mut confirmed: Vec<ConfirmedOrigin> =
            origins.iter().map(|origin| ConfirmedOrigin::AsMapped(*origin)).collect();
        let mut moved: BTreeMap<(u32, i32), Vec<usize>> = BTreeMap::new();
        let surroundings = surroundings(&self.of.map, generated, &ranges);
        for ((index, placing), around) in asked.into_iter().zip(surroundings) {
            let Some(text) = self.get(placing.source) else { continue };
            let name = &generated.outline.get(functions[index].definition).name;
            let is_confirmed = match self.of.map_of {
                MapOf::Ran => around.agrees(text.outlined()),
                MapOf::PerhapsOfFile => around.fits_generated() && around.agrees(text.outlined()),
                // Functions with the same words may stand one after the other.
                MapOf::PerhapsRan => {
                    around.agrees(text.outlined()) && !is_of_another(name, placing.definition, text)
                }
                MapOf::Another => {
                    around.proves(text.outlined()) && *name == text.outline.get(placing.definition).name
                }
            };
            if is_confirmed {
                continue;
            }
            confirmed[index] = self.by_name(generated, functions, origins, (index, placing));
            let is_of_another_text = matches!(self.of.map_of, MapOf::Another | MapOf::PerhapsOfFile);
            if is_of_another_text || !self.is_today_or_committed(placing.source) {
                continue;
            }
            if let Some(by) = around.moved_by(text.outlined()) {
                moved.entry((placing.source, by)).or_default().push(index);
            }
        }
        for ((source, by), indices) in moved {
            let Some(text) = self.get(source) else { continue };
            let lines = text.outlined().lines.counted_from(by);
            let text = Outlined { lines: &lines, ..text.outlined() };
            let functions: Vec<ReportedFunction> = indices.iter().map(|&index| functions[index]).collect();
            let found =
                origins_of(&self.of.map, generated, &functions, |other| (other == source).then_some(text));
            for (index, origin) in indices.into_iter().zip(found) {
                if let FunctionOrigin::Definition(placing) = origin
                    && placing.definition != DefinitionId(0)
                {
                    confirmed[index] = ConfirmedOrigin::Moved(placing);
                }
            }
        }
        confirmed
    }

    /// The only definition with the name of a function in a text that the map was not made from, if no other function
    /// with this name may come from there.
    fn by_name(
        &self,
        generated: Outlined<'_>,
        functions: &[ReportedFunction],
        origins: &[FunctionOrigin],
        (index, placing): (usize, Placing),
    ) -> ConfirmedOrigin {
        let name = |index: usize| generated.outline.get(functions[index].definition).name.as_str();
        let is_rival = |(other, origin): (usize, &FunctionOrigin)| {
            let is_of_source = origin.definition().is_some_and(|it| it.source == placing.source);
            other != index && is_of_source && name(other) == name(index)
        };
        if name(index).len() < bars::UNMINIFIED_NAME || origins.iter().enumerate().any(is_rival) {
            return ConfirmedOrigin::OtherText;
        }
        let found = self.get(placing.source).and_then(|text| unique_by_name(&text.outline, name(index)));
        found.map_or(ConfirmedOrigin::OtherText, |definition| {
            ConfirmedOrigin::Name(Placing { definition, ..placing })
        })
    }

    /// Whether the text is that of the file, and nothing says that the map was made from it.
    fn is_today_or_committed(&self, source: u32) -> bool {
        !self.of.moved.contains_key(&source)
            && matches!(self.of.sources[source as usize], Some(LocatedSource::File { in_map: None, .. }))
    }
}

/// Whether a text has a function of this name elsewhere than at a definition of another name.
fn is_of_another(name: &str, definition: DefinitionId, text: &SourceText) -> bool {
    let placed = text.outline.get(definition);
    let is_top_level = definition == DefinitionId(0);
    // The code of a component is in a function that a compiler has named.
    if name.len() < bars::UNMINIFIED_NAME
        || placed.name == name
        || (is_top_level && text.outline.scripts.is_some())
    {
        return false;
    }
    unique_by_name(&text.outline, name).is_some_and(|named| {
        let named = text.outline.get(named).range;
        is_top_level || !(placed.range.contains_range(named) || named.contains_range(placed.range))
    })
}
