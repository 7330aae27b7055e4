//! V8's precise coverage, as written by `NODE_V8_COVERAGE` and returned by `Profiler.takePreciseCoverage` of the DevTools
//! protocol: how often each function was called.
//!
//! ```text
//! {"result": [{"url": "file:///w/a.js", "functions": [
//!    {"functionName": "work", "isBlockCoverage": true, "ranges": [
//!       {"startOffset": 12, "endOffset": 80, "count": 600000},      the function
//!       {"startOffset": 30, "endOffset": 41, "count": 7}]}]}]}      a block in it
//! ```
//!
//! Playwright writes the same scripts as a list, with their texts as `source`. `proflens record` writes texts and maps next to them.
//!
//! Not every count is a number of calls. Without `callCount`, V8 only says whether a function ran; and in a program that
//! is counted by blocks, the count of a function without blocks stops when its code is optimised.

use super::error::{DecodeError, Result};
use super::json::{Json, Kind, Number};
use crate::model::{BlockCounts, CountedFunction, CountedScript, Counts, RangeCount, Script};
use crate::problem::{Problem, count};

/// The member of a recording with what was counted in another run.
pub(super) const KEY: &[u8] = b"proflensCounts";
/// The highest number that V8 can write exactly.
const MOST_CALLS: i64 = 1 << 53;

/// Reads a file of coverage.
pub(super) fn read_file(json: &mut Json) -> Result<Counts> {
    if json.at_end()? {
        return Err(DecodeError::Empty);
    }
    if json.kind()? == Kind::Other {
        return Err(DecodeError::NoCoverage);
    }
    let mut coverage = Coverage::default();
    coverage.value(json)?;
    if !json.at_end()? {
        return Err(DecodeError::Syntax { offset: json.offset(), expected: "the end of the file" });
    }
    if coverage.counts.is_empty() {
        return Err(DecodeError::NoCoverage);
    }
    Ok(coverage.finish())
}

/// Reads the counts in a recording.
pub(super) fn read(json: &mut Json) -> Result<Counts> {
    let mut coverage = Coverage::default();
    coverage.value(json)?;
    Ok(coverage.finish())
}

/// Reads the problems that `proflens record` stores with what another run reported: what it found missing there.
pub(super) fn read_problems(json: &mut Json) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    json.enter_array()?;
    while json.next_item()? {
        let mut problem = Problem::default();
        if !json.enter_object()? {
            continue;
        }
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"what" => problem.what = json.string(str::to_owned)?.unwrap_or_default(),
                b"hint" => problem.hint = json.string(str::to_owned)?.unwrap_or_default(),
                _ => json.skip()?,
            }
        }
        problems.push(problem);
    }
    Ok(problems)
}

/// The counts read so far.
#[derive(Default)]
struct Coverage {
    counts: Counts,
    /// Functions with an impossible place or count.
    odd: u64,
    /// Functions that ran but were not counted by blocks, although others were.
    inexact: u64,
}

/// A function as read.
struct CoveredFunction {
    function: CountedFunction,
    by_blocks: bool,
}

