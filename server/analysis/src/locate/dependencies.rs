//! Locates dependencies that count as workspace code, in a trace from another machine.
//!
//! This runs after the vote of the workspace's own files, whose result tells which folder is which. In a trace of a
//! linter or a compiler, everything is a dependency, so dependencies vote themselves, by their whole paths from the first
//! `node_modules` on. Hundreds of packages are at the same place in many workspaces, in different versions. Hence what is
//! found here is only a claim ([`FoundBy::Claim`]).

use super::address::{Address, Space};
use super::chosen::Chosen;
use super::located::{FoundBy, Located};
use super::locator::{Locator, depends};
use super::relocation::Relocation;
use super::vote;
use super::workspace::Workspace;
use crate::files::{FilePath, below};
use crate::locate::unplaced::UnplacedReason;

/// The files of dependencies; each of them is the readings of one url. `own` holds the relocations that the vote of other
/// files accepted, and `may_be_here` tells which dependencies may vote.
pub(super) fn locate(
    dependencies: &[&[Address]],
    own: &[Relocation<'_>],
    may_be_here: impl Fn(&[Address]) -> bool,
    locator: Locator<'_>,
) -> Vec<Located> {
    let Locator { files, settings } = locator;
    let mut located: Vec<_> = dependencies.iter().map(|it| by_relocations(it, own.iter(), locator)).collect();
    let missing = (0..located.len()).filter(|&it| {
        located[it].is_none() && may_be_here(dependencies[it]) && is_around(dependencies[it], own)
    });
    let missing: Vec<usize> = if settings.dependencies { missing.collect() } else { Vec::new() };
    if !missing.is_empty() {
        let list = files.list();
        let workspace = Workspace::of_dependencies(&list, files.folders());
        let voters: Vec<&[Address]> = missing.iter().map(|&it| dependencies[it]).collect();
        let result = vote::vote(&voters, &workspace);
        for (&number, outcome) in missing.iter().zip(&result.outcomes) {
            let found = by_relocations(dependencies[number], result.relocations.iter(), locator);
            located[number] = found.or_else(|| {
                let is_ambiguous = matches!(outcome, Chosen::Ambiguous)
                    && dependencies[number].iter().any(|it| copies(it, &workspace) > 1);
                is_ambiguous.then_some(Located::Unplaced(UnplacedReason::Ambiguous))
            });
        }
    }
    let reason = locator.reason_without_file(true);
    located.into_iter().map(|it| it.unwrap_or(Located::Unplaced(reason))).collect()
}

/// The file by the strongest relocation that has it; `None` if none has. A package of the workspace that is linked into
/// `node_modules` is the workspace's own file.
fn by_relocations<'r, 'a: 'r>(
    addresses: &[Address],
    relocations: impl Iterator<Item = &'r Relocation<'a>>,
    locator: Locator<'_>,
) -> Option<Located> {
    let files = locator.files;
    let mut hits = relocations.filter_map(|by| {
        let path = addresses.iter().find_map(|address| files.resolve(&FilePath::new(&by.apply(address)?)))?;
        Some((by, path))
    });
    let (by, file) = hits.next()?;
    if !hits.all(|(other, also)| also == file || by.beats(other)) {
        return Some(Located::Unplaced(UnplacedReason::Ambiguous));
    }
    let found_by = if depends(&file, files.folders()) {
        FoundBy::Claim { otherwise: UnplacedReason::OtherText }
    } else {
        FoundBy::EndOfPath
    };
    Some(locator.found(file, found_by))
}

/// How many installations in the workspace have a file with a dependency's path.
fn copies(address: &Address, workspace: &Workspace<'_>) -> usize {
    let Some(at) = address.text.find("/node_modules/") else { return 0 };
    let path = &address.text[at..];
    let folder =
        |file: &&&FilePath| !workspace.is_in_dependency(&file.as_str()[..file.as_str().len() - path.len()]);
    workspace.ending_in(path).iter().filter(folder).count()
}

/// Whether a dependency for which the vote of other files has no file may be elsewhere and still belong to the program:
/// on a disk, the `node_modules` of the folders around a program belong to it as well.
fn is_around(addresses: &[Address], own: &[Relocation<'_>]) -> bool {
    let mut alike =
        own.iter().filter(|it| (it.space == Space::Disk) == (addresses[0].space == Space::Disk)).peekable();
    let is_of = |address: &Address, own: &Relocation<'_>| match address.space {
        Space::Disk => {
            let folder = address.text.split("/node_modules/").next().unwrap_or_default();
            below(own.prefix, folder).is_some_and(|rest| !rest.is_empty())
        }
        Space::Extension | Space::Web { .. } => address.server() == own.server(),
    };
    alike.peek().is_none() || alike.any(|own| addresses.iter().any(|it| is_of(it, own)))
}
