//! The places in scripts at which functions were seen running, each once, with the places that they were called from.
//!
//! A sample that says which line it was on has one of these places. In formats that also give the lines of callers, each
//! frame has a place, and the places are linked like callers; in others, only the top of a stack has one:
//!
//! ```text
//! stack        Firefox                                  Chrome
//! main;work    main 3, and work 9 called from there     work 9, called from nobody knows where
//! ```
//!
//! The samples of a function have few places, so the number of a place among those of its function fits in a byte.

use rustc_hash::FxHashMap;

use crate::model::sample::FunctionId;

/// An index into [`Places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub(crate) u32);

/// Where a function was seen running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPlace {
    /// The function.
    pub function: FunctionId,
    /// 0-based line of its script; `None` if only places of its callers are known.
    pub line: Option<u32>,
    /// 0-based column in UTF-16 units, if the format has them: source maps are far more precise with it.
    pub column: Option<u32>,
    /// Where its caller was, which always has a lower index.
    pub caller: Option<PlaceId>,
}

/// All places of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    rows: Vec<Row>,
    /// Sorted by function; those of one function are in the order in which they were first seen.
    by_function: Vec<PlaceId>,
    /// Where the places of each function begin in `by_function`, and, at the end, where the last ones end.
    first: Vec<u32>,
}

/// A [`SeenPlace`] in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    function: FunctionId,
    line: u32,
    column: u32,
    caller: u32,
}

const NONE: u32 = u32::MAX;

impl Places {
    /// All places, callers before callees.
    pub fn iter(&self) -> impl Iterator<Item = SeenPlace> + '_ {
        self.rows.iter().map(|it| it.place())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn get(&self, id: PlaceId) -> SeenPlace {
        self.rows[id.0 as usize].place()
    }

    /// The place with a number, from 1, among those of a function.
    #[inline]
    pub(crate) fn of_function(&self, function: FunctionId, number: u32) -> Option<PlaceId> {
        let first = *self.first.get(function.0 as usize)?;
        self.by_function.get((first + number.checked_sub(1)?) as usize).copied()
    }

    /// The innermost caller of a place that belongs to this function.
    pub(crate) fn caller_in(&self, id: PlaceId, function: FunctionId) -> Option<PlaceId> {
        let mut callers = std::iter::successors(self.get(id).caller, |&it| self.get(it).caller);
        callers.find(|&it| self.get(it).function == function)
    }
}

impl Row {
    fn place(self) -> SeenPlace {
        let Self { function, line, column, caller } = self;
        SeenPlace { function, line: known(line), column: known(column), caller: known(caller).map(PlaceId) }
    }
}

fn known(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

/// Collects places.
#[derive(Debug, Default)]
pub(crate) struct PlaceTable {
    rows: Vec<Row>,
    ids: FxHashMap<Row, PlaceId>,
    /// The number of each place, from 1, among those of its function.
    number: Vec<u32>,
    /// How many places each function has.
    count: Vec<u32>,
}

impl PlaceTable {
    /// The id of a place; `None` if nothing is known about it.
    pub(crate) fn id(&mut self, place: SeenPlace) -> Option<PlaceId> {
        let SeenPlace { function, line, column, caller } = place;
        if line.is_none() && caller.is_none() {
            return None;
        }
        let column = line.and(column).unwrap_or(NONE);
        let row =
            Row { function, line: line.unwrap_or(NONE), column, caller: caller.map_or(NONE, |it| it.0) };
        let next = PlaceId(self.rows.len() as u32);
        let id = *self.ids.entry(row).or_insert(next);
        if id == next {
            self.rows.push(row);
            let function = function.0 as usize;
            if function >= self.count.len() {
                self.count.resize(function + 1, 0);
            }
            self.count[function] += 1;
            self.number.push(self.count[function]);
        }
        Some(id)
    }

    /// The number of a place, from 1, among those of its function.
    #[inline]
    pub(crate) fn number(&self, id: PlaceId) -> u32 {
        self.number[id.0 as usize]
    }

    /// The line of a place.
    pub(crate) fn line(&self, id: PlaceId) -> u32 {
        self.rows[id.0 as usize].line
    }

    /// All places, once the `functions` functions have their final ids.
    pub(crate) fn finish(self, functions: usize, new_id: &[FunctionId]) -> Places {
        let mut rows = self.rows;
        rows.shrink_to_fit();
        rows.iter_mut().for_each(|it| it.function = new_id[it.function.0 as usize]);
        let mut by_function: Vec<PlaceId> = (0..rows.len() as u32).map(PlaceId).collect();
        by_function.sort_by_key(|it| rows[it.0 as usize].function);
        let mut first = vec![0; if rows.is_empty() { 0 } else { functions + 1 }];
        for row in &rows {
            first[row.function.0 as usize + 1] += 1;
        }
        for function in 1..first.len() {
            first[function] += first[function - 1];
        }
        Places { rows, by_function, first }
    }
}
