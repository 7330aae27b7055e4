//! The lists of a slice: its files, its functions and its stacks, and what was odd in them.

use rustc_hash::FxHashMap;

use super::super::error::Result;
use super::super::json::{Json, Number, index_of};
use crate::builder::ProfileBuilder;
use crate::model::{
    Amount, FunctionId, OffStack, Position, Script, Spread, Squares, StackId, StringId, Weight,
};
use crate::problem::count;

/// The highest time or number of samples: slices are made with signed 64-bit integers.
const MAX: u64 = i64::MAX as u64;

/// Instead of an index: none, or an impossible one.
const NONE: u32 = u32::MAX;
/// Instead of the caller of a stack: its number is not an index at all.
const WRONG: u32 = u32::MAX - 1;

/// What was odd, counted.
#[derive(Default)]
pub(super) struct SliceFaults {
    pub(super) sums_differ: bool,
    pub(super) numbers: u64,
    lost_rows: u64,
    wrong_stacks: u64,
    wrong_files: u64,
    wrong_spreads: u64,
    wrong_self_times: u64,
}

/// An original file.
pub(super) struct SourceFile {
    path: String,
    text: Option<Box<str>>,
}

/// A function as in the slice.
#[derive(Default)]
pub(super) struct RawFunction {
    name: StringId,
    file: Option<u32>,
    url: Option<Box<str>>,
    line: Option<u32>,
    column: Option<u32>,
    sessions: Option<u64>,
    times: [Option<u64>; 2],
    squares: Option<Squares>,
    percentiles: [Option<[Amount; 3]>; 2],
}

/// The stacks in columns.
#[derive(Default)]
pub(super) struct StackColumns {
    parent: Vec<u32>,
    function: Vec<u32>,
    time: Vec<u64>,
    samples: Vec<u64>,
}

impl SliceFaults {
    /// Reads a non-negative integer; anything else counts as 0.
    pub(super) fn whole(&mut self, json: &mut Json) -> Result<u64> {
        let number = json.number()?;
        Ok(self.whole_of(number))
    }

    fn whole_of(&mut self, number: Option<Number>) -> u64 {
        let whole = match number {
            Some(Number::Integer(it)) => u64::try_from(it).ok(),
            // Some languages write large numbers as 1e18.
            Some(Number::Float(it)) if (0.0..=MAX as f64).contains(&it) && it.fract() == 0.0 => {
                Some((it as u64).min(MAX))
            }
            _ => None,
        };
        self.numbers += u64::from(whole.is_none());
        whole.unwrap_or_default()
    }

    /// Reads a list of non-negative integers.
    fn list(&mut self, json: &mut Json) -> Result<Vec<u64>> {
        let mut list = Vec::new();
        if json.enter_array()? {
            json.numbers(|it| list.push(self.whole_of(it)))?;
        }
        Ok(list)
    }

    /// Reads a time and a number of samples.
    pub(super) fn two(&mut self, json: &mut Json) -> Result<[u64; 2]> {
        let list = self.list(json)?;
        self.numbers += u64::from(list.len() != 2);
        Ok([0, 1].map(|it| list.get(it).copied().unwrap_or_default()))
    }

    /// Reports a problem of each kind.
    pub(super) fn note(&self, builder: &mut ProfileBuilder) {
        let mut note = |number: u64, one: &str, many: &str, hint: &str| {
            if number > 0 {
                builder.problem(count(number, one, many), hint);
            }
        };
        note(
            self.numbers,
            "number is negative, too large or missing",
            "numbers are negative, too large or missing",
            "they count as 0; make the slice again",
        );
        note(
            self.lost_rows,
            "stack is not in all columns",
            "stacks are not in all columns",
            "they were left out; make the slice again",
        );
        note(
            self.wrong_stacks,
            "stack names a function or a caller that is not there",
            "stacks name functions or callers that are not there",
            "their time is counted as unknown; make the slice again",
        );
        note(
            self.wrong_files,
            "function names a file that is not there",
            "functions name files that are not there",
            "they are not placed; make the slice again",
        );
        note(
            self.wrong_self_times,
            "function has another self time than its stacks",
            "functions have another self time than their stacks",
            "the stacks count, and how sessions differ is not shown for them; make the slice again",
        );
        note(
            self.wrong_spreads,
            "function has sessions or percentiles that cannot be",
            "functions have sessions or percentiles that cannot be",
            "they are not shown; make the slice again",
        );
        if self.sums_differ {
            let what = "its times add up to another sum than it says".to_owned();
            builder.problem(what, "what they add up to is shown; make the slice again");
        }
    }
}

