//! Puts the shards of a day and a release together, each session once, and the names of a release, each row once.
//!
//! What is new is in the lake before what is old is taken away, so that nothing is lost when the program is killed between: sessions
//! are there twice then, which this program counts once, and another run takes away.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fleet::{Dimensions, FunctionRow, Id, NodeRow, Session, SymbolRow, ids, reason_of, tables};
use profile::{Amount, Weight};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::costs::{definitions, write_costs};
use crate::lake::{Lake, LakeFile};
use crate::name_files::{function_columns, insert, node_columns, read_nodes, symbol_columns, write};
use crate::parquet_limits::Use;
use crate::place_again::{of_release, place_all};
use crate::session_writer::{Entry, SessionWriter};
use crate::table_file::{MAX_STACKS, TableReader, too_many_stacks};

/// What was put together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compacted {
    /// The number of shards that are one now, in all partitions.
    pub(crate) shards: usize,
    /// The number of sessions in them.
    pub(crate) sessions: u64,
    /// Those of them that were there more than once.
    pub(crate) repeated: u64,
}

/// Compacts a lake.
///
/// # Errors
/// One sentence.
pub(crate) fn compact(lake: &Lake) -> Result<Compacted, String> {
    lake.remove_unfinished()?;
    let mut partitions: BTreeMap<String, BTreeMap<String, Vec<LakeFile>>> = BTreeMap::new();
    for file in lake.files(&tables::SESSIONS)? {
        let dates = partitions.entry(file.release.clone()).or_default();
        dates.entry(file.date.clone()).or_default().push(file);
    }
    let mut compacted = Compacted::default();
    for (release, dates) in partitions {
        let names = of_release(lake, &tables::FUNCTIONS, &release)?;
        if names.len() < 2 && dates.values().all(|it| it.len() < 2) {
            continue;
        }
        let (functions, symbols) = place_all(lake, &release)?;
        let symbols: Option<Vec<SymbolRow>> = symbols.map(|it| it.into_values().collect());
        let definition_of = symbols.as_deref().map(definitions);
        for shards in dates.values().filter(|it| it.len() > 1) {
            merge(lake, shards, definition_of.as_ref(), &mut compacted)?;
        }
        merge_names(lake, &release, &names, &functions, symbols)?;
    }
    Ok(compacted)
}

/// The name of what several shards become.
fn together(shards: &[LakeFile]) -> String {
    let name = shards.iter().fold(ids::NONE, |all, it| ids::node(all, ids::of_bytes(it.shard.as_bytes())));
    format!("{name:016x}")
}

/// Puts the shards of a day and a release together.
fn merge(
    lake: &Lake,
    shards: &[LakeFile],
    definition_of: Option<&FxHashMap<Id, Id>>,
    compacted: &mut Compacted,
) -> Result<(), String> {
    let LakeFile { date, release, .. } = &shards[0];
    let name = together(shards);
    let unfinished = lake.unfinished()?;
    let draft = |table: &tables::Table| unfinished.folder.join(table.name);
    let mut nodes: FxHashMap<Id, (Id, Id)> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut writer = SessionWriter::create(&draft(&tables::SESSIONS), &draft(&tables::STACKS))?;
    for shard in shards {
        for node in read_nodes(&lake.file(&tables::NODES, date, release, &shard.shard))? {
            insert(&mut nodes, (node.node, (node.parent, node.function)), "stacks")?;
        }
        read_sessions(lake, shard, |entry| {
            if seen.insert(entry.session.session) {
                compacted.sessions += 1;
                writer.add(entry)
            } else {
                compacted.repeated += 1;
                Ok(())
            }
        })?;
    }
    writer.close()?;
    let row = |(&node, &(parent, function)): (&Id, &(Id, Id))| NodeRow { node, parent, function };
    let mut nodes: Vec<NodeRow> = nodes.iter().map(row).collect();
    nodes.sort_unstable_by_key(|it| (it.parent, it.node));
    write(&draft(&tables::NODES), &tables::NODES, node_columns(&nodes))?;
    let mut written = vec![tables::NODES, tables::STACKS];
    if let Some(definition_of) = definition_of {
        write_costs(&draft(&tables::STACKS), &nodes, definition_of, &draft(&tables::COSTS))?;
        written.push(tables::COSTS);
    }
    written.push(tables::SESSIONS);
    for shard in shards {
        lake.mark_compacted(&shard.shard)?;
    }
    let place = |it: &tables::Table| (PathBuf::from(it.name), Lake::below(it, date, release, &name));
    unfinished.publish(lake, &written.iter().map(place).collect::<Vec<_>>())?;
    for table in [tables::SESSIONS, tables::COSTS, tables::STACKS, tables::NODES] {
        for shard in shards.iter().filter(|it| it.shard != name) {
            lake.remove(&lake.file(&table, date, release, &shard.shard))?;
        }
    }
    compacted.shards += shards.len();
    Ok(())
}

