//! Finds the workspace file of each resource of a trace, by the rules of `docs/locating.md`, in their order.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::address::{self, Address, Resource, Space};
use super::build::{self, Build};
use super::chosen::Chosen;
use super::folders::{common_root_candidates, in_served_folder};
use super::located::{FoundBy, Located};
use super::locator::{Locator, depends};
use super::mapping::{self, Mapped};
use super::module::Module;
use super::packages::Packages;
use super::settings::LocateSettings;
use super::text::FileDigests;
use super::vote::{self, VotedFile};
use super::workspace::Workspace;
use super::{dependencies, installed, known};
use crate::files::{FilePath, Files};
use crate::locate::unplaced::UnplacedReason;
use crate::rules::Rule;

/// Locates the resources of one trace together; one answer per resource, in order.
pub fn locate(urls: &[&str], files: &dyn Files, settings: &LocateSettings) -> Vec<Located> {
    let resources: Vec<Resource> = urls.iter().map(|url| address::read(url)).collect();
    let locator = Locator { files, settings };
    let mut located: Vec<Option<Located>> = by_mapping(urls, &resources, locator);
    let rules = settings.rules;
    if rules.has(Rule::ServedFolder) {
        by_served_folder(&resources, &mut located, locator);
    }
    let recorded_here = rules.has(Rule::OwnPath) && by_path(&resources, &mut located, locator);
    if rules.has(Rule::Extension) {
        installed::locate(&resources, &mut located, locator);
    }
    if rules.has(Rule::BuildRoot) {
        by_build(&resources, &mut located, locator);
    }
    for (located, resource) in located.iter_mut().zip(&resources) {
        if let (None, Resource::Unplaced(reason)) = (&located, resource) {
            *located = Some(Located::Unplaced(*reason));
        }
    }
    by_vote(&resources, &mut located, recorded_here, locator);
    let finish = |((located, url), resource): ((Option<Located>, &&str), &Resource)| match located {
        Some(Located::File { file, found_by, .. }) => {
            Located::File { file, found_by, transformed: address::is_transformed(url, resource) }
        }
        unplaced => unplaced.unwrap_or(Located::Unplaced(UnplacedReason::NotInWorkspace)),
    };
    located.into_iter().zip(urls).zip(&resources).map(finish).collect()
}

/// Asks the mappings. A mapping that gives one resource a file also decides about resources that it fits but has no file for.
fn by_mapping(urls: &[&str], resources: &[Resource], locator: Locator<'_>) -> Vec<Option<Located>> {
    let mapped: Vec<Mapped> = urls
        .iter()
        .zip(resources)
        .map(|(url, resource)| locator.settings.mappings.find(url.trim(), resource, locator.files))
        .collect();
    let used: FxHashSet<usize> = mapped
        .iter()
        .filter_map(|mapped| if let Mapped::File(_, number) = mapped { Some(*number) } else { None })
        .collect();
    let answers = mapped.into_iter().zip(resources).map(|(mapped, resource)| match (mapped, resource) {
        (Mapped::File(file, _), _) => Some(locator.found(file, FoundBy::Path)),
        (Mapped::Missing(number), Resource::Absolute(addresses)) if used.contains(&number) => {
            let is_dependency = addresses.iter().any(Address::is_dependency);
            Some(Located::Unplaced(locator.reason_without_file(is_dependency)))
        }
        _ => None,
    });
    answers.collect()
}

/// Looks for paths of servers in the folders that debug configurations give for them.
fn by_served_folder(resources: &[Resource], located: &mut [Option<Located>], locator: Locator<'_>) {
    for (located, resource) in located.iter_mut().zip(resources).filter(|(located, _)| located.is_none()) {
        let Resource::Absolute(addresses) = resource else { continue };
        let file = in_served_folder(addresses, locator);
        *located = file.map(|file| locator.found(file, FoundBy::Path));
    }
}

