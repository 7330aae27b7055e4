//! Selects the part of a recording that is looked at: one composable value.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use profile::model::{Amount, Function, FunctionKind, Profile};
use profile::problem::Problem;
use profile::scope::{
    Chosen, Direction, END, Labels, Marked, MarkerChoice, Selection, Threads, Transform, Windows,
};

use crate::format::{Style, count, time};
use crate::package::Package;
use crate::similar::{question, similar};
use crate::summary::{CallEnd, DefinitionKey, Keys, TracedSamples, UnplacedFunction};
use crate::symbolicate::Symbols;

/// What costs are added up from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// From which threads.
    pub threads: Threads,
    /// In which spans of time; `None` for all.
    pub windows: Option<Windows>,
    /// With which labels; `None` for all samples.
    pub labels: Option<Labels>,
    /// With which changes of the stacks, applied in order.
    pub changes: Vec<StackChange>,
}

/// A change of all stacks, like the transforms of the Firefox Profiler ([`Transform`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackChange {
    /// Only what a function and its callees cost.
    Focus(FunctionName),
    /// Only the callers of a function; what it called counts as its own.
    Callers(FunctionName),
    /// Without samples in which a function ran.
    Drop(FunctionName),
    /// The time of a function goes to its callers.
    Merge(FunctionName),
    /// All functions of a package become one.
    Collapse(String),
    /// Only what flows through a node of a call tree, given by the functions from the root on. In a tree of callees that
    /// is everything below the last function; in a tree of callers, it is who called it.
    Path(Direction, Vec<FunctionName>),
}

/// A change of stacks that could not be made in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostChange {
    /// The requested change.
    pub change: Box<StackChange>,
    /// Why it was not made, for users.
    pub why: WhyLost,
}

/// Why a change of stacks was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyLost {
    /// Nothing has this name; with the name and similar ones.
    Missing(String, Vec<String>),
    /// Several functions have this name, as a sentence says.
    Several(String),
}

impl LostChange {
    fn of(change: StackChange, why: WhyLost) -> Self {
        Self { change: Box::new(change), why }
    }

    /// The problem for a case in which nothing is shown because of this: what may have been meant.
    pub fn problem(&self) -> Problem {
        match &self.why {
            WhyLost::Missing(what, similar) if similar.is_empty() => {
                Problem::new(what, "list what did with proflens report --all")
            }
            WhyLost::Missing(what, similar) => Problem::new(what, question(similar)),
            WhyLost::Several(what) => Problem::new(what, ""),
        }
    }

    /// Whether nothing of a trace is left after this change, while other traces have it: a trace without a function has no time below it.
    pub(crate) fn leaves_nothing(&self) -> bool {
        let narrows =
            matches!(*self.change, StackChange::Focus(_) | StackChange::Callers(_) | StackChange::Path(..));
        narrows && self.is_missing()
    }

    /// Whether the same change is among these.
    pub(crate) fn is_in(&self, all: &[Self]) -> bool {
        all.iter().any(|it| it.change == self.change)
    }

    /// Whether nothing has the name.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.why, WhyLost::Missing(..))
    }

    /// The problem for a case in which everything is shown as it would be without the change.
    pub(crate) fn ignored(&self) -> Problem {
        self.problem().with_hint(format!("all is shown as it would be without \"{}\"", self.change.words()))
    }
}

/// How a user names a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionName {
    /// By its name: `parse`, `Parser.parse`, or, if several have it, with the end of its file: `src/a.ts:parse`.
    Called(String),
    /// Exactly this definition.
    Definition(DefinitionKey),
    /// A function that was not placed.
    Unplaced(UnplacedFunction),
}

impl StackChange {
    /// What remains, for users: `below parse`.
    pub fn words(&self) -> String {
        match self {
            Self::Focus(of) => format!("below {of}"),
            Self::Callers(of) => format!("callers of {of}"),
            Self::Drop(of) => format!("without {of}"),
            Self::Merge(of) => format!("{of} merged"),
            Self::Collapse(package) => format!("{package} collapsed"),
            Self::Path(direction, path) => {
                let mut names: Vec<String> = path.iter().map(FunctionName::to_string).collect();
                let what = match direction {
                    Direction::Callees => "below",
                    Direction::Callers => "callers of",
                };
                if *direction == Direction::Callers {
                    names.reverse();
                }
                if names.len() > MAX_STEPS {
                    names.splice(1..names.len() - 1, ["…".to_owned()]);
                }
                format!("{what} {}", names.join(" › "))
            }
        }
    }

