//! Which files are traces, by the setting `proflens.traces`.
//!
//! The author of a folder must not decide what is read outside of it: anything found by a relative pattern or a glob must be
//! inside once links are resolved. An absolute path without wildcards is the user's own choice and is read wherever it leads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use analysis::files::{FilePath, Files};
use globset::GlobSet;
use profile::problem::Problem;
use record::destination::is_of_other_version;

use super::globs::{WILD, glob_set, in_folder, is_match};
use super::walk::walk_at_most;
use super::workspace::Disk;
use crate::open::{Stamp, stamp};

/// The most files and folders that are visited for a glob that leads out of the workspace.
const MAX_OUTSIDE: usize = 100_000;

/// A file whose name makes it a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundTrace {
    /// Its path.
    pub path: PathBuf,
    /// Its time and size.
    pub stamp: Stamp,
    /// Whether the settings name this file itself, not just a glob that matches it.
    pub named: bool,
}

/// The traces that were found.
#[derive(Default)]
pub(crate) struct FoundTraces {
    /// The newest first.
    pub traces: Vec<FoundTrace>,
    /// Globs that were not searched completely.
    pub problems: Vec<Problem>,
}

/// The globs and paths of `proflens.traces`.
#[derive(Default)]
pub(crate) struct TracePatterns {
    each: Vec<Pattern>,
    texts: HashSet<String>,
    globs: Option<GlobSet>,
}

struct Pattern {
    text: String,
    globs: Option<GlobSet>,
    is_absolute: bool,
    is_wild: bool,
}

impl TracePatterns {
    /// Compiles the setting; a pattern that is not a glob names one path.
    pub(crate) fn new(patterns: &[String]) -> Self {
        let each: Vec<_> = patterns.iter().map(|pattern| Pattern::new(in_folder(pattern))).collect();
        let texts: HashSet<_> = each.iter().flat_map(Pattern::texts).collect();
        Self { globs: glob_set(&texts), texts, each }
    }

    /// Whether a file is a trace, judging by its path, or by the path `relative` to its workspace folder.
    pub(crate) fn has(&self, file: &str, relative: Option<&str>) -> bool {
        let mut names = relative.into_iter().chain([file]);
        !is_unfinished(file) && names.any(|name| self.texts.contains(name) || is_match(&self.globs, name))
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        let mut pattern = Self {
            text: text.to_owned(),
            globs: None,
            is_absolute: Path::new(text).is_absolute(),
            is_wild: text.contains(WILD),
        };
        pattern.globs = glob_set(pattern.texts());
        pattern
    }

    /// The pattern itself, and with `.gz` after it.
    fn texts(&self) -> impl Iterator<Item = String> {
        let has_gz = self.text.ends_with('*') || self.text.ends_with(".gz");
        std::iter::once(self.text.clone()).chain((!has_gz).then(|| format!("{}.gz", self.text)))
    }

    fn matches(&self, path: &str) -> bool {
        is_match(&self.globs, path)
    }

    /// The folder in which a glob starts, and how deep it goes; `None` for any depth.
    fn search_start(&self) -> (&str, Option<usize>) {
        let start = self.text.find(WILD).unwrap_or(self.text.len());
        let folder = self.text[..start].rsplit_once('/').map_or("", |(folder, _)| folder);
        let below = self.text[folder.len()..].trim_start_matches('/');
        (folder, (!below.contains("**")).then(|| below.split('/').count()))
    }

    fn problem(&self, what: &str, hint: &str) -> Problem {
        let what = format!("The glob {} of proflens.traces {what}.", self.text);
        Problem { what, place: "settings".into(), hint: hint.into() }
    }
}

