//! Finds functions of texts that a compiler made in memory without a source map: ts-jest with `sourceMap: false`, Babel without maps.
//!
//! The positions belong to the compiled text, so the file does not have the functions there, and the compiled text is not an older
//! version of the file. A function is found if both texts have the same functions in the same order, or exactly one with its name.
//!
//! ```text
//! exports.run = run;                                   export function run() {
//! var __rest = function (s, e) { .. };                   return list.map((it) => it.x);
//! function run() { return list.map((it) => it.x); }    }
//!
//! __rest is nothing of the file; run is run, and the only function in it is the only one in the other
//! ```

use std::collections::{BTreeMap, BTreeSet};

use profile::model::FunctionId;
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use text_size::TextRange;

use super::by_name::{has_name, unique_by_name};
use super::placement::{Confidence, Placement};
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

/// Whether a text was compiled from a file: it has words of compilers that the file does not have.
pub(super) fn is_compiled(ran: &SourceText, file: &SourceText) -> bool {
    WORDS_OF_COMPILERS.iter().any(|word| ran.text.contains(word) && !file.text.contains(word))
}

/// Finds the functions of a compiled text in the text of the file. Also returns those that the compiler wrote, which
/// the file does not have.
pub(super) fn place_compiled(
    ran: &SourceText,
    file: &SourceText,
    placements: &[Placement],
) -> (Vec<Placement>, BTreeSet<FunctionId>) {
    let module = module(ran);
    let helpers = helpers(ran, file, module);
    let (ran, file) = (&ran.outline, &file.outline);
    let mut in_order = BTreeMap::new();
    pair_in_order(ran, file, (module, DefinitionId(0)), &helpers, &mut in_order);
    let of_helpers: Vec<TextRange> = helpers.iter().map(|id| ran.get(*id).range).collect();
    let mut of_compiler = BTreeSet::new();
    let placed = placements.iter().map(|it| {
        let found = it.found.and_then(|(id, _)| match in_order.get(&id) {
            Some(&same) => Some((same, Confidence::Order)),
            None if of_helpers.iter().any(|helper| helper.contains_range(ran.get(id).range)) => {
                of_compiler.insert(it.function);
                None
            }
            None => Some((same_by_name(ran, id, file)?, Confidence::Name)),
        });
        Placement { reported: None, found, ..*it }
    });
    let placements = placed.collect();
    (placements, of_compiler)
}

/// The functions that TypeScript wrote into a module, as in
/// `var __rest = (this && this.__rest) || function (s, e) { .. }`. One statement may have two:
/// `(Object.create ? (function(o, v) { .. }) : function(o, v) { .. })`.
fn helpers(ran: &SourceText, file: &SourceText, module: DefinitionId) -> BTreeSet<DefinitionId> {
    let mut helpers = BTreeSet::new();
    let (mut end, mut is_helper) = (0, false);
    for id in children(&ran.outline, module) {
        let range = ran.outline.get(id).range;
        let between = &ran.text[end..usize::from(range.start())];
        is_helper = helper_that_begins(between).is_some_and(|name| !file.text.contains(name))
            || is_helper && between.chars().all(|it| "() :".contains(it));
        helpers.extend(is_helper.then_some(id));
        end = usize::from(range.end());
    }
    helpers
}

/// The function that a runner such as Jest put around a whole module, on its first line; otherwise the code outside of functions.
fn module(ran: &SourceText) -> DefinitionId {
    let top_level = DefinitionId(0);
    let mut inside = children(&ran.outline, top_level);
    let (Some(only), None) = (inside.next(), inside.next()) else { return top_level };
    let it = ran.outline.get(only);
    let is_on_first_line = !ran.text[..usize::from(it.header.end())].contains('\n');
    let ends_text = !ran.text[usize::from(it.range.end())..].contains(char::is_alphanumeric);
    if is_on_first_line && ends_text { only } else { top_level }
}

/// The name of the helper whose function follows this text.
fn helper_that_begins(before: &str) -> Option<&str> {
    let (name, value) = before.rsplit_once("var ")?.1.split_once(" = ")?;
    let is_kept = value.starts_with(&format!("(this && this.{name}) || ")) && !value.contains(';');
    is_kept.then_some(name)
}

/// Pairs what is inside two definitions, recursively, if both have the same sequence apart from helpers and named
/// functions that only the compiled one has.
fn pair_in_order(
    ran: &Outline,
    file: &Outline,
    pair: (DefinitionId, DefinitionId),
    helpers: &BTreeSet<DefinitionId>,
    pairs: &mut BTreeMap<DefinitionId, DefinitionId>,
) {
    pairs.insert(pair.0, pair.1);
    let written: Vec<DefinitionId> = children(file, pair.1).collect();
    let names: BTreeSet<&str> = written.iter().filter_map(|&it| name(file.get(it))).collect();
    let mut made: Vec<DefinitionId> = children(ran, pair.0).filter(|id| !helpers.contains(id)).collect();
    made.retain(|id| name(ran.get(*id)).is_none_or(|name| names.contains(name)));
    let mut same = made.iter().zip(&written).map(|(a, b)| (ran.get(*a), file.get(*b)));
    if made.len() == written.len() && same.all(|(a, b)| name(a) == name(b) && are_alike(a, b)) {
        made.into_iter().zip(written).for_each(|pair| pair_in_order(ran, file, pair, helpers, pairs));
    }
}

fn children(outline: &Outline, parent: DefinitionId) -> impl Iterator<Item = DefinitionId> {
    let end = outline.get(parent).range.end();
    let behind = (parent.0 + 1..).map(DefinitionId).zip(&outline.definitions[parent.0 as usize + 1..]);
    let inside = behind.take_while(move |it| it.1.range.start() < end);
    inside.filter(move |it| it.1.parent == Some(parent)).map(|it| it.0)
}

fn name(definition: &Definition) -> Option<&str> {
    has_name(definition).then_some(definition.name.as_str())
}

/// The definition of a file that a compiled definition was made from: each is the only one with its path, or with its name.
fn same_by_name(ran: &Outline, id: DefinitionId, file: &Outline) -> Option<DefinitionId> {
    let own = ran.get(id);
    let path = own.path.as_str();
    if let Some(same) = only_of_path(file, path)
        && only_of_path(ran, path) == Some(id)
        && are_alike(own, file.get(same))
    {
        return Some(same);
    }
    let is_only = unique_by_name(ran, &own.name) == Some(id);
    is_only.then(|| unique_by_name(file, &own.name)).flatten()
}

/// The only definition with a path; several are told apart by a number.
fn only_of_path(outline: &Outline, path: &str) -> Option<DefinitionId> {
    let second = format!("{path}#2");
    if outline.definitions.iter().any(|definition| definition.path == second) {
        return None;
    }
    let found = outline.definitions.iter().position(|definition| definition.path == path);
    found.map(|at| DefinitionId(at as u32))
}

/// Whether one definition may have been made from the other: a method may become a function, an accessor stays one.
fn are_alike(a: &Definition, b: &Definition) -> bool {
    use DefinitionKind::{Class, Constructor, Getter, Setter};
    let [a, b] = [a, b].map(|definition| definition.kind);
    a == b || [a, b].iter().all(|kind| !matches!(kind, Class | Constructor | Getter | Setter))
}
