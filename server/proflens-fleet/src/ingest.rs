//! From lines to the tables of one shard. It asks nothing of other shards, so that any engine can run it for each of them.
//!
//! A shard is read once, in segments that bound the memory: when a segment is large, its tables are ended, its functions placed
//! and its costs made. All files go into the lake at the end, under the name of the shard: the hash of its lines. The table
//! `sessions` comes last, and rows of the others count only with their session, so that a program that was killed has left nothing
//! that counts.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use fleet::{Collision, Envelope, FunctionRow, Id, Names, WrongDimension, ids, sessions, tables};
use profile::{Amount, Profile};
use rustc_hash::FxHashMap;

use crate::costs::{definitions, write_costs};
use crate::inputs::{Group, Input, Lines, opened};
use crate::lake::{Lake, Unfinished};
use crate::name_files::{self, function_columns, node_columns, symbol_columns};
use crate::place::place;
use crate::release::Release;
use crate::session_writer::{Entry, SessionWriter};
use crate::table_file::Values;

/// So many nodes end a segment, or so many lines.
const SEGMENT: usize = 500_000;
/// And so many bytes of names and addresses.
const SEGMENT_TEXTS: usize = 32 << 20;
/// No session is longer: that of a page does not last for days, and times of years would hide those of all others.
const MAX_DURATION: Amount = Amount(24 * 3600 * 1_000_000_000);
/// So many values of a dimension a segment keeps apart.
const MAX_VALUES: usize = 10_000;
/// So many names of dimensions without a column are told.
const MAX_OTHERS: usize = 10;
/// What the others become.
const OTHER: &str = "(other)";

/// How shards are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The release of all sessions; `None` if their lines say it.
    pub(crate) release: Option<String>,
    /// The day of sessions whose lines say none.
    pub(crate) date: Option<String>,
}

/// What became of a shard.
#[derive(Debug, Default)]
pub(crate) struct Ingested {
    /// The number of sessions that were kept.
    pub(crate) sessions: u64,
    /// One sentence for each thing that was not used, or is missing.
    pub(crate) problems: Vec<String>,
    /// Whether something of the input was not used.
    pub(crate) has_lost: bool,
}

/// Reads a group of inputs and puts their tables into the lake.
///
/// # Errors
/// One sentence, if nothing of it could be kept.
pub(crate) fn ingest(lake: &Lake, group: &Group, options: &Options) -> Result<Ingested, String> {
    let mut shard = Shard {
        lake,
        options,
        unfinished: lake.unfinished()?,
        segment: Segment::default(),
        segments: 0,
        drafts: Vec::new(),
        hash: ids::NONE,
        others: BTreeSet::new(),
        unplaced_releases: BTreeSet::new(),
        ingested: Ingested::default(),
    };
    for (input, lines) in opened(group) {
        shard.read(input, lines)?;
    }
    shard.finish()
}

struct Shard<'a> {
    lake: &'a Lake,
    options: &'a Options,
    unfinished: Unfinished,
    segment: Segment,
    segments: usize,
    drafts: Vec<Draft>,
    hash: Id,
    /// Dimensions without a column.
    others: BTreeSet<String>,
    unplaced_releases: BTreeSet<String>,
    ingested: Ingested,
}

/// A file that is written and not in the lake yet.
struct Draft {
    /// Its name among those that are not finished.
    file: PathBuf,
    table: tables::Table,
    date: String,
    release: String,
    segment: usize,
}

impl Draft {
    fn new(table: &tables::Table, date: &str, release: &str, segment: usize) -> Self {
        let file = PathBuf::from(format!("{}-{date}-{release}-{segment}.parquet", table.name));
        Self { file, table: *table, date: date.to_owned(), release: release.to_owned(), segment }
    }
}

/// What is read until the next segment.
#[derive(Default)]
struct Segment {
    partitions: BTreeMap<(String, String), Partition>,
    /// How often each line was there, by its hash.
    lines: FxHashMap<Id, u64>,
    values: [BTreeSet<String>; 3],
}

/// The sessions of a day and a release.
struct Partition {
    names: Names,
    writer: SessionWriter,
    /// Of the tables `stacks` and `sessions`.
    drafts: [Draft; 2],
}

/// What of an input is left out, lines or dimensions: how much, and what is wrong with the first.
#[derive(Default)]
struct LeftOut {
    number: u64,
    first: Option<(u64, String)>,
}

impl LeftOut {
    fn add(&mut self, line: u64, why: impl FnOnce() -> String) {
        self.number += 1;
        self.first.get_or_insert_with(|| (line, why()));
    }
}

/// What a line had.
struct Read {
    wrong: Vec<WrongDimension>,
}

