//! The tables of a profile in columns, in whichever of the two forms they are written.
//!
//! Raw: `{"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}`, where rows may be shorter than the schema.
//! Processed: `{"prefix": [null, 0], "frame": [0, 1]}`. Columns that are not needed are skipped.

use super::flags;
use crate::decode::error::Result;
use crate::decode::json::{FastReader, Json, Number, index_of};

/// Not a number: `null`, missing, negative.
pub(super) const NONE: u32 = u32::MAX;
/// No schema has more columns.
const MAX_COLUMNS: u32 = 64;

/// Each cell is a number, an index or a flag (0 or 1); a column that the file lacks is empty.
pub(super) type Column = Vec<u32>;

#[derive(Default)]
pub(super) struct Tables {
    pub(super) strings: StringTable,
    /// The index of the caller's row.
    pub(super) stack_prefix: Column,
    /// Since version 66: the distance from a row to its caller's; 0 for none.
    pub(super) stack_prefix_offset: Column,
    pub(super) stack_frame: Column,
    /// Raw: a string; see [`super::location`].
    pub(super) frame_location: Column,
    pub(super) frame_relevant: Column,
    /// Processed: a function, instead of [`Tables::frame_location`].
    pub(super) frame_function: Column,
    pub(super) frame_category: Column,
    /// The line that runs.
    pub(super) frame_line: Column,
    pub(super) frame_column: Column,
    /// Since version 71: which cells of a row mean something; see [`flags`].
    pub(super) frame_flags: Column,
    pub(super) function_name: Column,
    pub(super) function_is_js: Column,
    pub(super) function_relevant: Column,
    /// A string; before version 58.
    pub(super) function_file: Column,
    /// A source; since version 58.
    pub(super) function_source: Column,
    pub(super) function_line: Column,
    pub(super) function_column: Column,
    /// Its place in the text that a source map led to; since version 64.
    pub(super) function_original: Column,
    /// Since version 75: what a function is, and which cells of its row mean something.
    pub(super) function_flags: Column,
    pub(super) source_file: Column,
    pub(super) original_source: Column,
    pub(super) original_line: Column,
    pub(super) original_column: Column,
}

/// Many texts stored as one.
#[derive(Default)]
pub(super) struct StringTable {
    text: String,
    ends: Vec<usize>,
}

impl StringTable {
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn get(&self, index: u32) -> Option<&str> {
        let index = index as usize;
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    fn read(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            while json.next_item()? {
                json.string(|text| self.text.push_str(text))?;
                self.ends.push(self.text.len());
            }
        }
        Ok(())
    }
}

/// The tables that explain the samples of a thread: its own, or those that all threads share.
#[derive(Clone, Copy)]
pub(super) struct ThreadTables<'t> {
    pub(super) tables: &'t Tables,
    /// Shared since version 56, when most tables were still in the threads.
    pub(super) strings: &'t StringTable,
    /// The strings that name the sources; shared ever since there are any.
    pub(super) files: &'t Column,
}

impl<'t> ThreadTables<'t> {
    /// Returns `None` while something is missing that may follow.
    pub(super) fn of(own: &'t Tables, shared: &'t Tables) -> Option<Self> {
        let view = Self::of_all_known(own, shared);
        let is_whole = !view.tables.stack_frame.is_empty() && !view.strings.is_empty();
        is_whole.then_some(view)
    }

    pub(super) fn of_all_known(own: &'t Tables, shared: &'t Tables) -> Self {
        Self {
            tables: if own.stack_frame.is_empty() { shared } else { own },
            strings: if own.strings.is_empty() { &shared.strings } else { &own.strings },
            files: if own.source_file.is_empty() { &shared.source_file } else { &own.source_file },
        }
    }
}

/// The number in a row, or [`NONE`].
pub(super) fn at(column: &Column, row: u32) -> u32 {
    column.get(row as usize).copied().unwrap_or(NONE)
}

impl Tables {
    /// The caller of a row of stacks.
    pub(super) fn caller(&self, row: u32) -> u32 {
        match self.stack_prefix_offset.get(row as usize) {
            Some(0) => NONE,
            Some(&offset) => row.checked_sub(offset).unwrap_or(NONE),
            None => at(&self.stack_prefix, row),
        }
    }

    /// Removes meaningless cells from the columns of frames.
    fn apply_frame_flags(&mut self) {
        let cells = [
            (&mut self.frame_category, flags::FRAME_CATEGORY),
            (&mut self.frame_line, flags::FRAME_LINE),
            (&mut self.frame_column, flags::FRAME_COLUMN),
        ];
        for (column, bit) in cells {
            flags::keep(column, &self.frame_flags, bit, NONE);
        }
    }

