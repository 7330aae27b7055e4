//! The bytes that the page reads: a header in JSON and streams of small numbers, deflated. docs/flame.md describes them.

use std::collections::HashMap;
use std::io::Write;

use analysis::anchor::Freshness;
use analysis::summary::Base;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use profile::model::{MarkerKind, Unit, Weight};
use serde::Serialize;

use crate::functions::{Category, FlameFunction};
use crate::graph::{FlameGraph, FlameMarker, FlameThread};

const VERSION: u32 = 1;
/// Stands for a missing index.
const NONE: i64 = -1;
const MARKER_KINDS: [&str; 5] = ["user timing", "long task", "navigation", "other", "interaction"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    version: u32,
    title: &'a str,
    unit: &'static str,
    base: Base,
    tick: u64,
    scope: Option<&'a str>,
    folder: &'a str,
    functions: FunctionColumns,
    markers: MarkerColumns,
    markers_left_out: usize,
    names: Vec<&'a str>,
    files: Vec<&'a str>,
    packages: Vec<&'a str>,
    categories: [&'static str; Category::ALL.len()],
    marker_kinds: [&'static str; MARKER_KINDS.len()],
    stacks: Stacks,
    threads: Vec<ThreadHeader<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonHeader<'a>>,
}

#[derive(Serialize)]
struct ComparisonHeader<'a> {
    titles: &'a [String; 2],
    runs: [u64; 2],
}

#[derive(Default, Serialize)]
struct FunctionColumns {
    name: Vec<i64>,
    path: Vec<i64>,
    file: Vec<i64>,
    line: Vec<u32>,
    column: Vec<u32>,
    category: Vec<u8>,
    package: Vec<i64>,
    freshness: Vec<u8>,
}

#[derive(Default, Serialize)]
struct MarkerColumns {
    name: Vec<i64>,
    kind: Vec<u8>,
    session: Vec<u32>,
    start: Vec<u64>,
    duration: Vec<u64>,
}

#[derive(Serialize)]
struct Stacks {
    count: usize,
    at: usize,
    length: usize,
}

#[derive(Serialize)]
struct ThreadHeader<'a> {
    name: &'a str,
    session: u32,
    start: Option<u64>,
    #[serde(flatten)]
    after: SumsHeader,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SumsHeader>,
    runs: [usize; 3],
    step: u64,
}

#[derive(Serialize)]
struct SumsHeader {
    samples: u64,
    active: u64,
    idle: u64,
    sums: [usize; 3],
}

/// The bytes of a flame graph. The same recording always gives the same bytes.
pub fn encode(graph: &FlameGraph) -> Vec<u8> {
    let tick = tick(graph);
    let mut streams = Streams::default();
    let stacks = streams.stacks(graph);
    let threads = graph.threads.iter().map(|thread| streams.thread(graph, thread, tick)).collect();
    let (mut names, mut files, mut packages) = (Texts::default(), Texts::default(), Texts::default());
    let mut functions = FunctionColumns::default();
    graph
        .functions
        .iter()
        .for_each(|function| functions.push(function, &mut names, &mut files, &mut packages));
    let mut markers = MarkerColumns::default();
    graph.markers.iter().for_each(|marker| markers.push(marker, &mut names, tick));
    let header = Header {
        version: VERSION,
        title: &graph.title,
        unit: match graph.unit {
            Unit::Time => "time",
            Unit::Bytes => "bytes",
        },
        base: graph.base,
        tick,
        scope: graph.scope.as_deref(),
        folder: &graph.folder,
        functions,
        markers,
        markers_left_out: graph.markers_left_out,
        names: names.all,
        files: files.all,
        packages: packages.all,
        categories: Category::ALL.map(Category::name),
        marker_kinds: MARKER_KINDS,
        stacks,
        threads,
        comparison: graph
            .comparison
            .as_ref()
            .map(|comparison| ComparisonHeader { titles: &comparison.titles, runs: comparison.runs }),
    };
    let header = serde_json::to_vec(&header).expect("a header is plain data");
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
    let length = (header.len() as u32).to_le_bytes();
    let parts: [&[u8]; 3] = [&length, &header, &streams.bytes];
    parts.into_iter().try_for_each(|part| deflated.write_all(part)).expect("a vector takes all");
    deflated.finish().expect("a vector takes all")
}

