//! The caches of runners (`tests/caches`): what ran is read there if the user allows it, and only if it certainly ran.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Client, Folder, proflens, root};

use crate::runners::judge;

const TSX: &str = "tmp/tsx-501";
const JEST: &str =
    "tmp/jest_dx/jest-transform-cache-f9baaac061f05165bab2363f24d73305-79ef2876fae7ca75eedb2aa53dc48338";
const BABEL: &str = "ws/node_modules/.cache/@babel/register";

/// A workspace with a trace, and a folder of temporary files.
struct Case(Folder);

impl Case {
    fn new(trace: &str) -> Self {
        let folder = Folder::new();
        for file in files("tests/workspaces/runners") {
            folder.write(&format!("ws/{}", name(&file)), fs::read(&file).unwrap());
        }
        fs::create_dir_all(folder.path().join("tmp")).unwrap();
        let trace = root().join(format!("tests/traces/cpuprofile/runners-{trace}.cpuprofile.gz"));
        folder.write("ws/trace.cpuprofile.gz", fs::read(trace).unwrap());
        Self(folder)
    }

    /// Puts files of `tests/caches` where their runner does.
    fn with_cache(self, runner: &str) -> Self {
        for file in files(&format!("tests/caches/{runner}")) {
            let name = name(&file);
            let at = match runner {
                "tsx" => format!("{TSX}/{name}"),
                "jest" => format!("{JEST}/{}/{name}", &name.rsplit_once('_').unwrap().1[..2]),
                _ => format!("{BABEL}/.{name}"),
            };
            self.write(&at, fs::read(&file).unwrap());
        }
        self
    }

    /// Writes a file that is older than the trace.
    fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.0.write(file, content);
        set_time(&path, SystemTime::now() - Duration::from_secs(3600));
    }

    /// Changes all texts of the cache of tsx.
    fn change(&self, change: impl Fn(String) -> String) {
        for file in fs::read_dir(self.0.path().join(TSX)).unwrap().map(|it| it.unwrap().path()) {
            let file = format!("{TSX}/{}", name(&file));
            self.write(&file, change(self.0.read(&file)));
        }
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Vec<u8> {
        let temporary = self.0.path().join("tmp");
        let output = Command::new(proflens())
            .args([command, "ws/trace.cpuprofile.gz", "--workspace", "ws", "--format", "json"])
            .args(arguments)
            .envs(["TMPDIR", "TMP", "TEMP"].map(|it| (it, &temporary)))
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        output.stdout
    }

    /// The report with these caches.
    fn report(&self, caches: &[&str]) -> Value {
        let arguments = [&["--limit", "0", "--all"], caches].concat();
        serde_json::from_slice(&self.run("report", &arguments)).unwrap()
    }
}

const ON: [&str; 2] = ["--runner-caches", "tsx,jest,babel"];

fn files(folder: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(root().join(folder)).unwrap().map(|it| it.unwrap().path());
    all.filter(|it| it.is_file()).collect()
}

fn name(file: &std::path::Path) -> &str {
    file.file_name().unwrap().to_str().unwrap()
}

