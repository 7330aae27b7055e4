//! Joins small traces into one profile with a thread for each of their sessions. Pages send thousands of such traces, and
//! work that is done once per profile, such as placing it in the workspace, would cost far more than reading them.
//!
//! Each trace stays known as a [`JoinedTrace`]: its name, its threads, its resources and functions.

use crate::builder::ProfileBuilder;
use crate::model::{FunctionId, JoinedTrace, Profile, ResourceId, StackId, Thread, Unit};
use crate::problem::Problem;

/// The format of traces in which pages measure themselves.
const FORMAT: &str = "self-profiling";

/// A trace with more sessions than this is worth looking at on its own.
const MAX_SESSIONS: usize = 100;

/// Joins traces that are added one after the other and share all tables.
#[derive(Debug)]
pub struct Join {
    builder: ProfileBuilder,
    traces: Vec<JoinedTrace>,
    problems: Vec<Problem>,
}

impl Default for Join {
    fn default() -> Self {
        Self { builder: ProfileBuilder::new(FORMAT), traces: Vec::new(), problems: Vec::new() }
    }
}

impl Join {
    /// Whether a trace can be joined with others: pages measured themselves, in few sessions. Such traces have urls,
    /// functions and times, and nothing else, such as texts, that would make one be placed differently from the next.
    pub fn takes(profile: &Profile) -> bool {
        profile.format == FORMAT
            && profile.unit == Unit::Time
            && profile.threads.iter().all(is_plain)
            && profile.markers.is_empty()
            && profile.label_sets.is_empty()
            && profile.places.is_empty()
            && profile.known_places.is_empty()
            && profile.scripts.is_empty()
            && !profile.counts_samples
            && profile.checkout.is_none()
            && profile.recorded.is_none()
            && profile.joined.is_empty()
            && profile.sessions() <= MAX_SESSIONS
    }

    /// Adds a trace that can be joined.
    pub fn add(&mut self, name: &str, profile: &Profile) {
        let mut copied = Copied::of(profile);
        let all = JoinedTrace {
            name: name.to_owned(),
            threads: 0..profile.threads.len(),
            resources: (0..profile.resources.len()).map(|it| ResourceId(it as u32)).collect(),
            functions: (0..profile.functions.len()).map(|it| FunctionId(it as u32)).collect(),
        };
        self.add_trace(profile, &all, &mut copied);
        self.problems.extend(profile.problems.iter().cloned());
    }

    fn add_trace(&mut self, profile: &Profile, trace: &JoinedTrace, copied: &mut Copied) {
        let mut copier = Copier { profile, copied, builder: &mut self.builder };
        let resources = trace.resources.iter().map(|it| copier.resource(*it)).collect();
        let mut functions: Vec<FunctionId> = trace.functions.iter().map(|it| copier.function(*it)).collect();
        functions.sort_unstable();
        let first = copier.builder.threads();
        for session in profile.threads[trace.threads.clone()].chunk_by(|a, b| a.session == b.session) {
            let first = copier.builder.threads();
            session.iter().for_each(|it| copier.thread(it));
            copier.builder.end_session(first);
        }
        let threads = first..self.builder.threads();
        self.traces.push(JoinedTrace { name: trace.name.clone(), threads, resources, functions });
    }

    /// The profile of everything that was added.
    pub fn finish(self) -> Profile {
        let Self { builder, traces, problems } = self;
        let mut profile = Profile { joined: traces, ..builder.finish() };
        profile.problems.extend(problems);
        profile
    }
}

/// Whether it has nothing but samples of stacks.
fn is_plain(thread: &Thread) -> bool {
    thread.ticks.is_empty()
        && thread.on_place.is_empty()
        && thread.in_long_tasks.is_none()
        && thread.forced.is_empty()
}

impl Profile {
    /// A profile of some of the traces that this one was joined from, by their indices.
    #[must_use]
    pub fn of_joined(&self, traces: &[usize]) -> Self {
        let mut join = Join::default();
        let mut copied = Copied::of(self);
        for &trace in traces {
            let trace = &self.joined[trace];
            join.add_trace(self, trace, &mut copied);
            join.problems.extend(self.problems.iter().filter(|it| it.place == trace.name).cloned());
        }
        join.finish()
    }
}

/// What each row of a profile is in the profile that it is copied to, if it is there.
struct Copied {
    resources: Vec<Option<ResourceId>>,
    functions: Vec<Option<FunctionId>>,
    stacks: Vec<Option<StackId>>,
}

impl Copied {
    fn of(profile: &Profile) -> Self {
        Self {
            resources: vec![None; profile.resources.len()],
            functions: vec![None; profile.functions.len()],
            stacks: vec![None; profile.stacks.function.len()],
        }
    }
}

struct Copier<'a> {
    profile: &'a Profile,
    copied: &'a mut Copied,
    builder: &'a mut ProfileBuilder,
}

