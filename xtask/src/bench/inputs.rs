//! Seeded inputs that look like recordings: a workspace of sources, and two traces of it.
//!
//! The shape is that of a real recording of a compiler at work (44 MB, 195,000 nodes, 36,000 samples, stacks up to
//! 290 deep): many call paths that share few functions, samples in runs of the same stack, time deltas spread around
//! the interval, a few of them negative, a share of native code, garbage collection and idle time.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

/// A trace to be read.
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) what: String,
    pub(super) kind: Kind,
    pub(super) path: PathBuf,
    /// Holds the sources of half of its functions.
    pub(super) workspace: PathBuf,
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CpuProfile,
    SelfProfiling,
}

/// Makes all inputs in a folder.
///
/// # Errors
/// If the disk does not take them.
pub(super) fn make(folder: &Path) -> Result<Vec<Input>> {
    let workspace = folder.join("workspace");
    let code = Code::write(&workspace)?;
    let mut inputs = Vec::new();
    for (name, kind, nodes, samples, write) in [
        ("44 MB .cpuprofile", Kind::CpuProfile, 210_000, 38_000, cpuprofile as Writer),
        ("60 MB self-profiling trace", Kind::SelfProfiling, 1_530_000, 270_000, self_profiling as Writer),
    ] {
        let path = folder.join(if kind == Kind::CpuProfile { "bench.cpuprofile" } else { "bench.jsprofile" });
        let recording = Recording::new(&code, nodes, samples);
        let mut out = BufWriter::new(fs::File::create(&path)?);
        write(&mut out, &code, &recording)?;
        out.flush()?;
        let bytes = fs::metadata(&path)?.len();
        let what = format!(
            "{:.1} MB, {nodes} call paths of {} functions, {samples} samples; the workspace has the sources of half \
             of the functions, in {FILES} files.",
            bytes as f64 / 1e6,
            code.functions.len(),
        );
        inputs.push(Input { name, what, kind, path, workspace: workspace.clone(), bytes });
    }
    Ok(inputs)
}

type Writer = fn(&mut dyn Write, &Code, &Recording) -> Result<()>;

const FILES: u32 = 100;
const FUNCTIONS_PER_FILE: u32 = 16;
const INTERVAL_MICROS: f64 = 125.0;

/// A function as engines name it; places are 0-based.
struct Function {
    name: String,
    url: String,
    line: u32,
    column: u32,
}

/// Functions of the workspace, of packages and of the runtime.
struct Code {
    functions: Vec<Function>,
}

impl Code {
    fn write(workspace: &Path) -> Result<Self> {
        fs::create_dir_all(workspace.join("packages/compiler/src/passes"))?;
        let mut functions = Vec::new();
        for file in 0..FILES {
            let path = format!("packages/compiler/src/passes/module-{file}.ts");
            let mut text = String::new();
            for number in 0..FUNCTIONS_PER_FILE {
                let name = format!("resolve{file}Step{number}");
                let line = text.lines().count() as u32;
                let column = format!("export function {name}").len() as u32;
                let body = "  const next: number[] = [];\n  for (const it of input) next.push(it * 2 + 1);\n  return next;";
                writeln!(text, "export function {name}(input: number[]): number[] {{\n{body}\n}}\n")?;
                functions.push(Function { name, url: format!("file:///srv/app/{path}"), line, column });
            }
            fs::write(workspace.join(path), text)?;
        }
        let elsewhere = FILES * FUNCTIONS_PER_FILE;
        for number in 0..elsewhere {
            let url = match number % 8 {
                0 => format!("node:internal/step{}", number % 40),
                _ => format!(
                    "file:///srv/app/node_modules/@scope/package-{}/lib/internal/index.js",
                    number % 60
                ),
            };
            let name = if number % 5 == 0 { String::new() } else { format!("visitNode{number}") };
            functions.push(Function { name, url, line: 10 + number % 4000, column: 7 + number % 80 });
        }
        Ok(Self { functions })
    }
}

