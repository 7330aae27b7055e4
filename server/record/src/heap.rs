//! Writes sampled allocations of several threads as one profile, as V8 has them
//! (<https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile>).
//!
//! Nodes of a profile are nested as deeply as the stacks of the program: 128 frames, which is as many as V8 keeps.
//! Threads hand them over as a flat list, so that nothing has to read or write nested texts recursively.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::head::Head;

/// The most frames of a stack that V8 keeps, from the innermost on (v8/src/inspector/v8-heap-profiler-agent-impl.cc).
/// Anything deeper does not come from V8.
const MAX_FRAMES: usize = 128;

/// What a thread allocated.
#[derive(Debug, Default, Deserialize)]
pub struct Heap {
    /// Callers before what they called; the first is the root.
    nodes: Vec<HeapNode>,
    samples: Vec<HeapSample>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeapNode {
    id: u64,
    /// An index into the nodes; of the root, which has none, any number.
    caller: usize,
    call_frame: Value,
    self_size: f64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct HeapSample {
    size: f64,
    node_id: u64,
    ordinal: f64,
}

impl Heap {
    /// Whether anything was sampled.
    pub fn has_samples(&self) -> bool {
        !self.samples.is_empty()
    }

    /// The nodes that each node called, in order. Nodes that no thread of ours can have written are left out.
    fn callees(&self) -> Vec<Vec<usize>> {
        let mut callees = vec![Vec::new(); self.nodes.len()];
        let mut depths = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if node.caller < index && depths[node.caller] <= MAX_FRAMES {
                depths[index] = depths[node.caller] + 1;
                callees[node.caller].push(index);
            }
        }
        callees
    }
}

/// Writes the heap profiles of some threads as one: what each thread allocated hangs below the same root.
///
/// # Errors
/// If writing fails.
pub fn write_heap(heaps: &[Heap], head: &Head, mut to: impl Write) -> io::Result<()> {
    head.write(&mut to)?;
    to.write_all(
        br#""head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"selfSize":0,"id":1,"children":["#,
    )?;
    // The numbers of a thread are different from those of earlier ones.
    let (mut last, mut is_first, mut samples) = (1, true, Vec::new());
    for heap in heaps {
        let shifted = |number: u64| number.saturating_add(last);
        let callees = heap.callees();
        for &outermost in callees.first().into_iter().flatten() {
            if !std::mem::take(&mut is_first) {
                to.write_all(b",")?;
            }
            write_tree(heap, &callees, outermost, shifted, &mut to)?;
        }
        samples.extend(heap.samples.iter().map(|it| HeapSample { node_id: shifted(it.node_id), ..*it }));
        last = heap.nodes.iter().map(|node| shifted(node.id)).max().unwrap_or(last);
    }
    to.write_all(b"]},\"samples\":")?;
    serde_json::to_writer(&mut to, &samples)?;
    to.write_all(b"}\n")
}

/// Writes a node and what it called.
fn write_tree(
    heap: &Heap,
    callees: &[Vec<usize>],
    outermost: usize,
    shifted: impl Fn(u64) -> u64,
    to: &mut impl Write,
) -> io::Result<()> {
    let begin = |index: usize, to: &mut dyn Write| {
        let HeapNode { id, call_frame, self_size, .. } = &heap.nodes[index];
        let id = shifted(*id);
        write!(to, "{{\"callFrame\":{call_frame},\"selfSize\":{self_size},\"id\":{id},\"children\":[")
    };
    begin(outermost, to)?;
    let mut open = vec![(outermost, 0)];
    while let Some((node, written)) = open.last_mut() {
        let Some(&callee) = callees[*node].get(*written) else {
            to.write_all(b"]}")?;
            open.pop();
            continue;
        };
        if *written > 0 {
            to.write_all(b",")?;
        }
        *written += 1;
        begin(callee, to)?;
        open.push((callee, 0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn heap(nodes: &[(u64, usize, &str)], samples: &[u64]) -> Heap {
        let node = |&(id, caller, name): &(u64, usize, &str)| json!({ "id": id, "caller": caller, "callFrame": { "functionName": name }, "selfSize": id });
        let sample = |(ordinal, id): (usize, &u64)| json!({ "size": 8, "nodeId": id, "ordinal": ordinal });
        let nodes: Vec<Value> = nodes.iter().map(node).collect();
        let samples: Vec<Value> = samples.iter().enumerate().map(sample).collect();
        serde_json::from_str(&json!({ "nodes": nodes, "samples": samples }).to_string()).unwrap()
    }

    /// A tree as `name#id size (callees)`.
    fn drawn(node: &Value) -> String {
        let callees: Vec<String> = node["children"].as_array().unwrap().iter().map(drawn).collect();
        let below = if callees.is_empty() { String::new() } else { format!(" ({})", callees.join(", ")) };
        format!(
            "{}#{} {}{below}",
            node["callFrame"]["functionName"].as_str().unwrap(),
            node["id"],
            node["selfSize"]
        )
    }

    fn written(heaps: &[Heap]) -> String {
        let mut text = Vec::new();
        write_heap(heaps, &Head::default(), &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn parsed(heaps: &[Heap]) -> Value {
        serde_json::from_str(&written(heaps)).unwrap()
    }

    #[test]
    fn threads_hang_below_one_root() {
        let main = heap(&[(1, 0, "(root)"), (2, 0, "a"), (4, 1, "b"), (3, 1, "c"), (5, 0, "d")], &[4, 5]);
        let worker = heap(&[(1, 0, "(root)"), (2, 0, "w")], &[2]);
        let profile = parsed(&[main, worker, Heap::default()]);
        assert_eq!(drawn(&profile["head"]), "(root)#1 0 (a#3 2 (b#5 4, c#4 3), d#6 5, w#8 2)");
        let nodes: Vec<u64> =
            profile["samples"].as_array().unwrap().iter().map(|it| it["nodeId"].as_u64().unwrap()).collect();
        assert_eq!(nodes, [5, 6, 8]);
    }

    #[test]
    fn what_no_thread_can_have_written_is_left_out() {
        let heap =
            heap(&[(1, 0, "(root)"), (2, 9, "none"), (3, 2, "itself"), (7, 0, "a"), (u64::MAX, 3, "b")], &[]);
        assert_eq!(
            drawn(&parsed(&[heap])["head"]),
            "(root)#1 0 (a#8 7 (b#18446744073709551615 1.8446744073709552e+19))"
        );
    }

    #[test]
    fn stacks_are_as_deep_as_those_of_v8() {
        let nodes: Vec<(u64, usize, &str)> =
            (0..400_usize).map(|index| (index as u64 + 1, index.saturating_sub(1), "f")).collect();
        let frames = written(&[heap(&nodes, &[])]).matches("\"f\"").count();
        assert_eq!(frames, MAX_FRAMES + 1, "the frames of a stack, and one that V8 puts around them");
    }
}