impl Coverage {
    /// Reads an object with scripts as its `result`, which may itself be the answer with a `result`; or a list of scripts.
    fn value(&mut self, json: &mut Json) -> Result<()> {
        if json.kind()? == Kind::Array {
            return self.scripts(json);
        }
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match (key.bytes(), json.kind()?) {
                (b"result", Kind::Array) => self.scripts(json)?,
                (b"problems", Kind::Array) => self.counts.problems.extend(read_problems(json)?),
                (b"result", Kind::Object) => {
                    json.enter_object()?;
                    while let Some(inner) = json.next_key()? {
                        if inner.bytes() == b"result" { self.scripts(json)? } else { json.skip()? }
                    }
                }
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    fn scripts(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        while json.next_item()? {
            let (mut script, functions) = covered_script(json)?;
            // Node's own code belongs to no workspace, and code without an address was made by other code.
            if script.url.is_empty() || script.url.starts_with("node:") || functions.is_empty() {
                continue;
            }
            // V8 counts all functions of a script in one way, except for those that it had already compiled.
            let by_blocks = functions.iter().flatten().any(|covered| covered.by_blocks);
            for covered in functions {
                match covered {
                    None => self.odd += 1,
                    Some(covered) if by_blocks && !covered.by_blocks && covered.function.calls > 0 => {
                        self.inexact += 1;
                    }
                    Some(covered) => script.functions.push(covered.function),
                }
            }
            if !script.functions.is_empty() {
                self.counts.scripts.push(script);
            }
        }
        Ok(())
    }

    fn finish(self) -> Counts {
        let Self { mut counts, odd, inexact } = self;
        if odd > 0 {
            let what = format!(
                "{} no place or number of calls that V8 writes",
                count(odd, "function has", "functions have")
            );
            counts.problems.push(Problem::new(what, "they were left out"));
        }
        if inexact > 0 {
            let what = format!(
                "{} compiled before counting began, so that not every call was seen",
                count(inexact, "function was", "functions were")
            );
            counts.problems.push(Problem::new(what, "their numbers were left out"));
        }
        Counts::sum([counts])
    }
}

/// A script without its functions, and the functions as [`covered_function`] reads them.
fn covered_script(json: &mut Json) -> Result<(CountedScript, Vec<Option<CoveredFunction>>)> {
    let (mut script, mut functions) = (CountedScript::default(), Vec::new());
    if !json.enter_object()? {
        return Ok((script, functions));
    }
    while let Some(key) = json.next_key()? {
        let Script { text, map, map_url, .. } = &mut script.script;
        match key.bytes() {
            b"url" => script.url = json.string(str::to_owned)?.unwrap_or_default(),
            b"source" => *text = json.string(|text| text.into())?,
            b"sourceMap" => *map = json.string(|text| text.into())?,
            b"sourceMapUrl" => *map_url = json.string(|text| text.into())?,
            b"functions" if json.kind()? == Kind::Array => {
                json.enter_array()?;
                while json.next_item()? {
                    functions.push(covered_function(json)?);
                }
            }
            _ => json.skip()?,
        }
    }
    Ok((script, functions))
}

/// A function and its number of calls; `None` if it has no place, or a number that V8 never writes.
fn covered_function(json: &mut Json) -> Result<Option<CoveredFunction>> {
    if !json.enter_object()? {
        return Ok(None);
    }
    let (mut name, mut own, mut inside, mut by_blocks) = (Box::default(), None, Vec::new(), false);
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"functionName" => name = json.string(|text| text.into())?.unwrap_or_default(),
            b"isBlockCoverage" => match json.flag()? {
                Some(flag) => by_blocks = flag,
                None => json.skip()?,
            },
            b"ranges" if json.kind()? == Kind::Array => {
                json.enter_array()?;
                // The first range is the function, the others are blocks in it.
                let mut is_first = true;
                while json.next_item()? {
                    let range = range(json)?;
                    if std::mem::take(&mut is_first) { own = range } else { inside.extend(range) }
                }
            }
            _ => json.skip()?,
        }
    }
    Ok(own.map(|own| {
        let RangeCount { start, end, times: calls } = own;
        // V8 does not count the blocks of a function that was never called, of which none ran.
        let blocks = (by_blocks || calls == 0).then_some(BlockCounts { calls, inside });
        let blocks = blocks.into_iter().collect();
        CoveredFunction { function: CountedFunction { name, start, end, calls, blocks }, by_blocks }
    }))
}

/// The start, end and count of a range.
fn range(json: &mut Json) -> Result<Option<RangeCount>> {
    if !json.enter_object()? {
        return Ok(None);
    }
    let (mut start, mut end, mut times) = (None, None, None);
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"startOffset" => start = json.index()?,
            b"endOffset" => end = json.index()?,
            b"count" => times = json.number()?.and_then(calls_of),
            _ => json.skip()?,
        }
    }
    let place = start.zip(end).filter(|(start, end)| start <= end);
    Ok(place.zip(times).map(|((start, end), times)| RangeCount { start, end, times }))
}

fn calls_of(number: Number) -> Option<u64> {
    match number {
        Number::Integer(calls) => u64::try_from(calls).ok().filter(|_| calls <= MOST_CALLS),
        Number::Float(_) => None,
    }
}
