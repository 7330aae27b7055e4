//! Tables of the lake in Parquet files: columns of integers and texts, packed by Zstandard.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use fleet::Row;
use fleet::tables::{Table, Type};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::WriterProperties;

/// So many rows a page has at most, so that what is not asked for is skipped in small steps.
const PAGE_ROWS: usize = 8192;
/// Ids repeat, but there are many: a dictionary may be so large in bytes.
const DICTIONARY: usize = 16 << 20;
/// So many rows are read at once.
const BATCH_ROWS: usize = 32 << 10;

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
pub(crate) struct Rows(RecordBatch);

impl Rows {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.0.num_rows()
    }

    /// A column of integers that was asked for.
    pub(crate) fn integers(&self, name: &str) -> &[i64] {
        let column = self.0.column_by_name(name).and_then(|it| it.as_any().downcast_ref::<Int64Array>());
        column.map_or(&[], |it| it.values())
    }

    /// A column of texts that was asked for.
    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = Option<&str>> {
        let column = self.0.column_by_name(name).and_then(|it| it.as_any().downcast_ref::<StringArray>());
        let column = column.cloned();
        let len = column.as_ref().map_or(0, Array::len);
        let array = self.0.column_by_name(name).and_then(|it| it.as_any().downcast_ref::<StringArray>());
        (0..len).map(move |row| array.filter(|it| it.is_valid(row)).map(|it| it.value(row)))
    }
}

/// A file of a table.
pub(crate) struct TableReader {
    path: PathBuf,
    builder: ParquetRecordBatchReaderBuilder<File>,
}

impl TableReader {
    /// Opens a file and checks that it has the columns of its table.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn open(path: &Path, table: &Table, columns: &[&str]) -> Result<Self, String> {
        let file = File::open(path).map_err(|why| not_read(path, &why))?;
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
            .map_err(|why| not_read(path, &why))?;
        let expected = schema(table);
        let found = builder.schema();
        for name in columns {
            let of = |it: &Schema| it.field_with_name(name).map(|it| it.data_type().clone()).ok();
            if of(found).is_none() || of(found) != of(&expected) {
                return Err(not_read(
                    path,
                    &format!("its column {name} is not that of the table {}", table.name),
                ));
            }
        }
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        let builder = builder.with_projection(mask).with_batch_size(BATCH_ROWS);
        Ok(Self { path: path.to_owned(), builder })
    }

    /// The number of rows of the file.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.builder.metadata().file_metadata().num_rows()).unwrap_or_default()
    }

    /// Only these rows.
    pub(crate) fn only(self, rows: RowSelection) -> Self {
        Self { builder: self.builder.with_row_selection(rows), ..self }
    }

    /// Hands the rows on, in their order.
    ///
    /// # Errors
    /// One sentence, also that of `each`.
    pub(crate) fn read(self, mut each: impl FnMut(&Rows) -> Result<(), String>) -> Result<(), String> {
        let reader = self.builder.build().map_err(|why| not_read(&self.path, &why))?;
        for batch in reader {
            each(&Rows(batch.map_err(|why| not_read(&self.path, &why))?))?;
        }
        Ok(())
    }
}

fn not_read(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{} cannot be read: {why}. Remove it, and ingest its shard again.", path.display())
}

/// The rows of the query `slice`, as an engine wrote them.
///
/// # Errors
/// One sentence about a file that is none, or has other columns.
pub(crate) fn read_result(path: &Path) -> Result<Vec<Row>, String> {
    let wrong = |why: &dyn std::fmt::Display| {
        let name = path.display();
        format!(
            "{name} is not the result of the query slice: {why}. Run what proflens-fleet sql slice prints, and write it as Parquet."
        )
    };
    let file = File::open(path).map_err(|why| wrong(&why))?;
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).and_then(ParquetRecordBatchReaderBuilder::build);
    let mut all = Vec::new();
    for batch in reader.map_err(|why| wrong(&why))? {
        let rows = Rows(batch.map_err(|why| wrong(&why))?);
        let has_null = |it| rows.0.column_by_name(it).is_some_and(|it| it.null_count() > 0);
        let columns = Row::COLUMNS.map(|it| if has_null(it) { &[] } else { rows.integers(it) });
        if let Some(at) = columns.iter().position(|it| it.len() != rows.len()) {
            return Err(wrong(&format!(
                "it has no column {} of integers of 64 bits without nulls",
                Row::COLUMNS[at]
            )));
        }
        all.extend((0..rows.len()).map(|row| Row::of(columns.map(|it| it[row]))));
    }
    all.sort_unstable();
    Ok(all)
}
