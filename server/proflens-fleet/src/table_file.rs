//! Tables of the lake in Parquet files: columns of integers and texts, packed by Zstandard.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use fleet::Row;
use fleet::tables::{Table, Type};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Type as Physical, ZstdLevel};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use parquet::file::properties::{ReaderProperties, WriterProperties};
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;

use crate::damaged::guarded;
use crate::parquet_limits::{Bounded, NotRead, Texts, Use, check_pages, check_rows};

/// So many rows a page has at most, so that what is not asked for is skipped in small steps.
const PAGE_ROWS: usize = 8192;
/// Ids repeat, but there are many: a dictionary may be so large in bytes.
const DICTIONARY: usize = 16 << 20;
/// So many stacks has a session at most: each is there once.
pub(crate) const MAX_STACKS: usize = 1_000_000;
/// So many rows are read at once.
const BATCH_ROWS: usize = 32 << 10;
/// The same where texts are among their columns.
const TEXT_ROWS: usize = 4 << 10;

/// The values of a column.
pub(crate) enum Values {
    Integers(Vec<i64>),
    Texts(Vec<Option<String>>),
}

/// Writes a table to a file, in row groups.
pub(crate) struct TableWriter {
    path: PathBuf,
    writer: ArrowWriter<File>,
    schema: SchemaRef,
}

impl TableWriter {
    /// Begins a file. Its folder is made if it is not there.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn create(path: &Path, table: &Table) -> Result<Self, String> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let file = std::fs::create_dir_all(folder).and_then(|()| File::create(path));
        let file = file.map_err(|why| not_written(path, &why))?;
        let schema = schema(table);
        let level = ZstdLevel::try_new(3).unwrap_or_default();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by("proflens-fleet".to_owned()) // no version: the same rows are the same bytes
            .set_dictionary_page_size_limit(DICTIONARY)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_write_batch_size(1024)
            .build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        Ok(Self { path: path.to_owned(), writer: writer.map_err(|why| not_written(path, &why))?, schema })
    }

    /// Writes a row group of columns in the order of the table.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn row_group(&mut self, columns: Vec<Values>) -> Result<(), String> {
        let array = |it| -> ArrayRef {
            match it {
                Values::Integers(values) => Arc::new(Int64Array::from(values)),
                Values::Texts(values) => Arc::new(StringArray::from(values)),
            }
        };
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.into_iter().map(array).collect());
        let batch = batch.map_err(|why| not_written(&self.path, &why))?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        written.map_err(|why| not_written(&self.path, &why))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn close(self) -> Result<(), String> {
        self.writer.close().map(|_| ()).map_err(|why| not_written(&self.path, &why))
    }
}

fn schema(table: &Table) -> SchemaRef {
    let field = |&(name, kind): &(&str, Type)| match kind {
        Type::Integer => Field::new(name, DataType::Int64, false),
        Type::Text => Field::new(name, DataType::Utf8, false),
        Type::OptionalText => Field::new(name, DataType::Utf8, true),
    };
    Arc::new(Schema::new(table.columns.iter().map(field).collect::<Vec<_>>()))
}

fn not_written(path: &Path, why: &dyn std::fmt::Display) -> String {
    let why = why.to_string();
    let why = why.trim_start_matches("External: "); // Parquet's word for an error of the disk
    format!("{} cannot be written: {why}. Check the disk, and run it again.", path.display())
}

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

    /// A column of integers that was asked for.
    pub(crate) fn integers(&self, name: &str) -> &[i64] {
        match self.column(name) {
            Some(Column::Integers(values)) => values.values(),
            _ => &[],
        }
    }

    /// A column of texts that was asked for; what was not has none.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = Option<&str>> {
        let values = match self.column(name) {
            Some(Column::Texts(values)) => values.as_slice(),
            _ => &[],
        };
        // They were checked when they were read.
        values.iter().map(|it| it.as_ref().and_then(|it| it.as_utf8().ok()))
    }
}

/// A file of a table.
pub(crate) struct TableReader {
    path: PathBuf,
    file: Bounded,
    about: ArrowReaderMetadata,
    /// The columns that were asked for, with their numbers in the file.
    columns: Vec<(&'static str, Type, usize)>,
    only: Option<RowSelection>,
}

impl TableReader {
    /// Opens a file and checks that it has the columns of its table, and takes no more than a file of its size may.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn open(path: &Path, table: &Table, columns: &[&str], of: Use) -> Result<Self, String> {
        guarded(|| Self::checked(path, table, columns, of)).map_err(|why| not_read(path, &why))
    }

    fn checked(path: &Path, table: &Table, columns: &[&str], of: Use) -> Result<Self, NotRead> {
        let file = Bounded::open(path)?;
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_offset_index_policy(PageIndexPolicy::Optional);
        let about = ArrowReaderMetadata::load(&file, options)?;
        let schema = about.metadata().file_metadata().schema_descr();
        let number = |(name, kind): &(&'static str, Type)| {
            let number = schema.columns().iter().position(|it| it.name() == *name)?;
            let found = schema.column(number);
            let physical = if *kind == Type::Integer { Physical::INT64 } else { Physical::BYTE_ARRAY };
            let is_same = found.physical_type() == physical
                && found.max_rep_level() == 0
                && (found.max_def_level() == 0 || *kind == Type::OptionalText);
            is_same.then_some((*name, *kind, number))
        };
        let asked = table.columns.iter().filter(|it| columns.contains(&it.0));
        let columns: Option<Vec<_>> = asked.map(number).collect();
        let columns = columns.ok_or(NotRead::Wrong("its columns are not those of its table"))?;
        let numbers: Vec<usize> = columns.iter().map(|it| it.2).collect();
        check_rows(&file, about.metadata(), of)?;
        check_pages(&file, about.metadata(), &numbers, of)?;
        Ok(Self { path: path.to_owned(), file, about, columns, only: None })
    }

