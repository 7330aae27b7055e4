//! Gives the names and positions of a profile's functions in the source, for tools that cannot read source maps.

use profile::model::Position;
use profile::rename::NewName;
use source::definition::DefinitionKind;
use source::text::LineCol;
use text_size::TextRange;

use super::symbols::{FoundDefinition, Place, Symbols};
use crate::files::FilePath;

/// The name and position of each function in the source, by `FunctionId`; `None` if it was not placed. `resource` returns
/// the url or path to write for a file.
pub fn new_names(symbols: &Symbols, resource: impl Fn(&FilePath) -> String) -> Vec<Option<NewName>> {
    let names: Vec<NewName> = symbols
        .definitions
        .iter()
        .map(|found| NewName {
            name: name(found).to_owned(),
            resource: resource(&found.file),
            position: position(found, symbols),
            keeps_lines: found.is_as_it_ran(),
        })
        .collect();
    let names = symbols.places.iter().map(|place| match place {
        Place::At { found, .. } => Some(names[*found as usize].clone()),
        Place::Unplaced(_) => None,
    });
    names.collect()
}

/// The name as engines write it: empty for anonymous functions and the top level.
fn name(found: &FoundDefinition) -> &str {
    match &*found.name {
        "(anonymous)" | "(top level)" => "",
        name => name,
    }
}

/// A position that leads readers to the definition, however they count: that of the name if the name is in the header,
/// otherwise the start of the header.
fn position(found: &FoundDefinition, symbols: &Symbols) -> Position {
    let today = symbols.files.get(&found.file).zip(found.definition);
    let LineCol { line, column } = today.map_or(found.start, |(text, id)| {
        let definition = text.outline.get(id);
        match definition.kind {
            DefinitionKind::TopLevel => {
                let scripts = text.outline.scripts.as_deref().unwrap_or_default();
                text.line_col(scripts.first().copied().unwrap_or_default().start())
            }
            _ => {
                let name = definition.name_range.map(TextRange::start);
                let name = name.filter(|&at| definition.header.contains(at));
                text.line_col(name.unwrap_or(definition.header.start()))
            }
        }
    });
    Position { line, column: Some(column) }
}
