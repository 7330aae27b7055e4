//! How formats name functions, places and threads.

use crate::model::{FunctionId, Position, Profile, StackId, Thread};

/// A function as other tools show it, which expect a name.
pub(super) fn shown_name(profile: &Profile, function: FunctionId) -> &str {
    match profile.name(function) {
        "" => "(anonymous)",
        name => name,
    }
}

/// The line and the column of a place, from 1; 0 where there is none.
pub(super) fn from_one(position: Option<Position>) -> (u64, u64) {
    let from_one = |number: u32| u64::from(number) + 1;
    let line = position.map_or(0, |it| from_one(it.line));
    (line, position.and_then(|it| it.column).map_or(0, from_one))
}

/// What a thread is called among others.
pub(super) fn thread_name(threads: &[Thread], index: usize) -> String {
    match threads[index].name.as_str() {
        "" => format!("thread {}", index + 1),
        name => name.to_owned(),
    }
}

/// The functions of a stack, the innermost first.
pub(super) fn frames(profile: &Profile, stack: StackId) -> impl Iterator<Item = FunctionId> {
    std::iter::successors(Some(stack), |&stack| profile.stacks.caller(stack))
        .map(|stack| profile.stacks.function[stack.0 as usize])
}
