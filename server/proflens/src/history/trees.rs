//! Git's trees, the folders of a commit: their entries, and all files below one.

use std::time::Instant;

use super::object::ObjectKind;
use super::objects::Objects;
use super::refs::Id;

pub(super) const TYPE: u32 = 0o170_000;
pub(super) const FILE: u32 = 0o100_000;
pub(super) const FOLDER: u32 = 0o40_000;

/// No path that a system can open has more folders.
const MAX_DEPTH: usize = 1000;

/// An entry of a tree.
pub(super) struct TreeEntry<'a> {
    pub(super) mode: u32,
    pub(super) name: &'a [u8],
    pub(super) id: Id,
}

/// The first entry of a tree and the rest of it; `None` at its end, and where it is damaged. Each entry is `<mode> <name>`,
/// followed by a zero byte and the bytes of an id.
pub(super) fn next_entry(tree: &[u8], hash: usize) -> Option<(TreeEntry<'_>, &[u8])> {
    let end = tree.iter().position(|it| *it == 0)?;
    let (id, rest) = tree.get(end + 1..)?.split_at_checked(hash)?;
    let space = tree.iter().position(|it| *it == b' ').filter(|it| *it < end)?;
    let mode = u32::from_str_radix(str::from_utf8(&tree[..space]).ok()?, 8).ok()?;
    Some((TreeEntry { mode, name: &tree[space + 1..end], id: Id::new(id)? }, rest))
}

/// The tree of a commit, by the text of the commit.
pub(super) fn tree_of(commit: &[u8]) -> Option<Id> {
    Id::of_hex(commit.split(|it| *it == b'\n').next()?.strip_prefix(b"tree ")?)
}

/// Gives the path, the mode and the id of each file below a tree to `take`, in the order of the index, until it says
/// `false`; whether it never did. `None` if a tree is missing or damaged.
pub(super) fn all_files(
    tree: Id,
    objects: &mut Objects,
    deadline: Instant,
    mut take: impl FnMut(&[u8], u32, Id) -> bool,
) -> Option<bool> {
    walk(&mut Vec::new(), 0, tree, objects, deadline, &mut take)
}

fn walk(
    path: &mut Vec<u8>,
    depth: usize,
    tree: Id,
    objects: &mut Objects,
    deadline: Instant,
    take: &mut dyn FnMut(&[u8], u32, Id) -> bool,
) -> Option<bool> {
    let content = objects.content(ObjectKind::Tree, &tree, deadline).filter(|_| depth < MAX_DEPTH)?;
    let (above, mut rest) = (path.len(), content.as_slice());
    while !rest.is_empty() {
        let (entry, after) = next_entry(rest, tree.bytes().len())?;
        rest = after;
        path.extend_from_slice(entry.name);
        let goes_on = if entry.mode == FOLDER {
            path.push(b'/');
            walk(path, depth + 1, entry.id, objects, deadline, take)?
        } else {
            take(path, plain_mode(entry.mode), entry.id)
        };
        path.truncate(above);
        if !goes_on {
            return Some(false);
        }
    }
    Some(true)
}

/// Old versions of git wrote other rights of files, too.
fn plain_mode(mode: u32) -> u32 {
    match mode & TYPE {
        FILE if mode & 0o100 != 0 => FILE | 0o755,
        FILE => FILE | 0o644,
        _ => mode,
    }
}
