//! `record --counts`, line by line: each line of a program counts itself how often it ran, and no other number is told of it, whatever ran it.

use std::collections::BTreeMap;
use std::fs;

use expect_test::expect;
use serde_json::Value;
use tests::{Folder, proflens};

use crate::recorded::{ending, record, recordings};
use crate::runners::packages;

/// `hit(@)` at the start of a line notes that it ran.
const PROGRAM: &str = "\
import { hit } from './hit.cjs';
interface Item { size: number; kind?: string }
function guarded(item: Item): number {
  if (hit(@) || item.size > 90) {
    return hit(@) + 1;
  }
  const double = hit(@) || item.size % 2 ? 0
    : hit(@) || 2;
  const all = hit(@) || [1, 2, 3].slice(double);
  for (const one of hit(@) || all) {
    if (hit(@) || one > 2) continue;
    hit(@);
  }
  return hit(@) + double;
}
function caught(item: Item): number {
  let sum = hit(@) + 0;
  try {
    if (hit(@) || item.size % 3 === 0) throw new Error('three');
    const kind = hit(@) || (item.kind ?? 'none');
    sum += hit(@) + kind.length;
  } catch {
    sum -= hit(@) + 1;
  } finally {
    sum += hit(@) + 2;
  }
  label: {
    if (hit(@) || item.size > 50) break label;
    sum += hit(@) || item.size > 20 && sum > 0 ? 1 : 2;
    hit(@);
  }
  return hit(@) + sum;
}
const switched = (item: Item): string => {
  switch (hit(@) || item.size % 4) {
    case 0:
      hit(@);
    case 1:
      return hit(@) + 'one';
    case 2: {
      if (hit(@) || item.size > 30) break;
      hit(@);
      break;
    }
    default:
      hit(@);
  }
  let at = hit(@) + 0;
  do {
    hit(@);
    at += 1;
  } while (at < item.size % 5);
  return hit(@) + 'end';
};
class Shop {
  items: Item[] = [];
  get size(): number {
    hit(@);
    return this.items.length;
  }
  *each(): Generator<Item> {
    hit(@);
    for (const item of this.items) {
      hit(@);
      if (item.size > 95) return;
      yield item;
      hit(@);
    }
  }
  async sell(item: Item): Promise<number> {
    hit(@);
    if (item.size < 10) return 0;
    await null;
    hit(@);
    const price = item.size > 40
      ? hit(@) || 3
      : hit(@) || 4;
    hit(@);
    return price;
  }
}
async function main() {
  const shop = new Shop();
  for (let size = 0; size < 100; size++) {
    hit(@);
    shop.items.push(size % 7 ? { size } : { size, kind: 'seventh' });
  }
  let sum = 0;
  for (const item of shop.each()) {
    sum += hit(@) + guarded(item) + caught(item) + switched(item).length + shop.size;
    sum += await shop.sell(item);
  }
  const sorted = shop.items.map((item) => {
    hit(@);
    return item.size;
  });
  hit(@);
  console.log(sum, sorted.length);
}
void main();
";

const HIT: &str = "
const fs = require('fs'), path = require('path');
const lines = {};
exports.hit = (line) => { lines[line] = (lines[line] ?? 0) + 1; return 0; };
process.on('exit', () => fs.writeFileSync(path.join(__dirname, 'lines.json'), JSON.stringify(lines)));
";

/// How often each line ran, by its number.
type Lines = BTreeMap<u32, u64>;

/// What a report tells of the lines of a file.
fn told(folder: &Folder, file: &str) -> Lines {
    let recording = recordings(folder.path()).pop().unwrap();
    let mut report = std::process::Command::new(proflens());
    report.args(["report", "--format", "json", "--limit", "0", "--lines"]).arg(recording);
    let output = report.current_dir(folder.path()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lists = [&report["functions"], &report["counts"]["withoutSamples"]];
    let functions = lists.iter().flat_map(|list| list.as_array().unwrap()).filter(|it| it["file"] == file);
    let lines = functions.flat_map(|function| function["ran"].as_array().unwrap());
    lines
        .map(|it| (u32::try_from(it["line"].as_u64().unwrap()).unwrap(), it["times"].as_u64().unwrap()))
        .collect()
}

/// How many lines are told, which of them wrongly, and of which nothing is.
fn differences(file: &str, text: &str, command: &[&str], files: &[(&str, &str)]) -> String {
    let folder = Folder::new();
    std::os::unix::fs::symlink(packages(), folder.path().join("node_modules")).unwrap();
    let lines = text.lines().zip(1..).map(|(line, number)| line.replace('@', &number.to_string()) + "\n");
    folder.write(file, lines.collect::<String>());
    folder.write("hit.cjs", HIT);
    for (name, text) in files {
        folder.write(name, text);
    }
    let output = record(folder.path(), &["--counts", "--interval", "100us"], command).output().unwrap();
    assert_eq!(ending(output.status), "0", "{}", String::from_utf8_lossy(&output.stderr));
    let itself: Lines = serde_json::from_slice(&fs::read(folder.path().join("lines.json")).unwrap()).unwrap();
    let told = told(&folder, file);
    let (mut right, mut unknown, mut wrong) = (0, Vec::new(), String::new());
    for (line, times) in &itself {
        match told.get(line) {
            Some(known) if known == times => right += 1,
            Some(known) => wrong += &format!("; line {line} ran {times} times, told are {known}"),
            None => unknown.push(line),
        }
    }
    format!("{}: {right} lines, nothing of {unknown:?}{wrong}\n", command.join(" "))
}

#[test]
fn lines_ran_as_often_as_they_count_themselves() {
    let es5 = r#"{ "compilerOptions": { "target": "es5", "lib": ["es2022"], "downlevelIteration": true, "module": "commonjs", "skipLibCheck": true, "types": [], "ignoreDeprecations": "5.0" } }"#;
    let module = ("package.json", r#"{ "type": "module" }"#);
    let all = [
        differences("main.ts", PROGRAM, &["npx", "tsx", "main.ts"], &[module]),
        differences("main.ts", PROGRAM, &["node", "--require", "tsx/cjs", "main.ts"], &[]),
        differences(
            "main.ts",
            PROGRAM,
            &["npx", "ts-node", "--transpile-only", "main.ts"],
            &[("tsconfig.json", es5)],
        ),
    ];
    expect![[r#"
        npx tsx main.ts: 41 lines, nothing of []
        node --require tsx/cjs main.ts: 41 lines, nothing of []
        npx ts-node --transpile-only main.ts: 41 lines, nothing of []
    "#]]
    .assert_eq(&all.concat());
}
