//! Finds the root of a build: the folder that bundlers and maps count the names of their modules from.
//!
//! All names of one build have the same root. The first candidates are the folders around the map and the workspace
//! folders. The root is the one that has a file for most of the modules.
//!
//! ```text
//! the map:       /ws/app/dist/main.js.map       its sources: src/main.ts, src/api.ts, ../shared/log.ts
//! the workspace: /ws/app/src/main.ts, /ws/app/src/api.ts, /ws/shared/log.ts
//!
//! candidate      files
//! /ws/app/dist   0 of 3
//! /ws/app        3 of 3    the root
//! /ws            0 of 3
//! ```
//!
//! If the candidates do not have all modules, roots are also inferred from the ends of paths, as in the vote on a trace
//! (`vote`): `src/main.ts` of a build on another machine, and `/ws/web/src/main.ts`, suggest the root `/ws/web`. If the text
//! of a module is known, a file that holds it is the strongest evidence, and decides between files with the same name.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::chosen::Chosen;
use super::folders::RootCandidate;
use super::module::{Module, RootRelative};
use super::name_matches::NameMatches;
use super::text::{Digest, FileDigests};
use super::workspace::{Workspace, before_common_end};
use crate::bars;
use crate::files::{FilePath, below};

/// At most this many inferred roots are tried on all modules.
const MAX_ROOTS_TRIED: usize = 64;
/// At most this many roots are compared by text.
const MAX_ROOTS_READ: usize = 8;
/// At most this many modules of a root are compared by text.
const MAX_MODULES_READ: usize = 64;

/// A module, and its text if known.
type BuildModule<'m> = (&'m Module, Option<Digest>);

/// Modules whose names count from the same folder.
#[derive(Default)]
pub(crate) struct Build<'m> {
    pub(crate) modules: Vec<BuildModule<'m>>,
    /// Folders that are plausible roots.
    pub(crate) candidates: Vec<RootCandidate>,
    /// The files that the build wrote; no module is one of them.
    pub(crate) outputs: Vec<FilePath>,
    /// Whether it may be somebody else's build. Then a single name proves nothing, unless a candidate has its file or
    /// a file holds its text.
    pub(crate) is_foreign: bool,
    /// Whether the root is known but no longer exists. Then only files that hold a module's text are found.
    pub(crate) root_is_gone: bool,
}

/// The guess that a folder of the build is a folder of the workspace.
#[derive(Clone, Debug)]
struct Root {
    /// How many levels the folder of the build is above its root.
    levels_up: usize,
    /// The path from there to the folder: `packages/app`, or empty.
    named: String,
    /// The folder of the workspace.
    folder: String,
    /// The rank of a [`RootCandidate`]; `None` for an inferred root.
    rank: Option<u32>,
    matches: NameMatches,
    /// Files that hold the text of their module.
    equal: u32,
    /// Files that hold another text.
    differ: u32,
}

/// Finds the files of all modules of a build, in order. Modules of dependencies follow the rest.
pub(crate) fn place(
    build: &Build<'_>,
    workspace: &Workspace<'_>,
    digests: &FileDigests<'_>,
) -> Vec<Chosen<FilePath>> {
    let search = RootSearch { build, workspace, digests };
    let roots = search.roots();
    let leaders = leaders(&roots);
    build.modules.iter().map(|(module, text)| search.place(module, *text, &roots, &leaders)).collect()
}

/// The roots that win; several if nothing tells them apart.
fn leaders(roots: &[Root]) -> Vec<&Root> {
    let candidates = best(roots.iter().filter(|root| root.rank.is_some() && root.is_likely()), |root| {
        (root.matches.hits, root.equal, Reverse(root.rank))
    });
    let inferred = best(roots.iter().filter(|root| root.rank.is_none() && root.is_supported()), |root| {
        (root.equal, root.matches.hits, root.matches.parts)
    });
    let (Some(candidate), Some(other)) = (candidates.first(), inferred.first()) else {
        return if candidates.is_empty() { inferred } else { candidates };
    };
    let has_none_of_its_texts = candidate.equal == 0 && candidate.differ > 0;
    let is_elsewhere = candidate.equal == 0
        && other.matches.hits > bars::FILES_TO_OUTVOTE * candidate.matches.hits
        && other.matches.hits >= bars::FILES_FOR_EACH_MISS * other.matches.misses;
    if has_none_of_its_texts && other.equal >= bars::TEXTS_TO_OUTVOTE || is_elsewhere {
        return inferred;
    }
    if has_none_of_its_texts && other.equal == 1 && candidate.rank != Some(RootCandidate::STATED) {
        // The one file may have been edited here, or the other may belong to another project, so nothing decides.
        return candidates.into_iter().chain(inferred).collect();
    }
    candidates
}

