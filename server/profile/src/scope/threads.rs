//! Selects which threads of a profile are added up, and names them.

use std::collections::BTreeMap;

use crate::model::{Amount, Profile, Thread};
use crate::problem::Problem;

/// How many threads are listed in a sentence.
const LISTED: usize = 20;

/// Which threads of a profile are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// For each session, the main thread together with the other threads of its process that ran JavaScript.
    #[default]
    Page,
    /// All threads, once.
    All,
    /// The threads with these indices, in order.
    These(Vec<usize>),
}

/// A thread that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadInfo {
    /// Its name, which no other thread of the trace has.
    pub name: String,
    /// Number of samples.
    pub samples: u64,
    /// Time during which it did something.
    pub active: Amount,
    /// Whether it is among the threads whose costs are shown.
    pub chosen: bool,
}

impl Threads {
    /// What to call the shown threads, if others could be shown: `main`, `main and 2 more threads`.
    pub fn shown(&self, profile: &Profile) -> Option<String> {
        let indices = self.indices(profile);
        let is_one_of_many = matches!(self, Self::These(_)) || profile.sessions() == 1;
        let first = *indices.first().filter(|_| is_choice(profile) && is_one_of_many)?;
        let name = thread_names(profile).swap_remove(first);
        Some(match indices.len() - 1 {
            0 => name,
            1 => format!("{name} and 1 more thread"),
            more => format!("{name} and {more} more threads"),
        })
    }

    /// The selected threads of a profile.
    pub fn of<'p>(&self, profile: &'p Profile) -> Vec<&'p Thread> {
        self.indices(profile).into_iter().map(|it| &profile.threads[it]).collect()
    }

    /// The indices of the selected threads of a profile, in order.
    pub fn indices(&self, profile: &Profile) -> Vec<usize> {
        let all = || profile.threads.iter().enumerate().filter(|(_, it)| !it.repeats);
        match self {
            Self::All => all().map(|it| it.0).collect(),
            Self::These(indices) => indices.clone(),
            Self::Page => {
                let mut main = usize::MAX;
                let of_page = all().filter(|&(index, thread)| {
                    if profile.threads.get(main).is_none_or(|it| it.session != thread.session) {
                        main = index;
                    }
                    index == main || (thread.process == profile.threads[main].process && thread.ran_script)
                });
                of_page.map(|it| it.0).collect()
            }
        }
    }

    /// Selects the threads that a user means. Each is given by its name, by its number from 1, or by a part of its name
    /// that no other has, or by its role ([`thread_roles`]); `all` selects all of them.
    ///
    /// # Errors
    /// If a thread does not exist; the problem is about the first such thread, and lists those that do.
    pub fn named(profile: &Profile, trace: &str, wanted: &[String]) -> Result<Self, Problem> {
        Self::found(wanted, |it| thread_named(profile, trace, it))
    }

    /// Selects the threads that were chosen in an older version of a trace, where processes and threads had other numbers.
    ///
    /// # Errors
    /// As for [`Threads::named`].
    pub fn chosen_before(profile: &Profile, trace: &str, wanted: &[String]) -> Result<Self, Problem> {
        Self::found(wanted, |it| {
            match_previous_thread(profile, it).map_or_else(|| thread_named(profile, trace, it), Ok)
        })
    }

    fn found(wanted: &[String], find: impl Fn(&str) -> Result<usize, Problem>) -> Result<Self, Problem> {
        let mut indices = Vec::new();
        for wanted in wanted {
            match find(wanted) {
                Ok(index) => indices.push(index),
                Err(_) if wanted == "all" => return Ok(Self::All),
                Err(problem) => return Err(problem),
            }
        }
        indices.sort_unstable();
        indices.dedup();
        Ok(Self::These(indices))
    }
}

