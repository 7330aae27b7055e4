//! The tables of one shard, in segments that limit the memory: when a segment is large, its tables are ended, its functions placed
//! and its costs made. At the end all files go into the lake, under the name of the shard.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fleet::envelope::Dimensions;
use fleet::ids::{Collision, Id};
use fleet::names::{FunctionRow, Names, NodeRow};
use fleet::session::sessions;
use fleet::tables;
use profile::model::Profile;
use profile::problem::Problem;
use rustc_hash::FxHashMap;

use crate::costs::{definitions, write_costs};
use crate::lake::{Lake, Unfinished};
use crate::name_files::{self, function_columns, node_columns, symbol_columns};
use crate::place::place;
use crate::release::Release;
use crate::session_writer::{Entry, SessionWriter};
use crate::table_writer::Values;

/// How many nodes end a segment, and how many different lines.
const SEGMENT: usize = 500_000;
/// How many bytes of names and addresses end it.
const SEGMENT_TEXTS: usize = 32 << 20;
/// How many values of a dimension a segment keeps apart.
const MAX_VALUES: usize = 10_000;
/// What the other values become.
const OTHER: &str = "(other)";

/// The tables of a shard that is being read.
pub(crate) struct ShardTables<'a> {
    lake: &'a Lake,
    unfinished: Unfinished,
    segment: Segment,
    /// The number of segments that were ended.
    segments: usize,
    drafts: Vec<Draft>,
    unplaced_releases: BTreeSet<String>,
    /// The number of sessions.
    pub(crate) sessions: u64,
}

/// The day and the release of sessions, which are folders of the lake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartitionKey {
    pub(crate) date: String,
    pub(crate) release: String,
}

/// What is known about the sessions of a line besides their trace.
pub(crate) struct LineAbout {
    pub(crate) key: PartitionKey,
    pub(crate) dimensions: Dimensions,
    /// When they were received, in milliseconds of Unix time; 0 if that is not known.
    pub(crate) received: i64,
    /// The hash of the line.
    pub(crate) hash: Id,
}

/// Why a line is not used.
pub(crate) enum Unused {
    /// It is left out.
    Line(Problem),
    /// Nothing of the shard can be kept.
    Shard(Problem),
}

impl From<Problem> for Unused {
    fn from(problem: Problem) -> Self {
        Self::Shard(problem)
    }
}

impl From<Collision> for Unused {
    fn from(collision: Collision) -> Self {
        Self::Line(Problem::new(collision.to_string(), ""))
    }
}

/// A file that is written and not in the lake yet.
struct Draft {
    /// Its name among the unfinished files.
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
    partitions: BTreeMap<PartitionKey, Partition>,
    /// How often each line was there, by its hash.
    lines: FxHashMap<Id, u64>,
    /// The values of page, device and country.
    values: [BTreeSet<String>; 3],
}

/// The sessions of a day and a release.
struct Partition {
    names: Names,
    writer: SessionWriter,
    stacks: Draft,
    sessions: Draft,
}

/// The same, once its sessions and stacks are written.
struct WrittenPartition {
    key: PartitionKey,
    nodes: Vec<NodeRow>,
    stacks: Draft,
    sessions: Draft,
}

impl<'a> ShardTables<'a> {
    /// A shard without any sessions yet.
    ///
    /// # Errors
    /// If the lake cannot be written.
    pub(crate) fn new(lake: &'a Lake) -> Result<Self, Problem> {
        Ok(Self {
            lake,
            unfinished: lake.unfinished()?,
            segment: Segment::default(),
            segments: 0,
            drafts: Vec::new(),
            unplaced_releases: BTreeSet::new(),
            sessions: 0,
        })
    }

    /// Adds the sessions of a line.
    ///
    /// # Errors
    /// If two different things have one id, or the lake cannot be written.
    pub(crate) fn add(&mut self, profile: &Profile, about: LineAbout) -> Result<(), Unused> {
        let LineAbout { key, mut dimensions, received, hash } = about;
        let count = self.segment.lines.entry(hash).or_default();
        let seen = std::mem::replace(count, *count + 1);
        self.segment.bound(&mut dimensions);
        let partition = match self.segment.partitions.entry(key.clone()) {
            MapEntry::Occupied(there) => there.into_mut(),
            MapEntry::Vacant(free) => {
                let [stacks, sessions] = [tables::STACKS, tables::SESSIONS]
                    .map(|table| Draft::new(&table, &key.date, &key.release, self.segments));
                let folder = &self.unfinished.folder;
                let writer = SessionWriter::create(&folder.join(&sessions.file), &folder.join(&stacks.file))?;
                free.insert(Partition { names: Names::default(), writer, stacks, sessions })
            }
        };
        let rows = sessions(&key.release, profile, &mut partition.names, hash, seen)?;
        self.sessions += rows.len() as u64;
        for session in rows {
            partition.writer.add(Entry { dimensions: dimensions.clone(), received, session })?;
        }
        Ok(())
    }

    /// Whether the segment takes so much memory that it has to be ended.
    pub(crate) fn is_large(&self) -> bool {
        self.segment.is_large()
    }

