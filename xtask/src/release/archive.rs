//! Archives whose bytes depend on their files alone: sorted, with one time, and without an owner.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// A file of an archive.
pub(crate) struct Member {
    /// Its path in the archive, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it can be run.
    pub(crate) program: bool,
}

impl Member {
    /// A file on the disk with a name in the archive.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn file(path: impl Into<String>, file: &Path) -> Result<Self> {
        let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        Ok(Self { path: path.into(), bytes, program: false })
    }

    /// A text that is made here.
    pub(crate) fn text(path: impl Into<String>, text: &str) -> Self {
        Self { path: path.into(), bytes: text.as_bytes().to_vec(), program: false }
    }
}

/// Packs files into `<out>/<name>.tar.gz`, below a folder of that name; returns its path.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn pack(
    out: &Path,
    name: &str,
    folder: &str,
    mut members: Vec<Member>,
    time: u64,
) -> Result<PathBuf> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut tar = Builder::new(GzBuilder::new().mtime(0).write(Vec::new(), Compression::best()));
    for member in members {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(member.bytes.len() as u64);
        header.set_mode(if member.program { 0o755 } else { 0o644 });
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, format!("{folder}/{}", member.path), member.bytes.as_slice())?;
    }
    let path = out.join(format!("{name}.tar.gz"));
    let mut file =
        fs::File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
    file.write_all(&tar.into_inner()?.finish()?)?;
    Ok(path)
}
