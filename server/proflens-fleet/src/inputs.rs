//! What `ingest` reads: files, folders of them, objects of a bucket and stdin, as groups of lines that become one shard each.
//!
//! A collector's file is a shard by itself. Single objects, as buckets have them, are small: many of them make up one shard.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use profile::problem::Problem;
use ruzstd::decoding::StreamingDecoder;

use crate::bucket::{self, Object};

/// Smaller files, with one or a few sessions, are put together.
const SMALL: u64 = 256 << 10;
/// How large a shard of small files becomes, in bytes on the disk.
const TOGETHER: u64 = 64 << 20;
/// The longest line, in bytes.
const MAX_LINE: u64 = 64 << 20;
/// How many inputs are opened before they are read: a bucket takes its time to answer.
const AHEAD: usize = 16;

/// Something to read.
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
    Object(Object),
}

/// Inputs that become one shard.
pub(crate) type Group = Vec<Input>;

/// The groups of what the user named, and a problem for everything that is not there. A folder, or a key of a bucket that is not an
/// object, stands for everything below it, in the order of the names. A bucket that does not answer is asked again until `patience`
/// ends.
pub(crate) fn groups(named: &[PathBuf], patience: Duration) -> (Vec<Group>, Vec<Problem>) {
    let (mut groups, mut problems) = (Vec::<Group>::new(), Vec::new());
    let (mut small, mut bytes) = (Group::new(), 0);
    for path in named {
        if path.as_os_str() == "-" {
            groups.push(vec![Input::Stdin]);
            continue;
        }
        let mut found = Vec::new();
        problems.extend(inputs(path, patience, &mut found).err());
        for (input, size) in found {
            if size >= SMALL {
                groups.push(vec![input]);
                continue;
            }
            small.push(input);
            bytes += size;
            if bytes >= TOGETHER {
                groups.push(std::mem::take(&mut small));
                bytes = 0;
            }
        }
    }
    if !small.is_empty() {
        groups.push(small);
    }
    (groups, problems)
}

/// What a name stands for, with the sizes. What was found before an error is used.
fn inputs(path: &Path, patience: Duration, found: &mut Vec<(Input, u64)>) -> Result<(), Problem> {
    if let Some(url) = path.to_str().filter(|name| bucket::is_bucket(name)) {
        for object in bucket::objects(url, patience)? {
            let size = object.size();
            found.push((Input::Object(object), size));
        }
        return Ok(());
    }
    files_of(path, found).map_err(|why| not_read(&path.display().to_string(), &why))
}

/// What is wrong with an input that the system or a bucket does not deliver.
pub(crate) fn not_read(name: &str, why: &io::Error) -> Problem {
    Problem::new(format!("{name} cannot be read: {why}"), "check the path and its permissions")
}

/// Opens the inputs of a group one after the other, and requests the next ones meanwhile.
pub(crate) fn opened(group: &Group) -> impl Iterator<Item = (&Input, io::Result<Lines>)> {
    let (mut rest, mut started) = (group.iter(), VecDeque::new());
    std::iter::from_fn(move || {
        while started.len() < AHEAD
            && let Some(input) = rest.next()
        {
            started.push_back((input, input.start()));
        }
        let (input, text) = started.pop_front()?;
        Some((input, text.and_then(unpacked)))
    })
}

/// The files of a path with their sizes. Links to files count; links to folders do not, so that there are no cycles. Anything
/// else, such as a pipe, only counts if the user names it: it may never end.
fn files_of(path: &Path, files: &mut Vec<(Input, u64)>) -> io::Result<()> {
    let about = std::fs::metadata(path)?;
    if !about.is_dir() {
        files.push((Input::File(path.to_owned()), about.len()));
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_linked_folder = entry.file_type()?.is_symlink() && entry.path().is_dir();
        let is_readable = entry.path().metadata().map_or(true, |about| about.is_file() || about.is_dir());
        if !is_hidden && !is_linked_folder && is_readable {
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
            Self::Object(object) => object.name(),
        }
    }

    /// Whether the place where it is stored still answers.
    ///
    /// # Errors
    /// Why it does not.
    pub(crate) fn is_served(&self) -> Result<(), Problem> {
        match self {
            Self::Stdin | Self::File(_) => Ok(()),
            Self::Object(object) => object.is_served(),
        }
    }

    fn start(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path)?),
            Self::Object(object) => Box::new(object.start()),
        })
    }
}

type Headed = Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

/// Input packed by gzip or Zstandard is unpacked.
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
    /// Reads the next line without its end into `line`; returns whether there is one. A line that is too long is cut off.
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

    /// Reads everything that is left, up to the longest line.
    ///
    /// # Errors
    /// As for [`Lines::next`].
    pub(crate) fn rest(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        (&mut self.text).take(MAX_LINE).read_to_end(text).map(|_| ())
    }
}
