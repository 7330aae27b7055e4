//! Drawings of recordings with several threads: what each thread did, a sample every millisecond, in the formats that have
//! threads.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value, json};
use tests::Folder;

/// A thread: the number of its process, its name, and what it did: `main 6, main>work 4, - 3` is 6 ms in `main`, 4 ms in `work`, which
/// `main` called, and 3 ms idle.
pub(crate) type Thread<'a> = (u32, &'a str, &'a str);

/// The workspace of all of them.
const FILES: [(&str, &str); 3] = [
    (
        "app.js",
        "function main() { work(); load(); }\nfunction work() { parse(3); }\nfunction parse(n) { if (n) parse(n - 1); }\n",
    ),
    ("lib/load.js", "export function load() {\n  function unzip() {}\n  unzip();\n}\n"),
    ("worker · schemas.test.ts", "function schemas() {}\n"),
];

/// A folder with the files of the workspace.
pub(crate) fn workspace() -> Folder {
    let folder = Folder::new();
    for (file, text) in FILES {
        folder.write(file, text);
    }
    folder
}

/// Writes a recording; the ending of its name says in which format.
pub(crate) fn write(folder: &Folder, trace: &str, threads: &[Thread]) {
    let text = match trace {
        "chrome.json" => chrome_trace(folder, threads),
        "speedscope.json" => speedscope(folder, threads),
        "firefox.json" => firefox(folder, threads),
        "perf.txt" => perf(folder, threads),
        "sentry.json" => sentry(folder, threads),
        "sessions.ndjson" => sessions(folder, threads),
        // What Node writes with `--cpu-prof`: a file for each process and worker, in a folder.
        "processes" => {
            for (thread, number) in threads.iter().zip(1..) {
                let file = format!("CPU.20260131.120000.{}.{number}.001.cpuprofile", thread.0);
                folder.write(&format!("{trace}/{file}"), cpu_profile(folder, thread));
            }
            return;
        }
        _ => panic!("no recording is called {trace}"),
    };
    folder.write(trace, text);
}

/// The stack of each sample, the outermost function first.
fn stacks<'a>((_, _, did): &Thread<'a>) -> Vec<Vec<&'a str>> {
    let span = |span: &'a str| {
        let (stack, millis) = span.rsplit_once(' ').unwrap();
        vec![stack.split('>').collect::<Vec<_>>(); millis.parse().unwrap()]
    };
    did.split(", ").flat_map(span).collect()
}

/// A file as engines write it.
fn url(folder: &Folder, file: &str) -> String {
    folder.uri(file).replace(' ', "%20").replace('·', "%C2%B7")
}

/// The file, line and column of a function, counted from 0; nothing for what is in no file, such as `(garbage collector)`.
fn place(folder: &Folder, name: &str) -> Option<(String, usize, usize)> {
    FILES.iter().find_map(|(file, text)| {
        let at = text.find(&format!("function {name}("))? + "function ".len() + name.len();
        let line = text[..at].matches('\n').count();
        Some((url(folder, file), line, at - text[..at].rfind('\n').map_or(0, |it| it + 1)))
    })
}

/// A tree of calls: the caller and the name of each node, the root being 0, and the node of each sample.
#[derive(Default)]
struct Tree<'a> {
    nodes: Vec<(usize, &'a str)>,
    samples: Vec<usize>,
}

impl<'a> Tree<'a> {
    fn of(thread: &Thread<'a>) -> Self {
        let (mut tree, mut known) = (Self::default(), HashMap::new());
        for stack in stacks(thread) {
            let node = stack.into_iter().fold(0, |caller, name| {
                *known.entry((caller, name)).or_insert_with(|| {
                    tree.nodes.push((caller, name));
                    tree.nodes.len()
                })
            });
            tree.samples.push(node);
        }
        tree
    }
}

/// The call frame of a function, as V8 has it.
fn call_frame(folder: &Folder, name: &str) -> Value {
    let name = if name == "-" { "(idle)" } else { name };
    match place(folder, name) {
        Some((url, line, column)) => {
            json!({ "functionName": name, "scriptId": 1, "url": url, "lineNumber": line, "columnNumber": column })
        }
        None => {
            json!({ "functionName": name, "scriptId": 0, "url": "", "lineNumber": -1, "columnNumber": -1 })
        }
    }
}