/// Puts the names of a release together.
fn merge_names(
    lake: &Lake,
    release: &str,
    files: &[LakeFile],
    functions: &FxHashMap<Id, FunctionRow>,
    symbols: Option<Vec<SymbolRow>>,
) -> Result<(), String> {
    if files.len() < 2 {
        return Ok(());
    }
    let name = together(files);
    let unfinished = lake.unfinished()?;
    let mut rows: Vec<&FunctionRow> = functions.values().collect();
    rows.sort_unstable();
    write(&unfinished.folder.join("functions"), &tables::FUNCTIONS, function_columns(&rows))?;
    let mut written = vec![("functions".into(), Lake::below(&tables::FUNCTIONS, "", release, &name))];
    if let Some(mut rows) = symbols {
        rows.sort_unstable();
        write(&unfinished.folder.join("symbols"), &tables::SYMBOLS, symbol_columns(&rows))?;
        written.push(("symbols".into(), Lake::below(&tables::SYMBOLS, "", release, &name)));
    }
    unfinished.publish(lake, &written)?;
    for table in [tables::FUNCTIONS, tables::SYMBOLS] {
        for file in of_release(lake, &table, release)?.iter().filter(|it| it.shard != name) {
            lake.remove(&file.path)?;
        }
    }
    Ok(())
}

/// Reads the sessions of a shard, in the order of their stacks; those without any come last.
fn read_sessions(
    lake: &Lake,
    shard: &LakeFile,
    mut each: impl FnMut(Entry) -> Result<(), String>,
) -> Result<(), String> {
    let mut waiting: FxHashMap<Id, Entry> = FxHashMap::default();
    let columns = ["session", "received_ms", "page", "device", "country", "user", "samples", "total_ns"];
    TableReader::open(&shard.path, &tables::SESSIONS, &columns, Use::Kept)?.read(|rows| {
        let [session, received, samples, total] =
            ["session", "received_ms", "samples", "total_ns"].map(|it| rows.integers(it));
        let texts = ["page", "device", "country", "user"].map(|it| rows.texts(it).collect::<Vec<_>>());
        for row in 0..rows.len() {
            let [page, device, country, user] =
                [0, 1, 2, 3].map(|it: usize| texts[it][row].map(str::to_owned));
            let (samples, total) = (samples[row].cast_unsigned(), total[row].cast_unsigned());
            let session = Session { session: session[row], samples, total, ..Session::default() };
            let dimensions = Dimensions { page, device, country, user };
            waiting.insert(session.session, Entry { dimensions, received: received[row], session });
        }
        Ok(())
    })?;
    let stacks = lake.file(&tables::STACKS, &shard.date, &shard.release, &shard.shard);
    let columns = ["session", "stack", "ns", "samples"];
    let mut open: Option<Entry> = None;
    TableReader::open(&stacks, &tables::STACKS, &columns, Use::Passing)?.read(|rows| {
        let [session, stack, ns, samples] = columns.map(|it| rows.integers(it));
        for row in 0..rows.len() {
            if open.as_ref().is_none_or(|it| it.session.session != session[row]) {
                open.take().map_or(Ok(()), &mut each)?;
                open = waiting.remove(&session[row]);
            }
            let Some(entry) = &mut open else { continue };
            let weight =
                Weight { time: Amount(ns[row].cast_unsigned()), samples: samples[row].cast_unsigned() };
            match reason_of(stack[row]) {
                Some(why) => entry.session.off_stack[why as usize] = weight,
                None if entry.session.stacks.len() == MAX_STACKS => return Err(too_many_stacks(&stacks)),
                None => entry.session.stacks.push((stack[row], weight)),
            }
        }
        Ok(())
    })?;
    open.map_or(Ok(()), &mut each)?;
    let mut without: Vec<Entry> = waiting.into_values().collect();
    without.sort_unstable_by_key(|it| it.session.session);
    without.into_iter().try_for_each(each)
}
