//! Finds functions of texts that a compiler made in memory without a source map: ts-jest with `sourceMap: false`, Babel without maps,
//! Vitest in its pools of contexts, webpack with its devtool `eval`.
//!
//! The positions belong to the compiled text, so the file does not have the functions there, and the compiled text is not an older
//! version of the file. Functions get the names that they were written with, and are then found as in an edited text (`anchor`).
//!
//! ```text
//! exports.run = run;                                   export function run() {
//! var __rest = function (s, e) { .. };                   return list.map((it) => it.x);
//! function run() { return list.map((it) => it.x); }    }
//!
//! __rest is nothing of the file; run is run, and the only function in it is the only one in the other
//! ```

use std::collections::BTreeSet;

use profile::model::FunctionId;
use source::definition::{DefinitionId, DefinitionKind, Outline};
use source::name::is_of_default_export;
use text_size::TextRange;

use super::by_name::has_name;
use super::placement::{Confidence, Placement};
use super::source_text::SourceText;
use crate::anchor::{Version, anchor_by};
use crate::rules::Rules;

/// What compiled a text without a source map. Those that can write one in a way of their own have a name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// jiti, which writes maps if `JITI_SOURCE_MAPS` is set.
    Jiti,
    /// Vitest in a pool of contexts; its other pools have maps.
    Vitest,
    /// Any other.
    Other,
}

/// Words that compilers write into what they make, and people do not write.
const WORDS_OF_COMPILERS: &[(&str, Compiler)] = &[
    ("jitiImport", Compiler::Jiti),
    ("__vite_ssr_", Compiler::Vitest),
    ("__esModule", Compiler::Other),
    ("__createBinding", Compiler::Other),
    ("__decorate", Compiler::Other),
    ("__awaiter", Compiler::Other),
    ("_interopRequire", Compiler::Other),
    ("_interop_require", Compiler::Other),
    ("__toCommonJS", Compiler::Other),
    ("__toESM", Compiler::Other),
    ("__spreadValues", Compiler::Other),
    ("_jsxFileName", Compiler::Other),
    ("babelHelpers", Compiler::Other),
];

/// A name for functions that a compiler wrote. No definition of a file has it.
const HELPER: &str = "(helper)";
/// How webpack begins the list of what a module exports: `__webpack_require__.d(__webpack_exports__, { run: () => (run) });`
const EXPORTS_OF_WEBPACK: &str = "__webpack_require__.d(__webpack_exports__, {";
/// What webpack puts a default export around that is a class without a name: `const __WEBPACK_DEFAULT_EXPORT__ = { default: (class {}) }.default;`
const DEFAULT_OF_WEBPACK: &str = "__WEBPACK_DEFAULT_EXPORT__.";

/// The compiler that made a text of a file, if it has words of compilers that the file does not have.
pub(super) fn compiler_of(ran: &SourceText, file: &SourceText) -> Option<Compiler> {
    let mut words = WORDS_OF_COMPILERS.iter();
    let found = words.find(|(word, _)| ran.text.contains(word) && !file.text.contains(word));
    found.map(|(_, compiler)| *compiler)
}

/// Finds the functions of a compiled text in the text of the file. Also returns those that the compiler wrote, which
/// the file does not have.
pub(super) fn place_compiled(
    ran: &SourceText,
    file: &SourceText,
    placements: &[Placement],
    rules: Rules,
) -> (Vec<Placement>, BTreeSet<FunctionId>) {
    let module = module(ran);
    let helpers = helpers(ran, file, module);
    let of_helpers: Vec<TextRange> = helpers.iter().map(|id| ran.outline.get(*id).range).collect();
    let mut outline = as_written(ran, &file.outline, module);
    // A function that the compiler wrote is not in the file, whatever its name is.
    for id in &helpers {
        let definition = &mut outline.definitions[(id.0 - module.0) as usize];
        (definition.name, definition.path) = (HELPER.to_owned(), HELPER.to_owned());
    }
    let anchors = anchor_by(rules, Version { text: &ran.text, outline: &outline }, file.version());
    let mut same: Vec<Option<DefinitionId>> = anchors.into_iter().map(|it| it.map(|(id, _)| id)).collect();
    pair_in_order(&outline, &file.outline, &mut same);
    let mut of_compiler = BTreeSet::new();
    let placed = placements.iter().map(|it| {
        let found = it.found.and_then(|(id, _)| {
            let range = ran.outline.get(id).range;
            if of_helpers.iter().any(|helper| helper.contains_range(range)) {
                of_compiler.insert(it.function);
                return None;
            }
            let same = (*same.get(id.0.checked_sub(module.0)? as usize)?)?;
            Some((same, Confidence::Order))
        });
        Placement { reported: None, found, ..*it }
    });
    let placements = placed.collect();
    (placements, of_compiler)
}