    /// The same for functions; turns what remains into columns of older versions.
    fn apply_function_flags(&mut self) {
        if self.function_flags.is_empty() {
            return;
        }
        self.function_is_js = flags::column_of(&self.function_flags, flags::IS_JS);
        self.function_relevant = flags::column_of(&self.function_flags, flags::RELEVANT_FOR_JS);
        let cells = [
            (&mut self.function_source, flags::FUNCTION_SOURCE),
            (&mut self.function_line, flags::FUNCTION_LINE),
            (&mut self.function_column, flags::FUNCTION_COLUMN),
            (&mut self.function_original, flags::FUNCTION_ORIGINAL),
        ];
        for (column, bit) in cells {
            flags::keep(column, &self.function_flags, bit, NONE);
        }
    }

    /// Reads a member of a thread, or of the tables that all threads share; `false` if it is not needed, and its
    /// value is still to be read.
    pub(super) fn member(&mut self, key: &[u8], json: &mut Json) -> Result<bool> {
        match key {
            b"stringTable" | b"stringArray" => self.strings.read(json)?,
            b"stackTable" => table(
                json,
                &mut [
                    (b"prefix", &mut self.stack_prefix),
                    (b"prefixOffset", &mut self.stack_prefix_offset),
                    (b"frame", &mut self.stack_frame),
                ],
            )?,
            b"frameTable" => table(
                json,
                &mut [
                    (b"location", &mut self.frame_location),
                    (b"relevantForJS", &mut self.frame_relevant),
                    (b"func", &mut self.frame_function),
                    (b"category", &mut self.frame_category),
                    (b"line", &mut self.frame_line),
                    (b"column", &mut self.frame_column),
                    (b"flags", &mut self.frame_flags),
                ],
            )
            .map(|()| self.apply_frame_flags())?,
            b"funcTable" => table(
                json,
                &mut [
                    (b"name", &mut self.function_name),
                    (b"isJS", &mut self.function_is_js),
                    (b"relevantForJS", &mut self.function_relevant),
                    (b"fileName", &mut self.function_file),
                    (b"source", &mut self.function_source),
                    (b"lineNumber", &mut self.function_line),
                    (b"columnNumber", &mut self.function_column),
                    (b"originalLocation", &mut self.function_original),
                    (b"flags", &mut self.function_flags),
                ],
            )
            .map(|()| self.apply_function_flags())?,
            b"sources" => table(json, &mut [(b"filename", &mut self.source_file)])?,
            b"sourceLocationTable" => table(
                json,
                &mut [
                    (b"source", &mut self.original_source),
                    (b"line", &mut self.original_line),
                    (b"column", &mut self.original_column),
                ],
            )?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Which column each cell of a row belongs to, and the rows that come before the schema.
#[derive(Default)]
pub(super) struct Schema {
    columns: Vec<Option<usize>>,
    early: Vec<Vec<f64>>,
}

/// The type that a cell of a row is read as.
pub(super) trait Cell: Copy {
    const NONE: Self;
    fn of(number: f64) -> Self;
    fn read(json: &mut Json) -> Result<Self>;
    fn read_plain(item: &mut FastReader) -> Option<Self>;
}

/// A number, an index or a flag.
impl Cell for u32 {
    const NONE: Self = NONE;

    fn of(number: f64) -> Self {
        if number.fract() == 0.0 { index_of(number as i64).unwrap_or(NONE) } else { NONE }
    }

    fn read(json: &mut Json) -> Result<Self> {
        Ok(json.index_or_flag()?.unwrap_or(NONE))
    }

    #[inline]
    fn read_plain(item: &mut FastReader) -> Option<Self> {
        if item.takes(b"true") {
            return Some(1);
        }
        if item.takes(b"false") {
            return Some(0);
        }
        Some(index_of(item.integer()?).unwrap_or(NONE))
    }
}

/// A number in millionths. For times, which are milliseconds in the file, these are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Millionths(pub(super) i64);

impl Millionths {
    /// The number as an index.
    pub(super) fn index(self) -> u32 {
        const ONE: i64 = 1_000_000;
        if self.0 % ONE == 0 { index_of(self.0 / ONE).unwrap_or(NONE) } else { NONE }
    }
}

/// An index or a time.
impl Cell for Millionths {
    const NONE: Self = Self(i64::MIN);

    fn of(number: f64) -> Self {
        if number.is_finite() { Self((number * 1e6).round() as i64) } else { Self::NONE }
    }

    fn read(json: &mut Json) -> Result<Self> {
        Ok(json.number()?.map_or(Self::NONE, |it| Self::of(it.as_f64())))
    }

    #[inline]
    fn read_plain(item: &mut FastReader) -> Option<Self> {
        item.millionths().map(Self)
    }
}

impl Schema {
    pub(super) fn read(&mut self, json: &mut Json, names: &[&[u8]]) -> Result<()> {
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                let column = names.iter().position(|&name| name == key.bytes());
                if let Some(cell) = json.index()?.filter(|&cell| cell < MAX_COLUMNS) {
                    let cell = cell as usize;
                    self.columns.resize(self.columns.len().max(cell + 1), None);
                    self.columns[cell] = column;
                }
            }
        }
        Ok(())
    }

    /// The columns that a row has at all.
    fn present(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().flatten().copied()
    }

    /// Passes each row's cells to `take`, in the order of the names of the schema; none yet if the schema is still to follow.
    pub(super) fn rows<C: Cell, const N: usize>(
        &mut self,
        json: &mut Json,
        mut take: impl FnMut(&Self, [C; N]),
    ) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        loop {
            if !self.columns.is_empty() {
                json.fast_items(|item| self.plain_row(item).map(|row| take(self, row)));
            }
            if !json.next_item()? {
                return Ok(());
            }
            let (mut row, mut early) = ([C::NONE; N], Vec::new());
            if json.enter_array()? {
                let mut cell = 0;
                while json.next_item()? {
                    if self.columns.is_empty() && cell < MAX_COLUMNS as usize {
                        early.push(early_cell(json)?);
                    } else if let Some(column) = self.columns.get(cell).copied().flatten() {
                        row[column] = C::read(json)?;
                    } else {
                        json.skip()?;
                    }
                    cell += 1;
                }
            }
            match self.columns.is_empty() {
                true => self.early.push(early),
                false => take(self, row),
            }
        }
    }

