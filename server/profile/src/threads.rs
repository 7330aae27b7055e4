//! Which threads of a profile are added up, and what to call them.

use std::collections::BTreeMap;

use crate::{Amount, OffStack, Profile, Thread};

/// So many threads are listed in a sentence.
const LISTED: usize = 20;

/// Which threads of a profile are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// All of them, once.
    All,
    /// The main thread of each session.
    Main,
    /// The one of this index.
    One(usize),
}

/// A thread that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadInfo {
    /// What to call it; no other thread of the trace is called so.
    pub name: String,
    /// Number of samples.
    pub samples: u64,
    /// Time in which it did something.
    pub active: Amount,
    /// Whether it is the one, or one of those, whose costs these are.
    pub chosen: bool,
}

impl Threads {
    /// The name of the one that is shown, where another one could be.
    pub fn shown(self, profile: &Profile) -> Option<String> {
        let index = match self {
            Self::One(index) => index,
            Self::Main if is_choice(profile) && profile.sessions() == 1 => 0,
            Self::Main | Self::All => return None,
        };
        thread_names(profile).into_iter().nth(index)
    }

    /// Those of a profile.
    pub fn of(self, profile: &Profile) -> Vec<&Thread> {
        match self {
            Self::All => profile.measured().collect(),
            Self::Main => profile.main_threads().collect(),
            Self::One(index) => profile.threads.get(index).into_iter().collect(),
        }
    }
}

/// The names of all threads of a profile, each once: `CrRendererMain (pid 7, tid 8)`, `thread 2`; `session 2` where there are
/// several and each has but one.
pub fn thread_names(profile: &Profile) -> Vec<String> {
    let noun = if is_choice(profile) || profile.sessions() == 1 { "thread" } else { "session" };
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let unique = |(number, thread): (usize, &Thread)| {
        let name = match &*thread.name {
            "" => format!("{noun} {}", number + 1),
            name => name.to_owned(),
        };
        let seen = known.entry(name.clone()).or_default();
        *seen += 1;
        if *seen > 1 { format!("{name} #{seen}") } else { name }
    };
    profile.threads.iter().enumerate().map(unique).collect()
}

/// The thread that somebody means by its name, by its number from 1, or by a part of its name that no other has.
///
/// # Errors
/// One sentence that lists the threads that there are.
pub fn thread_named(profile: &Profile, trace: &str, wanted: &str) -> Result<usize, String> {
    let names = thread_names(profile);
    let by_name = names.iter().position(|it| it == wanted);
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&it| it < names.len());
    let by_part = || {
        let wanted = wanted.to_lowercase();
        let mut all = (0..names.len()).filter(|&it| names[it].to_lowercase().contains(&wanted));
        all.next().filter(|_| !wanted.is_empty() && all.next().is_none())
    };
    by_name.or_else(by_number).or_else(by_part).ok_or_else(|| {
        let list = (1..).zip(&names).take(LISTED).map(|(number, name)| format!("{number} {name}"));
        let more = names.len().checked_sub(LISTED + 1).map(|it| format!("{} more", it + 1));
        let list = list.chain(more).collect::<Vec<_>>().join("; ");
        format!("{trace} has no thread \"{wanted}\". Name one of these, or its number: {list}.")
    })
}

/// The thread that was chosen in an older version of a trace: the one of the same name, or of the same but for numbers.
/// Processes and threads have other numbers each time that a trace is recorded.
pub fn match_previous_thread(profile: &Profile, name: &str) -> Option<usize> {
    let without_numbers =
        |name: &str| name.split(|it: char| it.is_ascii_digit()).collect::<Vec<_>>().concat();
    let names = thread_names(profile);
    let same = names.iter().position(|it| it == name);
    same.or_else(|| names.iter().position(|it| without_numbers(it) == without_numbers(name)))
}

/// Whether there is a choice among threads: there is none where each session has one.
fn is_choice(profile: &Profile) -> bool {
    profile.threads.len() > profile.sessions()
}

/// The threads among which there is a choice.
pub fn choice(profile: &Profile, chosen: Threads) -> Vec<ThreadInfo> {
    if !is_choice(profile) {
        return Vec::new();
    }
    // In the order of the profile, as all of them are.
    let mut chosen = chosen.of(profile).into_iter().peekable();
    let names = thread_names(profile).into_iter().zip(&profile.threads);
    names
        .map(|(name, thread)| ThreadInfo {
            name,
            samples: thread.samples,
            active: active(thread),
            chosen: chosen.next_if(|it| std::ptr::eq(*it, thread)).is_some(),
        })
        .collect()
}

