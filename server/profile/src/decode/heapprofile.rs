//! V8's `.heapprofile`: sampled allocations, `HeapProfiler.SamplingHeapProfile` of the DevTools protocol.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile>. It is a tree of call
//! frames like those of a `.cpuprofile`, with positions from 0; `selfSize` of a node is the number of bytes allocated
//! there that were still in use at the end, as V8 estimates it from its samples. `samples` lists the samples; their sizes
//! were rounded one by one, so only their number is used.
//!
//! If a function's script was no longer referenced when V8 wrote the profile, such as a CommonJS module that ran to its
//! end, V8 only knows the function's name: the call frame has the number of a script, but neither its url nor a place.

use rustc_hash::FxHashMap;

use super::error::Result;
use super::json::Json;
use super::v8::ids::NONE;
use super::v8::nodes::V8Profile;
use crate::builder::ProfileBuilder;
use crate::model::{Amount, OffStack, StackId, Thread, Unit, Weight};
use crate::problem::count;

/// What functions of forgotten scripts allocated is reported if it is more than one part in this many of all.
const FEW: u64 = 100;

/// Whether the next array lists sampled allocations.
pub(super) fn is_next(json: &mut Json) -> Result<bool> {
    json.items_have_key(&[b"nodeId"])
}

/// Reads the samples of a profile, each as the id of its node.
pub(super) fn read_samples(profile: &mut V8Profile, json: &mut Json) -> Result<()> {
    json.enter_array()?;
    while json.next_item()? {
        if !json.enter_object()? {
            continue;
        }
        let mut node = NONE;
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"nodeId" => node = profile.ids.id(json.number()?),
                _ => json.skip()?,
            }
        }
        profile.samples.push(node);
    }
    Ok(())
}

/// Makes one thread of a profile; `false` if nothing was allocated.
///
/// A node without samples of its own counts as one, because old versions of V8 do not list them. Samples without a node
/// count, but have no bytes: V8 takes them while it writes the profile.
pub(super) fn finish(profile: V8Profile, builder: &mut ProfileBuilder) -> bool {
    if profile.sizes.is_empty() {
        return false;
    }
    builder.format("heapprofile");
    let mut samples_of: FxHashMap<u32, u64> = FxHashMap::default();
    for &node in &profile.samples {
        *samples_of.entry(node).or_default() += 1;
    }
    let mut bytes = vec![Amount(0); profile.nodes.len()];
    for &(node, size) in &profile.sizes {
        bytes[node as usize] = crate::timeline::amount(size);
    }
    let mut forgotten = Amount(0);
    let mut thread = Thread { unit: Unit::Bytes, ..Thread::default() };
    let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(profile.nodes.len());
    for (node, &time) in profile.nodes.iter().zip(&bytes) {
        let caller = stacks.get(node.parent as usize).copied().flatten();
        let is_root = node.parent == NONE && builder.is_pseudo(node.function, "(root)");
        let stack = (!is_root).then(|| builder.stack(caller, node.function));
        stacks.push(stack);
        let samples = samples_of.remove(&node.id).unwrap_or(u64::from(time > Amount(0)));
        let weight = Weight { time, samples };
        if weight == Weight::default() {
            continue;
        }
        thread.duration += time;
        thread.samples += samples;
        if profile.forgotten.contains(&node.function) {
            forgotten += time;
        }
        match stack {
            Some(stack) => builder.add_on_stack(stack, weight),
            None => builder.add_off_stack(OffStack::Native, weight),
        }
    }
    let lost: u64 = samples_of.values().sum();
    if lost > 0 {
        thread.samples += lost;
        builder.add_off_stack(OffStack::Unknown, Weight { time: Amount(0), samples: lost });
    }
    if forgotten.0 > thread.duration.0 / FEW {
        let functions = count(profile.forgotten.len() as u64, "function is", "functions are");
        builder.problem(
            format!("{functions} known by name only: V8 had forgotten the scripts when it wrote the profile"),
            "record with proflens record --heap, which notes the files of all scripts",
        );
    }
    builder.end_thread(thread);
    true
}
