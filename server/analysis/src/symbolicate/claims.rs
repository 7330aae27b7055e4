//! Whether a file that only may be the one that ran is that file ([`Certainty::Text`]): a package of the same name may be
//! of another version, and a bundle of the same name of another project.
//!
//! Every position of the trace must stand on the header of a function, and the names must agree; in another text some do
//! not. The functions of all files of a package speak for it together: if some do not fit, those that seem to fit may do
//! so by chance.

use std::collections::BTreeMap;

use profile::Profile;
use source::DefinitionId;

use super::by_position::{Confidence, Placement, is_name};
use super::decisions::WhichText;
use super::symbols::Symbols;
use super::text_that_ran::TextThatRan;
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
    /// What it belongs to.
    group: Group<'t>,
    /// Why its functions are unplaced if the text does not fit.
    otherwise: UnplacedReason,
    testimony: Testimony,
}

/// Files that are claimed together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group<'t> {
    /// A package by its folder: it is of one version, so that all of its files are right or none is.
    Package(&'t str),
    /// The files of a server or an extension: some may have been edited since.
    Origin(&'t str),
}

/// The texts whose file is certain, or is confirmed by the functions that ran in it. The functions of the others are
/// recorded as unplaced.
pub(super) fn confirmed<'a>(
    mut texts: Vec<TextThatRan<'a>>,
    profile: &Profile,
    files: &dyn Files,
    symbols: &mut Symbols,
) -> Vec<TextThatRan<'a>> {
    let claims: Vec<Option<Claim<'_>>> = texts.iter().map(|it| claim(profile, it, symbols, files)).collect();
    let mut groups: BTreeMap<Group<'_>, Testimony> = BTreeMap::new();
    for Claim { group, testimony, .. } in claims.iter().flatten() {
        let of_group = groups.entry(*group).or_default();
        if matches!(group, Group::Package(_)) || !testimony.is_against() {
            of_group.agree += testimony.agree;
            of_group.differ += testimony.differ;
        }
    }
    // Code outside of functions stands at the start of every text: it needs another package that agrees.
    let is_right = |(group, it): (&Group<'_>, &Testimony)| {
        matches!(group, Group::Package(_)) && it.agree > 0 && !it.is_against()
    };
    let is_any_right = groups.iter().any(is_right);
    let is_confirmed = |claim: &Claim<'_>| {
        let of_group = groups[&claim.group];
        match claim.group {
            Group::Package(_) => is_any_right && !of_group.is_against(),
            Group::Origin(_) => of_group.agree > 1 && !claim.testimony.is_against(),
        }
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
fn claim<'t>(
    profile: &'t Profile,
    text: &'t TextThatRan<'_>,
    symbols: &Symbols,
    files: &dyn Files,
) -> Option<Claim<'t>> {
    let file = text.file.as_ref()?;
    let claimed = |it: &Placement| {
        let resource = profile.functions[it.function.0 as usize].resource?;
        match symbols.resources[resource.0 as usize] {
            Located::File { certainty: Certainty::Text { otherwise }, .. } => Some((it.function, otherwise)),
            _ => None,
        }
    };
    let (function, otherwise) = text.placements.iter().find_map(claimed)?;
    let origin = || Group::Origin(origin(profile.resource(function).unwrap_or_default()));
    let group = package(file).map_or_else(origin, Group::Package);
    let mut testimony = Testimony::default();
    if text.which == WhichText::Trace && !is_text_of_file(text, files) {
        testimony.differ = 1;
    } else {
        let count = |wanted| {
            text.placements.iter().filter(|it| agrees(profile, text, it) == Some(wanted)).count() as u32
        };
        testimony = Testimony { agree: count(true), differ: count(false) };
    }
    Some(Claim { group, otherwise, testimony })
}

/// The folder of the package that a file belongs to: `/ws/node_modules/@my/core`.
fn package(file: &FilePath) -> Option<&str> {
    const FOLDER: &str = "/node_modules/";
    let path = file.as_str();
    let start = path.rfind(FOLDER)? + FOLDER.len();
    let parts = if path[start..].starts_with('@') { 2 } else { 1 };
    let end = path[start..].match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| start + at);
    Some(&path[..end])
}

/// The scheme and host of a url.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    &url[..url[host..].find('/').map_or(url.len(), |at| host + at)]
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
    let Some((id, confidence)) = it.found else {
        // Bun has code outside of functions at the position of its first call.
        let is_top_level = || it.reported.is_some_and(|it| it.definition == DefinitionId(0));
        return (is_name(name) || own.is_some() && !is_top_level()).then_some(false);
    };
    if own.is_some_and(|it| it.column.is_some()) && confidence != Confidence::Exact {
        // JavaScriptCore names the `{` of a generator, and then places in it where it goes on.
        let is_start = |it: &Placement| match it.found {
            Some((found, Confidence::Exact)) => found == id,
            Some((found, _)) => found == id && is_at_body(text, id, it),
            None => false,
        };
        let goes_on = || text.placements.iter().any(is_start);
        return if is_at_body(text, id, it) { Some(true) } else { (!goes_on()).then_some(false) };
    }
    let definition = text.text.outline.get(id);
    let is_comparable = is_name(name) && definition.name_range.is_some();
    is_comparable.then(|| source::names_agree(name, definition))
}

/// Whether a function stands at the `{` of a definition.
fn is_at_body(text: &TextThatRan<'_>, id: DefinitionId, it: &Placement) -> bool {
    let header_end = usize::from(text.text.outline.get(id).header.end());
    let at = it.reported.map(|it| usize::from(it.at));
    let between = at.and_then(|at| text.text.text.get(header_end..at));
    between.is_some_and(|it| it.trim().is_empty())
}
