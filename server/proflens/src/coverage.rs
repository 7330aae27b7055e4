//! Reads how often functions were called from files and folders of V8's coverage, for the server and the command line.

use std::path::Path;

use profile::decode::decode_counts;
use profile::model::Counts;
use profile::problem::Problem;

use crate::open;

/// The counts, and why some files of a folder were left out.
pub(crate) struct ReadCounts {
    /// The sum of all files.
    pub(crate) counts: Counts,
    /// Files that are not coverage.
    pub(crate) left_out: Vec<Problem>,
}

/// Reads a file, or the sum of all files in a folder that can be read; `name` is the user's name for it.
///
/// # Errors
/// If it is not coverage.
pub(crate) fn read(path: &Path, name: &str) -> Result<ReadCounts, Problem> {
    let files = match path.is_dir() {
        true => open::files_in(path).map_err(|error| open::unreadable(name, &error))?,
        false => vec![path.to_path_buf()],
    };
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    for file in files {
        match read_file(&file) {
            Ok(counts) => all.push(counts),
            Err(problem) if path.is_dir() => left_out.push(problem),
            Err(problem) => return Err(problem),
        }
    }
    if all.is_empty() {
        let what = format!("{name} is a folder without coverage of V8");
        return Err(Problem::new(what, "name one that NODE_V8_COVERAGE wrote"));
    }
    Ok(ReadCounts { counts: Counts::sum(all), left_out })
}

impl ReadCounts {
    /// The calls.
    ///
    /// # Errors
    /// If the coverage does not tell how often functions were called.
    pub(crate) fn calls(self, name: &str) -> Result<Counts, Problem> {
        if self.counts.most() > 1 {
            return Ok(self.counts);
        }
        let what = format!("{name} has no number above 1, so that it may only say which functions ran");
        Err(Problem::new(what, "count calls: NODE_V8_COVERAGE does, and callCount in the DevTools protocol"))
    }
}

fn read_file(path: &Path) -> Result<Counts, Problem> {
    let name = path.display().to_string();
    let (mut file, _) = open::open(path).map_err(|error| open::unreadable(&name, &error))?;
    decode_counts(&mut file, &name, &()).map_err(|error| error.problem_of_counts(&name))
}
