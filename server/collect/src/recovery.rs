//! What a collector that was killed left behind: an incomplete last line. It was not acknowledged, and is cut off, so
//! that every line of a file is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use profile::problem::Problem;
use serde::de::IgnoredAny;

use crate::settings::reason;

/// What the names of all files begin with.
pub(crate) const PREFIX: &str = "traces-";
/// A longer line was not written by a collector.
const MAX_LINE: u64 = 1 << 30;

/// Repairs the last line of each file of a folder, and reports what was done; returns the size of all files together.
pub(crate) fn recover(folder: &Path, say: &dyn Fn(&Problem)) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // A link may lead anywhere.
        if !name.to_str().is_some_and(is_ours) || !entry.file_type()?.is_file() {
            continue;
        }
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "ndjson") {
            match end_last_line(&path) {
                Ok(None) => {}
                Ok(Some(what)) => say(&Problem::new(what, "").at(path.display().to_string())),
                Err(error) => {
                    let what = format!("{} cannot be checked: {}", path.display(), reason(&error));
                    say(&Problem::new(what, ""));
                }
            }
        }
        // It may have been removed just now.
        size += fs::metadata(&path).map_or(0, |about| about.len());
    }
    Ok(size)
}

/// The size of all files of a folder together.
pub(crate) fn size_of(folder: &Path) -> io::Result<u64> {
    let entries = fs::read_dir(folder)?.filter_map(Result::ok);
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    Ok(ours.filter_map(|entry| entry.metadata().ok()).map(|about| about.len()).sum())
}

/// Whether a file with this name counts as one of a collector. Users may compress files that are closed.
fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Cuts off an incomplete last line. A line that only lacks its line end was written whole, and gets one.
fn end_last_line(path: &Path) -> io::Result<Option<String>> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let whole = end_of_lines(&mut file, length)?;
    let torn = length - whole;
    if torn == 0 {
        return Ok(None);
    }
    if torn <= MAX_LINE && is_json(&mut file, whole)? {
        file.seek(SeekFrom::End(0))?;
        file.write_all(b"\n")?;
        return Ok(Some("its last line was whole but for its end, and was ended".to_owned()));
    }
    if whole == 0 {
        drop(file);
        fs::remove_file(path)?;
        return Ok(Some(format!("its only line was torn ({torn} bytes), and the file was removed")));
    }
    file.set_len(whole)?;
    file.sync_all()?;
    Ok(Some(format!("its last line was torn, and {torn} bytes were cut off")))
}

/// The offset after the last line that has an end.
fn end_of_lines(file: &mut File, length: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    let mut end = length;
    let mut part = Vec::with_capacity(STEP as usize);
    while end > 0 {
        let start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        part.clear();
        (&mut *file).take(end - start).read_to_end(&mut part)?;
        if let Some(at) = memchr::memrchr(b'\n', &part) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

fn is_json(file: &mut File, from: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(from))?;
    let mut line = Vec::new();
    file.read_to_end(&mut line)?;
    Ok(serde_json::from_slice::<IgnoredAny>(&line).is_ok())
}
