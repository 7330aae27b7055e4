//! From a decoded trace to the rows of its sessions.

use profile::{OffStack, Profile, Thread, Weight, summed};

use crate::ids::{self, Collision, Id};
use crate::names::Names;

/// One session: a row of `sessions`, and its rows of `stacks`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub session: Id,
    /// The number of its samples.
    pub samples: u64,
    /// All its time, in nanoseconds.
    pub total: u64,
    /// Time without a stack, by the number of the reason in [`OffStack::ALL`].
    pub off_stack: [Weight; OffStack::ALL.len()],
    /// Time with exactly this stack, by node, sorted, each once.
    pub stacks: Vec<(Id, Weight)>,
}

/// The id of time without a stack in the table `stacks`, by its reason.
pub fn off_stack(why: OffStack) -> Id {
    why as Id + 1
}

/// The reason for time without a stack, by its id.
pub fn reason_of(stack: Id) -> Option<OffStack> {
    let number = usize::try_from(stack).ok()?.checked_sub(1)?;
    OffStack::ALL.get(number).copied()
}

/// The sessions of a trace, of which each thread is one: traces of the JS Self-Profiling API have no other. `bytes` is the hash of the
/// line, `count` says how many sessions of the shard had the same.
///
/// # Errors
/// If two different things have one id.
pub fn sessions(
    release: &str,
    profile: &Profile,
    names: &mut Names,
    (bytes, count): (Id, u64),
) -> Result<Vec<Session>, Collision> {
    let nodes = names.add(release, profile)?;
    let session = |(thread, number): (&Thread, u64)| {
        let on_stack = thread.on_stack.iter().map(|(stack, weight)| (nodes[stack.0 as usize], weight));
        let stacks = summed(on_stack.collect());
        let off_stack = OffStack::ALL.map(|it| thread.off_stack.get(&it).copied().unwrap_or_default());
        let (samples, total) = (thread.samples, thread.all().0);
        let session = ids::session(bytes, count + (number << 32));
        Session { session, samples, total, off_stack, stacks }
    };
    Ok(profile.measured().zip(0..).map(session).collect())
}

impl Session {
    /// All rows of `stacks`: those without a stack first.
    pub fn rows(&self) -> impl Iterator<Item = (Id, Weight)> + '_ {
        let off = OffStack::ALL.into_iter().zip(self.off_stack).map(|(why, weight)| (off_stack(why), weight));
        off.filter(|it| it.1 != Weight::default()).chain(self.stacks.iter().copied())
    }

    /// All time except idle time and samples without a stack, in nanoseconds.
    pub fn active(&self) -> u64 {
        let of = |why: OffStack| self.off_stack[why as usize].time.0;
        self.total - of(OffStack::Idle) - of(OffStack::NoStack)
    }
}
