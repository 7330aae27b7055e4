//! Writes the tables `sessions` and `stacks`, in batches in which the sessions of one page are next to each other, so that a query
//! for a page can skip the others.

use std::path::Path;

use fleet::envelope::Dimensions;
use fleet::session::Session;
use fleet::tables;
use profile::model::OffStack;
use profile::problem::Problem;

use crate::table_writer::{TableWriter, Values};

/// How many rows of `stacks` make a batch.
const BATCH: usize = 300_000;

/// A session with what its line says about it.
pub(crate) struct Entry {
    pub(crate) dimensions: Dimensions,
    /// When it was received, in milliseconds of Unix time; 0 if that is not known.
    pub(crate) received: i64,
    pub(crate) session: Session,
}

/// Writes the sessions of a day and a release.
pub(crate) struct SessionWriter {
    sessions: TableWriter,
    stacks: TableWriter,
    batch: Vec<Entry>,
    rows: usize,
}

impl SessionWriter {
    /// Begins both files.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub(crate) fn create(sessions: &Path, stacks: &Path) -> Result<Self, Problem> {
        Ok(Self {
            sessions: TableWriter::create(sessions, &tables::SESSIONS)?,
            stacks: TableWriter::create(stacks, &tables::STACKS)?,
            batch: Vec::new(),
            rows: 0,
        })
    }

    /// Adds a session.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<(), Problem> {
        self.rows += entry.session.rows().count();
        self.batch.push(entry);
        if self.rows > BATCH { self.write() } else { Ok(()) }
    }

    /// Ends both files.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub(crate) fn close(mut self) -> Result<(), Problem> {
        self.write()?;
        self.sessions.close()?;
        self.stacks.close()
    }

    fn write(&mut self) -> Result<(), Problem> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.sort_by(|a, b| (&a.dimensions, a.session.session).cmp(&(&b.dimensions, b.session.session)));
        self.sessions.row_group(session_columns(&batch))?;
        let mut columns = [const { Vec::new() }; 4];
        columns.iter_mut().for_each(|column| column.reserve(self.rows));
        for Entry { session, .. } in &batch {
            for (stack, weight) in session.rows() {
                let (ns, samples) = (weight.time.0.cast_signed(), weight.samples.cast_signed());
                let row = [session.session, stack, ns, samples];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
        }
        self.rows = 0;
        self.stacks.row_group(columns.into_iter().map(Values::Integers).collect())
    }
}

fn session_columns(entries: &[Entry]) -> Vec<Values> {
    vec![
        Values::integers(entries, |entry| entry.session.session),
        Values::integers(entries, |entry| entry.received),
        Values::texts(entries, |entry| entry.dimensions.page.as_deref()),
        Values::texts(entries, |entry| entry.dimensions.device.as_deref()),
        Values::texts(entries, |entry| entry.dimensions.country.as_deref()),
        Values::texts(entries, |entry| entry.dimensions.user.as_deref()),
        Values::integers(entries, |entry| entry.session.samples.cast_signed()),
        Values::integers(entries, |entry| entry.session.total.cast_signed()),
        Values::integers(entries, |entry| entry.session.active().cast_signed()),
        off_stack_column(entries, OffStack::Idle),
        off_stack_column(entries, OffStack::NoStack),
        off_stack_column(entries, OffStack::Program),
        off_stack_column(entries, OffStack::GarbageCollector),
        off_stack_column(entries, OffStack::Native),
        off_stack_column(entries, OffStack::Unsampled),
        off_stack_column(entries, OffStack::Unknown),
    ]
}

fn off_stack_column(entries: &[Entry], why: OffStack) -> Values {
    Values::integers(entries, |entry| entry.session.off_stack_ns(why).cast_signed())
}
