//! A slice: the merged stacks of some sessions, with what is known of how these differ, as a file that editors open.
//!
//! The format has a version and is documented (docs/formats.md, "slice"); `profile::decode` reads it. Lines and columns count from 0,
//! columns in UTF-16, and times are nanoseconds.

use profile::{OffStack, Weight};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The version of the format.
const VERSION: u32 = 1;

/// The version of the format: a reader refuses a slice of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

/// All that is in a slice. Its members are written in this order; the version must come first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// The version.
    #[serde(rename = "proflensSlice")]
    pub version: Version,
    /// The condition that the sessions fulfil, `release=42 and page=/cart`; empty for all sessions.
    #[serde(rename = "where")]
    pub condition: String,
    /// When the newest session was received, in RFC 3339: then the texts of the release are those of that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of all samples.
    pub samples: u64,
    /// All time: that of stacks and that without a stack.
    pub total_ns: u64,
    /// All time but idle time and that of samples without a stack.
    pub active_ns: u64,
    /// Time without a stack, by the number of its reason in [`OffStack::ALL`]; zeros are not written.
    #[serde(serialize_with = "off_stack")]
    pub off_stack: [Weight; OffStack::ALL.len()],
    /// The original files in which functions were found.
    pub files: Vec<SourceFile>,
    /// The functions: definitions, those that were not placed, and native ones.
    pub functions: Vec<SliceFunction>,
    /// The stacks.
    pub stacks: SliceStacks,
}

/// An original file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceFile {
    /// Its path below the workspace, `src/cart/total.ts`.
    pub path: String,
    /// Its text as it was built into the release, of which the positions are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A function. A definition has a file and a spread, a function that was not placed has a url, and a native one has neither.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SliceFunction {
    /// Its name: of a definition that in the outline of its file, else as the browser has it.
    pub name: String,
    /// An index of [`Slice::files`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
    /// The url of the script of a function that was not placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The line of its name, or of itself where it has none; of a function that was not placed as the browser has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// How its costs differ between sessions; of definitions only.
    #[serde(flatten)]
    pub spread: Option<SliceSpread>,
}

/// How the costs of a definition differ between sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SliceSpread {
    /// The number of sessions in which it ran.
    pub sessions: u64,
    /// Its self time in all of them: the sum over its stacks.
    pub self_ns: u64,
    /// Its total time in all of them.
    pub total_ns: u64,
    /// The 50th, 75th and 95th percentile of its self time over these sessions.
    pub self_percentiles_ns: [u64; 3],
    /// The same of its total time.
    pub total_percentiles_ns: [u64; 3],
    /// The sums over these sessions of the squares of its self and total time, in square nanoseconds.
    pub squares: [f64; 2],
}

/// Stacks in columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SliceStacks {
    /// The stack below, which comes before it; -1 for the outermost function.
    pub parent: Vec<i64>,
    /// The function on top, an index of [`Slice::functions`]. In a stack the generated functions of one definition are one.
    pub function: Vec<u32>,
    /// The time of exactly this stack.
    pub ns: Vec<u64>,
    /// Its samples.
    pub samples: Vec<u64>,
}

impl Slice {
    /// The slice as JSON.
    ///
    /// # Errors
    /// If a square is no finite number.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(VERSION)
    }
}

/// The key of a reason.
fn key(why: OffStack) -> &'static str {
    match why {
        OffStack::Idle => "idle",
        OffStack::NoStack => "noStack",
        OffStack::Program => "program",
        OffStack::GarbageCollector => "gc",
        OffStack::Native => "native",
        OffStack::Unsampled => "unsampled",
        OffStack::Unknown => "unknown",
    }
}

