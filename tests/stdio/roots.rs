//! A recording from another machine, server or program is placed as at home: the same two recordings under many roots,
//! one of files that ran as they are, and one of a build with source maps.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use tests::{Folder, proflens, root};

/// First, whether each root is that of a program's folder (`disk`) or of what is served of it (`served`), then what is
/// expected, then the root.
const ROOTS: &str = "
    disk    placed            file:///srv/app/
    disk    placed            /srv/app/
    disk    placed            file:///home/me/code/app/
    disk    placed            file:///Users/John%20Doe/app/
    disk    placed            /Users/John Doe/app/
    disk    placed            file:///Users/jos%C3%A9/app/
    disk    placed            /Users/josé/app/
    disk    placed            file:///home/%E4%BD%A0%E5%A5%BD/app/
    disk    placed            file:///home/a%40b/
    disk    placed            file:///home/a@b/
    disk    placed            file:///home/100%25/app/
    disk    placed            file:///home/50%/app/
    disk    placed            file:///home/caf%E9/app/
    disk    placed            file:///home/a%2520b/app/
    disk    placed            /home/a%20b/app/
    disk    placed            file:///home/c%23/app/
    disk    placed            file:///home/a%20b/c%20d%40e/app%3F/

    disk    placed            C:\\Users\\me\\app\\
    disk    placed            c:\\dev\\app\\
    disk    placed            file:///C:/Users/John%20Doe/app/
    disk    placed            file:///c%3A/dev/app/
    disk    placed            C:/dev/app/
    disk    placed            \\\\?\\C:\\dev\\app\\
    disk    placed            \\\\server\\share\\app\\
    disk    placed            file://server/my%20share/app/
    disk    placed            \\\\wsl$\\Ubuntu\\home\\me\\app\\
    disk    placed            //wsl$/Ubuntu/home/me/app/
    disk    placed            file://wsl%24/Ubuntu/home/me/app/
    disk    placed            \\\\wsl.localhost\\Ubuntu\\home\\me\\app\\
    disk    placed            file://wsl.localhost/Ubuntu/home/me/app/
    disk    placed            /mnt/c/Users/me/app/
    disk    placed            file:///mnt/c/Users/John%20Doe/app/

    disk    placed            /app/
    disk    placed            file:///usr/src/app/
    disk    placed            file:///workspaces/app/
    disk    placed            file:///home/node/app/
    disk    placed            file:///var/task/
    disk    placed            file:///layers/build/app/
    disk    placed            file:///home/runner/_work/app/app/
    disk    placed            D:\\a\\app\\app\\
    disk    placed            file:///builds/team/app/
    disk    placed            /var/lib/jenkins/workspace/app@2/
    disk    placed            /__w/app/app/
    disk    placed            /Users/runner/_work/1/s/
    disk    placed            /vercel/path0/
    disk    placed            /opt/atlassian/pipelines/agent/build/

    served  placed            http://localhost:3000/
    served  placed            http://localhost:3000/my%20app/
    served  placed            http://127.0.0.1:8080/base/path/
    served  placed            http://[::1]:5173/
    served  placed            http://10.0.2.2:8081/
    served  placed            http://host.docker.internal:3000/
    served  placed            https://app.test/
    served  placed            https://shop.example.com/
    served  placed            https://me:secret@shop.example.com/my%20shop/
    served  placed            https://cdn.example.com/app/1.2.3/
    served  placed            https://cdn.example.com/assets/3fa9c1d/
    disk    placed            http://localhost:5173/@fs/home/me/my%20app/
    disk    placed            http://localhost:5173/@fs/C:/dev/app/

    served  placed            app:///
    served  placed            app://-/
    served  placed            capacitor://localhost/
    served  placed            ionic://localhost/
    served  placed            tauri://localhost/
    served  placed            http://tauri.localhost/
    served  placed            asset://localhost/
    served  placed            wails://wails/
    served  placed            chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb/
    served  placed            moz-extension://4c1f7a58-54b4-4d0c-8d9c-1f5b0f8f4c2e/
    served  placed            safari-web-extension://4c1f7a58/
    disk    placed            vscode-file://vscode-app/home/me/app/
    disk    placed            vscode-file://vscode-app/c:/Users/John%20Doe/app/
    disk    placed            https://file%2B.vscode-resource.vscode-cdn.net/home/me/my%20app/
    disk    placed            file:///home/me/.vscode/extensions/me.app-1.2.3/
    disk    placed            C:\\Users\\me\\.cursor\\extensions\\me.app-1.2.3-win32-x64\\
    disk    placed            file:///opt/My%20App/resources/app.asar/
    disk    placed            file:///Applications/My%20App.app/Contents/Resources/app.asar/
    disk    placed            C:\\Program Files\\My App\\resources\\app.asar.unpacked\\

    served  not-in-workspace  https://unpkg.com/app@1.2.3/
    served  not-in-workspace  https://cdn.jsdelivr.net/npm/app@1.2.3/
    disk    not-in-workspace  file:///usr/lib/app/
    disk    not-in-workspace  file:///Applications/Code.app/Contents/Resources/app/
    disk    not-in-workspace  C:\\Program Files\\App\\
    disk    not-in-workspace  vscode-file://vscode-app/usr/share/code/resources/app/
    disk    not-in-workspace  file:///home/me/.vscode/extensions/you.other-1.2.3/
    disk    not-in-workspace  unknown://host/app/
    disk    dependency        file:///ci/node_modules/app/
    disk    dependency        http://localhost:3000/node_modules/app/
    served  runtime           devtools://devtools/bundled/
    served  runtime           resource://gre/modules/
    served  no-resource       blob:http://localhost:3000/
    served  no-resource       data:text/javascript,
