//! Files that claim more than they have, written by hand: no Parquet writer makes them.

use std::io::Write;
use std::path::PathBuf;

use expect_test::expect;
use fleet::tables;
use profile::problem::Problem;

use crate::table_reader::TableReader;
use crate::table_writer::{TableWriter, Values};

use super::*;

/// Writes Thrift's compact protocol.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn unsigned(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, step: u8, kind: u8, number: i64) -> Self {
        self.0.push(step << 4 | kind);
        self.unsigned((number << 1 ^ number >> 63).cast_unsigned());
        self
    }

    fn text(mut self, step: u8, text: &str) -> Self {
        self.0.push(step << 4 | 8);
        self.unsigned(text.len() as u64);
        self.0.extend(text.bytes());
        self
    }

    fn list(mut self, step: u8, kind: u8, items: &[Vec<u8>]) -> Self {
        self.0.extend([step << 4 | 9, 0xf0 | kind]);
        self.unsigned(items.len() as u64);
        items.iter().for_each(|it| self.0.extend(it));
        self
    }

    fn inside(mut self, step: u8, inside: Vec<u8>) -> Self {
        self.0.push(step << 4 | 12);
        self.0.extend(inside);
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.0.push(0);
        self.0
    }
}

const I32: u8 = 5;
const I64: u8 = 6;

/// A file of the table `nodes` with one row; each part of it can be replaced.
struct Lies {
    children: i64,
    rows: i64,
    unpacked: i64,
    values: i64,
    offset: Option<i64>,
    dictionary: bool,
    page_type: Option<i64>,
    encoding: i64,
    schema: Option<Vec<Vec<u8>>>,
    footer_length: Option<u32>,
}

const TRUTH: Lies = Lies {
    children: 3,
    rows: 1,
    unpacked: 8,
    values: 1,
    offset: None,
    dictionary: false,
    page_type: None,
    encoding: 0,
    schema: None,
    footer_length: None,
};

impl Lies {
    fn file(self) -> Vec<u8> {
        let names = ["node", "parent", "function"];
        let mut file = b"PAR1".to_vec();
        let mut chunks = Vec::new();
        for name in names {
            let start = file.len() as i64;
            let fields = Out::default().number(1, I32, self.values).number(1, I32, self.encoding);
            let (kind, step, fields) = if self.dictionary {
                (2, 4, fields.end())
            } else {
                (0, 2, fields.number(1, I32, 3).number(1, I32, 3).end())
            };
            let kind = self.page_type.unwrap_or(kind);
            let header = Out::default().number(1, I32, kind).number(1, I32, self.unpacked).number(1, I32, 8);
            file.extend(header.inside(step, fields).end());
            file.extend(17_i64.to_le_bytes());
            let path = [[name.len() as u8].into_iter().chain(name.bytes()).collect()];
            let about = Out::default()
                .number(1, I32, 2)
                .list(1, 5, &[vec![0]])
                .list(1, 8, &path)
                .number(1, I32, 0)
                .number(1, I64, self.rows)
                .number(1, I64, 8)
                .number(1, I64, file.len() as i64 - start)
                .number(2, I64, self.offset.unwrap_or(start))
                .end();
            chunks.push(Out::default().number(2, I64, 0).inside(1, about).end());
        }
        let group = Out::default().list(1, 12, &chunks).number(1, I64, 8).number(1, I64, self.rows).end();
        let column = |it: &str| Out::default().number(1, I32, 2).number(2, I32, 0).text(1, it).end();
        let root = Out::default().text(4, "schema").number(1, I32, self.children).end();
        let schema = self.schema.unwrap_or_else(|| [vec![root], names.map(column).to_vec()].concat());
        let footer = Out::default()
            .number(1, I32, 1)
            .list(1, 12, &schema)
            .number(1, I64, self.rows)
            .list(1, 12, &[group])
            .end();
        file.extend(&footer);
        file.extend(self.footer_length.unwrap_or(footer.len() as u32).to_le_bytes());
        file.extend(b"PAR1");
        file
    }
}

