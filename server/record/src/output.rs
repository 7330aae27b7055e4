//! The file of a recording.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::own;
use crate::signals::RemovedAtEnd;

/// Writes a file, compressed if its name ends with `.gz`. It is first written under a hidden name, so that an editor never reads
/// half of it. An existing link with the file's name is replaced and not followed.
///
/// # Errors
/// If the writing or `write` fails.
pub fn write_file<T, E: From<io::Error>>(
    out: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let unfinished = out.with_file_name(own::hidden_name());
    let mut file = BufWriter::new(own::create_file(&unfinished)?);
    // If anything fails, half of a recording is of no use; once it has its name, there is nothing to remove.
    let _unfinished = RemovedAtEnd::new(&unfinished);
    let written = if out.extension().is_some_and(|ending| ending == "gz") {
        let mut gz = GzEncoder::new(file, Compression::fast());
        let written = write(&mut gz);
        file = gz.finish()?;
        written
    } else {
        write(&mut file)
    };
    file.flush()?;
    let result = written?;
    fs::rename(&unfinished, out)?;
    Ok(result)
}
