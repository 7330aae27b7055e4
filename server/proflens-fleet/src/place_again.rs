//! Places the functions that a lake has of a release, and makes the costs of its sessions, when its maps arrived after its
//! sessions or were replaced.

use std::path::PathBuf;

use fleet::ids::Id;
use fleet::names::{FunctionRow, SymbolRow};
use fleet::tables;
use profile::problem::Problem;
use rustc_hash::FxHashMap;

use crate::costs::{definitions, write_costs};
use crate::lake::{Lake, LakeFile};
use crate::name_files::{insert, read_functions, read_nodes, symbol_columns, write};
use crate::place::place;
use crate::release::Release;

/// The functions of a release, and what they were placed as.
pub(crate) struct Placed {
    pub(crate) functions: FxHashMap<Id, FunctionRow>,
    /// The symbols, each once; `None` if the lake has no texts of the release.
    pub(crate) symbols: Option<Vec<SymbolRow>>,
}

/// Places the functions of a release that the lake has.
///
/// # Errors
/// If a file cannot be read, or two functions have one id.
pub(crate) fn place_all(lake: &Lake, release: &str) -> Result<Placed, Problem> {
    let mut functions = FxHashMap::default();
    for file in of_release(lake, &tables::FUNCTIONS, release)? {
        for row in read_functions(&file)? {
            insert(&mut functions, row.function, row, "functions")?;
        }
    }
    let symbols = match Release::open(lake, release)? {
        Some(texts) => Some(place(&texts, &functions.values().collect::<Vec<_>>())?),
        None => None,
    };
    Ok(Placed { functions, symbols })
}

/// Makes the symbols and costs of a release again; returns the number of its functions.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn place_again(lake: &Lake, release: &str) -> Result<usize, Problem> {
    let Placed { functions, symbols } = place_all(lake, release)?;
    let Some(all) = symbols.filter(|symbols| !symbols.is_empty()) else { return Ok(0) };
    let definition_of = definitions(&all);
    let symbols: FxHashMap<Id, SymbolRow> = all.into_iter().map(|symbol| (symbol.function, symbol)).collect();
    let unfinished = lake.unfinished()?;
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    for file in of_release(lake, &tables::FUNCTIONS, release)? {
        let functions = read_functions(&file)?;
        let mut rows: Vec<SymbolRow> =
            functions.iter().filter_map(|row| symbols.get(&row.function)).cloned().collect();
        rows.sort_unstable();
        let draft = draft_name(files.len());
        write(&unfinished.folder.join(&draft), &tables::SYMBOLS, symbol_columns(&rows))?;
        files.push((draft, Lake::below(&tables::SYMBOLS, "", release, &file.shard)));
    }
    for file in of_release(lake, &tables::STACKS, release)? {
        let nodes = read_nodes(&lake.beside(&file, &tables::NODES))?;
        let draft = draft_name(files.len());
        write_costs(&file.path, &nodes, &definition_of, &unfinished.folder.join(&draft))?;
        files.push((draft, Lake::below(&tables::COSTS, &file.date, release, &file.shard)));
    }
    unfinished.publish(lake, &files)?;
    Ok(functions.len())
}

/// The name of the next file; this many of them are written.
fn draft_name(written: usize) -> PathBuf {
    PathBuf::from(format!("{written}.parquet"))
}

/// The files of a table that belong to a release.
///
/// # Errors
/// If a folder cannot be listed.
pub(crate) fn of_release(
    lake: &Lake,
    table: &tables::Table,
    release: &str,
) -> Result<Vec<LakeFile>, Problem> {
    let mut files = lake.files(table)?;
    files.retain(|file| file.release == release);
    Ok(files)
}
