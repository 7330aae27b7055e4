//! Writes the tables `sessions` and `stacks`, in batches in which the sessions of one page stand side by side: those who ask for a
//! page skip the others.

use std::path::Path;

use fleet::{Dimensions, Session, tables};
use profile::OffStack;

use crate::table_file::{TableWriter, Values};

/// So many rows of `stacks` make a batch.
const BATCH: usize = 300_000;

/// A session with what its line says of it.
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
    /// One sentence.
    pub(crate) fn create(sessions: &Path, stacks: &Path) -> Result<Self, String> {
        let sessions = TableWriter::create(sessions, &tables::SESSIONS)?;
        let stacks = TableWriter::create(stacks, &tables::STACKS)?;
        Ok(Self { sessions, stacks, batch: Vec::new(), rows: 0 })
    }

    /// Adds a session.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<(), String> {
        self.rows += entry.session.rows().count();
        self.batch.push(entry);
        if self.rows > BATCH { self.write() } else { Ok(()) }
    }

    /// Ends both files.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn close(mut self) -> Result<(), String> {
        self.write()?;
        self.sessions.close()?;
        self.stacks.close()
    }

    fn write(&mut self) -> Result<(), String> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.sort_by(|a, b| (&a.dimensions, a.session.session).cmp(&(&b.dimensions, b.session.session)));
        let integers = |of: &dyn Fn(&Entry) -> i64| Values::Integers(batch.iter().map(of).collect());
        let texts = |of: &dyn Fn(&Dimensions) -> &Option<String>| {
            Values::Texts(batch.iter().map(|it| of(&it.dimensions).clone()).collect())
        };
        let off =
            |why: OffStack| integers(&move |it| it.session.off_stack[why as usize].time.0.cast_signed());
        let columns = vec![
            integers(&|it| it.session.session),
            integers(&|it| it.received),
            texts(&|it| &it.page),
            texts(&|it| &it.device),
            texts(&|it| &it.country),
            texts(&|it| &it.user),
            integers(&|it| it.session.samples.cast_signed()),
            integers(&|it| it.session.total.cast_signed()),
            integers(&|it| it.session.active().cast_signed()),
            off(OffStack::Idle),
            off(OffStack::NoStack),
            off(OffStack::Program),
            off(OffStack::GarbageCollector),
            off(OffStack::Native),
            off(OffStack::Unsampled),
            off(OffStack::Unknown),
        ];
        let mut rows = [const { Vec::new() }; 4];
        rows.iter_mut().for_each(|it| it.reserve(self.rows));
        for Entry { session, .. } in &batch {
            for (stack, weight) in session.rows() {
                let (ns, samples) = (weight.time.0.cast_signed(), weight.samples.cast_signed());
                rows.iter_mut()
                    .zip([session.session, stack, ns, samples])
                    .for_each(|(it, value)| it.push(value));
            }
        }
        self.rows = 0;
        self.sessions.row_group(columns)?;
        self.stacks.row_group(rows.into_iter().map(Values::Integers).collect())
    }
}