/// All roots with the highest key.
fn best<'r, K: Ord>(roots: impl Iterator<Item = &'r Root>, key: impl Fn(&Root) -> K) -> Vec<&'r Root> {
    let mut best: Vec<&Root> = Vec::new();
    for root in roots {
        match best.first().map(|first| key(root).cmp(&key(first))) {
            None | Some(std::cmp::Ordering::Greater) => best = vec![root],
            Some(std::cmp::Ordering::Equal) => best.push(root),
            Some(std::cmp::Ordering::Less) => {}
        }
    }
    best
}

impl Root {
    fn new(levels_up: usize, named: &str, folder: &str, rank: Option<u32>) -> Root {
        let (named, folder) = (named.to_owned(), folder.to_owned());
        Root { levels_up, named, folder, rank, matches: NameMatches::default(), equal: 0, differ: 0 }
    }

    /// The workspace path of a module if it lies below this root.
    fn apply(&self, path: &RootRelative) -> Option<String> {
        if path.levels_up == self.levels_up {
            let rest = if self.named.is_empty() { &path.rest[..] } else { below(&path.rest, &self.named)? };
            return Some(format!("{}/{rest}", self.folder.trim_end_matches('/')));
        }
        let up = path.levels_up.checked_sub(self.levels_up).filter(|_| self.named.is_empty())?;
        Some(RootRelative { levels_up: up, rest: path.rest.clone() }.below(&self.folder))
    }

    fn covers(&self, module: &Module) -> bool {
        module.paths.iter().any(|path| self.apply(path).is_some())
    }

    /// Whether a candidate has enough evidence.
    fn is_likely(&self) -> bool {
        let NameMatches { hits, misses, .. } = self.matches;
        self.rank == Some(RootCandidate::STATED)
            || self.equal > 0
            || misses <= bars::MISSES_OF_LIKELY_ROOT * hits
    }

    /// Whether an inferred root has enough evidence.
    fn is_supported(&self) -> bool {
        let NameMatches { hits, parts, weight, misses } = self.matches;
        let is_long = hits > 0 && parts >= bars::PARTS_OF_LONG_END * hits;
        let weight = weight + bars::WEIGHT_OF_EQUAL_TEXT * self.equal;
        (is_long || weight >= bars::WEIGHT_OF_INFERRED_ROOT) && misses <= weight
    }
}

/// The search for the root of one build.
struct RootSearch<'s, 'm, 'w> {
    build: &'s Build<'m>,
    workspace: &'s Workspace<'w>,
    digests: &'s FileDigests<'w>,
}

