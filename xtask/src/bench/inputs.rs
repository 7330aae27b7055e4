//! Seeded inputs that look like recordings: a workspace of sources, and traces of it in every common format.
//!
//! The shape is that of a real recording of a compiler at work (44 MB, 195,000 nodes, 36,000 samples, stacks up to
//! 290 deep): many call paths that share few functions, samples in runs of the same stack, time deltas spread around
//! the interval, a few of them negative, a share of native code, garbage collection and idle time.

mod chrome_trace;
mod code;
mod cpuprofile;
mod firefox;
mod self_profiling;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use code::{Code, FILES, FUNCTIONS, Recording};

/// A trace to be read.
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) what: String,
    pub(super) kind: Kind,
    pub(super) path: PathBuf,
    /// The folder with the sources of half of its functions.
    pub(super) workspace: PathBuf,
    pub(super) bytes: u64,
    pub(super) nodes: u32,
    pub(super) samples: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CpuProfile,
    SelfProfiling,
    ChromeTrace,
    Firefox,
}

/// What an input consists of: its name, format, numbers of call paths and samples, and how many neighbouring samples have the same
/// stack at most.
pub(super) struct Recipe(pub(super) &'static str, pub(super) Kind, u32, u32, u32);

/// The neighbouring samples with the same stack in most recordings.
const RUN: u32 = 4;

/// The inputs on which other programs are compared.
pub(super) const COMPARED: [Recipe; 6] = [
    Recipe("44 MB .cpuprofile", Kind::CpuProfile, 210_000, 38_000, RUN),
    Recipe("93 MB .cpuprofile, another stack in each sample", Kind::CpuProfile, 400_000, 300_000, 1),
    Recipe("314 MB .cpuprofile", Kind::CpuProfile, 1_490_000, 270_000, RUN),
    Recipe("60 MB self-profiling trace", Kind::SelfProfiling, 1_530_000, 270_000, RUN),
    Recipe("40 MB Firefox profile", Kind::Firefox, 120_000, 60_000, RUN),
    Recipe("500 MB Chrome trace", Kind::ChromeTrace, 60_000, 470_000, RUN),
];

/// The inputs that show how memory grows.
pub(super) const GROWING: [Recipe; 6] = [
    Recipe("50 MB Chrome trace", Kind::ChromeTrace, 60_000, 47_000, RUN),
    Recipe("500 MB Chrome trace", Kind::ChromeTrace, 60_000, 470_000, RUN),
    Recipe("2,000 MB Chrome trace", Kind::ChromeTrace, 60_000, 1_880_000, RUN),
    Recipe("50 MB .cpuprofile", Kind::CpuProfile, 238_000, 43_000, RUN),
    Recipe("500 MB .cpuprofile", Kind::CpuProfile, 2_370_000, 430_000, RUN),
    Recipe("2,000 MB .cpuprofile", Kind::CpuProfile, 9_450_000, 1_720_000, RUN),
];

/// The input about which an editor asks all its questions.
pub(super) const ANSWERED: Recipe =
    Recipe("1,000,000 samples .cpuprofile", Kind::CpuProfile, 500_000, 1_000_000, RUN);

/// The input that flame graphs are drawn from.
pub(super) const DRAWN: Recipe =
    Recipe("1,000,000 samples of few call paths", Kind::CpuProfile, 20_000, 1_000_000, RUN);

/// Writes an input into a folder, with its workspace.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(recipe: &Recipe, folder: &Path) -> Result<()> {
    let &Recipe(_, kind, nodes, samples, run) = recipe;
    let code = Code::write(&folder.join(WORKSPACE))?;
    let write: Writer = match kind {
        Kind::CpuProfile => cpuprofile::cpuprofile,
        Kind::SelfProfiling => self_profiling::self_profiling,
        Kind::ChromeTrace => chrome_trace::chrome_trace,
        Kind::Firefox => firefox::firefox,
    };
    let recording = Recording::new(&code, nodes, samples, run);
    let mut out = BufWriter::with_capacity(1 << 20, fs::File::create(path(recipe, folder))?);
    write(&mut out, &code, &recording)?;
    Ok(out.flush()?)
}

