//! Reads the texts of scripts that the recorder has kept in the folder of a recording. The recorded program can also write there,
//! and nothing in it is used as the name of another place.

use std::path::Path;

use profile::problem::Problem;

use crate::regular::{self, unread};

/// V8 makes no longer string than this, so it is the longest text or JSON that the recorder can write
/// (v8/include/v8-primitive.h, `String::kMaxLength`).
pub(crate) const MAX_PART_BYTES: u64 = 1 << 29;

/// Reads the text of a script that was kept under this name.
///
/// # Errors
/// If the name is not that of a text, or the file does not hold one.
pub(crate) fn read_text(folder: &Path, name: &str) -> Result<String, Problem> {
    let is_of_text = name
        .strip_suffix(".text")
        .is_some_and(|mark| mark.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
    if !is_of_text {
        return Err(Problem::new(format!("{name} is no name of a text"), ""));
    }
    let file = folder.join(name);
    let text = regular::read(&file, MAX_PART_BYTES).map_err(|error| unread(&file, error))?;
    String::from_utf8(text).map_err(|error| unread(&file, error))
}
