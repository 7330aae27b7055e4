//! Where the scripts of Vue, Svelte, Astro, HTML and MDX files are, and the one outline of all of them.
//!
//! Only as much of the markup is read as is needed to tell scripts from what looks like them: comments, attribute
//! values, raw text elements, templates. Each script is read alone, so that a broken one does not break the others.

use rustc_hash::FxHashMap;
use text_size::{TextRange, TextSize};

use crate::definition::{Definition, DefinitionId, Outline, OutlineError};
use crate::language::Language;
use crate::name::{Paths, own_path};
use crate::parse::without_definitions;

mod markup;
mod mdx;
mod script_type;
mod tag;

use markup::{Script, scripts};

/// The definitions of all scripts of a file; `outline` finds those of each script.
///
/// # Errors
/// If one of them needs more stack than is available.
pub(crate) fn outline_of_scripts(
    text: &str,
    language: Language,
    outline: impl Fn(&str, Language) -> Result<Outline, OutlineError>,
) -> Result<Outline, OutlineError> {
    let is_mdx = language == Language::Mdx;
    let (scripts, closed) = scripts(text, language);
    let mut merged = MergedOutline {
        outline: Outline { exact: closed, ..without_definitions(text) },
        paths: Paths::default(),
        begins: TopLevelStart::Nowhere,
    };
    for Script { range, language } in &scripts {
        let code = &text[range.clone()];
        // In MDX the braces are those of an expression. Brackets make a statement of any, also of an object and `...props`.
        let between = code.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|_| is_mdx);
        let expression = between.map(|between| format!("[{between}]"));
        match outline(expression.as_deref().unwrap_or(code), *language) {
            Ok(script) => merged.add(script, range.start),
            Err(error @ OutlineError::NeedsStack(_)) => return Err(error),
            // Too large: only the functions of this script are lost.
            Err(_) => merged.outline.exact = false,
        }
    }
    let ranges = scripts.iter().map(|script| &script.range);
    let places = ranges.map(|range| TextRange::new(size(range.start), size(range.end))).collect();
    // All of an MDX file becomes a function that draws it.
    Ok(Outline { scripts: (!is_mdx).then_some(places), ..merged.outline })
}

/// The outlines of several scripts as one.
struct MergedOutline {
    outline: Outline,
    paths: Paths,
    begins: TopLevelStart,
}

/// Where the top level begins: preferably at the first script that runs something of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TopLevelStart {
    Nowhere,
    AtDefinitions,
    AtCode,
}

impl MergedOutline {
    /// Adds the outline of the script that starts at an offset.
    fn add(&mut self, script: Outline, start: usize) {
        self.outline.exact &= script.exact;
        let mut definitions = script.definitions.into_iter();
        let Some(top) = definitions.next() else { return };
        let begins = match definitions.len() {
            _ if top.tokens > 0 => TopLevelStart::AtCode,
            0 => TopLevelStart::Nowhere,
            _ => TopLevelStart::AtDefinitions,
        };
        self.add_top_level(&moved(top, start), begins);

        let first = self.outline.definitions.len() as u32;
        // These are the paths within the script alone; twins in other scripts are not known there.
        let mut alone: FxHashMap<DefinitionId, String> = FxHashMap::default();
        for (id, definition) in (1..).map(DefinitionId).zip(definitions) {
            let parent = definition.parent.filter(|parent| parent.0 > 0);
            let around = parent.and_then(|parent| alone.get(&parent)).map_or("", String::as_str);
            let own = own_path(&definition, around).to_owned();
            let new_parent = parent.map_or(DefinitionId(0), |parent| DefinitionId(first + parent.0 - 1));
            let known = &self.outline.definitions;
            let path = self.paths.add(known, &self.outline.get(new_parent).path, "", &own);
            alone.insert(id, definition.path.clone());
            let definition = Definition { path, parent: Some(new_parent), ..definition };
            self.outline.definitions.push(moved(definition, start));
        }
    }

    /// All scripts share one top level.
    fn add_top_level(&mut self, script: &Definition, begins: TopLevelStart) {
        let top = &mut self.outline.definitions[0];
        if begins > self.begins {
            self.begins = begins;
            top.parameters_end = script.parameters_end;
            top.hint_at = script.hint_at;
        }
        if script.tokens > 0 {
            top.fingerprint = match top.tokens {
                0 => script.fingerprint,
                _ => top.fingerprint.rotate_left(5) ^ script.fingerprint,
            };
            top.tokens += script.tokens;
        }
    }
}

/// A definition of a script at its place in the file.
fn moved(definition: Definition, by: usize) -> Definition {
    let by = size(by);
    Definition {
        range: definition.range + by,
        header: definition.header + by,
        decorators_from: definition.decorators_from + by,
        defined_at: definition.defined_at + by,
        parameters_end: definition.parameters_end + by,
        hint_at: definition.hint_at + by,
        name_range: definition.name_range.map(|range| range + by),
        ..definition
    }
}

fn size(offset: usize) -> TextSize {
    // Longer texts have no outline.
    TextSize::new(offset as u32)
}
