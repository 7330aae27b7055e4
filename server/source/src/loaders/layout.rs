//! Finds the places of functions in a printed text, for each style of printing.

use text_size::TextSize;

use super::known::Arrows;
use super::print::{Origin, Printed, has_own_name, is_given_name, lines_of};
use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::text::{Encoding, LineCol, LineEnds, LineIndex};

/// Where the functions of one text are once a loader has transformed it, in the order of their places.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The functions that come from a definition.
    pub functions: Vec<PrintedFunction>,
    /// Whether all code is in a few long lines, so that distances count in columns.
    pub is_dense: bool,
}

/// A function of a transformed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedFunction {
    /// The definition that it was written as.
    pub definition: DefinitionId,
    /// The line of its place (see [`Definition::defined_at`](crate::definition::Definition::defined_at)), from 0.
    pub line: u32,
    /// The column of its place, from 0, in UTF-16 units.
    pub column: u32,
    /// The column if the comment before it is printed on the same line, or the class with `let Name = ` before it.
    pub column_after_comment: Option<u32>,
    /// Whether engines know a name for it.
    pub is_named: bool,
}

/// The columns that esbuild writes around a function so that it keeps its name: `__name(` and `,"f")`.
const BEFORE_NAMED: u32 = 7;
const AFTER_NAMED: u32 = 4;
/// After a function that has a name of its own: `__name(f,"f");`, with the name twice.
const AFTER_DECLARED: u32 = 12;
/// In a class: `static{__name(this,"C")}`.
const IN_CLASS: u32 = 23;
/// The part of that which is `static{`.
const STATIC: u32 = 6;

/// The places in the text itself.
pub(super) fn unchanged(text: &str, outline: &Outline) -> Layout {
    let lines = LineIndex::new(text, LineEnds::Engine);
    let definitions = (0..).map(DefinitionId).zip(&outline.definitions).skip(1);
    let functions = definitions.map(|(id, definition)| {
        let LineCol { line, column } = lines.line_col(text, definition.defined_at, Encoding::Utf16);
        let is_named = has_own_name(definition) || is_given_name(text, definition);
        PrintedFunction { definition: id, line, column, column_after_comment: None, is_named }
    });
    Layout { functions: functions.collect(), is_dense: false }
}

impl Printed {
    /// The places if each level is indented by this many columns. SWC prints the comment before a method on its line.
    pub(super) fn lines(&self, text: &str, written: &Outline, indent: u32, arrows: Arrows) -> Layout {
        let functions = self.functions.iter().map(|origin| {
            let (function, levels) = self.function(*origin);
            let before = self.line_before(self.outline.get(origin.printed).defined_at);
            let definition = self.outline.get(origin.printed);
            // SWC's `name (a) {` in an object, and `for (const a of b)a.c()`.
            let is_of_object =
                definition.parent.is_none_or(|parent| self.outline.get(parent).kind != DefinitionKind::Class);
            let is_spaced = definition.kind == DefinitionKind::Method && is_of_object;
            let added = added_by_functions(before, arrows) + u32::from(arrows == Arrows::Tight && is_spaced);
            let is_loop = arrows == Arrows::Tight && before.trim_start().starts_with("for (");
            let column = function.column + levels * indent + added
                - levels
                - saved_by_arrows(before, arrows)
                - u32::from(is_loop);
            let after_comment = comment_end(text, written.get(origin.written), levels * indent);
            let mut column_after_comment = after_comment.map(|end| end + 1 + column - levels * indent);
            if arrows == Arrows::Tight && definition.kind == DefinitionKind::Class {
                // SWC's `let Name = class Name`.
                column_after_comment = Some(column + 7 + definition.name.encode_utf16().count() as u32);
            }
            PrintedFunction { column, column_after_comment, ..function }
        });
        let initializers = self.initializers().map(|(definition, at)| {
            let (LineCol { line, column }, levels) = self.place(at);
            initializer(definition, line, column + levels * indent - levels)
        });
        Layout { functions: in_order(functions.chain(initializers)), is_dense: false }
    }

