//! Collects who called what in the sampled stacks.
//! There may be millions of stacks over a few thousand functions, so calls are put in place by counting instead of sorting.

use profile::model::{FunctionId, Profile};

/// The calls in the stacks of a profile, each once.
pub(super) struct Calls {
    /// What the first function called, then what the second one called, and so on.
    callees: Vec<FunctionId>,
    /// Where the callees of each function end; they begin where those of the previous function end.
    ends: Vec<usize>,
}

impl Calls {
    /// The calls in all stacks.
    pub(super) fn of(profile: &Profile) -> Self {
        let stacks = &profile.stacks;
        let callers = stacks.callers().zip(&stacks.function);
        let calls =
            callers.filter_map(|(caller, &callee)| Some((stacks.function[caller?.0 as usize], callee)));
        Self::sorted(profile.functions.len(), calls)
    }

    /// The calls of these pairs of caller and callee; `functions` is the number of all functions.
    fn sorted(functions: usize, calls: impl Iterator<Item = (FunctionId, FunctionId)> + Clone) -> Self {
        let mut ends = vec![0; functions];
        calls.clone().for_each(|(caller, _)| ends[caller.0 as usize] += 1);
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        // Until all are in place, each end is the index at which the next callee belongs.
        let mut callees = vec![FunctionId(0); begin];
        for (caller, callee) in calls {
            let end = &mut ends[caller.0 as usize];
            callees[*end] = callee;
            *end += 1;
        }
        let mut all = Self { callees, ends };
        all.keep_each_once();
        all
    }

    /// What a function called, in no order.
    pub(super) fn by(&self, caller: FunctionId) -> &[FunctionId] {
        let caller = caller.0 as usize;
        let begin = caller.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.callees[begin..self.ends[caller]]
    }

    fn keep_each_once(&mut self) {
        let mut last_caller = vec![None; self.ends.len()];
        let (mut kept, mut begin) = (0, 0);
        for (caller, end) in self.ends.iter_mut().enumerate() {
            for at in begin..*end {
                let callee = self.callees[at];
                if last_caller[callee.0 as usize].replace(caller) != Some(caller) {
                    self.callees[kept] = callee;
                    kept += 1;
                }
            }
            begin = std::mem::replace(end, kept);
        }
        self.callees.truncate(kept);
        self.callees.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_once() {
        let stacks = [(2, 0), (0, 1), (2, 3), (2, 0), (0, 0), (2, 3), (0, 1)];
        let calls = stacks.into_iter().map(|(caller, callee)| (FunctionId(caller), FunctionId(callee)));
        let sorted = Calls::sorted(4, calls);
        let by = |caller| sorted.by(FunctionId(caller)).iter().map(|callee| callee.0).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(by), [vec![1, 0], vec![], vec![0, 3], vec![]]);
    }
}