/// A group in a group in a group.
fn nested(depth: usize) -> Vec<Vec<u8>> {
    vec![Out::default().number(3, I32, 0).text(1, "a").number(1, I32, 1).end(); depth]
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("proflens-fleet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn read(path: &Path, rows_are: Use) -> Result<usize, Problem> {
    let mut count = 0;
    TableReader::open(path, &tables::NODES, &["node", "parent", "function"], rows_are)?.read(|rows| {
        count += rows.integers("node").len();
        Ok(())
    })?;
    Ok(count)
}

#[test]
fn what_a_file_says_is_checked_before_room_is_made_for_it() {
    let folder = Folder::new("lies");
    let path = folder.0.join("x.parquet");
    let lies = [
        ("nothing", TRUTH, Use::Kept),
        ("a footer that is longer than the file", Lies { footer_length: Some(u32::MAX), ..TRUTH }, Use::Kept),
        ("two billion columns", Lies { children: i64::from(i32::MAX), ..TRUTH }, Use::Kept),
        ("groups in groups", Lies { schema: Some(nested(100_000)), ..TRUTH }, Use::Kept),
        ("a few groups in groups", Lies { schema: Some(nested(20)), ..TRUTH }, Use::Kept),
        ("rows without end", Lies { rows: i64::MAX, ..TRUTH }, Use::Passing),
        ("more rows than bytes", Lies { rows: 300_000, values: 300_000, ..TRUTH }, Use::Kept),
        ("fewer rows than none", Lies { rows: -1, ..TRUTH }, Use::Kept),
        ("a page of two gigabytes", Lies { unpacked: i64::from(i32::MAX), ..TRUTH }, Use::Kept),
        ("fewer bytes than none", Lies { unpacked: -1, ..TRUTH }, Use::Kept),
        ("more values than rows", Lies { values: 2, ..TRUTH }, Use::Kept),
        (
            "a dictionary of nothing",
            Lies { dictionary: true, values: i64::from(i32::MAX), ..TRUTH },
            Use::Kept,
        ),
        ("a page that readers skip", Lies { page_type: Some(1), ..TRUTH }, Use::Kept),
        ("numbers of no dictionary", Lies { encoding: 8, ..TRUTH }, Use::Kept),
        ("a column before the file", Lies { offset: Some(-1), ..TRUTH }, Use::Kept),
        ("a column after the file", Lies { offset: Some(i64::MAX), ..TRUTH }, Use::Kept),
        ("differences of differences", Lies { encoding: 5, ..TRUTH }, Use::Passing),
    ];
    let mut said = String::new();
    for (what, lies, of) in lies {
        std::fs::write(&path, lies.file()).expect("a folder for temporary files");
        let answer = match read(&path, of) {
            Ok(rows) => format!("{rows} row"),
            Err(problem) => problem.what.replace(&path.display().to_string(), "x"),
        };
        said += &format!("{what}: {answer}\n");
    }
    expect![[r#"
        nothing: 1 row
        a footer that is longer than the file: x cannot be read: it is not Parquet, or it is cut off
        two billion columns: x cannot be read: its list of columns is not that of a table
        groups in groups: x cannot be read: its list of columns is not that of a table
        a few groups in groups: x cannot be read: its list of columns is not that of a table
        rows without end: x cannot be read: it has 9223372036854775807 rows, and a file of its size may have 1349632
        more rows than bytes: x cannot be read: it has 300000 rows, and a file of its size may have 262409
        fewer rows than none: x cannot be read: it has a negative number of rows
        a page of two gigabytes: x cannot be read: it has 6442450941 bytes in pages that are unpacked at once, and a file of its size may have 67125568
        fewer bytes than none: x cannot be read: the header of a page is damaged
        more values than rows: x cannot be read: its pages are not those that it lists
        a dictionary of nothing: x cannot be read: a dictionary has more entries than bytes
        a page that readers skip: x cannot be read: the header of a page is damaged
        numbers of no dictionary: x cannot be read: a column has no dictionary, and is encoded by one
        a column before the file: x cannot be read: a column lies outside of it
        a column after the file: x cannot be read: a column lies outside of it
        differences of differences: x cannot be read: a column is encoded as no table of a lake is
    "#]].assert_eq(&said);
}

#[test]
fn a_text_that_all_rows_have_is_in_memory_once() {
    let folder = Folder::new("texts");
    let path = folder.0.join("x.parquet");
    let rows = 200_000;
    let numbers = || Values::Integers((0..rows).collect());
    let text = |length: usize| Values::Texts(vec![Some("x".repeat(length)); rows as usize]);
    let columns = vec![numbers(), text(100), text(1000), numbers(), numbers(), numbers()];
    let mut writer = TableWriter::create(&path, &tables::FUNCTIONS).expect("it is written");
    writer.row_group(columns).and_then(|()| writer.close()).expect("it is written");
    let columns = ["resource", "name"];
    let mut count = 0;
    let all = TableReader::open(&path, &tables::FUNCTIONS, &columns, Use::Kept).and_then(|it| {
        it.read(|rows| {
            count += rows.texts("name").filter(|it| it.is_some_and(|it| it.len() == 1000)).count();
            Ok(())
        })
    });
    assert_eq!((all, count), (Ok(()), rows as usize));
    // The same, in a file that is too small for that much.
    let mut writer = TableWriter::create(&path, &tables::FUNCTIONS).expect("it is written");
    let same = || Values::Integers(vec![1; rows as usize]);
    writer
        .row_group(vec![same(), text(1000), text(1000), same(), same(), same()])
        .and_then(|()| writer.close())
        .expect("it is written");
    let refused =
        TableReader::open(&path, &tables::FUNCTIONS, &columns, Use::Kept).and_then(|it| it.read(|_| Ok(())));
    let what = refused.err().map(|problem| problem.what).unwrap_or_default();
    assert!(what.contains(" bytes of texts, and a file of its size may have "), "{what}");
}

/// A page that ends inside the length of a text, where the Parquet reader panics. The fuzzer found it.
#[test]
fn a_text_that_is_cut_off_is_a_sentence() {
    let folder = Folder::new("cut");
    let path = folder.0.join("x.parquet");
    std::fs::write(&path, include_bytes!("text-cut-off.parquet")).expect("a folder for temporary files");
    let columns: Vec<_> = tables::SYMBOLS.column_names().collect();
    let read =
        TableReader::open(&path, &tables::SYMBOLS, &columns, Use::Kept).and_then(|it| it.read(|_| Ok(())));
    let sentence =
        format!("{} cannot be read: it is damaged. Remove it, and ingest its shard again.", path.display());
    assert_eq!(read.map_err(|problem| problem.to_string()), Err(sentence));
}

/// A file that is damaged anywhere gives rows or a sentence.
#[test]
fn a_damaged_byte_is_a_sentence_at_most() {
    let folder = Folder::new("bytes");
    let path = folder.0.join("x.parquet");
    let whole = TRUTH.file();
    for at in 0..whole.len() {
        for bits in [1, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= bits;
            std::fs::File::create(&path).and_then(|mut it| it.write_all(&damaged)).expect("it is written");
            let _ = read(&path, Use::Kept);
        }
    }
}
