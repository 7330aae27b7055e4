//! The sessions that fulfil a condition, shard by shard, each once.

use fleet::{Column, Condition, Id, tables};
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use rustc_hash::FxHashSet;

use crate::lake::{Lake, LakeFile};
use crate::parquet_limits::Use;
use crate::table_file::{Rows, TableReader, scattered};

/// The chosen sessions of a shard on a day and of a release.
pub(crate) struct Part {
    /// The file of `sessions`; those of the other tables are named alike.
    pub(crate) file: LakeFile,
    /// The chosen sessions; `None` if it is all of the file.
    only: Option<FxHashSet<Id>>,
}

/// The sum of what the table `sessions` says of the chosen ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// The number of sessions.
    pub(crate) sessions: u64,
    /// Their active time, all their time, and their samples.
    pub(crate) sums: [u64; 3],
    /// When the newest was received, in milliseconds of Unix time; 0 if no session says it.
    pub(crate) newest: i64,
    /// Sessions that are in several shards, and count once.
    pub(crate) repeated: u64,
}

/// What was chosen.
pub(crate) struct Chosen {
    pub(crate) parts: Vec<Part>,
    pub(crate) totals: Totals,
}

/// A session of the table, as far as is asked for.
pub(crate) struct SessionRow<'a> {
    pub(crate) session: Id,
    pub(crate) active: u64,
    pub(crate) total: u64,
    pub(crate) samples: u64,
    pub(crate) received: i64,
    pub(crate) user: Option<&'a str>,
}

/// Chooses sessions and hands on each of them.
///
/// # Errors
/// One sentence about a file that cannot be read.
pub(crate) fn choose(
    lake: &Lake,
    condition: &Condition,
    mut each: impl FnMut(&SessionRow<'_>),
) -> Result<Chosen, String> {
    let files: Vec<LakeFile> =
        lake.files(&tables::SESSIONS)?.into_iter().filter(|it| has(condition, it)).collect();
    let (mut parts, mut totals) = (Vec::new(), Totals::default());
    let mut seen = FxHashSet::default();
    for file in files {
        let (mut only, mut all) = (FxHashSet::default(), true);
        let mut columns = vec!["session", "received_ms", "active_ns", "total_ns", "samples", "user"];
        columns.extend(
            ["page", "device", "country"]
                .iter()
                .filter(|it| condition.terms().iter().any(|term| term.column.name() == **it)),
        );
        TableReader::open(&file.path, &tables::SESSIONS, &columns, Use::Kept)?.read(|rows| {
            let [session, received, active, total, samples] =
                ["session", "received_ms", "active_ns", "total_ns", "samples"].map(|it| rows.integers(it));
            let texts = DIMENSIONS.map(|it| rows.texts(it.name()).collect::<Vec<_>>());
            for row in 0..rows.len() {
                let text = |it: Column| {
                    let at = DIMENSIONS.iter().position(|known| *known == it)?;
                    texts[at].get(row).copied().flatten()
                };
                let unsigned = |column: &[i64]| column[row].cast_unsigned();
                let is_chosen = condition.holds(|it| !it.is_partition(), text);
                let is_new = is_chosen && seen.insert(session[row]);
                totals.repeated += u64::from(is_chosen && !is_new);
                if !is_new {
                    all = false;
                    continue;
                }
                only.insert(session[row]);
                let it = SessionRow {
                    session: session[row],
                    active: unsigned(active),
                    total: unsigned(total),
                    samples: unsigned(samples),
                    received: received[row],
                    user: text(Column::User),
                };
                totals.sessions += 1;
                totals.newest = totals.newest.max(it.received);
                for (sum, value) in totals.sums.iter_mut().zip([it.active, it.total, it.samples]) {
                    *sum = sum.saturating_add(value);
                }
                each(&it);
            }
            Ok(())
        })?;
        if !only.is_empty() {
            parts.push(Part { file, only: (!all).then_some(only) });
        }
    }
    Ok(Chosen { parts, totals })
}

const DIMENSIONS: [Column; 4] = [Column::Page, Column::Device, Column::Country, Column::User];

/// Whether the files of a day and a release may have sessions that fulfil the condition.
fn has(condition: &Condition, file: &LakeFile) -> bool {
    condition
        .holds(Column::is_partition, |it| Some(if it == Column::Date { &file.date } else { &file.release }))
}

impl Chosen {
    /// Whether a session was also chosen elsewhere.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        let is_shared = |part: &Part| {
            let same = other.parts.iter().find(|it| it.file == part.file);
            same.is_some_and(|it| match (&part.only, &it.only) {
                (Some(a), Some(b)) => !a.is_disjoint(b),
                // One has all sessions of the file, and neither has none.
                _ => true,
            })
        };
        self.parts.iter().any(is_shared)
    }
}

impl Part {
    /// Hands on the rows of the chosen sessions in a table; whether there is such a file.
    ///
    /// # Errors
    /// One sentence, also that of `each`.
    pub(crate) fn read(
        &self,
        lake: &Lake,
        table: &tables::Table,
        columns: &[&str],
        each: impl FnMut(&Rows) -> Result<(), String>,
    ) -> Result<bool, String> {
        let LakeFile { date, release, shard, .. } = &self.file;
        let path = lake.file(table, date, release, shard);
        if !path.exists() {
            return Ok(false);
        }
        let mut reader = TableReader::open(&path, table, columns, Use::Passing)?;
        if let Some(only) = &self.only {
            let mut selectors: Vec<RowSelector> = Vec::new();
            TableReader::open(&path, table, &["session"], Use::Passing)?.read(|rows| {
                // The rows of a session are neighbours.
                for same in rows.integers("session").chunk_by(|a, b| a == b) {
                    let skip = !only.contains(&same[0]);
                    match selectors.last_mut() {
                        Some(last) if last.skip == skip => last.row_count += same.len(),
                        _ => selectors.push(RowSelector { row_count: same.len(), skip }),
                    }
                }
                // What is chosen, and what lies between.
                if selectors.len() > 2 * only.len() + 1 { Err(scattered(&path)) } else { Ok(()) }
            })?;
            reader = reader.only(RowSelection::from(selectors));
        }
        reader.read(each).map(|()| true)
    }
}
