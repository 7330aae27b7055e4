//! What `ingest` reads: files, folders of them and stdin, as groups of lines that become one shard each.
//!
//! A collector's file is a shard by itself. Single objects, as buckets have them, are small: many of them make one shard.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// Smaller files, with one session or a few, are put together.
const SMALL: u64 = 256 << 10;
/// So large a shard of small files becomes, in bytes as they lie on the disk.
const TOGETHER: u64 = 64 << 20;
/// No line is longer, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

/// Inputs that become one shard.
pub(crate) type Group = Vec<Input>;

/// The groups of what the user named, and a sentence for each of it that is not there. Folders stand for the files in them, in the
/// order of their names.
pub(crate) fn groups(named: &[PathBuf]) -> (Vec<Group>, Vec<String>) {
    let (mut groups, mut problems) = (Vec::<Group>::new(), Vec::new());
    let (mut small, mut bytes) = (Group::new(), 0);
    for path in named {
        if path.as_os_str() == "-" {
            groups.push(vec![Input::Stdin]);
            continue;
        }
        let mut files = Vec::new();
        if let Err(why) = files_of(path, &mut files) {
            problems.push(format!(
                "{} cannot be read: {why}. Check the path and its permissions.",
                path.display()
            ));
        }
        for (file, size) in files {
            if size >= SMALL {
                groups.push(vec![Input::File(file)]);
                continue;
            }
            small.push(Input::File(file));
            bytes += size;
            if bytes >= TOGETHER {
                groups.push(std::mem::take(&mut small));
                bytes = 0;
            }
        }
    }
    groups.extend(Some(small).filter(|it| !it.is_empty()));
    (groups, problems)
}

/// The files of a path with their sizes. Links to files count; links to folders do not, so that nothing goes in circles.
fn files_of(path: &Path, files: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    let about = std::fs::metadata(path)?;
    if !about.is_dir() {
        files.push((path.to_owned(), about.len()));
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_linked_folder = entry.file_type()?.is_symlink() && entry.path().is_dir();
        if !is_hidden && !is_linked_folder {
            files_of(&entry.path(), files)?;
        }
    }
    Ok(())
}

impl Input {
    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Opens it; what is packed by gzip or Zstandard is unpacked.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(&self) -> io::Result<Lines> {
        let file: Box<dyn Read> = match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path)?),
        };
        unpacked(file)
    }
}

type Headed = Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

fn unpacked(mut file: Box<dyn Read>) -> io::Result<Lines> {
    let mut head = Vec::new();
    (&mut file).take(4).read_to_end(&mut head)?;
    let (is_gzip, is_zstd) = (head.starts_with(b"\x1f\x8b"), head == b"\x28\xb5\x2f\xfd");
    let whole: Headed = Cursor::new(head).chain(file);
    let text: Box<dyn Read> = if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if is_zstd {
        Box::new(
            StreamingDecoder::new(whole)
                .map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why.to_string()))?,
        )
    } else {
        Box::new(whole)
    };
    Ok(Lines { text: BufReader::with_capacity(256 << 10, text) })
}

/// The lines of an input.
pub(crate) struct Lines {
    text: BufReader<Box<dyn Read>>,
}

impl Lines {
    /// Reads the next line without its end into `line`; whether there is one. One that is too long is cut off.
    ///
    /// # Errors
    /// If the input is damaged here. Nothing can be read after that.
    pub(crate) fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let count = (&mut self.text).take(MAX_LINE).read_until(b'\n', line)?;
        while line.last().is_some_and(u8::is_ascii_whitespace) {
            line.pop();
        }
        Ok(count > 0)
    }

    /// Reads all that is left, up to the longest line.
    ///
    /// # Errors
    /// As [`Lines::next`].
    pub(crate) fn rest(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        (&mut self.text).take(MAX_LINE).read_to_end(text).map(|_| ())
    }
}
