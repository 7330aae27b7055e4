//! Reads tables of the lake, and the results of queries, from Parquet files: columns of integers and texts, packed by Zstandard.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch};
use fleet::rows::Row;
use fleet::tables::{Table, Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::Type as Physical;
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::schema::types::SchemaDescriptor;
use profile::model::{Amount, Weight};
use profile::problem::Problem;

use crate::damaged::guarded;
use crate::parquet_limits::{Bounded, NotRead, Texts, Use, check_pages, check_rows};

/// How many stacks a session may have: each is there once.
pub(crate) const MAX_STACKS: usize = 1_000_000;
/// How many rows are read at once.
const BATCH_ROWS: usize = 32 << 10;
/// The same if some of their columns are texts.
const TEXT_ROWS: usize = 4 << 10;

/// Rows that were read, with columns by name.
pub(crate) struct Rows {
    len: usize,
    columns: Vec<(&'static str, Column)>,
}

enum Column {
    Integers(Int64Array),
    Texts(Vec<Option<ByteArray>>),
}

impl Rows {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find_map(|(known, column)| (*known == name).then_some(column))
    }

    /// An integer column that was requested.
    pub(crate) fn integers(&self, name: &str) -> &[i64] {
        match self.column(name) {
            Some(Column::Integers(values)) => values.values(),
            _ => &[],
        }
    }

    /// A text column that was requested; one that was not has no values.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = Option<&str>> {
        let values = match self.column(name) {
            Some(Column::Texts(values)) => values.as_slice(),
            _ => &[],
        };
        // They were checked when they were read.
        values.iter().map(|text| text.as_ref()?.as_utf8().ok())
    }

    /// Several integer columns that were requested.
    pub(crate) fn all_integers<const N: usize>(&self, names: [&str; N]) -> [&[i64]; N] {
        names.map(|name| self.integers(name))
    }

    /// Several text columns that were requested.
    pub(crate) fn all_texts<const N: usize>(&self, names: [&str; N]) -> [Vec<Option<&str>>; N] {
        names.map(|name| self.texts(name).collect())
    }
}

/// The time and the samples of a row.
pub(crate) fn weight(ns: i64, samples: i64) -> Weight {
    Weight { time: Amount(ns.cast_unsigned()), samples: samples.cast_unsigned() }
}

/// A file of a table.
pub(crate) struct TableReader {
    path: PathBuf,
    file: Bounded,
    about: ArrowReaderMetadata,
    columns: Vec<Wanted>,
    only: Option<RowSelection>,
}

/// A column that was requested.
struct Wanted {
    name: &'static str,
    kind: Type,
    /// Its number in the file.
    number: usize,
}

impl TableReader {
    /// Opens a file and checks that it has the columns of its table, and takes no more memory than a file of its size may.
    ///
    /// # Errors
    /// If it is not such a file.
    pub(crate) fn open(path: &Path, table: &Table, columns: &[&str], rows_are: Use) -> Result<Self, Problem> {
        guarded(|| Self::checked(path, table, columns, rows_are)).map_err(|why| not_read(path, &why))
    }

    fn checked(path: &Path, table: &Table, columns: &[&str], rows_are: Use) -> Result<Self, NotRead> {
        let file = Bounded::open(path)?;
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_offset_index_policy(PageIndexPolicy::Optional);
        let about = ArrowReaderMetadata::load(&file, options)?;
        let schema = about.metadata().file_metadata().schema_descr();
        let mut wanted = Vec::new();
        for &(name, kind) in table.columns.iter().filter(|column| columns.contains(&column.0)) {
            let column = Wanted::find(name, kind, schema);
            wanted.push(column.ok_or(NotRead::Wrong("its columns are not those of its table"))?);
        }
        let numbers: Vec<usize> = wanted.iter().map(|column| column.number).collect();
        check_rows(&file, about.metadata(), rows_are)?;
        check_pages(&file, about.metadata(), &numbers, rows_are)?;
        Ok(Self { path: path.to_owned(), file, about, columns: wanted, only: None })
    }

