//! Something that went wrong: either the work went on without it, or it is the error that ended it. Always reported.

use std::error::Error;
use std::fmt;

use serde::Serialize;

/// What is wrong, where, and what to do about it.
///
/// Each part is a clause that begins in lower case, but for names, and ends without a full stop, so that a note can say
/// `app.json: 3 samples name nodes that do not exist; their time is counted as unknown`, and an error two sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Problem {
    /// What is wrong: `3 samples name nodes that do not exist`.
    pub what: String,
    /// The trace, file or resource in which it is wrong; empty if `what` says so itself, or until the name is known.
    #[serde(rename = "where")]
    pub place: String,
    /// What the user can do, or what was done instead: `their time is counted as unknown`. Empty if there is nothing to do.
    pub hint: String,
}

impl Problem {
    /// A problem at no particular place, or at one that `what` names.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), place: String::new(), hint: hint.into() }
    }

    /// The same problem at a place.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// The same problem with a different hint, from a caller that knows better what can be done.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// The problem as part of another sentence: `3 samples are of no thread; record it again`.
    pub fn clause(&self) -> String {
        if self.hint.is_empty() { self.what.clone() } else { format!("{}; {}", self.what, self.hint) }
    }

    /// The same problem if the work went on: the hint becomes what was done instead, and what the user can do moves behind what is wrong.
    #[must_use]
    pub fn instead(self, done: impl Into<String>) -> Self {
        let what =
            if self.hint.is_empty() { self.what } else { format!("{}. {}", self.what, begun(&self.hint)) };
        Self { what, place: self.place, hint: done.into() }
    }
}

/// Formats it as an error: `app.json: it ends at byte 12. Record it again.`
impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(to, "{}: ", self.place)?;
        }
        write!(to, "{}{}", self.what, end_of(&self.what))?;
        if self.hint.is_empty() {
            return Ok(());
        }
        write!(to, " {}{}", begun(&self.hint), end_of(&self.hint))
    }
}

/// A clause with a capital letter, as at the beginning of a sentence.
fn begun(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}

/// What ends the sentence: nothing for a question such as `did you mean parse?`, which has its own end.
fn end_of(clause: &str) -> &'static str {
    if clause.ends_with('?') { "" } else { "." }
}

impl Error for Problem {}

/// `1 sample`, `2 samples`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_sentences_of_its_parts() {
        let problem = Problem::new("3 samples are of no thread", "record it again");
        let shown = |problem: &Problem| problem.to_string();
        assert_eq!(shown(&problem), "3 samples are of no thread. Record it again.");
        assert_eq!(
            shown(&problem.clone().at("a.json")),
            "a.json: 3 samples are of no thread. Record it again."
        );
        assert_eq!(problem.clause(), "3 samples are of no thread; record it again");
        let without = problem.clone().with_hint("");
        assert_eq!(
            (shown(&without), without.clause()),
            ("3 samples are of no thread.".into(), "3 samples are of no thread".into())
        );
        assert_eq!(shown(&without.with_hint("a or b?")), "3 samples are of no thread. A or b?");
        let instead = Problem::new("3 samples are of no thread. Record it again", "they are left out");
        assert_eq!(problem.instead("they are left out"), instead);
    }
}
