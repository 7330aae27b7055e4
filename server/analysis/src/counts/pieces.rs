//! How often a definition was called of which compilers made several functions.
//!
//! ```text
//! function load(_x) { return _load.apply(this, arguments); }           5 calls, those of the source
//! function _load() {                                                   1
//!   _load = _asyncToGenerator(function* (n) { … });                    5
//!   return _load.apply(this, arguments);
//! }
//! ```
//!
//! What is inside of another function is not another call of the definition, unless the outer one is only there to make it, and is called
//! where it stands. Functions that lie apart are copies if they are the same but for names, and then their calls are added. Otherwise
//! the one counts that hands all of its arguments on to the others, and without such a one nothing is known.

use std::collections::BTreeMap;

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
    let code = |piece: &Piece| &text[outline.get(piece.definition).range];
    let is_in =
        |inner: &Piece, outer: &Piece| around(inner.definition, outline).any(|it| it == outer.definition);
    let is_called_in_place =
        |piece: &Piece| is_called_in_place(text, outline.get(piece.definition).range.into());
    let is_entry_in = |inner: &Piece, outer: &Piece| {
        is_in(inner, outer)
            && !is_called_in_place(inner)
            && !is_argument(&text[..outline.get(inner.definition).range.start().into()])
    };
    let is_maker =
        |piece: &Piece| is_called_in_place(piece) && pieces.iter().any(|other| is_entry_in(other, piece));
    let (makers, others): (Vec<&Piece>, Vec<&Piece>) = pieces.iter().partition(|piece| is_maker(piece));
    // What is only called to make others was called when its maker was.
    let (made, others): (Vec<&Piece>, Vec<&Piece>) = others
        .into_iter()
        .partition(|piece| is_called_in_place(piece) && makers.iter().any(|maker| is_in(piece, maker)));
    let (inner, outermost): (Vec<&Piece>, Vec<&Piece>) =
        others.iter().partition(|piece| others.iter().any(|other| is_in(piece, other)));
    let mut all: BTreeMap<String, Copies> = BTreeMap::new();
    for outer in outermost {
        let mut lines = outer.lines.clone();
        for piece in inner.iter().filter(|piece| is_in(piece, outer)) {
            add_unknown(&mut lines, &piece.lines);
        }
        let copies = all.entry(without_names(code(outer))).or_default();
        copies.calls = copies.calls.saturating_add(outer.calls);
        copies.hands_on = hands_arguments_on(code(outer));
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

/// Adds lines of the same calls.
fn add_unknown(known: &mut BTreeMap<u32, u64>, more: &BTreeMap<u32, u64>) {
    for (line, times) in more {
        known.entry(*line).or_insert(*times);
    }
}

/// The definitions around one, the nearest first.
fn around(definition: DefinitionId, outline: &Outline) -> impl Iterator<Item = DefinitionId> {
    std::iter::successors(outline.get(definition).parent, |&it| outline.get(it).parent)
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