impl Shard<'_> {
    fn read(&mut self, input: &Input, lines: io::Result<Lines>) -> Result<(), String> {
        let name = input.name();
        let mut lines = match lines {
            Ok(lines) => lines,
            Err(why) => {
                input.is_served()?;
                self.lost(format!("{name} cannot be read: {why}. Check the path and its permissions."));
                return Ok(());
            }
        };
        let (mut line, mut number, mut good) = (Vec::new(), 0, 0_u64);
        let (mut bad, mut dimensions) = (LeftOut::default(), LeftOut::default());
        loop {
            number += 1;
            match lines.next(&mut line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(why) => {
                    // What a bucket did not deliver is whole there: half of it would be another shard when it is read again.
                    input.is_served()?;
                    self.lost(format!("{name} is damaged after line {}: {why}. The lines before that were used; send it again.", number - 1));
                    return Ok(());
                }
            }
            if line.is_empty() {
                continue;
            }
            let mut read = self.line(&line)?;
            if read.is_err() && number == 1 {
                // One object that was written over several lines.
                let text = lines.rest(&mut line);
                if text.is_ok()
                    && let Ok(whole) = self.line(&line)?
                {
                    read = Ok(whole);
                }
            }
            match read {
                Ok(Read { wrong }) => {
                    good += 1;
                    wrong.iter().for_each(|why| dimensions.add(number, || why.to_string()));
                }
                Err(why) => bad.add(number, || why),
            }
        }
        if let Some((line, why)) = dimensions.first {
            self.ingested.problems.push(match dimensions.number {
                1 => format!("{name}: a dimension in line {line} was left out: {why}."),
                many => {
                    format!("{name}: {many} dimensions were left out, the first is in line {line}: {why}.")
                }
            });
        }
        if let Some((line, why)) = bad.first {
            let what = match (bad.number, good) {
                (_, 0) => format!("{name} holds no session: {why}."),
                (1, _) => format!("{name}: line {line} was left out: {why}. The other {good} were used."),
                (many, _) => format!(
                    "{name}: {many} lines were left out, the first is line {line}: {why}. The other {good} were used."
                ),
            };
            self.lost(what);
        } else if good == 0 {
            self.lost(format!(
                "{name} is empty. Name files that proflens collect wrote, or traces of Profiler.stop()."
            ));
        }
        Ok(())
    }

    fn lost(&mut self, sentence: String) {
        self.ingested.problems.push(sentence);
        self.ingested.has_lost = true;
    }

    /// Adds the sessions of a line. The inner error says why it is left out.
    fn line(&mut self, line: &[u8]) -> Result<Result<Read, String>, String> {
        let profile = match profile::decode(&mut &*line, "", &()) {
            Ok(profile) if profile.format == "self-profiling" => profile,
            Ok(profile) => {
                return Ok(Err(format!(
                    "it is a trace of the format {}, which has no place in a fleet",
                    profile.format
                )));
            }
            Err(error) => return Ok(Err(error.problem("it").what)),
        };
        if profile.threads.iter().any(|it| it.duration > MAX_DURATION) {
            return Ok(Err("its samples span more than a day".to_owned()));
        }
        let mut envelope = Envelope::of(line);
        let release = self.options.release.clone().or(envelope.release.clone());
        let Some(release) = release else {
            return Ok(Err("it does not say its release; name it with --release".to_owned()));
        };
        if !tables::is_release(&release) {
            return Ok(Err(format!(
                "its release {release:?} is no name of a folder: letters, digits, dots, - and _ of the ASCII alphabet"
            )));
        }
        let date = envelope.date().or(self.options.date.clone());
        let date = date.unwrap_or_else(|| tables::NO_DATE.to_owned());
        let (wrong, others) = (std::mem::take(&mut envelope.wrong), std::mem::take(&mut envelope.others));
        let hash = ids::of_bytes(line);
        if let Err(collision) = self.add(&profile, envelope, (date, release), hash)? {
            return Ok(Err(collision.to_string()));
        }
        self.hash = ids::node(self.hash, hash);
        let room = MAX_OTHERS.saturating_sub(self.others.len());
        let new = others.into_iter().filter(|name| !self.others.contains(name)).take(room);
        let new: Vec<String> = new.collect();
        self.others.extend(new);
        let names = || self.segment.partitions.values().map(|it| &it.names);
        let nodes: usize = names().map(Names::nodes_len).sum();
        let texts: usize = names().map(Names::texts_len).sum();
        if nodes > SEGMENT || texts > SEGMENT_TEXTS || self.segment.lines.len() > SEGMENT {
            self.end_segment()?;
        }
        Ok(Ok(Read { wrong }))
    }

    fn add(
        &mut self,
        profile: &Profile,
        envelope: Envelope,
        place: (String, String),
        hash: Id,
    ) -> Result<Result<(), Collision>, String> {
        let count = self.segment.lines.entry(hash).or_default();
        let seen = std::mem::replace(count, *count + 1);
        let mut dimensions = envelope.dimensions;
        let columns = [&mut dimensions.page, &mut dimensions.device, &mut dimensions.country];
        for (values, value) in self.segment.values.iter_mut().zip(columns) {
            let Some(value) = value else { continue };
            if values.len() >= MAX_VALUES && !values.contains(value) {
                OTHER.clone_into(value);
            } else if !values.contains(value) {
                values.insert(value.clone());
            }
        }
        let partition = match self.segment.partitions.entry(place) {
            MapEntry::Occupied(there) => there.into_mut(),
            MapEntry::Vacant(free) => {
                let (date, release) = free.key();
                let drafts = [tables::STACKS, tables::SESSIONS]
                    .map(|it| Draft::new(&it, date, release, self.segments));
                let [stacks, sessions] = drafts.each_ref().map(|it| self.unfinished.folder.join(&it.file));
                let writer = SessionWriter::create(&sessions, &stacks)?;
                free.insert(Partition { names: Names::default(), writer, drafts })
            }
        };
        let release = self.options.release.as_deref().or(envelope.release.as_deref()).unwrap_or_default();
        let rows = match sessions(release, profile, &mut partition.names, (hash, seen)) {
            Ok(rows) => rows,
            Err(collision) => return Ok(Err(collision)),
        };
        self.ingested.sessions += rows.len() as u64;
        for session in rows {
            let (dimensions, received) = (dimensions.clone(), envelope.received.unwrap_or(0));
            partition.writer.add(Entry { dimensions, received, session })?;
        }
        Ok(Ok(()))
    }

    /// Ends the tables of a segment, places its functions, and makes the costs.
    fn end_segment(&mut self) -> Result<(), String> {
        let segment = std::mem::take(&mut self.segment);
        for (values, name) in segment.values.iter().zip(["page", "device", "country"]) {
            if values.len() >= MAX_VALUES {
                self.ingested.problems.push(format!(
                    "The dimension {name} has more than {MAX_VALUES} values; the others are called {OTHER}. Send a pattern instead, such as /product/:id."
                ));
            }
        }
        let number = self.segments;
        self.segments += 1;
        let mut functions: BTreeMap<String, BTreeMap<Id, FunctionRow>> = BTreeMap::new();
        let mut dated = Vec::new();
        for ((date, release), partition) in segment.partitions {
            let of_release = functions.entry(release.clone()).or_default();
            of_release.extend(partition.names.functions().into_iter().map(|it| (it.function, it.clone())));
            let nodes = partition.names.nodes();
            partition.writer.close()?;
            dated.push((date, release, nodes, partition.drafts));
        }
        let mut definition_of = BTreeMap::new();
        for (release, rows) in &functions {
            let rows: Vec<&FunctionRow> = rows.values().collect();
            self.write(&tables::FUNCTIONS, ("", release), number, function_columns(&rows))?;
            if let Some(texts) = Release::open(self.lake, release)? {
                let symbols = place(&texts, &rows)?;
                definition_of.insert(release.clone(), definitions(&symbols));
                self.write(&tables::SYMBOLS, ("", release), number, symbol_columns(&symbols))?;
            } else {
                self.unplaced_releases.insert(release.clone());
            }
        }
        for (date, release, nodes, [stacks, sessions]) in dated {
            self.write(&tables::NODES, (&date, &release), number, node_columns(&nodes))?;
            if let Some(definition_of) = definition_of.get(&release) {
                let costs = Draft::new(&tables::COSTS, &date, &release, number);
                let [from, into] = [&stacks, &costs].map(|it| self.unfinished.folder.join(&it.file));
                write_costs(&from, &nodes, definition_of, &into)?;
                self.drafts.push(costs);
            }
            self.drafts.extend([stacks, sessions]);
        }
        Ok(())
    }

    fn write(
        &mut self,
        table: &tables::Table,
        (date, release): (&str, &str),
        number: usize,
        columns: Vec<Values>,
    ) -> Result<(), String> {
        let draft = Draft::new(table, date, release, number);
        name_files::write(&self.unfinished.folder.join(&draft.file), table, columns)?;
        self.drafts.push(draft);
        Ok(())
    }

    fn finish(mut self) -> Result<Ingested, String> {
        if self.ingested.sessions == 0 {
            return Err(self.ingested.problems.join(" "));
        }
        self.end_segment()?;
        let shard = format!("{:016x}", self.hash);
        if self.lake.is_compacted(&shard) {
            return Ok(self.ingested);
        }
        // A table comes after those that its rows speak of.
        let order = [
            tables::FUNCTIONS,
            tables::SYMBOLS,
            tables::NODES,
            tables::STACKS,
            tables::COSTS,
            tables::SESSIONS,
        ];
        self.drafts.sort_by_key(|it| (order.iter().position(|table| *table == it.table), it.segment));
        let place = |it: &Draft| {
            let name = if it.segment == 0 { shard.clone() } else { format!("{shard}-{}", it.segment) };
            (it.file.clone(), Lake::below(&it.table, &it.date, &it.release, &name))
        };
        let files: Vec<_> = self.drafts.iter().map(place).collect();
        self.unfinished.publish(self.lake, &files)?;
        for release in &self.unplaced_releases {
            let lake = self.lake.root().display();
            self.ingested.problems.push(format!(
                "The lake has no maps of release {release}: its functions have no costs until you run proflens-fleet symbolicate --release {release} --workspace DIR --maps DIR --out {lake}."
            ));
        }
        if !self.others.is_empty() {
            let names: Vec<&str> = self.others.iter().map(String::as_str).collect();
            self.ingested.problems.push(format!(
                "These dimensions have no column and were left out: {}. The lake has page, device, country, user and release.",
                names.join(", ")
            ));
        }
        Ok(self.ingested)
    }
}
