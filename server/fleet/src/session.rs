//! From a decoded trace to the rows of its sessions.

use profile::model::{OffStack, Profile, Thread, Weight, summed};

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

/// The sessions of a trace. Each thread is one, because traces of the JS Self-Profiling API have a single thread. `bytes` is the hash
/// of the line, and `count` says how many sessions of the shard already had the same hash.
///
/// # Errors
/// If two different things have one id.
pub fn sessions(
    release: &str,
    profile: &Profile,
    names: &mut Names,
    bytes: Id,
    count: u64,
) -> Result<Vec<Session>, Collision> {
    let nodes = names.add(release, profile)?;
    let threads = profile.measured().zip(0_u64..);
    Ok(threads
        .map(|(thread, number)| Session::of(thread, ids::session(bytes, count + (number << 32)), &nodes))
        .collect())
}

impl Session {
    /// The session of a thread of a trace whose stacks are these nodes.
    fn of(thread: &Thread, session: Id, nodes: &[Id]) -> Self {
        let on_stack = thread.on_stack.iter().map(|(stack, weight)| (nodes[stack.0 as usize], weight));
        Self {
            session,
            samples: thread.samples,
            total: thread.all().0,
            off_stack: OffStack::ALL.map(|why| thread.off_stack.get(&why).copied().unwrap_or_default()),
            stacks: summed(on_stack.collect()),
        }
    }

    /// All rows of `stacks`: first those for time without a stack.
    pub fn rows(&self) -> impl Iterator<Item = (Id, Weight)> + '_ {
        let off = OffStack::ALL.into_iter().zip(self.off_stack).map(|(why, weight)| (off_stack(why), weight));
        off.filter(|(_, weight)| *weight != Weight::default()).chain(self.stacks.iter().copied())
    }

    /// Time without a stack for one reason, in nanoseconds.
    pub fn off_stack_ns(&self, why: OffStack) -> u64 {
        self.off_stack[why as usize].time.0
    }

    /// All time except idle time and samples without a stack, in nanoseconds.
    pub fn active(&self) -> u64 {
        self.total - self.off_stack_ns(OffStack::Idle) - self.off_stack_ns(OffStack::NoStack)
    }
}
