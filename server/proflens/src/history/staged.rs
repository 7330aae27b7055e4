//! Git's index: the list of tracked files, with what git knew of each on the disk when it last looked.
//!
//! <https://git-scm.com/docs/index-format>, versions 2 to 4. What it borrows from another file (a split index) or folds
//! into folders (a sparse index) is not read, and said.

use super::refs::Id;

const HEADER: usize = 12;
/// Times, numbers of the file system, the mode and the size: ten numbers of four bytes.
const STAT: usize = 40;
/// The path of an entry ends at such a distance from its start.
const ALIGNMENT: usize = 8;

const STAGE: u16 = 0x3000;
const IS_EXTENDED: u16 = 0x4000;
const SKIPS_WORK_TREE: u16 = 0x4000;
const IS_INTENDED: u16 = 0x2000;

/// The tracked files.
#[derive(Default)]
pub(super) struct StagedFiles {
    /// In the order of their paths.
    pub(super) files: Vec<StagedFile>,
    /// The tree of all of them, where git has kept it.
    pub(super) tree: Option<Id>,
}

/// A tracked file.
pub(super) struct StagedFile {
    /// From the work tree, with `/`.
    pub(super) path: Vec<u8>,
    pub(super) mode: u32,
    pub(super) id: Id,
    pub(super) stat: Stat,
    /// Whether a merge has left several versions of it, or it is only announced.
    pub(super) is_open: bool,
    /// Whether it is tracked without being in the work tree.
    pub(super) is_absent: bool,
}

/// What a file was on the disk: numbers of 32 bits, as git cuts them off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// Seconds and nanoseconds at which its metadata changed.
    pub(super) changed: (u32, u32),
    /// The same of its content.
    pub(super) modified: (u32, u32),
    pub(super) size: u32,
}

/// Reads an index whose ids have so many bytes.
///
/// # Errors
/// Why that is not possible, as the end of a sentence.
pub(super) fn read(bytes: &[u8], hash: usize) -> Result<StagedFiles, String> {
    let cut = || "its index is damaged".to_owned();
    let body = &bytes[..bytes.len().checked_sub(hash).ok_or_else(cut)?];
    let version = number(body, 4).filter(|_| body.starts_with(b"DIRC")).ok_or_else(cut)?;
    if !(2..=4).contains(&version) {
        return Err(format!("its index has version {version}"));
    }
    let count = number(body, 8).ok_or_else(cut)?;
    let (mut staged, mut at) = (StagedFiles::default(), HEADER);
    for _ in 0..count {
        let before = staged.files.last().map_or(&[][..], |it| &it.path);
        let (file, end) = entry(body, at, version, before, hash).ok_or_else(cut)?;
        staged.files.push(file);
        at = end;
    }
    while let Some(name) = body.get(at..at + 4) {
        let size = number(body, at + 4).ok_or_else(cut)? as usize;
        let content = body.get(at + 8..).and_then(|it| it.get(..size)).ok_or_else(cut)?;
        match name {
            b"TREE" => staged.tree = whole_tree(content, hash),
            b"link" => {
                return Err("its index is split; `git update-index --no-split-index` makes it one".into());
            }
            b"sdir" => {
                return Err(
                    "its index is sparse; `git sparse-checkout reapply --no-sparse-index` makes it whole"
                        .into(),
                );
            }
            // Git writes what has to be understood in small letters.
            [first, ..] if first.is_ascii_lowercase() => {
                return Err(format!("its index has {}, which is not known", String::from_utf8_lossy(name)));
            }
            _ => {}
        }
        at += 8 + size;
    }
    Ok(staged)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// An entry, and where the next one begins.
fn entry(
    bytes: &[u8],
    start: usize,
    version: u32,
    before: &[u8],
    hash: usize,
) -> Option<(StagedFile, usize)> {
    let stat = |index: usize| number(bytes, start + 4 * index);
    let id = Id::new(bytes.get(start + STAT..)?.get(..hash)?)?;
    let mut at = start + STAT + hash;
    let mut flags = || {
        let flags = u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?);
        at += 2;
        Some(flags)
    };
    let first = flags()?;
    let more = if first & IS_EXTENDED != 0 { flags()? } else { 0 };
    let mut path = Vec::new();
    if version == 4 {
        let (dropped, after) = offset(bytes, at)?;
        path.extend_from_slice(before.get(..before.len().checked_sub(dropped)?)?);
        at = after;
    }
    let rest = bytes.get(at..)?;
    let length = rest.iter().position(|it| *it == 0)?;
    path.extend_from_slice(&rest[..length]);
    at += length;
    // At least one zero byte ends the path.
    at = if version == 4 { at + 1 } else { start + ((at - start) / ALIGNMENT + 1) * ALIGNMENT };
    let file = StagedFile {
        path,
        mode: stat(6)?,
        id,
        stat: Stat { changed: (stat(0)?, stat(1)?), modified: (stat(2)?, stat(3)?), size: stat(9)? },
        is_open: first & STAGE != 0 || more & IS_INTENDED != 0,
        is_absent: more & SKIPS_WORK_TREE != 0,
    };
    Some((file, at))
}

/// A number of any length, as packs write offsets, and where it ends.
fn offset(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = (value + 1).checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

/// The first tree of the extension: `<path> NUL <files> <folders> LF <id>`, of the root with an empty path. It has no id,
/// and the number of its files is -1, if files have changed since it was written.
fn whole_tree(content: &[u8], hash: usize) -> Option<Id> {
    let rest = content.strip_prefix(b"\0")?;
    let line = rest.iter().position(|it| *it == b'\n')?;
    if rest.starts_with(b"-") {
        return None;
    }
    Id::new(rest.get(line + 1..)?.get(..hash)?)
}
