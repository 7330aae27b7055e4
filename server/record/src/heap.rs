//! Writes sampled allocations of several threads as one profile, as V8 has them
//! (<https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile>).

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::head::Head;

/// Writes the heap profiles of some threads as one: what each thread allocated hangs below the same root.
///
/// # Errors
/// If writing fails.
pub fn write_heap(heaps: Vec<Value>, head: &Head, mut to: impl Write) -> io::Result<()> {
    let (mut children, mut samples, mut last) = (Vec::new(), Vec::new(), 1);
    for mut heap in heaps {
        let mut largest = last;
        if let Some(of_samples) = heap["samples"].as_array_mut() {
            for sample in of_samples {
                shift(&mut sample["nodeId"], last, &mut largest);
                samples.push(sample.take());
            }
        }
        if let Some(of_head) = heap["head"]["children"].as_array_mut() {
            for child in of_head {
                shift_tree(child, last, &mut largest);
                children.push(child.take());
            }
        }
        last = largest;
    }
    let root =
        json!({ "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 });
    let tree = json!({ "callFrame": root, "selfSize": 0, "id": 1, "children": children });
    head.write(&mut to)?;
    to.write_all(b"\"head\":")?;
    serde_json::to_writer(&mut to, &tree)?;
    to.write_all(b",\"samples\":")?;
    serde_json::to_writer(&mut to, &samples)?;
    to.write_all(b"}\n")
}

/// Whether anything was sampled; also true of a Node that does not list samples.
pub fn has_samples(heap: &Value) -> bool {
    heap["samples"].as_array().is_none_or(|samples| !samples.is_empty())
}

/// Makes the numbers of a tree different from those of earlier trees. It is as deep as the program's stacks.
fn shift_tree(root: &mut Value, by: u64, largest: &mut u64) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        shift(&mut node["id"], by, largest);
        if let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) {
            open.extend(children);
        }
    }
}

fn shift(number: &mut Value, by: u64, largest: &mut u64) {
    let shifted = number.as_u64().unwrap_or(0) + by;
    *largest = shifted.max(*largest);
    *number = json!(shifted);
}