    /// A row as Firefox writes it, with nothing but numbers, flags and nulls.
    fn plain_row<C: Cell, const N: usize>(&self, item: &mut FastReader) -> Option<[C; N]> {
        let (mut row, mut columns) = ([C::NONE; N], self.columns.iter());
        item.items(|item| {
            match columns.next().copied().flatten() {
                Some(column) if item.takes(b"null") => row[column] = C::NONE,
                Some(column) => row[column] = C::read_plain(item)?,
                None if item.skips_word() => {}
                None => return None,
            }
            Some(())
        })?;
        Some(row)
    }

    /// Passes on the rows that came before the schema.
    pub(super) fn early_rows<C: Cell, const N: usize>(&self, mut take: impl FnMut(&Self, [C; N])) {
        for early in &self.early {
            let mut row = [C::NONE; N];
            for (&cell, column) in early.iter().zip(&self.columns) {
                if let Some(column) = *column {
                    row[column] = C::of(cell);
                }
            }
            take(self, row);
        }
    }
}

/// A cell of a row whose columns are not known yet: a number, or a flag.
fn early_cell(json: &mut Json) -> Result<f64> {
    let flag = json.flag()?;
    Ok(match flag {
        Some(flag) => f64::from(u32::from(flag)),
        None => json.number()?.map_or(f64::NAN, Number::as_f64),
    })
}

/// Reads a column of a processed table.
pub(super) fn column(json: &mut Json, into: &mut Column) -> Result<()> {
    if !json.enter_array()? {
        return Ok(());
    }
    json.numbers(|number| {
        into.push(match number {
            Some(Number::Integer(value)) => index_of(value).unwrap_or(NONE),
            Some(Number::Float(value)) if value.fract() == 0.0 => index_of(value as i64).unwrap_or(NONE),
            _ => NONE,
        });
    })
}

/// Reads a column of times.
pub(super) fn times(json: &mut Json, into: &mut Vec<Millionths>) -> Result<()> {
    if !json.enter_array()? {
        return Ok(());
    }
    loop {
        json.fast_items(|item| Millionths::read_plain(item).map(|it| into.push(it)));
        if !json.next_item()? {
            return Ok(());
        }
        into.push(Millionths::read(json)?);
    }
}

fn flags(json: &mut Json, into: &mut Column) -> Result<()> {
    if json.enter_array()? {
        while json.next_item()? {
            into.push(json.index_or_flag()?.unwrap_or(NONE));
        }
    }
    Ok(())
}

fn table<const N: usize>(json: &mut Json, columns: &mut [(&[u8], &mut Column); N]) -> Result<()> {
    if !json.enter_object()? {
        return Ok(());
    }
    let mut schema = Schema::default();
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"schema" => schema.read(json, &columns.each_ref().map(|(name, _)| *name))?,
            b"data" => schema.rows(json, |schema, row| push_row(schema, row, columns))?,
            name => match columns.iter_mut().find(|(column, _)| *column == name) {
                Some((b"isJS" | b"relevantForJS", into)) => flags(json, into)?,
                Some((_, into)) => column(json, into)?,
                None => json.skip()?,
            },
        }
    }
    schema.early_rows(|schema, row| push_row(schema, row, columns));
    Ok(())
}

fn push_row<const N: usize>(schema: &Schema, row: [u32; N], columns: &mut [(&[u8], &mut Column); N]) {
    for column in schema.present() {
        columns[column].1.push(row[column]);
    }
}
