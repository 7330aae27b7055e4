//! Places a decoded trace in the workspace according to the settings: when it is loaded, and again whenever settings or
//! files change that decide where its functions are.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use analysis::counts::place_counts;
use analysis::files::{CachedText, FilePath, Files};
use analysis::recording::{Origin, Recording};
use analysis::scope::Scope;
use analysis::symbolicate::LoadSettings;
use analysis::together::Placed;
use profile::model::Counts;
use profile::problem::Problem;
use profile::scope::Threads;

use crate::disk::Disk;
use crate::locating::LAUNCH_JSON;
use crate::open::Stamp;
use crate::scope_request::ScopeRequest;
use crate::state::{Current, HistoryLookup, Placements, State, only};
use crate::traces::ReadTrace;

/// Questions to the git history may take as long as a load that shows no progress.
pub(super) fn new_history_lookup(state: &State, current: &Current) -> Arc<HistoryLookup> {
    Arc::new(HistoryLookup::new(current.disk.clone(), state.editor.progress_delay))
}

/// Finds the functions of the traces that were read; `before` is the recording that is shown so far, and `counts` are
/// calls that the user joined.
pub(super) fn place(
    current: &Current,
    read: &[ReadTrace],
    before: Option<&Recording>,
    history: &HistoryLookup,
    counts: Option<&Counts>,
) -> Placements {
    let (locate, mut problems) = current.locate_settings();
    let chosen_maps: HashSet<&FilePath> = locate.maps.values().collect();
    let allowed: &(dyn Fn(&FilePath) -> bool + Sync) =
        &|file| chosen_maps.contains(file) || current.globs.maps.allow(file, &current.disk);
    let maps = current.config.source_maps_enable.then_some(allowed);
    let files = AsMeasured { disk: &current.disk, texts: before.map(texts).unwrap_or_default(), history };
    let mut placed = Vec::with_capacity(read.len());
    for trace in read {
        let settings = LoadSettings { locate: &locate, maps, recorded: trace.recorded() };
        let mut all = analysis::together::place(&trace.profile, &files, &settings);
        if let (Some(counts), [one]) = (counts, &mut all[..]) {
            one.counts = Some(Arc::new(place_counts(counts, &files, &settings)));
        }
        placed.push(all);
    }
    problems.extend(current.disk.history_problems());
    problems.extend(current.disk.cache_problems());
    Placements { placed, problems }
}

/// Adds up the costs of what was read and placed; several traces become one sum. `chosen` is what the user wants to see
/// of a single trace; `left_out` are files of a folder that could not be read.
pub(super) fn add_up(
    read: &[ReadTrace],
    placements: &Placements,
    chosen: &ScopeRequest,
    left_out: &[Problem],
) -> Recording {
    let of_several = ScopeRequest { changes: chosen.changes.clone(), ..ScopeRequest::default() };
    // Threads and moments belong to one trace.
    let scope = if only(read).is_some() { chosen } else { &of_several };
    let parts = read
        .iter()
        .zip(&placements.placed)
        .flat_map(|(read, placed)| placed.iter().map(|placed| add_up_one(&read.name, placed, None, scope)));
    let mut recording = Recording::sum(parts);
    recording.traces.sort_by(|a, b| a.name.cmp(&b.name));
    recording.problems.extend(placements.problems.iter().chain(left_out).cloned());
    recording
}

/// Adds up the costs of one trace, or of some `threads` of it. Anything that the scope names but the trace does not have
/// is left out, with a problem.
pub(super) fn add_up_one(
    name: &str,
    placed: &Placed,
    threads: Option<Threads>,
    chosen: &ScopeRequest,
) -> Recording {
    let (scope, problems) = chosen.of_newer(&placed.profile, name);
    let scope = Scope { threads: threads.unwrap_or(scope.threads), ..scope };
    let mut recording = analysis::recording::add_up(name, placed, &scope);
    recording.problems.extend(problems);
    recording
}

/// The files that decided where a trace was placed, apart from the sources: generated files, source maps that were
/// missing, and the debug configurations.
pub(super) fn deciding_files(current: &Current, recording: &Recording) -> Vec<(FilePath, Option<Stamp>)> {
    let scripts = recording.scripts.iter().filter(|(_, origin)| **origin == Origin::Generated);
    let mut files: Vec<FilePath> = scripts.map(|(file, _)| file.clone()).collect();
    files.extend(recording.lost_maps.iter().map(|map| FilePath::new(&map.wanted)));
    files.extend(current.disk.folders().iter().map(|folder| folder.join(LAUNCH_JSON)));
    let stamps: Vec<_> = files.iter().map(|file| current.disk.stamp(file)).collect();
    files.into_iter().zip(stamps).collect()
}

/// The texts as they were when the trace was loaded, by file: the files may have been edited since.
fn texts(recording: &Recording) -> BTreeMap<&FilePath, &str> {
    let written = recording.scripts.iter().filter(|(_, origin)| **origin == Origin::Written);
    written.filter_map(|(file, _)| Some((file, &*recording.files.get(file)?.text))).collect()
}

/// The disk, but with source texts as they were when the trace was loaded.
struct AsMeasured<'a> {
    disk: &'a Disk,
    texts: BTreeMap<&'a FilePath, &'a str>,
    history: &'a HistoryLookup,
}

impl Files for AsMeasured<'_> {
    fn folders(&self) -> &[FilePath] {
        self.disk.folders()
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.disk.list()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        match self.texts.get(file) {
            Some(text) => Some(text.as_bytes().into()),
            None => self.disk.read(file),
        }
    }

    fn cached_texts(&self, file: &FilePath) -> Vec<CachedText> {
        self.disk.cached_texts(file)
    }

    fn modified(&self, file: &FilePath) -> Option<SystemTime> {
        self.disk.modified(file)
    }

    fn committed(&self, file: &FilePath, when: SystemTime) -> Option<Arc<[u8]>> {
        self.history.committed(file, when)
    }

    fn committed_files(&self, when: SystemTime) -> Option<Arc<[FilePath]>> {
        // Until the answer is there nothing counts as new: no file is better than a wrong one.
        self.history.committed_files(when).unwrap_or_else(|| Some(self.disk.list()))
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.disk.resolve(file)
    }
}
