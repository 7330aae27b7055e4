//! Writes tables of the lake as Parquet files: columns of integers and texts, packed by Zstandard.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use fleet::tables::{Table, Type};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use profile::problem::Problem;

/// How many rows a page may have, so that what is not needed can be skipped in small steps.
const PAGE_ROWS: usize = 8192;
/// How many bytes a dictionary may have: ids repeat, but there are many.
const DICTIONARY: usize = 16 << 20;

/// The values of a column.
pub(crate) enum Values {
    Integers(Vec<i64>),
    Texts(Vec<Option<String>>),
}

impl Values {
    /// An integer column, with one value for each row.
    pub(crate) fn integers<R>(rows: &[R], value: impl Fn(&R) -> i64) -> Self {
        Self::Integers(rows.iter().map(value).collect())
    }

    /// A text column, with one value for each row.
    pub(crate) fn texts<R>(rows: &[R], value: impl Fn(&R) -> Option<&str>) -> Self {
        Self::Texts(rows.iter().map(|row| value(row).map(str::to_owned)).collect())
    }

    fn into_array(self) -> ArrayRef {
        match self {
            Self::Integers(values) => Arc::new(Int64Array::from(values)),
            Self::Texts(values) => Arc::new(StringArray::from(values)),
        }
    }
}

/// Writes a table to a file, in row groups.
pub(crate) struct TableWriter {
    path: PathBuf,
    writer: ArrowWriter<File>,
    schema: SchemaRef,
}

impl TableWriter {
    /// Begins a file. Its folder is made if it does not exist.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(path: &Path, table: &Table) -> Result<Self, Problem> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let file = std::fs::create_dir_all(folder)
            .and_then(|()| File::create(path))
            .map_err(|why| not_written(path, &why))?;
        let schema = schema(table);
        let level = ZstdLevel::try_new(3).unwrap_or_default();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by("proflens-fleet".to_owned()) // no version: the same rows are the same bytes
            .set_dictionary_page_size_limit(DICTIONARY)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_write_batch_size(1024)
            .build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .map_err(|why| not_written(path, &why))?;
        Ok(Self { path: path.to_owned(), writer, schema })
    }

    /// Writes a row group of columns in the order of the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn row_group(&mut self, columns: Vec<Values>) -> Result<(), Problem> {
        let arrays = columns.into_iter().map(Values::into_array).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            .map_err(|why| not_written(&self.path, &why))?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        written.map_err(|why| not_written(&self.path, &why))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn close(self) -> Result<(), Problem> {
        self.writer.close().map(|_| ()).map_err(|why| not_written(&self.path, &why))
    }
}

fn schema(table: &Table) -> SchemaRef {
    let fields = table.columns.iter().map(|&(name, kind)| match kind {
        Type::Integer => Field::new(name, DataType::Int64, false),
        Type::Text => Field::new(name, DataType::Utf8, false),
        Type::OptionalText => Field::new(name, DataType::Utf8, true),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn not_written(path: &Path, why: &dyn std::fmt::Display) -> Problem {
    let words = why.to_string();
    let reason = words.trim_start_matches("External: "); // Parquet's word for an error of the disk
    Problem::new(
        format!("{} cannot be written: {reason}", path.display()),
        "check the disk, and run it again",
    )
}