    /// The number of rows of the file.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.about.metadata().file_metadata().num_rows()).unwrap_or_default()
    }

    /// Reads only these rows, of integer columns.
    pub(crate) fn only(self, rows: RowSelection) -> Self {
        Self { only: Some(rows), ..self }
    }

    /// Passes on the rows, in order.
    ///
    /// # Errors
    /// If the file is damaged, or `each` fails.
    pub(crate) fn read(self, each: impl FnMut(&Rows) -> Result<(), Problem>) -> Result<(), Problem> {
        if self.columns.iter().all(|column| column.kind == Type::Integer) {
            self.read_integers(each)
        } else {
            self.read_texts(each)
        }
    }

    /// Reads columns, some of which are texts.
    fn read_texts(self, mut each: impl FnMut(&Rows) -> Result<(), Problem>) -> Result<(), Problem> {
        let Self { path, file, about, columns, .. } = self;
        let mut texts = Texts::of(&file);
        let shared = Arc::new(file);
        for group in 0..about.metadata().num_row_groups() {
            let mut readers = guarded(|| readers(&shared, about.metadata(), group, &columns))
                .map_err(|why| not_read(&path, &why))?;
            loop {
                let rows = guarded(|| next_rows(&columns, &mut readers, &mut texts))
                    .map_err(|why| not_read(&path, &why))?;
                if rows.len == 0 {
                    break;
                }
                each(&rows)?;
            }
        }
        Ok(())
    }

    fn read_integers(self, mut each: impl FnMut(&Rows) -> Result<(), Problem>) -> Result<(), Problem> {
        let Self { path, file, about, columns, only } = self;
        let schema = about.metadata().file_metadata().schema_descr_ptr();
        let mask = ProjectionMask::leaves(&schema, columns.iter().map(|column| column.number));
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, about)
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS);
        if let Some(only) = only {
            builder = builder.with_row_selection(only);
        }
        let mut batches = guarded(|| Ok(builder.build()?)).map_err(|why| not_read(&path, &why))?;
        while let Some(batch) = guarded(|| Ok(batches.next().transpose().map_err(ParquetError::from)?))
            .map_err(|why| not_read(&path, &why))?
        {
            let columns = columns.iter().filter_map(|&Wanted { name, .. }| {
                Some((name, Column::Integers(integers(&batch, name)?.clone())))
            });
            each(&Rows { len: batch.num_rows(), columns: columns.collect() })?;
        }
        Ok(())
    }
}

impl Wanted {
    /// A column of a file, if it has one with this name and type.
    fn find(name: &'static str, kind: Type, schema: &SchemaDescriptor) -> Option<Self> {
        let number = schema.columns().iter().position(|column| column.name() == name)?;
        let found = schema.column(number);
        let physical = if kind == Type::Integer { Physical::INT64 } else { Physical::BYTE_ARRAY };
        let is_same = found.physical_type() == physical
            && found.max_rep_level() == 0
            && (found.max_def_level() == 0 || kind == Type::OptionalText);
        is_same.then_some(Self { name, kind, number })
    }
}

/// Reads columns, some of which are texts. A text that many rows have is in memory once: a file of a megabyte may have one of 100 kB in
/// a million rows.
fn readers(
    file: &Arc<Bounded>,
    about: &ParquetMetaData,
    group: usize,
    columns: &[Wanted],
) -> Result<Vec<ColumnReader>, NotRead> {
    let index = about.page_index_for_row_group(group);
    let properties = Arc::new(ReaderProperties::builder().build());
    let group = SerializedRowGroupReader::new(Arc::clone(file), about.row_group(group), index, properties)?;
    Ok(columns.iter().map(|column| group.get_column_reader(column.number)).collect::<Result<_, _>>()?)
}

