//! Makes the outline of a text that does not parse by changing the text until it does.
//!
//! Missing brackets are added where the indentation suggests. Then the place at which the parser stopped is blanked, in steps from a
//! pair of brackets over a line to a block; finally each part of the text that does not parse is blanked by itself. Blanked text
//! keeps its length, and added brackets are subtracted from all offsets, so that they are those of the original text.
//!
//! ```text
//! function a() {         function a() {
//!   if (x                  if (x)               1. `)` is added: the next line is indented no further
//!   return 1;              return 1;}           2. `}` is added: the next line is indented less
//! function b(c, +) {}    function b(    ) {}    3. the parser stopped at `+`: what is in the brackets is blanked
//! ```

use std::ops::Range;

use text_size::{TextRange, TextSize};

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline, OutlineError};
use crate::language::Language;
use crate::parse::{self, ParseFailure};
use crate::scanner::{Lexeme, Scanner, closing, is_line_end};

/// How often a text is parsed again at most; each time costs as much as parsing it up to the error.
const MAX_PARSES: usize = 16;

/// How many bytes all parses of one text may read together.
const MAX_BYTES: usize = 48 << 20;

/// How many open brackets one bracket is compared with.
const MAX_BRACKETS_COMPARED: usize = 200;

/// How many unterminated templates are searched for one by one.
const MAX_TEMPLATES: usize = 8;

/// The definitions that can be recovered from a text that does not parse. `error` is where the parser stopped; `stack`
/// is how much stack is available.
///
/// # Errors
/// If the text with added brackets needs more stack than that: it can be nested deeper with them.
pub(crate) fn outline_of_broken(
    text: &str,
    language: Language,
    mut error: usize,
    stack: usize,
) -> Result<Outline, OutlineError> {
    let mut broken = BrokenText { bytes: text.as_bytes().to_vec(), added: Vec::new() };
    let parses = (MAX_BYTES / (text.len() + 1)).clamp(1, MAX_PARSES);
    let mut last_line = usize::MAX;
    let mut times = 0;
    // Balancing the brackets may have removed the error.
    let mut mended = broken.balance();
    for _ in 0..parses {
        if !mended {
            let line = broken.line(error).start;
            times = if line == last_line { times + 1 } else { 0 };
            last_line = line;
            broken.blank_near(error, times);
            broken.balance();
        }
        mended = false;
        match parsed(&broken.text(), language, stack)? {
            Ok(outline) => return Ok(broken.in_original(outline)),
            Err(place) => error = broken.original(place),
        }
    }
    for part in broken.parts() {
        let alone = String::from_utf8_lossy(&broken.bytes[part.clone()]);
        if parsed(&alone, language, stack)?.is_err() {
            broken.blank(part);
        }
    }
    broken.balance();
    Ok(match parsed(&broken.text(), language, stack)? {
        Ok(outline) => broken.in_original(outline),
        Err(_) => parse::without_definitions(text),
    })
}

/// The outline of a text as it is, or the place at which the parser stopped, which is the end if the text is too large.
fn parsed(text: &str, language: Language, stack: usize) -> Result<Result<Outline, usize>, OutlineError> {
    match parse::parse(text, language, stack) {
        Ok(outline) => Ok(Ok(outline)),
        Err(ParseFailure::At(place)) => Ok(Err(place)),
        Err(ParseFailure::TooLarge) => Ok(Err(text.len())),
        Err(ParseFailure::TooDeep) => Err(OutlineError::TooDeep),
        Err(ParseFailure::NeedsStack(bytes)) => Err(OutlineError::needs(bytes)),
    }
}

struct BrokenText {
    /// The text, with blanks where something was removed.
    bytes: Vec<u8>,
    /// Brackets to insert, with the offset of what they precede; in order.
    added: Vec<(usize, u8)>,
}

/// An open bracket.
struct UnclosedBracket {
    close: u8,
    /// The line that it is in.
    line: LineStart,
    /// How far the first line inside is indented.
    content: Option<usize>,
    /// Where it should have been closed, because the next line is not indented.
    suspect: Option<usize>,
}

