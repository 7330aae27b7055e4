//! Reads an edited text by parsing only the lines around the edit: all others mean what they meant.
//!
//! ```text
//! function a() {}          kept
//! const b = () => 1;       parsed again, with what was typed
//! function c() {}          kept, some characters further down
//! ```
//!
//! This is sound because pieces end with statements that nothing continues (`statements`): the lines in between must
//! parse by themselves, and must fit what is kept. Cases of doubt are left to a parse of the whole text.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_span::SourceType;
use text_size::{TextRange, TextSize};

use super::assemble::{outline_and_prefixes, outline_of, top_level};
use super::fingerprint::RunHash;
use super::limits::{LIMITS, ParseFailure, source_type};
use super::piece::Piece;
use super::statements::Lines;
use crate::definition::{Definition, Outline};
use crate::language::Language;
use crate::name::own_path;

/// The minimum number of bytes in a piece: about as many are parsed per keystroke, and smaller pieces mean more of them.
const LEAST: usize = 500;

/// The pieces of a text that parses.
#[derive(Debug)]
pub(crate) struct Pieces {
    language: Language,
    /// The minimum number of bytes in each, except for the last.
    least: usize,
    is_module: bool,
    /// In order; none if the text can only be read as a whole.
    all: Vec<KnownPiece>,
    /// The part of each definition's path that precedes its name.
    prefixes: Vec<Box<str>>,
}

#[derive(Clone, Copy, Debug)]
struct KnownPiece {
    lines: Lines,
    /// The hash of its code outside of definitions.
    run: RunHash,
    /// The number of definitions before its end, including the top level.
    definitions: usize,
}

/// An older version of a text, which parsed.
#[derive(Clone, Copy)]
pub(crate) struct Before<'t> {
    pub(crate) text: &'t str,
    pub(crate) outline: &'t Outline,
    pub(crate) pieces: &'t Pieces,
}

/// The part of a text that may mean something else than before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EditedLines {
    /// The old pieces of this part.
    pieces: Range<usize>,
    /// Where the part is now: whole lines.
    place: Range<usize>,
}

impl Pieces {
    /// Reads a whole text.
    pub(crate) fn read(
        text: &str,
        language: Language,
        stack: usize,
    ) -> Result<(Outline, Self), ParseFailure> {
        Self::read_in(LEAST, text, language, stack)
    }

    fn read_in(
        least: usize,
        text: &str,
        language: Language,
        stack: usize,
    ) -> Result<(Outline, Self), ParseFailure> {
        let piece = Piece::new(text, 0..text.len() as u32, None, &[]);
        LIMITS.check_stack(&piece.text, stack)?;
        let read = piece
            .read_in_lines(&Allocator::default(), source_type(language), Some(least))
            .map_err(|at| ParseFailure::At(at as usize))?;
        let is_module = read.is_module;
        let is_whole = read.has_await || may_have_html_comments(text);
        let lines = if is_whole { Vec::new() } else { read.lines.clone() };
        let mut definitions = vec![top_level(text)];
        let runs = piece.define_in_lines(read, &[], &ends(&lines), &mut definitions).unwrap_or_default();
        let known = Self { language, least, is_module, all: Vec::new(), prefixes: Vec::new() };
        Ok(known.of(definitions, &lines, &runs))
    }

    /// The outline and pieces of a text with these definitions; the lines of pieces and their hashes are in order.
    fn of(self, definitions: Vec<Definition>, lines: &[Lines], runs: &[RunHash]) -> (Outline, Self) {
        let top = runs.iter().copied().fold(RunHash::default(), RunHash::join);
        let (outline, prefixes) = outline_and_prefixes(definitions, top);
        let inner = &outline.definitions[1..];
        let all = lines.iter().zip(runs).map(|(&lines, &run)| {
            let definitions = 1 + inner.partition_point(|it| u32::from(it.range.start()) < lines.end);
            KnownPiece { lines, run, definitions }
        });
        let all = all.collect();
        (outline, Self { all, prefixes, ..self })
    }
}