/// The next rows; none at the end.
fn next_rows(wanted: &[Wanted], readers: &mut [ColumnReader], texts: &mut Texts) -> Result<Rows, NotRead> {
    const DIFFER: NotRead = NotRead::Wrong("its columns have different numbers of rows");
    let mut rows = Rows { len: 0, columns: Vec::new() };
    for (&Wanted { name, .. }, reader) in wanted.iter().zip(readers) {
        let (column, len) = match reader {
            ColumnReader::Int64ColumnReader(reader) => {
                let mut values = Vec::new();
                reader.read_records(TEXT_ROWS, None, None, &mut values)?;
                let len = values.len();
                (Column::Integers(values.into()), len)
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let (mut values, mut is_there) = (Vec::new(), Vec::new());
                let (len, ..) = reader.read_records(TEXT_ROWS, Some(&mut is_there), None, &mut values)?;
                for value in &values {
                    let text = value.as_utf8().map_err(|_| NotRead::Wrong("a text is not UTF-8"))?;
                    texts.add(text)?;
                }
                let mut present = values.into_iter();
                let column = if is_there.is_empty() {
                    present.map(Some).collect()
                } else {
                    is_there.iter().map(|level| if *level > 0 { present.next() } else { None }).collect()
                };
                (Column::Texts(column), len)
            }
            _ => return Err(DIFFER),
        };
        if !rows.columns.is_empty() && rows.len != len {
            return Err(DIFFER);
        }
        rows.len = len;
        rows.columns.push((name, column));
    }
    Ok(rows)
}

fn integers<'b>(batch: &'b RecordBatch, name: &str) -> Option<&'b Int64Array> {
    batch.column_by_name(name).and_then(|column| column.as_any().downcast_ref())
}

/// What is wrong with a file that has a session with more than [`MAX_STACKS`].
pub(crate) fn too_many_stacks(path: &Path) -> Problem {
    not_read(path, &format!("a session has more than {MAX_STACKS} stacks"))
}

/// What is wrong with a file in which the rows of a session are not next to each other.
pub(crate) fn scattered(path: &Path) -> Problem {
    not_read(path, &"the rows of a session are not together")
}

fn not_read(path: &Path, why: &dyn std::fmt::Display) -> Problem {
    Problem::new(format!("{} cannot be read: {why}", path.display()), "remove it, and ingest its shard again")
}

/// The rows of the query `slice`, as written by an engine.
///
/// # Errors
/// If the file is not such a result.
pub(crate) fn read_result(path: &Path) -> Result<Vec<Row>, Problem> {
    guarded(|| rows_of_result(path)).map_err(|why| {
        Problem::new(
            format!("{} is not the result of the query slice: {why}", path.display()),
            "run what proflens-fleet sql slice prints, and write it as Parquet",
        )
    })
}

fn rows_of_result(path: &Path) -> Result<Vec<Row>, NotRead> {
    let file = Bounded::open(path)?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let about = ArrowReaderMetadata::load(&file, options)?;
    let schema = about.metadata().file_metadata().schema_descr_ptr();
    let numbers: Vec<usize> = schema
        .columns()
        .iter()
        .enumerate()
        .filter(|(_, column)| {
            Row::COLUMNS.contains(&column.name()) && column.physical_type() == Physical::INT64
        })
        .map(|(number, _)| number)
        .collect();
    check_rows(&file, about.metadata(), Use::Kept)?;
    check_pages(&file, about.metadata(), &numbers, Use::Kept)?;
    let mask = ProjectionMask::leaves(&schema, numbers);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, about).with_projection(mask);
    let mut all = Vec::new();
    for read in reader.build()? {
        let batch = read.map_err(ParquetError::from)?;
        let mut columns: [&[i64]; Row::COLUMNS.len()] = Default::default();
        for (column, name) in columns.iter_mut().zip(Row::COLUMNS) {
            let found = integers(&batch, name).filter(|found| found.null_count() == 0);
            *column = found.ok_or(NotRead::NoColumn(name))?.values();
        }
        all.extend((0..batch.num_rows()).map(|row| Row::of(columns.map(|column| column[row]))));
    }
    all.sort_unstable();
    Ok(all)
}
