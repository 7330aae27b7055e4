//! Code that a program makes while it runs: code without a file says who made it, and the text of code that has the name of a file is
//! kept.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tests::{Folder, proflens};

use crate::recorded::{programs, record, recordings, report};

/// Its loops are counted, as those of `WORK` are.
const MODULE: &str =
    "const loop = 'let sum = 0; for (let i = 0; i < ms * 4e5; i++) sum += Math.sqrt(i % 1e4); return sum;';
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

/// What took time and did not come from a file: `name by maker file:line`.
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

/// Each loads `shop.js` with three more lines than the file has, and is over before anything is asked about plain files.
const LOADERS: [(&str, &str); 3] = [
    (
        "extension.cjs",
        "require('module')._extensions['.js'] = (module, file) =>
           module._compile('\\n\\n\\n' + require('fs').readFileSync(file, 'utf8'), file);
         require('./shop.js');",
    ),
    (
        "vm.cjs",
        "const filename = require('path').resolve('shop.js');
         const text = require('fs').readFileSync(filename, 'utf8');
         require('vm').runInThisContext(`(require) => {\\n\\n\\n${text}}`, { filename })(require);",
    ),
    (
        "named.cjs",
        "const filename = require('path').resolve('shop.js');
         const text = require('fs').readFileSync(filename, 'utf8');
         new Function('require', `\\n\\n\\n${text}//# sourceURL=${filename}`)(require);",
    ),
];

#[test]
fn what_a_short_program_made_of_a_file_is_kept() {
    let folder = programs(&LOADERS);
    folder.write("shop.js", "const work = require('./work.cjs');\n[0].map(() => work.for(60));\n");
    for (program, _) in LOADERS {
        let output = record(folder.path(), &[], &["node", program]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for recording in recordings(folder.path()) {
        assert_eq!(text_of(&folder, &recording, "/shop.js"), "trace");
    }
}

/// In which text the functions of a script were looked for.
fn text_of(folder: &Folder, recording: &Path, script: &str) -> Value {
    let output = Command::new(proflens())
        .args(["doctor", "--dependencies", "--format", "json"])
        .arg(recording)
        .current_dir(folder.path())
        .output();
    let doctor: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let mut scripts = doctor["scripts"].as_array().unwrap().iter();
    let found = scripts.find(|it| it["resource"].as_str().unwrap().ends_with(script));
    found.map_or_else(|| panic!("{doctor}"), |it| it["text"].clone())
}

/// A package stays as it is, but a tool may build what it keeps there again.
#[test]
fn what_a_tool_keeps_below_node_modules_is_kept() {
    // A program that makes code is asked for its texts.
    let work =
        "require('vm').runInThisContext('1');\nconst end = Date.now() + 60;\nwhile (Date.now() < end);\n";
    for (program, expected) in
        [("node_modules/.tool/main.js", "trace"), ("node_modules/tool/main.js", "today")]
    {
        let folder = programs(&[(program, work)]);
        let output = record(folder.path(), &[], &["node", program]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder.write(program, format!("// built again\n{work}"));
        assert_eq!(text_of(&folder, &recordings(folder.path())[0], program), expected);
    }
}

/// `burn` is inlined into `label` before the second piece begins.
const WAIT: &str = "function burn(ms) {
  const start = performance.now();
  let turns = 0;
  while (performance.now() - start < ms) turns++;
  return turns;
}
const label = (number) => burn(3) + number;
for (let number = 0; number < 300; number++) label(number);
";

#[test]
fn code_that_names_itself_keeps_its_file_where_it_was_inlined() {
    let main = "const file = require('path').resolve('wait.js');
        const text = require('fs').readFileSync(file, 'utf8');
        new Function(`${text}//# sourceURL=${file}`)();";
    let folder = programs(&[("main.cjs", main), ("wait.js", WAIT)]);
    let output = record(folder.path(), &[], &["node", "main.cjs"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(made(&folder), Vec::<String>::new());
}