/// Call paths and what was sampled.
struct Recording {
    /// The caller of each call path, as an index; of lower index than itself.
    callers: Vec<Option<u32>>,
    /// Its function, as an index into [`Code::functions`].
    functions: Vec<u32>,
    /// The sampled call path, or none where no code ran, and the microseconds since the sample before.
    samples: Vec<(Option<u32>, i64)>,
}

impl Recording {
    fn new(code: &Code, nodes: u32, samples: u32) -> Self {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut recording = Self { callers: Vec::new(), functions: Vec::new(), samples: Vec::new() };
        // A walk over stacks: it goes up a little, then down again, and turns back near 290.
        let mut stack: Vec<u32> = Vec::new();
        for node in 0..nodes {
            let back = if stack.len() > 280 { 200 } else { random.below(4) * random.below(3) };
            stack.truncate(stack.len().saturating_sub(back as usize));
            recording.callers.push(stack.last().copied());
            recording.functions.push(random.skewed(code.functions.len() as u32));
            stack.push(node);
        }
        while recording.samples.len() < samples as usize {
            let path = (random.below(100) >= 6).then(|| random.below(nodes));
            for _ in 0..=random.below(4) {
                let spread = (f64::from(random.below(2000)) - 1000.0) / 1000.0;
                let micros = INTERVAL_MICROS * (1.0 + spread * spread * spread);
                let late = random.below(2000) == 0;
                recording.samples.push((path, if late { -(micros as i64) } else { micros as i64 }));
            }
        }
        recording.samples.truncate(samples as usize);
        recording
    }
}

/// V8's form: nodes with their callees, sample ids, time deltas. Ids 1, 2 and 3 are the root, idle and program.
fn cpuprofile(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    const FIRST: u32 = 4;
    let mut callees: Vec<Vec<u32>> = vec![Vec::new(); recording.callers.len()];
    let mut outermost = vec![2, 3];
    for (node, caller) in recording.callers.iter().enumerate() {
        let of = caller.map_or(&mut outermost, |it| &mut callees[it as usize]);
        of.push(node as u32 + FIRST);
    }
    let mut hits = vec![0_u32; recording.callers.len()];
    recording.samples.iter().filter_map(|it| it.0).for_each(|it| hits[it as usize] += 1);
    let list = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");

    write!(out, "{{\"nodes\":[")?;
    for (id, name, children) in
        [(1, "root", list(&outermost)), (2, "idle", String::new()), (3, "program", String::new())]
    {
        let comma = if id == 1 { "" } else { "," };
        write!(
            out,
            "{comma}{{\"id\":{id},\"callFrame\":{{\"functionName\":\"({name})\",\"scriptId\":\"0\",\"url\":\"\","
        )?;
        write!(out, "\"lineNumber\":-1,\"columnNumber\":-1}},\"hitCount\":0,\"children\":[{children}]}}")?;
    }
    for (node, &function) in recording.functions.iter().enumerate() {
        let Function { name, url, line, column } = &code.functions[function as usize];
        write!(out, ",{{\"id\":{},\"callFrame\":{{\"functionName\":\"{name}\",", node as u32 + FIRST)?;
        write!(out, "\"scriptId\":\"{}\",\"url\":\"{url}\",", 60 + function / FUNCTIONS_PER_FILE)?;
        write!(out, "\"lineNumber\":{line},\"columnNumber\":{column}}},\"hitCount\":{}", hits[node])?;
        if !callees[node].is_empty() {
            write!(out, ",\"children\":[{}]", list(&callees[node]))?;
        }
        if hits[node] > 0 {
            write!(out, ",\"positionTicks\":[{{\"line\":{},\"ticks\":{}}}]", line + 2, hits[node])?;
        }
        write!(out, "}}")?;
    }
    let micros: i64 = recording.samples.iter().map(|it| it.1).sum();
    let ids: Vec<u32> = recording.samples.iter().map(|it| it.0.map_or(2, |it| it + FIRST)).collect();
    let deltas: Vec<String> = recording.samples.iter().map(|it| it.1.to_string()).collect();
    write!(out, "],\"startTime\":1000000,\"endTime\":{},", 1_000_000 + micros)?;
    write!(out, "\"samples\":[{}],\"timeDeltas\":[{}]}}", list(&ids), deltas.join(","))?;
    Ok(())
}

