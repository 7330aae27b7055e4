//! How formats name functions, places and threads.

use crate::model::{FunctionId, Position, Profile, StackId, Thread};

/// The name of a function for other tools, which expect one.
pub(super) fn shown_name(profile: &Profile, function: FunctionId) -> &str {
    match profile.name(function) {
        "" => "(anonymous)",
        name => name,
    }
}

/// The line and column of a place, from 1; 0 if there is none.
pub(super) fn place_from_one(position: Option<Position>) -> (u64, u64) {
    (from_one(position.map(|it| it.line)), from_one(position.and_then(|it| it.column)))
}

/// A line or column from 1; 0 if there is none.
pub(super) fn from_one(number: Option<u32>) -> u64 {
    number.map_or(0, |number| u64::from(number) + 1)
}

/// The name of a thread among others.
pub(super) fn thread_name(threads: &[Thread], index: usize) -> String {
    match threads[index].name.as_str() {
        "" => format!("thread {}", index + 1),
        name => name.to_owned(),
    }
}

/// The functions of a stack, innermost first.
pub(super) fn frames(profile: &Profile, stack: StackId) -> impl Iterator<Item = FunctionId> {
    std::iter::successors(Some(stack), |&stack| profile.stacks.caller(stack))
        .map(|stack| profile.stacks.function[stack.0 as usize])
}
