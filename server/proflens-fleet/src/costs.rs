//! The table `costs`: always made from `stacks`, `nodes` and the definitions of functions, when a shard is ingested and again when
//! maps come later, so that both ways give the same bytes.

use std::path::Path;

use fleet::tables;
use fleet::{Id, NodeRow, Paths, SymbolRow, ids};
use profile::{Amount, Weight};
use rustc_hash::FxHashMap;

use crate::parquet_limits::Use;
use crate::table_file::{MAX_STACKS, TableReader, TableWriter, Values, too_many_stacks};

/// So many rows are written together.
const BATCH: usize = 200_000;

/// The definition of each function that has one.
pub(crate) fn definitions(symbols: &[SymbolRow]) -> FxHashMap<Id, Id> {
    let placed = symbols.iter().filter(|it| it.definition != ids::NONE);
    placed.map(|it| (it.function, it.definition)).collect()
}

/// Makes a file of costs from one of stacks.
///
/// # Errors
/// One sentence about a file that cannot be read or written.
pub(crate) fn write_costs(
    stacks: &Path,
    nodes: &[NodeRow],
    definition_of: &FxHashMap<Id, Id>,
    into: &Path,
) -> Result<(), String> {
    let mut paths = Paths::new(nodes, definition_of);
    let mut writer =
        Writer { file: TableWriter::create(into, &tables::COSTS)?, columns: [const { Vec::new() }; 8] };
    let (mut session, mut open) = (ids::NONE, Vec::new());
    let columns = ["session", "stack", "ns", "samples"];
    TableReader::open(stacks, &tables::STACKS, &columns, Use::Passing)?.read(|rows| {
        let [of, stack, ns, samples] = columns.map(|it| rows.integers(it));
        for row in 0..rows.len() {
            if of[row] != session {
                writer.add(session, &mut paths, &mut open)?;
                session = of[row];
            }
            if open.len() == MAX_STACKS {
                return Err(too_many_stacks(stacks));
            }
            let (time, samples) = (Amount(ns[row].cast_unsigned()), samples[row].cast_unsigned());
            open.push((stack[row], Weight { time, samples }));
        }
        Ok(())
    })?;
    writer.add(session, &mut paths, &mut open)?;
    writer.write()?;
    writer.file.close()
}

struct Writer {
    file: TableWriter,
    columns: [Vec<i64>; 8],
}

impl Writer {
    fn add(&mut self, session: Id, paths: &mut Paths, stacks: &mut Vec<(Id, Weight)>) -> Result<(), String> {
        for row in paths.costs(stacks) {
            let [own, total] = row.buckets();
            let numbers =
                [row.self_ns, row.total_ns, row.self_samples, row.total_samples].map(u64::cast_signed);
            let [self_ns, total_ns, self_samples, total_samples] = numbers;
            let values =
                [session, row.definition, self_ns, total_ns, self_samples, total_samples, own, total];
            self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        stacks.clear();
        if self.columns[0].len() >= BATCH { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), String> {
        let columns = std::mem::replace(&mut self.columns, [const { Vec::new() }; 8]);
        self.file.row_group(columns.into_iter().map(Values::Integers).collect())
    }
}
