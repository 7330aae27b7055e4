//! A tool that was recorded: its packages, which in a monorepo are in a folder around that of the workspace.

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
        ~60.0 ms 60 %  lint@9.1.2  ../../node_modules/lint
        ~30.0 ms 30 %  @me/parse
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

#[test]
fn what_vite_has_bundled_is_called_as_it_is_imported() {
    let folder = Folder::new();
    folder.write("src/app.js", "function main() {}\n");
    let frame = |name: &str, file: &str| json!({ "functionName": name, "scriptId": "1", "url": format!("http://localhost:5173/{file}"), "lineNumber": 0, "columnNumber": 13 });
    let bundled = |it: &str| format!("node_modules/.vite/deps/{it}.js?v=0f2fe822");
    let nodes = json!([
        { "id": 1, "callFrame": { "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 }, "children": [2, 3, 4, 5] },
        { "id": 2, "callFrame": frame("render", &bundled("react-dom_client")) },
        { "id": 3, "callFrame": frame("jsx", &bundled("@me_jsx")) },
        { "id": 4, "callFrame": frame("shared", &bundled("chunk-SU6MV2YM")) },
        { "id": 5, "callFrame": frame("main", "src/app.js") },
    ]);
    let samples: Vec<u32> = (2..=5).flat_map(|it| vec![it; 60 - 10 * it as usize]).collect();
    let deltas: Vec<u32> = samples.iter().enumerate().map(|it| if it.0 == 0 { 0 } else { 1000 }).collect();
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 100_000, "samples": samples, "timeDeltas": deltas });
    folder.write("page.cpuprofile", profile.to_string());
    let run = |arguments: &[&str]| {
        let output = Command::new(proflens()).args(arguments).current_dir(folder.path()).output().unwrap();
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap())
    };
    let [text, _] = run(&["report", "page.cpuprofile", "--limit", "3"]);
    expect![[r#"
            Self       Package
        ~40.0 ms 40 %  react-dom/client
        ~30.0 ms 30 %  @me/jsx
        ~20.0 ms 20 %  chunk-SU6MV2YM.js
        Those of all packages: proflens report page.cpuprofile --dependencies

            Self          Total        Samples  Function  Where
        ~10.0 ms 10 %  ~10.0 ms 10 %        10  main      src/app.js:1:10

        10 % of 100 ms active time lies on 1 function.
        90 % is code of dependencies (--dependencies counts it): react-dom/client, @me/jsx, chunk-SU6MV2YM.js
    "#]]
    .assert_eq(&text);
    let [markdown, _] = run(&["report", "page.cpuprofile", "--format", "markdown"]);
    let (tables, _) = markdown.split_once("\n- ").unwrap();
    expect![[r#"
        | Self | | Package |
        |--:|--:|:--|
        | ~40.0 ms | 40 % | `react-dom/client` |
        | ~30.0 ms | 30 % | `@me/jsx` |
        | ~20.0 ms | 20 % | `chunk-SU6MV2YM.js` |

        | Self | | Total | | Samples | Function | Where |
        |--:|--:|--:|--:|--:|:--|:--|
        | ~10.0 ms | 10 % | ~10.0 ms | 10 % | 10 | `main` | `src/app.js:1` |
    "#]]
    .assert_eq(tables);
    let [_, said] = run(&["report", "page.cpuprofile", "--collapse", "react-dom"]);
    assert_eq!(
        said,
        "page.cpuprofile: nothing of the package react-dom ran. Did you mean react-dom/client?\n"
    );
}

/// A bundle with its map and a profile: `a` comes from the first source, `src/main.ts`, and `b` from the second.
fn bundled(bundle: &str, sources: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("src/main.ts", "export function alpha(): void {\n  beta();\n}\n");
    folder.write("node_modules/pad/package.json", r#"{ "name": "pad", "version": "1.2.3" }"#);
    folder.write(bundle, "function a(){b()}function b(){}\n//# sourceMappingURL=app.js.map\n");
    let mappings = "AAAO,QAAS,CAAK,QCArB,SAAS,CAAI";
    let map = json!({ "version": 3, "sources": sources, "names": [], "mappings": mappings });
    folder.write(&format!("{bundle}.map"), map.to_string());
    let frame = |name: &str, line: i32, column: i32| {
        let url = if line < 0 { String::new() } else { folder.uri(bundle) };
        json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": column })
    };
    let nodes = json!([
        { "id": 1, "callFrame": frame("(root)", -1, -1), "children": [2] },
        { "id": 2, "callFrame": frame("a", 0, 10), "children": [3] },
        { "id": 3, "callFrame": frame("b", 0, 27) },
    ]);
    let samples: Vec<u32> = [vec![2; 10], vec![3; 90]].concat();
    let deltas: Vec<u32> = (0..100).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 100_000, "samples": samples, "timeDeltas": deltas });
    folder.write("page.cpuprofile", profile.to_string());
    folder
}

/// What a command says of the profile of a bundle.
fn said(command: &str, folder: &Folder) -> String {
    let output =
        Command::new(proflens()).args([command, "page.cpuprofile"]).current_dir(folder.path()).output();
    String::from_utf8(output.unwrap().stdout).unwrap().replace(folder.path().to_str().unwrap(), "/ws")
}

/// `a` is the workspace's own and `b` a dependency's: in a bundle only its map tells them apart.
#[test]
fn packages_of_a_bundle_are_called_as_its_map_has_them() {
    let folder = bundled("dist/app.js", &["../src/main.ts", "../node_modules/pad/index.js"]);
    expect![[r#"
           Self       Package    Folder
        90.0 ms 90 %  pad@1.2.3  node_modules/pad
        Those of all packages: proflens report page.cpuprofile --dependencies

            Self        Total         Samples  Function  Where
        ~10.0 ms 10 %  100 ms 100 %       100  alpha     src/main.ts:1:17

        10 % of 100 ms active time lies on 1 function.
        90 % is code of dependencies (--dependencies counts it): pad
    "#]]
    .assert_eq(&said("report", &folder));
}

#[test]
fn a_bundle_that_a_tool_keeps_below_packages_and_a_source_that_is_missing() {
    let sources = ["../../../src/main.ts", "../../../src/gone.ts"];
    let folder = bundled("node_modules/.tool/dev/app.js", &sources);
    expect![[r#"
            Self        Total         Samples  Function  Where
        ~10.0 ms 10 %  100 ms 100 %       100  alpha     src/main.ts:1:17

        10 % of 100 ms active time lies on 1 function.
        90 % is code that is not in the workspace: src/gone.ts
        Note: page.cpuprofile: 90 % of the active time comes from sources that source maps name and that are not in the workspace: /ws/src/gone.ts; put them back where the maps say, or use a folder that contains them as the workspace (--workspace).
    "#]].assert_eq(&said("report", &folder));
    expect![[r#"
        page.cpuprofile: 100 ms of active time in 1 script.
        Workspace: /ws

        100 %  100 ms  file:///ws/node_modules/.tool/dev/app.js
                       file    node_modules/.tool/dev/app.js, by its path or a mapping
                       map     node_modules/.tool/dev/app.js.map, 2 sources; 1 source not in the workspace: ../../../src/gone.ts
                       placed  1 of 2 functions: src/main.ts (1)
                       not     90 % (1 function) is code that is not in the workspace
    "#]].assert_eq(&said("doctor", &folder));
    let folder = bundled("dist/app.js", &["../src/lost.ts", "../src/gone.ts"]);
    expect![[r#"
        0 % of 100 ms active time lies on 0 functions.
        100 % is code that is not in the workspace: src/gone.ts, dist/app.js
        Note: page.cpuprofile: 100 % of the active time comes from sources that source maps name and that are not in the workspace: /ws/src/gone.ts; put them back where the maps say, or use a folder that contains them as the workspace (--workspace).
    "#]].assert_eq(&said("report", &folder));
    expect![[r#"
        page.cpuprofile: 100 ms of active time in 1 script.
        Workspace: /ws

        100 %  100 ms  file:///ws/dist/app.js
                       file    dist/app.js, by its path or a mapping
                       map     dist/app.js.map, 2 sources; 2 sources not in the workspace: ../src/lost.ts, ../src/gone.ts
                       not     100 % (2 functions) is code that is not in the workspace
                       help    put the sources back where the map says, or use a folder that contains them as the workspace (--workspace)
    "#]].assert_eq(&said("doctor", &folder));
}

#[test]
fn packages_come_first_also_where_the_runtime_took_most_of_the_time() {
    let folder = Folder::new();
    let frame = |name: &str, url: &str| json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": 0, "columnNumber": 13 });
    let nodes = json!([
        { "id": 1, "callFrame": frame("(root)", ""), "children": [2, 3] },
        { "id": 2, "callFrame": frame("load", "node:internal/modules/cjs/loader") },
        { "id": 3, "callFrame": frame("check", &folder.uri("node_modules/lint/lint.js")) },
    ]);
    let samples: Vec<u32> = [vec![2; 80], vec![3; 20]].concat();
    let deltas: Vec<u32> = (0..100).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 100_000, "samples": samples, "timeDeltas": deltas });
    folder.write("packages/app/lint.cpuprofile", profile.to_string());
    expect![[r#"
            Self       Package
        ~20.0 ms 20 %  lint
        Those of all packages: proflens report lint.cpuprofile --dependencies

        0 % of 100 ms active time lies on 0 functions.
        80 % is code of the runtime or a tool: node:internal/modules/cjs/loader
        20 % is code of dependencies (--dependencies counts it): lint
    "#]]
    .assert_eq(&report(&folder, &[]));
}

/// As in a repository of packages one of which is the workspace, and calls another.
#[test]
fn a_package_beside_the_workspace_is_said_with_the_folder_around_both() {
    let folder = Folder::new();
    folder.write("packages/app/main.js", "function a() {\n  b();\n}\n");
    let frame = |name: &str, url: &str| json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": 0, "columnNumber": 10 });
    let profile = |other: &str| {
        let nodes = json!([
            { "id": 1, "callFrame": frame("(root)", ""), "children": [2] },
            { "id": 2, "callFrame": frame("a", &folder.uri("packages/app/main.js")), "children": [3] },
            { "id": 3, "callFrame": frame("b", other) },
        ]);
        let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 9000, "samples": [2, 3], "timeDeltas": [0, 4000] });
        folder.write("packages/app/page.cpuprofile", profile.to_string());
        let run = Command::new(proflens())
            .args(["report", "page.cpuprofile"])
            .current_dir(folder.path().join("packages/app"))
            .output();
        let said = String::from_utf8(run.unwrap().stdout).unwrap();
        let note = said.lines().find(|line| line.starts_with("Note:")).unwrap_or_default();
        note.replace(folder.path().to_str().unwrap(), "/ws")
    };
    expect!["Note: page.cpuprofile: 50 % of the active time belongs to scripts that are not in the workspace: /ws/packages/core/lib.js; use a folder that contains them as the workspace, such as /ws/packages (--workspace)."].assert_eq(&profile(&folder.uri("packages/core/lib.js")));
    expect!["Note: page.cpuprofile: 50 % of the active time belongs to scripts that are not in the workspace: /elsewhere/lib.js; use a folder that contains them as the workspace (--workspace), or map their path to a folder with a path mapping (--map)."].assert_eq(&profile("file:///elsewhere/lib.js"));
    // What only a development server had in memory, or is gone, lies in no folder that could be opened or mapped.
    expect!["Note: page.cpuprofile: 50 % of the active time belongs to scripts that are not in the workspace: /ws/packages/app/dist/server.js; put back what ran, or build with source maps and record again; what a development server keeps in memory, it has to write to disk (`writeToDisk` of Rsbuild and webpack)."].assert_eq(&profile(&folder.uri("packages/app/dist/server.js")));
}

/// Of what nobody in the workspace can mend, one row for each reason says enough; of two files that the bundle may be, the first is offered.
#[test]
fn the_doctor_lists_scripts_of_others_by_reason() {
    let folder = Folder::new();
    for copy in ["web/app.js", "www/app.js"] {
        folder.write(copy, "function draw() {}\n");
    }
    let scripts = [
        ("draw", "https://cdn.example.com/app.js".to_owned(), 40),
        ("load", "node:internal/modules/cjs/loader".to_owned(), 20),
        ("parse", folder.uri("node_modules/parse/index.js"), 15),
        ("print", folder.uri("node_modules/print/index.js"), 15),
        ("open", "node:fs".to_owned(), 10),
    ];
    let frames = scripts.iter().zip(2..).map(|((name, url, _), id)| {
        let frame =
            json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": 0, "columnNumber": 13 });
        json!({ "id": id, "callFrame": frame })
    });
    let root =
        json!({ "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 });
    let root = json!({ "id": 1, "callFrame": root, "children": [2, 3, 4, 5, 6] });
    let nodes: Vec<Value> = [root].into_iter().chain(frames).collect();
    let samples: Vec<u32> = scripts.iter().zip(2..).flat_map(|(script, id)| vec![id; script.2]).collect();
    let deltas: Vec<u32> = (0..100).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 100_000, "samples": samples, "timeDeltas": deltas });
    folder.write("page.cpuprofile", profile.to_string());
    expect![[r#"
        page.cpuprofile: 100 ms of active time in 5 scripts.
        Workspace: /ws

        40 %  40.0 ms  https://cdn.example.com/app.js
                       file    none for sure; of its name there are web/app.js, www/app.js
                       not     40 % (1 function) is code that is not in the workspace
                       help    --map 'https://cdn.example.com/=/ws/web/' says that it is the first of these

        30 %  30.0 ms  2 scripts
                       not     30 % (2 functions) is code of the runtime or a tool: node:internal/modules/cjs/loader, node:fs

        30 %  30.0 ms  2 scripts
                       not     30 % (2 functions) is code of dependencies (--dependencies counts it): node_modules/parse/index.js, node_modules/print/index.js
    "#]].assert_eq(&said("doctor", &folder));
}
