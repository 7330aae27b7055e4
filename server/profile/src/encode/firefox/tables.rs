//! The tables that all threads of a Firefox profile share: stacks of frames, frames of functions, functions of sources.
//!
//! A frame is a function at a place, so one function has many frames. Flags say which cells of a row mean something; all others hold 0.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::encode::json;
use crate::encode::names::{from_one, place_from_one, shown_name};
use crate::encode::texts::TextTable;
use crate::model::{FunctionId, FunctionKind, OffStack, PlaceId, Position, Profile, StackId};

/// The bits of a frame that has these cells.
const FRAME_CATEGORY: u32 = 4;
const FRAME_LINE: u32 = 16;
const FRAME_COLUMN: u32 = 32;

/// The bits of a function that is JavaScript or is shown next to it, and of its cells.
const IS_JS: u32 = 1;
const RELEVANT_FOR_JS: u32 = 2;
const HAS_SOURCE: u32 = 8;
const HAS_LINE: u32 = 16;
const HAS_COLUMN: u32 = 32;

/// The categories, by number. The grey one is for stacks without any.
pub(super) const CATEGORIES: &str = concat!(
    r#"[{"name":"Other","color":"grey","subcategories":["Other"]},"#,
    r#"{"name":"JavaScript","color":"yellow","subcategories":["Other"]},"#,
    r#"{"name":"GC / CC","color":"orange","subcategories":["Other"]}]"#
);
const OTHER: u32 = 0;
const JAVASCRIPT: u32 = 1;
const COLLECTOR: u32 = 2;

/// The tables that only machine code and source maps need.
const NO_ROWS: &str = concat!(
    r#""resourceTable":{"length":0,"name":[],"host":[],"type":[]},"#,
    r#""nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],"functionSize":[]},"#,
    r#""sourceLocationTable":{"length":0,"source":[],"line":[],"column":[]},"#
);

/// A row of the table of functions. Lines and columns count from 1; 0 means none.
struct FirefoxFunction {
    flags: u32,
    category: u32,
    name: u64,
    source: u32,
    line: u64,
    column: u64,
}

/// A row of the table of frames, each once: where the function was, with lines and columns in the same form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FirefoxFrame {
    function: u32,
    line: u64,
    column: u64,
}

/// A row of the table of stacks, each once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FirefoxStack {
    caller: Option<u32>,
    frame: u32,
}

/// Collects the tables of a profile.
pub(super) struct FirefoxTables<'p> {
    profile: &'p Profile,
    pub(super) texts: TextTable<'p>,
    /// The functions of the profile, followed by one for each kind of time on no stack.
    functions: Vec<FirefoxFunction>,
    frames: Vec<FirefoxFrame>,
    frame_ids: FxHashMap<FirefoxFrame, u32>,
    stacks: Vec<FirefoxStack>,
    stack_ids: FxHashMap<FirefoxStack, u32>,
    /// The row of a stack that called something, by the place that the places of its functions follow from.
    callers: FxHashMap<(StackId, Option<PlaceId>), u32>,
}

