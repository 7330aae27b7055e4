//! Where dependencies lie that count as workspace code, in a trace of another machine.
//!
//! They follow the vote of the workspace's own files: what the trace has of those tells which folder is which. A linter
//! or a compiler that was profiled has nothing but dependencies, so that these vote themselves, by their whole paths from
//! the first `node_modules` on. Hundreds of packages are at the same place in many workspaces, in other versions. Hence
//! what is found here is only a claim, [`Certainty::Text`].

use super::address::{Address, Space};
use super::folders::depends;
use super::located::{Certainty, Located, found};
use super::settings::LocateSettings;
use super::vote::{self, Relocation};
use super::workspace::Workspace;
use crate::files::below;
use crate::{FilePath, Files, UnplacedReason};

/// The files of dependencies, each of them the readings of one url. `own` are the relocations that the vote of other
/// files accepted, and `may_be_here` tells which dependencies may have a vote.
pub(super) fn locate(
    dependencies: &[&[Address]],
    own: &[Relocation<'_>],
    may_be_here: impl Fn(&[Address]) -> bool,
    files: &dyn Files,
    settings: &LocateSettings,
) -> Vec<Located> {
    let mut located: Vec<_> =
        dependencies.iter().map(|it| by_relocations(it, own.iter(), files, settings)).collect();
    let is_open = |it: &[Address]| may_be_here(it) && !lies_in(it, own);
    let missing = (0..located.len()).filter(|&it| located[it].is_none() && is_open(dependencies[it]));
    let missing: Vec<usize> = if settings.dependencies { missing.collect() } else { Vec::new() };
    if !missing.is_empty() {
        let list = files.list();
        let workspace = Workspace::of_dependencies(&list, files.folders());
        let voters: Vec<&[Address]> = missing.iter().map(|&it| dependencies[it]).collect();
        let result = vote::vote(&voters, &workspace);
        let around = || result.relocations.iter().filter(|it| is_around(it, own));
        for &number in &missing {
            located[number] = by_relocations(dependencies[number], around(), files, settings);
        }
    }
    let reason = settings.reason_without_file(true);
    located.into_iter().map(|it| it.unwrap_or(Located::Unplaced(reason))).collect()
}

/// The file by relocations, the strongest first; `None` if they have none. A package of the workspace that is linked into
/// `node_modules` is the workspace's own file.
fn by_relocations<'r, 'a: 'r>(
    addresses: &[Address],
    relocations: impl Iterator<Item = &'r Relocation<'a>>,
    files: &dyn Files,
    settings: &LocateSettings,
) -> Option<Located> {
    let mut hits = relocations.filter_map(|by| {
        let path = addresses.iter().find_map(|address| files.resolve(&FilePath::new(&by.apply(address)?)))?;
        Some((by, path))
    });
    let (by, file) = hits.next()?;
    if !hits.all(|(other, also)| also == file || by.beats(other)) {
        return Some(Located::Unplaced(UnplacedReason::Ambiguous));
    }
    let certainty = if depends(&file, files.folders()) { Certainty::Text } else { Certainty::Suffix };
    Some(found(file, certainty, files, settings))
}

/// Whether the vote of other files says where a dependency on a disk ought to be.
fn lies_in(addresses: &[Address], own: &[Relocation<'_>]) -> bool {
    let is_below = |by: &Relocation<'_>| addresses.iter().any(|it| below(&it.text, by.prefix).is_some());
    addresses[0].space == Space::Disk && own.iter().any(is_below)
}

/// Whether a folder with dependencies may belong to the program, whose own files `own` has: on a disk, `node_modules` of
/// folders around a program are its own as well.
fn is_around(of: &Relocation<'_>, own: &[Relocation<'_>]) -> bool {
    let mut alike = own.iter().filter(|it| (it.space == Space::Disk) == (of.space == Space::Disk)).peekable();
    alike.peek().is_none()
        || alike.any(|it| match of.space {
            Space::Disk => below(it.prefix, of.prefix).is_some(),
            Space::Web { .. } => it.server() == of.server(),
        })
}