impl SourceFile {
    pub(super) fn read(json: &mut Json) -> Result<Self> {
        let mut file = Self { path: String::new(), text: None };
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"path" => file.path = json.string(str::to_owned)?.unwrap_or_default(),
                    b"text" => file.text = json.string(|it| it.into())?,
                    _ => json.skip()?,
                }
            }
        }
        Ok(file)
    }
}

impl RawFunction {
    pub(super) fn read(
        json: &mut Json,
        faults: &mut SliceFaults,
        builder: &mut ProfileBuilder,
    ) -> Result<Self> {
        let mut function = Self { name: builder.string(""), ..Self::default() };
        if !json.enter_object()? {
            return Ok(function);
        }
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"name" => function.name = json.string(|it| builder.string(it))?.unwrap_or(function.name),
                b"file" => function.file = Some(json.index()?.unwrap_or(NONE)),
                b"url" => function.url = json.string(|it| (!it.is_empty()).then(|| it.into()))?.flatten(),
                b"line" => function.line = json.index()?,
                b"column" => function.column = json.index()?,
                b"sessions" => function.sessions = Some(faults.whole(json)?),
                b"selfNs" => function.times[0] = Some(faults.whole(json)?),
                b"totalNs" => function.times[1] = Some(faults.whole(json)?),
                b"selfPercentilesNs" => function.percentiles[0] = read_percentiles(json)?,
                b"totalPercentilesNs" => function.percentiles[1] = read_percentiles(json)?,
                b"squares" => function.squares = read_squares(json)?,
                _ => json.skip()?,
            }
        }
        Ok(function)
    }

    /// How its costs differed between sessions; `None` if it does not say, or says something impossible.
    fn spread(&self, all: u64, faults: &mut SliceFaults) -> Option<Spread> {
        let sessions = self.sessions?;
        // The square of a sum is at most the sum of squares times their number (Cauchy and Schwarz), except for the width
        // of buckets, because squares are added up by bucket.
        let squares = self.squares.unwrap_or_default();
        let are_possible = squares.iter().zip(self.times).all(|(square, time)| {
            let time = time.unwrap_or_default() as f64;
            square * sessions as f64 >= time * time * 0.95
        });
        let has_squares = self.squares.is_none() || are_possible;
        let percentiles = match self.percentiles {
            [Some(own), Some(all)] if own.is_sorted() && all.is_sorted() => Some([own, all]),
            _ => None,
        };
        if !(1..=all).contains(&sessions) || !has_squares {
            faults.wrong_spreads += 1;
            return None;
        }
        faults.wrong_spreads += u64::from(percentiles.is_none());
        Some(Spread { sessions, squares, percentiles })
    }
}

fn read_percentiles(json: &mut Json) -> Result<Option<[Amount; 3]>> {
    let mut list = Vec::new();
    if json.enter_array()? {
        json.numbers(|it| list.push(it))?;
    }
    let amounts = list.into_iter().map(|it| match it {
        Some(Number::Integer(it)) => u64::try_from(it).ok().map(Amount),
        _ => None,
    });
    let list: Option<Vec<Amount>> = amounts.collect();
    Ok(list.and_then(|it| it.try_into().ok()))
}

fn read_squares(json: &mut Json) -> Result<Option<Squares>> {
    let mut list = Vec::new();
    if json.enter_array()? {
        json.numbers(|it| list.push(it.map_or(-1.0, Number::as_f64)))?;
    }
    Ok(list.try_into().ok().filter(|it: &Squares| it.iter().all(|&it| it >= 0.0)))
}

/// Makes the functions of a slice.
pub(super) fn functions(
    raw: &[RawFunction],
    files: Vec<SourceFile>,
    faults: &mut SliceFaults,
    builder: &mut ProfileBuilder,
) -> Vec<FunctionId> {
    let files: Vec<(String, u32)> = files
        .into_iter()
        .map(|SourceFile { path, text }| {
            (path, builder.script(Script { text, is_source: true, ..Script::default() }))
        })
        .collect();
    let mut known: FxHashMap<FunctionId, ()> = FxHashMap::default();
    let functions = raw.iter().map(|it| {
        let file = it.file.and_then(|file| files.get(file as usize));
        faults.wrong_files += u64::from(it.file.is_some() && file.is_none());
        let url = file.map(|it| it.0.as_str()).or(it.url.as_deref());
        let resource = url.map(|it| builder.resource(it));
        let position = it.line.map(|line| Position { line, column: it.column });
        let function = builder.function(it.name, resource, position);
        if known.insert(function, ()).is_none()
            && let Some((_, script)) = file
        {
            builder.in_script(function, *script);
        }
        function
    });
    functions.collect()
}

