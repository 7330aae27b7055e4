//! `record --counts`: the calls of each function are those that the program counted itself, whatever ran it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;
use tests::{Folder, proflens};

use crate::ended::ended;
use crate::recorded::{ending, notes, plain, programs, record, recordings, report};
use crate::runners::{BABEL, JEST, VITEST, packages};

/// Each function of a program calls `hit` with its name. What was counted is written at the end, or when a program says so.
const HIT: &str = "
const fs = require('fs'), path = require('path');
let calls = Object.create(null);
exports.hit = (name) => { calls[name] = (calls[name] ?? 0) + 1; };
exports.flush = () => {
  if (Object.keys(calls).length) fs.appendFileSync(path.join(__dirname, 'calls.ndjson'), JSON.stringify(calls) + '\\n');
  calls = Object.create(null);
};
process.on('exit', exports.flush);
";

/// A program, and the functions that it counts.
struct Program {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    command: &'static [&'static str],
}

const TEN: [Program; 10] = [
    Program {
        name: "declarations, many calls, recursion",
        files: &[(
            "main.cjs",
            "const { hit } = require('./hit.cjs');
            function tiny(a) { hit('tiny'); return a & 7; }
            function fib(n) { hit('fib'); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
            function never() { hit('never'); }
            function outer() {
              hit('outer');
              function inner() { hit('inner'); return 1; }
              return inner() + inner();
            }
            const named = function () { hit('named'); return 1; };
            let sum = 0;
            for (let i = 0; i < 600000; i++) sum += tiny(i);
            for (let i = 0; i < 50; i++) sum += outer() + named();
            if (sum < 0) never();
            console.log(sum, fib(20));",
        )],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "classes",
        files: &[(
            "main.cjs",
            "const { hit } = require('./hit.cjs');
            class Shape {
              #size = 2;
              static made = 0;
              constructor(size) { hit('constructor'); this.#size = size; }
              get size() { hit('get size'); return this.#size; }
              set size(value) { hit('set size'); this.#size = value; }
              area() { hit('area'); return this.#square(); }
              #square() { hit('#square'); return this.size * this.size; }
              static of(size) { hit('of'); return new this(size); }
              handler = () => { hit('handler'); return this.size; };
              ['comp' + 'uted']() { hit(\"['comp' + 'uted']\"); return 1; }
            }
            class Square extends Shape { side() { hit('side'); return this.size; } }
            const plain = { shorthand() { hit('shorthand'); return 1; }, arrow: () => { hit('arrow'); return 2; } };
            let sum = 0;
            for (let i = 0; i < 40; i++) {
              const shape = i % 2 ? Shape.of(i) : new Square(i);
              shape.size = i + 1;
              sum += shape.area() + shape.handler() + plain.shorthand() + plain.arrow() + shape.computed();
              if (shape instanceof Square) sum += shape.side();
            }
            console.log(sum);",
        )],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "closures and callbacks",
        files: &[(
            "main.cjs",
            "const { hit } = require('./hit.cjs');
            const adder = (a) => { hit('adder'); return function add(b) { hit('add'); return a + b; }; };
            const short = (a = later()) => (hit('short'), a);
            function later() { hit('later'); return 3; }
            const adders = [1, 2, 3].map((it) => { hit('map callback'); return adder(it); });
            let sum = 0;
            for (const add of adders) for (let i = 0; i < 10; i++) sum += add(i);
            sum += [5, 6].reduce((all, it) => (hit('reduce callback'), all + it), 0);
            (function once() { hit('once'); })();
            sum += short() + short(1);
            console.log(sum);",
        )],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "generators and asynchronous functions",
        files: &[(
            "main.mjs",
            "import { hit } from './hit.cjs';
            function* numbers(n) { hit('numbers'); for (let i = 0; i < n; i++) yield i; }
            async function waits(n) { hit('waits'); await null; await null; return n; }
            async function* stream(n) { hit('stream'); for (let i = 0; i < n; i++) yield await waits(i); }
            const arrow = async () => { hit('arrow'); for (let i = 0; i < 3; i++) await null; };
            const items = { *[Symbol.iterator]() { hit('[Symbol.iterator]'); yield 1; yield 2; } };
            let sum = 0;
            for (let i = 0; i < 20; i++) for (const it of numbers(10)) sum += it;
            for await (const it of stream(7)) sum += it;
            await Promise.all([arrow(), arrow()]);
            const unfinished = numbers(5);
            unfinished.next();
            console.log(sum, [...items, ...items].length);",
        )],
        command: &["node", "main.mjs"],
    },
    Program {
        name: "ES modules",
        files: &[
            (
                "main.mjs",
                "import work, { other } from './lib/work.mjs';
                let sum = 0;
                for (let i = 0; i < 30; i++) sum += work(i);
                const { late } = await import('./lib/late.mjs');
                console.log(sum, other(1), late());",
            ),
            (
                "lib/work.mjs",
                "import { hit } from '../hit.cjs';
                export default function work(i) { hit('work'); return i + other(i); }
                export const other = (i) => { hit('other'); return i; };",
            ),
            ("lib/late.mjs", "import { hit } from '../hit.cjs'; export function late() { hit('late'); return 1; }"),
        ],
        command: &["node", "main.mjs"],
    },
    Program {
        name: "workers",
        files: &[
            (
                "main.cjs",
                "const { Worker } = require('worker_threads'), { hit } = require('./hit.cjs');
                function start(n) { hit('start'); return new Promise((done) => new Worker('./worker.cjs', { workerData: n }).on('exit', done)); }
                start(3).then(() => start(4)).then(() => console.log('done'));",
            ),
            (
                "worker.cjs",
                "const { workerData } = require('worker_threads'), { hit } = require('./hit.cjs'), { shared } = require('./shared.cjs');
                function inWorker() { hit('inWorker'); return shared(); }
                for (let i = 0; i < workerData * 1000; i++) inWorker();",
            ),
            ("shared.cjs", "const { hit } = require('./hit.cjs'); exports.shared = function shared() { hit('shared'); return 1; };"),
        ],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "child processes",
        files: &[
            (
                "main.cjs",
                "const { execFileSync, fork } = require('child_process'), { hit } = require('./hit.cjs');
                function child(n) { hit('child'); return execFileSync(process.execPath, ['child.cjs', n], { encoding: 'utf8' }).trim(); }
                console.log(child('2'), child('5'));
                fork('child.cjs', ['1']).on('exit', (code) => console.log(code));",
            ),
            (
                "child.cjs",
                "const { hit } = require('./hit.cjs');
                function inChild() { hit('inChild'); return 1; }
                let sum = 0;
                for (let i = 0; i < Number(process.argv[2]) * 10; i++) sum += inChild();
                console.log(sum);",
            ),
        ],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "texts that are not plain ASCII",
        files: &[
            (
                "main.cjs",
                "#!/usr/bin/env node\r\nconst { hit } = require('./hit.cjs'); /* ü 漢字 🎉 */\r\nfunction größe(a) { hit('größe'); return '🎉' + a; }\r\nconst nach = (a) => { hit('nach'); return `é${a}`; };\r\nfor (let i = 0; i < 11; i++) nach(größe(i));\r\nrequire('./marked.cjs').marked();\r\n",
            ),
            (
                "marked.cjs",
                "\u{feff}const { hit } = require('./hit.cjs'); // 🎉\nexports.marked = function marked() { hit('marked'); return inner(); };\nfunction inner() { hit('inner'); }\n",
            ),
        ],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "ends that are not the last line",
        files: &[(
            "main.cjs",
            "const { hit } = require('./hit.cjs');
            function throws(i) { hit('throws'); if (i % 2) throw new Error('odd'); return i; }
            function catches(i) { hit('catches'); try { return throws(i); } catch { return 0; } finally { cleans(); } }
            function cleans() { hit('cleans'); }
            function ends() { hit('ends'); process.exit(0); }
            let sum = 0;
            for (let i = 0; i < 1001; i++) sum += catches(i);
            console.log(sum);
            setTimeout(ends, 1);",
        )],
        command: &["node", "main.cjs"],
    },
    Program {
        name: "made code and scripts of a vm",
        files: &[(
            "main.cjs",
            "const { hit } = require('./hit.cjs'), vm = require('vm');
            function makes() { hit('makes'); return new Function('a', 'return a + 1'); }
            function runs(i) { hit('runs'); return vm.runInThisContext(`(${i})`, { filename: 'made.vm' }); }
            const made = makes();
            let sum = eval('made(1)');
            for (let i = 0; i < 300; i++) sum += made(i) + runs(i);
            console.log(sum);",
        )],
        command: &["node", "main.cjs"],
    },
];

/// The program of all runners: each test file calls all of it once.
const TYPESCRIPT: &str = r#"import { hit } from './hit.cjs';

/** What runners take away, in front of what they keep. */
interface Item {
  readonly size: number;
}

export function sum<T extends Item>(items: readonly T[]): number {
  hit('sum');
  return items.map((it: T): number => { hit('map callback'); return one(it); }).reduce((a, b) => a + b, 0);
}

const one = (it: Item): number => { hit('one'); return it.size; };

export class Shop {
  private readonly items: Item[] = [];

  constructor(private readonly name: string) { hit('constructor'); }

  add(size: number): this { hit('add'); this.items.push({ size }); return this; }

  get total(): number { hit('get total'); return sum(this.items); }
}

export async function all(): Promise<number> {
  hit('all');
  const shop: Shop = new Shop('🎉');
  for (let i: number = 0; i < 25; i++) shop.add(i);
  await null;
  return shop.total + shop.total;
}
"#;

const TEST: &str = "import { all } from './program';\nimport { flush } from './hit.cjs';\ntest('works', async () => { await all(); flush(); });\n";
const MAIN: &str = "import { all } from './program';\nall();\n";
const MODULE: (&str, &str) = ("package.json", r#"{ "type": "module" }"#);

const RUNNERS: [Program; 7] = [
    Program { name: "tsx", files: &[("main.ts", MAIN), MODULE], command: &["npx", "tsx", "main.ts"] },
    Program {
        name: "tsx, CommonJS",
        files: &[("main.ts", MAIN)],
        command: &["node", "--require", "tsx/cjs", "main.ts"],
    },
    Program {
        name: "vitest, threads",
        files: &[("a.test.ts", TEST), ("b.test.ts", TEST), MODULE, VITEST],
        command: &["npx", "vitest", "run", "--pool=threads"],
    },
    Program {
        name: "vitest, forks",
        files: &[("a.test.ts", TEST), ("b.test.ts", TEST), MODULE, VITEST],
        command: &["npx", "vitest", "run", "--pool=forks"],
    },
    Program {
        name: "jest",
        files: &[("a.test.ts", TEST), ("b.test.ts", TEST), JEST, BABEL],
        command: &["npx", "jest", "--runInBand"],
    },
    Program {
        name: "jest, workers",
        files: &[("a.test.ts", TEST), ("b.test.ts", TEST), JEST, BABEL],
        command: &["npx", "jest", "--maxWorkers=2"],
    },
    Program {
        name: "ts-node, ES5",
        files: &[
            ("main.ts", MAIN),
            (
                "tsconfig.json",
                r#"{ "compilerOptions": { "target": "es5", "lib": ["es2022"], "downlevelIteration": true, "module": "commonjs", "skipLibCheck": true, "types": [], "ignoreDeprecations": "5.0" } }"#,
            ),
        ],
        command: &["npx", "ts-node", "--transpile-only", "main.ts"],
    },
];

/// What a program counted itself in each of two runs.
fn counted_by_itself(folder: &Folder) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(folder.path().join("calls.ndjson")).unwrap();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines() {
        let calls: BTreeMap<String, u64> = serde_json::from_str(line).unwrap();
        calls.into_iter().for_each(|(name, calls)| *sums.entry(name).or_default() += calls);
    }
    sums.into_iter().map(|(name, calls)| (name, calls / 2)).collect()
}

/// What a report says of the calls of the functions that count themselves.
fn reported(report: &Value, names: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for list in [&report["functions"], &report["counts"]["withoutSamples"]] {
        for function in list.as_array().unwrap() {
            let name = function["name"].as_str().unwrap();
            let is_ours = !function["file"].as_str().unwrap().contains("hit.cjs");
            if let Some(calls) = function["calls"].as_u64().filter(|_| is_ours && names.contains_key(name)) {
                *all.entry(name.to_owned()).or_default() += calls;
            }
        }
    }
    all
}

/// Where a program and a report do not agree; empty if they do.
fn differences(program: &Program, prepare: impl Fn(&Folder)) -> String {
    let folder = Folder::new();
    prepare(&folder);
    folder.write("hit.cjs", HIT);
    for (file, text) in program.files {
        folder.write(file, text);
    }
    let run = || ended(record(folder.path(), &["--counts", "--interval", "100us"], program.command), &[]);
    let output = run().unwrap_or_else(|| panic!("{} does not end", program.name));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(ending(output.status), "0", "{}: {said}", program.name);
    let recordings = recordings(folder.path());
    assert_eq!(recordings.len(), 1, "{}: {said}", program.name);
    let itself = counted_by_itself(&folder);
    let reported = reported(&report(folder.path(), &recordings[0]), &itself);
    if itself == reported && notes(&output).is_empty() {
        return String::new();
    }
    format!("{}: counted itself {itself:?}\nreported {reported:?}\n{said}\n", program.name)
}

/// What is said when a program is recorded with counts and this environment, and the calls of its functions that begin with `work`.
fn said(files: &[(&str, &str)], variables: &[(&str, &str)]) -> String {
    let folder = programs(files);
    let mut command = record(folder.path(), &["--counts"], &["node", "main.cjs"]);
    command.envs(variables.iter().copied());
    let output = ended(command, &[]).expect("it ends");
    let mut text = format!("status {}\n", ending(output.status));
    let masked = |line: &str| {
        let words =
            line.split(' ').map(|word| match word.trim_end_matches(')').split('-').next() {
                Some(number) if number.parse::<u32>().is_ok_and(|number| number > 99) => {
                    if word.ends_with(')') { "N)" } else { "N" }
                }
                _ => word,
            });
        words.collect::<Vec<_>>().join(" ")
    };
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = stderr.lines().filter(|line| line.starts_with("Note: ") && !line.contains(".json.gz"));
    lines.for_each(|line| text += &(masked(line) + "\n"));
    let report = report_with_problems(&folder);
    for list in [&report["functions"], &report["counts"]["withoutSamples"]] {
        for function in list.as_array().into_iter().flatten() {
            let name = function["name"].as_str().unwrap();
            if name.starts_with("work") {
                text += &format!("{name} {}\n", function["calls"]);
            }
        }
    }
    text
}

fn report_with_problems(folder: &Folder) -> Value {
    let recordings = recordings(folder.path());
    let mut command = Command::new(proflens());
    command.args(["report", "--format", "json", "--limit", "0", "--workspace"]).arg(folder.path());
    let output = command.args(recordings).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_is_not_counted_is_said() {
    let work = "const work = require('./work.cjs'); function workMain() { return work.for(20); } workMain(); workMain();";
    let main = |rest: &str| format!("{work}\n{rest}");
    let [counted, own, other, killed] = [
        main(""),
        main("const s = new (require('inspector').Session)(); s.connect(); s.disconnect();"),
        main(
            "const fs = require('fs'); if (fs.existsSync('ran')) process.exitCode = 3; fs.writeFileSync('ran', '');",
        ),
        main("require('child_process').spawnSync(process.execPath, ['killed.cjs']);"),
    ];
    let kills_itself = "function workKilled() {} workKilled(); process.kill(process.pid, 'SIGKILL');";
    let rows = [
        said(&[("main.cjs", &counted)], &[]),
        said(&[("main.cjs", &counted)], &[("NODE_V8_COVERAGE", "coverage")]),
        said(&[("main.cjs", &own)], &[]),
        said(&[("main.cjs", &other)], &[]),
        said(&[("main.cjs", &killed), ("killed.cjs", kills_itself)], &[]),
    ];
    expect![[r#"
        status 0
        workMain 2

        status 0
        Note: in the run that was counted, something of process N was not recorded: V8 counts for NODE_V8_COVERAGE in it, and cannot count for two.
        Note: No calls were counted when the command ran again. Look for notes above; Node counts, in scripts that are not below node_modules.
        workMain null

        status 0
        Note: in the run that was counted, the calls in main.cjs (pid N) were not counted: it uses V8's inspector itself, or a debugger does, which may begin to count anew.
        Note: No calls were counted when the command ran again. Look for notes above; Node counts, in scripts that are not below node_modules.
        workMain null

        status 0
        Note: Calls were not counted: the command ended otherwise when it ran again, exit status: 3 instead of exit status: 0. Count what does the same each time.
        workMain null

        status 0
        Note: in the run that was counted, killed.cjs (pid N) ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full.
        Note: killed.cjs (pid N) ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full.
        workMain 2
    "#]].assert_eq(&rows.join("\n"));
}

/// The coverage of another tool: the same numbers.
#[test]
fn coverage_of_node_is_read() {
    let folder = programs(&[(
        "main.cjs",
        "const work = require('./work.cjs');
        function work1(i) { return i < 50 ? i : work.for(20); }
        const work2 = (i) => work1(i) + 1; // 🎉
        for (let i = 0; i < 60; i++) work2(i);",
    )]);
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = plain(folder.path(), &["node"]);
        command.args(arguments).envs(variables.iter().copied());
        assert!(command.output().unwrap().status.success());
    };
    run(&["--cpu-prof", "--cpu-prof-name", "a.cpuprofile", "main.cjs"], &[]);
    run(&["main.cjs"], &[("NODE_V8_COVERAGE", "coverage")]);
    folder.write("ran.json", r#"[{"url":"a.js","functions":[{"functionName":"","ranges":[{"startOffset":0,"endOffset":1,"count":1}]}]}]"#);
    let report = |arguments: &[&str]| {
        let mut command = Command::new(proflens());
        command.args(["report", "a.cpuprofile", "--limit", "0", "--format", "json"]).args(arguments);
        command.current_dir(folder.path()).output().unwrap()
    };
    let calls: Value = serde_json::from_slice(&report(&["--counts", "coverage"]).stdout).unwrap();
    let names = ["work1", "work2", "for"].map(|name| (name.to_owned(), 0)).into();
    let expected = [("for", 10), ("work1", 60), ("work2", 60)];
    assert_eq!(reported(&calls, &names), expected.map(|(name, calls)| (name.to_owned(), calls)).into());
    assert_eq!(calls["problems"], serde_json::json!([]));
    let refused = [
        &["--counts", "nothing"][..],
        &["--counts", "ran.json"],
        &["--counts", "main.cjs"],
        &["--counts", "coverage", "--thread", "1"],
    ];
    let refused = refused.map(|arguments| String::from_utf8(report(arguments).stderr).unwrap());
    expect![[r#"
        nothing cannot be read: there is no such file. Check the path and its permissions.
        ran.json has no number above 1, so that it may only say which functions ran. Count calls: NODE_V8_COVERAGE does, and callCount in the DevTools protocol.
        main.cjs is not coverage of V8 that Proflens reads: it counts no calls of functions. Name a file or folder that NODE_V8_COVERAGE wrote.
        coverage tells the calls of a whole run, and only a part is looked at. Leave out the coverage, or what chooses the part.
    "#]].assert_eq(&refused.concat());
}

/// Two recordings, of which the second one calls a function twice as often.
#[test]
fn a_comparison_tells_the_calls_of_both_sides() {
    let folder = programs(&[(
        "main.cjs",
        "function work(i) { let sum = i; while (sum % 20011) sum += 7; return sum; }
        for (let i = 0; i < Number(process.env.TIMES); i++) work(i);",
    )]);
    for (file, times) in [("before.json.gz", "30000"), ("after.json.gz", "60000")] {
        let mut command = record(folder.path(), &["--counts", "--out", file], &["node", "main.cjs"]);
        assert!(command.env("TIMES", times).output().unwrap().status.success());
    }
    let compared = |arguments: &[&str]| {
        let mut command = Command::new(proflens());
        command.args(["compare", "--format", "json"]).args(arguments).args([
            "before.json.gz",
            "--",
            "after.json.gz",
        ]);
        let output = command.current_dir(folder.path()).output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).expect("a comparison");
        let functions = json["functions"].as_array().unwrap();
        let work = functions.iter().find(|it| it["name"] == "work").expect("it has samples");
        (
            work["calls"]["before"].clone(),
            work["calls"]["after"].clone(),
            work["self"]["beforeNs"].as_u64().unwrap(),
        )
    };
    let (before, after, time) = compared(&[]);
    assert_eq!((before, after), (30_000.into(), 60_000.into()));
    let (before, after, as_often) = compared(&["--per", "call"]);
    assert_eq!((before, after, as_often), (30_000.into(), 60_000.into(), 2 * time));
}

#[test]
fn calls_are_those_that_ten_programs_count_themselves() {
    let all: String = TEN.iter().map(|program| differences(program, |_| ())).collect();
    assert_eq!(all, "");
}

#[test]
fn calls_are_those_that_a_program_counts_under_real_runners() {
    let packages = packages();
    let all = RUNNERS.iter().map(|runner| {
        differences(runner, |folder| {
            std::os::unix::fs::symlink(&packages, folder.path().join("node_modules")).unwrap();
            folder.write("program.ts", TYPESCRIPT);
        })
    });
    assert_eq!(all.collect::<String>(), "");
}
