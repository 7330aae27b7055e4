//! The stacks of a thread as JavaScript sees them: frames of scripts, and functions of the browser that are relevant for it.

use super::location::{FrameLocation, file_with_line, last_of_chain, parse, relevant_label};
use super::tables::{Column, NONE, ThreadTables, at};
use crate::builder::ProfileBuilder;
use crate::decode::conventions::named;
use crate::model::{FunctionId, PlaceId, Position, SeenPlace, StackId};

/// Not looked at yet, in lists of ids.
const OPEN: u32 = NONE - 1;

/// A row of the stack table without the frames that are not kept.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Up to the innermost frame that is kept; [`NONE`] if none is.
    pub(super) stack: u32,
    /// Where that frame runs.
    pub(super) place: Option<PlaceId>,
    /// That of the innermost frame, kept or not. Frames without one, as those of machine code, have that of their
    /// caller (`computeStackTableFromRawStackTable` in the profiler's profile-data.ts).
    pub(super) category: u32,
    /// Whether a frame of it is of a script.
    pub(super) script: bool,
}

/// A function of a script that waited for the browser.
pub(super) struct Waiting {
    /// Its stack.
    pub(super) stack: StackId,
    /// Where it was.
    pub(super) at: Option<Position>,
    /// The function of the browser that it called, such as `get HTMLElement.offsetHeight`.
    pub(super) called: Option<FunctionId>,
}

const NOTHING: Kept = Kept { stack: NONE, place: None, category: NONE, script: false };

/// Those that were needed so far.
pub(super) struct KeptStacks<'t> {
    view: ThreadTables<'t>,
    /// For each row; [`OPEN`] as stack where it was not needed yet.
    kept: Vec<Kept>,
    /// For each frame of a raw profile, or function of a processed one: its id, [`NONE`] or [`OPEN`].
    functions: Vec<u32>,
    path: Vec<u32>,
    /// Rows and frames that point at something that does not exist.
    pub(super) broken: u64,
}

impl<'t> KeptStacks<'t> {
    pub(super) fn new(view: ThreadTables<'t>) -> Self {
        let tables = view.tables;
        let functions = tables.frame_location.len().max(tables.function_name.len());
        Self {
            view,
            kept: vec![Kept { stack: OPEN, ..NOTHING }; tables.stack_frame.len()],
            functions: vec![OPEN; functions],
            path: Vec::new(),
            broken: 0,
        }
    }

    /// The kept part of a row; `None` if the row does not exist.
    pub(super) fn resolve(&mut self, row: u32, builder: &mut ProfileBuilder) -> Option<Kept> {
        let mut at = row;
        // Where callers run in a circle, it is cut at the row that was met first.
        while let Some(kept @ &mut Kept { stack: OPEN, .. }) = self.kept.get_mut(at as usize) {
            *kept = NOTHING;
            self.path.push(at);
            at = self.view.tables.caller(at);
        }
        let no_caller = at != NONE && at as usize >= self.kept.len();
        self.broken += u64::from(!self.path.is_empty() && (no_caller || self.path.contains(&at)));
        while let Some(row) = self.path.pop() {
            let caller = self.kept.get(self.view.tables.caller(row) as usize).copied().unwrap_or(NOTHING);
            self.kept[row as usize] = self.push_frame(row, caller, builder);
        }
        self.kept.get(row as usize).copied()
    }

    /// The innermost function of a script on a row, and what it was waiting for; `None` if there is none.
    pub(super) fn waiting(&mut self, row: u32, builder: &mut ProfileBuilder) -> Option<Waiting> {
        self.resolve(row, builder)?;
        let (mut row, mut called) = (row, None);
        // As many as there are rows, if callers run in a circle.
        for _ in 0..self.kept.len() {
            let frame = at(&self.view.tables.stack_frame, row);
            match self.function(frame, builder) {
                Some(function) if builder.is_script(function) => {
                    let (line, column) = self.place_of(frame);
                    let at = line.map(|line| Position { line, column });
                    return Some(Waiting { stack: StackId(self.kept[row as usize].stack), at, called });
                }
                Some(function) => called = Some(function),
                None => {}
            }
            row = self.view.tables.caller(row);
            self.kept.get(row as usize)?;
        }
        None
    }

    /// The line and the column at which a frame runs, from 0.
    fn place_of(&self, frame: u32) -> (Option<u32>, Option<u32>) {
        let tables = &self.view.tables;
        let known = |it: u32| it.checked_sub(1).filter(|_| it != NONE);
        (known(at(&tables.frame_line, frame)), known(at(&tables.frame_column, frame)))
    }

