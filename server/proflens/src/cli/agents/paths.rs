//! The heaviest call paths as a tree, pruned to a budget: of the whole recording, or below one function.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::summary::DefinitionKey;
use flame::functions::{Category, FlameFunction};
use flame::graph::FlameGraph;
use profile::model::Weight;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::quoted::{NAME, PATH, place, quoted, shown};
use super::{AgentAnswer, Cost, Subject, left_out, lines};

/// The most calls that are listed.
const MOST: usize = 100;
/// A call with a smaller share of the active time is never listed.
const LEAST_SHARE: f64 = 0.002;

/// The heaviest paths of calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PathsAnswer {
    /// What was measured.
    measured: String,
    /// The calls in the order of a tree: each below the one that called it, the heaviest first.
    calls: Vec<PathCall>,
    /// How many calls were left out.
    left_out: usize,
    /// What to ask next.
    next: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PathCall {
    /// How many callers of it are listed above.
    depth: usize,
    name: String,
    /// The file below the workspace, or what the trace calls its script.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// What it is: workspace, dependency, runtime, native, garbage collection, unplaced.
    kind: String,
    /// What flows through it on this path.
    total: Cost,
    /// The part of it in which it ran itself.
    #[serde(rename = "self")]
    own: Cost,
}

/// A node of the tree.
struct Node {
    function: u32,
    all: Weight,
    own: Weight,
    children: Vec<usize>,
}

/// The graph of a recording, which takes time to make and is therefore kept with it.
pub(crate) struct Graph(FlameGraph);

impl Graph {
    pub(crate) fn of(recording: &Recording, folder: &FilePath) -> Self {
        Self(FlameGraph::of(recording, folder, 0))
    }

    /// The tree of all stacks, or of the part from the first call of a function on, and its roots.
    fn tree(&self, below: Option<&dyn Fn(&FlameFunction) -> bool>) -> (Vec<Node>, Vec<usize>) {
        let FlameGraph { functions, stacks, threads, .. } = &self.0;
        let is_root: Vec<bool> =
            functions.iter().map(|function| below.is_some_and(|is_meant| is_meant(function))).collect();
        let mut own = vec![Weight::default(); stacks.len()];
        for (stack, weight) in threads.iter().flat_map(|thread| &thread.sums) {
            own[*stack as usize] += *weight;
        }
        let (mut nodes, mut roots) = (Vec::<Node>::new(), Vec::new());
        let mut known: FxHashMap<(Option<usize>, u32), usize> = FxHashMap::default();
        let (mut node_of, mut caller_of) = (vec![None; stacks.len()], Vec::<Option<usize>>::new());
        for stack in 0..stacks.len() {
            let function = stacks.function[stack];
            let caller = stacks.caller[stack].and_then(|caller| node_of[caller as usize]);
            let is_in = match below {
                Some(_) => caller.is_some() || is_root[function as usize],
                None => functions[function as usize].category != Category::Idle,
            };
            if !is_in {
                continue;
            }
            // A function that calls itself is one node.
            let is_recursion = caller.is_some_and(|caller: usize| nodes[caller].function == function);
            let node = match caller.filter(|_| is_recursion) {
                Some(same) => same,
                None => *known.entry((caller, function)).or_insert_with(|| {
                    let number = nodes.len();
                    nodes.push(Node {
                        function,
                        all: Weight::default(),
                        own: Weight::default(),
                        children: Vec::new(),
                    });
                    caller_of.push(caller);
                    match caller {
                        Some(caller) => nodes[caller].children.push(number),
                        None => roots.push(number),
                    }
                    number
                }),
            };
            node_of[stack] = Some(node);
            nodes[node].own += own[stack];
        }
        for at in (0..nodes.len()).rev() {
            let own = nodes[at].own;
            nodes[at].all += own;
            let all = nodes[at].all;
            if let Some(caller) = caller_of[at] {
                nodes[caller].all += all;
            }
        }
        (nodes, roots)
    }
}

