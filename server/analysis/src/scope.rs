//! What of a recording is looked at: one value, which composes.

use profile::{Amount, Chosen, Marked, Problem, Profile, Selection, Threads, Windows};

use crate::format::{Style, count, time};

/// What costs are added up of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// Of which threads.
    pub threads: Threads,
    /// In which spans of time; `None` for all of it.
    pub windows: Option<Windows>,
}

impl Scope {
    /// That part of a profile.
    pub fn of<'p>(&self, profile: &'p Profile) -> Selection<'p> {
        let selection = Selection::of(profile, &self.threads);
        match &self.windows {
            Some(windows) => selection.within(windows),
            None => selection,
        }
    }

    /// What it is, threads aside, for people: `1.2 s to 3.4 s`, `checkout (3 times, 812 ms)`; `None` if that is all there is.
    pub fn words(&self) -> Option<String> {
        let chosen = self.windows.as_ref()?.chosen().iter().map(|it| match it {
            Chosen::Between(from, to) => format!("{} to {}", moment(*from), moment(*to)),
            Chosen::Markers(marked) => marked.iter().map(marked_words).collect::<Vec<_>>().join(" and "),
        });
        Some(chosen.collect::<Vec<_>>().join(", within "))
    }

    /// What the user should know of a scope in which there is nothing.
    pub fn problem(&self, selection: &Selection<'_>) -> Option<Problem> {
        let words = self.words().filter(|_| selection.threads.is_empty())?;
        Some(Problem {
            what: format!("no sample lies in {words}"),
            place: String::new(),
            hint: "choose another part of the recording, or all of it".into(),
        })
    }
}

impl From<Threads> for Scope {
    fn from(threads: Threads) -> Self {
        Self { threads, windows: None }
    }
}

fn marked_words(Marked { name, times, time: length }: &Marked) -> String {
    let length = time(*length, Style::Text);
    match times {
        1 => format!("{name} ({length})"),
        _ => format!("{name} ({}, {length})", count(*times as u64, "time")),
    }
}

/// A moment with all its digits: `1.2 s`, `300 ms`.
fn moment(Amount(nanos): Amount) -> String {
    match nanos as f64 {
        nanos if nanos >= 1e9 => format!("{} s", nanos / 1e9),
        nanos => format!("{} ms", nanos / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_the_digits_that_were_given() {
        let rows = [("1.2s", "1.2 s"), ("300ms", "300 ms"), ("0", "0 ms"), ("61.50025", "61.50025 s")];
        for (text, expected) in rows {
            assert_eq!(profile::parse_time(text).map(moment).as_deref(), Ok(expected));
        }
    }
}