impl UnclosedBracket {
    /// Whether a line is indented between the bracket's own line and its content, like `})` after `? call({` and its arguments.
    fn fits_between(&self, line: LineStart) -> bool {
        self.line.indent <= line.indent && self.content.is_none_or(|content| line.indent < content)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct LineStart {
    start: usize,
    indent: usize,
}

impl BrokenText {
    /// The text as it is now, with the brackets that were added.
    fn text(&self) -> String {
        let mut text = Vec::with_capacity(self.bytes.len() + self.added.len());
        let mut from = 0;
        for &(at, bracket) in &self.added {
            text.extend_from_slice(&self.bytes[from..at]);
            text.push(bracket);
            from = at;
        }
        text.extend_from_slice(&self.bytes[from..]);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The offset in the original text of one in [`BrokenText::text`].
    fn original(&self, offset: usize) -> usize {
        // The nth bracket (from 0) is n bytes after its offset.
        let mut low = 0;
        let mut high = self.added.len();
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.added[middle].0 + middle < offset { low = middle + 1 } else { high = middle }
        }
        (offset - low).min(self.bytes.len())
    }

    fn in_original(&self, mut outline: Outline) -> Outline {
        for definition in &mut outline.definitions {
            definition.range = self.original_range(definition.range);
            definition.header = self.original_range(definition.header);
            definition.decorators_from = self.original_place(definition.decorators_from);
            definition.defined_at = self.original_place(definition.defined_at);
            definition.parameters_end = self.original_place(definition.parameters_end);
            definition.hint_at = self.original_place(definition.hint_at);
            definition.name_range = definition.name_range.map(|range| self.original_range(range));
        }
        without_statements(&outline)
    }

    fn original_range(&self, range: TextRange) -> TextRange {
        TextRange::new(self.original_place(range.start()), self.original_place(range.end()))
    }

    fn original_place(&self, at: TextSize) -> TextSize {
        TextSize::new(self.original(at.into()) as u32)
    }

    /// Balances the brackets: adds missing ones and blanks extra ones. Returns whether anything changed.
    fn balance(&mut self) -> bool {
        self.added.clear();
        let changed = self.end_templates();
        if is_balanced(&self.bytes) {
            return changed;
        }
        let mut stray = Vec::new();
        let mut open: Vec<UnclosedBracket> = Vec::new();
        let mut line = LineStart { start: 0, indent: indent(&self.bytes) };
        // Where the previous lexeme ends.
        let mut last = 0;
        for (at, lexeme) in Scanner::new(&self.bytes) {
            if let Lexeme::Comment(_) = lexeme {
                continue;
            }
            if let Some(line_end) = self.bytes[last..at].iter().rposition(|&byte| is_line_end(byte)) {
                let start = last + line_end + 1;
                line = LineStart { start, indent: indent(&self.bytes[start..]) };
            }
            let first = at == line.start + line.indent;
            if first && !matches!(lexeme, Lexeme::Close(_)) {
                note_indent(&mut open, line, last);
            }
            match lexeme {
                Lexeme::Open(bracket) => {
                    open.push(UnclosedBracket {
                        close: closing(bracket),
                        line,
                        content: None,
                        suspect: None,
                    });
                }
                Lexeme::Close(bracket) => match partner(&open, bracket, line, first) {
                    Some(index) => {
                        let unclosed = open.drain(index + 1..).rev();
                        self.added
                            .extend(unclosed.map(|bracket| (bracket.suspect.unwrap_or(last), bracket.close)));
                        open.pop();
                    }
                    None => stray.push(at),
                },
                _ => {}
            }
            last = match lexeme {
                Lexeme::Word(end) | Lexeme::Literal(end) => end,
                // Also after the brace that ends `${..}`, where the text of a template may continue.
                _ => at + 1,
            };
        }
        self.added.extend(open.iter().rev().map(|bracket| (bracket.suspect.unwrap_or(last), bracket.close)));
        self.added.sort_by_key(|(at, _)| *at);
        for at in stray {
            self.blank(at..at + 1);
        }
        true
    }

    /// Blanks the backticks of templates that do not end. Returns whether there were any.
    fn end_templates(&mut self) -> bool {
        for attempt in 0.. {
            let Some(start) = self.unfinished_template() else { return attempt > 0 };
            // Nobody writes a text with this many; from here on no backtick counts.
            let end = if attempt < MAX_TEMPLATES { start + 1 } else { self.bytes.len() };
            self.blank_only(start..end, b'`');
        }
        true
    }

    /// Where the template that runs to the end of the text starts: the first one whose text looks like code.
    fn unfinished_template(&self) -> Option<usize> {
        let mut scanner = Scanner::new(&self.bytes);
        let mut suspect = None;
        for (at, lexeme) in scanner.by_ref() {
            if let Lexeme::Literal(end) = lexeme
                && self.bytes[at] == b'`'
                && suspect.is_none()
                && looks_like_code(&self.bytes[at..end])
            {
                suspect = Some(at);
            }
        }
        let last = scanner.unfinished?;
        // The text begins after a backtick, or after the brace of an expression inside.
        suspect.or_else(|| self.bytes[..last].iter().rposition(|&byte| byte == b'`'))
    }

    /// Blanks the code nearest to an error, and more each time the error is on the same line.
    fn blank_near(&mut self, error: usize, times: usize) {
        let line = self.line(error);
        if times > 1 || self.is_blank(line.clone()) {
            return self.blank_block(error);
        }
        if times > 0 {
            return self.blank(line);
        }
        // An error at the start of a line often means that the previous one was left unfinished.
        if self.is_blank(line.start..error.clamp(line.start, line.end)) {
            let before = self.bytes[..line.start].iter().rposition(|byte| !byte.is_ascii_whitespace());
            if let Some(before) = before
                && !matches!(self.bytes[before], b';' | b'{' | b'}')
            {
                let unfinished = self.line(before);
                return self.blank(unfinished);
            }
        }
        match self.brackets_around(error, line.clone()) {
            Some(inside) => self.blank(inside),
            None => self.blank(line),
        }
    }

    /// The content of the innermost brackets around a place that open and close on its line.
    fn brackets_around(&self, place: usize, line: Range<usize>) -> Option<Range<usize>> {
        let mut open = Vec::new();
        for (at, lexeme) in Scanner::new(&self.bytes[line.clone()]) {
            match lexeme {
                Lexeme::Open(_) => open.push(line.start + at + 1),
                Lexeme::Close(_) => {
                    let inside = open.pop()?..line.start + at;
                    let holds = inside.start <= place && place <= inside.end;
                    if holds && !self.is_blank(inside.clone()) {
                        return Some(inside);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Blanks the lines around a place that are indented at least as far; if the place is not indented, its line and
    /// the indented lines below.
    fn blank_block(&mut self, place: usize) {
        let lines = self.lines();
        let here = lines.partition_point(|line| line.start <= place).saturating_sub(1);
        // The nearest line that is left: at the place or before it, otherwise after it.
        let mut nearest = (0..=here).rev().chain(here + 1..lines.len());
        let Some(near) = nearest.find(|&line| !self.is_blank(lines[line].clone())) else { return };
        let level = indent(&self.bytes[lines[near].clone()]);
        let before = (0..near).rev().take_while(|&line| self.is_inside(&lines[line], level));
        let from = if level == 0 { near } else { before.last().unwrap_or(near) };
        let after = (near + 1..lines.len()).take_while(|&line| self.is_inside(&lines[line], level));
        let to = after.last().unwrap_or(near);
        self.blank(lines[from].start..lines[to].end);
    }

    /// Whether a line is blank, or is indented at least as far as this.
    fn is_inside(&self, line: &Range<usize>, level: usize) -> bool {
        self.is_blank(line.clone()) || indent(&self.bytes[line.clone()]) >= level.max(1)
    }

    fn is_blank(&self, range: Range<usize>) -> bool {
        self.bytes[range].iter().all(u8::is_ascii_whitespace)
    }

    /// The parts of the text between lines that are neither indented nor inside brackets.
    fn parts(&self) -> Vec<Range<usize>> {
        let mut starts = vec![0];
        let mut depth = 0usize;
        for (at, lexeme) in Scanner::new(&self.bytes) {
            let begins = at > 0 && is_line_end(self.bytes[at - 1]);
            match lexeme {
                Lexeme::Close(_) => depth = depth.saturating_sub(1),
                _ if begins && depth == 0 => starts.push(at),
                _ => {}
            }
            if let Lexeme::Open(_) = lexeme {
                depth += 1;
            }
        }
        let ends = starts.iter().skip(1).copied().chain([self.bytes.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    fn blank_only(&mut self, range: Range<usize>, unwanted: u8) {
        self.bytes[range].iter_mut().filter(|byte| **byte == unwanted).for_each(|byte| *byte = b' ');
    }

    fn blank(&mut self, range: Range<usize>) {
        for byte in &mut self.bytes[range] {
            if !is_line_end(*byte) {
                *byte = b' ';
            }
        }
    }

    /// The line that holds an offset, without its end.
    fn line(&self, offset: usize) -> Range<usize> {
        let at = offset.min(self.bytes.len());
        let start =
            self.bytes[..at].iter().rposition(|&byte| is_line_end(byte)).map_or(0, |before| before + 1);
        let end = self.bytes[at..]
            .iter()
            .position(|&byte| is_line_end(byte))
            .map_or(self.bytes.len(), |length| at + length);
        start..end
    }

    fn lines(&self) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in self.bytes.split(|&byte| is_line_end(byte)) {
            lines.push(start..start + line.len());
            start += line.len() + 1;
        }
        lines
    }
}

/// If a method has lost its header, its statements look like methods: `if (..) {..}` in a class.
fn without_statements(outline: &Outline) -> Outline {
    let mut kept =
        Outline { definitions: Vec::with_capacity(outline.definitions.len()), ..Outline::default() };
    let mut new_ids: Vec<Option<DefinitionId>> = Vec::with_capacity(outline.definitions.len());
    for definition in &outline.definitions {
        let parent = definition.parent.and_then(|parent| new_ids[parent.0 as usize]);
        let name = definition.name.as_str();
        if definition.kind == DefinitionKind::Method
            && matches!(name, "if" | "for" | "while" | "switch" | "catch" | "with")
        {
            new_ids.push(parent);
        } else {
            new_ids.push(Some(DefinitionId(kept.definitions.len() as u32)));
            kept.definitions.push(Definition { parent, ..definition.clone() });
        }
    }
    kept
}

/// Records what the indentation of a line says about the brackets that are open at its start: those on lines indented at
/// least as far should have been closed at `last`, where the code before it ends.
fn note_indent(open: &mut [UnclosedBracket], line: LineStart, last: usize) {
    let compared = open.iter_mut().rev().take(MAX_BRACKETS_COMPARED);
    for bracket in compared.take_while(|bracket| bracket.line.indent >= line.indent) {
        bracket.suspect = bracket.suspect.or((bracket.line != line).then_some(last));
    }
    if let Some(innermost) = open.last_mut() {
        innermost.content = innermost.content.or((innermost.line != line).then_some(line.indent));
    }
}

/// The open bracket that a closing one matches; `None` if the closing bracket is extra. A closing bracket at the
/// beginning of a line first looks for one on a line with the same indentation, any other for one on its own line.
fn partner(open: &[UnclosedBracket], bracket: u8, line: LineStart, first: bool) -> Option<usize> {
    let top = open.len().checked_sub(1).filter(|&top| open[top].close == bracket);
    if first {
        return last_of(open, bracket, |open| open.line.indent == line.indent)
            .or_else(|| top.filter(|&top| open[top].fits_between(line)))
            .or_else(|| last_of(open, bracket, |open| open.fits_between(line)));
    }
    top.or_else(|| last_of(open, bracket, |open| open.line == line))
        .or_else(|| last_of(open, bracket, |open| open.line.indent == line.indent))
}

/// The last open bracket that satisfies the condition and that a closing one can end.
fn last_of(
    open: &[UnclosedBracket],
    bracket: u8,
    wanted: impl Fn(&UnclosedBracket) -> bool,
) -> Option<usize> {
    let from = open.len().saturating_sub(MAX_BRACKETS_COMPARED);
    let found = open[from..].iter().rposition(|open| open.close == bracket && wanted(open))?;
    Some(from + found)
}

fn is_balanced(bytes: &[u8]) -> bool {
    let mut open = Vec::new();
    for (_, lexeme) in Scanner::new(bytes) {
        match lexeme {
            Lexeme::Open(bracket) => open.push(closing(bracket)),
            Lexeme::Close(bracket) if open.pop() != Some(bracket) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Whether the text of a template has a line that ends like code.
fn looks_like_code(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| is_line_end(byte)).skip(1);
    lines.any(|line| matches!(line.trim_ascii_end().last(), Some(b';' | b'{' | b'}')))
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}
