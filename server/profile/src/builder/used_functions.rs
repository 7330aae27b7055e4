//! Leaves out functions that are on no stack, such as V8's `(root)`, and numbers the others anew, everywhere in a profile.

use crate::model::{FunctionId, Profile};

/// The numbers of functions after some were left out.
pub(super) struct NewNumbers {
    /// Whether each function stays, by its old number.
    is_used: Vec<bool>,
    /// The new number of each function, by its old one; without meaning if it does not stay.
    pub(super) numbers: Vec<FunctionId>,
}

impl NewNumbers {
    /// Numbers the functions that are on a stack, and those that made one of them.
    pub(super) fn of_used(profile: &Profile) -> Self {
        let mut is_used = vec![false; profile.functions.len()];
        for function in &profile.stacks.function {
            is_used[function.0 as usize] = true;
        }
        // A maker has a lower number than the functions that it made.
        for (index, function) in profile.functions.iter().enumerate().rev() {
            if let Some(maker) = function.made_by.filter(|_| is_used[index]) {
                is_used[maker.0 as usize] = true;
            }
        }
        let mut next = 0;
        let numbers = is_used.iter().map(|&is_used| {
            let number = FunctionId(next);
            next += u32::from(is_used);
            number
        });
        Self { numbers: numbers.collect(), is_used }
    }

    /// Leaves out the other functions, and what is said of them.
    pub(super) fn apply(&self, profile: &mut Profile) {
        if self.is_used.contains(&false) {
            let mut is_used = self.is_used.iter();
            profile.functions.retain(|_| *is_used.next().expect("as long as functions"));
            profile.stacks.function.iter_mut().for_each(|function| self.renumber(function));
            let makers = profile.functions.iter_mut().filter_map(|function| function.made_by.as_mut());
            makers.for_each(|maker| self.renumber(maker));
        }
        for thread in &mut profile.threads {
            let in_long_tasks = thread.in_long_tasks.iter_mut().flatten();
            in_long_tasks.for_each(|(function, _)| self.renumber(function));
            if let Some(population) = &mut thread.population {
                population.functions.retain(|row| self.stays(row.0));
                population.functions.iter_mut().for_each(|row| self.renumber(&mut row.0));
                population.functions.sort_by_key(|row| row.0);
            }
        }
        profile.known_places.retain(|place| self.stays(place.function));
        profile.known_places.iter_mut().for_each(|place| self.renumber(&mut place.function));
        profile.known_places.sort_by_key(|place| place.function);
        profile.known_places.dedup();
        profile.script_of.retain(|(function, _)| self.stays(*function));
        profile.script_of.iter_mut().for_each(|(function, _)| self.renumber(function));
        profile.script_of.sort_unstable();
    }

    fn stays(&self, function: FunctionId) -> bool {
        self.is_used[function.0 as usize]
    }

    fn renumber(&self, function: &mut FunctionId) {
        *function = self.numbers[function.0 as usize];
    }
}
