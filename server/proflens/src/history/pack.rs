//! One pack: many objects in a file, most of them as the difference to another one, and an index that says where each
//! begins.
//!
//! Every size in it may be a lie. What an object and all that it is made from need is known, and refused if it is too
//! much, before any of it is read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::time::Instant;

use flate2::Decompress;

use super::delta;
use super::inflating::Inflating;
use super::object::{Found, Kind, LARGEST, Object, in_time, invalid};
use super::opening::Folder;
use super::refs::Id;

/// Git makes no longer chains of differences than 4095, and of 50 unless it is told to.
const LONGEST_CHAIN: usize = 4096;
/// What an object is made from may be larger than itself.
const LARGEST_BASE: u64 = 2 * LARGEST;

const HEADER: usize = 8;
const FANOUT: usize = 256;
/// Where the names begin.
const ENTRIES: u64 = (HEADER + 4 * FANOUT) as u64;
/// So many names are read at once: each read takes longer than looking through what it gives.
const AT_ONCE: u64 = 512;
/// Offsets from here on are in a table of their own.
const FAR: u32 = 1 << 31;

/// A pack, closed until it is asked.
pub(super) struct Pack {
    /// Its path in the folder of objects, without `.idx` and `.pack`.
    pub(super) name: String,
    open: Option<(Index, File)>,
}

/// Where in the pack each object begins, sorted by name.
struct Index {
    file: File,
    /// How many objects have a name of which the first byte is not greater.
    upto: Vec<u32>,
}

/// An object as it lies in the pack.
struct Entry<'a> {
    made: Made,
    /// Of what follows, inflated.
    size: u64,
    /// What follows.
    rest: BufReader<From<'a>>,
}

/// A file from some place on. Where others read in it is not moved.
struct From<'a> {
    file: &'a File,
    at: u64,
}

enum Made {
    Whole(Kind),
    FromOffset(u64),
    FromId(Id),
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
        until: Instant,
        (folder, state): (&Folder, &mut Decompress),
    ) -> Result<Option<Found>, String> {
        let (index, file) = match &mut self.open {
            Some(open) => open,
            None => match open(folder, &self.name)? {
                Some(open) => self.open.insert(open),
                None => return Ok(None),
            },
        };
        let damaged = |error: io::Error| {
            format!("{}.pack cannot be read ({error})", folder.path().join(&self.name).display())
        };
        let Some(offset) = index.find(id).map_err(damaged)? else { return Ok(None) };
        let chain = chain(index, file, offset, id.bytes().len(), until).map_err(damaged)?;
        read(chain, until, state).map(Some).map_err(damaged)
    }
}

/// What an object is made from: the differences, the last one first, and the object at the end of the chain.
type Chain<'a> = (Vec<Entry<'a>>, Kind, Entry<'a>);

fn chain<'a>(
    index: &Index,
    file: &'a File,
    offset: u64,
    hash: usize,
    until: Instant,
) -> io::Result<Chain<'a>> {
    let (mut deltas, mut offset) = (Vec::new(), offset);
    while deltas.len() <= LONGEST_CHAIN {
        in_time(until)?;
        let entry = entry(file, offset, hash)?;
        match entry.made {
            Made::Whole(kind) => return Ok((deltas, kind, entry)),
            Made::FromOffset(base) => offset = base,
            Made::FromId(id) => offset = index.find(&id)?.ok_or_else(|| invalid("it is not whole"))?,
        }
        deltas.push(entry);
    }
    Err(invalid("its differences have no end"))
}

fn read((deltas, kind, base): Chain<'_>, until: Instant, state: &mut Decompress) -> io::Result<Found> {
    if deltas.iter().chain([&base]).any(|it| it.size > LARGEST_BASE) {
        return Ok(Found::TooLarge);
    }
    let mut inflate =
        |it: Entry<'_>| in_time(until).and_then(|()| Inflating::new(it.rest, state).exactly(it.size));
    let (mut deltas, mut size) = (deltas.into_iter(), base.size);
    let last = deltas.next().map(&mut inflate).transpose()?;
    if let Some(last) = &last {
        size = delta::size_made(last)?;
    }
    if size > LARGEST {
        return Ok(Found::TooLarge);
    }
    let mut content = inflate(base)?;
    for delta in deltas.rev().map(&mut inflate).chain(last.map(Ok)) {
        let made = delta::apply(&content, &delta?, LARGEST_BASE);
        content = made.ok_or_else(|| invalid("a difference does not fit to what it is of"))?;
    }
    Ok(Found::Object(Object { kind, content }))
}

