//! A profile's functions under the names and at the places that they have in the source, for tools that know nothing of
//! source maps.

use profile::{NewName, Position};
use source::{DefinitionKind, LineCol};
use text_size::TextRange;

use super::symbols::{Found, Place, Symbols};
use crate::FilePath;

/// By `FunctionId`: what each function is called in the source; `None` where it was not placed. `resource` is what to
/// call a file.
pub fn new_names(symbols: &Symbols, resource: impl Fn(&FilePath) -> String) -> Vec<Option<NewName>> {
    let names: Vec<NewName> = symbols
        .definitions
        .iter()
        .map(|found| NewName {
            name: name(found).to_owned(),
            resource: resource(&found.file),
            position: position(found, symbols),
            keeps_lines: found.as_it_ran,
        })
        .collect();
    let new_name = |place: &Place| match place {
        Place::At { found, .. } => Some(names[*found as usize].clone()),
        Place::Unplaced(_) => None,
    };
    symbols.places.iter().map(new_name).collect()
}

/// Engines call nothing what has no name.
fn name(found: &Found) -> &str {
    match &*found.name {
        "(anonymous)" | "(top level)" => "",
        name => name,
    }
}

/// A place that leads to the definition from wherever it is read: the name, if it stands in the header.
fn position(found: &Found, symbols: &Symbols) -> Position {
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
