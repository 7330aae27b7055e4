//! Sums over many sessions among the threads of a file: such a sum stands alone.

use super::ProfileBuilder;
use crate::{FunctionId, Thread};

impl ProfileBuilder {
    /// Keeps a sum over many sessions alone: what else the file holds may be part of it, and how sessions differ would be lost.
    pub(super) fn choose_population(&mut self) {
        let threads = &mut self.profile.threads;
        let Some(first) = threads.iter().position(|it| it.population.is_some()) else { return };
        let others = threads.len() - 1;
        if others == 0 {
            return;
        }
        threads.swap(0, first);
        threads.truncate(1);
        threads[0].session = 0;
        let what = match others {
            1 => "it holds another profile beside a slice".to_owned(),
            _ => format!("it holds {others} other profiles beside a slice"),
        };
        self.problem(what, "only the first slice was read; open the others by themselves");
    }
}

/// Gives functions their last ids; what is of functions on no stack is left out.
pub(super) fn renumber(thread: &mut Thread, used: &[bool], new_id: &[FunctionId]) {
    let Some(population) = &mut thread.population else { return };
    population.functions.retain(|it| used[it.0.0 as usize]);
    population.functions.iter_mut().for_each(|it| it.0 = new_id[it.0.0 as usize]);
    population.functions.sort_by_key(|it| it.0);
}
