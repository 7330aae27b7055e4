//! The tables of names as files: nodes, functions, symbols.

use std::collections::hash_map::Entry;
use std::path::Path;

use fleet::ids::{Collision, Id};
use fleet::names::{FunctionRow, NodeRow, SymbolRow};
use fleet::tables::{self, Table};
use profile::problem::Problem;
use rustc_hash::FxHashMap;

use crate::lake::LakeFile;
use crate::parquet_limits::Use;
use crate::table_reader::TableReader;
use crate::table_writer::{TableWriter, Values};

/// Inserts a row that is either new or equal to the existing one; `what` says what the rows are, such as `functions`.
///
/// # Errors
/// If a different row has its id.
pub(crate) fn insert<T: PartialEq>(
    rows: &mut FxHashMap<Id, T>,
    id: Id,
    row: T,
    what: &'static str,
) -> Result<(), Problem> {
    match rows.entry(id) {
        Entry::Occupied(known) if *known.get() != row => Err(Problem::new(
            format!("The lake cannot be used: {}", Collision { what, id }),
            "name one day or one release",
        )),
        Entry::Occupied(_) => Ok(()),
        Entry::Vacant(free) => {
            free.insert(row);
            Ok(())
        }
    }
}

/// Writes a table at once.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write(path: &Path, table: &Table, columns: Vec<Values>) -> Result<(), Problem> {
    let mut writer = TableWriter::create(path, table)?;
    writer.row_group(columns)?;
    writer.close()
}

/// The columns of `nodes`.
pub(crate) fn node_columns(rows: &[NodeRow]) -> Vec<Values> {
    vec![
        Values::integers(rows, |row| row.node),
        Values::integers(rows, |row| row.parent),
        Values::integers(rows, |row| row.function),
    ]
}

/// The columns of `functions`.
pub(crate) fn function_columns(rows: &[&FunctionRow]) -> Vec<Values> {
    vec![
        Values::integers(rows, |row| row.function),
        Values::texts(rows, |row| row.resource.as_deref()),
        Values::texts(rows, |row| Some(&row.name)),
        Values::integers(rows, |row| row.line),
        Values::integers(rows, |row| row.column),
        Values::integers(rows, |row| row.kind),
    ]
}

/// The columns of `symbols`.
pub(crate) fn symbol_columns(rows: &[SymbolRow]) -> Vec<Values> {
    vec![
        Values::integers(rows, |row| row.function),
        Values::integers(rows, |row| row.definition),
        Values::texts(rows, |row| row.file.as_deref()),
        Values::texts(rows, |row| row.path.as_deref()),
        Values::texts(rows, |row| row.name.as_deref()),
        Values::integers(rows, |row| row.line),
        Values::integers(rows, |row| row.column),
        Values::texts(rows, |row| row.reason.as_deref()),
        Values::integers(rows, |row| row.map),
        Values::integers(rows, |row| row.text),
    ]
}

/// The rows of a file of `nodes`.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn read_nodes(path: &Path) -> Result<Vec<NodeRow>, Problem> {
    let mut nodes = Vec::new();
    let names = ["node", "parent", "function"];
    TableReader::open(path, &tables::NODES, &names, Use::Kept)?.read(|rows| {
        let columns = rows.all_integers(names);
        nodes.extend((0..rows.len()).map(|row| {
            let [node, parent, function] = columns.map(|values| values[row]);
            NodeRow { node, parent, function }
        }));
        Ok(())
    })?;
    Ok(nodes)
}

/// The rows of a file of `functions`.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn read_functions(file: &LakeFile) -> Result<Vec<FunctionRow>, Problem> {
    let mut functions = Vec::new();
    let columns: Vec<&str> = tables::FUNCTIONS.column_names().collect();
    TableReader::open(&file.path, &tables::FUNCTIONS, &columns, Use::Kept)?.read(|rows| {
        let [function, line, column, kind] = rows.all_integers(["function", "line", "column", "kind"]);
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
/// If it cannot be read.
pub(crate) fn read_symbols(file: &LakeFile) -> Result<Vec<SymbolRow>, Problem> {
    let mut symbols = Vec::new();
    let columns: Vec<&str> = tables::SYMBOLS.column_names().collect();
    TableReader::open(&file.path, &tables::SYMBOLS, &columns, Use::Kept)?.read(|rows| {
        let integers = rows.all_integers(["function", "definition", "line", "column", "map", "text"]);
        let texts = rows.all_texts(["file", "path", "name", "reason"]);
        symbols.extend((0..rows.len()).map(|row| {
            let [function, definition, line, column, map, text] = integers.map(|values| values[row]);
            let [file, path, name, reason] = texts.each_ref().map(|values| values[row].map(str::to_owned));
            SymbolRow { function, definition, file, path, name, line, column, reason, map, text }
        }));
        Ok(())
    })?;
    Ok(symbols)
}