fn set_time(path: &std::path::Path, time: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// How much of a report is right, and how many definitions are exact.
fn shown(runner: &str, report: &Value) -> String {
    let (judged, wrong) = judge(runner, report);
    let functions = report["functions"].as_array().unwrap();
    let exact = functions.iter().filter(|it| it["confidence"] == "exact").count();
    format!("{exact} of {} exact; {judged}{}\n", functions.len(), wrong.join("\n"))
}

#[test]
fn what_ran_is_found_in_caches_that_may_be_read() {
    let mut all = String::new();
    for (runner, trace) in [("tsx", "tsx-esm"), ("jest", "jest-babel"), ("babel", "babel-register")] {
        let case = Case::new(trace).with_cache(runner);
        for (when, caches) in [("off", &[][..]), ("on ", &ON[..])] {
            all += &format!("{runner} {when} {}", shown(trace, &case.report(caches)));
        }
    }
    expect![[r#"
        tsx off 1 of 62 exact; 61 right, 4 unplaced, 99.6 % of the time placed
        tsx on  63 of 64 exact; 63 right, 1 unplaced, 100.0 % of the time placed
        jest off 0 of 39 exact; 39 right, 4 unplaced, 99.3 % of the time placed
        jest on  41 of 41 exact; 41 right, 1 unplaced, 99.4 % of the time placed
        babel off 0 of 53 exact; 53 right, 4 unplaced, 99.0 % of the time placed
        babel on  38 of 54 exact; 54 right, 2 unplaced, 99.3 % of the time placed
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_text_that_may_not_have_run_is_not_used() {
    type Change = fn(&Case);
    let rows: [(&str, Change); 5] = [
        ("another text, with other positions", |case| {
            case.change(|it| it.replacen("{\"code\":\"", "{\"code\":\"/* */", 1));
        }),
        ("of another file of that name", |case| case.change(|it| it.replace("/srv/app/", "/srv/lib/"))),
        ("made after the trace was written", |case| {
            for file in fs::read_dir(case.0.path().join(TSX)).unwrap() {
                set_time(&file.unwrap().path(), SystemTime::now() + Duration::from_secs(60));
            }
        }),
        ("the file has another text now", |case| {
            for file in files("tests/workspaces/runners") {
                let text = format!("\n{}", fs::read_to_string(&file).unwrap());
                case.0.write(&format!("ws/{}", name(&file)), text);
            }
        }),
        ("no JSON", |case| case.change(|it| it[..it.len() / 2].to_owned())),
    ];
    for (what, change) in rows {
        let case = Case::new("tsx-esm").with_cache("tsx");
        change(&case);
        assert_eq!(case.report(&ON)["functions"], case.report(&[])["functions"], "{what}");
    }
}

#[test]
fn texts_that_say_different_things_are_not_used() {
    let of_money = |report: &Value| -> Vec<Value> {
        let functions = report["functions"].as_array().unwrap().iter();
        functions.filter(|it| it["file"] == "money.ts").cloned().collect()
    };
    let case = Case::new("tsx-esm").with_cache("tsx");
    let (off, on) = (of_money(&case.report(&[])), of_money(&case.report(&ON)));
    assert_ne!(on, off);
    // The same text, made from one in which a function has another name.
    let name = "17953-46e19a35953e5c38afbc6b3c28511f66181fc321";
    let mut cached: Value = serde_json::from_str(&case.0.read(&format!("{TSX}/{name}"))).unwrap();
    let other = case.0.read("ws/money.ts").replace("balance", "savings");
    cached["map"]["sourcesContent"] = json!([other]);
    case.write(&format!("{TSX}/17953-00"), cached.to_string());
    assert_eq!(of_money(&case.report(&ON)), off);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed() {
    use std::os::unix::fs::symlink;
    let case = Case::new("tsx-esm").with_cache("tsx");
    let off = case.report(&[]);
    let at = |file: &str| case.0.path().join(file);
    fs::rename(at(TSX), at("elsewhere")).unwrap();
    symlink(at("elsewhere"), at(TSX)).unwrap();
    assert_eq!(case.report(&ON), off, "a link to a folder");
    fs::remove_file(at(TSX)).unwrap();
    fs::create_dir(at(TSX)).unwrap();
    for file in fs::read_dir(at("elsewhere")).unwrap().map(|it| it.unwrap().path()) {
        symlink(&file, at(TSX).join(name(&file))).unwrap();
    }
    let made = Command::new("mkfifo").arg(at(TSX).join("17953-00")).status().unwrap();
    assert!(made.success());
    assert_eq!(case.report(&ON), off, "links to files, and a pipe");
}

#[test]
fn a_file_that_is_too_large_is_said() {
    let case = Case::new("tsx-esm").with_cache("tsx");
    case.write(&format!("{TSX}/17953-ff"), "{");
    File::options()
        .write(true)
        .open(case.0.path().join(TSX).join("17953-ff"))
        .unwrap()
        .set_len(65 << 20)
        .unwrap();
    let problems: Vec<String> = case.report(&ON)["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", name(std::path::Path::new(it["where"].as_str().unwrap())), it["what"]))
        .filter(|it| it.contains("MB"))
        .collect();
    expect![[r#"17953-ff "it is larger than 64 MB and was not read""#]].assert_eq(&problems.join("\n"));
}

#[test]
fn doctor_offers_a_cache_that_is_not_read() {
    let case = Case::new("tsx-esm").with_cache("tsx");
    let money = |arguments: &[&str]| {
        let examined: Value = serde_json::from_slice(&case.run("doctor", arguments)).unwrap();
        let scripts = examined["scripts"].as_array().unwrap();
        let money = scripts.iter().find(|it| it["resource"] == "file:///srv/app/money.ts").unwrap();
        json!([money["text"], money["help"]]).to_string()
    };
    expect![[
        r#"["today","record with proflens record, which keeps the text that ran, or --runner-caches tsx finds functions exactly, if the cache has it"]"#
    ]]
    .assert_eq(&money(&[]));
    expect![[r#"["cache",null]"#]].assert_eq(&money(&ON));
}

#[test]
fn an_editor_is_told_once() {
    let case = Case::new("tsx-esm").with_cache("tsx");
    let (workspace, temporary) = (case.0.path().join("ws"), case.0.path().join("tmp"));
    let mut client = Client::open_with_temporary_files(proflens(), &workspace, &temporary, json!({}));
    let message = client.hear("window/showMessage");
    expect![[r#"86 % of the active time is in code that was transformed in memory, and its functions are found by their order. With "tsx" in the setting proflens.runnerCaches they are found exactly, where the cache has the code that ran."#]].assert_eq(message["params"]["message"].as_str().unwrap());
    let load =
        json!({ "command": "proflens.loadTrace", "arguments": [case.0.uri("ws/trace.cpuprofile.gz")] });
    client.request("workspace/executeCommand", load);
    client.request("proflens/status", json!({}));
    let ended = client.close();
    assert_eq!(ended.status.code(), Some(0));
}