    /// Whether stacks begin at a function that others call: then the lack of a caller only means that none is looked at.
    pub fn cuts_callers(&self) -> bool {
        matches!(self, Self::Focus(_) | Self::Path(Direction::Callees, _))
    }

    /// The transform for the functions of a profile.
    ///
    /// # Errors
    /// One sentence if no function or more than one has the name.
    fn transform(&self, keys: &mut Keys) -> Result<Transform, WhyLost> {
        let functions = |keys: &Keys, of| Ok::<_, WhyLost>(keys.functions_of(&found(&keys.ends, of)?));
        Ok(match self {
            Self::Focus(of) => Transform::Focus(functions(keys, of)?),
            Self::Callers(of) => Transform::Callers(functions(keys, of)?),
            Self::Drop(of) => Transform::Drop(functions(keys, of)?),
            Self::Merge(of) => Transform::Merge(functions(keys, of)?),
            Self::Path(direction, path) => {
                let mut key_of = keys.of_function.to_vec();
                let mut steps = Vec::with_capacity(path.len());
                for name in path {
                    // Unplaced functions with the same name are one step.
                    let found = found(&keys.ends, name)?;
                    key_of.iter_mut().filter(|it| found.contains(it)).for_each(|it| *it = found[0]);
                    steps.push(found[0]);
                }
                let (&root, path) = steps.split_first().expect("a path that is split has a part");
                Transform::Path { direction: *direction, key_of, root, path: path.to_vec() }
            }
            Self::Collapse(package) => {
                // Includes packages installed inside of it.
                let folder = format!("/node_modules/{package}/");
                let of_package = (0..).zip(&keys.ends).filter_map(|(key, end)| {
                    let file = file_of(end)?;
                    let is_it = Package::of(file).is_some_and(|it| it.name == *package);
                    (is_it || file.contains(&folder)).then_some(key)
                });
                let of_package: Vec<u32> = of_package.collect();
                if of_package.is_empty() {
                    let what = format!("nothing of the package {package} ran");
                    let files = keys.ends.iter().filter_map(|it| file_of(it));
                    let names: Vec<_> = files.filter_map(Package::of).map(|it| it.name).collect();
                    return Err(WhyLost::Missing(what, similar(package, names.iter().map(|it| &**it))));
                }
                let functions = keys.functions_of(&of_package);
                Transform::Collapse(functions, keys.add_package(package))
            }
        })
    }
}

/// The file of a function, or the trace's name for its script.
fn file_of(end: &CallEnd) -> Option<&str> {
    match end {
        CallEnd::Entry => None,
        CallEnd::Definition(key) => Some(key.file.as_str()),
        CallEnd::Unplaced(it) => it.file().map(|file| &**file),
    }
}

/// The names that users can give functions by.
fn names(ends: &[Arc<CallEnd>]) -> impl Iterator<Item = &str> {
    ends.iter().filter_map(|it| match &**it {
        CallEnd::Entry => None,
        CallEnd::Definition(key) => Some(&*key.path),
        CallEnd::Unplaced(it) => Some(&*it.name),
    })
}

/// Whether a definition has this name: its path or the last part of it, optionally preceded by the end of its file's path.
fn is_called(key: &DefinitionKey, called: &str) -> bool {
    let names = [&*key.path, key.path.rsplit('.').next().unwrap_or_default()];
    let (file, name) = called.rsplit_once(':').unwrap_or(("", called));
    names.contains(&called)
        || (!file.is_empty() && names.contains(&name) && key.file.as_str().ends_with(file))
}

