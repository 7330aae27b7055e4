//! Git's index: the list of tracked files, with what git knew about each on the disk when it last looked.
//!
//! <https://git-scm.com/docs/index-format>, versions 2 to 4. An index that borrows from another file (a split index) or
//! collapses folders (a sparse index) is not read; an error says so.

use profile::problem::Problem;

use super::numbers;
use super::refs::Id;

/// Times, numbers of the file system, the mode and the size: numbers of four bytes.
const STAT: usize = 10;
/// Entries are padded to a multiple of this length.
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
    /// The tree of all of them, if git has kept it.
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

/// What a file was like on the disk: 32-bit numbers, truncated as by git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// Seconds and nanoseconds at which its metadata changed.
    pub(super) changed: (u32, u32),
    /// The same of its content.
    pub(super) modified: (u32, u32),
    pub(super) size: u32,
}

/// The part of an index that was not read yet.
struct Rest<'a> {
    bytes: &'a [u8],
    /// How many bytes an id has.
    hash: usize,
}

/// Reads an index whose ids have this many bytes, with at most `most` bytes of paths in total: in version 4 a few bytes
/// can repeat a path of any length.
///
/// # Errors
/// If it is damaged, or has a form that is not read.
pub(super) fn read(bytes: &[u8], hash: usize, most: usize) -> Result<StagedFiles, Problem> {
    let body = bytes.len().checked_sub(hash).ok_or_else(damaged)?;
    let mut rest = Rest { bytes: &bytes[..body], hash };
    let is_one = rest.bytes.split_off(..4) == Some(b"DIRC");
    let version = rest.number().filter(|_| is_one).ok_or_else(damaged)?;
    if !(2..=4).contains(&version) {
        return Err(Problem::new(format!("its index has version {version}"), ""));
    }
    let (mut staged, mut path_bytes) = (StagedFiles::default(), 0);
    for _ in 0..rest.number().ok_or_else(damaged)? {
        let before = staged.files.last().map_or(&[][..], |file| &file.path);
        let file = rest.file(version, before).ok_or_else(damaged)?;
        path_bytes += file.path.len();
        if path_bytes > most {
            return Err(damaged());
        }
        staged.files.push(file);
    }
    while let Some(name) = rest.bytes.split_off(..4) {
        let size = rest.number().ok_or_else(damaged)? as usize;
        let content = rest.bytes.split_off(..size).ok_or_else(damaged)?;
        match name {
            b"TREE" => staged.tree = whole_tree(content, hash),
            b"link" => {
                let hint = "`git update-index --no-split-index` makes it one";
                return Err(Problem::new("its index is split", hint));
            }
            b"sdir" => {
                let hint = "`git sparse-checkout reapply --no-sparse-index` makes it whole";
                return Err(Problem::new("its index is sparse", hint));
            }
            // Git writes extensions that have to be understood in lower case.
            [first, ..] if first.is_ascii_lowercase() => {
                let name = String::from_utf8_lossy(name);
                return Err(Problem::new(format!("its index has {name}, which is not known"), ""));
            }
            _ => {}
        }
    }
    Ok(staged)
}

fn damaged() -> Problem {
    Problem::new("its index is damaged", "")
}

impl Rest<'_> {
    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes.split_off(..4)?.try_into().ok()?))
    }

    fn flags(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.bytes.split_off(..2)?.try_into().ok()?))
    }

    /// The next file; `before` is the path of the previous one.
    fn file(&mut self, version: u32, before: &[u8]) -> Option<StagedFile> {
        let start = self.bytes.len();
        let mut stat = [0; STAT];
        for number in &mut stat {
            *number = self.number()?;
        }
        let id = Id::new(self.bytes.split_off(..self.hash)?)?;
        let first = self.flags()?;
        let more = if first & IS_EXTENDED != 0 { self.flags()? } else { 0 };
        let mut path = Vec::new();
        if version == 4 {
            let dropped = usize::try_from(numbers::distance(&mut self.bytes).ok()?).ok()?;
            path.extend_from_slice(before.get(..before.len().checked_sub(dropped)?)?);
        }
        let length = self.bytes.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(self.bytes.split_off(..length)?);
        // At least one zero byte ends the path.
        let zeros = if version == 4 { 1 } else { ALIGNMENT - (start - self.bytes.len()) % ALIGNMENT };
        self.bytes.split_off(..zeros)?;
        Some(StagedFile {
            path,
            mode: stat[6],
            id,
            stat: Stat { changed: (stat[0], stat[1]), modified: (stat[2], stat[3]), size: stat[9] },
            is_open: first & STAGE != 0 || more & IS_INTENDED != 0,
            is_absent: more & SKIPS_WORK_TREE != 0,
        })
    }
}

/// The first tree of the extension: `<path> NUL <files> <folders> LF <id>`, for the root with an empty path. If files
/// have changed since it was written, the number of files is -1 and there is no id.
fn whole_tree(content: &[u8], hash: usize) -> Option<Id> {
    let rest = content.strip_prefix(b"\0")?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    if rest.starts_with(b"-") {
        return None;
    }
    Id::new(rest.get(line + 1..)?.get(..hash)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry of version 4: its path is made from that of the previous one, and this.
    fn entry(path: &[u8]) -> Vec<u8> {
        [&[0; 62][..], &[0], path, &[0]].concat()
    }

    #[test]
    fn paths_that_repeat_each_other_have_an_end() {
        let entries = [entry(&[b'a'; 1000]), entry(b"b").repeat(99)].concat();
        let index = [b"DIRC\0\0\0\x04\0\0\0\x64", &entries[..], &[0; 20]].concat();
        let paths = |most: usize| read(&index, 20, most).map(|staged| staged.files.len()).ok();
        assert_eq!((paths(99_999), paths(200_000)), (None, Some(100)));
    }
}
