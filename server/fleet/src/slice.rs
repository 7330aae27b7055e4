//! A slice: the chosen sessions as one profile, which editors open (docs/formats.md, "slice").
//!
//! The generated functions of a definition become one function of the slice, so that its stacks are those of the sources. What
//! differs between sessions is kept by definition: in how many of them it ran, and percentiles over these.

use std::collections::hash_map::Entry;

use profile::model::OffStack;
use profile::problem::Problem;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::buckets::{self, middle, percentiles};
use crate::ids::{self, Id};
use crate::names::{FunctionRow, NodeRow, SymbolRow};
use crate::rows::Row;
use crate::session::reason_of;

/// The version of the format.
const VERSION: u32 = 1;

/// A slice, as it is in its file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    proflens_slice: u32,
    /// The condition of its sessions.
    #[serde(rename = "where")]
    condition: String,
    /// When the newest session was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<String>,
    sessions: i64,
    samples: i64,
    total_ns: i64,
    active_ns: i64,
    off_stack: OffStackTimes,
    files: Vec<SliceFile>,
    functions: Vec<SliceFunction>,
    stacks: SliceStacks,
}

/// Time without a stack, by reason: nanoseconds and samples.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct OffStackTimes {
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_stack: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gc: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    native: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsampled: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<[i64; 2]>,
}

/// A file of the sources, with its text in the release.
#[derive(Debug, Serialize)]
struct SliceFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A definition, or a function that has none.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct SliceFunction {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<i64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    population: Option<Population>,
}

/// What is known about a definition over all sessions.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Population {
    sessions: i64,
    self_ns: i64,
    total_ns: i64,
    self_percentiles_ns: [u64; buckets::SHOWN.len()],
    total_percentiles_ns: [u64; buckets::SHOWN.len()],
    /// Sums over sessions of the squares of self and total time, as exact as the buckets are.
    squares: [f64; 2],
}

#[derive(Debug, Default, Serialize)]
struct SliceStacks {
    parent: Vec<i64>,
    function: Vec<usize>,
    ns: Vec<i64>,
    samples: Vec<i64>,
}

/// The meaning of the ids in the rows of a query.
pub trait Meaning {
    /// The caller and the function of a node.
    fn node(&self, node: Id) -> Option<&NodeRow>;
    /// What the trace says about a function.
    fn function(&self, function: Id) -> Option<&FunctionRow>;
    /// Which definition a function is.
    fn symbol(&self, function: Id) -> Option<&SymbolRow>;
    /// The text of a file in the release, by its hash.
    fn text(&self, hash: Id) -> Option<String>;
}

impl Slice {
    /// Makes a slice from the rows of the query `slice`, in their order, and from the meaning of their ids.
    ///
    /// # Errors
    /// If there is no session, or the rows do not match the names.
    pub fn new(
        condition: String,
        recorded: Option<String>,
        rows: &[Row],
        meaning: &dyn Meaning,
    ) -> Result<Self, Problem> {
        let Some(all) = rows.first().filter(|row| row.kind == Row::SESSIONS && row.sessions > 0) else {
            return Err(Problem::new("no session fulfils it", ""));
        };
        let mut builder = Builder::new(meaning, populations(rows));
        let mut off_stack = OffStackTimes::default();
        for row in rows.iter().filter(|row| row.kind == Row::STACK) {
            let spent = [row.total_ns, row.samples];
            match reason_of(row.id) {
                Some(why) => *off_stack.of(why) = Some(spent),
                None => builder.add(row.id, spent)?,
            }
        }
        let Builder { files, functions, stacks, .. } = builder;
        Ok(Self {
            proflens_slice: VERSION,
            condition,
            recorded,
            sessions: all.sessions,
            samples: all.samples,
            total_ns: all.total_ns,
            active_ns: all.self_ns,
            off_stack,
            files,
            functions,
            stacks,
        })
    }

    /// Its file, as JSON.
    ///
    /// # Errors
    /// Never, because everything in it has a form in JSON.
    pub fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// The numbers of its sessions, definitions and stacks.
    pub fn numbers(&self) -> [usize; 3] {
        let definitions = self.functions.iter().filter(|function| function.file.is_some()).count();
        [usize::try_from(self.sessions).unwrap_or_default(), definitions, self.stacks.ns.len()]
    }
}

impl OffStackTimes {
    fn of(&mut self, why: OffStack) -> &mut Option<[i64; 2]> {
        match why {
            OffStack::Idle => &mut self.idle,
            OffStack::NoStack => &mut self.no_stack,
            OffStack::Program => &mut self.program,
            OffStack::GarbageCollector => &mut self.gc,
            OffStack::Native => &mut self.native,
            OffStack::Unsampled => &mut self.unsampled,
            OffStack::Unknown => &mut self.unknown,
        }
    }
}