";

/// A recording, the root of its urls, and the folder that was served.
struct Case {
    folder: Folder,
    trace: Value,
    root: &'static str,
    served: &'static str,
}

impl Case {
    /// What `report` says about the recording under another root: all functions, and the time without one by reason.
    fn report(&self, root: &str, flags: &[&str]) -> (Value, Value) {
        let trace = self.folder.write("moved.json", moved(&self.trace, self.root, root).to_string());
        let output = Command::new(proflens())
            .args(["report", "--format", "json", "--limit", "0", "--all"])
            .args(flags)
            .arg(&trace)
            .arg("--workspace")
            .arg(self.folder.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{root}");
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for it in report["functions"].as_array_mut().unwrap() {
            // The URLs of the trace, which should differ.
            it.as_object_mut().unwrap().remove("measuredAt").unwrap();
        }
        (report["functions"].take(), report["ledger"].take())
    }
}

/// A trace with another root in all of its urls.
fn moved(value: &Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix(from) {
            Some(rest) if to.contains('\\') => json!(format!("{to}{}", rest.replace('/', "\\"))),
            Some(rest) => json!(format!("{to}{rest}")),
            None => value.clone(),
        },
        Value::Array(all) => all.iter().map(|it| moved(it, from, to)).collect(),
        Value::Object(all) => all.iter().map(|(key, it)| (key.clone(), moved(it, from, to))).collect(),
        _ => value.clone(),
    }
}

fn trace(file: &str) -> Value {
    let bytes = std::fs::read(root().join("tests/traces").join(file)).unwrap();
    let mut text = String::new();
    match Path::new(file).extension().is_some_and(|it| it == "gz") {
        true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        false => bytes.as_slice().read_to_string(&mut text).unwrap(),
    };
    serde_json::from_str(&text).unwrap()
}

const PACKAGE: &str = r#"{ "name": "app", "publisher": "me" }"#;
const MANIFEST: &str = r#"{ "manifest_version": 3, "name": "app" }"#;

/// Modules that ran as they are.
fn plain() -> Case {
    let folder = Folder::copy_of("tests/workspaces/zoo");
    folder.write("package.json", PACKAGE);
    folder.write("manifest.json", MANIFEST);
    Case { folder, trace: trace("cpuprofile/zoo-node20.cpuprofile"), root: "file:///srv/app/", served: "" }
}

/// Bundles with source maps. The recording contains their texts and maps; they are taken out of it and put on the disk.
fn mapped() -> Case {
    let folder = Folder::copy_of("tests/workspaces/orders");
    folder.write("package.json", PACKAGE);
    folder.write("dist/manifest.json", MANIFEST);
    let mut trace = trace("chrome-trace/orders-enhanced-chromium156.json.gz");
    let root = "http://localhost:4173/";
    let maps = trace["metadata"].as_object_mut().unwrap().remove("sourceMaps").unwrap();
    let events = trace["traceEvents"].as_array_mut().unwrap();
    let data = |event: &Value| event["args"]["data"].clone();
    for map in maps.as_array().unwrap() {
        let (url, name) = (map["url"].as_str().unwrap(), map["sourceMapUrl"].as_str().unwrap());
        let script =
            events.iter().map(data).find(|it| it["url"] == url && it["sourceMapUrl"] == name).unwrap();
        let is_text = |it: &Value| {
            it["scriptId"] == script["scriptId"]
                && it["isolate"] == script["isolate"]
                && it["sourceText"].is_string()
        };
        let text = events.iter().map(data).find(is_text).unwrap()["sourceText"].as_str().unwrap().to_owned();
        let file = url.strip_prefix(root).unwrap();
        folder.write(&format!("dist/{file}"), format!("{text}\n//# sourceMappingURL={name}\n"));
        folder.write(&format!("dist/{file}.map"), map["sourceMap"].to_string());
    }
    events.retain(|it| !it["cat"].as_str().unwrap_or_default().contains("rundown"));
    Case { folder, trace, root, served: "dist/" }
}