/// The keys of everything with this name.
fn found(ends: &[Arc<CallEnd>], name: &FunctionName) -> Result<Vec<u32>, WhyLost> {
    let keys = |is_meant: &dyn Fn(&CallEnd) -> bool| -> Vec<u32> {
        (0..).zip(ends).filter(|it| is_meant(it.1)).map(|it| it.0).collect()
    };
    let definitions = keys(&|it| match (it, name) {
        (CallEnd::Definition(key), FunctionName::Called(called)) => is_called(key, called),
        (CallEnd::Definition(key), FunctionName::Definition(wanted)) => key == wanted,
        (CallEnd::Unplaced(function), FunctionName::Unplaced(wanted)) => function == wanted,
        _ => false,
    });
    // Functions that were not placed have nothing but their names.
    if definitions.is_empty() {
        let others = keys(&|it| match (it, name) {
            (CallEnd::Unplaced(function), FunctionName::Called(called)) => *function.name == **called,
            _ => false,
        });
        return Some(others).filter(|it| !it.is_empty()).ok_or_else(|| {
            let wanted = name.to_string();
            WhyLost::Missing(
                format!("{name} did not run"),
                similar(wanted.rsplit(':').next().unwrap_or_default(), names(ends)),
            )
        });
    }
    match &definitions[..] {
        [_] => Ok(definitions),
        several => {
            let places = several.iter().take(MAX_PLACES).filter_map(|key| {
                let key = ends[*key as usize].definition()?;
                Some(format!("{}:{}", key.file.name(), key.path))
            });
            let places: Vec<String> = places.collect();
            let number = several.len();
            let what = format!("{name} is the name of {number} functions: name one as {}", places.join(", "));
            Err(WhyLost::Several(what))
        }
    }
}

/// How many functions of a path are named; for longer paths, the first and the last are.
const MAX_STEPS: usize = 4;

/// How many functions with the same name are listed.
const MAX_PLACES: usize = 5;

impl fmt::Display for FunctionName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Called(name) => out.write_str(name),
            Self::Definition(key) => out.write_str(&key.path),
            Self::Unplaced(function) if function.name.is_empty() => out.write_str("(anonymous)"),
            Self::Unplaced(function) => out.write_str(&function.name),
        }
    }
}

