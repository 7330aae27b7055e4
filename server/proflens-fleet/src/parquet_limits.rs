//! How much memory a Parquet file may take, before anything of it is unpacked: anybody may have written a lake, and a file of a
//! kilobyte can claim to unpack to petabytes (docs/fleet.md, "A lake of somebody else").

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::thrift::{Kind, Thrift, Wrong};

/// The most columns of a table.
const MAX_COLUMNS: usize = 64;
/// How many bytes the header of a page may have: it contains the smallest and the largest value.
const MAX_HEADER: u64 = 1 << 20;
/// How much memory the pages that are unpacked at the same time may take together, in bytes, and how much more for each byte
/// of the file.
const PAGES: Allowed = Allowed { always: 64 << 20, times: 64 };
/// The same for all texts that are kept.
const TEXTS: Allowed = Allowed { always: 64 << 20, times: 192 };
/// The same for rows that are kept, at up to 400 bytes a row: each has an id of its own, which takes 8 bytes in the file.
const KEPT_ROWS: Allowed = Allowed { always: 1 << 18, times: 1 };
/// The same for rows that are added up and forgotten, because of the time that they take: a session's stacks can be those of the
/// last one.
const PASSING_ROWS: Allowed = Allowed { always: 1 << 20, times: 1024 };
/// How many different values a column may have if its rows are added up, since one sum is kept for each.
const SUMS: Allowed = Allowed { always: 1 << 18, times: 1 };
/// How much memory a text in a dictionary takes besides its bytes.
const DICTIONARY_ENTRY: u64 = 40;

/// The limit for something, by the size of a file.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    always: u64,
    times: u64,
}

impl Allowed {
    fn of(self, size: u64) -> u64 {
        size.saturating_mul(self.times).saturating_add(self.always)
    }
}

