//! Which commit is checked out or has a name: `HEAD`, branches and tags, loose or packed.

use std::io::{BufRead, BufReader, Read};

use profile::problem::Problem;

use super::confined::{ConfinedFolder, about, too_large, unreadable};
use super::repository::Repository;

/// Git does not follow a longer chain of names either.
const MAX_SYMBOLIC_REFS: usize = 5;
/// Git does not write longer lists of branches and tags.
const MAX_LIST_BYTES: u64 = 256 << 20;
const MAX_LINE_BYTES: u64 = 64 << 10;
/// Git does not accept shorter abbreviations.
const MIN_DIGITS: usize = 4;

/// The name of an object: 20 bytes with SHA-1, 32 with SHA-256. The `HEAD` of a repository shows which one it uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    bytes: [u8; 32],
    length: u8,
}

impl Id {
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let length = u8::try_from(bytes.len()).ok().filter(|length| matches!(length, 20 | 32))?;
        let mut id = Self { bytes: [0; 32], length };
        id.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(id)
    }

    pub(super) fn of_hex(text: &[u8]) -> Option<Self> {
        let (pairs, rest) = text.as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs.iter().map(|&[a, b]| Some(digit(a)? << 4 | digit(b)?)).collect();
        bytes.filter(|_| rest.is_empty()).and_then(|bytes| Self::new(&bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    pub(super) fn hex(&self) -> String {
        self.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The first digits of an id.
pub(super) struct Abbreviation {
    digits: String,
    pub(super) first_byte: u8,
    /// How many bytes the id has.
    pub(super) hash: usize,
}

impl Abbreviation {
    /// `None` if these are not digits, or fewer than git accepts.
    pub(super) fn new(digits: &str, hash: usize) -> Option<Self> {
        let are_digits = digits.len() >= MIN_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = are_digits.then(|| digits.to_ascii_lowercase())?;
        let first_byte = u8::from_str_radix(&digits[..2], 16).ok()?;
        Some(Self { digits, first_byte, hash })
    }

    pub(super) fn is_of(&self, id: &Id) -> bool {
        id.bytes().len() == self.hash && id.hex().starts_with(&self.digits)
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The commit that is checked out; `None` on a branch without one.
///
/// # Errors
/// If that cannot be determined.
pub(super) fn head(repository: &Repository) -> Result<Option<Id>, Problem> {
    named(repository, "HEAD")
}

/// What a name, with its whole path, stands for: `refs/heads/main`; `None` if it does not exist.
///
/// # Errors
/// If that cannot be determined.
pub(super) fn named(repository: &Repository, name: &str) -> Result<Option<Id>, Problem> {
    Ok(follow(repository, name)?.id)
}

/// The branch that is checked out, without `refs/heads/`; `None` if it is a commit without a branch.
///
/// # Errors
/// If that cannot be determined.
pub(super) fn branch(repository: &Repository) -> Result<Option<String>, Problem> {
    Ok(follow(repository, "HEAD")?.name.strip_prefix("refs/heads/").map(str::to_owned))
}

/// A name that leads to no other, and the object that it stands for.
struct LastName {
    name: String,
    id: Option<Id>,
}

/// The last name to which a name leads.
fn follow(repository: &Repository, start: &str) -> Result<LastName, Problem> {
    let mut name = start.to_owned();
    for _ in 0..=MAX_SYMBOLIC_REFS {
        let folder = if is_own(&name) { &repository.git_dir } else { &repository.common_dir };
        let Some(content) = folder.read(&name, MAX_LINE_BYTES)? else {
            let id = packed(&repository.common_dir, &name)?;
            return Ok(LastName { name, id });
        };
        let content = content.trim_ascii_end();
        let file = folder.path().join(&name);
        let Some(next) = content.strip_prefix(b"ref:") else {
            let id = Id::of_hex(content).ok_or_else(|| about(&file, "does not name a commit"))?;
            return Ok(LastName { name, id: Some(id) });
        };
        let branch = str::from_utf8(next.trim_ascii_start()).ok().filter(|branch| is_name(branch));
        let next = branch.ok_or_else(|| about(&file, "does not name a branch"))?;
        if next == "refs/heads/.invalid" {
            return Err(Problem::new(
                "its branches are kept as a reftable",
                "`git refs migrate --ref-format=files` makes them files",
            ));
        }
        name = next.to_owned();
    }
    let what = format!("its {start} leads from name to name, of which {name} is not the last");
    Err(Problem::new(what, ""))
}

/// Whether each worktree has its own ref with this name.
fn is_own(name: &str) -> bool {
    let own = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
    name == "HEAD" || own.iter().any(|folder| name.starts_with(folder))
}

/// Whether this can be the name of a branch, and so is not a path that leads elsewhere.
fn is_name(name: &str) -> bool {
    name.starts_with("refs/")
        && !name.split('/').any(|part| matches!(part, "" | "." | ".."))
        && !name.contains(|char: char| char.is_control() || matches!(char, ':' | '\\'))
}

/// What a name stands for in the list of branches and tags that have no file of their own.
fn packed(common: &ConfinedFolder, name: &str) -> Result<Option<Id>, Problem> {
    let Some(file) = common.open("packed-refs")? else { return Ok(None) };
    let path = common.path().join("packed-refs");
    if file.metadata().is_ok_and(|metadata| metadata.len() > MAX_LIST_BYTES) {
        return Err(too_large(&path));
    }
    let mut lines = BufReader::new(file.take(MAX_LIST_BYTES));
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        match read.map_err(|error| unreadable(&path, &error))? {
            0 => return Ok(None),
            read if read as u64 == MAX_LINE_BYTES => return Err(about(&path, "is no list of branches")),
            _ => {}
        }
        // An annotated tag is followed by a line that begins with ^; the first line begins with #.
        let mut words = line.trim_ascii_end().splitn(2, |byte| *byte == b' ');
        let (id, of) = (words.next().unwrap_or_default(), words.next());
        if of == Some(name.as_bytes()) {
            let id = Id::of_hex(id);
            return id.map(Some).ok_or_else(|| about(&path, format!("does not name a commit for {name}")));
        }
    }
}
