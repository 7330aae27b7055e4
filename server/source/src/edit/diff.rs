//! The differences between two texts, however large: white space alone, words within a line, whole blocks.
//!
//! Lines are compared without the white space around them. Changes of indentation, line ends and blank lines are
//! therefore changes between the lines, not changes of lines.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};
use text_size::{TextRange, TextSize};

/// One place in which two texts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// What was there.
    pub(crate) before: TextRange,
    /// What is there now.
    pub(crate) after: TextRange,
    /// Whether both are nothing but white space.
    pub(crate) is_blank: bool,
}

/// The changes that lead from one text to another, in order; between any two of them is some code that is in both.
pub(crate) fn changes(before: &str, after: &str) -> Vec<Change> {
    let (start, end) = line_ends_in_common(before, after);
    let [old, new] = [before, after].map(|text| CodeLines::of(text, start..text.len() - end));
    let mut input = InternedInput::default();
    input.update_before(old.lines.iter().map(|line| CodeLine::of(before, line)));
    input.update_after(new.lines.iter().map(|line| CodeLine::of(after, line)));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    // A block could have been inserted at several places; this picks the one where people would have put it.
    let heuristic = IndentHeuristic::new(|token: Token| {
        IndentLevel::for_ascii_line(input.interner[token].indent.bytes(), 4)
    });
    diff.postprocess_with_heuristic(&input, heuristic);

    let mut changes = Vec::new();
    // The next line of each text that has not been compared yet; the lines before `from` are the same.
    let (mut from, mut to) = (0, 0);
    for hunk in diff.hunks() {
        let [removed, added] =
            [hunk.before, hunk.after].map(|lines| lines.start as usize..lines.end as usize);
        while from < removed.start {
            changes.extend(smallest(before, after, old.gap(from..from), new.gap(to..to)));
            (from, to) = (from + 1, to + 1);
        }
        changes.extend(smallest(before, after, old.gap(removed.clone()), new.gap(added.clone())));
        (from, to) = (removed.end + 1, added.end + 1);
    }
    while from <= old.lines.len() {
        changes.extend(smallest(before, after, old.gap(from..from), new.gap(to..to)));
        (from, to) = (from + 1, to + 1);
    }
    changes
}

/// The lines of a part of a text that are not blank.
struct CodeLines {
    part: Range<usize>,
    /// Without the white space around them.
    lines: Vec<Range<usize>>,
}

impl CodeLines {
    fn of(text: &str, part: Range<usize>) -> Self {
        let mut lines = Vec::new();
        let mut at = part.start;
        for line in text[part.clone()].split(['\n', '\r']) {
            let code = line.trim();
            if !code.is_empty() {
                let start = at + line.len() - line.trim_start().len();
                lines.push(start..start + code.len());
            }
            at += line.len() + 1;
        }
        Self { part, lines }
    }

    /// Some of the lines with the white space around them.
    fn gap(&self, lines: Range<usize>) -> Range<usize> {
        let start = lines.start.checked_sub(1).map_or(self.part.start, |before| self.lines[before].end);
        start..self.lines.get(lines.end).map_or(self.part.end, |line| line.start)
    }
}

/// A line as it is compared: by its code.
#[derive(Default)]
struct CodeLine<'a> {
    code: &'a str,
    /// The white space before it, for the heuristic only.
    indent: &'a str,
}

impl<'a> CodeLine<'a> {
    fn of(text: &'a str, code: &Range<usize>) -> Self {
        let before = &text[..code.start];
        let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
        Self { code: &text[code.clone()], indent: &before[before.len() - indent..] }
    }
}

impl PartialEq for CodeLine<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for CodeLine<'_> {}

impl Hash for CodeLine<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
    }
}

/// How much two texts have in common at their start and at their end, in whole lines.
fn line_ends_in_common(before: &str, after: &str) -> (usize, usize) {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let start = old[..same].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let (old, new) = (&old[start..], &new[start..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // Only from the first line end on: the part before it may be the end of a longer line.
    let end = old[old.len() - same..].iter().position(|&byte| byte == b'\n').map_or(0, |end| same - end - 1);
    (start, end)
}

/// A change without the parts that are the same at both of its ends.
fn smallest(before: &str, after: &str, old: Range<usize>, new: Range<usize>) -> Option<Change> {
    let (was, is) = (&before[old.clone()], &after[new.clone()]);
    if was == is {
        return None;
    }
    let start = length_in_common(was.chars(), is.chars());
    let end = length_in_common(was[start..].chars().rev(), is[start..].chars().rev());
    let [before, after] = [old, new].map(|range| {
        TextRange::new(TextSize::new((range.start + start) as u32), TextSize::new((range.end - end) as u32))
    });
    let is_blank = [was, is].iter().all(|text| text[start..text.len() - end].trim().is_empty());
    Some(Change { before, after, is_blank })
}

/// How many bytes their common first characters have.
fn length_in_common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each change as `before > after`; also proves that applying them turns one text into the other.
    fn shown(before: &str, after: &str) -> Vec<String> {
        let changes = changes(before, after);
        let (mut made, mut from) = (String::new(), TextSize::new(0));
        for it in &changes {
            made += &before[TextRange::new(from, it.before.start())];
            assert_eq!(TextSize::of(&made), it.after.start());
            made += &after[it.after];
            from = it.before.end();
        }
        assert_eq!(made + &before[from.into()..], after);
        let text = |it: &Change| format!("{}>{}", &before[it.before], &after[it.after]).replace('\n', "|");
        changes.iter().map(text).collect()
    }

    #[test]
    fn the_smallest_changes_are_found() {
        assert_eq!(shown("a\nb\nc\n", "a\nb\nc\n"), [""; 0]);
        assert_eq!(shown("a\nb(1);\nc\n", "a\nb(12);\nc\n"), [">2"]);
        assert_eq!(shown("a\nb\nc", "a\nx\ny\nb\n c"), [">x|y|", "> "]);
        assert_eq!(shown("let é = 1;", "let è = 12;"), ["é = 1>è = 12"]);
        assert_eq!(shown("", "a"), [">a"]);
        assert_eq!(shown("a\n", ""), ["a|>"]);
        assert_eq!(shown("ab\nab\n", "ab\n"), ["ab|>"]);
    }

    #[test]
    fn white_space_hides_no_line() {
        assert_eq!(shown("a\n b\nc\n", "a\r\n b\r\nc\r\n"), [">\r"; 3]);
        assert_eq!(shown("a {\n  b\n}\nc\n", "a {\n\tbb\n}\n\n\n  c"), ["  >\tb", ">||  ", "|>"]);
    }

    #[test]
    fn what_lies_between_two_changes_is_the_same() {
        let before = "f() {\n  1\n}\ng() {\n  2\n}\nh() {\n  3\n}\n";
        let after = "f() {\n  (1\n}\ng() {\n  2\n}\nnew() {\n  4\n}\nh() {\n  3)\n}\n";
        assert_eq!(shown(before, after), [">(", ">new() {|  4|}|", ">)"]);
    }
}