fn off_stack<S: Serializer>(times: &[Weight; OffStack::ALL.len()], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    for (why, weight) in OffStack::ALL.into_iter().zip(times) {
        if *weight != Weight::default() {
            map.serialize_entry(key(why), &[weight.time.0, weight.samples])?;
        }
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use profile::{Amount, Selection, decode, tally};

    use super::*;

    fn slice() -> Slice {
        let mut off_stack = [Weight::default(); OffStack::ALL.len()];
        off_stack[OffStack::NoStack as usize] = Weight { time: Amount(5_000_000), samples: 5 };
        let spread = SliceSpread {
            sessions: 2,
            self_ns: 3_000_000,
            total_ns: 3_000_000,
            self_percentiles_ns: [1_000_000, 2_000_000, 2_000_000],
            total_percentiles_ns: [1_000_000, 2_000_000, 2_000_000],
            squares: [5e12, 5e12],
        };
        Slice {
            condition: "release=42".to_owned(),
            recorded: Some("2026-11-20T23:59:59.000Z".to_owned()),
            sessions: 3,
            samples: 12,
            total_ns: 12_000_000,
            active_ns: 7_000_000,
            off_stack,
            files: vec![SourceFile {
                path: "src/a.ts".to_owned(),
                text: Some("function sum() {}".to_owned()),
            }],
            functions: vec![
                SliceFunction {
                    name: "e".to_owned(),
                    url: Some("https://shop.example/app.js".to_owned()),
                    line: Some(0),
                    column: Some(199),
                    ..SliceFunction::default()
                },
                SliceFunction {
                    name: "sum".to_owned(),
                    file: Some(0),
                    line: Some(0),
                    column: Some(9),
                    spread: Some(spread),
                    ..SliceFunction::default()
                },
            ],
            stacks: SliceStacks {
                parent: vec![-1, 0],
                function: vec![0, 1],
                ns: vec![4_000_000, 3_000_000],
                samples: vec![4, 3],
            },
            ..Slice::default()
        }
    }

    #[test]
    fn it_is_written_as_documented() {
        let json = String::from_utf8(slice().to_json().unwrap()).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"{"proflensSlice":1,"where":"release=42","recorded":"2026-11-20T23:59:59.000Z","sessions":3,"samples":12,"#,
                r#""totalNs":12000000,"activeNs":7000000,"offStack":{"noStack":[5000000,5]},"#,
                r#""files":[{"path":"src/a.ts","text":"function sum() {}"}],"#,
                r#""functions":[{"name":"e","url":"https://shop.example/app.js","line":0,"column":199},"#,
                r#"{"name":"sum","file":0,"line":0,"column":9,"sessions":2,"selfNs":3000000,"totalNs":3000000,"#,
                r#""selfPercentilesNs":[1000000,2000000,2000000],"totalPercentilesNs":[1000000,2000000,2000000],"#,
                r#""squares":[5000000000000.0,5000000000000.0]}],"#,
                r#""stacks":{"parent":[-1,0],"function":[0,1],"ns":[4000000,3000000],"samples":[4,3]}}"#,
            )
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let slice = slice();
        let profile = decode(&mut &*slice.to_json().unwrap(), "a.slice.json", &()).unwrap();
        assert_eq!(profile.problems, []);
        let [thread] = &profile.threads[..] else { panic!("a slice is one thread") };
        assert_eq!((thread.all().0, thread.active().0), (slice.total_ns, slice.active_ns));
        assert_eq!((thread.samples, thread.sessions()), (slice.samples, slice.sessions));
        let costs = tally(&Selection::sum(&profile, [thread]), &[0, 1], 2).costs;
        assert_eq!(costs.iter().map(|it| it.self_time.0).collect::<Vec<_>>(), [4_000_000, 3_000_000]);
        let [(function, spread)] = thread.population.as_ref().unwrap().functions[..] else { panic!() };
        let times = |it: [u64; 3]| it.map(Amount);
        let written = slice.functions[1].spread.unwrap();
        assert_eq!(profile.name(function), "sum");
        assert_eq!((spread.sessions, spread.squares), (written.sessions, written.squares));
        let percentiles = [times(written.self_percentiles_ns), times(written.total_percentiles_ns)];
        assert_eq!(spread.percentiles, Some(percentiles));
        assert_eq!(profile.scripts[0].text.as_deref(), slice.files[0].text.as_deref());
    }
}