    /// Ends the tables of a segment, places its functions, and makes the costs; returns what is odd about it.
    ///
    /// # Errors
    /// If the lake cannot be written, or its texts cannot be read.
    pub(crate) fn end_segment(&mut self) -> Result<Vec<Problem>, Problem> {
        let segment = std::mem::take(&mut self.segment);
        let problems = segment.problems();
        let mut functions: BTreeMap<String, BTreeMap<Id, FunctionRow>> = BTreeMap::new();
        let mut written = Vec::new();
        for (key, Partition { names, writer, stacks, sessions }) in segment.partitions {
            let known = functions.entry(key.release.clone()).or_default();
            known.extend(names.functions().into_iter().map(|row| (row.function, row.clone())));
            writer.close()?;
            written.push(WrittenPartition { key, nodes: names.nodes(), stacks, sessions });
        }
        let mut definitions_of = BTreeMap::new();
        for (release, functions) in &functions {
            let rows: Vec<&FunctionRow> = functions.values().collect();
            self.write(&tables::FUNCTIONS, "", release, function_columns(&rows))?;
            if let Some(texts) = Release::open(self.lake, release)? {
                let symbols = place(&texts, &rows)?;
                definitions_of.insert(release.clone(), definitions(&symbols));
                self.write(&tables::SYMBOLS, "", release, symbol_columns(&symbols))?;
            } else {
                self.unplaced_releases.insert(release.clone());
            }
        }
        for WrittenPartition { key: PartitionKey { date, release }, nodes, stacks, sessions } in written {
            self.write(&tables::NODES, &date, &release, node_columns(&nodes))?;
            if let Some(definition_of) = definitions_of.get(&release) {
                let costs = Draft::new(&tables::COSTS, &date, &release, self.segments);
                let [from, into] = [&stacks, &costs].map(|draft| self.unfinished.folder.join(&draft.file));
                write_costs(&from, &nodes, definition_of, &into)?;
                self.drafts.push(costs);
            }
            self.drafts.extend([stacks, sessions]);
        }
        self.segments += 1;
        Ok(problems)
    }

    /// Writes a table of the segment that ends.
    fn write(
        &mut self,
        table: &tables::Table,
        date: &str,
        release: &str,
        columns: Vec<Values>,
    ) -> Result<(), Problem> {
        let draft = Draft::new(table, date, release, self.segments);
        name_files::write(&self.unfinished.folder.join(&draft.file), table, columns)?;
        self.drafts.push(draft);
        Ok(())
    }

    /// Puts all files into the lake, under the name of the shard; returns what is odd about them. A table comes after those that its
    /// rows refer to.
    ///
    /// # Errors
    /// If the lake cannot be written.
    pub(crate) fn publish(mut self, shard: &str) -> Result<Vec<Problem>, Problem> {
        let order = [
            tables::FUNCTIONS,
            tables::SYMBOLS,
            tables::NODES,
            tables::STACKS,
            tables::COSTS,
            tables::SESSIONS,
        ];
        self.drafts
            .sort_by_key(|draft| (order.iter().position(|table| *table == draft.table), draft.segment));
        let mut files = Vec::with_capacity(self.drafts.len());
        for Draft { file, table, date, release, segment } in &self.drafts {
            let name = if *segment == 0 { shard.to_owned() } else { format!("{shard}-{segment}") };
            files.push((file.clone(), Lake::below(table, date, release, &name)));
        }
        self.unfinished.publish(self.lake, &files)?;
        let lake = self.lake.root().display();
        let unplaced = self.unplaced_releases.iter().map(|release| {
            let what = format!("The lake has no maps of release {release}: its functions have no costs until you run proflens-fleet symbolicate --release {release} --workspace DIR --maps DIR --out {lake}");
            Problem::new(what, "")
        });
        Ok(unplaced.collect())
    }
}

impl Segment {
    /// Counts what is in memory.
    fn is_large(&self) -> bool {
        let nodes: usize = self.partitions.values().map(|partition| partition.names.nodes_len()).sum();
        let texts: usize = self.partitions.values().map(|partition| partition.names.texts_len()).sum();
        nodes > SEGMENT || texts > SEGMENT_TEXTS || self.lines.len() > SEGMENT
    }

    /// Renames values of dimensions that have too many of them.
    fn bound(&mut self, dimensions: &mut Dimensions) {
        let columns = [&mut dimensions.page, &mut dimensions.device, &mut dimensions.country];
        for (values, value) in self.values.iter_mut().zip(columns) {
            let Some(value) = value else { continue };
            if values.contains(value) {
                continue;
            }
            if values.len() >= MAX_VALUES {
                OTHER.clone_into(value);
            } else {
                values.insert(value.clone());
            }
        }
    }

    fn problems(&self) -> Vec<Problem> {
        let columns = self.values.iter().zip(["page", "device", "country"]);
        let full = columns.filter(|(values, _)| values.len() >= MAX_VALUES);
        full.map(|(_, name)| {
            let what = format!(
                "The dimension {name} has more than {MAX_VALUES} values; the others are called {OTHER}"
            );
            Problem::new(what, "send a pattern instead, such as /product/:id")
        })
        .collect()
    }
}