impl<'p> FirefoxTables<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let mut texts = TextTable::default();
        let scripts = (0..profile.functions.len() as u32).map(FunctionId);
        let mut functions: Vec<FirefoxFunction> =
            scripts.map(|it| FirefoxFunction::of(profile, it, &mut texts)).collect();
        functions.extend(OffStack::ALL.map(|why| {
            let category = if why == OffStack::GarbageCollector { COLLECTOR } else { OTHER };
            FirefoxFunction::native(texts.id(why.frame()), category)
        }));
        Self {
            profile,
            texts,
            functions,
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
            stacks: Vec::new(),
            stack_ids: FxHashMap::default(),
            callers: FxHashMap::default(),
        }
    }

    /// The row of a stack whose innermost function was at this place; time on no stack is a stack with a single frame.
    pub(super) fn stack(&mut self, on: Result<StackId, OffStack>, place: Option<PlaceId>) -> u32 {
        match on {
            Ok(stack) => {
                let caller = self.profile.stacks.caller(stack).map(|it| self.caller(it, place));
                let frame = self.frame(self.profile.stacks.function[stack.0 as usize], place);
                self.row(caller, frame)
            }
            Err(why) => {
                let function = (self.profile.functions.len() + why as usize) as u32;
                let frame = self.frame_row(FirefoxFrame { function, line: 0, column: 0 });
                self.row(None, frame)
            }
        }
    }

    /// The row of a stack that called something. If the trace knows places of callers, the place of a function leads to them.
    fn caller(&mut self, stack: StackId, seen: Option<PlaceId>) -> u32 {
        let profile = self.profile;
        let (mut waiting, mut next, mut seen) = (Vec::new(), Some(stack), seen);
        let mut row = None;
        while let Some(stack) = next {
            seen = seen.filter(|it| profile.places.get(*it).caller.is_some());
            if let Some(&known) = self.callers.get(&(stack, seen)) {
                row = Some(known);
                break;
            }
            let function = profile.stacks.function[stack.0 as usize];
            let at = seen.and_then(|it| profile.places.caller_in(it, function));
            waiting.push((stack, seen, function, at));
            seen = at.or(seen);
            next = profile.stacks.caller(stack);
        }
        for (stack, seen, function, at) in waiting.into_iter().rev() {
            let frame = self.frame(function, at);
            let known = self.row(row, frame);
            self.callers.insert((stack, seen), known);
            row = Some(known);
        }
        row.unwrap_or_default()
    }

    fn frame(&mut self, function: FunctionId, at: Option<PlaceId>) -> u32 {
        let place = at.map(|it| self.profile.places.get(it));
        let (line, column) = place.map_or((0, 0), |it| (from_one(it.line), from_one(it.column)));
        self.frame_row(FirefoxFrame { function: function.0, line, column })
    }

    fn frame_row(&mut self, row: FirefoxFrame) -> u32 {
        let next = self.frames.len() as u32;
        *self.frame_ids.entry(row).or_insert_with(|| {
            self.frames.push(row);
            next
        })
    }

    fn row(&mut self, caller: Option<u32>, frame: u32) -> u32 {
        let (row, next) = (FirefoxStack { caller, frame }, self.stacks.len() as u32);
        *self.stack_ids.entry(row).or_insert_with(|| {
            self.stacks.push(row);
            next
        })
    }

    /// Writes the tables as the member `shared`.
    pub(super) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let profile = self.profile;
        let files: Vec<u64> =
            profile.resources.iter().map(|&it| self.texts.id(profile.strings.get(it))).collect();
        out.write_all(br#""shared":{"#)?;
        self.write_stacks(out)?;
        self.write_frames(out)?;
        self.write_functions(out)?;
        self.write_sources(&files, out)?;
        out.write_all(NO_ROWS.as_bytes())?;
        out.write_all(br#""stringArray":"#)?;
        json::list(self.texts.in_order(), out, json::text)?;
        out.write_all(b"}")
    }

    fn write_stacks(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = &self.stacks;
        out.write_all(br#""stackTable":{"#)?;
        column("frame", rows.iter().map(|it| it.frame), out)?;
        // How many rows above it its caller is; 0 if there is none.
        let offsets = (0..).zip(rows).map(|(row, it)| it.caller.map_or(0, |caller| row - caller));
        column("prefixOffset", offsets, out)?;
        end(rows.len(), out)
    }

    fn write_frames(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = &self.frames;
        out.write_all(br#""frameTable":{"#)?;
        let flags = rows
            .iter()
            .map(|it| FRAME_CATEGORY | if_any(it.line, FRAME_LINE) | if_any(it.column, FRAME_COLUMN));
        column("flags", flags, out)?;
        column("category", rows.iter().map(|it| self.functions[it.function as usize].category), out)?;
        column("func", rows.iter().map(|it| it.function), out)?;
        column("line", rows.iter().map(|it| it.line), out)?;
        column("column", rows.iter().map(|it| it.column), out)?;
        for name in ["address", "subcategory", "lib", "nativeSymbol", "innerWindowID", "originalLocation"] {
            same(name, "0", rows.len(), out)?;
        }
        end(rows.len(), out)
    }

    fn write_functions(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = &self.functions;
        out.write_all(br#""funcTable":{"#)?;
        column("flags", rows.iter().map(|it| it.flags), out)?;
        column("name", rows.iter().map(|it| it.name), out)?;
        column("source", rows.iter().map(|it| it.source), out)?;
        column("lineNumber", rows.iter().map(|it| it.line), out)?;
        column("columnNumber", rows.iter().map(|it| it.column), out)?;
        for name in ["resource", "originalLocation"] {
            same(name, "0", rows.len(), out)?;
        }
        end(rows.len(), out)
    }

    /// The files of functions.
    fn write_sources(&self, files: &[u64], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(br#""sources":{"#)?;
        column("filename", files, out)?;
        for name in ["startLine", "startColumn"] {
            same(name, "1", files.len(), out)?;
        }
        for name in ["id", "sourceMapURL", "content"] {
            same(name, "null", files.len(), out)?;
        }
        end(files.len(), out)
    }
}

impl FirefoxFunction {
    fn of<'p>(profile: &'p Profile, id: FunctionId, texts: &mut TextTable<'p>) -> Self {
        let function = &profile.functions[id.0 as usize];
        match function.kind {
            FunctionKind::Script => {}
            FunctionKind::Native => return Self::native(texts.id(shown_name(profile, id)), OTHER),
            FunctionKind::GarbageCollector => {
                return Self::native(texts.id(shown_name(profile, id)), COLLECTOR);
            }
        }
        let is_at_start =
            function.defined_at.is_none_or(|it| matches!(it, Position { line: 0, column: Some(0) | None }));
        let name = match profile.resource(id).filter(|_| profile.name(id).is_empty() && is_at_start) {
            // The profiler's name for the code outside of all functions.
            Some(file) => texts.id(format!("(root scope) {file}")),
            None => texts.id(shown_name(profile, id)),
        };
        let (line, column) = place_from_one(function.defined_at);
        let has_source = function.resource.map_or(0, |_| HAS_SOURCE);
        let flags = IS_JS | has_source | if_any(line, HAS_LINE) | if_any(column, HAS_COLUMN);
        let source = function.resource.map_or(0, |it| it.0);
        Self { flags, category: JAVASCRIPT, name, source, line, column }
    }

    /// A function of the engine, which is shown next to JavaScript.
    fn native(name: u64, category: u32) -> Self {
        Self { flags: RELEVANT_FOR_JS, category, name, source: 0, line: 0, column: 0 }
    }
}

/// The bit of a cell, if the cell holds anything.
fn if_any(cell: u64, bit: u32) -> u32 {
    if cell > 0 { bit } else { 0 }
}

/// Writes a column of a table, after which more columns follow.
pub(super) fn column(
    name: &str,
    cells: impl IntoIterator<Item = impl std::fmt::Display>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, r#""{name}":"#)?;
    json::list(cells, out, |cell, out| write!(out, "{cell}"))?;
    out.write_all(b",")
}

/// Writes a column of equal cells, after which more columns follow.
fn same(name: &str, cell: &str, rows: usize, out: &mut dyn Write) -> io::Result<()> {
    column(name, std::iter::repeat_n(cell, rows), out)
}

/// Ends a table with this many rows, after which more members follow.
pub(super) fn end(rows: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, r#""length":{rows}}},"#)
}