/// What is known about each definition, from the rows in their order.
fn populations(rows: &[Row]) -> FxHashMap<Id, Population> {
    let mut all: FxHashMap<Id, Population> = FxHashMap::default();
    for rows in rows.chunk_by(|a, b| (a.kind, a.id) == (b.kind, b.id)) {
        let Row { kind, id, .. } = rows[0];
        if kind != Row::TOTAL && kind != Row::SELF {
            continue;
        }
        let population = all.entry(id).or_default();
        let counts: Vec<(i64, u64)> =
            rows.iter().map(|row| (row.bucket, row.sessions.cast_unsigned())).collect();
        let squares =
            counts.iter().map(|&(bucket, count)| (middle(bucket) as f64).powi(2) * count as f64).sum();
        if kind == Row::TOTAL {
            population.sessions = rows.iter().map(|row| row.sessions).sum();
            population.self_ns = rows.iter().map(|row| row.self_ns).sum();
            population.total_ns = rows.iter().map(|row| row.total_ns).sum();
            population.total_percentiles_ns = percentiles(&counts, buckets::SHOWN);
            population.squares[1] = squares;
        } else {
            population.self_percentiles_ns = percentiles(&counts, buckets::SHOWN);
            population.squares[0] = squares;
        }
    }
    all
}

struct Builder<'a> {
    meaning: &'a dyn Meaning,
    populations: FxHashMap<Id, Population>,
    files: Vec<SliceFile>,
    /// By path and the hash of its text, because releases may differ.
    file_of: FxHashMap<(String, Id), usize>,
    functions: Vec<SliceFunction>,
    /// By definition, or by function if it has none.
    function_of: FxHashMap<Id, usize>,
    stacks: SliceStacks,
    /// By the index of the caller and the function.
    stack_of: FxHashMap<(i64, usize), i64>,
    /// The stack of each node.
    node_stacks: FxHashMap<Id, i64>,
}

impl<'a> Builder<'a> {
    fn new(meaning: &'a dyn Meaning, populations: FxHashMap<Id, Population>) -> Self {
        Self {
            meaning,
            populations,
            files: Vec::new(),
            file_of: FxHashMap::default(),
            functions: Vec::new(),
            function_of: FxHashMap::default(),
            stacks: SliceStacks::default(),
            stack_of: FxHashMap::default(),
            node_stacks: FxHashMap::default(),
        }
    }

    fn add(&mut self, node: Id, [ns, samples]: [i64; 2]) -> Result<(), Problem> {
        let stack = self.stack(node)? as usize;
        self.stacks.ns[stack] += ns;
        self.stacks.samples[stack] += samples;
        Ok(())
    }

    /// The stack of a node, whose callers are made first.
    fn stack(&mut self, node: Id) -> Result<i64, Problem> {
        let mut open = Vec::new();
        let mut at = node;
        while at != ids::NONE && !self.node_stacks.contains_key(&at) {
            let Some(&row) = self.meaning.node(at) else {
                return Err(Problem::new(format!("the stack {at} is not in its table of nodes"), ""));
            };
            open.push(row);
            if open.len() > 1 << 20 {
                return Err(Problem::new(format!("the stack {node} is too deep, or a circle"), ""));
            }
            at = row.parent;
        }
        let mut caller = self.node_stacks.get(&at).copied().unwrap_or(-1);
        while let Some(NodeRow { node, function, .. }) = open.pop() {
            let function = self.function(function)?;
            let next = self.stacks.parent.len() as i64;
            caller = match self.stack_of.entry((caller, function)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => {
                    let stacks = &mut self.stacks;
                    stacks.parent.push(caller);
                    stacks.function.push(function);
                    stacks.ns.push(0);
                    stacks.samples.push(0);
                    *free.insert(next)
                }
            };
            self.node_stacks.insert(node, caller);
        }
        Ok(caller)
    }

    fn function(&mut self, function: Id) -> Result<usize, Problem> {
        let symbol = self.meaning.symbol(function).filter(|symbol| symbol.definition != ids::NONE);
        let id = symbol.map_or(function, |symbol| symbol.definition);
        if let Some(&known) = self.function_of.get(&id) {
            return Ok(known);
        }
        let added = match (symbol, self.meaning.function(function)) {
            (Some(symbol), _) => self.definition(symbol),
            (None, Some(row)) => SliceFunction {
                name: row.name.clone(),
                url: row.resource.clone(),
                line: Some(row.line).filter(|line| *line >= 0),
                column: Some(row.column).filter(|column| *column >= 0),
                ..SliceFunction::default()
            },
            (None, None) => {
                return Err(Problem::new(format!("the function {function} is not in its table"), ""));
            }
        };
        self.functions.push(added);
        let number = self.functions.len() - 1;
        self.function_of.insert(id, number);
        Ok(number)
    }

