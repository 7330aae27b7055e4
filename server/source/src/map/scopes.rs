//! Reads `scopes` (proposal "Scopes", stage 3): which original functions there are, and which of them each
//! part of the generated text comes from, inlined ones included. Variables and their values are for
//! debuggers, and skipped.

use super::vlq::{self, NoVlq};
use super::{Original, Section, SourceMap, Warning};
use crate::text::LineCol;

/// What a map tells of scopes. Both lists are ordered by start, what is around before what is inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes {
    /// The scopes of all sources, source by source.
    pub originals: Vec<OriginalScope>,
    /// The ranges of the generated text.
    pub ranges: Vec<GeneratedRange>,
}

/// A scope of an original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalScope {
    /// An index into [`SourceMap::sources`].
    pub source: u32,
    /// Where it starts: 0-based, UTF-16.
    pub start: LineCol,
    /// Where it ends, exclusive.
    pub end: LineCol,
    /// What it is called, of functions their name; see [`SourceMap::name`].
    pub name: Option<u32>,
    /// `function`, `class`, `block` ..: any word; see [`SourceMap::name`].
    pub kind: Option<u32>,
    /// Whether it is a function, so that it makes a frame of a stack.
    pub is_function: bool,
    /// The scope around it.
    pub parent: Option<u32>,
}

/// What a generated range is on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackFrame {
    /// No function: a block, or the body of an inlined function.
    None,
    /// A function that was written.
    Original,
    /// A function that a tool made, to be left out.
    Hidden,
}

/// A part of the generated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedRange {
    /// Where it starts: 0-based, UTF-16.
    pub start: LineCol,
    /// Where it ends, exclusive.
    pub end: LineCol,
    /// The scope that it comes from, an index into [`Scopes::originals`].
    pub definition: Option<u32>,
    /// What it is on a stack.
    pub frame: StackFrame,
    /// Where the function whose inlined body this is was called.
    pub call_site: Option<Original>,
    /// The range around it.
    pub parent: Option<u32>,
}

impl Scopes {
    /// The ranges around a generated place, the innermost first.
    pub fn ranges_at(&self, at: LineCol) -> impl Iterator<Item = &GeneratedRange> {
        let last = self.ranges.partition_point(|it| it.start <= at).checked_sub(1);
        let chain = std::iter::successors(last.map(|it| &self.ranges[it]), |it| {
            it.parent.map(|parent| &self.ranges[parent as usize])
        });
        chain.skip_while(move |it| it.end <= at)
    }

    /// The original function that a generated place comes from, inlined or not; `None` where no range
    /// tells.
    pub fn function_at(&self, at: LineCol) -> Option<&OriginalScope> {
        let definition = self.ranges_at(at).find_map(|it| it.definition)?;
        self.chain(definition as usize).find(|it| it.is_function)
    }

    /// The innermost function around an original place.
    pub fn function_in(&self, original: Original) -> Option<&OriginalScope> {
        let before = |it: &OriginalScope| (it.source, it.start) <= (original.source, original.at);
        let last = self.originals.partition_point(before).checked_sub(1)?;
        let around = |it: &&OriginalScope| it.source == original.source && original.at < it.end;
        self.chain(last).find(|it| around(it) && it.is_function)
    }

    fn chain(&self, innermost: usize) -> impl Iterator<Item = &OriginalScope> {
        std::iter::successors(self.originals.get(innermost), |it| {
            it.parent.map(|parent| &self.originals[parent as usize])
        })
    }
}

impl SourceMap<'_> {
    /// Whether the map has scopes, so that [`Self::scopes`] is worth its time.
    pub fn has_scopes(&self) -> bool {
        self.sections.iter().any(|it| it.scopes.is_some())
    }

    /// The scopes of the map, and whether some could not be read.
    pub fn scopes(&self) -> (Scopes, Vec<Warning>) {
        let mut all = Scopes::default();
        let mut warnings = Vec::new();
        for section in &self.sections {
            let Some(text) = &section.scopes else { continue };
            let before = (all.originals.len(), all.ranges.len());
            if read(section, text, &mut all).is_err() {
                // A part could be taken for the whole.
                all.originals.truncate(before.0);
                all.ranges.truncate(before.1);
                warnings.push(Warning::Scopes);
            }
        }
        (all, warnings)
    }
}

