//! Texts that a compiler made of a file in memory and left no source map for: ts-jest with `sourceMap: false`, Babel without maps.
//!
//! The positions are those of such a text, so the file does not have the functions there, nor is the text an older version of it.
//! Only what both have once and call the same is found.

use source::{Definition, DefinitionId, DefinitionKind, Outline};

use super::by_position::{Confidence, Placement, unique_by_name};
use super::source_text::SourceText;

/// Words that compilers write into what they make, and people do not write.
const WORDS_OF_COMPILERS: &[&str] = &[
    "__esModule",
    "__createBinding",
    "__decorate",
    "__awaiter",
    "_interopRequire",
    "_interop_require",
    "__toCommonJS",
    "__toESM",
    "__spreadValues",
    "_jsxFileName",
    "babelHelpers",
];

/// Whether a compiler made a text of a file: it has words of compilers that the file does not have.
pub(super) fn is_compiled(ran: &SourceText, file: &SourceText) -> bool {
    WORDS_OF_COMPILERS.iter().any(|word| ran.text.contains(word) && !file.text.contains(word))
}

/// Finds the functions of a compiled text in the text of the file.
pub(super) fn place_compiled(
    ran: &SourceText,
    file: &SourceText,
    placements: &[Placement],
) -> Vec<Placement> {
    let place = |it: &Placement| {
        let found = it.found.and_then(|(id, _)| same_in_file(&ran.outline, id, &file.outline));
        Placement { reported: None, found: found.map(|it| (it, Confidence::Name)), ..*it }
    };
    placements.iter().map(place).collect()
}

/// The definition of a file that a compiled one was made of: each is the only one of its path, or of its name.
fn same_in_file(ran: &Outline, id: DefinitionId, file: &Outline) -> Option<DefinitionId> {
    let own = ran.get(id);
    if own.kind == DefinitionKind::TopLevel {
        return Some(id);
    }
    let path = own.path.as_str();
    let by_path = || {
        let same = only_of_path(file, path)?;
        (only_of_path(ran, path) == Some(id) && are_alike(own, file.get(same))).then_some(same)
    };
    by_path().or_else(|| {
        let is_only = unique_by_name(ran, &own.name) == Some(id);
        is_only.then(|| unique_by_name(file, &own.name)).flatten()
    })
}

/// The only definition of a path; several are told apart by a number.
fn only_of_path(outline: &Outline, path: &str) -> Option<DefinitionId> {
    let position = |path: &str| outline.definitions.iter().position(|it| it.path == path);
    let found = position(path)?;
    let is_only = outline.unread.is_empty() && position(&format!("{path}#2")).is_none();
    is_only.then_some(DefinitionId(found as u32))
}

/// Whether one may have been made of the other: a method may become a function, an accessor stays one.
fn are_alike(a: &Definition, b: &Definition) -> bool {
    use DefinitionKind::{Class, Constructor, Getter, Setter};
    let own =
        |it: &Definition| Some(it.kind).filter(|it| matches!(it, Class | Constructor | Getter | Setter));
    own(a) == own(b)
}
