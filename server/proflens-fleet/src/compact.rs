//! Merges the shards of a day and a release, each session once, and the names of a release, each row once.
//!
//! The new files are in the lake before the old ones are removed, so that nothing is lost if the program is killed in between: then
//! sessions are there twice, but this program counts them once, and another run removes the duplicates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fleet::envelope::Dimensions;
use fleet::ids::Id;
use fleet::names::in_order;
use fleet::session::{Session, reason_of};
use fleet::{ids, tables};
use profile::problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::costs::{definitions, write_costs};
use crate::lake::{Lake, LakeFile};
use crate::name_files::{function_columns, insert, node_columns, read_nodes, symbol_columns, write};
use crate::parquet_limits::Use;
use crate::place_again::{Placed, of_release, place_all};
use crate::session_writer::{Entry, SessionWriter};
use crate::table_reader::{MAX_STACKS, TableReader, too_many_stacks, weight};

/// What was merged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compacted {
    /// The number of shards that became one, in all partitions.
    pub(crate) shards: usize,
    /// The number of sessions in them.
    pub(crate) sessions: u64,
    /// How many of them were there more than once.
    pub(crate) repeated: u64,
}

/// Compacts a lake.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn compact(lake: &Lake) -> Result<Compacted, Problem> {
    lake.remove_unfinished()?;
    let mut partitions: BTreeMap<String, BTreeMap<String, Vec<LakeFile>>> = BTreeMap::new();
    for file in lake.files(&tables::SESSIONS)? {
        let dates = partitions.entry(file.release.clone()).or_default();
        dates.entry(file.date.clone()).or_default().push(file);
    }
    let mut compacted = Compacted::default();
    for (release, dates) in partitions {
        let names = of_release(lake, &tables::FUNCTIONS, &release)?;
        if names.len() < 2 && dates.values().all(|shards| shards.len() < 2) {
            continue;
        }
        let placed = place_all(lake, &release)?;
        let definition_of = placed.symbols.as_deref().map(definitions);
        for shards in dates.values().filter(|shards| shards.len() > 1) {
            merge(lake, shards, definition_of.as_ref(), &mut compacted)?;
        }
        merge_names(lake, &release, &names, &placed)?;
    }
    Ok(compacted)
}

/// The name of what several shards become.
fn together(shards: &[LakeFile]) -> String {
    let hashes = shards.iter().map(|file| ids::of_bytes(file.shard.as_bytes()));
    format!("{:016x}", hashes.fold(ids::NONE, ids::node))
}

/// Merges the shards of a day and a release.
fn merge(
    lake: &Lake,
    shards: &[LakeFile],
    definition_of: Option<&FxHashMap<Id, Id>>,
    compacted: &mut Compacted,
) -> Result<(), Problem> {
    let LakeFile { date, release, .. } = &shards[0];
    let name = together(shards);
    let unfinished = lake.unfinished()?;
    let [sessions_draft, stacks_draft, nodes_draft, costs_draft] =
        [tables::SESSIONS, tables::STACKS, tables::NODES, tables::COSTS]
            .map(|table| unfinished.folder.join(table.name));
    let mut nodes = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut writer = SessionWriter::create(&sessions_draft, &stacks_draft)?;
    for shard in shards {
        for row in read_nodes(&lake.beside(shard, &tables::NODES))? {
            insert(&mut nodes, row.node, row, "stacks")?;
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
    let rows = in_order(&nodes);
    write(&nodes_draft, &tables::NODES, node_columns(&rows))?;
    let mut written = vec![tables::NODES, tables::STACKS];
    if let Some(definition_of) = definition_of {
        write_costs(&stacks_draft, &rows, definition_of, &costs_draft)?;
        written.push(tables::COSTS);
    }
    written.push(tables::SESSIONS);
    for shard in shards {
        lake.mark_compacted(&shard.shard)?;
    }
    let files = written
        .iter()
        .map(|table| (PathBuf::from(table.name), Lake::below(table, date, release, &name)))
        .collect::<Vec<_>>();
    unfinished.publish(lake, &files)?;
    for table in [tables::SESSIONS, tables::COSTS, tables::STACKS, tables::NODES] {
        for shard in shards.iter().filter(|shard| shard.shard != name) {
            lake.remove(&lake.beside(shard, &table))?;
        }
    }
    compacted.shards += shards.len();
    Ok(())
}

/// Merges the names of a release.
fn merge_names(lake: &Lake, release: &str, files: &[LakeFile], placed: &Placed) -> Result<(), Problem> {
    if files.len() < 2 {
        return Ok(());
    }
    let name = together(files);
    let unfinished = lake.unfinished()?;
    let mut functions: Vec<_> = placed.functions.values().collect();
    functions.sort_unstable();
    write(&unfinished.folder.join("functions"), &tables::FUNCTIONS, function_columns(&functions))?;
    let mut written = vec![("functions".into(), Lake::below(&tables::FUNCTIONS, "", release, &name))];
    if let Some(symbols) = &placed.symbols {
        write(&unfinished.folder.join("symbols"), &tables::SYMBOLS, symbol_columns(symbols))?;
        written.push(("symbols".into(), Lake::below(&tables::SYMBOLS, "", release, &name)));
    }
    unfinished.publish(lake, &written)?;
    for table in [tables::FUNCTIONS, tables::SYMBOLS] {
        for file in of_release(lake, &table, release)?.iter().filter(|file| file.shard != name) {
            lake.remove(&file.path)?;
        }
    }
    Ok(())
}

/// Reads the sessions of a shard, in the order of their stacks; those without stacks come last.
fn read_sessions(
    lake: &Lake,
    shard: &LakeFile,
    mut each: impl FnMut(Entry) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut waiting: FxHashMap<Id, Entry> = FxHashMap::default();
    let columns = ["session", "received_ms", "page", "device", "country", "user", "samples", "total_ns"];
    TableReader::open(&shard.path, &tables::SESSIONS, &columns, Use::Kept)?.read(|rows| {
        let [ids, received, samples, total] =
            rows.all_integers(["session", "received_ms", "samples", "total_ns"]);
        let texts = rows.all_texts(["page", "device", "country", "user"]);
        for row in 0..rows.len() {
            let [page, device, country, user] = texts.each_ref().map(|values| values[row].map(str::to_owned));
            let session = Session {
                session: ids[row],
                samples: samples[row].cast_unsigned(),
                total: total[row].cast_unsigned(),
                ..Session::default()
            };
            let dimensions = Dimensions { page, device, country, user };
            waiting.insert(ids[row], Entry { dimensions, received: received[row], session });
        }
        Ok(())
    })?;
    let stacks = lake.beside(shard, &tables::STACKS);
    let columns = ["session", "stack", "ns", "samples"];
    let mut open: Option<Entry> = None;
    TableReader::open(&stacks, &tables::STACKS, &columns, Use::Passing)?.read(|rows| {
        let [session, stack, ns, samples] = rows.all_integers(columns);
        for row in 0..rows.len() {
            if open.as_ref().is_none_or(|entry| entry.session.session != session[row]) {
                open.take().map_or(Ok(()), &mut each)?;
                open = waiting.remove(&session[row]);
            }
            let Some(entry) = &mut open else { continue };
            let weight = weight(ns[row], samples[row]);
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
    without.sort_unstable_by_key(|entry| entry.session.session);
    without.into_iter().try_for_each(each)
}
