//! The recordings that are kept in a workspace: those that were made from a commit, and the one before another.
//!
//! Only the head of each file is read ([`record::head::Head`]), not the profile in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use analysis::format::count;
use profile::problem::Problem;
use record::destination::{SIDES, is_of_other_version};
use record::head::{Head, TreeState};

use crate::history;
use crate::open;

/// Below a workspace folder. A recording is in this folder, or in a subfolder with the other runs of its command, or in
/// one of two folders in that, if two versions were recorded by turns.
const FOLDER: &str = ".proflens/recordings";

/// A recording of `proflens record`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecording {
    /// Its file.
    pub path: PathBuf,
    /// What it says about itself.
    pub head: Head,
}

/// The recordings of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingsOfCommit {
    /// The commit's id.
    pub commit: String,
    /// Those that were made when all tracked files were as in the commit, or when that could not be determined; oldest
    /// first. They may be of several commands: [`Head::name`] tells them apart.
    pub recordings: Vec<StoredRecording>,
    /// Those that were made with other changes on top of it, so that nobody can tell what ran; oldest first.
    pub changed: Vec<StoredRecording>,
}

impl RecordingsOfCommit {
    /// Keeps those of one command, by its name.
    pub fn retain_named(&mut self, name: &str) {
        self.recordings.retain(|recording| recording.head.name == name);
        self.changed.retain(|recording| recording.head.name == name);
    }

    /// Why there is nothing to compare with; `None` if there is a recording. In a job that records each commit this is the
    /// first run, which is not an error.
    pub fn why_none(&self) -> Option<Problem> {
        if !self.recordings.is_empty() {
            return None;
        }
        let commit = self.commit.get(..12).unwrap_or(&self.commit);
        let what = match self.changed.len() {
            0 => format!(
                "There is no recording of commit {commit} in {FOLDER}: check it out and run proflens record"
            ),
            changed => format!(
                "{} of commit {commit} in {FOLDER} had uncommitted changes on top: check the commit out and run proflens record",
                count(changed as u64, "recording")
            ),
        };
        Some(Problem::new(what, ""))
    }
}

/// The recordings of a workspace folder that were made from the commit that a revision names.
///
/// # Errors
/// If the revision does not name a commit, or a folder cannot be read.
pub fn recordings_of(workspace: &Path, revision: &str) -> Result<RecordingsOfCommit, Problem> {
    let commit = history::commit_named(workspace, revision)?;
    let mut found = RecordingsOfCommit { commit, ..RecordingsOfCommit::default() };
    for recording in stored(workspace)? {
        let Some(checkout) = recording.head.checkout.as_ref().filter(|made| made.commit == found.commit)
        else {
            continue;
        };
        let is_changed = checkout.tree == Some(TreeState::Changed);
        if is_changed { found.changed.push(recording) } else { found.recordings.push(recording) }
    }
    Ok(found)
}

/// The last recording of the same command before another one. The runs of one `--repeat` count as one, so it is never
/// another run of the same. `None` if there is no earlier one, or the given one is not a recording of `proflens record`.
///
/// # Errors
/// If a folder cannot be read.
pub fn the_one_before(workspace: &Path, recording: &Path) -> Result<Option<PathBuf>, Problem> {
    let Some(head) = head(recording) else { return Ok(None) };
    let own = folder_of_runs(workspace, recording);
    let before = stored(workspace)?.into_iter().rfind(|other| {
        other.head.name == head.name
            && other.head.time < head.time
            && (own.is_none() || folder_of_runs(workspace, &other.path) != own)
    });
    Ok(before.map(|recording| recording.path))
}

/// The newest recording of the workspace's files, with the other runs of its command if there are any; empty if nothing was recorded yet.
///
/// # Errors
/// If a folder cannot be read.
pub fn newest(workspace: &Path) -> Result<Vec<StoredRecording>, Problem> {
    let mut all = stored(workspace)?;
    all.retain(|recording| !is_of_other_version(&recording.path));
    let Some(newest) = all.last() else { return Ok(all) };
    let (path, own) = (newest.path.clone(), folder_of_runs(workspace, &newest.path));
    all.retain(|other| other.path == path || own.is_some() && folder_of_runs(workspace, &other.path) == own);
    Ok(all)
}

/// All recordings of a workspace folder, oldest first; empty if nothing was recorded yet.
///
/// # Errors
/// If a folder cannot be read.
pub fn stored(workspace: &Path) -> Result<Vec<StoredRecording>, Problem> {
    let folder = workspace.join(FOLDER);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let is_inside = match (fs::canonicalize(&folder), fs::canonicalize(workspace)) {
        (Ok(folder), Ok(workspace)) => folder.starts_with(workspace),
        _ => false,
    };
    if !is_inside {
        let what = format!("{} is a link out of the workspace, and is not followed", folder.display());
        return Err(Problem::new(what, "remove it"));
    }
    let mut files = files_in(&folder)?;
    for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
        let entry = entry.map_err(|error| unreadable(&folder, &error))?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files.extend(files_in(&entry.path())?);
            for side in SIDES.map(|side| entry.path().join(side)) {
                // A link may lead anywhere.
                if fs::symlink_metadata(&side).is_ok_and(|about| about.is_dir()) {
                    files.extend(files_in(&side)?);
                }
            }
        }
    }
    let mut recordings: Vec<StoredRecording> =
        files.into_iter().filter_map(|path| Some(StoredRecording { head: head(&path)?, path })).collect();
    recordings.sort_by(|a, b| (a.head.time, &a.path).cmp(&(b.head.time, &b.path)));
    Ok(recordings)
}