/// The nanoseconds that all times are multiples of: most traces count in microseconds.
fn tick(graph: &FlameGraph) -> u64 {
    const MICROSECOND: u64 = 1000;
    let sums = graph.threads.iter().flat_map(|thread| thread.sums.iter().chain(&thread.before));
    let stretches =
        graph.threads.iter().flat_map(|thread| thread.stretches.iter().flat_map(|it| [it.gap, it.time]));
    let starts = graph.threads.iter().filter_map(|thread| Some(thread.start?.0));
    let markers = graph.markers.iter().flat_map(|marker| [marker.start.0, marker.duration.0]);
    let mut all = sums.map(|(_, weight)| weight.time.0).chain(stretches).chain(starts).chain(markers);
    if graph.unit == Unit::Time && all.all(|time| time.is_multiple_of(MICROSECOND)) { MICROSECOND } else { 1 }
}

/// Texts, each once.
#[derive(Default)]
struct Texts<'a> {
    all: Vec<&'a str>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Texts<'a> {
    fn index(&mut self, text: &'a str) -> i64 {
        let index = *self.known.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() - 1
        });
        index as i64
    }

    fn index_or_none(&mut self, text: Option<&'a str>) -> i64 {
        text.map_or(NONE, |text| self.index(text))
    }
}

impl FunctionColumns {
    fn push<'a>(
        &mut self,
        function: &'a FlameFunction,
        names: &mut Texts<'a>,
        files: &mut Texts<'a>,
        packages: &mut Texts<'a>,
    ) {
        let (line, column) = function.position.unwrap_or_default();
        self.name.push(names.index(&function.name));
        self.path.push(names.index_or_none(function.path.as_deref()));
        self.file.push(files.index_or_none(function.file.as_deref()));
        self.line.push(line);
        self.column.push(column);
        self.category.push(function.category as u8);
        self.package.push(packages.index_or_none(function.package.as_deref()));
        self.freshness.push(match function.freshness {
            Freshness::Fresh => 0,
            Freshness::Moved => 1,
            Freshness::Edited => 2,
            Freshness::Gone => 3,
        });
    }
}

impl MarkerColumns {
    fn push<'a>(&mut self, marker: &'a FlameMarker, names: &mut Texts<'a>, tick: u64) {
        self.name.push(names.index(&marker.name));
        self.kind.push(match marker.kind {
            MarkerKind::UserTiming => 0,
            MarkerKind::LongTask => 1,
            MarkerKind::Navigation => 2,
            MarkerKind::Other => 3,
            MarkerKind::Interaction => 4,
        });
        self.session.push(marker.session);
        self.start.push(marker.start.0 / tick);
        self.duration.push(marker.duration.0 / tick);
    }
}

/// Numbers in LEB128: seven bits a byte, the lowest first.
#[derive(Default)]
struct Streams {
    bytes: Vec<u8>,
}

impl Streams {
    fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn stacks(&mut self, graph: &FlameGraph) -> Stacks {
        let at = self.bytes.len();
        let stacks = &graph.stacks;
        for (stack, (caller, function)) in (0u32..).zip(stacks.caller.iter().zip(&stacks.function)) {
            self.push(caller.map_or(0, |caller| u64::from(stack - caller)));
            self.push(u64::from(*function));
        }
        Stacks { count: stacks.len(), at, length: self.bytes.len() - at }
    }

    fn sums(&mut self, graph: &FlameGraph, sums: &[(u32, Weight)], tick: u64) -> SumsHeader {
        let (at, mut last) = (self.bytes.len(), 0);
        for &(stack, weight) in sums {
            self.push(u64::from(stack - last));
            self.push(weight.time.0 / tick);
            self.push(weight.samples);
            last = stack;
        }
        let amounts = graph.amounts(sums);
        SumsHeader {
            samples: amounts.samples,
            active: amounts.active.0 / tick,
            idle: amounts.idle.0 / tick,
            sums: [at, self.bytes.len() - at, sums.len()],
        }
    }

    fn thread<'a>(&mut self, graph: &FlameGraph, thread: &'a FlameThread, tick: u64) -> ThreadHeader<'a> {
        let after = self.sums(graph, &thread.sums, tick);
        let before = graph.comparison.as_ref().map(|_| self.sums(graph, &thread.before, tick));
        let (at, mut last) = (self.bytes.len(), 0);
        for stretch in &thread.stretches {
            let distance = i64::from(stretch.stack) - last;
            let zigzag = (distance << 1 ^ distance >> 63) as u64;
            self.push(zigzag << 1 | u64::from(stretch.gap > 0));
            if stretch.gap > 0 {
                self.push(stretch.gap / tick);
            }
            self.push(stretch.time / tick);
            last = i64::from(stretch.stack);
        }
        let runs = [at, self.bytes.len() - at, thread.stretches.len()];
        ThreadHeader {
            name: &thread.name,
            session: thread.session,
            start: thread.start.map(|start| start.0 / tick),
            after,
            before,
            runs,
            step: thread.step / tick,
        }
    }
}
