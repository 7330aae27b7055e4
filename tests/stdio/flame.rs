//! A flame graph shows what `report` says, to the nanosecond: for every recorded trace, and after each change of the scope.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use serde_json::{Value, json};
use tests::{FORMATS, Folder, proflens, root};

fn run(arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(root()).output().unwrap()
}

/// The data of a page, read as docs/flame.md describes it.
pub(crate) struct Flame {
    pub(crate) header: Value,
    streams: Vec<u8>,
    /// By stack: the one below, and the function.
    stacks: Vec<(Option<usize>, usize)>,
}

/// Self and total time in nanoseconds, and samples of both.
pub(crate) type Costs = [u64; 4];

impl Flame {
    fn of(trace: &str, scope: &[&str]) -> Self {
        let folder = Folder::new();
        let page = folder.path().join("out.html");
        let arguments = [&["flame", trace, "--output", page.to_str().unwrap()], scope].concat();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        Self::read(&std::fs::read_to_string(page).unwrap())
    }

    pub(crate) fn read(page: &str) -> Self {
        let (_, after) = page.split_once(r#"id="proflens-data">"#).expect("the data");
        let deflated = STANDARD.decode(after.split_once('<').unwrap().0).unwrap();
        let mut bytes = Vec::new();
        DeflateDecoder::new(&*deflated).read_to_end(&mut bytes).unwrap();
        let streams = bytes.split_off(4);
        let (header, streams) = streams.split_at(u32::from_le_bytes(bytes.try_into().unwrap()) as usize);
        let mut flame = Self {
            header: serde_json::from_slice(header).unwrap(),
            streams: streams.to_vec(),
            stacks: Vec::new(),
        };
        let stacks = &flame.header["stacks"];
        let numbers = flame.numbers(number(&stacks["at"]), number(&stacks["length"]));
        flame.stacks = (numbers.chunks_exact(2).enumerate())
            .map(|(stack, it)| ((it[0] > 0).then(|| stack - it[0] as usize), it[1] as usize))
            .collect();
        assert_eq!(flame.stacks.len(), number(&flame.header["stacks"]["count"]));
        let once: BTreeSet<_> = flame.stacks.iter().collect();
        assert_eq!(once.len(), flame.stacks.len(), "each stack is there once");
        flame
    }

    fn numbers(&self, at: usize, length: usize) -> Vec<u64> {
        let (mut numbers, mut number, mut shift) = (Vec::new(), 0, 0);
        for byte in &self.streams[at..at + length] {
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                numbers.push(std::mem::take(&mut number));
                shift = 0;
            }
        }
        numbers
    }

    fn tick(&self) -> u64 {
        self.header["tick"].as_u64().unwrap()
    }

    /// The data of a comparison.
    fn compared(before: &[&str], after: &[&str], scope: &[&str]) -> Self {
        let before: Vec<&str> = before.iter().flat_map(|it| ["--before", *it]).collect();
        let (first, rest) = after.split_first().expect("a trace");
        Self::of(first, &[rest, &before, scope].concat())
    }

    /// One side of a comparison as if it were all of it.
    fn side(&self, is_before: bool) -> Self {
        let mut header = self.header.clone();
        for thread in header["threads"].as_array_mut().unwrap().iter_mut().filter(|_| is_before) {
            thread["sums"] = thread["before"]["sums"].clone();
        }
        Self { header, streams: self.streams.clone(), stacks: self.stacks.clone() }
    }

    /// By depth, the time of its frames, and of what ended on the way there.
    fn by_depth(&self) -> Vec<[u64; 2]> {
        let mut self_times = Vec::<u64>::new();
        for (stack, (time, _)) in self.threads().iter().flat_map(|it| self.sums(it)) {
            let depth = std::iter::successors(self.stacks[stack].0, |&it| self.stacks[it].0).count();
            self_times.resize(self_times.len().max(depth + 1), 0);
            self_times[depth] += time;
        }
        let mut ended = 0;
        let mut depths: Vec<[u64; 2]> = Vec::new();
        for depth in 0..self_times.len() {
            depths.push([self_times[depth..].iter().sum(), ended]);
            ended += self_times[depth];
        }
        depths
    }