fn open(folder: &Folder, name: &str) -> Result<Option<(Index, File)>, String> {
    let parts = (folder.open(&format!("{name}.idx"))?, folder.open(&format!("{name}.pack"))?);
    // One of two that come and go together.
    let (Some(index), Some(pack)) = parts else { return Ok(None) };
    let path = folder.path().join(name);
    let index =
        Index::new(index).map_err(|error| format!("{}.idx cannot be read ({error})", path.display()))?;
    Ok(Some((index, pack)))
}

impl Index {
    fn new(mut file: File) -> io::Result<Self> {
        let mut head = [0; ENTRIES as usize];
        file.read_exact(&mut head)?;
        let (header, fanout) = head.split_at(HEADER);
        if header != b"\xfftOc\0\0\0\x02" {
            return Err(invalid("it has another version than 2"));
        }
        let upto: Vec<u32> = fanout.as_chunks().0.iter().map(|it| u32::from_be_bytes(*it)).collect();
        if upto.is_sorted() { Ok(Self { file, upto }) } else { Err(invalid("it is not sorted")) }
    }

    fn find(&self, id: &Id) -> io::Result<Option<u64>> {
        let name = id.bytes();
        let (first, hash) = (usize::from(name[0]), name.len() as u64);
        let before = |first: usize| self.upto.get(first).map_or(0, |it| u64::from(*it));
        let (mut low, mut high) = (first.checked_sub(1).map_or(0, before), before(first));
        while high - low > AT_ONCE {
            let middle = low.midpoint(high);
            let mut there = [0; 32];
            let there = &mut there[..name.len()];
            self.read_at(ENTRIES + middle * hash, there)?;
            if *there <= *name { low = middle } else { high = middle }
        }
        let mut names = vec![0; (high - low) as usize * name.len()];
        self.read_at(ENTRIES + low * hash, &mut names)?;
        let Some(found) = names.chunks_exact(name.len()).position(|it| it == name) else { return Ok(None) };
        let (number, all) = (low + found as u64, before(FANOUT - 1));
        // Behind the names are a checksum of 4 bytes for each, and then the offsets.
        let (mut near, mut far) = ([0; 4], [0; 8]);
        self.read_at(ENTRIES + all * (hash + 4) + number * 4, &mut near)?;
        let near = u32::from_be_bytes(near);
        if near < FAR {
            return Ok(Some(u64::from(near)));
        }
        self.read_at(ENTRIES + all * (hash + 8) + u64::from(near - FAR) * 8, &mut far)?;
        Ok(Some(u64::from_be_bytes(far)))
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        From { file: &self.file, at }.read_exact(bytes)
    }
}

fn entry(file: &File, offset: u64, hash: usize) -> io::Result<Entry<'_>> {
    let mut rest = BufReader::with_capacity(4 << 10, From { file, at: offset });
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
        1 => Made::Whole(Kind::Commit),
        2 => Made::Whole(Kind::Tree),
        3 => Made::Whole(Kind::Blob),
        4 => Made::Whole(Kind::Tag),
        6 => {
            let mut byte = next()?;
            let mut back = u64::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next()?;
                let more = (back + 1).checked_mul(128).ok_or_else(|| invalid("an offset is too large"))?;
                back = more | u64::from(byte & 0x7f);
            }
            let base = offset.checked_sub(back).filter(|_| back > 0);
            Made::FromOffset(base.ok_or_else(|| invalid("an offset leads out of it"))?)
        }
        7 => {
            let name: io::Result<Vec<u8>> = (0..hash).map(|_| next()).collect();
            Made::FromId(Id::new(&name?).ok_or(io::ErrorKind::InvalidData)?)
        }
        _ => return Err(invalid("an object is of no kind")),
    };
    Ok(Entry { made, size, rest })
}

impl Read for From<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.file, bytes, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(self.file, bytes, self.at)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}
