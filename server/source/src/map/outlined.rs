//! A text as a map is asked about it: with its lines and its definitions.

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::text::{Encoding, LineIndex};

/// A text and its definitions, as the engine and the map count its lines.
#[derive(Clone, Copy, Debug)]
pub struct Outlined<'a> {
    /// The text, without a byte order mark.
    pub text: &'a str,
    /// Its lines, ended as engines end them.
    pub lines: &'a LineIndex,
    /// Its definitions.
    pub outline: &'a Outline,
}

impl<'a> Outlined<'a> {
    /// The functions and classes that start on a line, in order.
    pub(super) fn starting_on(self, line: u32) -> Vec<(DefinitionId, &'a Definition)> {
        let line_of =
            |it: &Definition| self.lines.line_col(self.text, it.range.start(), Encoding::Utf16).line;
        let definitions = &self.outline.definitions;
        let from = definitions.partition_point(|it| line_of(it) < line);
        let here = definitions[from..].iter().take_while(|it| line_of(it) == line);
        let here = here.enumerate().map(|(index, it)| (DefinitionId((from + index) as u32), it));
        here.filter(|it| it.1.kind != DefinitionKind::TopLevel).collect()
    }
}