impl RootSearch<'_, '_, '_> {
    /// All possible roots with their evidence, the strongest first.
    fn roots(&self) -> Vec<Root> {
        if self.build.root_is_gone {
            return Vec::new();
        }
        let mut own: Vec<_> =
            self.build.modules.iter().filter(|(module, _)| !module.is_dependency()).collect();
        if own.is_empty() {
            own = self.build.modules.iter().collect();
        }
        let mut roots = self.candidate_roots(&own);
        let has_all =
            |root: &Root| root.matches.hits as usize == own.len() && (root.equal > 0 || root.differ == 0);
        if !roots.iter().any(has_all) {
            roots.extend(self.inferred_roots(&own, &roots));
        }
        roots.retain(|root| root.matches.hits > 0);
        roots.sort_by_key(|root| {
            (Reverse((root.matches.hits, root.rank.is_some(), root.matches.parts)), root.rank)
        });
        for root in roots.iter_mut().take(MAX_ROOTS_READ) {
            self.compare(root, &own);
        }
        if self.build.is_foreign {
            roots.retain(|Root { rank, equal, matches, .. }| {
                rank.is_some() || *equal > 0 || matches.parts >= bars::PARTS_OF_LONG_END * matches.hits
            });
        }
        roots
    }

    /// The candidates, with their evidence.
    fn candidate_roots(&self, own: &[&BuildModule<'_>]) -> Vec<Root> {
        let candidates = self.build.candidates.iter();
        let mut roots: Vec<Root> =
            candidates.map(|it| Root::new(0, "", it.folder.as_str(), Some(it.rank))).collect();
        for root in &mut roots {
            self.weigh(root, own, false);
        }
        // The list of files has no links, and on some disks the case of names differs from it.
        if roots.iter().all(|root| root.matches.hits == 0) {
            for root in &mut roots {
                self.weigh(root, own, true);
            }
        }
        for root in roots.iter_mut().filter(|root| root.matches.hits as usize == own.len()) {
            self.compare(root, own);
        }
        roots
    }

    /// Roots inferred from the ends of paths, without the candidates.
    fn inferred_roots(&self, own: &[&BuildModule<'_>], candidates: &[Root]) -> Vec<Root> {
        let mut found: FxHashMap<(usize, &str, &str), u32> = FxHashMap::default();
        for path in own.iter().flat_map(|(module, _)| &module.paths) {
            for file in self.workspace.ending_like(&format!("/{}", path.rest)).files {
                let (named, folder) = before_common_end(&path.rest, file.as_str());
                *found.entry((path.levels_up, named, folder)).or_default() += 1;
            }
        }
        found.retain(|&(levels_up, named, folder), _| {
            levels_up > 0 || !named.is_empty() || candidates.iter().all(|root| root.folder != folder)
        });
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable_by_key(|&(key, hits)| (Reverse(hits), key));
        found.truncate(MAX_ROOTS_TRIED);
        let inferred = found.into_iter().map(|((levels_up, named, folder), _)| {
            let mut root = Root::new(levels_up, named, folder, None);
            self.weigh(&mut root, own, false);
            root
        });
        inferred.collect()
    }

    /// Counts the modules that a root has and those that it lacks.
    fn weigh(&self, root: &mut Root, own: &[&BuildModule<'_>], on_disk: bool) {
        for (module, _) in own {
            let hit = module.paths.iter().find_map(|path| Some((path, self.find(root, path, on_disk)?)));
            if let Some((path, file)) = hit {
                let matched = path.rest.matches('/').count() - root.named.matches('/').count()
                    + usize::from(root.named.is_empty());
                let name = file.name();
                let same_name = self.workspace.ending_in(&format!("/{name}")).iter();
                let only = same_name.filter(|file| !self.build.outputs.contains(file)).count() == 1;
                root.matches.add_hit(name, matched as u32, only);
            } else if root.covers(module) {
                root.matches.misses += 1;
            }
        }
    }

    /// Counts the files of a root that hold the text of their module, and those that hold another text.
    fn compare(&self, root: &mut Root, own: &[&BuildModule<'_>]) {
        if root.equal + root.differ > 0 {
            return;
        }
        let with_text = own.iter().filter_map(|(module, text)| Some((module, (*text)?)));
        let mut compared = 0;
        for (module, text) in with_text {
            let Some(file) = self.find_module(root, module, false) else { continue };
            if self.digests.holds(&file, text) {
                root.equal += 1;
            } else {
                root.differ += 1;
            }
            compared += 1;
            if compared == MAX_MODULES_READ {
                break;
            }
        }
    }

    /// The file of a path, counted from this root.
    fn find(&self, root: &Root, path: &RootRelative, on_disk: bool) -> Option<FilePath> {
        let path = root.apply(path)?;
        let listed = self.workspace.get(&path).cloned();
        let file =
            listed.or_else(|| on_disk.then(|| self.digests.files.resolve(&FilePath::new(&path)))?)?;
        (!self.build.outputs.contains(&file)).then_some(file)
    }

    /// The file of a module, counted from this root.
    fn find_module(&self, root: &Root, module: &Module, on_disk: bool) -> Option<FilePath> {
        module.paths.iter().find_map(|path| self.find(root, path, on_disk))
    }

    /// Finds a module by the leading roots, then by its text, then by another root.
    fn place(
        &self,
        module: &Module,
        text: Option<Digest>,
        roots: &[Root],
        leaders: &[&Root],
    ) -> Chosen<FilePath> {
        let by_leaders = leaders.iter().filter_map(|root| self.find_module(root, module, true));
        match Chosen::only(by_leaders) {
            Chosen::Nowhere if !module.is_dependency() => {}
            placed => return placed,
        }
        let by_text = text.into_iter().flat_map(|text| self.files_with_text(module, text));
        match Chosen::only(by_text) {
            Chosen::Nowhere => self.place_by_other_root(module, roots, leaders),
            placed => placed,
        }
    }

    /// The files with the module's name that hold its text.
    fn files_with_text(&self, module: &Module, text: Digest) -> impl Iterator<Item = FilePath> {
        let ends = module.paths.iter().map(|path| format!("/{}", path.rest));
        let named = ends.flat_map(|end| self.workspace.ending_like(&end).files.to_vec());
        named
            .filter(move |file| !self.build.outputs.contains(file) && self.digests.holds(file, text))
            .cloned()
    }

    /// Finds a module that no leader covers: one build may consist of two projects on one disk.
    fn place_by_other_root(&self, module: &Module, roots: &[Root], leaders: &[&Root]) -> Chosen<FilePath> {
        if leaders.iter().any(|leader| leader.covers(module)) {
            return Chosen::Nowhere;
        }
        let apart = roots.iter().filter(|root| {
            let is_nested = leaders.iter().any(|leader| {
                below(&root.folder, &leader.folder).or(below(&leader.folder, &root.folder)).is_some()
            });
            root.rank.is_none() && root.is_supported() && !is_nested
        });
        let others = best(apart.filter(|root| root.covers(module)), |root| {
            (root.equal, root.matches.hits, root.matches.parts)
        });
        Chosen::only(others.iter().filter_map(|root| self.find_module(root, module, false)))
    }
}
