//! The tables of names in files: nodes, functions, symbols.

use std::collections::hash_map::Entry;
use std::path::Path;

use fleet::tables::{self, Table};
use fleet::{Collision, FunctionRow, Id, NodeRow, SymbolRow};
use rustc_hash::FxHashMap;

use crate::lake::LakeFile;
use crate::parquet_limits::Use;
use crate::table_file::{TableReader, TableWriter, Values};

/// Inserts a row that is either new or the one that is there.
///
/// # Errors
/// One sentence, if another one has its id.
pub(crate) fn insert<T: PartialEq>(
    rows: &mut FxHashMap<Id, T>,
    (id, row): (Id, T),
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

/// The sentence about two things with one id.
pub(crate) fn refused(collision: Collision) -> String {
    format!("The lake cannot be used: {collision}. Name one day or one release.")
}

/// Writes a table at once.
///
/// # Errors
/// One sentence.
pub(crate) fn write(path: &Path, table: &Table, columns: Vec<Values>) -> Result<(), String> {
    let mut writer = TableWriter::create(path, table)?;
    writer.row_group(columns)?;
    writer.close()
}

/// The columns of `nodes`.
pub(crate) fn node_columns(rows: &[NodeRow]) -> Vec<Values> {
    let column = |of: fn(&NodeRow) -> i64| Values::Integers(rows.iter().map(of).collect());
    vec![column(|it| it.node), column(|it| it.parent), column(|it| it.function)]
}

/// The columns of `functions`.
pub(crate) fn function_columns(rows: &[&FunctionRow]) -> Vec<Values> {
    let integers = |of: fn(&FunctionRow) -> i64| Values::Integers(rows.iter().map(|it| of(it)).collect());
    vec![
        integers(|it| it.function),
        Values::Texts(rows.iter().map(|it| it.resource.clone()).collect()),
        Values::Texts(rows.iter().map(|it| Some(it.name.clone())).collect()),
        integers(|it| it.line),
        integers(|it| it.column),
        integers(|it| it.kind),
    ]
}

/// The columns of `symbols`.
pub(crate) fn symbol_columns(rows: &[SymbolRow]) -> Vec<Values> {
    let integers = |of: fn(&SymbolRow) -> i64| Values::Integers(rows.iter().map(of).collect());
    let texts =
        |of: fn(&SymbolRow) -> &Option<String>| Values::Texts(rows.iter().map(|it| of(it).clone()).collect());
    vec![
        integers(|it| it.function),
        integers(|it| it.definition),
        texts(|it| &it.file),
        texts(|it| &it.path),
        texts(|it| &it.name),
        integers(|it| it.line),
        integers(|it| it.column),
        texts(|it| &it.reason),
        integers(|it| it.map),
        integers(|it| it.text),
    ]
}

/// The rows of a file of `nodes`.
///
/// # Errors
/// One sentence.
pub(crate) fn read_nodes(path: &Path) -> Result<Vec<NodeRow>, String> {
    let mut nodes = Vec::new();
    let columns = ["node", "parent", "function"];
    TableReader::open(path, &tables::NODES, &columns, Use::Kept)?.read(|rows| {
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
    TableReader::open(&file.path, &tables::FUNCTIONS, &columns, Use::Kept)?.read(|rows| {
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
    TableReader::open(&file.path, &tables::SYMBOLS, &columns, Use::Kept)?.read(|rows| {
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
