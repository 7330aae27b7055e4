//! Where the root of a build lies: the folder from which bundlers and maps count the names of their modules.
//!
//! Names of one build have one root. Folders around the map are the likeliest roots, and the one that has the most
//! of the modules is it. Where none of them has any, the ends of paths tell, as in the vote on a trace (`vote`).
//! Where the text of a module is known, a file that holds it is the strongest sign, and tells twins apart.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::folders::Near;
use super::known;
use super::module::{FromRoot, Module};
use super::text::{Digest, Texts};
use super::workspace::Workspace;
use crate::FilePath;
use crate::files::below;

/// So many of the strongest roots are tried on all modules.
const MOST_ROOTS: usize = 64;
/// So many of them are compared by text, on so many modules.
const MOST_READ_ROOTS: usize = 8;
const MOST_READ_MODULES: usize = 64;

/// A module, and its text if that is known.
type Known<'m> = (&'m Module, Option<Digest>);

/// Modules whose names count from one folder.
#[derive(Default)]
pub(crate) struct Build<'m> {
    pub(crate) modules: Vec<Known<'m>>,
    /// Where the root likely is.
    pub(crate) near: Vec<Near>,
    /// What was built: none of the modules is one of these.
    pub(crate) outputs: Vec<FilePath>,
    /// Whether a single name says nothing unless its file is near or holds its text, as code of others has such
    /// names too.
    pub(crate) foreign: bool,
    /// Whether only a file that holds a module's text is one: the root is known, and it is not there.
    pub(crate) rootless: bool,
}

/// Where a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    At {
        file: FilePath,
        /// Whether it is where the name says, rather than where most of the build is.
        said: bool,
    },
    Ambiguous,
    Nowhere,
}

/// A folder of the build is a folder of the workspace.
#[derive(Clone, Debug)]
struct Root {
    /// How far that folder is above the root of the build.
    climbs: usize,
    /// The path from there, `packages/app` or empty.
    named: String,
    folder: String,
    /// The rank of a near one.
    near: Option<u32>,
    /// Modules that it gives a file.
    hits: u32,
    /// Path parts that agree, over all hits.
    parts: u32,
    /// `parts`, and more for names that are rare.
    weight: u32,
    /// Modules that it ought to give a file and does not.
    misses: u32,
    /// Files that hold the text of their module, and that hold another.
    equal: u32,
    differ: u32,
}

/// Finds the files of all modules of a build, in order. Those of dependencies follow the rest.
pub(crate) fn place(build: &Build<'_>, workspace: &Workspace<'_>, texts: &Texts<'_>) -> Vec<Placed> {
    let search = Search { build, workspace, texts };
    let roots = search.roots();
    let leaders = leaders(&roots);
    build.modules.iter().map(|(module, text)| search.one(module, *text, &roots, &leaders)).collect()
}

/// The roots that win, several where nothing tells them apart.
fn leaders(roots: &[Root]) -> Vec<&Root> {
    let near = best(roots.iter().filter(|root| root.near.is_some() && root.is_likely()), |root| {
        (root.hits, root.equal, Reverse(root.near))
    });
    let far = best(roots.iter().filter(|root| root.near.is_none() && root.is_supported()), |root| {
        (root.equal, root.hits, root.parts)
    });
    let (Some(inner), Some(other)) = (near.first(), far.first()) else {
        return if near.is_empty() { far } else { near };
    };
    let has_none_of_its_texts = inner.equal == 0 && inner.differ > 0;
    let is_elsewhere = inner.equal == 0 && other.hits > 2 * inner.hits && other.hits >= 4 * other.misses;
    if has_none_of_its_texts && other.equal > 1 || is_elsewhere {
        return far;
    }
    if has_none_of_its_texts && other.equal == 1 && inner.near != Some(Near::SAID) {
        // A single file that was edited, or another project's: who knows.
        return near.into_iter().chain(far).collect();
    }
    near
}