    /// Self time and samples of each thread by stack.
    fn sums(&self, thread: &Value) -> BTreeMap<usize, (u64, u64)> {
        let numbers = self.numbers(number(&thread["sums"][0]), number(&thread["sums"][1]));
        let mut stack = 0;
        let sums = numbers.chunks_exact(3).map(|it| {
            stack += it[0] as usize;
            (stack, (it[1] * self.tick(), it[2]))
        });
        sums.collect()
    }

    /// The order of time of a thread: stack, gap before it, time.
    fn runs(&self, thread: &Value) -> Vec<(usize, u64, u64)> {
        let mut numbers = self.numbers(number(&thread["runs"][0]), number(&thread["runs"][1])).into_iter();
        let (mut runs, mut stack) = (Vec::new(), 0i64);
        while let Some(head) = numbers.next() {
            let zigzag = head >> 1;
            stack += (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
            let gap = if head & 1 == 1 { numbers.next().unwrap() * self.tick() } else { 0 };
            runs.push((stack as usize, gap, numbers.next().unwrap() * self.tick()));
        }
        assert_eq!(runs.len(), number(&thread["runs"][2]));
        runs
    }

    fn threads(&self) -> &[Value] {
        self.header["threads"].as_array().unwrap()
    }

    /// Name, file, line and column of a function.
    fn place(&self, function: usize) -> String {
        let functions = &self.header["functions"];
        let text = |column: &str, table: &str| {
            let index = functions[column][function].as_i64().unwrap();
            usize::try_from(index).map_or("-", |it| self.header[table][it].as_str().unwrap())
        };
        let (line, column) = (&functions["line"][function], &functions["column"][function]);
        format!("{} {}:{line}:{column}", text("name", "names"), text("file", "files"))
    }

    fn category(&self, function: usize) -> &str {
        let category = number(&self.header["functions"]["category"][function]);
        self.header["categories"][category].as_str().unwrap()
    }

    /// What all functions cost, with time without a stack kept apart.
    pub(crate) fn costs(&self) -> BTreeMap<String, Costs> {
        let mut of_function: BTreeMap<usize, Costs> = BTreeMap::new();
        for (stack, (time, samples)) in self.threads().iter().flat_map(|it| self.sums(it)) {
            let own = of_function.entry(self.stacks[stack].1).or_default();
            (own[0], own[2]) = (own[0] + time, own[2] + samples);
            let (mut seen, mut at) = (BTreeSet::new(), Some(stack));
            while let Some(stack) = at {
                let (caller, function) = self.stacks[stack];
                if seen.insert(function) {
                    let total = of_function.entry(function).or_default();
                    (total[1], total[3]) = (total[1] + time, total[3] + samples);
                }
                at = caller;
            }
        }
        let mut costs = BTreeMap::new();
        for (function, cost) in of_function {
            let place = self.place(function);
            if !(place.starts_with('(') && place.ends_with(") -:0:0")) {
                add(&mut costs, place, cost);
            }
        }
        costs
    }

    /// Active time and the rest.
    pub(crate) fn ledger(&self) -> [u64; 2] {
        let mut ledger = [0, 0];
        for (stack, (time, _)) in self.threads().iter().flat_map(|it| self.sums(it)) {
            ledger[usize::from(self.category(self.stacks[stack].1) == "idle")] += time;
        }
        ledger
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// Functions that cannot be told apart by anything that is shown are one.
fn add(costs: &mut BTreeMap<String, Costs>, place: String, cost: Costs) {
    let sum = costs.entry(place).or_default();
    sum.iter_mut().zip(cost).for_each(|(sum, it)| *sum += it);
}

/// What `report` says about the same: the costs of functions, active time and the rest.
fn reported(trace: &str, scope: &[&str]) -> (BTreeMap<String, Costs>, [u64; 2]) {
    let with = ["report", trace, "--format", "json", "--all", "--limit", "0"];
    let report: Value = serde_json::from_slice(&run(&[&with, scope].concat()).stdout).unwrap();
    let mut costs = BTreeMap::new();
    let placed = report["functions"].as_array().unwrap().iter().map(|it| (it, &it["file"]));
    let unplaced = report["unplacedFunctions"].as_array().unwrap().iter().map(|it| (it, &it["resource"]));
    for (function, file) in placed.chain(unplaced) {
        let name = function["name"].as_str().filter(|it| !it.is_empty()).unwrap_or("(anonymous)");
        let at = |it: &str| function[it].as_u64().unwrap_or(0);
        let place = format!("{name} {}:{}:{}", file.as_str().unwrap_or("-"), at("line"), at("column"));
        let keys = ["self", "total"].map(|it| match report["unit"].as_str() {
            Some("bytes") => format!("{it}Bytes"),
            _ => format!("{it}Ns"),
        });
        if !(place.starts_with('(') && place.ends_with(") -:0:0")) {
            add(&mut costs, place, [at(&keys[0]), at(&keys[1]), at("selfSamples"), at("totalSamples")]);
        }
    }
    let sum = |name: &str| {
        ["Ns", "Bytes"].iter().find_map(|it| report["ledger"][format!("{name}{it}")].as_u64()).unwrap_or(0)
    };
    let idle = sum("idle") + sum("noStack");
    (costs, [sum("total") - idle, idle])
}

fn recorded() -> Vec<String> {
    let mut all = vec!["examples/primes/primes.cpuprofile".to_owned()];
    for format in FORMATS {
        let folder = Path::new("tests/traces").join(format);
        let files = std::fs::read_dir(root().join(&folder)).unwrap().map(|it| it.unwrap().file_name());
        let files = files.map(|it| folder.join(it).to_str().unwrap().to_owned());
        all.extend(files.filter(|it| !it.ends_with(".md")));
    }
    all.sort();
    all
}

#[test]
fn frames_are_as_wide_as_functions_cost_in_sum_and_in_order_of_time() {
    let mut in_order = BTreeSet::new();
    for trace in recorded() {
        for threads in [&[][..], &["--thread", "all"]] {
            let scope = [&["--workspace", "examples/primes"], threads].concat();
            let flame = Flame::of(&trace, &scope);
            let (costs, ledger) = reported(&trace, &scope);
            assert_eq!(flame.costs(), costs, "{trace}");
            assert_eq!(flame.ledger(), ledger, "{trace}");
            for thread in flame.threads() {
                let mut sums = BTreeMap::<usize, u64>::new();
                flame
                    .runs(thread)
                    .iter()
                    .for_each(|&(stack, _, time)| *sums.entry(stack).or_default() += time);
                if !sums.is_empty() {
                    let expected = flame.sums(thread).into_iter().map(|(stack, it)| (stack, it.0));
                    assert_eq!(sums, expected.filter(|it| it.1 > 0).collect(), "{trace}: {}", thread["name"]);
                    in_order.insert(trace.clone());
                }
            }
        }
    }
    assert!(in_order.len() > recorded().len() / 2, "{in_order:?}");
}

#[test]
fn every_change_of_the_scope_is_drawn() {
    let trace = "examples/primes/primes.cpuprofile";
    let scopes: [&[&str]; 8] = [
        &["--between", "100ms", "400ms"],
        &["--focus", "genPrimes"],
        &["--callers-of", "isPrime"],
        &["--path", "handleClick > genPrimes"],
        &["--drop", "genPrimes"],
        &["--merge", "genPrimes"],
        &["--merge", "isPrime", "--between", "0.2s", "end"],
        &["--focus", "genPrimes", "--drop", "isPrime"],
    ];
    for scope in scopes {
        let scope = [&["--workspace", "examples/primes"], scope].concat();
        let flame = Flame::of(trace, &scope);
        let (costs, ledger) = reported(trace, &scope);
        assert_eq!(flame.costs(), costs, "{scope:?}");
        assert_eq!(flame.ledger(), ledger, "{scope:?}");
        let in_order: u64 = flame.threads().iter().flat_map(|it| flame.runs(it)).map(|it| it.2).sum();
        assert_eq!(in_order, ledger[0] + ledger[1], "{scope:?}");
    }
}

/// Costs by name and file, which both sides know of a function. Where an unplaced one is in its script may differ.
fn by_name(costs: BTreeMap<String, Costs>) -> BTreeMap<String, Costs> {
    let mut named = BTreeMap::new();
    for (place, cost) in costs {
        let name = place.rsplitn(3, ':').last().unwrap().to_owned();
        add(&mut named, name, cost);
    }
    named
}

#[test]
fn both_sides_of_a_comparison_are_what_report_says_of_each() {
    let (primes, kinds, zoo) = ("examples/primes", "tests/workspaces/kinds", "tests/workspaces/zoo");
    let rows: [(&str, &str, &str, &[&str]); 5] = [
        (
            primes,
            "tests/traces/chrome-trace/primes-chromium156.json.gz",
            "examples/primes/primes.cpuprofile",
            &[],
        ),
        (
            kinds,
            "tests/traces/cpuprofile/kinds-node16.cpuprofile.gz",
            "tests/traces/cpuprofile/kinds-node24.cpuprofile.gz",
            &["--thread", "all"],
        ),
        (
            zoo,
            "tests/traces/cpuprofile/zoo-node20.cpuprofile",
            "tests/traces/cpuprofile/zoo-chromium156.cpuprofile",
            &[],
        ),
        (
            kinds,
            "tests/traces/cpuprofile/kinds-node18.cpuprofile.gz",
            "tests/traces/cpuprofile/kinds-node22.cpuprofile.gz",
            &["--drop", "(garbage collector)"],
        ),
        (
            primes,
            "examples/primes/primes.cpuprofile",
            "tests/traces/chrome-trace/primes-chromium156.json.gz",
            &["--focus", "genPrimes"],
        ),
    ];
    for (workspace, before, after, scope) in rows {
        let scope = [&["--workspace", workspace], scope].concat();
        let flame = Flame::compared(&[before], &[after], &scope);
        assert_eq!(flame.header["comparison"]["runs"], json!([1, 1]), "{before}");
        let mut wholes = [0; 2];
        for (is_before, trace) in [(true, before), (false, after)] {
            let side = flame.side(is_before);
            let (costs, ledger) = reported(trace, &scope);
            assert_eq!(by_name(side.costs()), by_name(costs), "{before} {after}: {trace}");
            assert_eq!(side.ledger(), ledger, "{trace}");
            wholes[usize::from(!is_before)] = ledger.iter().sum();
        }
        let [before_depths, after_depths] = [true, false].map(|it| flame.side(it).by_depth());
        for depth in 0..before_depths.len().max(after_depths.len()) {
            let difference = |part: usize| {
                let at =
                    |it: &[[u64; 2]], whole: u64| it.get(depth).map_or([0, whole], |it| *it)[part] as i64;
                at(&after_depths, wholes[1]) - at(&before_depths, wholes[0])
            };
            let all = wholes[1] as i64 - wholes[0] as i64;
            assert_eq!(difference(0) + difference(1), all, "{before} {after} at depth {depth}");
        }
        let gone = flame.side(true).costs().keys().any(|it| !flame.side(false).costs().contains_key(it));
        assert!(gone || workspace == primes, "{before} {after}: some function is gone");
    }
}

#[test]
fn runs_of_a_side_are_shown_as_their_mean_which_adds_up() {
    let folder = Folder::new();
    let runs = [[700, 301, 11], [650, 299, 0], [777, 310, 3]];
    for (number, [a, b, gone]) in runs.iter().enumerate() {
        folder
            .write(&format!("before/{number}.txt"), format!("main;a {a}\nmain;b {b}\nmain;b;gone {gone}\n"));
    }
    folder.write("after/0.txt", "main;a 400\nmain;b 300\nmain;new 20\n");
    folder.write("after/1.txt", "main;a 401\nmain;b 300\n");
    let (code, page, errors) = said(&folder, &["flame", "after", "--before", "before", "-o", "a.html"]);
    assert_eq!((code, page.as_str()), (0, "a.html"), "{errors}");
    let flame = Flame::read(&std::fs::read_to_string(folder.path().join(page)).unwrap());
    assert_eq!(flame.header["title"], "2 traces compared with 3 traces");
    assert_eq!(flame.header["comparison"], json!({ "titles": ["3 traces", "2 traces"], "runs": [3, 2] }));
    let costs =
        |is_before| -> Vec<(String, Costs)> { by_name(flame.side(is_before).costs()).into_iter().collect() };
    let row = |name: &str, costs: Costs| (format!("{name} -"), costs);
    let ms = |it: u64| it * 1_000_000;
    // 2,127 of a, 910 of b and 14 of what is gone are 3,051 in all.
    assert_eq!(
        costs(true),
        [
            row("a", [ms(2127) / 3, ms(2127) / 3, 2127, 2127]),
            row("b", [ms(910) / 3, ms(924) / 3, 910, 924]),
            row("gone", [ms(924) / 3 - ms(910) / 3, ms(924) / 3 - ms(910) / 3, 14, 14]),
            row("main", [0, ms(3051) / 3, 0, 3051]),
        ]
    );
    assert_eq!(
        costs(false),
        [
            row("a", [ms(801) / 2, ms(801) / 2, 801, 801]),
            row("b", [ms(600) / 2, ms(600) / 2, 600, 600]),
            row("main", [0, ms(1421) / 2, 0, 1421]),
            row("new", [ms(20) / 2, ms(20) / 2, 20, 20]),
        ]
    );
}

#[test]
fn unplaced_functions_are_the_same_by_name_and_script_or_by_place_where_several_have_both() {
    let folder = Folder::new();
    let trace = |functions: &[(&str, u32)]| {
        let frame = |name: &str, line: u32| {
            let url = if line == 0 { "" } else { "https://example.org/lib.js" };
            json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 0 })
        };
        let mut nodes = vec![json!({ "id": 1, "callFrame": frame("(root)", 0), "children": [] })];
        for (id, (name, line)) in (2..).zip(functions) {
            nodes[0]["children"].as_array_mut().unwrap().push(json!(id));
            nodes.push(json!({ "id": id, "callFrame": frame(name, *line) }));
        }
        let samples: Vec<usize> = (2..functions.len() + 2).collect();
        let deltas = vec![1000; samples.len()];
        json!({ "nodes": nodes, "startTime": 0, "endTime": 1000 * samples.len(), "samples": samples, "timeDeltas": deltas })
            .to_string()
    };
    folder.write(
        "before.cpuprofile",
        trace(&[("alone", 10), ("twice", 20), ("twice", 30), ("", 40), ("old", 50)]),
    );
    folder.write(
        "after.cpuprofile",
        trace(&[("alone", 11), ("twice", 20), ("twice", 31), ("", 41), ("new", 51)]),
    );
    let flame = ["flame", "after.cpuprofile", "--before", "before.cpuprofile", "-o", "a.html"];
    assert_eq!(said(&folder, &flame).0, 0);
    let flame = Flame::read(&std::fs::read_to_string(folder.path().join("a.html")).unwrap());
    let seen = |is_before| flame.side(is_before).costs().into_keys().collect::<BTreeSet<String>>();
    let (before, after) = (seen(true), seen(false));
    let place = |name: &str, line: u32| format!("{name} https://example.org/lib.js:{line}:1");
    let both: BTreeSet<_> = before.intersection(&after).cloned().collect();
    assert_eq!(both, [place("alone", 12), place("twice", 21)].into(), "places are those after");
    let gone: BTreeSet<_> = before.difference(&after).cloned().collect();
    assert_eq!(gone, [place("twice", 31), place("(anonymous)", 41), place("old", 51)].into());
    let new: BTreeSet<_> = after.difference(&before).cloned().collect();
    assert_eq!(new, [place("twice", 32), place("(anonymous)", 42), place("new", 52)].into());
}

#[test]
fn what_cannot_be_compared_is_said_and_a_picture_has_signs() {
    let folder = Folder::new();
    folder.write("before.txt", "main;same 500\nmain;slower 100\nmain;gone 50\n");
    folder.write("after.txt", "main;same 500\nmain;slower 300\nmain;new 60\n");
    let heap = root().join("tests/traces/heapprofile/heap-node20.heapprofile.gz");
    let rows: [(&[&str], &str); 2] = [
        (
            &["after.txt", "--before", "nowhere"],
            "nowhere cannot be read: there is no such file. Check the path and its permissions.",
        ),
        (
            &["after.txt", "--before", heap.to_str().unwrap()],
            "One of heap-node20.heapprofile.gz and after.txt measures time, the other allocated bytes: they cannot be compared. Name traces of one kind.",
        ),
    ];
    for (arguments, sentence) in rows {
        let (code, page, errors) = said(&folder, &[&["flame"], arguments].concat());
        assert_eq!((code, page.as_str(), errors.lines().last()), (1, "", Some(sentence)));
    }
    let (code, _, errors) = said(&folder, &["flame", "after.txt", "--before", "before.txt", "-o", "a.svg"]);
    assert_eq!(code, 0, "{errors}");
    let picture = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let frames = picture.split("<title>").skip(1).map(|it| {
        let (title, rest) = it.split_once(" (").unwrap();
        let (_, fill) = rest.split_once("fill=\"").unwrap();
        format!("{title} {}", &fill[..fill.find('"').unwrap()])
    });
    let frames: BTreeSet<String> = frames.collect();
    let expected = [
        "all rgb(224,224,224)",
        "▲ main +32 % rgb(252,190,120)",
        "same 0 % rgb(232,232,232)",
        "▲ new new rgb(217,108,14)",
        "▲ slower ×3.0 rgb(240,145,50)",
    ];
    assert_eq!(frames, expected.map(str::to_owned).into());
}

/// Status, output and messages of a command in a folder.
fn said(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(proflens());
    let output = command.args(arguments).env("NO_COLOR", "1").current_dir(folder.path()).output().unwrap();
    let text = |it: Vec<u8>| String::from_utf8(it).unwrap().trim_end().to_owned();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_picture_and_a_page_with_a_name_of_their_own() {
    let folder = Folder::copy_of("examples/primes");
    assert_eq!(said(&folder, &["flame", "primes.cpuprofile"]).1, "primes.flame.html");
    assert_eq!(said(&folder, &["flame", "primes.cpuprofile", "-o", "a.svg"]).1, "a.svg");
    let picture = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let (_, frame) = picture.split_once("<title>isPrime (").expect("a frame");
    assert!(frame.starts_with("570 ms, 87 %)</title>"), "{}", &frame[..80]);
    assert_eq!(
        said(&folder, &["flame", "primes.cpuprofile", "recordings"]).0,
        0,
        "traces of all kinds are added up"
    );
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = Folder::copy_of("examples/primes");
    folder.write(
        "idle.cpuprofile",
        json!({
            "nodes": [
                { "id": 1, "callFrame": { "functionName": "(root)", "url": "" }, "children": [2] },
                { "id": 2, "callFrame": { "functionName": "(idle)", "url": "" } },
            ],
            "startTime": 0, "endTime": 3000, "samples": [2, 2], "timeDeltas": [1000, 1000],
        })
        .to_string(),
    );
    folder.write("broken.cpuprofile", "{\"nodes\":[");
    let rows: [(&[&str], i32, &str); 5] = [
        (
            &["primes.cpuprofile", "-o", "a.png"],
            1,
            "a.png is neither a page nor a picture. Name a file that ends in .html or .svg with --output.",
        ),
        (
            &["primes.cpuprofile", "-o", "nowhere/a.html"],
            1,
            "nowhere/a.html cannot be written: No such file or directory (os error 2). Name another file with --output.",
        ),
        (
            &["idle.cpuprofile", "-o", "a.svg"],
            1,
            "idle.cpuprofile has no sample with a stack: there is nothing to draw.",
        ),
        (
            &["none.cpuprofile"],
            1,
            "none.cpuprofile cannot be read: there is no such file. Check the path and its permissions.",
        ),
        (
            &["primes.cpuprofile", "--focus", "nobody"],
            1,
            "primes.cpuprofile: nobody did not run. List what did with proflens report --all.",
        ),
    ];
    for (arguments, status, sentence) in rows {
        let (code, _, errors) = said(&folder, &[&["flame"], arguments].concat());
        assert_eq!((code, errors.lines().last().unwrap_or_default()), (status, sentence));
    }
    let (code, page, _) =
        said(&folder, &["flame", "primes.cpuprofile", "broken.cpuprofile", "idle.cpuprofile"]);
    assert_eq!((code, page.as_str()), (1, "primes.flame.html"), "what can be read is drawn");
}

#[test]
fn names_are_never_markup() {
    let folder = Folder::new();
    let name = "</script><img src=x onerror=alert(1)>\"'&";
    folder.write("<b>a&b.txt", format!("main;{name};b 3\n"));
    assert_eq!(said(&folder, &["flame", "<b>a&b.txt", "-o", "a.html"]).0, 0);
    assert_eq!(said(&folder, &["flame", "<b>a&b.txt", "-o", "a.svg"]).0, 0);
    let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
    let picture = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    for text in [&page, &picture] {
        assert!(!text.contains("<img") && !text.contains("<b>"), "{text}");
    }
    assert!(page.contains("<title>&lt;b&gt;a&amp;b.txt"));
    assert_eq!(Flame::read(&page).header["names"][1], name);
}

#[test]
fn of_many_sessions_the_shortest_are_one_thread() {
    let folder = Folder::new();
    let session = |ms: u64| {
        let samples = json!([{ "timestamp": 0, "stackId": 0 }, { "timestamp": ms, "stackId": 0 }, { "timestamp": ms + 10 }]);
        let frames = json!([{ "name": "work", "resourceId": 0, "line": 1, "column": 1 }]);
        json!({ "frames": frames, "resources": ["https://example.org/a.js"], "stacks": [{ "frameId": 0 }], "samples": samples })
    };
    let sessions: Vec<String> = (1..=1200).map(|it| session(it * 10).to_string()).collect();
    folder.write("sessions.ndjson", sessions.join("\n"));
    let (code, page, errors) = said(&folder, &["flame", "sessions.ndjson"]);
    assert_eq!((code, page.as_str()), (0, "sessions.flame.html"), "{errors}");
    let flame = Flame::read(&std::fs::read_to_string(folder.path().join(page)).unwrap());
    let others = flame.threads().last().unwrap();
    assert_eq!((flame.threads().len(), &others["name"]), (1000, &json!("201 more threads")));
    assert_eq!((flame.runs(others), &others["start"]), (Vec::new(), &Value::Null));
    let report = said(&folder, &["report", "sessions.ndjson", "--format", "json"]).1;
    let report: Value = serde_json::from_str(&report).unwrap();
    let total = report["ledger"]["totalNs"].as_u64().unwrap();
    assert_eq!(flame.ledger().iter().sum::<u64>(), total);
}
