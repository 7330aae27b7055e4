//! A profile under other names: its functions as they were found in the source.

use crate::builder::ProfileBuilder;
use crate::{FunctionId, KnownPlace, LineTicks, Position, Profile, StackId, Thread};

/// What a function is called from now on, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewName {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its file.
    pub resource: String,
    /// Its place in that file.
    pub position: Position,
    /// Whether lines of the old text are lines of that file.
    pub keeps_lines: bool,
}

/// Gives functions their new names; those without one keep the old. Functions that get the same name and place become one:
/// of the two or three that a compiler made of one, each calling the next, one frame of a stack is left. The scripts of the
/// trace are dropped: they were needed to find the new names.
pub fn rename(profile: &Profile, new: &[Option<NewName>]) -> Profile {
    let mut builder = ProfileBuilder::new(profile.format);
    let new_name = |function: FunctionId| new.get(function.0 as usize).and_then(Option::as_ref);
    let functions = rename_functions(profile, new_name, &mut builder);
    let mut stacks: Vec<StackId> = Vec::with_capacity(profile.stacks.function.len());
    for (&function, caller) in profile.stacks.function.iter().zip(profile.stacks.callers()) {
        let by = caller.map(|caller| profile.stacks.function[caller.0 as usize]);
        let renamed = functions[function.0 as usize];
        let is_part = by.is_some_and(|by| by != function && functions[by.0 as usize] == renamed);
        let caller = caller.map(|caller| stacks[caller.0 as usize]);
        stacks.push(match caller {
            Some(caller) if is_part => caller,
            _ => builder.stack(caller, renamed),
        });
    }

    for thread in &profile.threads {
        for sample in thread.in_order.iter() {
            builder.add_sample(sample.on.map(|stack| stacks[stack.0 as usize]), sample.weight);
        }
        let &Thread { session, process, repeats, unit, samples, start, duration, interval, .. } = thread;
        let name = thread.name.clone();
        builder.end_thread(Thread {
            name,
            session,
            process,
            repeats,
            unit,
            samples,
            start,
            duration,
            interval,
            ..Thread::default()
        });
    }
    for ticks in &profile.ticks {
        let function = profile.stacks.function[ticks.stack.0 as usize];
        if new_name(function).is_none_or(|it| it.keeps_lines) {
            builder.line_ticks(LineTicks { stack: stacks[ticks.stack.0 as usize], ..*ticks });
        }
    }
    for place in profile.known_places.iter().filter(|it| new_name(it.function).is_none()) {
        builder.known_place(KnownPlace { function: functions[place.function.0 as usize], ..place.clone() });
    }
    Profile { problems: profile.problems.clone(), ..builder.finish() }
}

/// The new id of each function.
fn rename_functions<'n>(
    profile: &Profile,
    new_name: impl Fn(FunctionId) -> Option<&'n NewName>,
    builder: &mut ProfileBuilder,
) -> Vec<FunctionId> {
    (0..profile.functions.len() as u32)
        .map(|id| {
            let function = profile.functions[id as usize];
            match new_name(FunctionId(id)) {
                Some(new) => {
                    let (name, resource) = (builder.string(&new.name), builder.resource(&new.resource));
                    builder.function(name, Some(resource), Some(new.position))
                }
                None => {
                    let name = builder.string(profile.strings.get(function.name));
                    let resource = profile.resource(FunctionId(id)).map(|it| builder.resource(it));
                    builder.function(name, resource, function.defined_at)
                }
            }
        })
        .collect()
}