impl Before<'_> {
    /// The outline of a newer version and its pieces, if it is enough to parse the lines around the new part.
    pub(crate) fn reread(&self, text: &str, stack: usize) -> Option<(Outline, Pieces)> {
        let between = self.between(text)?;
        self.read(text, &between, stack).or_else(|| self.read(text, &self.wider(text, &between), stack))
    }

    /// Where the parser stops in a newer version, if that is certain without parsing the code before the edit: the kept
    /// part there parses, and ends where the parser now begins.
    pub(crate) fn broken_at(&self, text: &str, stack: usize) -> Option<usize> {
        let between = self.wider(text, &self.between(text)?);
        let kept = &self.pieces.all[..between.pieces.start];
        let new = &text[between.place.clone()];
        let is_sure = !self.pieces.is_module || kept.iter().any(|it| it.lines.is_module);
        if !is_sure || new.contains("await") || may_have_html_comments(new) {
            return None;
        }
        let start = between.place.start as u32;
        let rest = Piece::new(text, start..text.len() as u32, None, &[]);
        LIMITS.check_stack(&rest.text, stack).ok()?;
        let failed = rest.read(&Allocator::default(), self.goal()).err()?;
        Some(rest.place(failed) as usize)
    }

    /// The outline of a newer version that does not parse: `recover` reads the lines around the new part. `None` if
    /// nothing would be kept.
    pub(crate) fn recovered<E>(
        &self,
        text: &str,
        recover: impl FnOnce(&str) -> Result<Outline, E>,
    ) -> Option<Result<Outline, E>> {
        let between = self.between(text)?;
        let new = match recover(&text[between.place.clone()]) {
            Ok(new) => new,
            Err(error) => return Some(Err(error)),
        };
        let start = TextSize::new(between.place.start as u32);
        let mut definitions = vec![top_level(text)];
        definitions.extend(self.kept_before(&between));
        definitions.extend(new.definitions.iter().skip(1).map(|definition| {
            let around = definition.parent.filter(|it| it.0 > 0).map_or("", |it| &new.get(it).path);
            let own = own_path(definition, around);
            let prefix = own.strip_suffix(&*definition.name).unwrap_or_default();
            moved(definition, prefix, |at| at + start)
        }));
        definitions.extend(self.kept_after(&between));
        let kept = [0..between.pieces.start, between.pieces.end..self.pieces.all.len()];
        let runs = kept.into_iter().flat_map(|it| &self.pieces.all[it]).map(|it| it.run);
        let top = runs.fold(RunHash::default(), RunHash::join);
        Some(Ok(Outline { exact: false, ..outline_of(definitions, top) }))
    }

    /// The new part of a text; `None` if no piece of it is known.
    fn between(&self, text: &str) -> Option<EditedLines> {
        let (start, end) = in_common(self.text.as_bytes(), text.as_bytes());
        let pieces = &self.pieces.all;
        let removed_end = (self.text.len() - end) as u32;
        // A line added after the last one may continue it.
        let first =
            pieces.partition_point(|it| it.lines.end <= start as u32).min(pieces.len().checked_sub(1)?);
        let last = pieces.partition_point(|it| it.lines.end < removed_end);
        let between = self.wide(text, first..last.max(first) + 1);
        (between.pieces.len() < pieces.len()).then_some(between)
    }

    /// The same, extended by a piece before and after: the new part may continue a statement, or be continued by one.
    fn wider(&self, text: &str, between: &EditedLines) -> EditedLines {
        self.wide(text, between.pieces.start.saturating_sub(1)..between.pieces.end + 1)
    }

    /// Some pieces as they are now, plus as many after them as are needed for whole lines.
    fn wide(&self, text: &str, pieces: Range<usize>) -> EditedLines {
        let all = &self.pieces.all;
        let end_of = |piece: usize| all[piece].lines.end as usize;
        let start = pieces.start.checked_sub(1).map_or(0, end_of);
        let mut next = pieces.end.min(all.len());
        loop {
            let place = start..text.len() - (self.text.len() - end_of(next - 1));
            if next == all.len() || text[place.clone()].ends_with('\n') || place.is_empty() {
                return EditedLines { pieces: pieces.start..next, place };
            }
            next += 1;
        }
    }

    /// Reads the part between the kept pieces, if it parses by itself and fits.
    fn read(&self, text: &str, between: &EditedLines, stack: usize) -> Option<(Outline, Pieces)> {
        let Pieces { language, least, is_module, ref all, .. } = *self.pieces;
        let (before, after) = (&all[..between.pieces.start], &all[between.pieces.end..]);
        let Range { start, end } = between.place;
        if may_have_html_comments(&text[start..end]) {
            return None;
        }
        let piece = Piece::new(text, start as u32..end as u32, None, &[]);
        LIMITS.check_stack(&piece.text, stack).ok()?;
        let read = piece.read_in_lines(&Allocator::default(), self.goal(), Some(least)).ok()?;
        let new = read.lines.clone();
        // Comments alone are read together with a statement.
        if read.has_await || read.is_module != is_module || new.is_empty() && start < end {
            return None;
        }
        let mut definitions = vec![top_level(text)];
        definitions.extend(self.kept_before(between));
        let runs = match new.as_slice() {
            [] => Vec::new(),
            _ => piece.define_in_lines(read, &[], &ends(&new), &mut definitions)?,
        };
        definitions.extend(self.kept_after(between));
        let moved_by = |lines: &Lines, from: usize, to: usize| Lines {
            end: lines.end - from as u32 + to as u32,
            ..*lines
        };
        let old_end = all[between.pieces.end - 1].lines.end as usize;
        let lines = (before.iter().map(|it| it.lines))
            .chain(new.iter().map(|it| moved_by(it, 0, start)))
            .chain(after.iter().map(|it| moved_by(&it.lines, old_end, end)));
        let lines: Vec<Lines> = lines.collect();
        let fits = lines.windows(2).all(|it| it[0].may_precede(&it[1]));
        if !fits || is_module && !lines.iter().any(|it| it.is_module) {
            return None;
        }
        let runs = before.iter().map(|it| it.run).chain(runs).chain(after.iter().map(|it| it.run));
        let known = Pieces { language, least, is_module, all: Vec::new(), prefixes: Vec::new() };
        Some(known.of(definitions, &lines, &runs.collect::<Vec<_>>()))
    }

    /// The source type as which its statements are parsed.
    fn goal(&self) -> SourceType {
        let goal = source_type(self.pieces.language);
        if self.pieces.is_module { goal.with_module(true) } else { goal }
    }

    fn kept_before(&self, between: &EditedLines) -> impl Iterator<Item = Definition> {
        let end = between.pieces.start.checked_sub(1).map_or(1, |it| self.pieces.all[it].definitions);
        self.kept(1..end).map(|(definition, prefix)| moved(definition, prefix, |at| at))
    }

    fn kept_after(&self, between: &EditedLines) -> impl Iterator<Item = Definition> {
        let last = &self.pieces.all[between.pieces.end - 1];
        let [from, to] = [last.lines.end, between.place.end as u32].map(TextSize::new);
        let all = self.outline.definitions.len();
        self.kept(last.definitions..all)
            .map(move |(definition, prefix)| moved(definition, prefix, |at| at - from + to))
    }

    /// Definitions, each with the part of its path that precedes its name.
    fn kept(&self, definitions: Range<usize>) -> impl Iterator<Item = (&Definition, &str)> {
        let prefixes = self.pieces.prefixes[definitions.clone()].iter().map(|it| &**it);
        self.outline.definitions[definitions].iter().zip(prefixes)
    }
}