/// How the costs of functions differed between `sessions`; `own` holds the self time of each function of the slice.
pub(super) fn spreads(
    raw: Vec<RawFunction>,
    functions: &[FunctionId],
    (own, sessions): (&[Amount], u64),
    faults: &mut SliceFaults,
) -> Vec<(FunctionId, Spread)> {
    let mut spreads: Vec<(FunctionId, Option<Spread>)> = Vec::new();
    for ((raw, &function), own) in raw.iter().zip(functions).zip(own) {
        let is_other = raw.times[0].is_some_and(|it| it != own.0);
        faults.wrong_self_times += u64::from(is_other);
        let spread = if is_other { None } else { raw.spread(sessions, faults) };
        spreads.push((function, spread));
    }
    // If a function is listed twice, only the sum is known.
    spreads.sort_by_key(|it| it.0);
    let once = spreads.chunk_by(|a, b| a.0 == b.0).filter(|it| it.len() == 1);
    once.filter_map(|it| Some((it[0].0, it[0].1?))).collect()
}

impl StackColumns {
    pub(super) fn read(&mut self, json: &mut Json, faults: &mut SliceFaults) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"parent" => self.parent = read_indices(json, true)?,
                b"function" => self.function = read_indices(json, false)?,
                b"ns" => self.time = faults.list(json)?,
                b"samples" => self.samples = faults.list(json)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    /// Adds the time of all stacks. Returns the self time of each function of the slice.
    pub(super) fn add(
        self,
        functions: &[FunctionId],
        sum: &mut Weight,
        faults: &mut SliceFaults,
        builder: &mut ProfileBuilder,
    ) -> Vec<Amount> {
        let lengths = [self.parent.len(), self.function.len(), self.time.len(), self.samples.len()];
        let (rows, longest) = lengths.into_iter().fold((usize::MAX, 0), |(a, b), it| (a.min(it), b.max(it)));
        faults.lost_rows = (longest - rows) as u64;
        let mut own = vec![Amount(0); functions.len()];
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(rows);
        for row in 0..rows {
            let (parent, function) = (self.parent[row], self.function[row] as usize);
            let caller = match parent {
                NONE => Some(None),
                // A caller comes before its callees, so there are no cycles.
                _ => stacks.get(parent as usize).copied().flatten().map(Some),
            };
            let stack = caller
                .zip(functions.get(function))
                .map(|(caller, &function)| builder.stack(caller, function));
            stacks.push(stack);
            faults.wrong_stacks += u64::from(stack.is_none());
            let weight = Weight { time: Amount(self.time[row]), samples: self.samples[row] };
            let weight = added(sum, weight, faults);
            match stack {
                Some(_) if weight == Weight::default() => {}
                Some(stack) => {
                    own[function] += weight.time;
                    builder.add_on_stack(stack, weight);
                }
                None => builder.add_off_stack(OffStack::Unknown, weight),
            }
        }
        own
    }
}

/// Reads indices; with `or_none`, -1 means none.
fn read_indices(json: &mut Json, or_none: bool) -> Result<Vec<u32>> {
    let mut indices = Vec::new();
    if json.enter_array()? {
        json.numbers(|it| {
            indices.push(match it {
                Some(Number::Integer(-1)) if or_none => NONE,
                Some(Number::Integer(it)) => index_of(it).unwrap_or(WRONG),
                _ => WRONG,
            });
        })?;
    }
    Ok(indices)
}

/// Adds to a sum unless that would make it too large, and returns what was added.
pub(super) fn added(sum: &mut Weight, weight: Weight, faults: &mut SliceFaults) -> Weight {
    let time = sum.time.0.checked_add(weight.time.0).filter(|&it| it <= MAX);
    let samples = sum.samples.checked_add(weight.samples).filter(|&it| it <= MAX);
    let (Some(time), Some(samples)) = (time, samples) else {
        faults.numbers += 1;
        return Weight::default();
    };
    *sum = Weight { time: Amount(time), samples };
    weight
}
