//! Finds how often a definition was called if a compiler made several functions from it.
//!
//! ```text
//! function load(_x) { return _load.apply(this, arguments); }           5 calls, those of the source
//! function _load() {                                                   1
//!   _load = _asyncToGenerator(function* (n) { … });                    5
//!   return _load.apply(this, arguments);
//! }
//! ```
//!
//! A function inside another is not another call of the definition, unless the outer one only exists to make it and is called in place.
//! Functions that lie apart are copies if they only differ in names; then their calls are added. Otherwise the function counts that hands
//! all its arguments on to the others. If there is none, nothing is known.

use std::collections::BTreeMap;
use std::iter::successors;

use source::definition::{DefinitionId, Outline};

use super::lines::add_lines;

/// A function of a text that is on a definition.
pub(super) struct Piece {
    pub(super) definition: DefinitionId,
    pub(super) calls: u64,
    /// How often lines of the text that was written ran.
    pub(super) lines: BTreeMap<u32, u64>,
}

/// What is known of a definition.
pub(super) struct EntryCalls {
    /// `None` if nothing tells which of the functions count.
    pub(super) calls: Option<u64>,
    pub(super) lines: BTreeMap<u32, u64>,
}

/// Copies of a function, with all that is inside of them.
#[derive(Default)]
struct Copies {
    calls: u64,
    lines: BTreeMap<u32, u64>,
    hands_on: bool,
}

/// What the functions of one text say of the definition that they are on, the outer ones first.
pub(super) fn calls_of(pieces: &[Piece], text: &str, outline: &Outline) -> EntryCalls {
    if let [only] = pieces {
        return EntryCalls { calls: Some(only.calls), lines: only.lines.clone() };
    }
    let text = PieceText { text, outline };
    let (makers, others): (Vec<&Piece>, Vec<&Piece>) =
        pieces.iter().partition(|piece| text.is_maker(piece, pieces));
    // A function that is called in place inside a maker was called whenever the maker was.
    let (made, others): (Vec<&Piece>, Vec<&Piece>) = others.into_iter().partition(|piece| {
        text.is_called_in_place(piece) && makers.iter().any(|maker| text.is_in(piece, maker))
    });
    let (inner, outermost): (Vec<&Piece>, Vec<&Piece>) =
        others.iter().partition(|piece| others.iter().any(|other| text.is_in(piece, other)));
    let mut all: BTreeMap<String, Copies> = BTreeMap::new();
    for outer in outermost {
        let mut lines = outer.lines.clone();
        for piece in inner.iter().filter(|piece| text.is_in(piece, outer)) {
            add_unknown(&mut lines, &piece.lines);
        }
        let copies = all.entry(without_names(text.code(outer))).or_default();
        copies.calls = copies.calls.saturating_add(outer.calls);
        copies.hands_on = hands_arguments_on(text.code(outer));
        add_lines(&mut copies.lines, &lines);
    }
    let mut lines = BTreeMap::new();
    let known = all.values().map(|copies| &copies.lines);
    known
        .chain(makers.iter().chain(&made).map(|piece| &piece.lines))
        .for_each(|it| add_unknown(&mut lines, it));
    let mut entries = all.values().filter(|copies| copies.hands_on || all.len() == 1);
    let entry = entries.next().filter(|_| entries.next().is_none());
    EntryCalls { calls: entry.map(|copies| copies.calls), lines }
}

/// The text that the functions are in.
struct PieceText<'t> {
    text: &'t str,
    outline: &'t Outline,
}

impl PieceText<'_> {
    fn code(&self, piece: &Piece) -> &str {
        &self.text[self.outline.get(piece.definition).range]
    }

    fn is_in(&self, inner: &Piece, outer: &Piece) -> bool {
        let outline = self.outline;
        let parent = |id: &DefinitionId| outline.get(*id).parent;
        successors(outline.get(inner.definition).parent, parent).any(|around| around == outer.definition)
    }

    fn is_called_in_place(&self, piece: &Piece) -> bool {
        is_called_in_place(self.text, self.outline.get(piece.definition).range.into())
    }

    /// Whether a function only makes others and is called in place to do so.
    fn is_maker(&self, piece: &Piece, all: &[Piece]) -> bool {
        self.is_called_in_place(piece) && all.iter().any(|other| self.is_entry_in(other, piece))
    }

    /// Whether a function inside another is one that callers get to.
    fn is_entry_in(&self, inner: &Piece, outer: &Piece) -> bool {
        let before = &self.text[..self.outline.get(inner.definition).range.start().into()];
        self.is_in(inner, outer) && !self.is_called_in_place(inner) && !is_argument(before)
    }
}

/// Adds lines of the same calls.
fn add_unknown(known: &mut BTreeMap<u32, u64>, more: &BTreeMap<u32, u64>) {
    for (line, times) in more {
        known.entry(*line).or_insert(*times);
    }
}

/// Whether a function is called where it stands: `function () { … }()`, `(function () { … })()`; not `wrap(function () { … })()`.
fn is_called_in_place(text: &str, range: std::ops::Range<usize>) -> bool {
    let is_call = |rest: &str| [r"(", ".call(", ".apply("].iter().any(|call| rest.starts_with(call));
    let (before, after) = (text[..range.start].trim_end(), text[range.end..].trim_start());
    if is_call(after) {
        return true;
    }
    let Some(inside) = before.strip_suffix('(') else { return false };
    let after = after.strip_prefix(')').map(str::trim_start);
    let is_argument =
        inside.trim_end().ends_with(|last: char| is_of_name(last) || [')', ']'].contains(&last))
            && !KEYWORDS.iter().any(|keyword| last_word(inside.trim_end()) == *keyword);
    after.is_some_and(is_call) && !is_argument
}

/// After which a bracket is no list of arguments.
const KEYWORDS: [&str; 8] = ["return", "await", "yield", "void", "typeof", "new", "case", "delete"];

/// Whether a function that stands after this text is an argument of a call, which decides when it runs.
fn is_argument(before: &str) -> bool {
    // What marks a call as free of effects stands between: `wrap(/*#__PURE__*/function () { … })`.
    let before = before.trim_end();
    let before =
        before.strip_suffix("*/").and_then(|it| it.rfind("/*").map(|at| &it[..at])).unwrap_or(before);
    before.trim_end().ends_with(['(', ','])
}

/// Whether a function does nothing but hand its arguments on, as Babel and SWC write it.
fn hands_arguments_on(code: &str) -> bool {
    let code: String = code.split_whitespace().collect();
    let body = code.split_once('{').and_then(|(_, rest)| rest.strip_suffix('}'));
    let call = body.map(|body| body.strip_suffix(';').unwrap_or(body));
    let name = call.and_then(|call| call.strip_prefix("return")?.strip_suffix(".apply(this,arguments)"));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(is_of_name))
}

/// The code with one word for all names: a bundler gives copies of a function other names, and so does one that makes names short. What
/// comes after a dot stays.
fn without_names(code: &str) -> String {
    let mut rest = code;
    let mut clean = String::with_capacity(code.len());
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        if end == 0 {
            if !first.is_whitespace() {
                clean.push(first);
            }
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let word = &rest[..end];
        let stays = first.is_ascii_digit() || clean.ends_with('.');
        clean.push_str(if stays { word } else { "_" });
        rest = &rest[end..];
    }
    clean
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || ['_', '$'].contains(&letter)
}

fn last_word(text: &str) -> &str {
    text.rsplit(|letter| !is_of_name(letter)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
