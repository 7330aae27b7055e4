//! The sessions that fulfil a condition, shard by shard, each once.

use fleet::condition::{Column, Condition};
use fleet::ids::Id;
use fleet::tables;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use profile::problem::Problem;
use rustc_hash::FxHashSet;

use crate::lake::{Lake, LakeFile};
use crate::parquet_limits::Use;
use crate::table_reader::{Rows, TableReader, scattered};

/// The chosen sessions of a shard on a day and of a release.
pub(crate) struct Part {
    /// The file of `sessions`; those of the other tables have the same name.
    pub(crate) file: LakeFile,
    /// The chosen sessions; `None` if it is the whole file.
    only: Option<FxHashSet<Id>>,
}

/// The sum of what the table `sessions` says about the chosen ones.
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

/// A row of the table, as far as it is needed.
pub(crate) struct SessionRow<'a> {
    pub(crate) session: Id,
    pub(crate) active: u64,
    pub(crate) total: u64,
    pub(crate) samples: u64,
    pub(crate) received: i64,
    pub(crate) user: Option<&'a str>,
}

/// Chooses sessions and passes on each of them.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn choose(
    lake: &Lake,
    condition: &Condition,
    mut each: impl FnMut(&SessionRow<'_>),
) -> Result<Chosen, Problem> {
    let mut columns = vec!["session", "received_ms", "active_ns", "total_ns", "samples", "user"];
    for column in [Column::Page, Column::Device, Column::Country] {
        if condition.terms().iter().any(|term| term.column == column) {
            columns.push(column.name());
        }
    }
    let mut chosen = Chosen { parts: Vec::new(), totals: Totals::default() };
    let mut seen = FxHashSet::default();
    for file in lake.files(&tables::SESSIONS)? {
        if !may_hold(condition, &file) {
            continue;
        }
        let (mut only, mut all) = (FxHashSet::default(), true);
        TableReader::open(&file.path, &tables::SESSIONS, &columns, Use::Kept)?.read(|rows| {
            let [ids, received, active, total, samples] =
                rows.all_integers(["session", "received_ms", "active_ns", "total_ns", "samples"]);
            let [page, device, country, user] = rows.all_texts(["page", "device", "country", "user"]);
            for row in 0..rows.len() {
                // A column that is not read here has no condition on it.
                let is_chosen = condition.holds(
                    |column| !column.is_partition(),
                    |column| match column {
                        Column::Page => page[row],
                        Column::Device => device[row],
                        Column::Country => country[row],
                        Column::User => user[row],
                        Column::Date | Column::Release => None,
                    },
                );
                let is_new = is_chosen && seen.insert(ids[row]);
                chosen.totals.repeated += u64::from(is_chosen && !is_new);
                if !is_new {
                    all = false;
                    continue;
                }
                only.insert(ids[row]);
                let session = SessionRow {
                    session: ids[row],
                    active: active[row].cast_unsigned(),
                    total: total[row].cast_unsigned(),
                    samples: samples[row].cast_unsigned(),
                    received: received[row],
                    user: user[row],
                };
                chosen.totals.add(&session);
                each(&session);
            }
            Ok(())
        })?;
        if !only.is_empty() {
            chosen.parts.push(Part { file, only: (!all).then_some(only) });
        }
    }
    Ok(chosen)
}

/// Whether the files of a day and a release may have sessions that fulfil the condition.
fn may_hold(condition: &Condition, file: &LakeFile) -> bool {
    condition.holds(Column::is_partition, |column| {
        Some(if column == Column::Date { &file.date } else { &file.release })
    })
}

impl Totals {
    fn add(&mut self, session: &SessionRow<'_>) {
        self.sessions += 1;
        self.newest = self.newest.max(session.received);
        for (sum, value) in self.sums.iter_mut().zip([session.active, session.total, session.samples]) {
            *sum = sum.saturating_add(value);
        }
    }
}

impl Chosen {
    /// Whether a session was also chosen in another shard.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        self.parts.iter().any(|part| other.parts.iter().any(|same| part.shares(same)))
    }
}

impl Part {
    fn shares(&self, other: &Self) -> bool {
        self.file == other.file
            && match (&self.only, &other.only) {
                (Some(a), Some(b)) => !a.is_disjoint(b),
                // One shard has all sessions of the file, and neither has none.
                _ => true,
            }
    }

    /// Passes on the rows of the chosen sessions in a table, if there is such a file.
    ///
    /// # Errors
    /// If the file cannot be read, or `each` fails.
    pub(crate) fn read(
        &self,
        lake: &Lake,
        table: &tables::Table,
        columns: &[&str],
        each: impl FnMut(&Rows) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let path = lake.beside(&self.file, table);
        if !path.exists() {
            return Ok(());
        }
        let mut reader = TableReader::open(&path, table, columns, Use::Passing)?;
        if let Some(only) = &self.only {
            let mut selectors: Vec<RowSelector> = Vec::new();
            TableReader::open(&path, table, &["session"], Use::Passing)?.read(|rows| {
                // The rows of a session are next to each other.
                for same in rows.integers("session").chunk_by(|a, b| a == b) {
                    let skip = !only.contains(&same[0]);
                    match selectors.last_mut() {
                        Some(last) if last.skip == skip => last.row_count += same.len(),
                        _ => selectors.push(RowSelector { row_count: same.len(), skip }),
                    }
                }
                // What is chosen, and what lies in between.
                if selectors.len() > 2 * only.len() + 1 { Err(scattered(&path)) } else { Ok(()) }
            })?;
            reader = reader.only(RowSelection::from(selectors));
        }
        reader.read(each)
    }
}