impl Copier<'_> {
    fn resource(&mut self, resource: ResourceId) -> ResourceId {
        let index = resource.0 as usize;
        let url = self.profile.strings.get(self.profile.resources[index]);
        *self.copied.resources[index].get_or_insert_with(|| self.builder.resource(url))
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        let index = function.0 as usize;
        if let Some(known) = self.copied.functions[index] {
            return known;
        }
        let was = self.profile.functions[index];
        let name = self.builder.string(self.profile.strings.get(was.name));
        let resource = was.resource.map(|it| self.resource(it));
        let copied = match was.made_by {
            Some(maker) => {
                let maker = self.function(maker);
                self.builder.made_function(name, was.defined_at, maker)
            }
            None => self.builder.function(name, resource, was.defined_at),
        };
        *self.copied.functions[index].insert(copied)
    }

    fn stack(&mut self, stack: StackId) -> StackId {
        let stacks = &self.profile.stacks;
        let (mut at, mut open) = (Some(stack), Vec::new());
        while let Some(stack) = at.filter(|it| self.copied.stacks[it.0 as usize].is_none()) {
            open.push(stack);
            at = stacks.caller(stack);
        }
        let mut caller = at.and_then(|it| self.copied.stacks[it.0 as usize]);
        while let Some(stack) = open.pop() {
            let function = self.function(stacks.function[stack.0 as usize]);
            caller = Some(self.builder.stack(caller, function));
            self.copied.stacks[stack.0 as usize] = caller;
        }
        self.copied.stacks[stack.0 as usize].expect("it was copied just now")
    }

    fn thread(&mut self, thread: &Thread) {
        if let Some(start) = thread.start {
            self.builder.thread_starts_at(i64::try_from(start.0).unwrap_or(i64::MAX));
        }
        for (taken, sample) in thread.in_order.with_times() {
            let on = sample.on.map(|it| self.stack(it));
            self.builder.next_sample_at(taken);
            self.builder.add_sample(on, sample.weight);
        }
        self.builder.end_thread(Thread {
            name: thread.name.clone(),
            process: thread.process,
            repeats: thread.repeats,
            samples: thread.samples,
            duration: thread.duration,
            interval: thread.interval,
            ..Thread::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Amount, OffStack, Position, Weight};

    /// A trace with a session for each text. A character is a sample of 1 ms in the function of that name, called by
    /// `main` of `app.js`; a space is a sample without a stack.
    fn trace(name: &str, resource: &str, sessions: &[&str]) -> Profile {
        let mut builder = ProfileBuilder::new(FORMAT);
        for (number, session) in sessions.iter().enumerate() {
            let url = builder.resource(resource);
            let main = builder.string("main");
            let main = builder.function(main, Some(url), Some(Position { line: 0, column: Some(0) }));
            let outer = builder.stack(None, main);
            builder.thread_starts_at(number as i64 * 100);
            for it in session.chars() {
                let weight = Weight { time: Amount(1_000_000), samples: 1 };
                if it == ' ' {
                    builder.add_off_stack(OffStack::NoStack, weight);
                    continue;
                }
                let name = builder.string(&it.to_string());
                let place = Position { line: u32::from(it), column: Some(0) };
                let function = builder.function(name, Some(url), Some(place));
                let stack = builder.stack(Some(outer), function);
                builder.add_on_stack(stack, weight);
            }
            let samples = session.len() as u64;
            let duration = Amount(samples * 1_000_000);
            builder.end_thread(Thread { samples, duration, ..Thread::default() });
            builder.end_session(number);
        }
        builder.problem(format!("{name} is odd"), "it was read");
        let mut profile = builder.finish();
        profile.problems[0].place = name.to_owned();
        profile
    }

    /// The samples of each session, by name: `main;a main;b -`.
    fn sessions(profile: &Profile) -> Vec<String> {
        let name = |stack: StackId| profile.name(profile.stacks.function[stack.0 as usize]);
        let words = |stack: StackId| {
            let mut path: Vec<&str> =
                std::iter::successors(Some(stack), |it| profile.stacks.caller(*it)).map(name).collect();
            path.reverse();
            path.join(";")
        };
        let thread = |it: &Thread| {
            let samples = it.in_order.iter().map(|it| it.on.map_or_else(|_| "-".to_owned(), words));
            format!("{} {} {}", it.session, it.samples, samples.collect::<Vec<_>>().join(" "))
        };
        profile.threads.iter().map(thread).collect()
    }

    #[test]
    fn traces_share_tables_and_keep_their_sessions() {
        let mut join = Join::default();
        join.add("1.json", &trace("1.json", "app.js", &["AB A"]));
        join.add("2.json", &trace("2.json", "lib.js", &["C", "C "]));
        join.add("3.json", &trace("3.json", "app.js", &["BA"]));
        let joined = join.finish();
        let expected = ["0 4 main;A main;B - main;A", "1 1 main;C", "2 2 main;C -", "3 2 main;B main;A"];
        assert_eq!(sessions(&joined), expected);
        assert_eq!(joined.stacks.function.len(), 5, "main, main;A, main;B of app.js, main, main;C of lib.js");
        assert_eq!((joined.functions.len(), joined.resources.len()), (5, 2));
        let traces: Vec<_> = (joined.joined.iter())
            .map(|it| (&*it.name, it.threads.clone(), it.resources.len(), it.functions.len()))
            .collect();
        assert_eq!(traces, [("1.json", 0..1, 1, 3), ("2.json", 1..3, 1, 2), ("3.json", 3..4, 1, 3)]);
        let problems: Vec<_> = joined.problems.iter().map(|it| &*it.place).collect();
        assert_eq!(problems, ["1.json", "2.json", "3.json"]);

        let some = joined.of_joined(&[1, 2]);
        assert_eq!(sessions(&some), ["0 1 main;C", "1 2 main;C -", "2 2 main;B main;A"]);
        assert_eq!(some.joined.iter().map(|it| it.threads.clone()).collect::<Vec<_>>(), [0..2, 2..3]);
        assert_eq!(some.problems, joined.problems[1..]);
        assert!(!Join::takes(&some), "it is joined already");
    }

    #[test]
    fn what_was_joined_from_one_trace_is_that_trace() {
        let one = trace("1.json", "app.js", &["AB", " B"]);
        assert!(Join::takes(&one));
        let mut join = Join::default();
        join.add("1.json", &one);
        let joined = join.finish();
        let of =
            |it: &Profile| format!("{:?} {:?} {:?} {:?}", it.functions, it.stacks, it.resources, it.threads);
        assert_eq!(of(&joined), of(&one));
    }
}