/// Finds modules by the roots of their builds.
fn by_build(resources: &[Resource], located: &mut [Option<Located>], locator: Locator<'_>) {
    let files = locator.files;
    let mut builds: BTreeMap<&str, Vec<(usize, &Module)>> = BTreeMap::new();
    for (number, resource) in resources.iter().enumerate().filter(|(number, _)| located[*number].is_none()) {
        if let Resource::Module(module) = resource {
            builds.entry(&module.build).or_default().push((number, module));
        }
    }
    if builds.is_empty() {
        return;
    }
    let list = files.list();
    let (workspace, digests) = (Workspace::new(&list, files.folders()), FileDigests::new(files));
    let packages = Packages::new(files);
    for (name, modules) in builds {
        let candidates = packages.root(name).into_iter().chain(common_root_candidates(locator));
        let build = Build {
            modules: modules.iter().map(|(_, module)| (*module, None)).collect(),
            candidates: candidates.collect(),
            ..Build::default()
        };
        for (placed, (number, module)) in build::place(&build, &workspace, &digests).into_iter().zip(modules)
        {
            let reason = locator.reason_without_file(module.is_dependency());
            located[number] = Some(match placed {
                Chosen::Is(file) => locator.resolved(&file, FoundBy::EndOfPath, reason),
                Chosen::Ambiguous => Located::Unplaced(UnplacedReason::Ambiguous),
                Chosen::Nowhere => Located::Unplaced(reason),
            });
        }
    }
}

/// Takes paths inside the workspace as they are. Returns whether there was one: then the trace was recorded here, and all
/// other paths on the disk are other files.
fn by_path(resources: &[Resource], located: &mut [Option<Located>], locator: Locator<'_>) -> bool {
    let files = locator.files;
    let mut recorded_here = false;
    for (located, resource) in located.iter_mut().zip(resources) {
        let Resource::Absolute(addresses) = resource else { continue };
        if located.is_some() || addresses[0].space != Space::Disk {
            continue;
        }
        let inside =
            addresses.iter().filter_map(|address| mapping::spelled_inside(&address.text, files.folders()));
        let inside: Vec<FilePath> = inside.collect();
        if let Some(file) = inside.iter().find_map(|path| files.resolve(path)) {
            *located = Some(locator.found(file, FoundBy::Path));
            recorded_here = true;
        } else if let Some(path) = inside.first() {
            let reason = locator.reason_without_file(depends(path, files.folders()));
            *located = Some(Located::Unplaced(reason));
            recorded_here = true;
        } else if let Some(file) =
            addresses.iter().find_map(|it| files.resolve(&mapping::hoisted(&it.text, files.folders())?))
        {
            *located = Some(locator.found(file, FoundBy::Path));
        }
    }
    recorded_here
}

/// Locates a path relative to the workspace; `None` if there is no such file.
pub(crate) fn locate_below(path: &str, files: &dyn Files, settings: &LocateSettings) -> Option<Located> {
    let is_plain = !path.starts_with('/') && path.split('/').all(|it| !matches!(it, "" | "." | ".."));
    let below = files.folders().iter().filter(|_| is_plain);
    match Chosen::only(below.filter_map(|folder| files.resolve(&folder.join(path)))) {
        Chosen::Is(file) => Some(Locator { files, settings }.found(file, FoundBy::Path)),
        Chosen::Ambiguous => Some(Located::Unplaced(UnplacedReason::Ambiguous)),
        Chosen::Nowhere => None,
    }
}

/// The path that a resource has in the workspace, whether or not the file exists; `None` if it has none.
pub fn path_inside(url: &str, files: &dyn Files) -> Option<FilePath> {
    let Resource::Absolute(addresses) = address::read(url) else { return None };
    let mut on_disk = addresses.iter().filter(|it| it.space == Space::Disk);
    on_disk.find_map(|it| mapping::spelled_inside(&it.text, files.folders()))
}

