//! Whether a file that only may be the one that ran is that file: a package of the same name may be of another version
//! ([`Certainty::Text`]).
//!
//! The functions of all files of a package speak for it together. Every position of the trace must stand on the header of
//! a function, and the names must agree; in another version some do not. A package that does not fit is not placed at
//! all: functions of it that seem to fit may do so by chance.

use std::collections::BTreeMap;

use profile::{FunctionId, Profile};

use super::by_position::{Confidence, Placement, is_name};
use super::symbols::Symbols;
use super::text_that_ran::TextThatRan;
use crate::FilePath;
use crate::locate::{Certainty, Located};

/// What the functions of one group of files say.
#[derive(Clone, Copy, Debug, Default)]
struct Testimony {
    /// Functions whose name and position are those of a definition.
    agree: u32,
    /// Functions that stand elsewhere, or under another name.
    differ: u32,
}

impl Testimony {
    /// Whether the files are those that ran. An engine infers some names that are not in the text.
    fn is_against(self) -> bool {
        self.differ > self.agree / 10
    }
}

/// By text: whether its file, if it is only claimed, is the one that ran.
pub(super) fn confirmed(profile: &Profile, texts: &[TextThatRan<'_>], symbols: &Symbols) -> Vec<bool> {
    let mut groups: BTreeMap<&str, Testimony> = BTreeMap::new();
    let of_text: Vec<Option<&str>> = texts.iter().map(|it| claimed(profile, it, symbols)).collect();
    let any_position = |text: &TextThatRan<'_>| text.placements.iter().any(|it| has_position(profile, it));
    for (text, group) in texts.iter().zip(&of_text).filter_map(|(text, group)| Some((text, (*group)?))) {
        let testimony = groups.entry(group).or_default();
        let any_position = any_position(text);
        for it in text.placements.iter().filter(|it| has_position(profile, it) || !any_position) {
            match agrees(profile, text, it) {
                Some(true) => testimony.agree += 1,
                Some(false) => testimony.differ += 1,
                None => {}
            }
        }
    }
    // Code outside of functions is at the same place in every text: it needs another package that agrees.
    if std::env::var_os("ROOTS_DEBUG").is_some() {
        for (g, t) in &groups {
            eprintln!("{g} {t:?}");
        }
    }
    let is_any = groups.values().any(|it| it.agree > 0 && !it.is_against());
    of_text.iter().map(|it| it.is_none_or(|group| is_any && !groups[group].is_against())).collect()
}

/// The package of a text whose file is only claimed.
fn claimed<'t>(profile: &Profile, text: &'t TextThatRan<'_>, symbols: &Symbols) -> Option<&'t str> {
    let file = text.file.as_ref()?;
    let is_claimed = |function: FunctionId| {
        let resource = profile.functions[function.0 as usize].resource?;
        let located = &symbols.resources[resource.0 as usize];
        Some(matches!(located, Located::File { certainty: Certainty::Text, .. }))
    };
    let mut resources = text.placements.iter().filter_map(|it| is_claimed(it.function));
    resources.any(|it| it).then(|| package(file))
}

/// The folder of the package that a file belongs to: `/ws/node_modules/@my/core`.
fn package(file: &FilePath) -> &str {
    const FOLDER: &str = "/node_modules/";
    let path = file.as_str();
    let Some(start) = path.rfind(FOLDER).map(|at| at + FOLDER.len()) else { return path };
    let parts = if path[start..].starts_with('@') { 2 } else { 1 };
    let end = path[start..].match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| start + at);
    &path[..end]
}

fn has_position(profile: &Profile, it: &Placement) -> bool {
    profile.functions[it.function.0 as usize].defined_at.is_some()
}

/// Whether a function stands at a definition of its name; `None` if it says nothing, as code outside of functions does.
fn agrees(profile: &Profile, text: &TextThatRan<'_>, it: &Placement) -> Option<bool> {
    let name = profile.name(it.function);
    let position = profile.functions[it.function.0 as usize].defined_at;
    let Some((id, confidence)) = it.found else {
        return (position.is_some() || is_name(name)).then_some(false);
    };
    let definition = text.text.outline.get(id);
    let is_precise = position.is_some_and(|it| it.column.is_some());
    if is_precise && confidence != Confidence::Exact {
        return Some(false);
    }
    let is_comparable = is_name(name) && definition.name_range.is_some();
    is_comparable.then(|| source::names_agree(name, definition))
}