/// The role of each thread of a profile among those that run side by side, whatever its numbers: `main`, `worker`,
/// `worker #2`. Threads of different sessions with the same role are one thread, recorded several times.
pub fn thread_roles(profile: &Profile) -> Vec<String> {
    let mut known: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let mut session = None;
    let roles = profile.threads.iter().map(|thread| {
        let is_main = session.replace(thread.session) != Some(thread.session);
        let name = match without_numbers(&thread.name) {
            _ if is_main => "main".to_owned(),
            "" => "thread".to_owned(),
            name => name.to_owned(),
        };
        let seen = known.entry((thread.session, name.clone())).or_default();
        *seen += 1;
        if *seen > 1 { format!("{name} #{seen}") } else { name }
    });
    roles.collect()
}

/// A name without the numbers of its process and thread, as in `worker (pid 7, tid 9)`.
fn without_numbers(name: &str) -> &str {
    name.rsplit_once(" (pid ").filter(|it| it.1.ends_with(')')).map_or(name, |it| it.0)
}

/// Unique names for all threads of a profile: `CrRendererMain (pid 7, tid 8)`, `thread 2`; `session 2` if there are
/// several sessions with a single thread each.
pub fn thread_names(profile: &Profile) -> Vec<String> {
    let noun = if is_choice(profile) || profile.sessions() == 1 { "thread" } else { "session" };
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let names = profile.threads.iter().enumerate().map(|(number, thread)| {
        let name = match &*thread.name {
            "" => format!("{noun} {}", number + 1),
            name => name.to_owned(),
        };
        let seen = known.entry(name.clone()).or_default();
        *seen += 1;
        if *seen > 1 { format!("{name} #{seen}") } else { name }
    });
    names.collect()
}

/// The thread that a user means by its name, by its number from 1, by a part of its name that no other has, or by its role.
///
/// # Errors
/// If there is no such thread; the problem lists those that exist.
fn thread_named(profile: &Profile, trace: &str, wanted: &str) -> Result<usize, Problem> {
    let names = thread_names(profile);
    let by_name = names.iter().position(|it| it == wanted);
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&it| it < names.len());
    let by_part = || {
        let wanted = wanted.to_lowercase();
        let mut all = (0..names.len()).filter(|&it| names[it].to_lowercase().contains(&wanted));
        all.next().filter(|_| !wanted.is_empty() && all.next().is_none())
    };
    by_name.or_else(by_number).or_else(by_part).or_else(|| of_role(profile, wanted)).ok_or_else(|| {
        let list = (1..).zip(&names).take(LISTED).map(|(number, name)| format!("{number} {name}"));
        let more = names.len().checked_sub(LISTED + 1).map(|it| format!("{} more", it + 1));
        let list = list.chain(more).collect::<Vec<_>>().join("; ");
        Problem::new(
            format!("{trace} has no thread \"{wanted}\""),
            format!("name one of these, or its number: {list}"),
        )
    })
}

/// The only thread with a role, such as `main`, as lists of functions name it.
fn of_role(profile: &Profile, wanted: &str) -> Option<usize> {
    let roles = thread_roles(profile);
    let mut all = (0..roles.len()).filter(|&it| roles[it] == wanted);
    all.next().filter(|_| all.next().is_none())
}

/// The thread that was chosen in an older version of a trace: the one with the same name, or with the same name except
/// for numbers. Processes and threads get other numbers each time a trace is recorded.
fn match_previous_thread(profile: &Profile, name: &str) -> Option<usize> {
    let without_numbers =
        |name: &str| name.split(|it: char| it.is_ascii_digit()).collect::<Vec<_>>().concat();
    let names = thread_names(profile);
    let same = names.iter().position(|it| it == name);
    same.or_else(|| names.iter().position(|it| without_numbers(it) == without_numbers(name)))
}

/// Whether there is a choice among threads: not if each session has a single one.
fn is_choice(profile: &Profile) -> bool {
    profile.threads.len() > profile.sessions()
}

