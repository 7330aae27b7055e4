//! Where recordings go. Nothing is written through a link that a repository may have brought, and a place that cannot be written
//! to is reported before a command starts.
//!
//! ```text
//! .proflens/.gitignore                        of its own: recordings are not committed
//! .proflens/recordings/<time>-<name>.json.gz  what was recorded
//! .proflens/recordings/<time>-<name>/         the runs of one `--repeat`, each a file
//! .proflens/recordings/<time>-<name>/before/  those of the other version, of `--against`
//! .proflens/recordings/<time>-<name>/after/   and those of this folder
//! ```

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::own;
use crate::place::{Fault, PlaceError};

const REMOVE_LINK: &str = "remove it, or name another place with --out";
const OWN_FOLDER: &str = "record in a folder of your own, or name another with --workspace";
const OTHER_FILE: &str = "name another file with --out";
const OTHER_FOLDER: &str = "name another folder with --out";

/// The folders of the two versions that were recorded by turns: the one compared with, and that of the workspace.
pub const SIDES: [&str; 2] = ["before", "after"];

/// Whether a trace is a run of the version that `record --against` compared with. It is only there for comparison, and
/// does not tell what the files of the workspace cost.
pub fn is_of_other_version(trace: &Path) -> bool {
    let Some(side) = trace.parent().filter(|side| side.ends_with(SIDES[0])) else { return false };
    let recordings = side.ancestors().nth(2);
    recordings.is_some_and(|folder| folder.ends_with(".proflens/recordings"))
        && side.with_file_name(SIDES[1]).is_dir()
}

/// The folder of recordings in a workspace, made if it is missing.
pub(crate) fn recordings(workspace: &Path) -> Result<PathBuf, PlaceError> {
    let ours = workspace.join(".proflens");
    make_folder(&ours)?;
    ignore_all(&ours).map_err(|error| PlaceError::unwritable(&ours, error, OWN_FOLDER))?;
    let recordings = ours.join("recordings");
    make_folder(&recordings)?;
    own::try_to_write(&recordings)
        .and_then(|()| dunce::canonicalize(&recordings))
        .map_err(|error| PlaceError::unwritable(&recordings, error, OWN_FOLDER))
}

