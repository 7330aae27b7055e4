//! Where recordings are kept, and what a recording that is under way has on the disk.
//!
//! ```text
//! .proflens/.gitignore                        of its own: recordings are not committed
//! .proflens/recordings/<time>-<name>.json.gz  what was recorded
//! .proflens/recordings/<time>-<name>/         the runs of one `--repeat`, each a file
//! .proflens/.unfinished/<time>-<name>/        while a command runs: what its threads have left
//! .proflens/.recorder/<version>/              what Node loads; stays, as programs live longer than their recording
//! ```
//! What is left there by a `proflens` that was killed is put together by the next one.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::head::{Head, Revision};

const MODULES: [(&str, &str); 7] = [
    ("recorder.cjs", include_str!("preload/recorder.cjs")),
    ("thread.cjs", include_str!("preload/thread.cjs")),
    ("children.cjs", include_str!("preload/children.cjs")),
    ("samples.cjs", include_str!("preload/samples.cjs")),
    ("unseen.cjs", include_str!("preload/unseen.cjs")),
    ("watch.cjs", include_str!("preload/watch.cjs")),
    ("watcher.cjs", include_str!("preload/watcher.cjs")),
];
const ABOUT: &str = "recording.json";

/// The folder of a recording that is under way.
#[derive(Debug)]
pub struct RecordingFolder {
    path: PathBuf,
    about: About,
}

/// What the next `proflens` must know to finish a recording.
#[derive(Debug, Deserialize, Serialize)]
struct About {
    /// Of the `proflens` that began it.
    process: u32,
    /// Where the result belongs.
    out: PathBuf,
    /// What the result says of itself.
    #[serde(default)]
    head: Head,
}

/// What is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Where the result belongs, if not among the others.
    pub out: Option<&'a Path>,
    /// How the name of the result ends if it is among the others.
    pub ending: &'a str,
    /// What is checked out in the workspace.
    pub revision: Option<&'a Revision>,
}

impl RecordingFolder {
    /// Makes the folder.
    ///
    /// # Errors
    /// One sentence about a folder that cannot be written.
    pub fn create(workspace: &Path, plan: &Plan<'_>) -> Result<Self, String> {
        let ours = workspace.join(".proflens");
        let recordings = ours.join("recordings");
        let now = SystemTime::now();
        let time = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let head = Head { time, name: file_name(plan.name), revision: plan.revision.cloned() };
        let name = stamped(now, &head.name);
        let make = || {
            fs::create_dir_all(&recordings)?;
            let ignore = ours.join(".gitignore");
            if !ignore.exists() {
                fs::write(&ignore, "*\n")?;
            }
            install_recorder(&ours)?;
            let unfinished = ours.join(".unfinished");
            fs::create_dir_all(&unfinished)?;
            let (path, name) = make_unused(&unfinished, &recordings, &name, plan.ending)?;
            let path = fs::canonicalize(path)?;
            let out = match plan.out {
                Some(out) => std::path::absolute(out)?,
                None => fs::canonicalize(&recordings)?.join(format!("{name}.{}", plan.ending)),
            };
            let about = About { process: process::id(), out, head };
            fs::write(path.join(ABOUT), serde_json::to_string(&about)?)?;
            std::io::Result::Ok(Self { path, about })
        };
        make().map_err(|error| unwritable(&ours, &error))
    }

    /// Where the threads of the command leave what they recorded.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that the recording will be.
    pub fn out(&self) -> &Path {
        &self.about.out
    }

    /// What the recording says of itself.
    pub fn head(&self) -> &Head {
        &self.about.head
    }

    /// The recorder that Node loads.
    pub fn recorder(&self) -> PathBuf {
        // The folder lies in that of the unfinished ones, which lies in ours.
        let ours = self.path.ancestors().nth(2).unwrap_or(&self.path);
        recorder_folder(ours).join(MODULES[0].0)
    }

