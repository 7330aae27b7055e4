//! What the ids in results mean: the tables of nodes, functions and symbols of the chosen parts, each row once.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use fleet::{Collision, FunctionRow, Id, Meaning, NodeRow, SymbolRow, ids, tables};
use rustc_hash::FxHashMap;

use crate::chosen::Part;
use crate::lake::{Lake, LakeFile};
use crate::release;
use crate::table_file::TableReader;

/// The names of a lake, as far as they were loaded.
pub(crate) struct Names {
    lake: Lake,
    nodes: FxHashMap<Id, (Id, Id)>,
    functions: FxHashMap<Id, FunctionRow>,
    symbols: FxHashMap<Id, SymbolRow>,
}

impl Names {
    /// Loads what the ids in the rows of these parts mean.
    ///
    /// # Errors
    /// One sentence about a file that cannot be read, or two things with one id.
    pub(crate) fn of(lake: &Lake, parts: &[Part]) -> Result<Self, String> {
        let mut nodes = FxHashMap::default();
        for part in parts {
            let LakeFile { date, release, shard, .. } = &part.file;
            for node in read_nodes(&lake.file(&tables::NODES, date, release, shard))? {
                let row = (node.parent, node.function);
                if *nodes.entry(node.node).or_insert(row) != row {
                    return Err(refused(Collision { what: "stacks", id: node.node }));
                }
            }
        }
        let releases: BTreeSet<&str> = parts.iter().map(|it| it.file.release.as_str()).collect();
        let of = |table| -> Result<Vec<LakeFile>, String> {
            Ok(lake.files(table)?.into_iter().filter(|it| releases.contains(it.release.as_str())).collect())
        };
        let mut functions = FxHashMap::default();
        for file in of(&tables::FUNCTIONS)? {
            for row in read_functions(&file)? {
                insert(&mut functions, row.function, row, "functions")?;
            }
        }
        let mut symbols = FxHashMap::default();
        for file in of(&tables::SYMBOLS)? {
            for row in read_symbols(&file)? {
                // Shards may have placed a function differently, as they saw different scripts; `compact` decides.
                symbols.entry(row.function).or_insert(row);
            }
        }
        Ok(Self { lake: lake.clone(), nodes, functions, symbols })
    }
}

impl Meaning for Names {
    fn node(&self, node: Id) -> Option<(Id, Id)> {
        self.nodes.get(&node).copied()
    }

    fn function(&self, function: Id) -> Option<&FunctionRow> {
        self.functions.get(&function)
    }

    fn symbol(&self, function: Id) -> Option<&SymbolRow> {
        self.symbols.get(&function)
    }

    fn text(&self, hash: Id) -> Option<String> {
        release::text(&self.lake, hash).map(|it| source::text_of(&it))
    }
}

/// Inserts a row that is either new or the one that is there.
pub(crate) fn insert<T: PartialEq>(
    rows: &mut FxHashMap<Id, T>,
    id: Id,
    row: T,
    what: &'static str,
) -> Result<(), String> {
    match rows.entry(id) {
        Entry::Occupied(known) if *known.get() != row => Err(refused(Collision { what, id })),
        Entry::Occupied(_) => Ok(()),
        Entry::Vacant(free) => {
            free.insert(row);
            Ok(())
        }
    }
}

fn refused(collision: Collision) -> String {
    format!("The lake cannot be used: {collision}. Name one release with --where.")
}

/// The rows of a file of `nodes`.
///
/// # Errors
/// One sentence.
pub(crate) fn read_nodes(path: &std::path::Path) -> Result<Vec<NodeRow>, String> {
    let mut nodes = Vec::new();
    let columns = ["node", "parent", "function"];
    TableReader::open(path, &tables::NODES, &columns)?.read(|rows| {
        let columns = columns.map(|it| rows.integers(it));
        nodes.extend((0..rows.len()).map(|row| {
            let [node, parent, function] = columns.map(|it| it[row]);
            NodeRow { node, parent, function }
        }));
        Ok(())
    })?;
    Ok(nodes)
}

/// The rows of a file of `functions`.
///
/// # Errors
/// One sentence.
pub(crate) fn read_functions(file: &LakeFile) -> Result<Vec<FunctionRow>, String> {
    let mut functions = Vec::new();
    let columns = tables::FUNCTIONS.columns.iter().map(|it| it.0).collect::<Vec<_>>();
    TableReader::open(&file.path, &tables::FUNCTIONS, &columns)?.read(|rows| {
        let [function, line, column, kind] =
            ["function", "line", "column", "kind"].map(|it| rows.integers(it));
        let texts = rows.texts("resource").zip(rows.texts("name"));
        functions.extend(texts.enumerate().map(|(row, (resource, name))| FunctionRow {
            function: function[row],
            resource: resource.map(str::to_owned),
            name: name.unwrap_or_default().to_owned(),
            line: line[row],
            column: column[row],
            kind: kind[row],
        }));
        Ok(())
    })?;
    Ok(functions)
}

/// The rows of a file of `symbols`.
///
/// # Errors
/// One sentence.
pub(crate) fn read_symbols(file: &LakeFile) -> Result<Vec<SymbolRow>, String> {
    let mut symbols = Vec::new();
    let columns = tables::SYMBOLS.columns.iter().map(|it| it.0).collect::<Vec<_>>();
    TableReader::open(&file.path, &tables::SYMBOLS, &columns)?.read(|rows| {
        let integers =
            ["function", "definition", "line", "column", "map", "text"].map(|it| rows.integers(it));
        let texts = ["file", "path", "name", "reason"].map(|it| rows.texts(it).collect::<Vec<_>>());
        symbols.extend((0..rows.len()).map(|row| {
            let [function, definition, line, column, map, text] = integers.map(|it| it[row]);
            let [file, path, name, reason] = [0, 1, 2, 3].map(|it: usize| texts[it][row].map(str::to_owned));
            SymbolRow { function, definition, file, path, name, line, column, reason, map, text }
        }));
        Ok(())
    })?;
    Ok(symbols)
}

/// The rows of `symbols` of a release, each function once.
///
/// # Errors
/// As [`read_symbols`].
pub(crate) fn symbols_of(lake: &Lake, release: &str) -> Result<Vec<SymbolRow>, String> {
    let mut all = Vec::new();
    for file in lake.files(&tables::SYMBOLS)?.iter().filter(|it| it.release == release) {
        all.extend(read_symbols(file)?);
    }
    all.sort_unstable();
    all.dedup_by_key(|it| it.function);
    let none = |it: &SymbolRow| it.function == ids::NONE;
    all.retain(|it| !none(it));
    Ok(all)
}