/// An input that was written into a folder.
///
/// # Errors
/// If it is not there.
pub(super) fn written(recipe: &Recipe, folder: &Path) -> Result<Input> {
    let &Recipe(name, kind, nodes, samples, _) = recipe;
    let path = path(recipe, folder);
    let bytes = fs::metadata(&path)?.len();
    let what = format!(
        "{:.1} MB, {nodes} call paths of {FUNCTIONS} functions, {samples} samples; the workspace has the sources of half of \
         the functions, in {FILES} files.",
        bytes as f64 / 1e6,
    );
    Ok(Input { name, what, kind, path, workspace: folder.join(WORKSPACE), bytes, nodes, samples })
}

const WORKSPACE: &str = "workspace";

fn path(recipe: &Recipe, folder: &Path) -> PathBuf {
    folder.join(match recipe.1 {
        Kind::CpuProfile => "bench.cpuprofile",
        Kind::SelfProfiling => "bench.jsprofile",
        Kind::ChromeTrace => "bench-trace.json",
        Kind::Firefox => "bench-firefox.json",
    })
}

type Writer = fn(&mut dyn Write, &Code, &Recording) -> Result<()>;

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn written(write: Writer) -> Value {
        let folder = ::tests::Folder::new();
        let code = Code::write(folder.path()).unwrap();
        let mut bytes = Vec::new();
        write(&mut bytes, &code, &Recording::new(&code, 500, 200, RUN)).unwrap();
        let mut again = Vec::new();
        write(&mut again, &code, &Recording::new(&code, 500, 200, RUN)).unwrap();
        assert!(bytes == again, "the same bytes each time");
        serde_json::from_slice(&bytes).unwrap()
    }

    fn list(value: &Value) -> &Vec<Value> {
        value.as_array().unwrap()
    }

    #[test]
    fn a_cpuprofile_is_one() {
        let profile = written(cpuprofile::cpuprofile);
        let lengths = ["nodes", "samples", "timeDeltas"].map(|it| list(&profile[it]).len());
        assert_eq!(lengths, [503, 200, 200]);
        let hits: u64 = list(&profile["nodes"]).iter().filter_map(|it| it["hitCount"].as_u64()).sum();
        let idle = list(&profile["samples"]).iter().filter(|it| **it == 2).count() as u64;
        assert_eq!(hits + idle, 200);
        assert!(profile["endTime"].as_i64() > profile["startTime"].as_i64());
    }

    #[test]
    fn a_self_profiling_trace_is_one() {
        let trace = written(self_profiling::self_profiling);
        assert_eq!(["stacks", "samples"].map(|it| list(&trace[it]).len()), [500, 200]);
        let times: Vec<f64> =
            list(&trace["samples"]).iter().map(|it| it["timestamp"].as_f64().unwrap()).collect();
        assert!(times.is_sorted());
        for stack in list(&trace["stacks"]) {
            assert!(stack["frameId"].as_u64().unwrap() < list(&trace["frames"]).len() as u64);
        }
    }

    #[test]
    fn a_chrome_trace_is_one() {
        let trace = written(chrome_trace::chrome_trace);
        let chunks = || list(&trace["traceEvents"]).iter().filter(|it| it["name"] == "ProfileChunk");
        let data = |it: &Value| it["args"]["data"].clone();
        let items = |list_of: fn(&Value) -> &Value| -> usize {
            chunks().map(|it| list_of(&data(it)).as_array().map_or(0, Vec::len)).sum()
        };
        let samples = items(|it| &it["cpuProfile"]["samples"]);
        assert_eq!([samples, items(|it| &it["timeDeltas"]), items(|it| &it["lines"])], [200, 200, 200]);
        let mut known = vec![];
        for chunk in chunks() {
            for node in data(chunk)["cpuProfile"]["nodes"].as_array().into_iter().flatten() {
                assert!(node["parent"].is_null() || known.contains(&node["parent"]), "callers first");
                known.push(node["id"].clone());
            }
        }
    }

    #[test]
    fn a_firefox_profile_is_one() {
        let profile = written(firefox::firefox);
        let threads = list(&profile["threads"]).len();
        let tab = &profile["processes"][0]["threads"][0];
        let lengths = ["samples", "stackTable"].map(|it| list(&tab[it]["data"]).len());
        assert_eq!((threads, lengths), (7, [200, 501]));
    }
}