/// All that are best by some measure.
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
    fn new(climbs: usize, named: &str, folder: &str, near: Option<u32>) -> Root {
        let (named, folder) = (named.to_owned(), folder.to_owned());
        let (hits, parts, weight, misses, equal, differ) = (0, 0, 0, 0, 0, 0);
        Root { climbs, named, folder, near, hits, parts, weight, misses, equal, differ }
    }

    /// The path that a module has, if it lies below.
    fn apply(&self, path: &FromRoot) -> Option<String> {
        if path.climbs == self.climbs {
            let rest = if self.named.is_empty() { &path.rest[..] } else { below(&path.rest, &self.named)? };
            return Some(format!("{}/{rest}", self.folder.trim_end_matches('/')));
        }
        let up = path.climbs.checked_sub(self.climbs).filter(|_| self.named.is_empty())?;
        Some(FromRoot { climbs: up, rest: path.rest.clone() }.below(&self.folder))
    }

    fn covers(&self, module: &Module) -> bool {
        module.paths.iter().any(|path| self.apply(path).is_some())
    }

    /// Whether a near one stands.
    fn is_likely(&self) -> bool {
        self.near == Some(Near::SAID) || self.equal > 0 || self.misses <= 3 * self.hits
    }

    /// Whether any other stands.
    fn is_supported(&self) -> bool {
        let is_long = self.hits > 0 && self.parts >= 2 * self.hits;
        (is_long || self.weight + 4 * self.equal >= 3) && self.misses <= self.weight + 4 * self.equal
    }
}

struct Search<'s, 'm, 'w> {
    build: &'s Build<'m>,
    workspace: &'s Workspace<'w>,
    texts: &'s Texts<'w>,
}

