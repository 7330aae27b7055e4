//! Places the functions of texts that were transformed before they ran, so that the positions in the trace belong to a
//! text that is not on disk.
//!
//! All such texts of a trace went through the same loader. It is found by aligning the functions of some of them with the
//! layouts of all known loaders (`by_order`). If none fits, because the code was rewritten for an old version of the
//! language or by an unknown program, only names are left.

use std::collections::BTreeMap;

use profile::model::{FunctionId, Profile};
use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::language::Language;
use source::large_stack::with_large_stack;
use source::loaders::{LOADERS, Layout, Loader, layouts};

use super::by_order::{Alignment, SeenFunction, align};
use super::decisions::WhichText;
use super::placement::{Confidence, Placement};
use super::source_text::SourceText;
use super::statements::Positions;
use super::text_that_ran::TextThatRan;
use crate::bars;

/// How many texts, those with the most functions, are used to find the loader.
const MAX_TEXTS_COMPARED: usize = 8;
/// How many pairs of a function of the trace and one of a layout are compared at most in one text.
const MAX_PAIRS: usize = 4_000_000;

/// Places the functions of all texts whose positions cannot be trusted.
pub(super) fn place_transformed(profile: &Profile, texts: &mut [TextThatRan<'_>]) {
    // What transformed one TypeScript file transformed the others too.
    let any = texts
        .iter()
        .any(|text| is_transformed(profile, text) && language(text) != Some(Language::JavaScript));
    let transformed = texts.iter_mut().filter(|text| {
        is_transformed(profile, text)
            || any && language(text).is_some() && text.positions == Positions::Unproven
    });
    let transformed: Vec<&mut TextThatRan<'_>> = transformed.collect();
    if transformed.is_empty() {
        return;
    }
    let scripts: Vec<Script<'_>> = transformed.iter().map(|it| Script::new(profile, it)).collect();
    // If no thread can be started, there are still the names.
    let found = with_large_stack(|| align_all(&scripts)).ok().flatten();
    drop(scripts);
    // If no loader fits, functions stay where their names put them.
    for (text, found) in transformed.into_iter().zip(found.into_iter().flatten()) {
        for it in &mut text.placements {
            // A function without a full position may still have a unique name.
            if place_of(profile, it).is_some() {
                let by_order = found.get(&it.function).map(|it| (*it, Confidence::Order));
                *it = Placement { reported: None, found: by_order, ..*it };
            }
        }
    }
}

/// Whether a loader may have transformed a text, so that its positions are not its own.
fn is_transformed(profile: &Profile, text: &TextThatRan<'_>) -> bool {
    language(text).is_some()
        && text.positions == Positions::InAnother
        && text.placements.iter().any(|it| place_of(profile, it).is_some())
}

/// The language of a text that a loader may have transformed.
fn language(text: &TextThatRan<'_>) -> Option<Language> {
    let language = Language::of_path(text.file.as_ref()?.as_str())?;
    let is_of_file = matches!(text.which, WhichText::Today | WhichText::Committed);
    (is_of_file && !language.is_markup()).then_some(language)
}

/// The line and column of a function; `None` for the code outside of all functions, or if the trace does not have both.
fn place_of(profile: &Profile, it: &Placement) -> Option<(u32, u32)> {
    let position = profile.functions[it.function.0 as usize].defined_at?;
    let is_top_level = matches!(it.found, Some((DefinitionId(0), _)));
    Some((position.line, position.column?)).filter(|_| !is_top_level)
}

/// One text and what ran in it.
struct Script<'a> {
    language: Language,
    text: &'a SourceText,
    /// In order; a function that the trace has several times appears once.
    seen: Vec<SeenFunction<'a>>,
    /// The functions of the trace, for each of `seen`.
    functions: Vec<Vec<FunctionId>>,
}

impl<'a> Script<'a> {
    fn new(profile: &'a Profile, text: &'a TextThatRan<'_>) -> Self {
        let mut functions: BTreeMap<SeenFunction<'a>, Vec<FunctionId>> = BTreeMap::new();
        for it in &text.placements {
            if let Some((line, column)) = place_of(profile, it) {
                let seen = SeenFunction { line, column, name: profile.name(it.function) };
                functions.entry(seen).or_default().push(it.function);
            }
        }
        let (seen, functions) = functions.into_iter().unzip();
        let language = language(text).unwrap_or(Language::JavaScript);
        Self { language, text: &text.text, seen, functions }
    }

    /// The cheapest alignment with one of the layouts of a loader, and that layout.
    fn align(&self, loader: &Loader) -> Option<(Alignment, Layout)> {
        let outline = &self.text.outline;
        let layouts = layouts(&self.text.text, self.language, outline, loader)
            .into_iter()
            .filter(|it| self.seen.len().saturating_mul(it.functions.len()) <= MAX_PAIRS);
        layouts
            .map(|it| (align(&self.seen, &it, &self.text.text, outline), it))
            .min_by(|a, b| a.0.cost.total_cmp(&b.0.cost))
    }

    /// The definitions that were found with certainty.
    fn found(&self, loader: &Loader) -> FxHashMap<FunctionId, DefinitionId> {
        let Some((alignment, layout)) = self.align(loader) else { return FxHashMap::default() };
        let found = self.functions.iter().zip(&alignment.found).filter_map(|(ids, found)| {
            let found = found.filter(|it| it.margin >= bars::MARGIN_OF_PLACE)?;
            Some((ids, layout.functions[found.function].definition))
        });
        found.flat_map(|(ids, definition)| ids.iter().map(move |it| (*it, definition))).collect()
    }
}

/// What was found in each text with the loader that fits best; `None` if none fits.
fn align_all(scripts: &[Script<'_>]) -> Option<Vec<FxHashMap<FunctionId, DefinitionId>>> {
    let mut compared: Vec<&Script<'_>> = scripts.iter().filter(|it| !it.seen.is_empty()).collect();
    compared.sort_by_key(|it| std::cmp::Reverse(it.seen.len()));
    compared.truncate(MAX_TEXTS_COMPARED);
    let count: usize = compared.iter().map(|it| it.seen.len()).sum();
    let costs = LOADERS.iter().filter_map(|loader| {
        let costs = compared.iter().map(|script| Some(script.align(loader)?.0.cost));
        Some((loader, costs.sum::<Option<f64>>()?))
    });
    let (loader, cost) = costs.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let fits = cost <= bars::MEAN_COST_OF_LAYOUT * count as f64;
    fits.then(|| scripts.iter().map(|it| it.found(loader)).collect())
}
