//! Which function an agent asks about, by its name, by a line in it, or both.

use analysis::format::count;
use analysis::similar::{question, similar};
use analysis::summary::{DefinitionKey, Measured};
use profile::problem::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Subject;
use super::quoted::{NAME, PATH, shown};

/// How many functions are listed if several have the same name.
const NAMED: usize = 10;

/// Which function is asked about.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Wanted {
    /// Its name, as another answer shows it: parse, Parser.parse.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// Its file, or the end of its path, where several functions have the name.
    #[serde(default)]
    pub(crate) file: Option<String>,
    /// A line of today's text that is in it, from 1.
    #[serde(default)]
    pub(crate) line: Option<u32>,
}

impl From<&str> for Wanted {
    /// `src/parser.ts:23` is a line of a file, anything else a name.
    fn from(text: &str) -> Self {
        let place =
            text.rsplit_once(':').and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
        match place {
            Some((file, line)) => Self { name: None, file: Some(file), line: Some(line) },
            None => Self { name: Some(text.to_owned()), ..Self::default() },
        }
    }
}

/// Finds the function that is asked about.
///
/// # Errors
/// If none has this name and place, or several do.
pub(crate) fn find<'a>(subject: Subject<'a>, wanted: &Wanted) -> Result<&'a DefinitionKey, Problem> {
    let definitions = &subject.recording.summary.definitions;
    if wanted.name.is_none() && (wanted.file.is_none() || wanted.line.is_none()) {
        return Err(Problem::new("No function is named", "give its name, or file and line"));
    }
    let in_file =
        |key: &DefinitionKey| wanted.file.as_deref().is_none_or(|file| is_end(key.file.as_str(), file));
    let is_called = |key: &DefinitionKey, measured: &Measured| {
        wanted.name.as_deref().is_none_or(|name| has_name(name, key, measured))
    };
    let fits = definitions.iter().filter(|(key, measured)| is_called(key, measured) && in_file(key));
    let mut found: Vec<(&DefinitionKey, &Measured)> = fits.collect();
    if let Some(line) = wanted.line {
        found.retain(|(key, measured)| range(subject, key, measured).contains(&line));
        // The innermost one begins last.
        found.sort_by_key(|(key, measured)| *range(subject, key, measured).start());
        let innermost = found.pop();
        found = innermost.into_iter().collect();
    }
    match found[..] {
        [(key, _)] => Ok(key),
        [] => Err(not_found(subject, wanted)),
        _ => Err(ambiguous(subject, &found)),
    }
}

fn has_name(name: &str, key: &DefinitionKey, measured: &Measured) -> bool {
    // An agent knows a name as it was shown.
    *measured.name == *name || *key.path == *name || shown(&measured.name, NAME) == name
}

/// Whether a path is another one or ends with it, as whole names.
fn is_end(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./").replace('\\', "/");
    path.strip_suffix(&*end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/') || end.starts_with('/'))
        || shown(path, PATH).ends_with(&end) && path.len() > PATH
}

/// The lines of a function in today's text, from 1; those of the recording if it is gone.
pub(super) fn range(
    subject: Subject<'_>,
    key: &DefinitionKey,
    measured: &Measured,
) -> std::ops::RangeInclusive<u32> {
    match subject.function_today(key) {
        Some(today) => today.line + 1..=today.end_line + 1,
        None => measured.start.line + 1..=measured.end.line + 1,
    }
}

fn not_found(subject: Subject<'_>, wanted: &Wanted) -> Problem {
    let summary = &subject.recording.summary;
    let name = wanted.name.as_deref().unwrap_or_default();
    let unplaced = summary.unplaced.iter().find(|(function, _)| !name.is_empty() && *function.name == *name);
    if let Some((function, cost)) = unplaced {
        let (name, why) = (shown(name, NAME), function.reason.sentence());
        let self_time = subject.spent(cost.own()).text();
        let what = format!(
            "{name} ran, with self time {self_time}, and {why}, so that it has no place in this workspace"
        );
        return Problem::new(what, "ask ledger what to do about it, or paths who called it");
    }
    let place = wanted.file.as_deref().map(|file| format!(" in {}", shown(file, PATH))).unwrap_or_default();
    let line = wanted.line.map(|line| format!(" at line {line}")).unwrap_or_default();
    let title = if name.is_empty() { String::new() } else { format!(" called {}", shown(name, NAME)) };
    let what =
        format!("No function{title}{place}{line} was measured: it took less than a sample, or did not run");
    let alike = question(&similar(name, summary.definitions.values().map(|measured| &*measured.name)));
    Problem::new(
        what,
        if alike.is_empty() { "see the list of the hottest functions".to_owned() } else { alike },
    )
}

fn ambiguous(subject: Subject<'_>, found: &[(&DefinitionKey, &Measured)]) -> Problem {
    let mut hottest = found.to_vec();
    hottest.sort_by_key(|(key, measured)| (std::cmp::Reverse(measured.cost.total_time), *key));
    let places = hottest.iter().take(NAMED);
    let places: Vec<String> = places
        .map(|(key, measured)| format!("{}:{}", subject.path(&key.file), subject.line(key, measured)))
        .collect();
    let what = format!(
        "{} have this name, the hottest first: {}",
        count(found.len() as u64, "function"),
        places.join(", ")
    );
    Problem::new(what, "give file and line")
}
