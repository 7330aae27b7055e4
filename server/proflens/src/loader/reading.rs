//! Reads the traces of one load: files and folders, with one progress over all of them.

use std::path::Path;

use profile::decode::Progress;
use profile::problem::Problem;

use crate::open;
use crate::state::progress::ProgressGuard;
use crate::state::queue::Queue;
use crate::state::{Current, State};
use crate::traces::{self, Joining, ReadError, ReadTrace, SameUnit, file_name};

/// A load. It stops when the user cancels it, and when the server ends.
pub(super) struct Load<'a> {
    progress: ProgressGuard,
    queue: &'a Queue,
    current: &'a Current,
    /// Bytes of the files that were read before the current one.
    bytes_before: u64,
    unit: SameUnit,
    /// What was read.
    pub(super) profiles: Vec<ReadTrace>,
    /// Files of folders that could not be read.
    pub(super) left_out: Vec<Problem>,
}

impl<'a> Load<'a> {
    /// Begins to read this many bytes of something with this name.
    pub(super) fn start(state: &'a State, current: &'a Current, name: &str, bytes: u64) -> Self {
        let title = format!("Reading {name}…");
        Self {
            progress: state.editor.start_progress(title, bytes, current.client.progress),
            queue: &state.queue,
            current,
            bytes_before: 0,
            unit: SameUnit::default(),
            profiles: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Reads a file, or all files of a folder. Links may lead out of the workspace folders if the user named the path in a
    /// command: the author of a folder must not decide what is read.
    pub(super) fn read_trace(&mut self, path: &Path, is_named: bool) -> Result<(), ReadError> {
        if !path.is_dir() {
            let read = self.read_file(path)?;
            self.profiles.push(read);
            return Ok(());
        }
        let name = self.current.name_of(path);
        let mut joining = Joining::default();
        let left_out = traces::read_folder(path, &name, |file| {
            if open::is_link(file) && !is_named && !self.current.reaches(file) && file.exists() {
                return Err(leads_out(&self.current.name_of(file)).into());
            }
            let read = self.read_file(file)?;
            self.profiles.extend(joining.take(read));
            Ok(())
        })?;
        self.profiles.extend(joining.finish(&name));
        self.left_out.extend(left_out);
        Ok(())
    }

    fn read_file(&mut self, file: &Path) -> Result<ReadTrace, ReadError> {
        let read = traces::read(file, self.current.name_of(file), &*self)?;
        self.unit.check(&file_name(file), read.profile.unit)?;
        self.bytes_before += read.stamp.map_or(0, |stamp| stamp.size);
        Ok(read)
    }
}

impl Progress for Load<'_> {
    fn read(&self, bytes: u64) {
        self.progress.read(self.bytes_before + bytes);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled() || self.queue.is_closed()
    }
}

/// The problem that a file is outside the workspace, and the user did not name it.
pub(super) fn leads_out(name: &str) -> Problem {
    let what = format!("{name} leads out of the workspace folders");
    Problem::new(what, "load it by a command, or by its own path")
}
