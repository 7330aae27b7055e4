//! The file of a recording.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Writes a file, compressed if its name ends with `.gz`; under a hidden name first, as an editor must not read half of it.
///
/// # Errors
/// Those of the writing, or of `write`.
pub fn write_file<T, E: From<io::Error>>(
    out: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let mut name = std::ffi::OsString::from(".");
    name.push(out.file_name().unwrap_or_default());
    let unfinished = out.with_file_name(name);
    let mut file = BufWriter::new(File::create(&unfinished)?);
    let written = if out.extension().is_some_and(|it| it == "gz") {
        let mut gz = GzEncoder::new(file, Compression::fast());
        let written = write(&mut gz);
        file = gz.finish()?;
        written
    } else {
        write(&mut file)
    };
    let flushed = file.flush();
    if written.is_err() || flushed.is_err() {
        // What is left of a failed recording is of no use.
        let _ = fs::remove_file(&unfinished);
    }
    flushed?;
    let written = written?;
    fs::rename(&unfinished, out)?;
    Ok(written)
}
