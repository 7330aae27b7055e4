//! Renames the functions of a profile to what they are called in the source.

use crate::builder::ProfileBuilder;
use crate::model::{
    FunctionId, KnownPlace, Marker, PlaceId, Position, Profile, SeenPlace, StackId, StringId, Thread,
};

/// The new name of a function, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewName {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its file.
    pub resource: String,
    /// Its place in that file.
    pub position: Position,
    /// Whether lines of the old text are lines of that file.
    pub keeps_lines: bool,
}

/// The profile with other names for some functions, which stay where they are.
pub fn with_names<'n>(profile: &Profile, names: impl IntoIterator<Item = (FunctionId, &'n str)>) -> Profile {
    let mut named = profile.clone();
    for (function, name) in names {
        named.functions[function.0 as usize].name = named.strings.intern(name);
    }
    named
}

/// Gives functions their new names; those without one keep the old. Functions that get the same name and place become
/// one: if a compiler made two or three functions from one, each calling the next, a single frame remains. The scripts of
/// the trace are dropped, as they were only needed to find the new names.
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

    let places = rename_places(profile, new_name, &functions, &mut builder);
    let labels = keep_labels(profile, &mut builder);
    let markers =
        profile.markers.iter().map(|it| Marker { name: builder.string(profile.strings.get(it.name)), ..*it });
    let markers = markers.collect();
    for thread in &profile.threads {
        let samples = thread.in_order.with_times_and_places().zip(thread.in_order.labels());
        for ((taken, sample, number), set) in samples {
            let place = sample.on.ok().and_then(|stack| {
                let function = profile.stacks.function[stack.0 as usize];
                places[profile.places.of_function(function, number)?.0 as usize]
            });
            let on = sample.on.map(|stack| stacks[stack.0 as usize]);
            builder.next_sample_at(taken);
            builder.next_sample_has(labels.get(set as usize).copied().unwrap_or_default());
            builder.add_sample_at(on, place, sample.weight);
        }
        for it in &thread.ticks {
            if let Some(place) = places[it.place.0 as usize] {
                builder.place_ticks(stacks[it.stack.0 as usize], place, it.ticks);
            }
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
    for place in profile.known_places.iter().filter(|it| new_name(it.function).is_none()) {
        builder.known_place(KnownPlace { function: functions[place.function.0 as usize], ..place.clone() });
    }
    let (problems, recorded) = (profile.problems.clone(), profile.recorded);
    Profile { problems, recorded, markers, ..builder.finish() }
}

/// The new number of each set of labels.
fn keep_labels(profile: &Profile, builder: &mut ProfileBuilder) -> Vec<u32> {
    let sets = profile.label_sets.iter().map(|set| {
        let mut text = |it: StringId| builder.string(profile.strings.get(it));
        let labels = set.iter().map(|&(key, value)| (text(key), text(value))).collect();
        builder.labels(labels)
    });
    sets.collect()
}

/// The new id of each place; `None` if nothing is known about it any more.
fn rename_places<'n>(
    profile: &Profile,
    new_name: impl Fn(FunctionId) -> Option<&'n NewName>,
    functions: &[FunctionId],
    builder: &mut ProfileBuilder,
) -> Vec<Option<PlaceId>> {
    let mut places: Vec<Option<PlaceId>> = Vec::with_capacity(profile.places.len());
    for place in profile.places.iter() {
        let renamed = functions[place.function.0 as usize];
        let by = place.caller.map(|it| profile.places.get(it));
        let is_part = by
            .is_some_and(|by| by.function != place.function && functions[by.function.0 as usize] == renamed);
        let caller = if is_part { by.and_then(|it| it.caller) } else { place.caller };
        let keeps_lines = new_name(place.function).is_none_or(|it| it.keeps_lines);
        places.push(builder.place(SeenPlace {
            function: renamed,
            line: place.line.filter(|_| keeps_lines),
            column: place.column,
            caller: caller.and_then(|it| places[it.0 as usize]),
        }));
    }
    places
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