    /// Removes it, once the recording is written.
    ///
    /// # Errors
    /// One sentence about a folder that stays.
    pub fn remove(self) -> Result<(), String> {
        fs::remove_dir_all(&self.path).map_err(|error| {
            format!("{} cannot be removed: {error}. Remove it yourself.", self.path.display())
        })
    }
}

/// Makes the folder for several runs of a command, `.proflens/recordings/<time>-<name>`.
///
/// # Errors
/// One sentence about a folder that cannot be written.
pub fn folder_of_runs(workspace: &Path, name: &str) -> Result<PathBuf, String> {
    let recordings = workspace.join(".proflens/recordings");
    let name = stamped(SystemTime::now(), &file_name(name));
    let make = || {
        fs::create_dir_all(&recordings)?;
        let mut number = 1;
        loop {
            let folder = recordings.join(if number == 1 { name.clone() } else { format!("{name}-{number}") });
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                made => return made.and_then(|()| fs::canonicalize(folder)),
            }
        }
    };
    make().map_err(|error: std::io::Error| unwritable(&recordings, &error))
}

/// The folders of recordings whose `proflens` has ended before they were finished.
pub fn recover(workspace: &Path, is_running: impl Fn(u32) -> bool) -> Vec<RecordingFolder> {
    let Ok(entries) = fs::read_dir(workspace.join(".proflens/.unfinished")) else { return Vec::new() };
    let mut folders: Vec<RecordingFolder> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let about: About = serde_json::from_slice(&fs::read(path.join(ABOUT)).ok()?).ok()?;
            (!is_running(about.process)).then_some(RecordingFolder { path, about })
        })
        .collect();
    folders.sort_by(|a, b| a.path.cmp(&b.path));
    folders
}

fn unwritable(folder: &Path, error: &std::io::Error) -> String {
    format!(
        "{} cannot be written: {error}. Record in a folder of your own, or name another with --workspace.",
        folder.display()
    )
}

/// A name with the time before it, so that names sort.
fn stamped(time: SystemTime, name: &str) -> String {
    let time = humantime::format_rfc3339_seconds(time).to_string();
    format!("{}-{name}", time.trim_end_matches('Z').replace(':', "-"))
}

/// Writes the modules that Node loads, unless they are there.
fn install_recorder(ours: &Path) -> std::io::Result<()> {
    let folder = recorder_folder(ours);
    fs::create_dir_all(&folder)?;
    for (file, text) in MODULES {
        let path = folder.join(file);
        if fs::read(&path).is_ok_and(|it| it == text.as_bytes()) {
            continue;
        }
        // Another `proflens` may do the same, and a program may load it now.
        let unfinished = folder.join(format!("{file}.{}", process::id()));
        fs::write(&unfinished, text)?;
        fs::rename(unfinished, path)?;
    }
    Ok(())
}

fn recorder_folder(ours: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    MODULES.hash(&mut hasher);
    ours.join(".recorder").join(format!("{:016x}", hasher.finish()))
}

/// Makes the folder of a recording whose name no other has, finished or not.
fn make_unused(
    unfinished: &Path,
    recordings: &Path,
    name: &str,
    ending: &str,
) -> std::io::Result<(PathBuf, String)> {
    let mut number = 1;
    loop {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let path = unfinished.join(&name);
        if !recordings.join(format!("{name}.{ending}")).exists() {
            match fs::create_dir(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| (path, name)),
            }
        }
        number += 1;
    }
}

/// The part of a command's name that can be the name of a file anywhere.
pub fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let allowed = |it: char| if it.is_ascii_alphanumeric() || matches!(it, '.' | '_') { it } else { '-' };
    let name: String = last.chars().take(60).map(allowed).collect();
    match name.trim_matches(['-', '.']) {
        "" => "recording".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_file() {
        let names =
            ["main.ts", "/usr/lib/node_modules/vitest/vitest.mjs", "C:\\a\\b c.js", "..", "", "größe.js"];
        let expected = ["main.ts", "vitest.mjs", "b-c.js", "recording", "recording", "gr--e.js"];
        assert_eq!(names.map(file_name), expected);
    }
}