/// Lets the remaining addresses vote. Dependencies and relative paths prove too little to vote, and follow its result.
fn by_vote(
    resources: &[Resource],
    located: &mut [Option<Located>],
    recorded_here: bool,
    locator: Locator<'_>,
) {
    let Locator { files, settings } = locator;
    let may_be_here = |addresses: &[Address]| match addresses[0].space {
        Space::Disk => !recorded_here && !known::is_installed(addresses[0].path()),
        Space::Extension => false,
        Space::Web { .. } => !known::is_package_host(&addresses[0].text[..addresses[0].root]),
    };
    let (mut voters, mut numbers, mut relative) = (Vec::new(), Vec::new(), Vec::new());
    let (mut dependencies, mut dependency_numbers) = (Vec::new(), Vec::new());
    for (number, resource) in resources.iter().enumerate().filter(|(number, _)| located[*number].is_none()) {
        match resource {
            Resource::Absolute(addresses) if addresses.iter().any(Address::is_dependency) => {
                if settings.rules.has(Rule::InstalledPackage) {
                    dependencies.push(&addresses[..]);
                    dependency_numbers.push(number);
                }
            }
            Resource::Absolute(addresses) if may_be_here(addresses) && settings.rules.has(Rule::Vote) => {
                voters.push(&addresses[..]);
                numbers.push(number);
            }
            Resource::Relative(path) if settings.rules.has(Rule::RelativePath) => {
                relative.push((number, path.as_str()));
            }
            Resource::Relative(_) | Resource::Absolute(_) | Resource::Unplaced(_) | Resource::Module(_) => {}
        }
    }
    let list = if voters.is_empty() && relative.is_empty() { [].into() } else { files.list() };
    let workspace = Workspace::new(&list, files.folders());
    let exact: FxHashSet<FilePath> = located.iter().flatten().filter_map(Located::file).cloned().collect();
    let result = vote::vote(&voters, &workspace);
    for (outcome, number) in result.outcomes.iter().zip(numbers) {
        let outcome = match outcome {
            Chosen::Is(VotedFile { file, strong, found_by }) if *strong || !exact.contains(file) => {
                locator.resolved(file, *found_by, UnplacedReason::NotInWorkspace)
            }
            Chosen::Is(_) | Chosen::Ambiguous => Located::Unplaced(UnplacedReason::Ambiguous),
            Chosen::Nowhere => Located::Unplaced(UnplacedReason::NotInWorkspace),
        };
        located[number] = Some(outcome);
    }
    let found = dependencies::locate(&dependencies, &result.relocations, may_be_here, locator);
    for (number, file) in dependency_numbers.into_iter().zip(found) {
        located[number] = Some(file);
    }
    let taken: FxHashSet<FilePath> = located.iter().flatten().filter_map(Located::file).cloned().collect();
    for (number, path) in relative {
        located[number] = Some(by_relative_path(path, &workspace, &taken, locator));
    }
}

/// Resolves a relative path against a workspace folder, but only if no other file ends like it and no other resource of
/// the trace is that file.
fn by_relative_path(
    path: &str,
    workspace: &Workspace<'_>,
    taken: &FxHashSet<FilePath>,
    locator: Locator<'_>,
) -> Located {
    let at_top = || workspace.folders.iter().find_map(|top| workspace.get(top.join(path).as_str()));
    match workspace.ending_in(&format!("/{path}")) {
        [file] if taken.contains(*file) => Located::Unplaced(UnplacedReason::Ambiguous),
        [file] if path.contains('/') || at_top() == Some(*file) => {
            locator.resolved(file, FoundBy::EndOfPath, UnplacedReason::NotInWorkspace)
        }
        [_, _, ..] => Located::Unplaced(UnplacedReason::Ambiguous),
        _ => Located::Unplaced(UnplacedReason::NotInWorkspace),
    }
}

#[cfg(test)]
mod tests;
