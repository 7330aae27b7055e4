//! The stacks of a thread as JavaScript sees them: frames of scripts, and browser functions that are relevant for it.

use super::functions::{Missing, processed, raw};
use super::tables::{NONE, ThreadTables, at};
use crate::builder::ProfileBuilder;
use crate::model::{FunctionId, PlaceId, Position, SeenPlace, StackId};

/// Marks an entry of a list of ids that was not computed yet.
const OPEN: u32 = NONE - 1;

/// A row of the stack table without the frames that are not kept.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// The stack up to the innermost frame that is kept; [`NONE`] if none is.
    pub(super) stack: u32,
    /// Where that frame runs.
    pub(super) place: Option<PlaceId>,
    /// The category of the innermost frame, kept or not. Frames without one, such as those of machine code, have that of
    /// their caller (`computeStackTableFromRawStackTable` in the profiler's profile-data.ts).
    pub(super) category: u32,
    /// Whether any of its frames belongs to a script.
    pub(super) script: bool,
}

/// A function of a script that waited for the browser.
pub(super) struct Waiting {
    /// Its stack.
    pub(super) stack: StackId,
    /// Where it was.
    pub(super) at: Option<Position>,
    /// The browser function that it called, such as `get HTMLElement.offsetHeight`.
    pub(super) called: Option<FunctionId>,
}

const NOTHING: Kept = Kept { stack: NONE, place: None, category: NONE, script: false };

/// The stacks that were needed so far.
pub(super) struct KeptStacks<'t> {
    view: ThreadTables<'t>,
    /// Whether Proflens wrote the file.
    is_converted: bool,
    /// For each row; the stack is [`OPEN`] if it was not needed yet.
    kept: Vec<Kept>,
    /// For each frame of a raw profile, or function of a processed one, its id, [`NONE`] or [`OPEN`].
    functions: Vec<u32>,
    path: Vec<u32>,
    /// Rows and frames that refer to something that does not exist.
    pub(super) broken: u64,
}

impl<'t> KeptStacks<'t> {
    pub(super) fn new(view: ThreadTables<'t>, is_converted: bool) -> Self {
        let tables = view.tables;
        let functions = tables.frame_location.len().max(tables.function_name.len());
        Self {
            view,
            is_converted,
            kept: vec![Kept { stack: OPEN, ..NOTHING }; tables.stack_frame.len()],
            functions: vec![OPEN; functions],
            path: Vec::new(),
            broken: 0,
        }
    }

    /// The kept part of a row; `None` if the row does not exist.
    pub(super) fn resolve(&mut self, row: u32, builder: &mut ProfileBuilder) -> Option<Kept> {
        let mut at = row;
        // If callers form a cycle, it is cut at the row that was met first.
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

    /// The innermost script function on a row, and what it was waiting for; `None` if there is none.
    pub(super) fn waiting(&mut self, row: u32, builder: &mut ProfileBuilder) -> Option<Waiting> {
        self.resolve(row, builder)?;
        let (mut row, mut called) = (row, None);
        // At most as many steps as there are rows, in case callers form a cycle.
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

    /// The line and column at which a frame runs, 0-based.
    fn place_of(&self, frame: u32) -> (Option<u32>, Option<u32>) {
        let tables = &self.view.tables;
        let known = |it: u32| it.checked_sub(1).filter(|_| it != NONE);
        (known(at(&tables.frame_line, frame)), known(at(&tables.frame_column, frame)))
    }

    /// Puts the frame of a row on top of its caller.
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

    /// The function of a frame; `None` if the JavaScript view leaves it out.
    fn function(&mut self, frame: u32, builder: &mut ProfileBuilder) -> Option<FunctionId> {
        let (view, tables) = (self.view, self.view.tables);
        let is_raw = tables.frame_function.is_empty();
        let index = if is_raw { frame } else { at(&tables.frame_function, frame) };
        let Some(known) = self.functions.get_mut(index as usize) else {
            self.broken += 1;
            return None;
        };
        if *known == OPEN {
            let function = match is_raw {
                true => raw(view, index, builder),
                false => processed(view, index, self.is_converted, builder),
            };
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
