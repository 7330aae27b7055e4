//! Git's trees, the folders of a commit: their entries, and all files below a tree.

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

/// The entries of a tree up to its end, or up to where it is damaged.
pub(super) fn entries(mut tree: &[u8], hash: usize) -> impl Iterator<Item = TreeEntry<'_>> {
    std::iter::from_fn(move || next_entry(&mut tree, hash))
}

/// Takes the first entry from a tree; `None` at its end, and where it is damaged. Each entry is `<mode> <name>`,
/// followed by a zero byte and the bytes of an id.
fn next_entry<'a>(tree: &mut &'a [u8], hash: usize) -> Option<TreeEntry<'a>> {
    let end = tree.iter().position(|byte| *byte == 0)?;
    let (id, rest) = tree.get(end + 1..)?.split_at_checked(hash)?;
    let space = tree[..end].iter().position(|byte| *byte == b' ')?;
    let mode = u32::from_str_radix(str::from_utf8(&tree[..space]).ok()?, 8).ok()?;
    let entry = TreeEntry { mode, name: &tree[space + 1..end], id: Id::new(id)? };
    *tree = rest;
    Some(entry)
}

/// The tree of a commit, by the text of the commit.
pub(super) fn tree_of(commit: &[u8]) -> Option<Id> {
    Id::of_hex(commit.split(|byte| *byte == b'\n').next()?.strip_prefix(b"tree ")?)
}

/// Passes the path, mode and id of each file below a tree to `take`, in the order of the index, until it returns
/// `false`; returns whether it never did. `None` if a tree is missing or damaged.
pub(super) fn all_files(
    tree: Id,
    objects: &mut Objects,
    mut take: impl FnMut(&[u8], u32, Id) -> bool,
) -> Option<bool> {
    walk(&mut Vec::new(), 0, tree, objects, &mut take)
}

fn walk(
    path: &mut Vec<u8>,
    depth: usize,
    tree: Id,
    objects: &mut Objects,
    take: &mut dyn FnMut(&[u8], u32, Id) -> bool,
) -> Option<bool> {
    let content = objects.content(ObjectKind::Tree, &tree).filter(|_| depth < MAX_DEPTH)?;
    let (above, mut rest) = (path.len(), content.as_slice());
    while !rest.is_empty() {
        let entry = next_entry(&mut rest, tree.bytes().len())?;
        path.extend_from_slice(entry.name);
        let goes_on = if entry.mode == FOLDER {
            path.push(b'/');
            walk(path, depth + 1, entry.id, objects, take)?
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

/// Old versions of git also wrote other permissions of files.
fn plain_mode(mode: u32) -> u32 {
    match mode & TYPE {
        FILE if mode & 0o100 != 0 => FILE | 0o755,
        FILE => FILE | 0o644,
        _ => mode,
    }
}
