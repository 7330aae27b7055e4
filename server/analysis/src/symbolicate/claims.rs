//! Decides whether a file that may be the one that ran really is ([`FoundBy::Claim`]): a package with the same name may
//! be of another version, and a bundle with the same name of another project.
//!
//! Every position of the trace must be on the header of a function, and the names must agree; in another text some do not.
//! The functions of all files of a package speak for it together: if some do not fit, those that seem to may do so by chance.

use std::collections::BTreeMap;

use profile::model::Profile;
use source::definition::DefinitionId;
use source::text::text_of;

use super::decisions::WhichText;
use super::placement::Placement;
use super::statements::{Statement, statements};
use super::symbols::Symbols;
use super::text_that_ran::TextThatRan;
use crate::bars::{self, Evidence};
use crate::files::Files;
use crate::locate::{FoundBy, Located, UnplacedReason};
use crate::package::Package;

/// A file that is only claimed.
struct Claim {
    /// The package or origin that it belongs to.
    group: Group,
    /// Why its functions are unplaced if the text does not fit.
    otherwise: UnplacedReason,
    /// What its functions say.
    evidence: Evidence,
    /// Whether each function speaks against the file.
    is_against: Vec<bool>,
}

/// Files that are claimed together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// The folder of a package. A package has one version, so all of its files are right or none is.
    Package(String),
    /// The files of a server or an extension: some may have been edited since.
    Origin(String),
}

/// Returns the texts whose file is certain or is confirmed by the functions that ran in it. The functions of the other
/// texts are recorded as unplaced.
pub(super) fn confirmed<'a>(
    texts: Vec<TextThatRan<'a>>,
    profile: &Profile,
    files: &dyn Files,
    symbols: &mut Symbols,
) -> Vec<TextThatRan<'a>> {
    let claims: Vec<Option<Claim>> = texts.iter().map(|text| claim(profile, text, symbols, files)).collect();
    let groups = groups(claims.iter().flatten());
    let is_any_right = groups.iter().any(|(group, evidence)| {
        matches!(group, Group::Package(_)) && bars::PROVES_PACKAGES.is_met(*evidence)
    });
    let is_confirmed = |claim: &Claim| match claim.group {
        Group::Package(_) => is_any_right && bars::OF_VERSION.is_met(groups[&claim.group]),
        Group::Origin(_) => {
            bars::PROVES_ORIGIN.is_met(groups[&claim.group]) && bars::OF_VERSION.is_met(claim.evidence)
        }
    };
    let mut kept = Vec::new();
    for (mut text, claim) in texts.into_iter().zip(claims) {
        match claim {
            None => kept.push(text),
            Some(claim) if is_confirmed(&claim) => {
                let against =
                    text.placements.iter_mut().zip(&claim.is_against).filter(|(_, against)| **against);
                against.for_each(|(placement, _)| placement.found = None);
                kept.push(text);
            }
            Some(claim) => kept.extend(refused(text, claim.otherwise, profile, symbols)),
        }
    }
    kept
}

/// What the functions of each group say together.
fn groups<'c>(claims: impl Iterator<Item = &'c Claim>) -> BTreeMap<Group, Evidence> {
    let mut groups: BTreeMap<Group, Evidence> = BTreeMap::new();
    for Claim { group, evidence, .. } in claims {
        let of_group = groups.entry(group.clone()).or_default();
        // A file that was edited says nothing about the other files of a server.
        if matches!(group, Group::Package(_)) || bars::OF_VERSION.is_met(*evidence) {
            *of_group += *evidence;
        }
    }
    groups
}

/// What is left of a text whose file turned out to be another one: what a map in the trace may still lead to.
fn refused<'a>(
    mut text: TextThatRan<'a>,
    reason: UnplacedReason,
    profile: &Profile,
    symbols: &mut Symbols,
) -> Option<TextThatRan<'a>> {
    let functions: Vec<_> = text.placements.iter().map(|placement| placement.function).collect();
    if reason != UnplacedReason::OtherText {
        for resource in functions.iter().filter_map(|id| profile.functions[id.0 as usize].resource) {
            symbols.resources[resource.0 as usize] = Located::Unplaced(reason);
        }
        text.file = None;
    }
    if text.which == WhichText::Trace {
        return Some(TextThatRan { file: None, ..text });
    }
    symbols.without_text(text.file, functions, WhichText::None { reason, error: None });
    None
}