    /// The places in a dense text, including the code that keeps the names of functions.
    pub(super) fn dense(&self) -> Layout {
        let mut places: Vec<(TextSize, u32)> = Vec::new();
        let definitions = self.outline.definitions.iter().skip(1);
        for definition in definitions.filter(|definition| definition.name_range.is_some()) {
            let name = definition.name.encode_utf16().count() as u32;
            match definition.kind {
                DefinitionKind::Class => places.push((self.static_block(definition), IN_CLASS + name)),
                DefinitionKind::Function if has_own_name(definition) && self.is_declaration(definition) => {
                    places.push((definition.range.end(), AFTER_DECLARED + 2 * name));
                }
                DefinitionKind::Function | DefinitionKind::Arrow if !self.is_of_member(definition) => {
                    places.push((definition.range.start(), BEFORE_NAMED));
                    places.push((definition.range.end(), AFTER_NAMED + name));
                }
                _ => {}
            }
        }
        let added = Added::new(places);
        let functions = self.functions.iter().map(|origin| {
            let definition = self.outline.get(origin.printed);
            let (function, _) = self.function(*origin);
            let at = self.place_of(definition, true);
            // Code added where a function starts comes before it; a class is identified by the added code.
            let before = match definition.kind {
                DefinitionKind::Class => added.before(at) + STATIC,
                _ => added.before(at + TextSize::new(1)),
            };
            let own = before - added.before(self.line_start(at));
            let is_named =
                has_own_name(definition) || self.is_of_member(definition) && self.is_named(definition);
            PrintedFunction { column: self.place(at).0.column + own, is_named, ..function }
        });
        let initializers = self.initializers().chain(self.classes()).map(|(definition, at)| {
            let (LineCol { line, column }, _) = self.place(at);
            // The line breaks that remain are those of templates; after each of them columns count from zero again.
            let own = added.before(at) - added.before(self.line_start(at));
            initializer(definition, line, column + own)
        });
        Layout { functions: in_order(functions.chain(initializers)), is_dense: true }
    }

    /// The functions that engines make of the fields of classes, with the definition of the class.
    fn initializers(&self) -> impl Iterator<Item = (DefinitionId, TextSize)> {
        self.functions.iter().flat_map(|origin| {
            let body = self.outline.get(origin.printed).header.end();
            let initializers = self.initializers.get(&body).into_iter().flatten();
            initializers.map(|at| (origin.written, *at))
        })
    }

    /// Where classes start.
    fn classes(&self) -> impl Iterator<Item = (DefinitionId, TextSize)> {
        let definitions =
            self.functions.iter().map(|origin| (origin.written, self.outline.get(origin.printed)));
        let classes = definitions.filter(|(_, printed)| printed.kind == DefinitionKind::Class);
        classes.map(|(written, printed)| (written, printed.defined_at))
    }

    /// The places if statements keep the lines that they are written on.
    pub(super) fn lines_as_written(&self, text: &str, indent: u32) -> Layout {
        let written = WrittenLines::new(text, self);
        let functions = self.functions.iter().map(|origin| {
            let (function, _) = self.function(*origin);
            let here = LineCol { line: function.line, column: function.column };
            let before = self.tokens.partition_point(|token| token.printed <= here).checked_sub(1);
            let Some(line) = before.map(|token| self.tokens[token].written.line) else { return function };
            let first = written.first_token[line as usize].unwrap_or(here);
            let column =
                written.levels[line as usize] * indent + self.offset(here).saturating_sub(self.offset(first));
            PrintedFunction { line: written.kept_before[line as usize], column, ..function }
        });
        Layout { functions: functions.collect(), is_dense: false }
    }

    /// How many characters, not counting indents, come before a place.
    fn offset(&self, at: LineCol) -> u32 {
        let line = self.line_starts[at.line as usize];
        line.offset + at.column.saturating_sub(line.tabs)
    }

    fn function(&self, origin: Origin) -> (PrintedFunction, u32) {
        let definition = self.outline.get(origin.printed);
        let (LineCol { line, column }, levels) = self.place(self.place_of(definition, false));
        let is_named = self.is_named(definition);
        let function = PrintedFunction {
            definition: origin.written,
            line,
            column,
            column_after_comment: None,
            is_named,
        };
        (function, levels)
    }

    /// Where the line of a place starts.
    fn line_start(&self, at: TextSize) -> TextSize {
        at - TextSize::of(self.line_before(at))
    }

    /// What is on the line of a place before it.
    fn line_before(&self, at: TextSize) -> &str {
        let before = &self.code[..usize::from(at)];
        &before[before.rfind('\n').map_or(0, |end| end + 1)..]
    }

    /// Whether a function is a statement, and not a value.
    fn is_declaration(&self, function: &Definition) -> bool {
        let before = self.code[..usize::from(function.range.start())].trim_end();
        before.is_empty() || before.ends_with(['{', '}', ';'])
    }

    /// Whether it is assigned to a member, `a.b = () => {}`. That gives the function no name that has to be kept, but
    /// engines call it `a.b`.
    fn is_of_member(&self, definition: &Definition) -> bool {
        let before = definition.name_range.map(|range| self.code[..usize::from(range.start())].trim_end());
        before.is_some_and(|code| code.ends_with('.')) || definition.name.starts_with('[')
    }

    /// Where an engine places a definition. A class that keeps its name is recognised by the block that does that.
    fn place_of(&self, definition: &Definition, keeps_names: bool) -> TextSize {
        match definition.kind {
            DefinitionKind::Class if keeps_names => self.static_block(definition),
            _ => definition.defined_at,
        }
    }

    /// Where a class gets the block that keeps its name: at its start, or after a constructor that was moved there.
    fn static_block(&self, class: &Definition) -> TextSize {
        let start = class.header.end();
        let after = self.outline.definitions.partition_point(|definition| definition.range.start() < start);
        let first = self.outline.definitions.get(after);
        let constructor = first.filter(|definition| {
            definition.kind == DefinitionKind::Constructor && definition.range.start() == start
        });
        constructor.map_or(start, |definition| definition.range.end())
    }
}

