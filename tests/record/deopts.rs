//! `record --deopts`: what V8 gave up is on the function and the line where that was planted, whatever loaded it, and on no other.
//!
//! `NODES=/node18/bin/node:/node22/bin/node` runs the planted program under these too.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;
use tests::Folder;

use crate::ended::ended;
use crate::recorded::{ending, notes, programs, record, recordings, report};
use crate::runners::{BABEL, JEST, VITEST, packages};

const PLANTED: &str = include_str!("deopts/planted.cjs");
const MAIN: &str = include_str!("deopts/main.cjs");

/// A line that is to be found: its function, and the reasons that V8 may have.
struct Truth<'a> {
    name: &'a str,
    line: u64,
    reasons: Vec<&'a str>,
}

/// The truth that stands in a text: `// deopt: wrong map` on the line, in a function that is named above.
fn truth(text: &str) -> Vec<Truth<'_>> {
    let mut name = "";
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        name = line.split_once("function ").and_then(|(_, rest)| rest.split('(').next()).unwrap_or(name);
        if let Some((_, reasons)) = line.split_once("// deopt: ") {
            all.push(Truth { name, line: number, reasons: reasons.split('|').collect() });
        }
    }
    all
}

/// `name file:line reason`, of everything that a report says was given up.
fn given_up(report: &Value) -> Vec<String> {
    let functions = report["deopts"]["functions"].as_array().into_iter().flatten();
    let sites = functions.flat_map(|function| {
        let sites = function["deopts"]["sites"].as_array().unwrap().iter();
        sites.map(move |site| {
            let [name, file] = [&function["name"], &function["file"]].map(|text| text.as_str().unwrap());
            format!("{name} {file}:{} {}", site["line"], site["reason"].as_str().unwrap())
        })
    });
    let mut all: Vec<String> = sites.collect();
    all.sort();
    all
}

/// The report about a program that was recorded with its deoptimisations, without a word about anything that is missing.
fn logged(folder: &Path, command: &[&str]) -> Value {
    let output = ended(record(folder, &["--deopts"], command), &[]).expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(ending(output.status), "0", "{said}");
    assert_eq!(notes(&output), [""; 0], "{said}");
    let report = report(folder, recordings(folder).last().expect("a recording"));
    assert_eq!(report["problems"], serde_json::json!([]));
    report
}

#[test]
fn what_was_planted_is_found_and_nothing_else() {
    let others = std::env::var("NODES").unwrap_or_default();
    let nodes = others.split(':').filter(|node| !node.is_empty());
    for node in ["node"].into_iter().chain(nodes) {
        let folder = programs(&[("planted.cjs", PLANTED), ("main.cjs", MAIN)]);
        let found = given_up(&logged(folder.path(), &[node, "main.cjs"]));
        let mut expected: Vec<String> = truth(PLANTED)
            .iter()
            .map(|Truth { name, line, reasons }| {
                let place = format!("{name} planted.cjs:{line}");
                let all = reasons.iter().map(|reason| format!("{place} {reason}"));
                let as_said = all.clone().find(|row| found.contains(row));
                as_said.unwrap_or_else(|| all.collect::<Vec<_>>().join(" or "))
            })
            .collect();
        expected.sort();
        assert!(expected.len() >= 20);
        assert_eq!(found, expected, "{node}");
    }
}

const TYPED: &str = r#"/** What a loader takes away. */
interface Item {
  readonly size: number;
}

export const sizeOf = (item: Item): number => {
  return item.size;
};

export class Shop {
  total(item: Item): number {
    return item.size + 1;
  }
}