/// Writes a `.gitignore` for all of a folder, unless it has one.
fn ignore_all(folder: &Path) -> io::Result<()> {
    match own::create_file(&folder.join(".gitignore")) {
        Ok(mut file) => file.write_all(b"*\n"),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a folder in a workspace, unless it is there and is not a link.
fn make_folder(folder: &Path) -> Result<(), PlaceError> {
    let made = match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => fs::symlink_metadata(folder),
    };
    match made {
        Ok(about) if about.is_symlink() => Err(PlaceError::new(folder, Fault::Link, REMOVE_LINK)),
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(PlaceError::new(folder, Fault::NoFolder, OWN_FOLDER)),
        Err(error) => Err(PlaceError::unwritable(folder, error, OWN_FOLDER)),
    }
}

/// The file that a user named, made absolute. The folder that it lies in is made if it is missing.
pub(crate) fn named_file(workspace: &Path, out: &Path) -> Result<PathBuf, PlaceError> {
    let path = std::path::absolute(out).map_err(|error| PlaceError::unwritable(out, error, OTHER_FILE))?;
    let is_named_as_folder = path.file_name().is_none() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let fault = match fs::metadata(&path) {
        _ if is_named_as_folder => Some(Fault::Folder),
        Ok(about) if about.is_dir() => Some(Fault::Folder),
        // Nothing takes the place of a device or a pipe.
        Ok(about) if !about.is_file() => Some(Fault::NoFile),
        _ => None,
    };
    if let Some(fault) = fault {
        return Err(PlaceError::new(out, fault, OTHER_FILE));
    }
    let folder = path.parent().unwrap_or(&path);
    refuse_links(workspace, folder)?;
    if folder.exists() && !folder.is_dir() {
        return Err(PlaceError::new(folder, Fault::NoFolder, OTHER_FILE));
    }
    let tried = fs::create_dir_all(folder).and_then(|()| own::try_to_write(folder));
    tried.map_err(|error| PlaceError::unwritable(folder, error, OTHER_FILE))?;
    Ok(path)
}

/// The folder that a user named for several runs, made if it is missing.
///
/// # Errors
/// A file, a link in the workspace, or a folder that cannot be written.
pub fn named_folder(workspace: &Path, out: &Path) -> Result<PathBuf, PlaceError> {
    const FOLDER: &str = "with --repeat, name a folder for the recordings";
    let has_ending = out
        .extension()
        .is_some_and(|ending| ["gz", "json", "heapprofile"].iter().any(|known| known == &ending));
    if out.is_file() || (has_ending && !out.is_dir()) {
        let option = PathBuf::from(format!("--out {}", out.display()));
        return Err(PlaceError::new(&option, Fault::OneFile, FOLDER));
    }
    let path = std::path::absolute(out).map_err(|error| PlaceError::unwritable(out, error, OTHER_FOLDER))?;
    refuse_links(workspace, &path)?;
    fs::create_dir_all(&path)
        .and_then(|()| own::try_to_write(&path))
        .and_then(|()| dunce::canonicalize(&path))
        .map_err(|error| PlaceError::unwritable(out, error, OTHER_FOLDER))
}

/// Links above the workspace belong to the user; those inside it may have come with the repository.
fn refuse_links(workspace: &Path, folder: &Path) -> Result<(), PlaceError> {
    let spellings = [std::path::absolute(workspace).ok(), fs::canonicalize(workspace).ok()];
    for path in folder.ancestors() {
        let is_in_workspace =
            spellings.iter().flatten().any(|workspace| path.starts_with(workspace) && path != workspace);
        if is_in_workspace && path.is_symlink() {
            return Err(PlaceError::new(path, Fault::Link, REMOVE_LINK));
        }
    }
    Ok(())
}

/// Makes the folder for several runs of a command, `.proflens/recordings/<time>-<name>`.
///
/// # Errors
/// A folder that cannot be written, or a link.
pub fn folder_of_runs(workspace: &Path, name: &str) -> Result<PathBuf, PlaceError> {
    let recordings = recordings(workspace)?;
    let name = stamped(SystemTime::now(), &file_name(name));
    make_unused(&recordings, &name, |_| false)
        .map(|(folder, _)| folder)
        .map_err(|error| PlaceError::unwritable(&recordings, error, OWN_FOLDER))
}

/// Makes a folder with a name that is used neither there nor elsewhere, and returns that name too.
pub(crate) fn make_unused(
    parent: &Path,
    name: &str,
    is_used: impl Fn(&str) -> bool,
) -> io::Result<(PathBuf, String)> {
    let mut number = 1;
    loop {
        let name = numbered(name, number);
        let folder = parent.join(&name);
        if !is_used(&name) {
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| (folder, name)),
            }
        }
        number += 1;
    }
}

/// The file of a recording among the others, under a name that nothing else has.
pub(crate) fn unused_file(recordings: &Path, name: &str, ending: &str) -> PathBuf {
    let mut number = 1;
    loop {
        let path = recordings.join(format!("{}.{ending}", numbered(name, number)));
        if fs::symlink_metadata(&path).is_err() {
            return path;
        }
        number += 1;
    }
}

fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

/// A name with the time before it, so that names sort.
pub(crate) fn stamped(time: SystemTime, name: &str) -> String {
    let time = humantime::format_rfc3339_seconds(time).to_string();
    format!("{}-{name}", time.trim_end_matches('Z').replace(':', "-"))
}

/// The part of a command's name that is a valid file name anywhere. A plus stands for a space, so that the hyphens in it
/// are those of the name when it is shown: `npm run test-all`.
pub fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let letters = last.chars().take(60).map(|letter| match letter {
        ' ' => '+',
        '.' | '_' => letter,
        _ if letter.is_ascii_alphanumeric() => letter,
        _ => '-',
    });
    let name: String = letters.collect();
    match name.trim_matches(['-', '.', '+']) {
        "" => "recording".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_file() {
        let names = ["main.ts", "/usr/lib/vitest/test-all.mjs", "C:\\a\\b c.js", "..", "", " größe.js "];
        let expected = ["main.ts", "test-all.mjs", "b+c.js", "recording", "recording", "gr--e.js"];
        assert_eq!(names.map(file_name), expected);
    }
}