/// The nodes of a tree as V8 has them, and the samples; the root is 1.
fn v8_tree(folder: &Folder, thread: &Thread) -> (Vec<Value>, Vec<usize>) {
    let tree = Tree::of(thread);
    let root = json!({ "id": 1, "callFrame": call_frame(folder, "(root)") });
    let nodes = tree.nodes.iter().zip(2..).map(
        |((caller, name), id)| json!({ "id": id, "parent": caller + 1, "callFrame": call_frame(folder, name) }),
    );
    (std::iter::once(root).chain(nodes).collect(), tree.samples.iter().map(|it| it + 1).collect())
}

/// A trace of Chrome. The names of threads are those of the browser.
fn chrome_trace(folder: &Folder, threads: &[Thread]) -> String {
    let events = threads.iter().zip(1..).flat_map(|(thread, tid)| {
        let (pid, name, _) = thread;
        let (nodes, samples) = v8_tree(folder, thread);
        let deltas = vec![1000; samples.len()];
        let chunk = json!({ "cpuProfile": { "nodes": nodes, "samples": samples }, "timeDeltas": deltas });
        let id = format!("0x{tid}");
        let head = |name: &str, args: Value| json!({ "ph": "P", "name": name, "cat": "disabled-by-default-v8.cpu_profiler", "pid": pid, "tid": tid, "id": id, "ts": 1000, "args": args });
        [
            json!({ "ph": "M", "name": "thread_name", "cat": "__metadata", "pid": pid, "tid": tid, "ts": 0, "args": { "name": name } }),
            head("Profile", json!({ "data": { "startTime": 1000 } })),
            head("ProfileChunk", json!({ "data": chunk })),
        ]
    });
    json!({ "traceEvents": events.collect::<Vec<_>>() }).to_string()
}

/// The profile of one thread, as Node writes it with `--cpu-prof`.
fn cpu_profile(folder: &Folder, thread: &Thread) -> String {
    let (mut nodes, samples) = v8_tree(folder, thread);
    let parents: Vec<u64> = nodes.iter().map(|it| it["parent"].as_u64().unwrap_or(0)).collect();
    for (node, id) in nodes.iter_mut().zip(1..) {
        let children = parents.iter().zip(1..).filter(|it| *it.0 == id).map(|it| it.1);
        node["children"] = children.collect::<Vec<u64>>().into();
    }
    let deltas = vec![1000; samples.len()];
    json!({ "nodes": nodes, "startTime": 0, "endTime": 1000 * samples.len(), "samples": samples, "timeDeltas": deltas })
        .to_string()
}