impl Search<'_, '_, '_> {
    /// All roots that may be, with what speaks for each.
    fn roots(&self) -> Vec<Root> {
        if self.build.rootless {
            return Vec::new();
        }
        let mut own: Vec<_> =
            self.build.modules.iter().filter(|(module, _)| !module.is_dependency()).collect();
        if own.is_empty() {
            own = self.build.modules.iter().collect();
        }
        let mut roots = self.near_roots(&own);
        let has_all = |root: &Root| root.hits as usize == own.len() && (root.equal > 0 || root.differ == 0);
        if !roots.iter().any(has_all) {
            roots.extend(self.far_roots(&own, &roots));
        }
        roots.retain(|root| root.hits > 0);
        roots.sort_by_key(|root| (Reverse((root.hits, root.near.is_some(), root.parts)), root.near));
        for root in roots.iter_mut().take(MOST_READ_ROOTS) {
            self.compare(root, &own);
        }
        if self.build.foreign {
            roots.retain(|root| root.near.is_some() || root.equal > 0 || root.parts >= 2 * root.hits);
        }
        roots
    }

    fn near_roots(&self, own: &[&Known<'_>]) -> Vec<Root> {
        let near = self.build.near.iter().map(|near| Root::new(0, "", near.folder.as_str(), Some(near.rank)));
        let mut roots: Vec<Root> = near.collect();
        for root in &mut roots {
            self.weigh(root, own, false);
        }
        // Links, and disks that do not tell cases apart, are not in the list of files.
        if roots.iter().all(|root| root.hits == 0) {
            for root in &mut roots {
                self.weigh(root, own, true);
            }
        }
        for root in roots.iter_mut().filter(|root| root.hits as usize == own.len()) {
            self.compare(root, own);
        }
        roots
    }

    /// Roots that the ends of paths speak for, besides the near ones.
    fn far_roots(&self, own: &[&Known<'_>], near: &[Root]) -> Vec<Root> {
        let mut found: FxHashMap<(usize, &str, &str), u32> = FxHashMap::default();
        for path in own.iter().flat_map(|(module, _)| &module.paths) {
            for file in self.workspace.ending_like(&format!("/{}", path.rest)).files {
                let (named, folder) = before_common_end(&path.rest, file.as_str());
                *found.entry((path.climbs, named, folder)).or_default() += 1;
            }
        }
        let is_near = |climbs: usize, named: &str, folder: &str| {
            climbs == 0 && named.is_empty() && near.iter().any(|root| root.folder == folder)
        };
        found.retain(|&(climbs, named, folder), _| !is_near(climbs, named, folder));
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable_by_key(|&(key, hits)| (Reverse(hits), key));
        found.truncate(MOST_ROOTS);
        let far = found.into_iter().map(|((climbs, named, folder), _)| {
            let mut root = Root::new(climbs, named, folder, None);
            self.weigh(&mut root, own, false);
            root
        });
        far.collect()
    }

    fn weigh(&self, root: &mut Root, own: &[&Known<'_>], on_disk: bool) {
        for (module, _) in own {
            let hit = module.paths.iter().find_map(|path| Some((path, self.find(root, path, on_disk)?)));
            if let Some((path, file)) = hit {
                let matched = path.rest.matches('/').count() - root.named.matches('/').count()
                    + usize::from(root.named.is_empty());
                let name = file.name();
                let same_name = self.workspace.ending_in(&format!("/{name}")).iter();
                let only = same_name.filter(|file| !self.build.outputs.contains(file)).count() == 1;
                root.hits += 1;
                root.parts += matched as u32;
                root.weight += matched as u32 + u32::from(!known::is_common_name(name)) + u32::from(only);
            } else if root.covers(module) {
                root.misses += 1;
            }
        }
    }

    fn compare(&self, root: &mut Root, own: &[&Known<'_>]) {
        if root.equal + root.differ > 0 {
            return;
        }
        let with_text = own.iter().filter_map(|(module, text)| Some((module, (*text)?)));
        let mut compared = 0;
        for (module, text) in with_text {
            let Some(file) = module.paths.iter().find_map(|path| self.find(root, path, false)) else {
                continue;
            };
            if self.texts.holds(&file, text) {
                root.equal += 1;
            } else {
                root.differ += 1;
            }
            compared += 1;
            if compared == MOST_READ_MODULES {
                break;
            }
        }
    }

    /// The file that a path is under a root.
    fn find(&self, root: &Root, path: &FromRoot, on_disk: bool) -> Option<FilePath> {
        let path = root.apply(path)?;
        let listed = self.workspace.get(&path).cloned();
        let file = listed.or_else(|| on_disk.then(|| self.texts.files.resolve(&FilePath::new(&path)))?)?;
        (!self.build.outputs.contains(&file)).then_some(file)
    }

    fn one(&self, module: &Module, text: Option<Digest>, roots: &[Root], leaders: &[&Root]) -> Placed {
        let mut found: Vec<(FilePath, bool)> = Vec::new();
        for root in leaders {
            let file = module.paths.iter().find_map(|path| self.find(root, path, true));
            let is_new = |file: &FilePath| found.iter().all(|(known, _)| known != file);
            if let Some(file) = file.filter(is_new) {
                found.push((file, root.near == Some(Near::SAID)));
            }
        }
        if let [(file, said)] = &found[..] {
            return Placed::At { file: file.clone(), said: *said };
        }
        if !found.is_empty() {
            return Placed::Ambiguous;
        }
        if module.is_dependency() {
            return Placed::Nowhere;
        }
        match text.map(|text| self.holding(module, text)).unwrap_or_default().as_slice() {
            [] => self.beside(module, roots, leaders),
            [file] => Placed::At { file: file.clone(), said: false },
            _ => Placed::Ambiguous,
        }
    }

    /// The files of the module's name that hold its text.
    fn holding(&self, module: &Module, text: Digest) -> Vec<FilePath> {
        let ends = module.paths.iter().map(|path| format!("/{}", path.rest));
        let named = ends.flat_map(|end| self.workspace.ending_like(&end).files.to_vec());
        let mut files: Vec<FilePath> = named.cloned().collect();
        files.sort();
        files.dedup();
        files.retain(|file| !self.build.outputs.contains(file) && self.texts.holds(file, text));
        files
    }

    /// A part of the build of which the leaders say nothing may lie elsewhere: two projects on one disk.
    fn beside(&self, module: &Module, roots: &[Root], leaders: &[&Root]) -> Placed {
        if leaders.iter().any(|leader| leader.covers(module)) {
            return Placed::Nowhere;
        }
        let apart = |root: &&Root| {
            let nested = |leader: &&Root| {
                below(&root.folder, &leader.folder).or(below(&leader.folder, &root.folder)).is_some()
            };
            root.near.is_none() && root.is_supported() && !leaders.iter().any(nested)
        };
        let others = best(roots.iter().filter(apart).filter(|root| root.covers(module)), |root| {
            (root.equal, root.hits, root.parts)
        });
        let files =
            others.iter().map(|root| module.paths.iter().find_map(|path| self.find(root, path, false)));
        let mut files: Vec<_> = files.flatten().collect();
        files.sort();
        files.dedup();
        match &files[..] {
            [file] => Placed::At { file: file.clone(), said: false },
            [] => Placed::Nowhere,
            _ => Placed::Ambiguous,
        }
    }
}

/// What stands before the longest end in common.
fn before_common_end<'a>(path: &'a str, file: &'a str) -> (&'a str, &'a str) {
    let (mut ours, mut theirs) = (path, file);
    while let Some((folder, name)) = theirs.rsplit_once('/') {
        let (above, own) = ours.rsplit_once('/').unwrap_or(("", ours));
        if ours.is_empty() || own != name {
            break;
        }
        (ours, theirs) = (above, folder);
    }
    (ours, theirs)
}