impl Disk {
    /// The traces that globs and paths name, the newest first. Globs and relative paths apply to each workspace folder;
    /// a glob also finds files with an additional `.gz`.
    pub(crate) fn traces(&self, patterns: &TracePatterns) -> FoundTraces {
        let mut found = FoundTraces::default();
        for pattern in &patterns.each {
            let named = self.named(pattern);
            let is_whole = !pattern.is_wild && !named.is_empty();
            found.traces.extend(named);
            if !is_whole {
                let list = self.list();
                let inside = list.iter().filter(|file| {
                    let mut names = self.relative(file).into_iter().chain([file.as_str()]);
                    !is_unfinished(file.as_str())
                        && names.any(|name| pattern.matches(name))
                        && !is_of_other_version(Path::new(file.as_str()))
                });
                let mut outside = self.outside(pattern, &mut found.problems);
                outside.retain(|file| pattern.matches(file.as_str()));
                let all = inside.chain(&outside);
                found.traces.extend(all.filter_map(|file| trace(file.as_str().into(), false)));
            }
        }
        found.traces.sort_by(|a, b| (b.stamp, b.named, &a.path).cmp(&(a.stamp, a.named, &b.path)));
        let mut seen = HashSet::new();
        found.traces.retain(|trace| seen.insert(trace.path.clone()));
        found
    }

    /// Whether a trace that the user did not name in a command may be opened: it is inside the folders once links are
    /// resolved, or an absolute path or glob of the settings matches it.
    pub(crate) fn reaches(&self, trace: &Path, patterns: &TracePatterns) -> bool {
        let file = FilePath::new(&trace.to_string_lossy());
        self.resolve_inside(&file).is_some()
            || patterns.each.iter().filter(|pattern| pattern.is_absolute).any(|pattern| {
                match pattern.is_wild {
                    true => self.relative(&file).is_none() && pattern.matches(file.as_str()),
                    false => pattern.texts().any(|text| Path::new(&text) == trace),
                }
            })
    }

    /// The file or folder whose path is the pattern itself. A file may have a name that is also a glob: then both are
    /// meant, and the file does not count as named by the user.
    fn named(&self, pattern: &Pattern) -> Vec<FoundTrace> {
        let text = &pattern.text;
        if pattern.is_absolute && !pattern.is_wild {
            return trace(text.into(), true).into_iter().collect();
        }
        let mut files = Vec::new();
        if pattern.is_absolute {
            files.push(FilePath::new(text));
        } else {
            files.extend(self.folders.iter().map(|folder| FilePath::new(&format!("{folder}/{text}"))));
        }
        files.retain(|file| self.resolve_inside(file).is_some());
        files.iter().filter_map(|file| trace(file.as_str().into(), true)).collect()
    }

    /// The files that an absolute glob leading out of the folders is matched against.
    fn outside(&self, pattern: &Pattern, problems: &mut Vec<Problem>) -> Vec<FilePath> {
        let (folder, depth) = pattern.search_start();
        let path = FilePath::new(folder);
        let is_inside =
            self.folders.iter().any(|inside| path == *inside || path.relative_to(inside).is_some());
        if !pattern.is_absolute || is_inside {
            return Vec::new();
        }
        if depth.is_none() && Path::new(folder).parent().is_none() {
            problems
                .push(pattern.problem("spans a whole disk and is not looked for", "Begin it with a folder."));
            return Vec::new();
        }
        let (files, are_all) = walk_at_most(Path::new(path.as_str()), depth, MAX_OUTSIDE);
        if !are_all {
            let what =
                format!("spans more than {MAX_OUTSIDE} files and folders, and only those are searched");
            problems.push(pattern.problem(&what, "Begin it with a folder that holds fewer."));
        }
        files
    }
}

/// Whether a file is one that `proflens record` works with: anything hidden below `.proflens`.
fn is_unfinished(file: &str) -> bool {
    let below = file.split("/.proflens/").nth(1);
    below.is_some_and(|below| below.split('/').any(|name| name.starts_with('.')))
}

fn trace(path: PathBuf, named: bool) -> Option<FoundTrace> {
    let stamp = stamp(&path)?;
    Some(FoundTrace { path, stamp, named })
}
