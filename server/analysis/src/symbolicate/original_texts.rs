//! The texts of the sources of a map, and whether the map was made from them.
//!
//! A map that does not hold the texts of its sources belongs to the files as they were when it was made. Those of today are taken as
//! they are, unless the history of the files knows better; but a function is only where its map says if the words around it are there
//! as well (`mapped_words`). In a text that was edited since, it is the only definition of its name, or nothing.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::map::{FunctionOrigin, Outlined, Placing, ReportedFunction, SourceMap};

use super::by_name::unique_by_name;
use super::mapped_words::{MappedStart, words_agree};
use super::moved_sources::MovedSources;
use super::source_text::SourceText;
use crate::bars;
use crate::files::{FilePath, Files};
use crate::locate::LocatedSource;

/// The texts of a map's sources, read when first asked for. Only sources in the workspace have one.
pub(super) struct OriginalTexts<'a> {
    /// The map, and where its sources are.
    pub(super) map: &'a SourceMap<'a>,
    pub(super) sources: &'a [Option<LocatedSource>],
    pub(super) moved: &'a MovedSources,
    /// The path in the workspace that the map gives for a source, which may be that of another file or of none.
    pub(super) named: &'a dyn Fn(u32) -> Option<FilePath>,
    pub(super) files: &'a dyn Files,
    /// If it is known, files are read as they were at that time.
    pub(super) recorded: Option<SystemTime>,
    pub(super) read: Vec<OnceCell<Option<Arc<SourceText>>>>,
}

/// Where a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was written as this definition.
    Definition(Placing),
    /// The map was made from another version of this text, and the definition is the only one of its name in it.
    Name(Placing),
    /// The map was made from another version of the text.
    OtherText,
    /// A compiler or a bundler wrote it.
    Compiler,
    /// The map does not say.
    Unknown,
}

impl OriginalTexts<'_> {
    pub(super) fn get(&self, source: u32) -> Option<&Arc<SourceText>> {
        if let Some(moved) = self.moved.get(&source) {
            return Some(&moved.text);
        }
        let Some(LocatedSource::File { file, content_matches, .. }) = &self.sources[source as usize] else {
            return None;
        };
        let text = self.read[source as usize].get_or_init(|| match content_matches {
            Some(false) => SourceText::in_map(file, self.map.content(source)?.into_owned()),
            Some(true) => SourceText::read(file, self.files).ok(),
            None => self.committed(source, file).or_else(|| SourceText::read(file, self.files).ok()),
        });
        text.as_ref()
    }

    /// Whether any file whose text is not in the map was different when the trace was recorded.
    pub(super) fn differ(&self) -> bool {
        (0..).zip(self.sources).any(|(source, located)| match located {
            Some(LocatedSource::File { file, content_matches: None, .. }) => {
                self.committed(source, file).is_some()
            }
            _ => false,
        })
    }

    /// The text of a source when the trace was recorded, if it was another than today's. A file that was moved since has it under the
    /// path that the map gives.
    fn committed(&self, source: u32, file: &FilePath) -> Option<Arc<SourceText>> {
        let was = (self.named)(source).filter(|named| named != file && self.files.read(named).is_none());
        let committed = was.and_then(|was| SourceText::committed(self.recorded, &was, self.files));
        committed.or_else(|| SourceText::when(self.recorded, file, self.files))
    }

    /// Where functions come from, as far as the words of the texts confirm what the map says of them.
    pub(super) fn confirmed(
        &self,
        generated: Outlined<'_>,
        functions: &[ReportedFunction],
        origins: &[FunctionOrigin],
    ) -> Vec<Origin> {
        let start = |index: usize, placing: Placing| MappedStart {
            at: generated.outline.get(functions[index].definition).range.start(),
            source: placing.source,
        };
        let name = |index: usize| generated.outline.get(functions[index].definition).name.as_str();
        let mut asked = Vec::new();
        let mut named: FxHashMap<(u32, &str), u32> = FxHashMap::default();
        for (index, origin) in origins.iter().enumerate() {
            let Some(placing) = origin.definition() else { continue };
            *named.entry((placing.source, name(index))).or_default() += 1;
            // The code outside of functions is that of any version.
            let is_top_level = functions[index].definition == DefinitionId(0);
            if !is_top_level && self.is_today_or_committed(placing.source) {
                asked.push((index, start(index, placing)));
            }
        }
        let starts: Vec<MappedStart> = asked.iter().map(|(_, start)| *start).collect();
        let agree =
            words_agree(self.map, generated, &starts, |source| self.get(source).map(|text| text.outlined()));
        let mut confirmed: Vec<Origin> = origins.iter().map(|origin| Origin::from(*origin)).collect();
        for ((index, MappedStart { source, .. }), _) in asked.iter().zip(agree).filter(|(_, agrees)| !agrees)
        {
            let name = name(*index);
            let is_only = named[&(*source, name)] == 1 && name.len() >= bars::UNMINIFIED_NAME;
            let found = self.get(*source).and_then(|text| unique_by_name(&text.outline, name));
            confirmed[*index] = match (found.filter(|_| is_only), confirmed[*index]) {
                (Some(definition), Origin::Definition(placing)) => {
                    Origin::Name(Placing { definition, ..placing })
                }
                _ => Origin::OtherText,
            };
        }
        confirmed
    }

    /// Whether the text is that of the file, and nothing says that the map was made from it.
    fn is_today_or_committed(&self, source: u32) -> bool {
        !self.moved.contains_key(&source)
            && matches!(
                self.sources[source as usize],
                Some(LocatedSource::File { content_matches: None, .. })
            )
    }
}

impl From<FunctionOrigin> for Origin {
    fn from(origin: FunctionOrigin) -> Self {
        match origin {
            FunctionOrigin::Definition(placing) => Self::Definition(placing),
            FunctionOrigin::Compiler => Self::Compiler,
            FunctionOrigin::Unknown => Self::Unknown,
        }
    }
}