/// A compiled module with the names that its definitions have in the file.
fn as_written(ran: &SourceText, file: &Outline, module: DefinitionId) -> Outline {
    let mut outline = ran.outline.below(module);
    let is_written = |name: &str| file.definitions.iter().any(|definition| definition.name == name);
    let has_default = is_written("default");
    let around = format!("{}.", ran.outline.get(module).path);
    // The path of a default export in the compiled text.
    let mut default: Option<String> = None;
    for definition in &mut outline.definitions {
        if let Some(path) = definition.path.strip_prefix(&around).filter(|_| module != DefinitionId(0)) {
            definition.path = path.to_owned();
        }
        let inside = definition.path.strip_prefix(DEFAULT_OF_WEBPACK).map(str::to_owned);
        if let Some(path) = inside.filter(|it| it.starts_with("default")) {
            definition.name_range = definition.name_range.filter(|_| path != "default");
            definition.path = path;
        }
        if has_default && is_of_default_export(&definition.name) && !is_written(&definition.name) {
            default = Some(definition.path.clone());
            definition.name = "default".to_owned();
            definition.name_range = None;
        }
        if let Some(inside) = default.as_ref().and_then(|it| definition.path.strip_prefix(it.as_str())) {
            definition.path = format!("default{inside}");
        }
        // A printer prefers these quotes in a computed name.
        let quoted = definition.name.replace('"', "'");
        if !is_written(&definition.name) && is_written(&quoted) {
            definition.path = definition.path.replace(&definition.name, &quoted);
            definition.name = quoted;
        }
        // `run: () => run` only exports what has the name.
        let code = &ran.text[definition.range];
        if code.strip_suffix(&definition.name).is_some_and(|it| matches!(it, "() => " | "()=>")) {
            definition.name = String::new();
            definition.name_range = None;
        }
    }
    if let (Some(root), Some(top_level)) = (outline.definitions.first_mut(), file.definitions.first()) {
        root.kind = DefinitionKind::TopLevel;
        root.name.clone_from(&top_level.name);
        root.path.clone_from(&top_level.path);
    }
    outline
}

/// Pairs what is left between two siblings that were found, or before or behind all, if the same is left there on both sides: what
/// is too short to be known by its code has the place that it had, as compilers keep the order.
fn pair_in_order(ran: &Outline, file: &Outline, same: &mut [Option<DefinitionId>]) {
    let mut taken: BTreeSet<DefinitionId> = same.iter().flatten().copied().collect();
    for parent in (0..same.len() as u32).map(DefinitionId) {
        let Some(of_file) = same[parent.0 as usize] else { continue };
        let written: Vec<DefinitionId> = file.children(of_file).collect();
        let (mut left, mut behind) = (Vec::new(), 0);
        for made in ran.children(parent).map(Some).chain([None]) {
            let next = match made.map(|id| (id, same[id.0 as usize])) {
                Some((id, None)) => {
                    let own = name(ran, id);
                    let is_of_file = own.is_none() || written.iter().any(|id| name(file, *id) == own);
                    left.extend(is_of_file.then_some(id));
                    continue;
                }
                Some((_, next)) => written.iter().position(|id| Some(*id) == next),
                None => Some(written.len()),
            };
            let made = std::mem::take(&mut left);
            let Some(next) = next.filter(|next| *next >= behind) else { continue };
            let free = written[behind..next].iter().filter(|id| !taken.contains(id));
            let free: Vec<DefinitionId> = free.copied().collect();
            if made.iter().map(|id| shape(ran, *id)).eq(free.iter().map(|id| shape(file, *id))) {
                made.iter().zip(&free).for_each(|(made, id)| same[made.0 as usize] = Some(*id));
                taken.extend(free);
            }
            behind = (next + 1).min(written.len());
        }
    }
}

/// What stays of a definition when it is compiled: its kind, its name, and how many others are inside of it.
fn shape(outline: &Outline, id: DefinitionId) -> (DefinitionKind, Option<&str>, usize) {
    let end = outline.get(id).range.end();
    let inside = outline.definitions[id.0 as usize..].partition_point(|other| other.range.start() < end);
    (outline.get(id).kind, name(outline, id), inside)
}

fn name(outline: &Outline, id: DefinitionId) -> Option<&str> {
    let definition = outline.get(id);
    has_name(definition).then_some(definition.name.as_str())
}

/// The functions through which webpack exports what a module has, and those that TypeScript wrote into it, in
/// `var __rest = (this && this.__rest) || function (s, e) { .. }`. There may be two in one statement:
/// `(Object.create ? (function(o, v) { .. }) : function(o, v) { .. })`.
fn helpers(ran: &SourceText, file: &SourceText, module: DefinitionId) -> BTreeSet<DefinitionId> {
    let mut helpers = BTreeSet::new();
    let (mut end, mut is_helper) = (0, false);
    let lists = ran.text.match_indices(EXPORTS_OF_WEBPACK).map(|it| it.0);
    let lists: Vec<_> = lists.map(|at| at..at + ran.text[at..].find("});").unwrap_or(0)).collect();
    for id in ran.outline.children(module) {
        let range = ran.outline.get(id).range;
        let between = &ran.text[end..usize::from(range.start())];
        is_helper = helper_that_begins(between).is_some_and(|name| !file.text.contains(name))
            || is_helper && between.chars().all(|it| "() :".contains(it));
        let is_export = lists.iter().any(|list| list.contains(&usize::from(range.start())));
        helpers.extend((is_helper || is_export).then_some(id));
        end = usize::from(range.end());
    }
    helpers
}

/// The function that a runner put around all of a module, on its first line, as Jest does, and through which it passes what is exported;
/// else the code outside of functions.
fn module(ran: &SourceText) -> DefinitionId {
    let top_level = DefinitionId(0);
    let mut inside = ran.outline.children(top_level);
    let (Some(only), None) = (inside.next(), inside.next()) else { return top_level };
    let it = ran.outline.get(only);
    let is_on_first_line = !ran.text[..usize::from(it.header.end())].contains('\n');
    let is_passed = ran.text[it.header].contains("exports");
    let ends_text = !ran.text[usize::from(it.range.end())..].contains(char::is_alphanumeric);
    if is_on_first_line && is_passed && ends_text { only } else { top_level }
}

/// The name of the helper whose function follows this text.
fn helper_that_begins(before: &str) -> Option<&str> {
    let (name, value) = before.rsplit_once("var ")?.1.split_once(" = ")?;
    let is_kept = value.starts_with(&format!("(this && this.{name}) || ")) && !value.contains(';');
    is_kept.then_some(name)
}