impl Scope {
    /// Applies the scope to a profile, without the changes of its stacks.
    pub fn of<'p>(&self, profile: &'p Profile) -> Selection<'p> {
        let selection = Selection::of(profile, &self.threads);
        let selection = self.windows.iter().fold(selection, Selection::within);
        self.labels.iter().fold(selection, Selection::labelled)
    }

    /// Whether it includes all samples of its threads.
    pub fn is_whole(&self) -> bool {
        self.windows.is_none() && self.labels.is_none()
    }

    /// The samples of this part of a profile, with these changes of its stacks.
    pub(crate) fn samples(&self, profile: &Arc<Profile>, transforms: Vec<Transform>) -> Arc<TracedSamples> {
        Arc::new(TracedSamples {
            profile: Arc::clone(profile),
            threads: self.threads.clone(),
            windows: self.windows.clone(),
            labels: self.labels.clone(),
            transforms,
        })
    }

    /// This part of a profile with its stacks changed, and the changes. Changes that cannot be made are removed from the scope.
    pub(crate) fn apply<'p>(
        &mut self,
        profile: &'p Profile,
        keys: &mut Keys,
    ) -> (Selection<'p>, Vec<Transform>, Vec<LostChange>) {
        let (mut selection, mut made, mut lost) = (self.of(profile), Vec::new(), Vec::new());
        for change in std::mem::take(&mut self.changes) {
            match change.transform(keys) {
                Ok(transform) => {
                    let had_samples = self.is_whole() && !is_empty(&selection);
                    let before = matches!(change, StackChange::Path(..)).then(|| selection.clone());
                    selection = selection.transformed(&transform);
                    match before {
                        // The functions of the path ran, but never one below the other.
                        Some(before) if had_samples && is_empty(&selection) => {
                            selection = before;
                            let why = WhyLost::Missing(format!("nothing ran {}", change.words()), Vec::new());
                            lost.push(LostChange::of(change, why));
                        }
                        _ => {
                            made.push(transform);
                            self.changes.push(change);
                        }
                    }
                }
                Err(why) => lost.push(LostChange::of(change, why)),
            }
        }
        (selection, made, lost)
    }

    /// Cuts a profile down to the scope, before it is written for another tool. Returns what the user should know about
    /// it. Functions keep their ids, and those of packages come after them.
    ///
    /// # Errors
    /// The first change of the stacks that cannot be made.
    pub fn cut(&self, profile: &mut Profile, symbols: &Symbols) -> Result<Option<Problem>, LostChange> {
        let mut keys = Keys::of(profile, symbols);
        let mut selection = self.of(profile);
        for change in &self.changes {
            let transform = change.transform(&mut keys).map_err(|why| LostChange::of(change.clone(), why))?;
            selection = selection.transformed_in_order(&transform);
        }
        let problem = self.problem(&selection);
        let (stacks, places) = (selection.stacks.into_owned(), selection.places.into_owned());
        let threads = selection.threads.into_iter().map(Cow::into_owned).collect();
        (profile.stacks, profile.places, profile.threads) = (stacks, places, threads);
        for &key in &keys.of_function[profile.functions.len()..] {
            let name = if let CallEnd::Unplaced(it) = &*keys.ends[key as usize] { &*it.name } else { "" };
            let name = profile.strings.intern(name);
            profile.functions.push(Function {
                name,
                resource: None,
                defined_at: None,
                kind: FunctionKind::Script,
                made_by: None,
            });
        }
        Ok(problem)
    }

    /// Describes the scope to users, except for threads: `1.2 s to 3.4 s`, `checkout (3 times, 812 ms)`; `None` if it is everything.
    pub fn words(&self) -> Option<String> {
        let chosen = self.windows.iter().flat_map(|it| it.chosen()).map(|it| match it {
            Chosen::Between(from, to) => format!("{} to {}", moment(*from), moment(*to)),
            Chosen::Markers(marked) => marked.iter().map(marked_words).collect::<Vec<_>>().join(" and "),
        });
        let windows = chosen.collect::<Vec<_>>().join(", within ");
        let labels = self.labels.iter().flat_map(|it| it.words().iter().cloned());
        let changes = self.changes.iter().map(StackChange::words);
        let windows = Some(windows).filter(|it| !it.is_empty());
        let all: Vec<String> = windows.into_iter().chain(labels).chain(changes).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// What the user should know about a scope that contains nothing.
    pub fn problem(&self, selection: &Selection<'_>) -> Option<Problem> {
        let words = self.words().filter(|_| is_empty(selection))?;
        Some(Problem {
            what: format!("no sample lies in {words}"),
            place: String::new(),
            hint: "choose another part of the recording, or all of it".into(),
        })
    }
}

impl From<Threads> for Scope {
    fn from(threads: Threads) -> Self {
        Self { threads, ..Self::default() }
    }
}

fn is_empty(selection: &Selection<'_>) -> bool {
    selection.threads.iter().all(|it| it.on_stack.is_empty() && it.off_stack.is_empty())
}

/// When the chosen markers were and how long they took, for users: `at 3.2 s, 190 ms`, `3 times, 812 ms`.
pub fn marker_detail(choice: &MarkerChoice) -> String {
    let Marked { times, time: length, .. } = choice.marked;
    let length = time(length, Style::Text);
    match times {
        1 => format!("at {}, {length}", time(choice.start, Style::Text)),
        _ => format!("{}, {length}", count(times as u64, "time")),
    }
}

fn marked_words(Marked { name, times, time: length }: &Marked) -> String {
    let length = time(*length, Style::Text);
    match times {
        1 => format!("{name} ({length})"),
        _ => format!("{name} ({}, {length})", count(*times as u64, "time")),
    }
}

/// A moment with all its digits: `1.2 s`, `300 ms`, `the end`.
fn moment(moment: Amount) -> String {
    if moment == END {
        return "the end".to_owned();
    }
    let Amount(nanos) = moment;
    match nanos as f64 {
        nanos if nanos >= 1e9 => format!("{} s", nanos / 1e9),
        nanos => format!("{} ms", nanos / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use profile::scope::parse_time;

    use super::*;

    #[test]
    fn moments_have_the_digits_that_were_given() {
        let rows = [
            ("1.2s", "1.2 s"),
            ("300ms", "300 ms"),
            ("0", "0 ms"),
            ("61.50025", "61.50025 s"),
            ("end", "the end"),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_time(text).map(moment).ok().as_deref(), Some(expected));
        }
    }
}