fn read(section: &Section<'_>, text: &str, all: &mut Scopes) -> Result<(), NoVlq> {
    let first_scope = all.originals.len() as u32;
    let (mut source, mut definition, mut name, mut kind) = (0_u32, 0_i64, 0_i64, 0_i64);
    let (mut original, mut generated) = (Place::default(), Place::default());
    let (mut scope, mut range) = (None::<u32>, None::<u32>);
    let mut has_ranges = false;
    for item in text.split(',').filter(|_| !text.is_empty()) {
        let mut item = Item { bytes: item.as_bytes(), at: 0 };
        let tag = if item.is_done() { 0 } else { item.unsigned()? };
        match tag {
            // No scopes for this source.
            0 if scope.is_none() && !has_ranges => source += 1,
            1 => {
                if scope.is_none() {
                    original = Place::default();
                }
                let flags = item.unsigned()?;
                let start = original.add(item.unsigned()?, item.unsigned()?)?;
                let mut string = |has: u32, index: &mut i64| -> Result<Option<u32>, NoVlq> {
                    if flags & has == 0 {
                        return Ok(None);
                    }
                    *index += item.signed()?;
                    Ok(section.name(*index))
                };
                let (name, kind) = (string(1, &mut name)?, string(2, &mut kind)?);
                if source >= section.sources {
                    return Err(NoVlq);
                }
                let parent = scope.replace(all.originals.len() as u32);
                all.originals.push(OriginalScope {
                    source: section.first_source + source,
                    start,
                    end: start,
                    name,
                    kind,
                    is_function: flags & 4 != 0,
                    parent,
                });
            }
            2 => {
                let end = original.add(item.unsigned()?, item.unsigned()?)?;
                let ended = &mut all.originals[scope.ok_or(NoVlq)? as usize];
                ended.end = end;
                scope = ended.parent;
                source += u32::from(scope.is_none());
            }
            4 => {
                has_ranges = true;
                let flags = item.unsigned()?;
                let lines = if flags & 1 != 0 { item.unsigned()? } else { 0 };
                let start = section.place(generated.add(lines, item.unsigned()?)?);
                if flags & 2 != 0 {
                    definition += item.signed()?;
                }
                let index = u32::try_from(definition).ok().and_then(|it| it.checked_add(first_scope));
                let exists = |it: &u32| (*it as usize) < all.originals.len();
                let frame = match flags & 12 {
                    12 => StackFrame::Hidden,
                    4 => StackFrame::Original,
                    _ => StackFrame::None,
                };
                let parent = range.replace(all.ranges.len() as u32);
                all.ranges.push(GeneratedRange {
                    start,
                    end: start,
                    definition: index.filter(|it| flags & 2 != 0 && exists(it)),
                    frame,
                    call_site: None,
                    parent,
                });
            }
            5 => {
                let first = item.unsigned()?;
                let (lines, columns) = if item.is_done() { (0, first) } else { (first, item.unsigned()?) };
                let end = section.place(generated.add(lines, columns)?);
                let ended = &mut all.ranges[range.ok_or(NoVlq)? as usize];
                ended.end = end;
                range = ended.parent;
            }
            8 => {
                let called = item.unsigned()?;
                let at = LineCol { line: item.unsigned()?, column: item.unsigned()? };
                let source = section.first_source.checked_add(called).ok_or(NoVlq)?;
                let site = (called < section.sources).then_some(Original { source, at });
                all.ranges[range.ok_or(NoVlq)? as usize].call_site = site;
            }
            // Variables, their values, and what is to come.
            _ => {}
        }
    }
    if scope.is_none() && range.is_none() { Ok(()) } else { Err(NoVlq) }
}

impl Section<'_> {
    /// Where a place of the section is in the whole generated text.
    fn place(&self, at: LineCol) -> LineCol {
        let column = if at.line == 0 { self.start.column } else { 0 };
        LineCol { line: self.start.line.saturating_add(at.line), column: column.saturating_add(at.column) }
    }
}

/// The numbers of an item.
struct Item<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Item<'_> {
    fn unsigned(&mut self) -> Result<u32, NoVlq> {
        vlq::unsigned(self.bytes, &mut self.at)
    }

    fn signed(&mut self) -> Result<i64, NoVlq> {
        vlq::signed(self.bytes, &mut self.at)
    }

    fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }
}

/// A place that is written as the difference to the one before.
struct Place(LineCol);

impl Default for Place {
    fn default() -> Self {
        Self(LineCol { line: 0, column: 0 })
    }
}

impl Place {
    fn add(&mut self, lines: u32, columns: u32) -> Result<LineCol, NoVlq> {
        let column = if lines == 0 { self.0.column.checked_add(columns) } else { Some(columns) };
        let line = self.0.line.checked_add(lines).ok_or(NoVlq)?;
        self.0 = LineCol { line, column: column.ok_or(NoVlq)? };
        Ok(self.0)
    }
}
