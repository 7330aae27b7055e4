//! Reads what tools wrote of function names before there were `scopes`: Pasta's function mappings
//! (`x_com_bloomberg_sourcesFunctionMappings`) and Metro's function maps (`x_facebook_sources`). Both tell
//! for each source where its functions stand.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::json::{self, Json, Kind};
use super::vlq::{self, NoVlq};
use super::{Section, SourceMap};
use crate::text::LineCol;

/// The named functions of an original text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionMap {
    /// Ordered by start, what is around before what is inside.
    pub spans: Vec<NamedSpan>,
    /// What they are called. `<global>` and `<anonymous>` of Metro are left as they are.
    pub names: Vec<String>,
}

/// Where a name holds in an original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSpan {
    /// Where it starts: 0-based, UTF-16.
    pub start: LineCol,
    /// Where it ends, exclusive.
    pub end: LineCol,
    /// An index into [`FunctionMap::names`].
    pub name: u32,
}

impl FunctionMap {
    /// The name of the innermost function around an original place.
    pub fn name_at(&self, at: LineCol) -> Option<&str> {
        let until = self.spans.partition_point(|it| it.start <= at);
        self.spans[..until].iter().rfind(|it| at < it.end).map(|it| self.names[it.name as usize].as_str())
    }
}

impl SourceMap<'_> {
    /// The named functions of a source; `None` if the map does not tell, or nothing that can be read.
    pub fn function_map(&self, source: u32) -> Option<FunctionMap> {
        let section = self
            .sections
            .iter()
            .find(|it| (it.first_source..it.first_source + it.sources).contains(&source))?;
        let index = (source - section.first_source) as usize;
        let metro = section.metro.get(index).and_then(|raw| metro(raw));
        metro.or_else(|| self.pasta(section, section.pasta.get(index)?))
    }

    fn pasta(&self, section: &Section<'_>, raw: &str) -> Option<FunctionMap> {
        let mut names = Names::default();
        let name = |index: i64| {
            names.add(index, || section.name(index).and_then(|it| self.name(it)).map(Cow::into_owned))
        };
        let mut spans = spans_of_pasta(&json::text(raw)?, name).ok()?;
        spans.sort_by_key(|it| (it.start, std::cmp::Reverse(it.end)));
        Some(FunctionMap { spans, names: names.list })
    }
}

/// The names that a function map uses, each once.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    known: FxHashMap<i64, u32>,
}

impl Names {
    fn add(&mut self, index: i64, read: impl FnOnce() -> Option<String>) -> u32 {
        *self.known.entry(index).or_insert_with(|| {
            self.list.push(read().unwrap_or_default());
            self.list.len() as u32 - 1
        })
    }
}

/// Five numbers a function: its name, the line and column of its start, those of its end. The start is
/// counted from the end of the function before, the end's line from the start.
fn spans_of_pasta(text: &str, mut name_of: impl FnMut(i64) -> u32) -> Result<Vec<NamedSpan>, NoVlq> {
    let (mut name, mut line, mut start_column, mut end_column) = (0_i64, 0_i64, 0_i64, 0_i64);
    let mut spans = Vec::new();
    for item in text.split(',').filter(|it| !it.is_empty()) {
        let mut at = 0;
        let mut next = || vlq::signed(item.as_bytes(), &mut at);
        name += next()?;
        line += next()?;
        start_column += next()?;
        let start = place(line, start_column)?;
        line += next()?;
        end_column += next()?;
        let end = place(line, end_column)?;
        spans.push(NamedSpan { start, end, name: name_of(name) });
    }
    Ok(spans)
}

/// The first of a source's metadata: where each name starts to hold. Each holds up to the next.
fn metro(raw: &str) -> Option<FunctionMap> {
    let metadata = *json::items(raw)?.first()?;
    let (mut names, mut mappings) = (Vec::new(), None);
    let mut json = Json::new(metadata);
    if json.kind().ok()? != Kind::Object {
        return None;
    }
    json.members(|field, json| {
        let value = json.value()?;
        match field {
            "names" => names = json::items(value).unwrap_or_default(),
            "mappings" => mappings = json::text(value),
            _ => {}
        }
        Ok(())
    })
    .ok()?;
    let mut used = Names::default();
    let name = |index: i64| {
        used.add(index, || {
            let raw = names.get(usize::try_from(index).ok()?)?;
            json::text(raw).map(Cow::into_owned)
        })
    };
    let spans = spans_of_metro(&mappings?, name).ok()?;
    Some(FunctionMap { spans, names: used.list })
}

/// Groups that `;` parts, each of a line of its own: a column, a name, and for the first of a group how
/// many lines on it is. Columns start anew in each group.
fn spans_of_metro(text: &str, mut name_of: impl FnMut(i64) -> u32) -> Result<Vec<NamedSpan>, NoVlq> {
    let (mut line, mut name) = (0_i64, 0_i64);
    let mut spans: Vec<NamedSpan> = Vec::new();
    for group in text.split(';') {
        let mut column = 0_i64;
        for item in group.split(',').filter(|it| !it.is_empty()) {
            let mut at = 0;
            column += vlq::signed(item.as_bytes(), &mut at)?;
            name += vlq::signed(item.as_bytes(), &mut at)?;
            if at < item.len() {
                line += vlq::signed(item.as_bytes(), &mut at)?;
            }
            let start = place(line, column)?;
            if let Some(last) = spans.last_mut() {
                if start < last.start {
                    return Err(NoVlq);
                }
                last.end = start;
            }
            let end = LineCol { line: u32::MAX, column: u32::MAX };
            spans.push(NamedSpan { start, end, name: name_of(name) });
        }
    }
    Ok(spans)
}

fn place(line: i64, column: i64) -> Result<LineCol, NoVlq> {
    let number = |it: i64| u32::try_from(it).map_err(|_| NoVlq);
    Ok(LineCol { line: number(line)?, column: number(column)? })
}