fn active(thread: &Thread) -> Amount {
    let quiet = |off: &OffStack| matches!(off, OffStack::Idle | OffStack::NoStack);
    let on_stack: Amount = thread.on_stack.iter().map(|it| it.1.time).sum();
    let off_stack: Amount = thread.off_stack.iter().filter(|it| !quiet(it.0)).map(|it| it.1.time).sum();
    on_stack + off_stack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProfileBuilder, Weight};

    /// A profile of one session with these threads; each is 1 ms busy and 2 ms idle.
    fn profile(names: &[&str]) -> Profile {
        let mut builder = ProfileBuilder::new("drawing");
        for name in names {
            let work = builder.string("work");
            let function = builder.function(work, None, None);
            let stack = builder.stack(None, function);
            builder.add_on_stack(stack, Weight { time: Amount(1_000_000), samples: 1 });
            builder.add_off_stack(OffStack::Idle, Weight { time: Amount(2_000_000), samples: 2 });
            builder.end_thread(Thread { name: (*name).to_string(), samples: 3, ..Thread::default() });
        }
        builder.end_session(0);
        builder.finish()
    }

    #[test]
    fn threads_are_found_by_name_by_number_and_by_a_part_that_is_unique() {
        let drawn = profile(&["Main (pid 1)", "worker", "", "worker", "7", "Worklet"]);
        let names = ["Main (pid 1)", "worker", "thread 3", "worker #2", "7", "Worklet"];
        assert_eq!(thread_names(&drawn), names);
        let found = |wanted: &str| thread_named(&drawn, "t.json", wanted).map_or("-", |it| names[it]);
        let wanted = ["worker", "worker #2", "2", "7", "6", "0", "99", "main", "klet", "work", "", "nobody"];
        let expected = ["worker", "worker #2", "worker", "7", "Worklet", "-", "-", "Main (pid 1)", "Worklet"];
        assert_eq!(wanted.map(found), [&expected[..], &["-", "-", "-"]].concat()[..]);

        let missing = thread_named(&profile(&["a"; 22]), "t.json", "b").unwrap_err();
        assert!(
            missing
                .starts_with("t.json has no thread \"b\". Name one of these, or its number: 1 a; 2 a #2; "),
            "{missing}"
        );
        assert!(missing.ends_with("; 20 a #20; 2 more."), "{missing}");
    }

    #[test]
    fn a_choice_outlives_the_numbers_of_processes() {
        let drawn = profile(&["Main (pid 1, tid 2)", "worker (pid 1, tid 3)", "worker (pid 1, tid 14)"]);
        let found = |name: &str| match_previous_thread(&drawn, name);
        assert_eq!(found("worker (pid 1, tid 14)"), Some(2));
        assert_eq!(found("worker (pid 70, tid 8)"), Some(1));
        assert_eq!(found("worker"), None);
    }

    #[test]
    fn there_is_a_choice_among_threads_but_not_among_sessions() {
        let two = choice(&profile(&["a", "b"]), Threads::Main);
        let facts = |name: &str, chosen| ThreadInfo {
            name: name.into(),
            samples: 3,
            active: Amount(1_000_000),
            chosen,
        };
        assert_eq!(two, [facts("a", true), facts("b", false)]);
        let chosen: Vec<bool> =
            choice(&profile(&["a", "b"]), Threads::One(1)).iter().map(|it| it.chosen).collect();
        assert_eq!(chosen, [false, true]);
        let shown = |threads: Threads| threads.shown(&profile(&["a", ""]));
        assert_eq!(
            [Threads::All, Threads::Main, Threads::One(1)].map(shown),
            [None, Some("a".into()), Some("thread 2".into())]
        );

        assert_eq!(choice(&profile(&["a"]), Threads::Main), []);
        let mut sessions = profile(&["", ""]);
        sessions.threads[1].session = 1;
        assert_eq!(choice(&sessions, Threads::Main), []);
        let shown = |threads: Threads| threads.shown(&sessions);
        assert_eq!(
            [Threads::All, Threads::Main, Threads::One(1)].map(shown),
            [None, None, Some("session 2".into())]
        );
    }
}
