//! A tool that was recorded: its packages, which in a monorepo lie in a folder around that of the workspace.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Folder, proflens};

/// A monorepo with a package of the workspace, `app`, and a profile of a linter that ran in it: a millisecond for each sample.
fn monorepo() -> Folder {
    let folder = Folder::new();
    folder.write("packages/app/app.js", "function main() {}\n");
    folder.write("node_modules/lint/package.json", r#"{ "name": "lint", "version": "9.1.2" }"#);
    folder.write("node_modules/lint/lib/lint.js", "function check() {}\nfunction read() {}\n");
    folder.write("node_modules/@me/parse/index.js", "function parse() {}\n");
    let frame = |name: &str, file: &str, line: i32| {
        let url = if file.is_empty() { String::new() } else { folder.uri(file) };
        json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 13 })
    };
    let nodes = json!([
        { "id": 1, "callFrame": frame("(root)", "", -1), "children": [2, 5] },
        { "id": 2, "callFrame": frame("check", "node_modules/lint/lib/lint.js", 0), "children": [3, 4] },
        { "id": 3, "callFrame": frame("read", "node_modules/lint/lib/lint.js", 1) },
        { "id": 4, "callFrame": frame("parse", "node_modules/@me/parse/index.js", 0) },
        { "id": 5, "callFrame": frame("main", "packages/app/app.js", 0) },
    ]);
    let samples: Vec<u32> = [2, 3, 4].into_iter().flat_map(|it| vec![it; 30]).chain(vec![5; 10]).collect();
    let deltas: Vec<u32> = (0..100).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 100_000, "samples": samples, "timeDeltas": deltas });
    folder.write("packages/app/lint.cpuprofile", profile.to_string());
    folder
}

fn report(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = Command::new(proflens());
    command.args(["report", "lint.cpuprofile"]).args(arguments);
    let output = command.current_dir(folder.path().join("packages/app")).output().unwrap();
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn packages_come_first_where_they_took_most_of_the_time() {
    let folder = monorepo();
    let text = report(&folder, &[]);
    let (before, _) = text.split_once(" is code of dependencies").unwrap();
    expect![[r#"
           Self       Package     Folder
        60.0 ms 60 %  lint@9.1.2  ../../node_modules/lint
        30.0 ms 30 %  @me/parse
        The functions of a package: proflens report lint.cpuprofile --workspace ../../node_modules/lint
        Those of all packages: proflens report lint.cpuprofile --dependencies

            Self          Total        Samples  Function  Where
        ~10.0 ms 10 %  ~10.0 ms 10 %        10  main      app.js:1:10

        10 % of 100 ms active time lies on 1 function.
        90 %"#]]
    .assert_eq(before);
    let json: Value = serde_json::from_str(&report(&folder, &["--format", "json"])).unwrap();
    let package = |it: &Value| {
        (it["name"].clone(), it["version"].clone(), it["selfNs"].clone(), it["functions"].clone())
    };
    let packages: Vec<_> = json["packages"].as_array().unwrap().iter().map(package).collect();
    let expected = [
        (json!("lint"), json!("9.1.2"), json!(60_000_000), json!(2)),
        (json!("@me/parse"), Value::Null, json!(30_000_000), json!(1)),
    ];
    assert_eq!(packages, expected);
}

#[test]
fn what_is_installed_around_the_workspace_can_be_placed() {
    let folder = monorepo();
    expect![[r#"
            Self          Total        Samples  Function  Where
         30.0 ms 30 %   30.0 ms 30 %        30  parse     ../../node_modules/@me/parse/index.js:1:10
         30.0 ms 30 %   90.0 ms 90 %        90  check     ../../node_modules/lint/lib/lint.js:1:10
         30.0 ms 30 %   30.0 ms 30 %        30  read      ../../node_modules/lint/lib/lint.js:2:10
        ~10.0 ms 10 %  ~10.0 ms 10 %        10  main      app.js:1:10

        100 % of 100 ms active time lies on 4 functions.
    "#]]
    .assert_eq(&report(&folder, &["--dependencies"]));
    let of_package = report(&folder, &["--workspace", "../../node_modules/lint"]);
    assert!(of_package.contains("lib/lint.js:1:10"), "{of_package}");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_what_is_installed() {
    let folder = monorepo();
    folder.write("elsewhere/secret.js", "function check() {}\nfunction read() {}\n");
    let installed = folder.path().join("node_modules/lint/lib/lint.js");
    std::fs::remove_file(&installed).unwrap();
    std::os::unix::fs::symlink("../../../elsewhere/secret.js", &installed).unwrap();
    let table = report(&folder, &["--dependencies"]);
    assert!(!table.contains("check"), "{table}");
}