/// The threads that can be chosen from.
pub fn choice(profile: &Profile, chosen: &Threads) -> Vec<ThreadInfo> {
    if !is_choice(profile) {
        return Vec::new();
    }
    // These are in the order of the profile, and so are all threads.
    let mut chosen = chosen.indices(profile).into_iter().peekable();
    let names = thread_names(profile).into_iter().zip(&profile.threads);
    names
        .enumerate()
        .map(|(index, (name, thread))| ThreadInfo {
            name,
            samples: thread.samples,
            active: thread.active(),
            chosen: chosen.next_if_eq(&index).is_some(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;
    use crate::model::{OffStack, Weight};

    /// A profile of one session with these threads; each is busy for 1 ms and idle for 2 ms.
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

        let of_node = profile(&["app.js (pid 1)", "worker (pid 1)", "worker (pid 1)"]);
        let by_role = ["main", "worker #2"].map(|role| thread_named(&of_node, "t.json", role).ok());
        assert_eq!(by_role, [Some(0), Some(2)]);

        let missing = thread_named(&profile(&["a"; 22]), "t.json", "b").unwrap_err().to_string();
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
        let drawn = profile(&["a", "b"]);
        let facts = |name: &str, chosen| ThreadInfo {
            name: name.into(),
            samples: 3,
            active: Amount(1_000_000),
            chosen,
        };
        let second = Threads::These(vec![1]);
        assert_eq!(choice(&drawn, &second), [facts("a", false), facts("b", true)]);
        assert_eq!(choice(&profile(&["a"]), &Threads::Page), []);
        let sessions = sessions();
        assert_eq!(choice(&sessions, &Threads::Page), []);

        let all = [Threads::All, Threads::Page, Threads::These(vec![0]), second];
        let shown = |profile: &Profile| all.each_ref().map(|it| it.shown(profile).unwrap_or_default());
        assert_eq!(shown(&drawn), ["a and 1 more thread", "a", "a", "b"]);
        assert_eq!(shown(&sessions), ["", "", "", ""]);
    }

    #[test]
    fn a_page_is_the_threads_of_its_process_that_ran_scripts() {
        // For each thread, its name, its session, its process, whether it ran a script, whether it repeats another.
        let threads = [
            ("main (pid 1, tid 1)", 0, 0, true, false),
            ("worker (pid 1, tid 2)", 0, 0, true, false),
            ("compositor (pid 1, tid 3)", 0, 0, false, false),
            ("worker (pid 1, tid 4)", 0, 0, true, false),
            ("browser (pid 5, tid 5)", 0, 1, true, false),
            ("main (pid 1, tid 1), profile 2", 0, 0, true, true),
            ("main (pid 9, tid 9)", 1, 1, false, false),
            ("worker (pid 9, tid 8)", 1, 1, true, false),
            ("", 1, 1, false, false),
        ];
        let mut drawn = profile(&threads.map(|it| it.0));
        for (thread, (_, session, process, ran_script, repeats)) in drawn.threads.iter_mut().zip(threads) {
            (thread.session, thread.process) = (session, process);
            (thread.ran_script, thread.repeats) = (ran_script, repeats);
        }
        assert_eq!(Threads::Page.indices(&drawn), [0, 1, 3, 6, 7]);
        assert_eq!(Threads::All.indices(&drawn), [0, 1, 2, 3, 4, 6, 7, 8]);
        let named = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|&it| it.to_owned()).collect();
            Threads::named(&drawn, "t.json", &wanted)
        };
        assert_eq!(named(&["browser", "2", "browser"]), Ok(Threads::These(vec![1, 4])));
        assert_eq!(named(&["all"]), Ok(Threads::All));
        assert!(named(&["2", "nobody"]).is_err_and(|problem| problem.what.contains("no thread \"nobody\"")));
        let roles =
            ["main", "worker", "compositor", "worker #2", "browser", "main (pid 1, tid 1), profile 2"];
        assert_eq!(thread_roles(&drawn), [&roles[..], &["main", "worker", "thread"]].concat());
    }

    /// Two sessions of one thread each.
    fn sessions() -> Profile {
        let mut sessions = profile(&["", ""]);
        sessions.threads[1].session = 1;
        sessions
    }
}
