//! One pack: many objects in a file, most of them as the delta to another one, and an index that says where each
//! begins.
//!
//! No size in it can be trusted. The sizes of an object and of everything that it is made from are checked before any
//! of it is inflated.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::time::Instant;

use flate2::Decompress;

use super::confined::ConfinedFolder;
use super::delta;
use super::inflate::InflateReader;
use super::object::{Found, MAX_OBJECT_BYTES, Object, ObjectKind, check_deadline, invalid};
use super::refs::Id;

/// Git makes chains of at most 4095 deltas, and of at most 50 by default.
const MAX_CHAIN: usize = 4096;
/// The base of an object may be larger than the object.
const MAX_BASE_BYTES: u64 = 2 * MAX_OBJECT_BYTES;

const HEADER: usize = 8;
const FANOUT: usize = 256;
/// The offset in the index at which the names begin.
const NAMES_START: u64 = (HEADER + 4 * FANOUT) as u64;
/// How many names are read at once: a read takes longer than a search in what it gives.
const NAMES_PER_READ: u64 = 512;
/// Offsets from this one on stand in a table of their own.
const FIRST_FAR_OFFSET: u32 = 1 << 31;

/// A pack, which is opened at the first question.
pub(super) struct Pack {
    /// Its path in the folder of objects, without `.idx` and `.pack`.
    pub(super) name: String,
    open: Option<(Index, File)>,
}

/// Where in the pack each object begins, sorted by name.
struct Index {
    file: File,
    /// For each byte, how many objects have a name whose first byte is not greater.
    fanout: Vec<u32>,
}

/// An object as it lies in the pack.
struct Entry<'a> {
    made: EntryKind,
    /// The size of `rest` when it is inflated.
    size: u64,
    /// The deflated bytes.
    rest: BufReader<FileAt<'a>>,
}

/// A file from an offset on. Reading does not move the position of the file, which others may use.
struct FileAt<'a> {
    file: &'a File,
    at: u64,
}

enum EntryKind {
    Whole(ObjectKind),
    DeltaOfOffset(u64),
    DeltaOfId(Id),
}

impl Pack {
    pub(super) fn new(name: String) -> Self {
        Self { name, open: None }
    }

    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// An object of this pack; `None` where it is not in it.
    ///
    /// # Errors
    /// Why the pack, or this object, is not read, as the end of a sentence.
    pub(super) fn get(
        &mut self,
        id: &Id,
        deadline: Instant,
        (folder, decompressor): (&ConfinedFolder, &mut Decompress),
    ) -> Result<Option<Found>, String> {
        let path = folder.path().join(&self.name);
        let damaged = |error: io::Error| format!("{}.pack cannot be read ({error})", path.display());
        let Some((index, file)) = self.opened(folder)? else { return Ok(None) };
        let Some(offset) = index.find(id).map_err(damaged)? else { return Ok(None) };
        let chain = chain(index, file, offset, id.bytes().len(), deadline).map_err(damaged)?;
        read(chain, deadline, decompressor).map(Some).map_err(damaged)
    }
}

impl Pack {
    /// Adds the names of this pack that begin with these digits and have so many bytes.
    ///
    /// # Errors
    /// Why the pack is not read, as the end of a sentence.
    pub(super) fn beginning_with(
        &mut self,
        digits: &str,
        hash: usize,
        folder: &ConfinedFolder,
        ids: &mut BTreeSet<Id>,
    ) -> Result<(), String> {
        let path = folder.path().join(&self.name);
        let Some((index, _)) = self.opened(folder)? else { return Ok(()) };
        let names = index.beginning_with(digits, hash);
        ids.extend(names.map_err(|error| format!("{}.idx cannot be read ({error})", path.display()))?);
        Ok(())
    }

    /// The open files; `None` if the pack is gone.
    fn opened(&mut self, folder: &ConfinedFolder) -> Result<Option<&(Index, File)>, String> {
        if self.open.is_none() {
            self.open = open(folder, &self.name)?;
        }
        Ok(self.open.as_ref())
    }
}

/// What an object is made from: the deltas, the last one first, and the object at the end of the chain.
type Chain<'a> = (Vec<Entry<'a>>, ObjectKind, Entry<'a>);

fn chain<'a>(
    index: &Index,
    file: &'a File,
    offset: u64,
    hash: usize,
    deadline: Instant,
) -> io::Result<Chain<'a>> {
    let (mut deltas, mut offset) = (Vec::new(), offset);
    while deltas.len() <= MAX_CHAIN {
        check_deadline(deadline)?;
        let entry = entry(file, offset, hash)?;
        match entry.made {
            EntryKind::Whole(kind) => return Ok((deltas, kind, entry)),
            EntryKind::DeltaOfOffset(base) => offset = base,
            EntryKind::DeltaOfId(id) => {
                offset = index.find(&id)?.ok_or_else(|| invalid("it is not whole"))?
            }
        }
        deltas.push(entry);
    }
    Err(invalid("its differences have no end"))
}

fn read(
    (deltas, kind, base): Chain<'_>,
    deadline: Instant,
    decompressor: &mut Decompress,
) -> io::Result<Found> {
    if deltas.iter().chain([&base]).any(|it| it.size > MAX_BASE_BYTES) {
        return Ok(Found::TooLarge);
    }
    let mut inflate = |it: Entry<'_>| {
        check_deadline(deadline).and_then(|()| InflateReader::new(it.rest, decompressor).exactly(it.size))
    };
    let (mut deltas, mut size) = (deltas.into_iter(), base.size);
    let last = deltas.next().map(&mut inflate).transpose()?;
    if let Some(last) = &last {
        size = delta::size_made(last)?;
    }
    if size > MAX_OBJECT_BYTES {
        return Ok(Found::TooLarge);
    }
    let mut content = inflate(base)?;
    for delta in deltas.rev().map(&mut inflate).chain(last.map(Ok)) {
        let made = delta::apply(&content, &delta?, MAX_BASE_BYTES);
        content = made.ok_or_else(|| invalid("a difference does not fit to what it is of"))?;
    }
    Ok(Found::Object(Object { kind, content }))
}