/// The heaviest paths: all of them, or those below a function.
pub(crate) fn paths(subject: Subject<'_>, graph: &Graph, below: Option<&DefinitionKey>) -> PathsAnswer {
    let file = below.map(|key| key.file.relative_to(subject.folder).unwrap_or(key.file.as_str()));
    let is_meant = |function: &FlameFunction| {
        below.is_some_and(|key| function.path.as_deref() == Some(&*key.path))
            && function.file.as_deref() == file
    };
    let (nodes, roots) = graph.tree(below.map(|_| &is_meant as &dyn Fn(&FlameFunction) -> bool));
    let listed = heaviest(&nodes, &roots, subject);
    let mut calls = Vec::new();
    add_below(&roots, 0, &nodes, &listed, &mut |node, depth| {
        calls.push(call(subject, &graph.0.functions[node.function as usize], node, depth));
    });
    let next = match below {
        None => "Next: paths with name and file of a function shows what is below it, function its lines.",
        Some(_) => "Next: function with the name and file of a row shows its lines and callers.",
    };
    PathsAnswer {
        measured: subject.measured(),
        left_out: nodes.len() - calls.len(),
        calls,
        next: next.to_owned(),
    }
}

/// Whether each node is listed: the heaviest ones, if their callers are listed.
fn heaviest(nodes: &[Node], roots: &[usize], subject: Subject<'_>) -> Vec<bool> {
    let least = subject.recording.summary.ledger.base(analysis::summary::Base::Active).0 as f64 * LEAST_SHARE;
    let mut listed = vec![false; nodes.len()];
    let entry = |at: usize| (nodes[at].all.time, Reverse(at));
    let mut open: BinaryHeap<_> = roots.iter().map(|at| entry(*at)).collect();
    for _ in 0..MOST {
        let Some((time, Reverse(at))) = open.pop().filter(|(time, _)| time.0 as f64 >= least && time.0 > 0)
        else {
            break;
        };
        debug_assert_eq!(time, nodes[at].all.time);
        listed[at] = true;
        open.extend(nodes[at].children.iter().map(|child| entry(*child)));
    }
    listed
}

fn add_below(
    of: &[usize],
    depth: usize,
    nodes: &[Node],
    listed: &[bool],
    add: &mut impl FnMut(&Node, usize),
) {
    let mut sorted: Vec<usize> = of.iter().copied().filter(|at| listed[*at]).collect();
    sorted.sort_by_key(|at| (Reverse(nodes[*at].all.time), *at));
    for at in sorted {
        add(&nodes[at], depth);
        add_below(&nodes[at].children, depth + 1, nodes, listed, add);
    }
}

fn call(subject: Subject<'_>, function: &FlameFunction, node: &Node, depth: usize) -> PathCall {
    PathCall {
        depth,
        name: shown(&function.name, NAME),
        file: function.file.as_deref().map(|file| shown(file, PATH)),
        line: function.position.map(|(line, _)| line),
        kind: function.category.name().to_owned(),
        total: subject.spent(node.all),
        own: subject.spent(node.own),
    }
}

impl AgentAnswer for PathsAnswer {
    fn text(&self) -> String {
        let head = format!("The heaviest paths of calls, each call below its caller. {}", self.measured);
        let rows = self.calls.iter().map(PathCall::text).collect::<String>();
        let more =
            left_out(self.left_out, "call", "a larger max_tokens lists more, name the tree below a function");
        lines([&*head, rows.trim_end(), &more.unwrap_or_default(), &*self.next])
    }

    /// Removes the lightest call that has nothing listed below it.
    fn shrink(&mut self) -> bool {
        let is_leaf =
            |at: usize| self.calls.get(at + 1).is_none_or(|next| next.depth <= self.calls[at].depth);
        let leaves = (0..self.calls.len()).filter(|at| is_leaf(*at));
        let lightest = leaves.min_by_key(|at| (self.calls[*at].total.amount, Reverse(*at)));
        match lightest.filter(|_| self.calls.len() > 1) {
            Some(at) => {
                self.calls.remove(at);
                self.left_out += 1;
                true
            }
            None => false,
        }
    }
}

impl PathCall {
    fn text(&self) -> String {
        let file = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!(" {}", place(file, line)),
            (Some(file), None) => format!(" {}", quoted(file, PATH + 30)),
            (None, _) => String::new(),
        };
        let kind =
            if self.kind == Category::Workspace.name() { String::new() } else { format!(", {}", self.kind) };
        let own = if self.own.amount > 0 { format!(", self {}", self.own.short()) } else { String::new() };
        let indent = " ".repeat(self.depth);
        format!("{indent}- {} {}{file}{kind}{own}\n", self.total.short(), quoted(&self.name, NAME + 30))
    }
}