#[test]
fn a_recording_under_another_root_is_placed_as_at_home() {
    for case in [plain(), mapped()] {
        let home = case.folder.uri(case.served);
        let (functions, ledger) = case.report(&format!("{}/", home.trim_end_matches('/')), &[]);
        assert!(functions.as_array().unwrap().len() > 10, "{functions:#}");
        let mut wrong = Vec::new();
        for row in ROOTS.lines().map(str::trim).filter(|it| !it.is_empty()) {
            let (kind, row) = row.split_once(' ').unwrap();
            let (expected, root) = row.trim().split_once(' ').unwrap();
            let root = root.trim();
            let separator = if root.contains('\\') { "\\" } else { "/" };
            let folder = if kind == "disk" { case.served.replace('/', separator) } else { String::new() };
            let (placed, of) = case.report(&format!("{root}{folder}"), &[]);
            let is_same = placed == functions && of["placedNs"] == ledger["placedNs"];
            let is_refused =
                || placed == json!([]) && unplaced(&of, expected) >= ledger["placedNs"].as_u64().unwrap();
            if !(if expected == "placed" { is_same } else { is_refused() }) {
                let count = placed.as_array().unwrap().len();
                wrong.push(format!(
                    "{root}{folder} should be {expected}: {count} functions, {}",
                    of["unplaced"]
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// The time that is unplaced for a reason.
fn unplaced(ledger: &Value, reason: &str) -> u64 {
    let mut all = ledger["unplaced"].as_array().unwrap().iter();
    all.find(|it| it["why"] == reason).map_or(0, |it| it["ns"].as_u64().unwrap())
}

#[test]
fn a_package_of_another_machine_is_placed_if_it_is_of_the_same_version() {
    let traces = [
        ("cpuprofile/zoo-node20.cpuprofile", "zoo", "file:///srv/app/"),
        ("cpuprofile/zoo-chromium156.cpuprofile", "zoo", "http://localhost:3100/"),
        ("cpuprofile/kinds-node24.cpuprofile.gz", "kinds", "file:///srv/app/"),
        ("cpuprofile/kinds-bun1.4.4.cpuprofile.gz", "kinds", "file:///srv/app/"),
    ];
    for (file, package, root) in traces {
        let folder = Folder::new();
        let sources = Folder::copy_of(&format!("tests/workspaces/{package}"));
        let files: Vec<_> =
            std::fs::read_dir(sources.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        let installed = format!("node_modules/{package}");
        for name in files.iter().map(|it| it.to_str().unwrap()) {
            folder.write(&format!("{installed}/{name}"), sources.read(name));
        }
        let case = Case { folder, trace: trace(file), root, served: "" };
        let home = case.report(&format!("{}/", case.folder.uri(&installed)), &["--dependencies"]);
        assert!(home.0.as_array().unwrap().len() > 10, "{file}");
        let elsewhere = format!("file:///ci/my%20app/{installed}/");
        let there = case.report(&elsewhere, &["--dependencies"]);
        assert_eq!((&there.0, &there.1["placedNs"]), (&home.0, &home.1["placedNs"]), "{file}");
        let (functions, ledger) = case.report(&elsewhere, &[]);
        assert_eq!(functions, json!([]), "{file}: nobody asked for them");
        assert!(unplaced(&ledger, "dependency") >= home.1["placedNs"].as_u64().unwrap());

        // Another version, in which one file differs by a line: what still fits does so by chance.
        let name = if package == "zoo" { "kinds.mjs" } else { "kinds.js" };
        let text = sources.read(name);
        case.folder.write(&format!("{installed}/{name}"), format!("// Changed.\n{text}"));
        let (functions, ledger) = case.report(&elsewhere, &["--dependencies"]);
        assert_eq!(functions, json!([]), "{file}: another version");
        assert!(unplaced(&ledger, "other-text") >= home.1["placedNs"].as_u64().unwrap(), "{file}: {ledger}");
    }
}

#[test]
fn a_bundle_of_a_versioned_folder_is_placed_if_its_text_is_the_one_that_ran() {
    let case = mapped();
    let bundle = "dist/assets/main-KQ3X2.js";
    let text = case.folder.read(bundle);
    let (home, _) = case.report(&format!("{}/", case.folder.uri("dist")), &[]);
    for root in ["https://cdn.example.com/app/1.2.3/", "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb/"]
    {
        assert_eq!(case.report(root, &[]).0, home, "{root}");
    }
    // Somebody else's files with the same names.
    case.folder.write(bundle, format!("function other() {{}}{text}"));
    case.folder.write("dist/assets/worker.js", "function other() {}");
    for root in ["https://cdn.example.com/app/1.2.3/", "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb/"]
    {
        assert_eq!(case.report(root, &[]).0, json!([]), "{root}");
    }
}
