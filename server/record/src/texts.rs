//! Reads the texts of scripts that the recorder has kept in the folder of a recording. The program that was recorded can write there
//! too, and what it says is never the name of another place.

use std::path::Path;

use crate::regular;

/// V8 makes no longer string than this, which is the longest text or JSON that the recorder can write (v8/include/v8-primitive.h,
/// `String::kMaxLength`).
pub(crate) const MAX_PART_BYTES: u64 = 1 << 29;

/// Reads the text of a script that was kept under this name.
pub(crate) fn read_text(folder: &Path, name: &str) -> Result<String, String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if !name.strip_suffix(".text").is_some_and(|name| name.chars().all(is_plain)) {
        return Err(format!("{name} is no name of a text"));
    }
    let file = folder.join(name);
    let unread = |why: String| format!("{}: {why}", file.display());
    let text = regular::read(&file, MAX_PART_BYTES).map_err(|error| unread(error.to_string()))?;
    String::from_utf8(text).map_err(|error| unread(error.to_string()))
}
