//! Which commit is checked out or has a name: `HEAD`, branches and tags, loose or packed.

use std::io::{BufRead, BufReader, Read};

use super::confined::ConfinedFolder;
use super::repository::Repository;

/// Git does not follow more names either.
const MAX_SYMBOLIC_REFS: usize = 5;
/// Git does not write longer lists of branches and tags.
const MAX_LIST_BYTES: u64 = 256 << 20;
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The name of an object: 20 bytes by SHA-1, 32 by SHA-256. Which of them a repository uses is seen from its `HEAD`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    bytes: [u8; 32],
    length: u8,
}

impl Id {
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let length = u8::try_from(bytes.len()).ok().filter(|it| matches!(it, 20 | 32))?;
        let mut id = Self { bytes: [0; 32], length };
        id.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(id)
    }

    pub(super) fn of_hex(text: &[u8]) -> Option<Self> {
        let digit = |it: u8| char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok());
        let (pairs, rest) = text.as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs.iter().map(|&[a, b]| Some(digit(a)? << 4 | digit(b)?)).collect();
        bytes.filter(|_| rest.is_empty()).and_then(|it| Self::new(&it))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    pub(super) fn hex(&self) -> String {
        self.bytes().iter().map(|it| format!("{it:02x}")).collect()
    }
}

/// The commit that is checked out; `None` on a branch without one.
///
/// # Errors
/// Why that cannot be found out, as the end of a sentence.
pub(super) fn head(repository: &Repository) -> Result<Option<Id>, String> {
    named(repository, "HEAD")
}

/// What a name stands for, with its whole path: `refs/heads/main`; `None` if there is none.
///
/// # Errors
/// Why that cannot be found out, as the end of a sentence.
pub(super) fn named(repository: &Repository, name: &str) -> Result<Option<Id>, String> {
    follow(repository, name).map(|it| it.1)
}

/// The branch that is checked out, without `refs/heads/`; `None` if it is a commit of no branch.
///
/// # Errors
/// Why that cannot be found out, as the end of a sentence.
pub(super) fn branch(repository: &Repository) -> Result<Option<String>, String> {
    Ok(follow(repository, "HEAD")?.0.strip_prefix("refs/heads/").map(str::to_owned))
}

/// The last name to which a name leads, and the object that it stands for.
fn follow(repository: &Repository, start: &str) -> Result<(String, Option<Id>), String> {
    let mut name = start.to_owned();
    for _ in 0..=MAX_SYMBOLIC_REFS {
        let folder = if is_own(&name) { &repository.git_dir } else { &repository.common_dir };
        let place = || folder.path().join(&name);
        let Some(content) = folder.read(&name, MAX_LINE_BYTES)? else {
            let id = packed(&repository.common_dir, &name)?;
            return Ok((name, id));
        };
        let content = content.trim_ascii_end();
        let Some(next) = content.strip_prefix(b"ref:") else {
            let id = Id::of_hex(content);
            let id = id.ok_or_else(|| format!("{} does not name a commit", place().display()))?;
            return Ok((name, Some(id)));
        };
        let next = str::from_utf8(next.trim_ascii_start()).ok().filter(|it| is_name(it));
        let next = next.ok_or_else(|| format!("{} does not name a branch", place().display()))?;
        if next == "refs/heads/.invalid" {
            return Err("its branches are kept as a reftable; `git refs migrate --ref-format=files` makes \
                        them files"
                .into());
        }
        name = next.to_owned();
    }
    Err(format!("its {start} leads from name to name, of which {name} is not the last"))
}

/// Whether each worktree has its own ref of this name.
fn is_own(name: &str) -> bool {
    name == "HEAD"
        || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|it| name.starts_with(it))
}

/// Whether this can be the name of a branch, so that it is no path that leads elsewhere.
fn is_name(name: &str) -> bool {
    let is_part = |it: &str| !it.is_empty() && it != ".." && it != ".";
    let is_strange = |it: char| it.is_control() || matches!(it, ':' | '\\');
    name.starts_with("refs/") && name.split('/').all(is_part) && !name.contains(is_strange)
}

fn packed(common: &ConfinedFolder, name: &str) -> Result<Option<Id>, String> {
    let Some(file) = common.open("packed-refs")? else { return Ok(None) };
    let because = |why: &str| format!("{} {why}", common.path().join("packed-refs").display());
    if file.metadata().is_ok_and(|it| it.len() > MAX_LIST_BYTES) {
        return Err(because("is too large to be what its name says"));
    }
    let mut lines = BufReader::new(file.take(MAX_LIST_BYTES));
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        match read.map_err(|error| because(&format!("cannot be read ({error})")))? {
            0 => return Ok(None),
            read if read as u64 == MAX_LINE_BYTES => return Err(because("is no list of branches")),
            _ => {}
        }
        // After an annotated tag follows a line that begins with ^; the first line begins with #.
        let (id, of) = line
            .trim_ascii_end()
            .split_at_checked(line.iter().position(|it| *it == b' ').unwrap_or(0))
            .unwrap_or_default();
        if of.get(1..) == Some(name.as_bytes()) {
            return Id::of_hex(id)
                .map(Some)
                .ok_or_else(|| because(&format!("does not name a commit for {name}")));
        }
    }
}
