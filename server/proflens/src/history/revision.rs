//! From a user's name for a commit to its id: `main`, `v1.2`, `HEAD~2`, `origin/main^`, `1a2b3c4`
//! (<https://git-scm.com/docs/gitrevisions>, without what needs the reflog or a search).

use profile::problem::Problem;

use super::object::{Object, ObjectKind};
use super::objects::Objects;
use super::refs::{self, Abbreviation, Id};
use super::repository::Repository;

/// How many tags may point to each other.
const MAX_TAGS: usize = 10;
/// Where a name may be found, in this order.
const PLACES: [&str; 4] = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/// The commit that a revision names.
///
/// # Errors
/// If it does not exist or is not understood.
pub(super) fn resolve(text: &str, repository: &Repository, objects: &mut Objects) -> Result<Id, Problem> {
    let (name, mut steps) = text.split_at(text.find(['^', '~']).unwrap_or(text.len()));
    let mut lookup = Lookup { text, objects };
    let mut commit = lookup.named(name, repository)?;
    while !steps.is_empty() {
        let (step, rest) = next_step(steps).ok_or_else(|| not_understood(text))?;
        steps = rest;
        match step {
            Step::Parent(number) => commit = lookup.parent(commit, number)?,
            Step::Back(times) => {
                for _ in 0..times {
                    commit = lookup.parent(commit, 1)?;
                }
            }
        }
    }
    Ok(commit)
}

/// A step from one commit to another.
enum Step {
    /// To one of its parents; 0 is the commit itself.
    Parent(usize),
    /// To the first parent, this many times.
    Back(usize),
}

fn next_step(steps: &str) -> Option<(Step, &str)> {
    for itself in ["^{commit}", "^{}"] {
        if let Some(rest) = steps.strip_prefix(itself) {
            return Some((Step::Parent(0), rest));
        }
    }
    let digits = steps[1..].bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = steps[1..].split_at(digits);
    let number = if number.is_empty() { 1 } else { number.parse().ok()? };
    match steps.as_bytes().first()? {
        b'^' if rest.is_empty() || rest.starts_with(['^', '~']) => Some((Step::Parent(number), rest)),
        b'~' if rest.is_empty() || rest.starts_with(['^', '~']) => Some((Step::Back(number), rest)),
        _ => None,
    }
}

fn not_understood(text: &str) -> Problem {
    that(text, "is not understood: name a commit, a branch or a tag, or go back from one, as in main~2")
}

/// The problem with a user's name for a commit.
fn that(text: &str, what: &str) -> Problem {
    Problem::new(format!("{text} {what}"), "")
}

/// A question that is being answered.
struct Lookup<'a> {
    text: &'a str,
    objects: &'a mut Objects,
}

impl Lookup<'_> {
    fn named(&mut self, name: &str, repository: &Repository) -> Result<Id, Problem> {
        if name.is_empty() || name.contains([':', '{', '}', '*', '?', '[', '\\', ' ']) || name.contains("..")
        {
            return Err(not_understood(self.text));
        }
        if let Some(id) = Id::of_hex(name.as_bytes()) {
            return self.peeled(id);
        }
        let head = refs::head(repository).map_err(|why| not_looked_up(name, &why))?;
        if matches!(name, "HEAD" | "@") {
            return head.ok_or_else(|| that(name, "names no commit yet: commit something first"));
        }
        let whole = name.starts_with("refs/").then(|| name.to_owned());
        let in_places = PLACES.iter().map(|place| format!("{place}{name}"));
        for path in whole.into_iter().chain(in_places).chain([format!("refs/remotes/{name}/HEAD")]) {
            let id = refs::named(repository, &path).map_err(|why| not_looked_up(name, &why))?;
            if let Some(id) = id {
                return self.peeled(id);
            }
        }
        // What `git describe` prints ends with an abbreviation.
        let digits = name.rsplit_once("-g").map_or(name, |(_, digits)| digits);
        let hash = head.map_or(20, |id| id.bytes().len());
        self.abbreviated(digits, hash)
    }

    /// The commit whose id begins with these digits.
    fn abbreviated(&mut self, digits: &str, hash: usize) -> Result<Id, Problem> {
        let start = Abbreviation::new(digits, hash).ok_or_else(|| self.unknown())?;
        let ids = self.objects.beginning_with(&start).map_err(|why| not_looked_up(self.text, &why))?;
        let mut commits = Vec::new();
        for id in ids {
            // A tag may have the same first digits as a commit, but then it leads to a commit, too.
            if let Some(Object { kind: ObjectKind::Commit | ObjectKind::Tag, .. }) = self.objects.get(&id) {
                commits.push(id);
            }
        }
        match commits.as_slice() {
            [] => Err(self.unknown()),
            [one] => self.peeled(*one),
            _ => {
                let several = format!("is the beginning of {} commits: give more digits", commits.len());
                Err(that(self.text, &several))
            }
        }
    }

    fn unknown(&self) -> Problem {
        let what = "is no commit, branch or tag of this clone: check its name, or fetch it with git fetch";
        that(self.text, what)
    }

    /// The commit that a tag leads to. An object that is not in the clone is taken for a commit: there may be recordings of it.
    fn peeled(&mut self, mut id: Id) -> Result<Id, Problem> {
        for _ in 0..MAX_TAGS {
            match self.objects.get(&id) {
                None | Some(Object { kind: ObjectKind::Commit, .. }) => return Ok(id),
                Some(Object { kind: ObjectKind::Tag, content }) => {
                    let line = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    let target = line.strip_prefix(b"object ").and_then(Id::of_hex);
                    id = target.ok_or_else(|| that(self.text, "is a damaged tag: fetch it again"))?;
                }
                Some(_) => break,
            }
        }
        Err(that(self.text, "does not lead to a commit: name one, or a branch or a tag"))
    }

    fn parent(&mut self, commit: Id, number: usize) -> Result<Id, Problem> {
        if number == 0 {
            return Ok(commit);
        }
        let Some(Object { kind: ObjectKind::Commit, content }) = self.objects.get(&commit) else {
            let what = "leads to commits that are not in this clone: fetch them with git fetch --unshallow";
            return Err(that(self.text, what));
        };
        let header = content.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let mut parents = header.filter_map(|line| line.strip_prefix(b"parent "));
        let parent = parents.nth(number - 1).and_then(Id::of_hex);
        parent.ok_or_else(|| that(self.text, "goes back further than the history does"))
    }
}

fn not_looked_up(name: &str, why: &Problem) -> Problem {
    that(name, &format!("cannot be looked up: {}", why.clause()))
}
