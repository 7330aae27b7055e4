//! `report` and `annotate` on the example, compared byte by byte.

use std::process::{Command, Output};

use expect_test::{ExpectFile, expect, expect_file};
use tests::{Folder, proflens, root};

fn run(arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(root()).output().unwrap()
}

fn check(arguments: &[&str], expected: ExpectFile) {
    let output = run(arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    expected.assert_eq(&String::from_utf8(output.stdout.clone()).unwrap());
    assert_eq!(run(arguments).stdout, output.stdout, "the same input gives the same bytes");
}

const CPUPROFILE: &str = "examples/primes/primes.cpuprofile";
const SELF_PROFILING: &str = "examples/primes/recordings/self-profiling.json";

#[test]
fn report_as_a_table() {
    check(&["report", CPUPROFILE, "--workspace", "examples/primes"], expect_file!["expected/report.txt"]);
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (_, block) = readme.split_once("$ proflens report primes.cpuprofile\n").expect("it is an example");
    let (shown, _) = block.split_once("```").expect("the block ends");
    assert_eq!(
        shown,
        String::from_utf8(run(&["report", CPUPROFILE, "--workspace", "examples/primes"]).stdout).unwrap()
    );
}

#[test]
fn report_as_json() {
    let format = ["--format", "json", "--limit", "0", "--all"];
    let with = |trace| [&["report", trace, "--workspace", "examples/primes"][..], &format].concat();
    check(&with(CPUPROFILE), expect_file!["expected/report.json"]);
    check(&with(SELF_PROFILING), expect_file!["expected/report-self-profiling.json"]);
}

#[test]
fn report_as_markdown() {
    let arguments =
        ["report", CPUPROFILE, "--workspace", "examples/primes", "--format", "markdown", "--by", "total"];
    check(&arguments, expect_file!["expected/report.md"]);
}

#[test]
fn one_function_is_explained() {
    let explain = |function| {
        let named = ["explain", CPUPROFILE, "--workspace", "examples/primes", "--function", function];
        let output = run(&named);
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let by_name = explain("isPrime");
    expect![[r#"
        # `isPrime` `generate.js:6-13`

        self 570 ms ± 3.9 ms (87 %, 558 samples), total 570 ms ± 4.0 ms (87 %, 558 samples)
        found by its exact place; its text is the one that was measured
        called by:
        - 570 ms ± 4.0 ms (87 %) `genPrimes` `generate.js:15`
        hot lines, by self time:
        - 8: 492 ms ± 40 ms (75 %) `if (n % i === 0) {`
        - 7: 76.6 ms ± 24 ms (12 %) `for (let i = 2; i <= Math.sqrt(n); i++) {`
        - 12: 1.37 ms (150 µs to 13 ms) (0.21 %) `return n > 1;`
    "#]]
    .assert_eq(&by_name);
    assert_eq!(explain("generate.js:8"), by_name);
    expect![[r#"
        No function called isprime was measured: it took less than a sample, or did not run. Did you mean isPrime?
        No function in main.js at line 99 was measured: it took less than a sample, or did not run. See the list of the hottest functions.
    "#]].assert_eq(&(explain("isprime") + &explain("main.js:99")));
}

#[test]
fn annotate() {
    let files = ["examples/primes/generate.js", "examples/primes/main.js"];
    let with = ["annotate", "--trace", CPUPROFILE, "--workspace", "examples/primes"];
    check(&[&with[..], &files].concat(), expect_file!["expected/annotate.txt"]);
}

#[test]
fn annotate_lines() {
    let with =
        ["annotate", "--lines", "--workspace", "examples/primes", "examples/primes/generate.js", "--trace"];
    check(&[&with[..], &[CPUPROFILE]].concat(), expect_file!["expected/annotate-lines.txt"]);
    let output = run(&[&with[..], &[SELF_PROFILING]].concat());
    let without = [&["annotate"], &with[2..], &[SELF_PROFILING]].concat();
    assert_eq!(output.stdout, run(&without).stdout, "there is no column where nothing is known");
    expect![[r#"
        Note: the trace does not say on which lines functions ran; .cpuprofile files, Chrome traces and Firefox profiles do.
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
}

#[test]
fn lines_through_source_maps() {
    let folder = Folder::new();
    folder.write("main.js", "function alpha() {\n  beta();\n  gamma();\n}\n");
    folder.write("app.js", "function a(){\nb();\nc(),d()\n}\n//# sourceMappingURL=app.js.map\n");
    let map =
        r#"{"version":3,"sources":["main.js"],"names":[],"mappings":"AAAA,SAAS,CAAK;AACZ;AAAA,IACA;AACF"}"#;
    folder.write("app.js.map", map);
    let nodes = r#"{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
        {"id":2,"callFrame":{"functionName":"a","url":"http://localhost/app.js","lineNumber":0,"columnNumber":10},
        "positionTicks":[{"line":2,"ticks":2},{"line":3,"ticks":1}]}"#;
    folder.write(
        "page.cpuprofile",
        format!(r#"{{"nodes":[{nodes}],"startTime":0,"endTime":3000,"samples":[2,2,2],"timeDeltas":[0,1000,1000]}}"#),
    );
    let run = |arguments: &[&str]| {
        let output = Command::new(proflens())
            .args(arguments)
            .env("NO_COLOR", "1")
            .current_dir(folder.path())
            .output()
            .unwrap();
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap())
    };
    let [stdout, stderr] = run(&["annotate", "--lines", "main.js", "--trace", "page.cpuprofile"]);
    expect![[r#"
                 │ function alpha() ⟨3ms self · 3ms total⟩ {
        ~2.00 ms │   beta();
                 │   gamma();
                 │ }
        Note: main.js: ~1.00 ms of 3.00 ms are on no line: the trace has none there, a source map leads to several, or the function was edited.
    "#]]
    .assert_eq(&(stdout + &stderr));
    let [stdout, _] = run(&["report", "--lines", "--format", "json", "page.cpuprofile"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let lines = &report["functions"][0];
    assert_eq!(lines["lines"], serde_json::json!([{ "line": 2, "selfNs": 2_000_000 }]));
    assert_eq!(lines["withoutLineNs"], 1_000_000);
}

const HEAPPROFILE: &str = "tests/traces/heapprofile/heap-node20.heapprofile.gz";
const HEAP: &str = "tests/workspaces/heap";

#[test]
fn bytes() {
    check(&["report", HEAPPROFILE, "--workspace", HEAP], expect_file!["expected/bytes.txt"]);
    let file = &format!("{HEAP}/heap.mjs");
    let annotate = ["annotate", "--trace", HEAPPROFILE, "--workspace", HEAP, file];
    check(&annotate, expect_file!["expected/bytes-annotate.txt"]);
}

#[test]
fn times_and_bytes_have_no_sum() {
    let both = |traces: [&str; 2]| {
        let output = run(&["report", traces[0], traces[1], "--workspace", HEAP, "--limit", "1"]);
        assert_eq!(output.status.code(), Some(1));
        let shown = String::from_utf8(output.stdout).unwrap();
        (shown.contains(" MB "), String::from_utf8(output.stderr).unwrap())
    };
    let (in_bytes, said) = both([HEAPPROFILE, CPUPROFILE]);
    assert!(in_bytes, "the first is shown");
    expect![["primes.cpuprofile measures time and heap-node20.heapprofile.gz counts allocated bytes: they have no sum. Name one of them at a time.\n"]].assert_eq(&said);
    let (in_bytes, said) = both([CPUPROFILE, HEAPPROFILE]);
    assert!(!in_bytes, "the first is shown");
    expect![["heap-node20.heapprofile.gz counts allocated bytes and primes.cpuprofile measures time: they have no sum. Name one of them at a time.\n"]].assert_eq(&said);
}

#[test]
fn convert() {
    let with = ["convert", CPUPROFILE, "--to", "collapsed", "--workspace", "examples/primes"];
    check(&with, expect_file!["expected/convert.txt"]);
}

#[test]
fn what_is_converted_costs_the_same() {
    let folder = Folder::new();
    let costs = |trace: &str| {
        let with = ["report", trace, "--workspace", "examples/primes", "--format", "json", "--limit", "0"];
        let report: serde_json::Value = serde_json::from_slice(&run(&with).stdout).unwrap();
        let functions = report["functions"].as_array().unwrap().iter();
        // pprof has no columns, and the top level has nothing else.
        let functions = functions.filter(|it| it["name"] != "(top level)").map(|it| {
            let place = (it["name"].clone(), it["file"].clone(), it["line"].clone());
            (place, it["selfNs"].clone(), it["totalNs"].clone())
        });
        (functions.collect::<Vec<_>>(), report["ledger"]["idleNs"].clone())
    };
    for file in [
        "a.cpuprofile",
        "a.cpuprofile.gz",
        "a.speedscope.json",
        "a.pb",
        "a.pb.gz",
        "a.otlp",
        "a.otlp.gz",
        "a.firefox.json.gz",
    ] {
        let file = folder.path().join(file);
        let file = file.to_str().unwrap();
        for workspace in [&["--workspace", "examples/primes"][..], &[]] {
            let output = run(&[&["convert", CPUPROFILE, "--output", file][..], workspace].concat());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
            assert_eq!(output.stdout, b"");
            assert_eq!(costs(file), costs(CPUPROFILE), "{file}");
        }
    }
}

#[test]
fn what_cannot_be_converted_is_said() {
    let folder = Folder::copy_of("examples/primes");
    let said = |arguments: &[&str]| {
        let output = Command::new(proflens()).args(arguments).current_dir(folder.path()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        format!("{}{}", String::from_utf8_lossy(&output.stderr), output.status.code().unwrap())
    };
    expect![[r#"
        ./primes.cpuprofile is the trace itself. Name another file with --output.
        1
        nowhere/a.cpuprofile cannot be written: there is no such folder. Check the path, its permissions and the space on the disk.
        1
        primes.cpuprofile has no thread "worker". Name one of these, or its number: 1 thread 1.
        1
        error: the ending of a.json tells no format. Say it with --to: cpuprofile, speedscope, pprof, otlp, firefox or collapsed.
        2"#]]
    .assert_eq(
        &[
            said(&["convert", "primes.cpuprofile", "--output", "./primes.cpuprofile"]),
            said(&["convert", "primes.cpuprofile", "--output", "nowhere/a.cpuprofile"]),
            said(&["convert", "primes.cpuprofile", "--to", "speedscope", "--thread", "worker"]),
            said(&["convert", "primes.cpuprofile", "--output", "a.json"]),
        ]
        .join("\n"),
    );
}

#[test]
fn doctor() {
    let with = ["doctor", CPUPROFILE, "--workspace", "examples/primes"];
    let output = run(&with);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    // The second line is the folder, which is different on each machine.
    let shown: Vec<&str> = text.lines().enumerate().filter(|it| it.0 != 1).map(|it| it.1).collect();
    expect_file!["expected/doctor.txt"].assert_eq(&(shown.join("\n") + "\n"));
}

/// A bundle of a compiler's output for `src/app.ts`: each text begins with one more line than what it was made from.
#[test]
fn doctor_follows_the_maps_of_sources() {
    let folder = Folder::new();
    let app = "function main() {\n  work();\n}\nfunction work() {}\nmain();\n";
    let map = |source: &str, mappings: &str| {
        serde_json::json!({ "version": 3, "sources": [source], "names": [], "mappings": mappings })
            .to_string()
    };
    let lines = "AACA,SAAS,IAAI;AACX;AACF;AACA,SAAS,IAAI,KAAK;AAClB";
    folder.write("src/app.ts", app);
    folder.write("build/app.js", format!("\"use strict\";\n{app}//# sourceMappingURL=app.js.map\n"));
    folder
        .write("build/app.js.map", map("../src/app.ts", &format!(";{}", lines.replacen("AACA", "AAAA", 1))));
    folder
        .write("dist/app.js", format!("// bundled\n\"use strict\";\n{app}//# sourceMappingURL=app.js.map\n"));
    folder.write("dist/app.js.map", map("../build/app.js", &format!(";AAAA;{lines}")));
    let trace = serde_json::json!({
        "resources": [folder.uri("dist/app.js")],
        "frames": [{ "name": "work", "resourceId": 0, "line": 6, "column": 14 }],
        "stacks": [{ "frameId": 0 }],
        "samples": [{ "timestamp": 0, "stackId": 0 }, { "timestamp": 10, "stackId": 0 }],
    });
    folder.write("app.jsprofile", trace.to_string());
    let doctor = |format: &str| {
        let arguments = ["doctor", "app.jsprofile", "--format", format];
        let output = Command::new(proflens()).args(arguments).current_dir(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().replace(folder.path().to_str().unwrap(), "/ws")
    };
    expect![[r#"
        app.jsprofile: 20.0 ms of active time in 1 script.
        Workspace: /ws

        100 %  20.0 ms  file:///ws/dist/app.js
                        file    dist/app.js, by its path or a mapping
                        map     dist/app.js.map, 1 source
                                of build/app.js: build/app.js.map, 1 source
                        placed  1 of 1 function: src/app.ts (1)
    "#]]
    .assert_eq(&doctor("text"));
    let json: serde_json::Value = serde_json::from_str(&doctor("json")).unwrap();
    expect![[r#"
        {
          "notFound": [],
          "ofSources": [
            {
              "map": {
                "notFound": [],
                "path": "build/app.js.map",
                "sources": 1,
                "state": "read"
              },
              "source": "build/app.js"
            }
          ],
          "path": "dist/app.js.map",
          "sources": 1,
          "state": "read"
        }
    "#]]
    .assert_eq(&format!("{:#}\n", json["scripts"][0]["map"]));
}

#[test]
fn doctor_says_what_is_missing_and_what_to_do() {
    let folder = Folder::new();
    folder.write("dist/app.js", "function work() {}\nfunction idle() {}\n//# sourceMappingURL=app.js.map\n");
    folder.write("lib/gone.js", "");
    let frame = |name: &str, resource: u32, line: u32| serde_json::json!({ "name": name, "resourceId": resource, "line": line, "column": 14 });
    let samples: Vec<_> =
        (0..4).map(|at| serde_json::json!({ "timestamp": 10 * at, "stackId": at.min(2) })).collect();
    let trace = serde_json::json!({
        "resources": [folder.uri("dist/app.js"), "http://localhost:3000/other/gone.js", folder.uri("main.js")],
        "frames": [frame("work", 0, 1), frame("lost", 1, 2), frame("idle", 0, 2), frame("main", 2, 1)],
        "stacks": [{ "frameId": 0, "parentId": 3 }, { "frameId": 1 }, { "frameId": 2 }, { "frameId": 3 }],
        "samples": samples,
    });
    folder.write("app.jsprofile", trace.to_string());
    let doctor = |arguments: &[&str]| {
        let output = Command::new(proflens())
            .args(["doctor", "app.jsprofile"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8(output.stdout).unwrap();
        text.replace(folder.path().to_str().unwrap(), "/ws")
    };
    let launch =
        r#"{ "configurations": [{ "webRoot": "${workspaceFolder}", "pathMapping": { "/other": "lib" } }] }"#;
    folder.write(".vscode/launch.json", launch);
    assert!(doctor(&[]).contains("file    lib/gone.js, by its path or a mapping"), "launch.json counts");
    folder.write(".vscode/launch.json", "{");
    assert!(doctor(&[]).contains("\nNote: /ws/.vscode/launch.json: launch.json is not valid: "));
    std::fs::remove_file(folder.path().join(".vscode/launch.json")).unwrap();
    let mapped = ["--map", "http://localhost:3000/=dist/", "--map", "http://localhost:80/=lib/"];
    let notes = doctor(&mapped).lines().filter(|it| it.starts_with("Note")).collect::<Vec<_>>().join("\n");
    expect![[r#"
        Note: --map http://localhost:3000/=/ws/dist/: no address that begins like this has a file there; name a folder inside the workspace.
        Note: --map http://localhost:80/=/ws/lib/: nothing in the trace or its source maps begins like this; begin with an address that `proflens doctor` lists."#]].assert_eq(&notes);
    expect![[r#"
        app.jsprofile: 40.0 ms of active time in 3 scripts.
        Workspace: /ws

        75 %  30.0 ms  file:///ws/dist/app.js
                       file    dist/app.js, by its path or a mapping
                       map     missing: dist/app.js.map is not there
                       placed  2 of 2 functions: dist/app.js (2)
                       help    build again with source maps, or --map '/ws/dist/app.js.map=FILE' says where the map is

        25 %  10.0 ms  http://localhost:3000/other/gone.js
                       file    none for sure; of its name there is lib/gone.js
                       not     25 % (1 function) is code that is not in the workspace
                       help    --map 'http://localhost:3000/other/=/ws/lib/' says that it is that file

        Without a share of their own: 1 script
    "#]].assert_eq(&doctor(&[]));
    expect![[r#"
        {
          "activeNs": 40000000,
          "problems": [],
          "scripts": [
            {
              "file": {
                "by": "path",
                "path": "dist/app.js",
                "transformed": false
              },
              "functions": 2,
              "help": "build again with source maps, or --map '/ws/dist/app.js.map=FILE' says where the map is",
              "map": {
                "path": "dist/app.js.map",
                "state": "missing"
              },
              "placed": [
                {
                  "file": "dist/app.js",
                  "functions": 2
                }
              ],
              "resource": "file:///ws/dist/app.js",
              "selfNs": 30000000,
              "text": "today",
              "unplaced": []
            },
            {
              "file": {
                "by": "path",
                "path": "lib/gone.js",
                "transformed": false
              },
              "functions": 1,
              "help": null,
              "map": {
                "state": "not-needed"
              },
              "placed": [],
              "resource": "http://localhost:3000/other/gone.js",
              "selfNs": 10000000,
              "text": "today",
              "unplaced": [
                {
                  "functions": 1,
                  "selfNs": 10000000,
                  "why": "no-definition"
                }
              ]
            },
            {
              "file": {
                "namesakes": [],
                "path": null,
                "why": "not-in-workspace"
              },
              "functions": 1,
              "help": "put back what ran, or build with source maps and record again; what a development server keeps in memory, it has to write to disk (`writeToDisk` of Rsbuild and webpack)",
              "map": null,
              "placed": [],
              "resource": "file:///ws/main.js",
              "selfNs": 0,
              "text": null,
              "unplaced": [
                {
                  "functions": 1,
                  "selfNs": 0,
                  "why": "not-in-workspace"
                }
              ]
            }
          ],
          "trace": "app.jsprofile",
          "unit": "time",
          "version": 1,
          "withoutScript": [],
          "workspace": "/ws"
        }
    "#]].assert_eq(&doctor(&["--map", "http://localhost:3000/other/=lib/", "--format", "json"]));
}

#[test]
fn the_other_inputs_are_used_when_one_cannot_be() {
    let folder = Folder::copy_of("examples/primes");
    let trace = folder.path().join("primes.cpuprofile");
    let output = Command::new(proflens())
        .args(["report", "missing.cpuprofile", trace.to_str().unwrap(), "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    expect![[r#"
        missing.cpuprofile cannot be read: there is no such file. Check the path and its permissions.
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["traces"].as_array().unwrap().len(), 1);
    assert_ne!(report["ledger"]["placedNs"], 0);
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [
        &["report", CPUPROFILE, "--by", "size"][..],
        &["reprot"],
        &["annotate"],
        &["doctor", CPUPROFILE, CPUPROFILE],
        &["convert", CPUPROFILE],
        &["convert", CPUPROFILE, "--to", "gprof"],
        &["convert", CPUPROFILE, "--to", "pprof", "--map", "a=b"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }
}

#[test]
fn completions_are_those_that_are_packed() {
    let folder = root().join("server/proflens/share/completions");
    let shells = [
        ("bash", "proflens.bash"),
        ("elvish", "proflens.elv"),
        ("fish", "proflens.fish"),
        ("powershell", "_proflens.ps1"),
        ("zsh", "_proflens"),
    ];
    for (shell, file) in shells {
        let output = run(&["completions", shell]);
        assert_eq!(output.stdout, std::fs::read(folder.join(file)).unwrap(), "{shell}");
    }
}

#[test]
fn colours_are_for_terminals_and_for_who_wants_them() {
    let report = ["report", CPUPROFILE, "--workspace", "examples/primes"];
    let coloured = |arguments: &[&str], no_color: &str| {
        let mut command = Command::new(proflens());
        command.args(report).args(arguments).env("NO_COLOR", no_color).current_dir(root());
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!coloured(&[], ""), "a pipe is no terminal");
    assert!(!coloured(&["--color", "never"], ""));
    assert!(coloured(&["--color", "always"], ""));
    assert!(coloured(&["--color=always"], "1"), "what is asked for counts more than the environment");
}

/// What a line of a shell prints at a terminal with this many columns.
#[cfg(target_os = "linux")]
fn at_a_terminal(columns: usize, arguments: &str) -> String {
    let line = format!("stty rows 40 cols {columns}; '{}' {arguments}", proflens().display());
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env("NO_COLOR", "1");
    let output = terminal.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[cfg(target_os = "linux")]
#[test]
fn who_starts_it_at_a_terminal_is_told_what_it_is() {
    assert_eq!(at_a_terminal(80, ""), String::from_utf8(run(&["--help"]).stdout).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn tables_fit_the_terminal() {
    let folder = Folder::new();
    let deep = "a/folder/of/folders/that/is/rather/deep/in/the/workspace";
    for file in ["main.js", "generate.js"] {
        folder.write(
            &format!("{deep}/{file}"),
            std::fs::read(root().join("examples/primes").join(file)).unwrap(),
        );
    }
    let report = format!("report {CPUPROFILE} --workspace '{}'", folder.path().display());
    let table = |columns| {
        let text = at_a_terminal(columns, &report);
        text.lines().take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    let places = |columns| {
        table(columns)[1..].iter().map(|it| it.split("  ").last().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = [("generate.js", "6:10"), ("generate.js", "15:17"), ("main.js", "5:16")];
    assert_eq!(places(200), whole.map(|(file, place)| format!("{deep}/{file}:{place}")));
    assert_eq!(places(80), ["…e/generate.js:6:10", "…/generate.js:15:17", "…space/main.js:5:16"]);
    assert!(table(80).iter().all(|it| it.chars().count() <= 80), "{:#?}", table(80));
}

#[test]
fn the_version_names_the_commit_of_the_source() {
    let version = String::from_utf8(run(&["--version"]).stdout).unwrap();
    let described = version.trim_end().strip_prefix(concat!("proflens ", env!("CARGO_PKG_VERSION"))).unwrap();
    // For an unpacked source archive it is the version alone.
    let git = |arguments: &[&str]| {
        let git = Command::new("git").args(arguments).env("TZ", "UTC").current_dir(root()).output();
        git.ok().filter(|it| it.status.success()).map(|it| String::from_utf8(it.stdout).unwrap())
    };
    let of_this_repository = git(&["rev-parse", "--show-prefix"]).is_some_and(|it| it.trim().is_empty());
    if !of_this_repository {
        assert_eq!(described, "");
        return;
    }
    let (commit, date) =
        described.strip_prefix(" (").unwrap().strip_suffix(')').unwrap().split_once(' ').unwrap();
    // A program that is named may be older; one that is requested is built first.
    let named = std::env::var_os("PROFLENS").is_some();
    let revision = if named { commit } else { "HEAD" };
    let format = ["--date=format-local:%Y-%m-%d", "--format=%H %cd"];
    let shown = git(&["log", "-1", "--no-show-signature", format[0], format[1], revision]).unwrap();
    assert!(commit.len() == 9 && shown.starts_with(commit), "{shown}");
    assert!(shown.trim_end().ends_with(date), "{shown}");
}

#[test]
fn help() {
    expect_file!["expected/help.txt"].assert_eq(&String::from_utf8(run(&["--help"]).stdout).unwrap());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    // `proflens report .. | head -1`: the pipe is gone before all is written.
    let mut child = Command::new(proflens())
        .args(["report", CPUPROFILE, "--workspace", "examples/primes", "--format", "json", "--limit", "0"])
        .current_dir(root())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