    /// Puts the frame of a row on its caller.
    fn push_frame(&mut self, row: u32, caller: Kept, builder: &mut ProfileBuilder) -> Kept {
        let frame = at(&self.view.tables.stack_frame, row);
        let category = match at(&self.view.tables.frame_category, frame) {
            NONE => caller.category,
            own => own,
        };
        match self.function(frame, builder) {
            Some(function) => {
                let below = (caller.stack != NONE).then_some(StackId(caller.stack));
                let stack = builder.stack(below, function).0;
                let script = caller.script || builder.is_script(function);
                let (line, column) = self.place_of(frame);
                let place = builder.place(SeenPlace { function, line, column, caller: caller.place });
                Kept { stack, place, category, script }
            }
            None => Kept { category, ..caller },
        }
    }

    /// The function of a frame; `None` where the view of JavaScript leaves it out.
    fn function(&mut self, frame: u32, builder: &mut ProfileBuilder) -> Option<FunctionId> {
        let (view, tables) = (self.view, self.view.tables);
        let is_raw = tables.frame_function.is_empty();
        let index = if is_raw { frame } else { at(&tables.frame_function, frame) };
        let Some(known) = self.functions.get_mut(index as usize) else {
            self.broken += 1;
            return None;
        };
        if *known == OPEN {
            let function = if is_raw { raw(view, index, builder) } else { processed(view, index, builder) };
            *known = match function {
                Ok(function) => function.map_or(NONE, |function| function.0),
                Err(Missing) => {
                    self.broken += 1;
                    NONE
                }
            };
        }
        (*known != NONE).then_some(FunctionId(*known))
    }
}

/// A frame points at a text that does not exist.
struct Missing;

/// The function of a frame of a raw profile.
fn raw(view: ThreadTables, frame: u32, builder: &mut ProfileBuilder) -> Result<Option<FunctionId>, Missing> {
    let text = view.strings.get(at(&view.tables.frame_location, frame)).ok_or(Missing)?;
    let shown = shown_label(text, &view.tables.frame_relevant, frame);
    Ok(located(text, builder).or_else(|| shown.map(|name| label(name, builder))))
}

/// The name of a label that is relevant for JavaScript, by the column that says so, which old versions lack.
fn shown_label<'t>(text: &'t str, relevant: &Column, row: u32) -> Option<&'t str> {
    match relevant.is_empty() {
        true => relevant_label(text),
        false => (at(relevant, row) == 1).then_some(text),
    }
}

/// A function of a processed profile.
fn processed(
    view: ThreadTables,
    function: u32,
    builder: &mut ProfileBuilder,
) -> Result<Option<FunctionId>, Missing> {
    let ThreadTables { tables, strings, files } = view;
    let name = strings.get(at(&tables.function_name, function)).ok_or(Missing)?;
    if at(&tables.function_is_js, function) != 1 {
        let shown = shown_label(name, &tables.function_relevant, function);
        return Ok(shown.map(|name| label(named(name), builder)));
    }
    // How the profiler names the code outside of all functions; raw profiles have no name there.
    let name = if name.starts_with("(root scope) ") { "" } else { named(name) };
    if tables.function_file.is_empty() && tables.function_source.is_empty() {
        // Before version 4 the name has all of it.
        return Ok(Some(located(name, builder).unwrap_or_else(|| label(name, builder))));
    }
    let file = |source| strings.get(at(files, source));
    let original = at(&tables.function_original, function);
    if let Some(url) = file(at(&tables.original_source, original)) {
        let (line, column) = (at(&tables.original_line, original), at(&tables.original_column, original));
        return Ok(Some(script(name, url, line, column, builder)));
    }
    let url = match at(&tables.function_source, function) {
        NONE => strings.get(at(&tables.function_file, function)),
        source => file(source),
    };
    let (line, column) = (at(&tables.function_line, function), at(&tables.function_column, function));
    if let Some((url, in_url)) = url.and_then(file_with_line).filter(|_| tables.function_column.is_empty()) {
        return Ok(Some(script(name, last_of_chain(url), in_url, line, builder)));
    }
    Ok(Some(script(name, last_of_chain(url.unwrap_or("")), line, column, builder)))
}

fn located(text: &str, builder: &mut ProfileBuilder) -> Option<FunctionId> {
    match parse(text) {
        FrameLocation::Script { name, url, line, column } => {
            Some(script(name, url, line, column.unwrap_or(NONE), builder))
        }
        FrameLocation::Label => None,
    }
}

/// Lines and columns count from 1. Some versions called the first column 0, which cannot be recognised later.
fn script(name: &str, url: &str, line: u32, column: u32, builder: &mut ProfileBuilder) -> FunctionId {
    let name = builder.string(name);
    let resource = (!url.is_empty()).then(|| builder.resource(url));
    let position = line
        .checked_sub(1)
        .filter(|_| line != NONE)
        .map(|line| Position { line, column: (column != NONE).then(|| column.saturating_sub(1)) });
    builder.function(name, resource, position)
}

/// A function of the browser, such as `Performance.now`.
fn label(text: &str, builder: &mut ProfileBuilder) -> FunctionId {
    let name = builder.string(text);
    builder.function(name, None, None)
}
