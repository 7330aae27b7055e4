//! The meaning of the ids in results: the tables of nodes, functions and symbols of the chosen parts, each row once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fleet::ids::Id;
use fleet::names::{FunctionRow, NodeRow, SymbolRow};
use fleet::slice::Meaning;
use fleet::tables::{self, Table};
use profile::problem::Problem;
use rustc_hash::FxHashMap;
use source::text::text_of;

use crate::chosen::Part;
use crate::lake::{Lake, LakeFile};
use crate::name_files::{insert, read_functions, read_nodes, read_symbols};
use crate::release;

/// What definitions are, according to the newest release that has them.
pub(crate) struct Definitions(FxHashMap<Id, SymbolRow>);

impl Definitions {
    /// Loads the definitions of the releases of these parts.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn of<'a>(lake: &Lake, parts: impl Iterator<Item = &'a Part>) -> Result<Self, Problem> {
        // The newest release is the one with sessions on the newest day.
        let mut releases: BTreeMap<&str, &str> = BTreeMap::new();
        for LakeFile { date, release, .. } in parts.map(|part| &part.file) {
            let newest = releases.entry(release).or_default();
            *newest = date.as_str().max(newest);
        }
        let mut files: Vec<LakeFile> = lake.files(&tables::SYMBOLS)?;
        files.retain(|file| releases.contains_key(file.release.as_str()));
        files.sort_by_key(|file| {
            let newest = releases.get(file.release.as_str()).copied();
            Reverse((newest, file.release.clone(), file.shard.clone()))
        });
        let mut definitions = FxHashMap::default();
        for file in files {
            for row in read_symbols(&file)? {
                definitions.entry(row.definition).or_insert(row);
            }
        }
        Ok(Self(definitions))
    }

    /// A symbol of a definition.
    pub(crate) fn get(&self, definition: Id) -> Option<&SymbolRow> {
        self.0.get(&definition)
    }
}

/// The names of a lake, as far as they were loaded.
pub(crate) struct Names {
    lake: Lake,
    nodes: FxHashMap<Id, NodeRow>,
    functions: FxHashMap<Id, FunctionRow>,
    symbols: FxHashMap<Id, SymbolRow>,
}

impl Names {
    /// Loads the meaning of the ids in the rows of these parts.
    ///
    /// # Errors
    /// If a file cannot be read, or two things have one id.
    pub(crate) fn of(lake: &Lake, parts: &[Part]) -> Result<Self, Problem> {
        let mut nodes = FxHashMap::default();
        for part in parts {
            for row in read_nodes(&lake.beside(&part.file, &tables::NODES))? {
                insert(&mut nodes, row.node, row, "stacks")?;
            }
        }
        let releases: BTreeSet<&str> = parts.iter().map(|part| part.file.release.as_str()).collect();
        let mut functions = FxHashMap::default();
        for file in of_releases(lake, &tables::FUNCTIONS, &releases)? {
            for row in read_functions(&file)? {
                insert(&mut functions, row.function, row, "functions")?;
            }
        }
        let mut symbols = FxHashMap::default();
        for file in of_releases(lake, &tables::SYMBOLS, &releases)? {
            for row in read_symbols(&file)? {
                // Shards may have placed a function differently, because they saw different scripts; `compact` decides.
                symbols.entry(row.function).or_insert(row);
            }
        }
        Ok(Self { lake: lake.clone(), nodes, functions, symbols })
    }
}

/// The files of a table that belong to one of these releases.
fn of_releases(lake: &Lake, table: &Table, releases: &BTreeSet<&str>) -> Result<Vec<LakeFile>, Problem> {
    let mut files = lake.files(table)?;
    files.retain(|file| releases.contains(file.release.as_str()));
    Ok(files)
}

impl Meaning for Names {
    fn node(&self, node: Id) -> Option<&NodeRow> {
        self.nodes.get(&node)
    }

    fn function(&self, function: Id) -> Option<&FunctionRow> {
        self.functions.get(&function)
    }

    fn symbol(&self, function: Id) -> Option<&SymbolRow> {
        self.symbols.get(&function)
    }

    fn text(&self, hash: Id) -> Option<String> {
        release::text(&self.lake, hash).map(|bytes| text_of(&bytes))
    }
}
