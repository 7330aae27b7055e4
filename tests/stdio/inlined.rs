//! Code that V8 inlined in a recorded program: never of a function that V8 did not inline there, as its own log of inlining tells.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;
use tests::{proflens, root};

/// What a command prints of the recorded program.
fn printed(command: &str, arguments: &[&str]) -> String {
    let workspace = root().join("tests/workspaces/inlined");
    let trace = root().join("tests/traces/cpuprofile/inlined-node20.cpuprofile.gz");
    let flag: &[&str] = if command == "annotate" { &["--trace"] } else { &[] };
    let output = Command::new(proflens())
        .arg(command)
        .args(flag)
        .arg(trace)
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(workspace)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_was_inlined_is_what_v8_said() {
    let report: Value = serde_json::from_str(&printed("report", &["--format", "json", "--lines"])).unwrap();
    let millis = |it: &Value, key: &str| it[key].as_u64().unwrap_or(0) / 1_000_000;
    // V8 calls a constructor by its class, and a callback nothing.
    let of_engine = |it: &Value| match it["name"].as_str().unwrap() {
        "constructor" => "Vector".to_owned(),
        "reduce callback" => "(anonymous)".to_owned(),
        name => name.to_owned(),
    };
    let (mut rows, mut told) = (Vec::new(), BTreeSet::new());
    for function in report["functions"].as_array().unwrap() {
        let inlined = function["inlined"].as_array().cloned().unwrap_or_default();
        for it in &inlined {
            told.insert(format!("{} < {}", of_engine(function), of_engine(it)));
        }
        let listed = inlined.iter().map(|it| {
            format!("{} {}:{} {}", it["name"], it["file"], it["line"], millis(it, "selfNs")).replace('"', "")
        });
        let listed = listed.collect::<Vec<_>>().join(", ");
        let (own, rest) = (millis(function, "selfNs"), millis(function, "withoutLineNs"));
        if !listed.is_empty() {
            rows.push(format!("{} {own} ms: {listed}; on no line {rest}", function["name"]));
        }
    }
    expect![[r#"
        "outer" 579 ms: tiny main.mjs:6 569; on no line 0
        "vectors" 163 ms: constructor vectors.mjs:8 1, plus vectors.mjs:13 67, plus vectors.mjs:14 28, plus vectors.mjs:15 9; on no line 39
        "through" 137 ms: first main.mjs:33 36, second main.mjs:28 10, second main.mjs:29 68; on no line 0
        "callbacks" 55 ms: reduce callback main.mjs:57 40; on no line 0"#]].assert_eq(&rows.join("\n"));
    let truth = fs::read_to_string(root().join("tests/workspaces/inlined/truth.txt")).unwrap();
    let truth: BTreeSet<String> = truth.lines().map(str::to_owned).collect();
    assert_eq!(told.difference(&truth).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn lines_have_what_ran_inlined() {
    let annotated = printed("annotate", &["--lines", "vectors.mjs", "--threshold", "0"]);
    expect![[r#"
                  │ export function clamp(value) {
                  │   return Math.min(Math.max(value % 1000, 3), 900);
                  │ }
                  │
                  │ export class Vector {
                  │   constructor(x, y) ⟨(5.46ms self · 6.56ms total)⟩ {
         ~5.46 ms │     this.x = x;
         ~1.88 ms │     this.y = y;
                  │   }
                  │
                  │   // The same lines as `tiny` and others of main.mjs, which these are not.
         ~1.10 ms │   plus(other) ⟨(3.28ms self · 3.28ms total)⟩ {
        ~67.8  ms │     const x = (this.x + other.x) % 10007;
        ~30.4  ms │     const y = (this.y + other.y) % 10009;
         ~9.42 ms │     return new Vector(x, y);
                  │   }
                  │
                  │   get length() {
                  │     return Math.hypot(this.x, this.y);
                  │   }
                  │ }
    "#]]
    .assert_eq(&annotated);
    let explained = printed("explain", &["--max-tokens", "4000"]);
    let told: Vec<&str> = explained.lines().filter(|line| line.starts_with("of self, ")).collect();
    expect![[r#"
        of self, 569 ms ± 62 ms (41 %) inlined from `tiny` (`main.mjs`, line 6)
        of self, 105 ms ± 34 ms (7.7 %) inlined from `plus` (`vectors.mjs`, lines 13, 14, 15)
        of self, 1.88 ms (200 µs to 17 ms) (0.14 %) inlined from `constructor` (`vectors.mjs`, line 8)
        of self, 79.3 ms ± 30 ms (5.8 %) inlined from `second` (`main.mjs`, lines 28, 29)
        of self, 36.6 ms (21 ms to 63 ms) (2.7 %) inlined from `first` (`main.mjs`, line 33)
        of self, 41.0 ms (24 ms to 69 ms) (3 %) inlined from `reduce callback` (`main.mjs`, line 57)"#]]
    .assert_eq(&told.join("\n"));
}