    /// The number of rows of the file.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.about.metadata().file_metadata().num_rows()).unwrap_or_default()
    }

    /// Only these rows, of columns of integers.
    pub(crate) fn only(self, rows: RowSelection) -> Self {
        Self { only: Some(rows), ..self }
    }

    /// Hands the rows on, in their order.
    ///
    /// # Errors
    /// One sentence, also that of `each`.
    pub(crate) fn read(mut self, mut each: impl FnMut(&Rows) -> Result<(), String>) -> Result<(), String> {
        let path = std::mem::take(&mut self.path);
        let wrong = |why: NotRead| not_read(&path, &why);
        if self.columns.iter().any(|it| it.1 != Type::Integer) {
            let mut texts = Texts::of(&self.file);
            let file = Arc::new(self.file);
            for group in 0..self.about.metadata().num_row_groups() {
                let mut readers =
                    guarded(|| readers(&file, self.about.metadata(), group, &self.columns)).map_err(wrong)?;
                loop {
                    let rows =
                        guarded(|| next_rows(&self.columns, &mut readers, &mut texts)).map_err(wrong)?;
                    if rows.len == 0 {
                        break;
                    }
                    each(&rows)?;
                }
            }
            return Ok(());
        }
        let schema = self.about.metadata().file_metadata().schema_descr_ptr();
        let mask = ProjectionMask::leaves(&schema, self.columns.iter().map(|it| it.2));
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file, self.about)
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS);
        if let Some(only) = self.only {
            builder = builder.with_row_selection(only);
        }
        let mut batches = guarded(|| Ok(builder.build()?)).map_err(wrong)?;
        let mut next = || guarded(|| Ok(batches.next().transpose().map_err(ParquetError::from)?));
        while let Some(batch) = next().map_err(wrong)? {
            let column = |&(name, ..): &(&'static str, Type, usize)| {
                Some((name, Column::Integers(integers(&batch, name)?.clone())))
            };
            let columns = self.columns.iter().filter_map(column).collect();
            each(&Rows { len: batch.num_rows(), columns })?;
        }
        Ok(())
    }
}

/// What reads columns of which some are texts. A text that many rows have is in memory once: a file of a megabyte may have one of 100 kB
/// in a million rows.
fn readers(
    file: &Arc<Bounded>,
    about: &ParquetMetaData,
    group: usize,
    columns: &[(&'static str, Type, usize)],
) -> Result<Vec<ColumnReader>, NotRead> {
    let index = about.page_index_for_row_group(group);
    let properties = Arc::new(ReaderProperties::builder().build());
    let group = SerializedRowGroupReader::new(Arc::clone(file), about.row_group(group), index, properties)?;
    Ok(columns.iter().map(|column| group.get_column_reader(column.2)).collect::<Result<_, _>>()?)
}

/// The next rows; none at the end.
fn next_rows(
    names: &[(&'static str, Type, usize)],
    readers: &mut [ColumnReader],
    texts: &mut Texts,
) -> Result<Rows, NotRead> {
    const DIFFER: NotRead = NotRead::Wrong("its columns have different numbers of rows");
    let mut rows = Rows { len: 0, columns: Vec::new() };
    for ((name, ..), reader) in names.iter().zip(readers) {
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
                let mut values = values.into_iter();
                let column = if is_there.is_empty() {
                    values.map(Some).collect()
                } else {
                    is_there.iter().map(|it| if *it > 0 { values.next() } else { None }).collect::<Vec<_>>()
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

/// The sentence about a session with more than [`MAX_STACKS`].
pub(crate) fn too_many_stacks(path: &Path) -> String {
    not_read(path, &format!("a session has more than {MAX_STACKS} stacks"))
}

/// The sentence about a file in which the rows of a session are no neighbours.
pub(crate) fn scattered(path: &Path) -> String {
    not_read(path, &"the rows of a session are not together")
}

fn not_read(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{} cannot be read: {why}. Remove it, and ingest its shard again.", path.display())
}

/// The rows of the query `slice`, as an engine wrote them.
///
/// # Errors
/// One sentence about a file that is none, or has other columns.
pub(crate) fn read_result(path: &Path) -> Result<Vec<Row>, String> {
    guarded(|| rows_of_result(path)).map_err(|why| {
        let name = path.display();
        format!(
            "{name} is not the result of the query slice: {why}. Run what proflens-fleet sql slice prints, and write it as Parquet."
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
        .filter(|(_, it)| Row::COLUMNS.contains(&it.name()) && it.physical_type() == Physical::INT64)
        .map(|it| it.0)
        .collect();
    check_rows(&file, about.metadata(), Use::Kept)?;
    check_pages(&file, about.metadata(), &numbers, Use::Kept)?;
    let mask = ProjectionMask::leaves(&schema, numbers);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, about).with_projection(mask);
    let mut all = Vec::new();
    for batch in reader.build()? {
        let batch = batch.map_err(ParquetError::from)?;
        let without_null = |name| integers(&batch, name).filter(|column| column.null_count() == 0);
        let columns = Row::COLUMNS.map(|name| without_null(name).map_or(&[][..], |column| column.values()));
        if let Some(at) = columns.iter().position(|it| it.len() != batch.num_rows()) {
            return Err(NotRead::NoColumn(Row::COLUMNS[at]));
        }
        all.extend((0..batch.num_rows()).map(|row| Row::of(columns.map(|it| it[row]))));
    }
    all.sort_unstable();
    Ok(all)
}