/// The columns that are added at each place of a dense text.
struct Added {
    places: Vec<(TextSize, u32)>,
    /// The columns added before each of them, and in total.
    sums: Vec<u32>,
}

impl Added {
    fn new(mut places: Vec<(TextSize, u32)>) -> Self {
        places.sort_unstable();
        let mut sums = vec![0];
        for (_, length) in &places {
            sums.push(sums[sums.len() - 1] + length);
        }
        Self { places, sums }
    }

    /// How much is added before a place.
    fn before(&self, at: TextSize) -> u32 {
        self.sums[self.places.partition_point(|(place, _)| *place < at)]
    }
}

fn initializer(definition: DefinitionId, line: u32, column: u32) -> PrintedFunction {
    PrintedFunction { definition, line, column, column_after_comment: None, is_named: true }
}

fn in_order(functions: impl Iterator<Item = PrintedFunction>) -> Vec<PrintedFunction> {
    let mut sorted: Vec<PrintedFunction> = functions.collect();
    sorted.sort_by_key(|function| (function.line, function.column));
    sorted
}

/// How much longer the nameless functions in a part of a line are if written as `function (`.
fn added_by_functions(line: &str, arrows: Arrows) -> u32 {
    match arrows {
        Arrows::Bare | Arrows::Kept => {
            line.matches("function(").count() as u32 + u32::from(line.ends_with("function"))
        }
        Arrows::Spaced | Arrows::Tight => 0,
    }
}

/// How much shorter the arrow functions in a part of a line are than with `(a) => `.
fn saved_by_arrows(line: &str, arrows: Arrows) -> u32 {
    let heads = line.match_indices(") => ");
    match arrows {
        Arrows::Spaced | Arrows::Kept => 0,
        Arrows::Tight => 2 * heads.count() as u32,
        Arrows::Bare => {
            let bare = heads.filter(|&(end, _)| {
                let before = line[..end]
                    .trim_end_matches(|char: char| char.is_alphanumeric() || char == '_' || char == '$');
                before.ends_with('(') && before.len() < end
            });
            2 * bare.count() as u32
        }
    }
}

/// The column at which the comment just before a definition ends, if there is one.
fn comment_end(text: &str, definition: &Definition, indent: u32) -> Option<u32> {
    let before = text[..usize::from(definition.range.start())].trim_end();
    if !before.ends_with("*/") {
        return None;
    }
    let comment = &before[before.rfind("/*")?..];
    let (start, last_line) = comment.rsplit_once('\n').map_or((indent, comment), |(_, last)| (0, last));
    Some(start + last_line.encode_utf16().count() as u32)
}

/// What is known about the lines of a text from how they were printed.
struct WrittenLines {
    /// For each line, how many of the lines before it are printed.
    kept_before: Vec<u32>,
    /// For each line, where its first token was printed.
    first_token: Vec<Option<LineCol>>,
    /// For each line, how many levels it is indented by.
    levels: Vec<u32>,
}

impl WrittenLines {
    fn new(text: &str, printed: &Printed) -> Self {
        let lines = lines_of(text);
        let mut first: Vec<Option<(u32, LineCol)>> = vec![None; lines.len() + 1];
        for token in &printed.tokens {
            let first = &mut first[(token.written.line as usize).min(lines.len())];
            if first.is_none_or(|(column, _)| token.written.column < column) {
                *first = Some((token.written.column, token.printed));
            }
        }
        let mut kept_before = vec![0];
        for at in 0..lines.len() {
            let is_kept = is_printed(&lines, at, |line| first[line].is_some());
            kept_before.push(kept_before[at] + u32::from(is_kept));
        }
        let indents = lines.iter().map(|line| leading(line, ' '));
        let unit = indents.filter(|spaces| *spaces > 0).min().unwrap_or(2);
        let levels = lines.iter().map(|line| match leading(line, '\t') {
            0 => leading(line, ' ') / unit,
            tabs => tabs,
        });
        let first_token = first.into_iter().map(|token| token.map(|(_, printed)| printed)).collect();
        Self { kept_before, first_token, levels: levels.chain([0]).collect() }
    }
}

/// How often a line begins with a character.
fn leading(line: &str, char: char) -> u32 {
    (line.len() - line.trim_start_matches(char).len()) as u32
}

/// Whether a line is printed: it has a token, only brackets, or a comment before a line that is printed.
fn is_printed(lines: &[&str], at: usize, has_token: impl Fn(usize) -> bool) -> bool {
    let line = lines[at].trim();
    if has_token(at) {
        return true;
    }
    if is_comment(line) {
        let mut after = (at..lines.len()).filter(|later| {
            let line = lines[*later].trim();
            !line.is_empty() && !is_comment(line)
        });
        return after.next().is_none_or(|later| has_token(later) || lines[later].trim().starts_with('}'));
    }
    !line.is_empty() && line.chars().all(|letter| "{}()[];,".contains(letter))
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") || line.starts_with('*') || line.starts_with("/*")
}