/// The claim of a text's file; `None` if the file is certain.
fn claim(profile: &Profile, text: &TextThatRan<'_>, symbols: &Symbols, files: &dyn Files) -> Option<Claim> {
    let file = text.file.as_ref()?;
    let (function, otherwise) = text.placements.iter().find_map(|placement| {
        let resource = profile.functions[placement.function.0 as usize].resource?;
        match symbols.resources[resource.0 as usize] {
            Located::File { found_by: FoundBy::Claim { otherwise }, .. } => {
                Some((placement.function, otherwise))
            }
            _ => None,
        }
    })?;
    let group = match Package::of(file.as_str()) {
        Some(package) => Group::Package(package.folder.to_owned()),
        None => Group::Origin(origin(profile.resource(function).unwrap_or_default()).to_owned()),
    };
    let statements = statements(profile, &text.text, &text.placements, false);
    let mut evidence = Evidence::default();
    let said = text.placements.iter().zip(statements);
    let is_against = said.map(|(placement, says)| speaks(&mut evidence, placement, says)).collect();
    if text.which == WhichText::Trace && !is_text_of_file(text, files) {
        evidence = Evidence { differ: 1, ..Evidence::default() };
    }
    Some(Claim { group, otherwise, evidence, is_against })
}

/// Counts the statement of a function, and returns whether it speaks against the file.
fn speaks(evidence: &mut Evidence, placement: &Placement, says: Statement) -> bool {
    // Bun reports code outside of functions at the position of its first call.
    let is_top_level = placement.reported.is_some_and(|it| it.definition == DefinitionId(0));
    let count = match says {
        Statement::Agrees => &mut evidence.agree,
        Statement::Differs | Statement::Inside => &mut evidence.differ,
        Statement::Absent => &mut evidence.absent,
        Statement::AbsentNameless if !is_top_level => &mut evidence.absent,
        Statement::AbsentNameless | Statement::Silent => return false,
    };
    *count += 1;
    says != Statement::Agrees
}

/// The scheme and host of a url.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    &url[..url[host..].find('/').map_or(url.len(), |at| host + at)]
}

/// Whether the text that a trace holds is the text of the file.
fn is_text_of_file(text: &TextThatRan<'_>, files: &dyn Files) -> bool {
    let bytes = text.file.as_ref().and_then(|it| files.read(it));
    bytes.is_some_and(|it| *text_of(&it) == *text.text.text)
}

#[cfg(test)]
mod tests {
    use profile::model::FunctionId;
    use source::map::ReportedFunction;
    use text_size::TextSize;

    use super::*;

    #[test]
    fn the_origin_of_a_url() {
        let origins = [
            ("http://localhost:3000/src/a.js", "http://localhost:3000"),
            ("chrome-extension://abc/a.js", "chrome-extension://abc"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("a/b.js", "a"),
            ("/a/b.js", ""),
        ];
        assert_eq!(origins.map(|(url, _)| (url, origin(url))), origins);
    }

    #[test]
    fn what_functions_say_for_and_against_a_file() {
        use Statement::{Absent, AbsentNameless, Agrees, Differs, Inside, Silent};
        let said = |says, definition| {
            let reported =
                Some(ReportedFunction { definition: DefinitionId(definition), at: TextSize::new(0) });
            let placement = Placement { function: FunctionId(0), reported, found: None };
            let mut evidence = Evidence::default();
            let is_against = speaks(&mut evidence, &placement, says);
            (says, is_against, [evidence.agree, evidence.differ, evidence.absent])
        };
        let inside = [
            (Agrees, false, [1, 0, 0]),
            (Differs, true, [0, 1, 0]),
            (Inside, true, [0, 1, 0]),
            (Absent, true, [0, 0, 1]),
            (AbsentNameless, true, [0, 0, 1]),
            (Silent, false, [0, 0, 0]),
        ];
        assert_eq!(inside.map(|(says, ..)| said(says, 1)), inside);
        assert_eq!(said(AbsentNameless, 0), (AbsentNameless, false, [0, 0, 0]), "code outside of functions");
    }
}
