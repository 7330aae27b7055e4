//! Whether a file that only may be the one that ran is that file ([`Certainty::Text`]): a package of the same name may be
//! of another version, and a bundle of the same name of another project.
//!
//! Every position of the trace must stand on the header of a function, and the names must agree; in another text some do
//! not. The functions of all files of a package speak for it together: if some do not fit, those that seem to fit may do
//! so by chance.

use std::collections::BTreeMap;

use profile::Profile;

use super::by_position::{Confidence, Placement, is_name};
use super::decisions::WhichText;
use super::symbols::Symbols;
use super::text_that_ran::TextThatRan;
use crate::locate::known::has_node_modules;
use crate::locate::{Certainty, Located};
use crate::{FilePath, Files, UnplacedReason};

/// What the functions of one group of files say.
#[derive(Clone, Copy, Debug, Default)]
struct Testimony {
    /// Functions whose name and position are those of a definition.
    agree: u32,
    /// Functions that stand elsewhere, or under another name.
    differ: u32,
}

impl Testimony {
    /// Whether they speak against the files. An engine infers a name in a hundred that is not in the text.
    fn is_against(self) -> bool {
        self.differ * 100 > self.agree
    }
}

/// A file that is only claimed.
struct Claim<'t> {
    /// The files that are right or wrong together: the folder of the package, or the file itself.
    group: &'t str,
    /// Why its functions are unplaced if the text does not fit.
    otherwise: UnplacedReason,
}

/// The texts whose file is certain, or is confirmed by the functions that ran in it. The functions of the others are
/// recorded as unplaced.
pub(super) fn confirmed<'a>(
    mut texts: Vec<TextThatRan<'a>>,
    profile: &Profile,
    files: &dyn Files,
    symbols: &mut Symbols,
) -> Vec<TextThatRan<'a>> {
    let mut testimonies: BTreeMap<&str, Testimony> = BTreeMap::new();
    let claims: Vec<Option<Claim<'_>>> = texts.iter().map(|it| claim(profile, it, symbols)).collect();
    for (text, claim) in texts.iter().zip(&claims).filter_map(|(text, claim)| Some((text, claim.as_ref()?))) {
        let testimony = testimonies.entry(claim.group).or_default();
        if text.which == WhichText::Trace && !is_text_of_file(text, files) {
            testimony.differ += 1;
            continue;
        }
        for it in &text.placements {
            match agrees(profile, text, it) {
                Some(true) => testimony.agree += 1,
                Some(false) => testimony.differ += 1,
                None => {}
            }
        }
    }
    // Code outside of functions stands at the start of every text: it needs another package that agrees.
    let is_package = |group: &str| has_node_modules(group);
    let is_any = testimonies.iter().any(|(group, it)| is_package(group) && it.agree > 0 && !it.is_against());
    let is_confirmed = |claim: &Claim<'_>| {
        let testimony = testimonies[claim.group];
        let is_supported = if is_package(claim.group) { is_any } else { testimony.agree > 1 };
        is_supported && !testimony.is_against()
    };
    let refused: Vec<Option<UnplacedReason>> =
        claims.iter().map(|it| it.as_ref().filter(|it| !is_confirmed(it)).map(|it| it.otherwise)).collect();
    let of_claims: Vec<bool> = claims.iter().map(Option::is_some).collect();
    for ((text, reason), is_claim) in texts.iter_mut().zip(&refused).zip(of_claims) {
        if is_claim && reason.is_none() {
            let differs: Vec<bool> =
                text.placements.iter().map(|it| agrees(profile, text, it) == Some(false)).collect();
            let all = text.placements.iter_mut().zip(differs).filter(|(_, differs)| *differs);
            all.for_each(|(it, _)| it.found = None);
        }
    }
    let mut kept = Vec::new();
    for (mut text, reason) in texts.into_iter().zip(refused) {
        let Some(reason) = reason else {
            kept.push(text);
            continue;
        };
        let functions: Vec<_> = text.placements.iter().map(|it| it.function).collect();
        if reason != UnplacedReason::OtherText {
            for resource in functions.iter().filter_map(|it| profile.functions[it.0 as usize].resource) {
                symbols.resources[resource.0 as usize] = Located::Unplaced(reason);
            }
            text.file = None;
        }
        if text.which == WhichText::Trace {
            // A map that the trace holds may still lead to the sources.
            kept.push(TextThatRan { file: None, ..text });
        } else {
            symbols.without_text(text.file, functions, WhichText::None { reason, error: None });
        }
    }
    kept
}

/// The claim of a text's file; `None` if the file is certain.
fn claim<'t>(profile: &Profile, text: &'t TextThatRan<'_>, symbols: &Symbols) -> Option<Claim<'t>> {
    let file = text.file.as_ref()?;
    let otherwise = |it: &Placement| {
        let resource = profile.functions[it.function.0 as usize].resource?;
        match symbols.resources[resource.0 as usize] {
            Located::File { certainty: Certainty::Text { otherwise }, .. } => Some(otherwise),
            _ => None,
        }
    };
    let otherwise = text.placements.iter().find_map(otherwise)?;
    Some(Claim { group: package(file), otherwise })
}

/// The folder of the package that a file belongs to, `/ws/node_modules/@my/core`, or else the file.
fn package(file: &FilePath) -> &str {
    const FOLDER: &str = "/node_modules/";
    let path = file.as_str();
    let Some(start) = path.rfind(FOLDER).map(|at| at + FOLDER.len()) else { return path };
    let parts = if path[start..].starts_with('@') { 2 } else { 1 };
    let end = path[start..].match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| start + at);
    &path[..end]
}

/// Whether the text that a trace holds is that of the file.
fn is_text_of_file(text: &TextThatRan<'_>, files: &dyn Files) -> bool {
    let bytes = text.file.as_ref().and_then(|it| files.read(it));
    bytes.is_some_and(|it| *source::text_of(&it) == *text.text.text)
}

/// Whether a function stands at a definition of its name; `None` if it says nothing, as code outside of functions does. If
/// no function has a position, a name that is unique in the text is enough.
fn agrees(profile: &Profile, text: &TextThatRan<'_>, it: &Placement) -> Option<bool> {
    let position = |it: &Placement| profile.functions[it.function.0 as usize].defined_at;
    let (name, own) = (profile.name(it.function), position(it));
    if own.is_none() && text.placements.iter().any(|it| position(it).is_some()) {
        return None;
    }
    let Some((id, confidence)) = it.found else { return (own.is_some() || is_name(name)).then_some(false) };
    if own.is_some_and(|it| it.column.is_some()) && confidence != Confidence::Exact {
        return Some(false);
    }
    let definition = text.text.outline.get(id);
    let is_comparable = is_name(name) && definition.name_range.is_some();
    is_comparable.then(|| source::names_agree(name, definition))
}
