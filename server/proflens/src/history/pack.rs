//! One pack: many objects in a file, most of them as the delta to another one, and an index that says where each
//! begins.
//!
//! No size in it can be trusted. The sizes of an object and of everything that it is made from are checked before any
//! of it is inflated.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use flate2::bufread::ZlibDecoder;
use profile::problem::Problem;

use super::confined::{ConfinedFolder, unreadable};
use super::object::{Limits, Object, ObjectKind, check_deadline, invalid, read_exactly};
use super::refs::{Abbreviation, Id};
use super::{delta, numbers};

/// Git makes chains of at most 4095 deltas, and of at most 50 by default.
const MAX_CHAIN: usize = 4096;

const HEADER: usize = 8;
const FANOUT: usize = 256;
/// The offset in the index at which the names begin.
const NAMES_START: u64 = (HEADER + 4 * FANOUT) as u64;
/// How many names are read at once: a read takes longer than a search in the result.
const NAMES_PER_READ: u64 = 512;
/// Offsets from this one on are in a table of their own.
const FIRST_FAR_OFFSET: u32 = 1 << 31;

/// A pack, which is opened for the first question.
pub(super) struct Pack {
    /// The folder of objects.
    folder: ConfinedFolder,
    /// Its path in there, without `.idx` and `.pack`.
    pub(super) name: String,
    open: Option<OpenPack>,
}

struct OpenPack {
    index: Index,
    file: File,
}

/// Where in the pack each object begins, sorted by name.
struct Index {
    file: File,
    /// For each byte, how many objects have a name whose first byte is not greater.
    fanout: Vec<u32>,
}

/// What an object is made from.
struct Chain<'a> {
    /// The last one first.
    deltas: Vec<Entry<'a>>,
    /// The base of the first delta, or the object itself.
    base: Entry<'a>,
    kind: ObjectKind,
}

/// An object as it is stored in the pack.
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
    pub(super) fn new(folder: ConfinedFolder, name: String) -> Self {
        Self { folder, name, open: None }
    }

    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// An object of this pack; `None` if it is not in it, or too large.
    ///
    /// # Errors
    /// If the pack, or this object, cannot be read.
    pub(super) fn get(&mut self, id: &Id, limits: Limits) -> Result<Option<Object>, Problem> {
        let path = self.path("pack");
        let Some(opened) = self.opened()? else { return Ok(None) };
        opened.get(id, limits).map_err(|error| unreadable(&path, &error))
    }

    /// Adds the names of this pack that begin with these digits.
    ///
    /// # Errors
    /// If the pack cannot be read.
    pub(super) fn add_beginning_with(
        &mut self,
        start: &Abbreviation,
        ids: &mut BTreeSet<Id>,
        deadline: Instant,
    ) -> Result<(), Problem> {
        let path = self.path("idx");
        let Some(opened) = self.opened()? else { return Ok(()) };
        let added = opened.index.add_beginning_with(start, ids, deadline);
        added.map_err(|error| unreadable(&path, &error))
    }

    /// The open files; `None` if the pack is gone.
    fn opened(&mut self) -> Result<Option<&OpenPack>, Problem> {
        if self.open.is_none() {
            let index = self.folder.open(&format!("{}.idx", self.name))?;
            let pack = self.folder.open(&format!("{}.pack", self.name))?;
            // Git creates and deletes the two together; this was in between.
            let (Some(index), Some(file)) = (index, pack) else { return Ok(None) };
            let index = Index::new(index).map_err(|error| unreadable(&self.path("idx"), &error))?;
            self.open = Some(OpenPack { index, file });
        }
        Ok(self.open.as_ref())
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.path().join(format!("{}.{ending}", self.name))
    }
}

impl OpenPack {
    fn get(&self, id: &Id, limits: Limits) -> io::Result<Option<Object>> {
        let Some(offset) = self.index.find(id)? else { return Ok(None) };
        self.chain(offset, id.bytes().len(), limits.deadline)?.read(limits)
    }

    /// What the object at an offset is made from.
    fn chain(&self, mut offset: u64, hash: usize, deadline: Instant) -> io::Result<Chain<'_>> {
        let mut deltas = Vec::new();
        while deltas.len() <= MAX_CHAIN {
            check_deadline(deadline)?;
            let entry = Entry::new(&self.file, offset, hash)?;
            offset = match entry.made {
                EntryKind::Whole(kind) => return Ok(Chain { deltas, base: entry, kind }),
                EntryKind::DeltaOfOffset(base) => base,
                EntryKind::DeltaOfId(id) => {
                    self.index.find(&id)?.ok_or_else(|| invalid("it is not whole"))?
                }
            };
            deltas.push(entry);
        }
        Err(invalid("its differences have no end"))
    }
}

impl Chain<'_> {
    /// The object; `None` if it, or something that it is made from, is too large.
    fn read(self, limits: Limits) -> io::Result<Option<Object>> {
        let Self { deltas, base, kind } = self;
        let Limits { deadline, bytes } = limits;
        let most_of_base = 2 * bytes; // what an object is made from may be larger
        if deltas.iter().chain([&base]).any(|entry| entry.size > most_of_base) {
            return Ok(None);
        }
        let (mut deltas, mut size) = (deltas.into_iter(), base.size);
        let last = deltas.next().map(|last| last.inflate(deadline)).transpose()?;
        if let Some(last) = &last {
            size = delta::size_made(last)?;
        }
        if size > bytes {
            return Ok(None);
        }
        let mut content = base.inflate(deadline)?;
        for delta in deltas.rev().map(|delta| delta.inflate(deadline)).chain(last.map(Ok)) {
            let made = delta::apply(&content, &delta?, most_of_base);
            content = made.ok_or_else(|| invalid("a difference does not fit to what it is of"))?;
        }
        Ok(Some(Object { kind, content }))
    }
}

