//! The part of a profile that is looked at: some of its threads, each with its role.

use std::borrow::Cow;

use crate::model::{FunctionId, FunctionKind, Places, Profile, Stacks, Thread};
use crate::scope::threads::{Threads, thread_roles};

/// A part of a profile, from which costs are added up.
#[derive(Clone, Debug)]
pub struct Selection<'p> {
    /// The stacks that its threads refer to.
    pub stacks: Cow<'p, Stacks>,
    /// Its threads, those of a session side by side.
    pub threads: Vec<Cow<'p, Thread>>,
    /// Where functions were seen running.
    pub places: Cow<'p, Places>,
    /// An index into `roles` for each thread.
    pub role_of: Vec<u32>,
    /// The roles of threads among those that run side by side, each once; see [`thread_roles`].
    pub roles: Vec<String>,
    /// The garbage collector, on top of what it interrupted.
    pub collector: Option<FunctionId>,
}

impl<'p> Selection<'p> {
    /// Some threads of a profile.
    pub fn of(profile: &'p Profile, threads: &Threads) -> Self {
        let names = thread_roles(profile);
        let indices = threads.indices(profile);
        let (mut roles, mut role_of) = (Vec::new(), Vec::new());
        let mut known = rustc_hash::FxHashMap::default();
        for &index in &indices {
            let role = *known.entry(&names[index]).or_insert_with(|| {
                roles.push(names[index].clone());
                roles.len() as u32 - 1
            });
            role_of.push(role);
        }
        Self { role_of, roles, ..Self::sum(profile, indices.into_iter().map(|it| &profile.threads[it])) }
    }

    /// An owned copy of the stacks and times, for a profile that lives on; without lines and the order of samples.
    #[must_use]
    pub fn stacks_and_times(&self) -> Selection<'static> {
        let threads = self.threads.iter().map(|it| Thread {
            name: it.name.clone(),
            session: it.session,
            process: it.process,
            samples: it.samples,
            on_stack: it.on_stack.clone(),
            off_stack: it.off_stack.clone(),
            ..Thread::default()
        });
        Selection {
            stacks: Cow::Owned(self.stacks.clone().into_owned()),
            threads: threads.map(Cow::Owned).collect(),
            places: Cow::Owned(Places::default()),
            role_of: self.role_of.clone(),
            roles: self.roles.clone(),
            collector: self.collector,
        }
    }

    /// Threads with the stacks of a profile, all in the same role.
    pub fn sum(profile: &'p Profile, threads: impl IntoIterator<Item = &'p Thread>) -> Self {
        let threads: Vec<_> = threads.into_iter().map(Cow::Borrowed).collect();
        let (stacks, places) = (Cow::Borrowed(&profile.stacks), Cow::Borrowed(&profile.places));
        let collector = profile.functions.iter().position(|it| it.kind == FunctionKind::GarbageCollector);
        let collector = collector.map(|it| FunctionId(it as u32));
        Self {
            role_of: vec![0; threads.len()],
            roles: vec!["main".to_owned()],
            stacks,
            threads,
            places,
            collector,
        }
    }
}
