//! The table `costs`: always made from `stacks`, `nodes` and the definitions of functions, when a shard is ingested and again when
//! maps arrive later, so that both ways give the same bytes.

use std::path::Path;

use fleet::costs::Paths;
use fleet::ids::Id;
use fleet::names::{NodeRow, SymbolRow};
use fleet::{ids, tables};
use profile::model::Weight;
use profile::problem::Problem;
use rustc_hash::FxHashMap;

use crate::parquet_limits::Use;
use crate::table_reader::{MAX_STACKS, TableReader, too_many_stacks, weight};
use crate::table_writer::{TableWriter, Values};

/// How many rows are written together.
const BATCH: usize = 200_000;

/// The definition of each function that has one.
pub(crate) fn definitions(symbols: &[SymbolRow]) -> FxHashMap<Id, Id> {
    let placed = symbols.iter().filter(|symbol| symbol.definition != ids::NONE);
    placed.map(|symbol| (symbol.function, symbol.definition)).collect()
}

/// Makes a file of costs from one of stacks.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn write_costs(
    stacks: &Path,
    nodes: &[NodeRow],
    definition_of: &FxHashMap<Id, Id>,
    into: &Path,
) -> Result<(), Problem> {
    let mut writer = Writer {
        file: TableWriter::create(into, &tables::COSTS)?,
        columns: [const { Vec::new() }; 8],
        paths: Paths::new(nodes, definition_of),
        session: ids::NONE,
        stacks: Vec::new(),
    };
    let columns = ["session", "stack", "ns", "samples"];
    TableReader::open(stacks, &tables::STACKS, &columns, Use::Passing)?.read(|rows| {
        let [session, stack, ns, samples] = rows.all_integers(columns);
        for row in 0..rows.len() {
            if session[row] != writer.session {
                writer.end_session()?;
                writer.session = session[row];
            }
            if writer.stacks.len() == MAX_STACKS {
                return Err(too_many_stacks(stacks));
            }
            writer.stacks.push((stack[row], weight(ns[row], samples[row])));
        }
        Ok(())
    })?;
    writer.end_session()?;
    writer.write()?;
    writer.file.close()
}

struct Writer {
    file: TableWriter,
    columns: [Vec<i64>; 8],
    paths: Paths,
    /// The session that is being read.
    session: Id,
    /// Its stacks so far.
    stacks: Vec<(Id, Weight)>,
}

impl Writer {
    fn end_session(&mut self) -> Result<(), Problem> {
        for row in self.paths.costs(&self.stacks) {
            let [own, total] = row.buckets();
            let [self_ns, total_ns, self_samples, total_samples] =
                [row.self_ns, row.total_ns, row.self_samples, row.total_samples].map(u64::cast_signed);
            let values =
                [self.session, row.definition, self_ns, total_ns, self_samples, total_samples, own, total];
            self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        self.stacks.clear();
        if self.columns[0].len() >= BATCH { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Problem> {
        let columns = std::mem::replace(&mut self.columns, [const { Vec::new() }; 8]);
        self.file.row_group(columns.into_iter().map(Values::Integers).collect())
    }
}