impl<'a> Entry<'a> {
    /// The entry at an offset of a pack.
    fn new(file: &'a File, offset: u64, hash: usize) -> io::Result<Self> {
        let mut rest = BufReader::with_capacity(4 << 10, FileAt { file, at: offset });
        // One bit that says whether more of the size follows, three bits of the kind, and the lowest four of the size.
        let first = numbers::byte(&mut rest)?;
        let higher = if first & 0x80 == 0 { 0 } else { numbers::size(&mut rest)? };
        let size = higher.checked_mul(16).ok_or_else(numbers::size_too_large)? | u64::from(first & 15);
        let made = match first >> 4 & 7 {
            1 => EntryKind::Whole(ObjectKind::Commit),
            2 => EntryKind::Whole(ObjectKind::Tree),
            3 => EntryKind::Whole(ObjectKind::Blob),
            4 => EntryKind::Whole(ObjectKind::Tag),
            6 => {
                let back = numbers::distance(&mut rest)?;
                let base = offset.checked_sub(back).filter(|_| back > 0);
                EntryKind::DeltaOfOffset(base.ok_or_else(|| invalid("an offset leads out of it"))?)
            }
            7 => {
                let mut name = vec![0; hash];
                rest.read_exact(&mut name)?;
                EntryKind::DeltaOfId(Id::new(&name).ok_or(io::ErrorKind::InvalidData)?)
            }
            _ => return Err(invalid("an object is of no kind")),
        };
        Ok(Self { made, size, rest })
    }

    fn inflate(self, deadline: Instant) -> io::Result<Vec<u8>> {
        check_deadline(deadline)?;
        read_exactly(ZlibDecoder::new(self.rest), self.size)
    }
}

impl Index {
    fn new(mut file: File) -> io::Result<Self> {
        let mut head = [0; NAMES_START as usize];
        file.read_exact(&mut head)?;
        let (header, fanout) = head.split_at(HEADER);
        if header != b"\xfftOc\0\0\0\x02" {
            return Err(invalid("it has another version than 2"));
        }
        let fanout: Vec<u32> = fanout.as_chunks().0.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
        if fanout.is_sorted() { Ok(Self { file, fanout }) } else { Err(invalid("it is not sorted")) }
    }

    fn find(&self, id: &Id) -> io::Result<Option<u64>> {
        let name = id.bytes();
        let hash = name.len() as u64;
        let Range { start: mut low, end: mut high } = self.beginning_with_byte(name[0]);
        while high - low > NAMES_PER_READ {
            let middle = low.midpoint(high);
            let mut there = [0; 32];
            let there = &mut there[..name.len()];
            self.at(NAMES_START + middle * hash).read_exact(there)?;
            if *there <= *name { low = middle } else { high = middle }
        }
        let mut names = vec![0; (high - low) as usize * name.len()];
        self.at(NAMES_START + low * hash).read_exact(&mut names)?;
        let found = names.chunks_exact(name.len()).position(|other| other == name);
        let Some(found) = found else { return Ok(None) };
        let (number, all) = (low + found as u64, self.beginning_with_byte(u8::MAX).end);
        // After the names there are a checksum of 4 bytes for each, and then the offsets.
        let (mut near, mut far) = ([0; 4], [0; 8]);
        self.at(NAMES_START + all * (hash + 4) + number * 4).read_exact(&mut near)?;
        let near = u32::from_be_bytes(near);
        if near < FIRST_FAR_OFFSET {
            return Ok(Some(u64::from(near)));
        }
        let far_offsets = NAMES_START + all * (hash + 8);
        self.at(far_offsets + u64::from(near - FIRST_FAR_OFFSET) * 8).read_exact(&mut far)?;
        Ok(Some(u64::from_be_bytes(far)))
    }

    /// Adds the names that begin with these digits. They are read one at a time, however many the index claims to have.
    fn add_beginning_with(
        &self,
        start: &Abbreviation,
        ids: &mut BTreeSet<Id>,
        deadline: Instant,
    ) -> io::Result<()> {
        let numbers = self.beginning_with_byte(start.first_byte);
        let mut name = vec![0; start.hash];
        let mut names = BufReader::new(self.at(NAMES_START + numbers.start * start.hash as u64));
        for _ in numbers {
            check_deadline(deadline)?;
            names.read_exact(&mut name)?;
            ids.extend(Id::new(&name).filter(|id| start.is_of(id)));
        }
        Ok(())
    }

    /// The numbers of the names with this first byte.
    fn beginning_with_byte(&self, first: u8) -> Range<u64> {
        first.checked_sub(1).map_or(0, |before| self.count_up_to(before))..self.count_up_to(first)
    }

    /// How many names have a first byte that is not greater than this one.
    fn count_up_to(&self, byte: u8) -> u64 {
        self.fanout.get(usize::from(byte)).map_or(0, |count| u64::from(*count))
    }

    fn at(&self, at: u64) -> FileAt<'_> {
        FileAt { file: &self.file, at }
    }
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
