//! A text as needed for questions to a map: with its lines and its definitions.

use text_size::TextSize;

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::text::{Encoding, LineCol, LineIndex};

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
        let definitions = &self.outline.definitions;
        let from = definitions.partition_point(|definition| self.line_of(definition) < line);
        let ids = (from as u32..).map(DefinitionId);
        let here = definitions[from..].iter().take_while(|definition| self.line_of(definition) == line);
        ids.zip(here).filter(|(_, definition)| definition.kind != DefinitionKind::TopLevel).collect()
    }

    fn line_of(self, definition: &Definition) -> u32 {
        self.line_col(definition.range.start()).line
    }

    /// The place of an offset, as engines and maps count.
    pub(super) fn line_col(self, offset: TextSize) -> LineCol {
        self.lines.line_col(self.text, offset, Encoding::Utf16)
    }
}