fn open(folder: &ConfinedFolder, name: &str) -> Result<Option<(Index, File)>, String> {
    let parts = (folder.open(&format!("{name}.idx"))?, folder.open(&format!("{name}.pack"))?);
    // Git creates and deletes the two together; this was in between.
    let (Some(index), Some(pack)) = parts else { return Ok(None) };
    let path = folder.path().join(name);
    let index =
        Index::new(index).map_err(|error| format!("{}.idx cannot be read ({error})", path.display()))?;
    Ok(Some((index, pack)))
}

impl Index {
    fn new(mut file: File) -> io::Result<Self> {
        let mut head = [0; NAMES_START as usize];
        file.read_exact(&mut head)?;
        let (header, fanout) = head.split_at(HEADER);
        if header != b"\xfftOc\0\0\0\x02" {
            return Err(invalid("it has another version than 2"));
        }
        let fanout: Vec<u32> = fanout.as_chunks().0.iter().map(|it| u32::from_be_bytes(*it)).collect();
        if fanout.is_sorted() { Ok(Self { file, fanout }) } else { Err(invalid("it is not sorted")) }
    }

    fn find(&self, id: &Id) -> io::Result<Option<u64>> {
        let name = id.bytes();
        let (first, hash) = (usize::from(name[0]), name.len() as u64);
        let before = |first: usize| self.fanout.get(first).map_or(0, |it| u64::from(*it));
        let (mut low, mut high) = (first.checked_sub(1).map_or(0, before), before(first));
        while high - low > NAMES_PER_READ {
            let middle = low.midpoint(high);
            let mut there = [0; 32];
            let there = &mut there[..name.len()];
            self.read_at(NAMES_START + middle * hash, there)?;
            if *there <= *name { low = middle } else { high = middle }
        }
        let mut names = vec![0; (high - low) as usize * name.len()];
        self.read_at(NAMES_START + low * hash, &mut names)?;
        let Some(found) = names.chunks_exact(name.len()).position(|it| it == name) else { return Ok(None) };
        let (number, all) = (low + found as u64, before(FANOUT - 1));
        // After the names there are a checksum of 4 bytes for each, and then the offsets.
        let (mut near, mut far) = ([0; 4], [0; 8]);
        self.read_at(NAMES_START + all * (hash + 4) + number * 4, &mut near)?;
        let near = u32::from_be_bytes(near);
        if near < FIRST_FAR_OFFSET {
            return Ok(Some(u64::from(near)));
        }
        self.read_at(NAMES_START + all * (hash + 8) + u64::from(near - FIRST_FAR_OFFSET) * 8, &mut far)?;
        Ok(Some(u64::from_be_bytes(far)))
    }

    /// The names that begin with at least two digits.
    fn beginning_with(&self, digits: &str, hash: usize) -> io::Result<Vec<Id>> {
        let first = usize::from(u8::from_str_radix(&digits[..2], 16).map_err(|_| invalid("no number"))?);
        let before = |first: usize| self.fanout.get(first).map_or(0, |it| u64::from(*it));
        let (low, high) = (first.checked_sub(1).map_or(0, before), before(first));
        let mut names = vec![0; (high - low) as usize * hash];
        self.read_at(NAMES_START + low * hash as u64, &mut names)?;
        let ids = names.chunks_exact(hash).filter_map(Id::new);
        Ok(ids.filter(|it| it.hex().starts_with(digits)).collect())
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        FileAt { file: &self.file, at }.read_exact(bytes)
    }
}

fn entry(file: &File, offset: u64, hash: usize) -> io::Result<Entry<'_>> {
    let mut rest = BufReader::with_capacity(4 << 10, FileAt { file, at: offset });
    let mut next = || {
        let mut byte = [0];
        rest.read_exact(&mut byte).map(|()| byte[0])
    };
    let first = next()?;
    let (mut size, mut shift, mut byte) = (u64::from(first & 15), 4, first);
    while byte & 0x80 != 0 {
        byte = next()?;
        size |= delta::shifted(byte, shift)?;
        shift += 7;
    }
    let made = match first >> 4 & 7 {
        1 => EntryKind::Whole(ObjectKind::Commit),
        2 => EntryKind::Whole(ObjectKind::Tree),
        3 => EntryKind::Whole(ObjectKind::Blob),
        4 => EntryKind::Whole(ObjectKind::Tag),
        6 => {
            let mut byte = next()?;
            let mut back = u64::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next()?;
                let more = (back + 1).checked_mul(128).ok_or_else(|| invalid("an offset is too large"))?;
                back = more | u64::from(byte & 0x7f);
            }
            let base = offset.checked_sub(back).filter(|_| back > 0);
            EntryKind::DeltaOfOffset(base.ok_or_else(|| invalid("an offset leads out of it"))?)
        }
        7 => {
            let name: io::Result<Vec<u8>> = (0..hash).map(|_| next()).collect();
            EntryKind::DeltaOfId(Id::new(&name?).ok_or(io::ErrorKind::InvalidData)?)
        }
        _ => return Err(invalid("an object is of no kind")),
    };
    Ok(Entry { made, size, rest })
}

impl Read for FileAt<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.file, bytes, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(self.file, bytes, self.at)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}
