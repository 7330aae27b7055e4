//! Places the functions that a lake has of a release, and makes the costs of its sessions: when its maps came later than its
//! sessions, or other maps came.

use std::path::PathBuf;

use fleet::{FunctionRow, Id, SymbolRow, tables};
use rustc_hash::FxHashMap;

use crate::costs::{definitions, write_costs};
use crate::lake::{Lake, LakeFile};
use crate::name_files::{insert, read_functions, read_nodes, symbol_columns, write};
use crate::place::place;
use crate::release::Release;

/// The functions of a release, and their definitions; `None` where the lake has no texts of it.
pub(crate) type Placed = (FxHashMap<Id, FunctionRow>, Option<FxHashMap<Id, SymbolRow>>);

/// Places the functions of a release that the lake has.
///
/// # Errors
/// One sentence.
pub(crate) fn place_all(lake: &Lake, release: &str) -> Result<Placed, String> {
    let mut functions = FxHashMap::default();
    for file in of_release(lake, &tables::FUNCTIONS, release)? {
        for row in read_functions(&file)? {
            insert(&mut functions, (row.function, row), "functions")?;
        }
    }
    let Some(texts) = Release::open(lake, release)? else { return Ok((functions, None)) };
    let symbols = place(&texts, &functions.values().collect::<Vec<_>>())?;
    let symbols = symbols.into_iter().map(|it| (it.function, it)).collect();
    Ok((functions, Some(symbols)))
}

/// Makes the symbols and costs of a release again; returns the number of its functions.
///
/// # Errors
/// One sentence.
pub(crate) fn place_again(lake: &Lake, release: &str) -> Result<usize, String> {
    let (functions, symbols) = place_all(lake, release)?;
    let Some(symbols) = symbols.filter(|it| !it.is_empty()) else { return Ok(0) };
    let unfinished = lake.unfinished()?;
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut drafts = 0..;
    let mut draft = || PathBuf::from(format!("{}.parquet", drafts.next().unwrap_or_default()));
    for file in of_release(lake, &tables::FUNCTIONS, release)? {
        let functions = read_functions(&file)?;
        let mut rows: Vec<SymbolRow> =
            functions.iter().filter_map(|it| symbols.get(&it.function)).cloned().collect();
        rows.sort_unstable();
        let draft = draft();
        write(&unfinished.folder.join(&draft), &tables::SYMBOLS, symbol_columns(&rows))?;
        files.push((draft, Lake::below(&tables::SYMBOLS, "", release, &file.shard)));
    }
    let all: Vec<SymbolRow> = symbols.into_values().collect();
    let definition_of = definitions(&all);
    for LakeFile { date, shard, path, .. } in of_release(lake, &tables::STACKS, release)? {
        let nodes = read_nodes(&lake.file(&tables::NODES, &date, release, &shard))?;
        let draft = draft();
        write_costs(&path, &nodes, &definition_of, &unfinished.folder.join(&draft))?;
        files.push((draft, Lake::below(&tables::COSTS, &date, release, &shard)));
    }
    unfinished.publish(lake, &files)?;
    Ok(functions.len())
}

/// The files of a table that are of a release.
///
/// # Errors
/// One sentence.
pub(crate) fn of_release(lake: &Lake, table: &tables::Table, release: &str) -> Result<Vec<LakeFile>, String> {
    Ok(lake.files(table)?.into_iter().filter(|it| it.release == release).collect())
}