/// Whether a text may contain something that is a comment in scripts but not in modules. Its meaning then depends on all
/// statements, like that of `await` outside of functions.
fn may_have_html_comments(text: &str) -> bool {
    text.contains("<!--") || text.contains("-->")
}

/// Where lines end, except for the last.
fn ends(lines: &[Lines]) -> Vec<u32> {
    lines.iter().take(lines.len().saturating_sub(1)).map(|it| it.end).collect()
}

/// A definition at another place, with the beginning of its path.
fn moved(definition: &Definition, prefix: &str, place: impl Fn(TextSize) -> TextSize) -> Definition {
    let range = |range: TextRange| TextRange::new(place(range.start()), place(range.end()));
    Definition {
        name: definition.name.clone(),
        path: prefix.to_owned(),
        kind: definition.kind,
        parent: None,
        range: range(definition.range),
        header: range(definition.header),
        decorators_from: place(definition.decorators_from),
        defined_at: place(definition.defined_at),
        parameters_end: place(definition.parameters_end),
        hint_at: place(definition.hint_at),
        name_range: definition.name_range.map(range),
        fingerprint: definition.fingerprint,
        tokens: definition.tokens,
        signature: definition.signature,
        preceding_hash: definition.preceding_hash,
    }
}

/// How many bytes two texts share at their start and, in the rest, at their end.
fn in_common(a: &[u8], b: &[u8]) -> (usize, usize) {
    const CHUNK: usize = 256;
    let shorter = a.len().min(b.len());
    let same =
        a.chunks(CHUNK).zip(b.chunks(CHUNK)).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum::<usize>();
    let start = same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[a.len() - (shorter - start)..], &b[b.len() - (shorter - start)..]);
    let same = a
        .rchunks(CHUNK)
        .zip(b.rchunks(CHUNK))
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum::<usize>();
    let rest = a.len() - same;
    let end = same + a[..rest].iter().rev().zip(b[..rest].iter().rev()).take_while(|(a, b)| a == b).count();
    (start, end)
}

#[cfg(test)]
mod tests;