/// What speedscope writes.
fn speedscope(folder: &Folder, threads: &[Thread]) -> String {
    let mut names: Vec<&str> = threads.iter().flat_map(stacks).flatten().filter(|it| *it != "-").collect();
    names.sort_unstable();
    names.dedup();
    let frames = names.iter().map(|name| match place(folder, name) {
        Some((file, line, column)) => {
            json!({ "name": name, "file": file, "line": line + 1, "col": column + 1 })
        }
        None => json!({ "name": name }),
    });
    let profile = |thread: &Thread| {
        let index = |name: &str| names.iter().position(|it| *it == name);
        let samples: Vec<Vec<usize>> =
            stacks(thread).iter().map(|it| it.iter().filter_map(|name| index(name)).collect()).collect();
        let weights = vec![1; samples.len()];
        json!({ "type": "sampled", "name": thread.1, "unit": "milliseconds", "samples": samples, "weights": weights })
    };
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": frames.collect::<Vec<_>>() },
        "profiles": threads.iter().map(profile).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A raw profile of Firefox.
fn firefox(folder: &Folder, threads: &[Thread]) -> String {
    let thread = |thread: &Thread| {
        let tree = Tree::of(thread);
        let text = |name: &str| match place(folder, name) {
            Some((url, line, column)) => format!("{name} ({url}:{}:{})[1]", line + 1, column + 1),
            None => name.to_owned(),
        };
        let (strings, nodes): (Vec<String>, Vec<_>) =
            tree.nodes.iter().map(|(caller, name)| (text(name), (caller, name))).unzip();
        let stacks = nodes.iter().zip(0..).map(|((caller, _), at)| json!([caller.checked_sub(1), at]));
        let frames =
            nodes.iter().zip(0..).map(|((_, name), at)| json!([at, false, i32::from(**name != "-")]));
        let samples = tree.samples.iter().zip(1..).map(|(node, time)| json!([node - 1, time]));
        json!({
            "name": thread.1, "pid": thread.0,
            "samples": { "schema": { "stack": 0, "time": 1 }, "data": samples.collect::<Vec<_>>() },
            "stackTable": { "schema": { "prefix": 0, "frame": 1 }, "data": stacks.collect::<Vec<_>>() },
            "frameTable": { "schema": { "location": 0, "relevantForJS": 1, "category": 2 }, "data": frames.collect::<Vec<_>>() },
            "stringTable": strings,
        })
    };
    let categories = json!([{ "name": "Idle" }, { "name": "Other" }]);
    json!({
        "meta": { "version": 34, "interval": 1, "categories": categories },
        "threads": threads.iter().map(thread).collect::<Vec<_>>(),
    })
    .to_string()
}

/// What `perf script` prints, which has no idle time.
fn perf(folder: &Folder, threads: &[Thread]) -> String {
    let mut text = "# captured on a day\n".to_owned();
    for (thread, tid) in threads.iter().zip(1..) {
        let (pid, name, _) = thread;
        for (millis, stack) in stacks(thread).iter().enumerate().filter(|(_, it)| **it != ["-"]) {
            writeln!(text, "{name} {pid}/{tid} [000] 1.{millis:03}000:   1000000 cpu-clock: ").unwrap();
            for function in stack.iter().rev() {
                let symbol = match place(folder, function) {
                    Some((url, line, column)) => format!("JS:*{function} {url}:{}:{}", line + 1, column + 1),
                    None => (*function).to_owned(),
                };
                writeln!(text, "\t7f1a {symbol}+0x1f (/tmp/perf-7.map)").unwrap();
            }
            text.push('\n');
        }
    }
    text
}

/// A profile as Sentry's SDK sends it; an idle thread has an empty stack.
fn sentry(folder: &Folder, threads: &[Thread]) -> String {
    let (mut frames, mut all, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    for (thread, id) in threads.iter().zip(1..) {
        for (millis, stack) in stacks(thread).into_iter().enumerate() {
            let frame = |name: &str| match place(folder, name) {
                Some((url, line, column)) => {
                    json!({ "function": name, "abs_path": url, "lineno": line + 1, "colno": column + 1 })
                }
                None => json!({ "function": name }),
            };
            let callee_first = stack.iter().rev().filter(|it| **it != "-").map(|name| {
                frames.push(frame(name));
                frames.len() - 1
            });
            all.push(callee_first.collect::<Vec<_>>());
            samples.push(json!({ "stack_id": all.len() - 1, "thread_id": id.to_string(), "elapsed_since_start_ns": (millis * 1_000_000).to_string() }));
        }
    }
    let names =
        threads.iter().zip(1..).map(|(thread, id)| (id.to_string(), json!({ "name": thread.1 }))).collect();
    let profile = json!({ "frames": frames, "stacks": all, "samples": samples, "thread_metadata": Value::Object(names) });
    json!({ "event_id": "e", "version": "1", "platform": "javascript", "profile": profile, "transactions": [] })
        .to_string()
}

/// What pages measured of themselves, a session a line; a sample without a stack is idle, or in the browser's own code.
fn sessions(folder: &Folder, threads: &[Thread]) -> String {
    let session = |thread: &Thread| {
        let tree = Tree::of(thread);
        let resources: Vec<String> = FILES.iter().map(|(file, _)| url(folder, file)).collect();
        let frame = |(_, name): &(usize, &str)| match place(folder, name) {
            Some((url, line, column)) => {
                let resource = resources.iter().position(|it| *it == url);
                json!({ "name": name, "resourceId": resource, "line": line + 1, "column": column + 1 })
            }
            None => json!({ "name": name }),
        };
        let stacks = tree.nodes.iter().zip(0..).map(|((caller, _), frame)| match caller {
            0 => json!({ "frameId": frame }),
            _ => json!({ "frameId": frame, "parentId": caller - 1 }),
        });
        let samples = tree.samples.iter().zip(0..).map(|(node, time)| match tree.nodes[node - 1].1 {
            "-" => json!({ "timestamp": time }),
            _ => json!({ "timestamp": time, "stackId": node - 1 }),
        });
        json!({
            "resources": resources, "frames": tree.nodes.iter().map(frame).collect::<Vec<_>>(),
            "stacks": stacks.collect::<Vec<_>>(), "samples": samples.collect::<Vec<_>>(),
        })
    };
    threads.iter().map(|it| format!("{}\n", session(it))).collect()
}
