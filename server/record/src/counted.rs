//! The counts of the threads of a run: how often each function was called, in the texts as a recording keeps them.

use std::collections::HashMap;
use std::io::{self, Write};

use profile::model::{BlockCounts, CountedFunction, CountedScript, Counts, RangeCount};
use serde::Deserialize;
use serde_json::json;

use crate::v8_profile::Script;

/// A longer text would be a single JSON string that no reader accepts; its functions are looked for on disk instead.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// The counts of a script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartCounts {
    script_id: String,
    url: String,
    functions: Vec<PartFunction>,
}

/// A function: its name, whether it was counted by blocks, and the start, end and count of itself and of each of its blocks.
#[derive(Debug, Deserialize)]
struct PartFunction(String, bool, Vec<(u32, u32, u64)>);

/// The text of a script as it ran, before it is changed to contain what only its loader knew.
#[derive(Debug)]
pub(crate) struct TextBefore {
    units: u32,
    text: String,
}

impl TextBefore {
    pub(crate) fn of(script: &Script) -> Self {
        Self { units: units(&script.text), text: script.text.clone() }
    }

    /// Maps a place to the new text. Only the address of the map changes, in a comment in which nothing else starts or ends.
    fn moved(&self, now: &str) -> impl Fn(u32) -> u32 + use<> {
        let same = self.text.char_indices().zip(now.chars()).find(|((_, one), other)| one != other);
        let first = same.map_or(u32::MAX, |((at, _), _)| units(&self.text[..at]));
        let (before, after) = (u64::from(self.units), u64::from(units(now)));
        move |offset| match (u64::from(offset) + after).saturating_sub(before) {
            _ if offset <= first => offset,
            moved => u32::try_from(moved).unwrap_or(u32::MAX),
        }
    }
}

/// The length of a text in UTF-16 units.
fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// The counts of one thread, in the final texts of its scripts; `before` holds them as they ran. Both are by V8's script number.
pub(crate) fn counts(
    parts: Vec<PartCounts>,
    scripts: &[Script],
    before: &HashMap<String, TextBefore>,
) -> Counts {
    let of_id: HashMap<&str, &Script> = scripts.iter().map(|script| (script.id.as_str(), script)).collect();
    let counted = parts.into_iter().map(|part| {
        let script = of_id.get(part.script_id.as_str()).filter(|script| script.text.len() <= MAX_TEXT_BYTES);
        let moved = script.and_then(|script| Some(before.get(&part.script_id)?.moved(&script.text)));
        let place = |offset| moved.as_ref().map_or(offset, |moved| moved(offset));
        let range = |(start, end, times)| RangeCount { start: place(start), end: place(end), times };
        let functions = part.functions.into_iter().filter_map(|PartFunction(name, by_blocks, ranges)| {
            let mut ranges = ranges.into_iter().map(range);
            let own = ranges.next().filter(|own| by_blocks || own.times == 0)?;
            let RangeCount { start, end, times: calls } = own;
            let blocks = vec![BlockCounts { calls, inside: ranges.collect() }];
            Some(CountedFunction { name: name.into(), start, end, calls, blocks })
        });
        let text = script.map(|script| profile::model::Script {
            text: Some(script.text.as_str().into()),
            map: script.map.as_deref().map(Into::into),
            map_url: script.map_url.as_deref().map(Into::into),
            ..profile::model::Script::default()
        });
        CountedScript { url: part.url, script: text.unwrap_or_default(), functions: functions.collect() }
    });
    Counts::sum(counted.map(|script| Counts { scripts: vec![script], problems: Vec::new() }))
}

/// Writes counts as V8 coverage, with the texts and maps of those scripts that the trace does not have (profile/src/decode/coverage.rs).
pub(crate) fn write_counts(
    counts: &Counts,
    has_told: impl Fn(&CountedScript) -> bool,
    to: &mut dyn Write,
) -> io::Result<()> {
    to.write_all(b"{\"result\":[")?;
    for (script, number) in counts.scripts.iter().zip(0..) {
        if number > 0 {
            to.write_all(b",\n")?;
        }
        let functions = script.functions.iter().flat_map(|function| {
            function.blocks.iter().map(|BlockCounts { calls, inside }| {
                let own = RangeCount { start: function.start, end: function.end, times: *calls };
                let ranges = [own].into_iter().chain(inside.iter().copied());
                let ranges: Vec<_> = ranges
                    .map(|RangeCount { start, end, times }| json!({ "startOffset": start, "endOffset": end, "count": times }))
                    .collect();
                json!({ "functionName": function.name, "isBlockCoverage": true, "ranges": ranges })
            })
        });
        let mut written = json!({ "url": script.url, "functions": functions.collect::<Vec<_>>() });
        let profile::model::Script { text, map, map_url, .. } = &script.script;
        let members = [("source", text), ("sourceMap", map), ("sourceMapUrl", map_url)];
        for (key, value) in members.into_iter().filter(|_| !has_told(script)) {
            if let Some(value) = value {
                written[key] = json!(value);
            }
        }
        serde_json::to_writer(&mut *to, &written)?;
    }
    to.write_all(b"],\"problems\":")?;
    serde_json::to_writer(&mut *to, &counts.problems)?;
    to.write_all(b"}")
}
