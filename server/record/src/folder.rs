//! Where recordings are kept, and what a recording that is under way has on the disk.
//!
//! ```text
//! .proflens/.gitignore                        of its own: recordings are not committed
//! .proflens/recordings/<time>-<name>.json.gz  what was recorded
//! .proflens/.unfinished/<time>-<name>-<pid>/  while a command runs: the recorder, and what its threads have left
//! ```
//! What is left there by a `proflens` that was killed is put together by the next one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

const RECORDER: &str = include_str!("preload/recorder.cjs");
const WATCHER: &str = include_str!("preload/watcher.cjs");
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
}

impl RecordingFolder {
    /// Makes the folder; `name` says what is recorded, and `out` is where the result belongs if not among the others.
    ///
    /// # Errors
    /// One sentence about a folder that cannot be written.
    pub fn create(workspace: &Path, name: &str, out: Option<&Path>, ending: &str) -> Result<Self, String> {
        let ours = workspace.join(".proflens");
        let recordings = ours.join("recordings");
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let name = format!("{}-{}", time.trim_end_matches('Z').replace(':', "-"), file_name(name));
        let path = ours.join(".unfinished").join(format!("{name}-{}", process::id()));
        let make = || {
            fs::create_dir_all(&recordings)?;
            let ignore = ours.join(".gitignore");
            if !ignore.exists() {
                fs::write(&ignore, "*\n")?;
            }
            fs::create_dir_all(&path)?;
            let path = fs::canonicalize(&path)?;
            let out = match out {
                Some(out) => std::path::absolute(out)?,
                None => unused(&fs::canonicalize(&recordings)?, &name, ending),
            };
            let about = About { process: process::id(), out };
            fs::write(path.join(ABOUT), serde_json::to_string(&about)?)?;
            fs::write(path.join("recorder.cjs"), RECORDER)?;
            fs::write(path.join("watcher.cjs"), WATCHER)?;
            std::io::Result::Ok(Self { path, about })
        };
        make().map_err(|error| {
            format!(
                "{} cannot be written: {error}. Record in a folder of your own, or name another with --workspace.",
                path.display()
            )
        })
    }

    /// Where the threads of the command leave what they recorded.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that the recording will be.
    pub fn out(&self) -> &Path {
        &self.about.out
    }

    /// The recorder that Node loads.
    pub fn recorder(&self) -> PathBuf {
        self.path.join("recorder.cjs")
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

/// A name of a file that is not there yet.
fn unused(folder: &Path, name: &str, ending: &str) -> PathBuf {
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}.{ending}")),
        _ => folder.join(format!("{name}-{number}.{ending}")),
    };
    (1..).map(numbered).find(|it| !it.exists()).unwrap_or_else(|| numbered(1))
}

/// The part of a command's name that can be the name of a file anywhere.
fn file_name(name: &str) -> String {
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