    fn definition(&mut self, symbol: &SymbolRow) -> SliceFunction {
        let path = symbol.file.clone().unwrap_or_default();
        let file = match self.file_of.entry((path, symbol.text)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let text = (symbol.text != ids::NONE).then(|| self.meaning.text(symbol.text)).flatten();
                self.files.push(SliceFile { path: free.key().0.clone(), text });
                *free.insert(self.files.len() - 1)
            }
        };
        SliceFunction {
            name: symbol.name.clone().unwrap_or_default(),
            file: Some(file),
            line: Some(symbol.line.max(0)),
            column: Some(symbol.column.max(0)),
            population: self.populations.get(&symbol.definition).copied(),
            ..SliceFunction::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// Two generated functions, 11 and 12, belong to definition 1001; 13 is a function of another script.
    struct Small([(FunctionRow, Option<SymbolRow>); 3]);

    impl Meaning for Small {
        fn node(&self, node: Id) -> Option<&NodeRow> {
            const NODES: [NodeRow; 4] = [
                NodeRow { node: 101, parent: 0, function: 11 },
                NodeRow { node: 102, parent: 0, function: 12 },
                NodeRow { node: 103, parent: 102, function: 13 },
                NodeRow { node: 104, parent: 101, function: 13 },
            ];
            NODES.iter().find(|row| row.node == node)
        }

        fn function(&self, function: Id) -> Option<&FunctionRow> {
            self.0.iter().map(|it| &it.0).find(|it| it.function == function)
        }

        fn symbol(&self, function: Id) -> Option<&SymbolRow> {
            self.0.iter().find(|it| it.0.function == function)?.1.as_ref()
        }

        fn text(&self, hash: Id) -> Option<String> {
            (hash == 77).then(|| "function sum() {}".to_owned())
        }
    }

    fn small() -> Small {
        let function = |function, name: &str| FunctionRow {
            function,
            resource: Some("https://shop.example/app.js".into()),
            name: name.into(),
            line: 0,
            column: function,
            kind: 0,
        };
        let symbol = |function| SymbolRow {
            function,
            definition: 1001,
            file: Some("src/sum.ts".into()),
            path: Some("sum".into()),
            name: Some("sum".into()),
            column: 9,
            text: 77,
            ..SymbolRow::default()
        };
        Small([
            (function(11, "a"), Some(symbol(11))),
            (function(12, "b"), Some(symbol(12))),
            (function(13, "c"), None),
        ])
    }

    #[test]
    fn functions_of_one_definition_are_one() {
        let rows = [
            [0, 0, 0, 600, 700, 70, 3],
            [1, 2, 0, 0, 100, 10, 2],
            [1, 101, 0, 0, 100, 10, 1],
            [1, 102, 0, 0, 200, 20, 2],
            [1, 103, 0, 0, 250, 25, 2],
            [1, 104, 0, 0, 50, 5, 1],
            [2, 1001, 31, 100, 200, 20, 1],
            [2, 1001, 40, 200, 400, 40, 2],
            [3, 1001, 20, 300, 600, 30, 3],
        ];
        let rows = rows.map(Row::of);
        let slice = Slice::new("release=42".into(), None, &rows, &small()).unwrap();
        let json = String::from_utf8(slice.json().unwrap()).unwrap();
        expect![[r#"{"proflensSlice":1,"where":"release=42","sessions":3,"samples":70,"totalNs":700,"activeNs":600,"offStack":{"noStack":[100,10]},"files":[{"path":"src/sum.ts","text":"function sum() {}"}],"functions":[{"name":"sum","file":0,"line":0,"column":9,"sessions":3,"selfNs":300,"totalNs":600,"selfPercentilesNs":[20,20,20],"totalPercentilesNs":[40,40,40],"squares":[1200.0,4161.0]},{"name":"c","url":"https://shop.example/app.js","line":0,"column":13}],"stacks":{"parent":[-1,0],"function":[0,1],"ns":[300,300],"samples":[30,30]}}"#]].assert_eq(&json);
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let error = |rows: &[Row]| {
            let slice = Slice::new(String::new(), None, rows, &small());
            slice.map(|it| it.numbers()).map_err(|problem| problem.what)
        };
        assert_eq!(error(&[]), Err("no session fulfils it".to_owned()));
        let rows = [[0, 0, 0, 1, 1, 1, 1], [1, 999, 0, 0, 1, 1, 1]].map(Row::of);
        assert_eq!(error(&rows), Err("the stack 999 is not in its table of nodes".to_owned()));
        assert_eq!(error(&rows[..1]), Ok([1, 0, 0]));
    }
}