/// The form of the JS Self-Profiling API: frames, resources, samples with time stamps in milliseconds, stacks.
fn self_profiling(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    let mut resources: Vec<&str> = code.functions.iter().map(|it| it.url.as_str()).collect();
    resources.sort_unstable();
    resources.dedup();
    write!(out, "{{\"frames\":[")?;
    for (index, Function { name, url, line, column }) in code.functions.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let resource = resources.binary_search(&url.as_str()).unwrap_or_default();
        let (line, column) = (line + 1, column + 1);
        write!(
            out,
            "{comma}{{\"column\":{column},\"line\":{line},\"name\":\"{name}\",\"resourceId\":{resource}}}"
        )?;
    }
    write!(out, "],\"resources\":{},\"samples\":[", serde_json::to_string(&resources)?)?;
    let mut micros = 5_000_000_i64;
    for (index, (path, delta)) in recording.samples.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // The API's clock never goes back.
        micros += delta.max(&0);
        let stack = path.map_or(String::new(), |it| format!("\"stackId\":{it},"));
        // Coarsened to a tenth of a millisecond, and printed as browsers print it.
        let (whole, tenth) = (micros / 1000, micros / 100 % 10);
        write!(out, "{comma}{{{stack}\"timestamp\":{whole}.{tenth}00000011920929}}")?;
    }
    write!(out, "],\"stacks\":[")?;
    for (index, (caller, function)) in recording.callers.iter().zip(&recording.functions).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let caller = caller.map_or(String::new(), |it| format!(",\"parentId\":{it}"));
        write!(out, "{comma}{{\"frameId\":{function}{caller}}}")?;
    }
    write!(out, "]}}")?;
    Ok(())
}

/// xorshift64*: small, and the same on every machine.
struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((high * u64::from(end)) >> 32) as u32
    }

    /// The same, low numbers far more often: few functions are on most stacks.
    fn skewed(&mut self, end: u32) -> u32 {
        let share = f64::from(self.below(1 << 24)) / f64::from(1 << 24);
        // Spread over all files, so that the hot ones are not all in the first.
        let rank = (share * share * f64::from(end)) as u64;
        ((rank * 7919) % u64::from(end)) as u32
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn written(write: Writer) -> Value {
        let folder = ::tests::Folder::new();
        let code = Code::write(folder.path()).unwrap();
        let mut bytes = Vec::new();
        write(&mut bytes, &code, &Recording::new(&code, 500, 200)).unwrap();
        let mut again = Vec::new();
        write(&mut again, &code, &Recording::new(&code, 500, 200)).unwrap();
        assert!(bytes == again, "the same bytes each time");
        serde_json::from_slice(&bytes).unwrap()
    }

    fn length(value: &Value, name: &str) -> usize {
        value[name].as_array().unwrap().len()
    }

    #[test]
    fn a_cpuprofile_is_one() {
        let profile = written(cpuprofile);
        let lengths = ["nodes", "samples", "timeDeltas"].map(|it| length(&profile, it));
        assert_eq!(lengths, [503, 200, 200]);
        let hits: u64 =
            profile["nodes"].as_array().unwrap().iter().filter_map(|it| it["hitCount"].as_u64()).sum();
        let idle = profile["samples"].as_array().unwrap().iter().filter(|it| **it == 2).count() as u64;
        assert_eq!(hits + idle, 200);
        assert!(profile["endTime"].as_i64() > profile["startTime"].as_i64());
    }

    #[test]
    fn a_self_profiling_trace_is_one() {
        let trace = written(self_profiling);
        assert_eq!(["stacks", "samples"].map(|it| length(&trace, it)), [500, 200]);
        let times: Vec<f64> =
            trace["samples"].as_array().unwrap().iter().map(|it| it["timestamp"].as_f64().unwrap()).collect();
        assert!(times.is_sorted());
        for stack in trace["stacks"].as_array().unwrap() {
            assert!(stack["frameId"].as_u64().unwrap() < length(&trace, "frames") as u64);
        }
    }
}