export async function all(): Promise<void> {
  const shop: Shop = new Shop();
  const calls: Array<(item: Item) => number> = [sizeOf, shop.total];
  for (const call of calls) {
    const items: Item[] = new Array(20_000).fill({ size: 1 });
    for (let turn: number = 0; turn < 25; turn++) {
      items.forEach(call as (item: Item) => void);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    [{ other: 1, size: 2 } as Item].forEach(call as (item: Item) => void);
  }
}
"#;

#[test]
fn under_loaders_in_workers_and_children_it_is_on_the_lines_that_were_written() {
    let packages = packages();
    let module = ("package.json", r#"{ "type": "module" }"#);
    let main = ("main.ts", "import { all } from './program';\nall();\n");
    let all_of = "const { all } = require('./program.ts');";
    let worker = format!(
        "const {{ Worker, isMainThread }} = require('worker_threads'); {all_of} isMainThread ? new Worker(__filename) : all();"
    );
    let child = format!(
        "const {{ fork }} = require('child_process'); {all_of} process.argv[2] ? all() : fork(__filename, ['child'], {{ execArgv: ['--require', 'tsx/cjs'] }});"
    );
    let test = (
        "a.test.ts",
        "import { all } from './program';\ntest('works', async () => { await all(); }, 600_000);\n",
    );
    let rows: [(&[(&str, &str)], &[&str]); 9] = [
        (&[test, VITEST, module], &["npx", "vitest", "run", "--pool=forks"]),
        (&[test, VITEST, module], &["npx", "vitest", "run", "--pool=threads"]),
        (&[test, JEST, BABEL], &["npx", "jest", "--runInBand"]),
        (&[main, module], &["npx", "tsx", "main.ts"]),
        (&[main], &["node", "--require", "tsx/cjs", "main.ts"]),
        (&[main], &["npx", "ts-node", "--transpile-only", "main.ts"]),
        (&[("worker.cjs", &worker)], &["node", "--require", "tsx/cjs", "worker.cjs"]),
        (&[("child.cjs", &child)], &["node", "--require", "tsx/cjs", "child.cjs"]),
        (&[main, module], &["sh", "-c", "node --import tsx main.ts"]),
    ];
    for (files, command) in rows {
        let folder = Folder::new();
        std::os::unix::fs::symlink(&packages, folder.path().join("node_modules")).unwrap();
        folder.write("program.ts", TYPED);
        folder.write(
            "tsconfig.json",
            r#"{ "compilerOptions": { "target": "es2022", "module": "commonjs", "types": [] } }"#,
        );
        for (file, text) in files {
            folder.write(file, text);
        }
        let report = logged(folder.path(), command);
        assert_eq!(
            given_up(&report),
            ["sizeOf program.ts:7 wrong map", "total program.ts:12 wrong map"],
            "{command:?}"
        );
    }
}

const SHAPES: &str = "
function workWithShapes(it) {
  return it.size;
}
const shapes = [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }, { e: 1 }, { f: 1 }];
// What a function is given is only remembered once it has run for a while.
for (let turn = 0; turn < 1000; turn++) shapes.forEach(workWithShapes);
require('./work.cjs').for(20);
console.log(process.execArgv.length > 0 ? 'logged' : 'timed');
";

#[test]
fn nothing_is_printed_or_left_in_the_workspace() {
    let folder = programs(&[("main.cjs", SHAPES)]);
    let output = ended(record(folder.path(), &["--deopts"], &["node", "main.cjs"]), &[]).expect("it ends");
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "timed\nlogged\n");
    assert_eq!(left, [".proflens", "main.cjs", "work.cjs"]);
    let report = report(folder.path(), &recordings(folder.path())[0]);
    let functions = report["deopts"]["functions"].as_array().unwrap().iter();
    let shapes = functions.filter(|function| function["name"] == "workWithShapes");
    let megamorphic: Vec<_> = shapes.map(|function| function["deopts"]["megamorphic"].to_string()).collect();
    assert_eq!(megamorphic, [r#"[{"line":3,"property":"size"}]"#]);
}

#[test]
fn what_is_not_logged_is_said() {
    let said = |text: &str, options: &[&str]| {
        let folder = programs(&[("main.cjs", text)]);
        let output = ended(record(folder.path(), options, &["node", "main.cjs"]), &[]).expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines = stderr.lines().filter(|line| line.contains("logged") || line.starts_with("error"));
        format!("status {}\n{}\n", ending(output.status), lines.collect::<Vec<_>>().join("\n"))
    };
    let work = "require('./work.cjs').for(20);";
    let other = format!(
        "{work} const fs = require('fs'); if (fs.existsSync('ran')) process.exitCode = 3; fs.writeFileSync('ran', '');"
    );
    let rows = [said(&other, &["--deopts"]), said(work, &["--deopts", "--heap"])];
    expect![[r#"
        status 0
        Note: Deoptimisations were not logged: the command ended otherwise when it ran again, exit status: 3 instead of exit status: 0. Record what does the same each time.
        status 2
        error: the argument '--deopts' cannot be used with '--heap[=<WHICH>]'
    "#]].assert_eq(&rows.concat());
}