/// The files of a folder, without links, which may lead anywhere.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut files = open::files_in(folder).map_err(|error| unreadable(folder, &error))?;
    files.retain(|file| !open::is_link(file));
    Ok(files)
}

fn unreadable(folder: &Path, error: &io::Error) -> Problem {
    let what = format!("{} cannot be read: {}", folder.display(), open::reason(error));
    Problem::new(what, "check its permissions")
}

/// What a recording says about itself; `None` for any other file, or one that cannot be read.
pub fn head(recording: &Path) -> Option<Head> {
    Head::read(open::open(recording).ok()?.0).ok()?
}

/// The folder with the runs of one command that a recording belongs to, if it is kept in one.
pub fn folder_of_runs(workspace: &Path, recording: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(recording.parent()?).ok()?;
    let recordings = fs::canonicalize(workspace.join(FOLDER)).ok()?;
    (folder != recordings && folder.starts_with(&recordings)).then_some(folder)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A repository in a temporary folder; it is removed when dropped.
    struct Repository(PathBuf);

    impl Repository {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("proflens-recordings-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path); // of a run that was killed
            fs::create_dir_all(&path).unwrap();
            let repository = Self(fs::canonicalize(path).unwrap());
            repository.git(&["init", "--quiet", "--initial-branch", "main"]);
            repository
        }

        fn git(&self, arguments: &[&str]) -> String {
            let mut command = Command::new("git");
            for (name, _) in std::env::vars_os().filter(|it| it.0.to_string_lossy().starts_with("GIT_")) {
                command.env_remove(name);
            }
            command.env("GIT_CONFIG_GLOBAL", self.0.join("none")).env("GIT_CONFIG_NOSYSTEM", "1");
            command.args(["-c", "user.name=x", "-c", "user.email=x@x.x", "-C"]).arg(&self.0).args(arguments);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        }

        fn commit(&self) -> String {
            self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
            self.git(&["rev-parse", "HEAD"])
        }

        /// A file with only a readable head.
        fn record(&self, file: &str, (name, time): (&str, u64), commit: &str, tree: &str) {
            let path = self.0.join(FOLDER).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = format!(
                r#"{{"proflens":{{"time":{time},"name":"{name}","commit":"{commit}"{tree}}},{}"#,
                "not JSON ".repeat(10_000)
            );
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            let packed = packed.finish().unwrap();
            fs::write(path, &packed[..packed.len() - 9]).unwrap();
        }
    }

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(recordings: &[StoredRecording]) -> Vec<String> {
        recordings.iter().map(|it| it.path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    const CLEAN: &str = r#","tree":"clean""#;
    const CHANGED: &str = r#","tree":"changed""#;

    #[test]
    fn recordings_are_found_by_their_commit() {
        let repository = Repository::new("by-commit");
        let (first, second) = (repository.commit(), repository.commit());
        assert_eq!(stored(&repository.0), Ok(Vec::new()), "nothing was recorded yet");
        repository.record("3-main.js.json.gz", ("main.js", 3), &second, CLEAN);
        repository.record("1-main.js.json.gz", ("main.js", 1), &first, CLEAN);
        repository.record("2-main.js/main.js-02.json.gz", ("main.js", 5), &first, "");
        repository.record("2-main.js/main.js-01.json.gz", ("main.js", 4), &first, CLEAN);
        repository.record("4-main.js.json.gz", ("main.js", 6), &first, CHANGED);
        repository.record("5-test.json.gz", ("test", 7), &first, CLEAN);
        repository.record(".half.json.gz", ("main.js", 8), &first, CLEAN);
        fs::write(repository.0.join(FOLDER).join("other.cpuprofile"), "{}").unwrap();

        let mut of_first = recordings_of(&repository.0, "HEAD~1").unwrap();
        assert_eq!(of_first.commit, first);
        let expected = ["1-main.js.json.gz", "main.js-01.json.gz", "main.js-02.json.gz", "5-test.json.gz"];
        assert_eq!(names(&of_first.recordings), expected);
        assert_eq!(names(&of_first.changed), ["4-main.js.json.gz"]);
        of_first.retain_named("test");
        assert_eq!(
            (names(&of_first.recordings), names(&of_first.changed)),
            (vec!["5-test.json.gz".into()], vec![])
        );
        assert_eq!(of_first.why_none(), None);
        assert_eq!(names(&recordings_of(&repository.0, "main").unwrap().recordings), ["3-main.js.json.gz"]);
    }

    #[test]
    fn a_commit_without_a_recording_is_no_error() {
        let repository = Repository::new("without");
        let commit = repository.commit();
        let none = recordings_of(&repository.0, "HEAD").unwrap();
        let short = &commit[..12];
        assert_eq!(
            none.why_none().unwrap().to_string(),
            format!(
                "There is no recording of commit {short} in {FOLDER}: check it out and run proflens record."
            )
        );
        repository.record("1.json.gz", ("main.js", 1), &commit, CHANGED);
        let changed = recordings_of(&repository.0, "HEAD").unwrap();
        assert_eq!(
            changed.why_none().unwrap().to_string(),
            format!(
                "1 recording of commit {short} in {FOLDER} had uncommitted changes on top: check the commit out and run proflens record."
            )
        );
        let problem = recordings_of(&repository.0, "gone").unwrap_err();
        assert!(problem.what.starts_with("gone is no commit, branch or tag of this clone"), "{problem}");
    }

    #[test]
    fn the_one_before_is_of_the_same_command_and_of_other_runs() {
        let repository = Repository::new("before");
        let commit = repository.commit();
        repository.record("1-main.js.json.gz", ("main.js", 1), &commit, CLEAN);
        repository.record("2-test.json.gz", ("test", 2), &commit, CLEAN);
        repository.record("3-main.js/main.js-01.json.gz", ("main.js", 3), &commit, CLEAN);
        repository.record("3-main.js/main.js-02.json.gz", ("main.js", 4), &commit, CLEAN);
        repository.record("5-main.js.json.gz", ("main.js", 5), &commit, CLEAN);
        repository.record("6-main.js.json.gz", ("main.js", 6), &commit, CLEAN);
        let before = |file: &str| {
            let found = the_one_before(&repository.0, &repository.0.join(FOLDER).join(file)).unwrap();
            found.map(|it| it.strip_prefix(repository.0.join(FOLDER)).unwrap().to_string_lossy().into_owned())
        };
        assert_eq!(before("6-main.js.json.gz").as_deref(), Some("5-main.js.json.gz"));
        assert_eq!(before("5-main.js.json.gz").as_deref(), Some("3-main.js/main.js-02.json.gz"));
        assert_eq!(before("3-main.js/main.js-02.json.gz").as_deref(), Some("1-main.js.json.gz"));
        assert_eq!(before("2-test.json.gz"), None);
        assert_eq!(before("1-main.js.json.gz"), None);
        assert_eq!(before("none.json.gz"), None);
        assert_eq!(names(&newest(&repository.0).unwrap()), ["6-main.js.json.gz"]);
        repository.record("7-main.js/main.js-01.json.gz", ("main.js", 7), &commit, CLEAN);
        repository.record("7-main.js/main.js-02.json.gz", ("main.js", 8), &commit, CLEAN);
        assert_eq!(names(&newest(&repository.0).unwrap()), ["main.js-01.json.gz", "main.js-02.json.gz"]);
    }

    #[test]
    fn of_two_versions_by_turns_the_newest_is_that_of_the_folder_and_the_other_is_before_it() {
        let repository = Repository::new("turns");
        let commit = repository.commit();
        repository.record("1-main.js.json.gz", ("main.js", 1), &commit, CLEAN);
        let turns = ["before/1", "after/1", "after/2", "before/2"];
        for (time, file) in (2..).zip(turns) {
            repository.record(&format!("2-main.js/{file}.json.gz"), ("main.js", time), &commit, CLEAN);
        }
        let newest = newest(&repository.0).unwrap();
        let below = |path: &Path| {
            path.strip_prefix(repository.0.join(FOLDER)).unwrap().to_string_lossy().into_owned()
        };
        let paths: Vec<String> = newest.iter().map(|recording| below(&recording.path)).collect();
        assert_eq!(paths, ["2-main.js/after/1.json.gz", "2-main.js/after/2.json.gz"]);
        let before = the_one_before(&repository.0, &newest[0].path).unwrap();
        assert_eq!(before.map(|path| below(&path)).as_deref(), Some("2-main.js/before/1.json.gz"));
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        use std::os::unix::fs::symlink;
        let [repository, elsewhere] = ["link", "elsewhere"].map(Repository::new);
        let commit = repository.commit();
        repository.record("1-main.js/main.js-01.json.gz", ("main.js", 1), &commit, CLEAN);
        elsewhere.record("2.json.gz", ("main.js", 2), &commit, CLEAN);
        let (ours, theirs) = (repository.0.join(FOLDER), elsewhere.0.join(FOLDER));
        symlink(&theirs, ours.join("1-main.js/after")).unwrap();
        symlink(theirs.join("2.json.gz"), ours.join("2.json.gz")).unwrap();
        assert_eq!(names(&stored(&repository.0).unwrap()), ["main.js-01.json.gz"]);
        fs::remove_dir_all(&ours).unwrap();
        symlink(&theirs, &ours).unwrap();
        let problem = stored(&repository.0).unwrap_err().to_string();
        let expected = "is a link out of the workspace, and is not followed. Remove it.";
        assert!(problem.ends_with(expected), "{problem}");
    }
}
