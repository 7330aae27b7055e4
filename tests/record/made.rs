//! Code that a program makes while it runs is of no file: it says who made it.

use tests::Folder;

use crate::recorded::{programs, record, recordings, report};

const MODULE: &str = "const loop = 'const end = Date.now() + ms; while (Date.now() < end);';
class Schema {
  compile() {
    return [0].map(() => new Function('ms', loop))[0];
  }
  write() {
    return eval(`(function written(ms) { ${loop} })`);
  }
}
module.exports = { Schema, inside: new Function(`return new Function('ms', '${loop}')`)() };
";
const MAIN: &str = "const { Schema, inside } = require('./schema.cjs');
const schema = new Schema();
function work() { schema.compile()(500); schema.write()(500); inside(500); }
work();
";

/// What took time and came from no file: `name by maker file:line`.
fn made(folder: &Folder) -> Vec<String> {
    let report = report(folder.path(), &recordings(folder.path())[0]);
    let unplaced = report["unplacedFunctions"].as_array().unwrap();
    let ran = unplaced.iter().filter(|it| it["why"] == "no-resource" && it["selfSamples"].as_u64() > Some(9));
    let text = |it: &serde_json::Value| it.as_str().unwrap_or_default().to_owned();
    let shown = ran.map(|it| {
        let by = &it["madeBy"];
        format!("{} by {} {}:{}", text(&it["name"]), text(&by["name"]), text(&by["file"]), by["line"])
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

#[test]
fn made_code_says_who_made_it() {
    let folder = programs(&[("main.cjs", MAIN), ("schema.cjs", MODULE)]);
    let output = record(folder.path(), &[], &["node", "main.cjs"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("code made by"), "{stderr}");
    let expected =
        [" by (top level) schema.cjs:1", " by map callback schema.cjs:4", "written by write schema.cjs:6"];
    assert_eq!(made(&folder), expected);
}