/// Why a file is not read, as part of a sentence.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// The system does not deliver it.
    Io(io::Error),
    /// It claims something impossible, or something that no table has.
    Wrong(&'static str),
    /// It does not have this column of integers.
    NoColumn(&'static str),
    /// It has more than a file of its size may have.
    TooMuch { what: &'static str, has: u64, allowed: u64 },
    /// Parquet's own words.
    Parquet(ParquetError),
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(why) => write!(f, "{why}"),
            Self::Wrong(what) => write!(f, "{what}"),
            Self::NoColumn(name) => write!(f, "it has no column {name} of integers of 64 bits without nulls"),
            Self::TooMuch { what, has, allowed } => {
                write!(f, "it has {has} {what}, and a file of its size may have {allowed}")
            }
            Self::Parquet(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for NotRead {}

impl From<io::Error> for NotRead {
    fn from(why: io::Error) -> Self {
        Self::Io(why)
    }
}

impl From<ParquetError> for NotRead {
    fn from(why: ParquetError) -> Self {
        Self::Parquet(why)
    }
}

/// A file that never delivers more than it has: the Parquet reader allocates before it reads.
#[derive(Debug)]
pub(crate) struct Bounded {
    file: File,
    size: u64,
}

impl Bounded {
    /// Opens a file that is a regular one, and whose columns are a flat list.
    pub(crate) fn open(path: &Path) -> Result<Self, NotRead> {
        // Checked before it is opened: opening a pipe waits for somebody who writes to it.
        if !std::fs::metadata(path)?.is_file() {
            return Err(NotRead::Wrong("it is no file"));
        }
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let bounded = Self { file, size };
        bounded.check_footer()?;
        Ok(bounded)
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Checks what is read by recursion, and with memory allocated in advance: the list of columns.
    fn check_footer(&self) -> Result<(), NotRead> {
        const NO_PARQUET: NotRead = NotRead::Wrong("it is not Parquet, or it is cut off");
        let end = self.size.checked_sub(8).ok_or(NO_PARQUET)?;
        let tail = self.get_bytes(end, 8)?;
        let Some((length, b"PAR1")) = tail.split_first_chunk::<4>() else { return Err(NO_PARQUET) };
        let length = u64::from(u32::from_le_bytes(*length));
        let start = end.checked_sub(length).ok_or(NO_PARQUET)?;
        let footer = self.get_bytes(start, length as usize)?;
        check_columns(&footer).map_err(|_| NotRead::Wrong("its list of columns is not that of a table"))
    }

    fn from(&self, start: u64) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for Bounded {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Bounded {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(self.from(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF("it is cut off".to_owned()));
        }
        let mut bytes = Vec::with_capacity(length);
        self.from(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            Err(ParquetError::EOF("it is cut off".to_owned()))
        }
    }
}

/// `FileMetaData` of <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>, as are all below.
const FILE: [(u8, Kind); 9] = [
    (1, Kind::I32),
    (SCHEMA, Kind::List),
    (3, Kind::I64),
    (4, Kind::List),
    (5, Kind::List),
    (6, Kind::Binary),
    (7, Kind::List),
    (8, Kind::Struct),
    (9, Kind::Binary),
];
const SCHEMA: u8 = 2;
/// `SchemaElement`.
const COLUMN: [(u8, Kind); 10] = [
    (1, Kind::I32),
    (2, Kind::I32),
    (3, Kind::I32),
    (4, Kind::Binary),
    (CHILDREN, Kind::I32),
    (6, Kind::I32),
    (7, Kind::I32),
    (8, Kind::I32),
    (9, Kind::I32),
    (LOGICAL_TYPE, Kind::Struct),
];
const CHILDREN: u8 = 5;
const LOGICAL_TYPE: u8 = 10;
/// `IntType`, the only logical type of a table that has more than a name.
const INTEGER: u8 = 10;
const INTEGER_FIELDS: [(u8, Kind); 2] = [(1, Kind::Byte), (2, Kind::Truth)];

fn check_columns(footer: &[u8]) -> Result<(), Wrong> {
    Thrift::new(footer).known(&FILE, |thrift, field| {
        if field != SCHEMA {
            return thrift.skip(FILE[usize::from(field) - 1].1);
        }
        let (item, count) = thrift.list()?;
        if item != Kind::Struct || !(1..=MAX_COLUMNS + 1).contains(&count) {
            return Err(Wrong::Unusual);
        }
        (0..count).try_for_each(|index| {
            let mut children = 0;
            thrift.known(&COLUMN, |thrift, field| match field {
                CHILDREN => thrift.number().map(|count| children = count),
                LOGICAL_TYPE => check_logical_type(thrift),
                _ => thrift.skip(COLUMN[usize::from(field) - 1].1),
            })?;
            // The first is the row, all others are its columns.
            let expected = if index == 0 { count - 1 } else { 0 };
            if usize::try_from(children) == Ok(expected) { Ok(()) } else { Err(Wrong::Unusual) }
        })
    })
}

fn check_logical_type(thrift: &mut Thrift<'_>) -> Result<(), Wrong> {
    thrift.fields(|thrift, field, kind| match (field, kind) {
        (INTEGER, Kind::Struct) => thrift
            .known(&INTEGER_FIELDS, |thrift, field| thrift.skip(INTEGER_FIELDS[usize::from(field) - 1].1)),
        (_, Kind::Struct) => thrift.known(&[], |_, _| Ok(())),
        _ => Err(Wrong::Unusual),
    })
}

/// What the header of a page says.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    is_dictionary: bool,
    header: u64,
    packed: u64,
    unpacked: u64,
    values: u64,
    encoding: i32,
}

/// Each value by itself, or by its number in the dictionary (`PLAIN`, `PLAIN_DICTIONARY`, `RLE_DICTIONARY` of `Encoding`). Other
/// encodings can make a million values from a few bytes.
const PLAIN: i32 = 0;
const BY_DICTIONARY: [i32; 2] = [2, 8];

/// `PageHeader`, without index pages: nobody writes them.
const PAGE: [(u8, Kind); 7] = [
    (TYPE, Kind::I32),
    (UNPACKED, Kind::I32),
    (PACKED, Kind::I32),
    (4, Kind::I32),
    (DATA, Kind::Struct),
    (DICTIONARY, Kind::Struct),
    (DATA_2, Kind::Struct),
];
const TYPE: u8 = 1;
const UNPACKED: u8 = 2;
const PACKED: u8 = 3;
const DATA: u8 = 5;
const DICTIONARY: u8 = 7;
const DATA_2: u8 = 8;
/// `PageType`, and the field that a page of this type has. Readers skip one that has another.
const TYPES: [(i32, u8); 3] = [(0, DATA), (2, DICTIONARY), (3, DATA_2)];
/// `DataPageHeader`, `DictionaryPageHeader` and `DataPageHeaderV2`. The first field of each is the number of values.
const VALUES: u8 = 1;
/// The encoding, except for `DataPageHeaderV2`.
const ENCODING: u8 = 2;
const ENCODING_2: u8 = 4;
const DATA_FIELDS: [(u8, Kind); 5] =
    [(1, Kind::I32), (2, Kind::I32), (3, Kind::I32), (4, Kind::I32), (5, Kind::Struct)];
const DICTIONARY_FIELDS: [(u8, Kind); 3] = [(1, Kind::I32), (2, Kind::I32), (3, Kind::Truth)];
const DATA_2_FIELDS: [(u8, Kind); 8] = [
    (1, Kind::I32),
    (2, Kind::I32),
    (3, Kind::I32),
    (4, Kind::I32),
    (5, Kind::I32),
    (6, Kind::I32),
    (7, Kind::Truth),
    (8, Kind::Struct),
];

impl Page {
    fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let mut page = Self::default();
        let (mut kind, mut headers) = (0, Vec::new());
        let mut thrift = Thrift::new(bytes);
        thrift.known(&PAGE, |thrift, header| {
            let fields: &[(u8, Kind)] = match header {
                TYPE => return thrift.number().map(|number| kind = number),
                UNPACKED => return thrift.number().and_then(size).map(|size| page.unpacked = size),
                PACKED => return thrift.number().and_then(size).map(|size| page.packed = size),
                DATA => &DATA_FIELDS,
                DICTIONARY => &DICTIONARY_FIELDS,
                DATA_2 => &DATA_2_FIELDS,
                _ => return thrift.number().map(|_| ()),
            };
            headers.push(header);
            page.is_dictionary = header == DICTIONARY;
            let encoding = if header == DATA_2 { ENCODING_2 } else { ENCODING };
            thrift.known(fields, |thrift, field| match field {
                VALUES => thrift.number().and_then(size).map(|count| page.values = count),
                _ if field == encoding => thrift.number().map(|number| page.encoding = number),
                _ => thrift.skip(fields[usize::from(field) - 1].1),
            })
        })?;
        page.header = thrift.position() as u64;
        let is_usual = TYPES.iter().any(|&(usual, header)| usual == kind && headers == [header]);
        if is_usual { Ok(page) } else { Err(Wrong::Unusual) }
    }

    /// How much memory it takes when it is unpacked.
    fn takes(&self) -> u64 {
        let entries = if self.is_dictionary { self.values.saturating_mul(DICTIONARY_ENTRY) } else { 0 };
        self.unpacked + entries
    }
}

fn size(number: i32) -> Result<u64, Wrong> {
    u64::try_from(number).map_err(|_| Wrong::Unusual)
}

/// How a file is read: what is kept of its rows decides how many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Each row is kept in memory.
    Kept,
    /// Rows are added up and forgotten.
    Passing,
}

/// Checks how many rows a file has.
pub(crate) fn check_rows(file: &Bounded, about: &ParquetMetaData, rows_are: Use) -> Result<(), NotRead> {
    let allowed = match rows_are {
        Use::Kept => KEPT_ROWS.of(file.size()),
        Use::Passing => PASSING_ROWS.of(file.size()),
    };
    let mut has = 0_u64;
    for group in about.row_groups() {
        let rows = u64::try_from(group.num_rows())
            .map_err(|_| NotRead::Wrong("it has a negative number of rows"))?;
        has = has.saturating_add(rows);
    }
    if has > allowed { Err(NotRead::TooMuch { what: "rows", has, allowed }) } else { Ok(()) }
}

/// Checks, by the headers of all pages of these columns, how much memory they take when they are unpacked. A column has its
/// dictionary and one more page in memory at a time.
/// page more in memory at a time.
pub(crate) fn check_pages(
    file: &Bounded,
    about: &ParquetMetaData,
    columns: &[usize],
    rows_are: Use,
) -> Result<(), NotRead> {
    let allowed = PAGES.of(file.size());
    let mut different = vec![0_u64; columns.len()];
    for (number, group) in about.row_groups().iter().enumerate() {
        let rows = u64::try_from(group.num_rows()).unwrap_or_default();
        let index = about.page_index_for_row_group(number);
        let mut has = 0_u64;
        for (column, different) in columns.iter().zip(&mut different) {
            let chunk = group.columns().get(*column).ok_or(NotRead::Wrong("a column is missing"))?;
            let places = index
                .page_locations(*column)
                .map(|pages| pages.iter().map(|page| page.offset).collect::<Vec<_>>());
            let checked = check_column(file, chunk, rows, places.as_deref(), rows_are)?;
            has = has.saturating_add(checked.takes);
            *different = different.saturating_add(checked.different);
        }
        if has > allowed {
            return Err(NotRead::TooMuch { what: "bytes in pages that are unpacked at once", has, allowed });
        }
    }
    let (has, allowed) = (different.into_iter().max().unwrap_or_default(), SUMS.of(file.size()));
    if rows_are == Use::Passing && has > allowed {
        return Err(NotRead::TooMuch { what: "values in a column", has, allowed });
    }
    Ok(())
}

/// A column of a row group, by the headers of its pages.
#[derive(Debug, Default)]
struct CheckedColumn {
    /// How much memory it takes at a time.
    takes: u64,
    /// How many different values it may have.
    different: u64,
}

/// How much memory a column takes. If an index says where its pages are, they are there.
fn check_column(
    file: &Bounded,
    chunk: &ColumnChunkMetaData,
    rows: u64,
    places: Option<&[i64]>,
    rows_are: Use,
) -> Result<CheckedColumn, NotRead> {
    const OUTSIDE: NotRead = NotRead::Wrong("a column lies outside of it");
    let offset = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let start = u64::try_from(offset).map_err(|_| OUTSIDE)?;
    let length = u64::try_from(chunk.compressed_size()).map_err(|_| OUTSIDE)?;
    let end = start.checked_add(length).filter(|end| *end <= file.size()).ok_or(OUTSIDE)?;
    let (mut at, mut values, mut dictionary, mut largest, mut different) = (start, 0_u64, None, 0, 0);
    let mut listed = places.map(<[i64]>::iter);
    while at < end {
        let page = page_at(file, at, end)?;
        if page.is_dictionary {
            if at != start || page.values.saturating_mul(4) > page.unpacked {
                return Err(NotRead::Wrong("a dictionary has more entries than bytes"));
            }
            dictionary = Some(page.takes());
            different += page.values;
        } else {
            if listed.as_mut().is_some_and(|offsets| offsets.next().copied() != i64::try_from(at).ok()) {
                return Err(NotRead::Wrong("its index of pages is wrong"));
            }
            if BY_DICTIONARY.contains(&page.encoding) && dictionary.is_none() {
                return Err(NotRead::Wrong("a column has no dictionary, and is encoded by one"));
            }
            if page.encoding == PLAIN {
                different += page.values;
            } else if rows_are == Use::Passing && !BY_DICTIONARY.contains(&page.encoding) {
                return Err(NotRead::Wrong("a column is encoded as no table of a lake is"));
            }
            values = values.saturating_add(page.values);
            largest = page.takes().max(largest);
        }
        at += page.header + page.packed;
    }
    if at != end || values != rows || listed.is_some_and(|offsets| offsets.len() > 0) {
        return Err(NotRead::Wrong("its pages are not those that it lists"));
    }
    Ok(CheckedColumn { takes: dictionary.unwrap_or_default() + largest, different })
}

fn page_at(file: &Bounded, at: u64, end: u64) -> Result<Page, NotRead> {
    let mut length = 256;
    loop {
        let bytes = file.get_bytes(at, (end - at).min(length) as usize)?;
        match Page::read(&bytes) {
            Ok(page) if page.header + page.packed <= end - at => return Ok(page),
            Err(Wrong::CutOff) if length < (end - at).min(MAX_HEADER) => length *= 4,
            _ => return Err(NotRead::Wrong("the header of a page is damaged")),
        }
    }
}

/// Counts the texts that are kept of a file.
#[derive(Debug)]
pub(crate) struct Texts {
    has: u64,
    allowed: u64,
}

impl Texts {
    pub(crate) fn of(file: &Bounded) -> Self {
        Self { has: 0, allowed: TEXTS.of(file.size()) }
    }

    /// Counts one more text that is kept.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), NotRead> {
        self.has += text.len() as u64;
        if self.has <= self.allowed {
            return Ok(());
        }
        Err(NotRead::TooMuch { what: "bytes of texts", has: self.has, allowed: self.allowed })
    }
}

#[cfg(test)]
mod tests;
