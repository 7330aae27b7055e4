//! A page in a real browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tests::{Folder, proflens};

use crate::outcome::{functions, record, recordings, report, said};
use crate::recorded::eventually;

const PAGE: &str = "<!doctype html><title>Primes</title><script src=\"app.js\"></script>";
/// What esbuild makes of this.
pub(crate) const SOURCE: &str = r"function spin(ms: number) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
function round() {
  performance.mark('start');
  spin(20);
  performance.measure('round', 'start');
}
setInterval(round, 40);
";
pub(crate) const SCRIPT: &str = r#"(()=>{function e(n){let r=performance.now()+n;for(;performance.now()<r;);}function o(){performance.mark("start"),e(20),performance.measure("round","start")}setInterval(o,40);})();
//# sourceMappingURL=app.js.map
"#;
pub(crate) const MAPPINGS: &str = "MAAA,SAASA,EAAKC,EAAY,CACxB,IAAMC,EAAM,YAAY,IAAI,EAAID,EAChC,KAAO,YAAY,IAAI,EAAIC,GAAI,CACjC,CACA,SAASC,GAAQ,CACf,YAAY,KAAK,OAAO,EACxBH,EAAK,EAAE,EACP,YAAY,QAAQ,QAAS,OAAO,CACtC,CACA,YAAYG,EAAO,EAAE";

/// A path, the type of its content, and that.
type ServedFile = (&'static str, &'static str, String);

/// Serves files until the test program ends.
pub(crate) fn serve(files: Vec<ServedFile>) -> u16 {
    serve_edited(files, Vec::new())
}

/// Serves files, and once `/edit` was asked for, others. A browser holds connections on which it asks for nothing, so each has a thread.
fn serve_edited(files: Vec<ServedFile>, edited: Vec<ServedFile>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = Arc::new((AtomicBool::new(false), files, edited));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, served) = (stream.unwrap(), Arc::clone(&served));
            std::thread::spawn(move || {
                let (is_edited, files, edited) = &*served;
                let mut request = [0; 4096];
                let length = stream.read(&mut request).unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default();
                is_edited.fetch_or(path == "/edit", Ordering::Relaxed);
                let mut files = if is_edited.load(Ordering::Relaxed) { edited } else { files }.iter();
                let (status, kind, body) = files
                    .find(|it| it.0 == path)
                    .map_or(("404 Not Found", "text/plain", ""), |it| ("200 OK", it.1, &it.2));
                let head = format!(
                    "HTTP/1.0 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                // A browser may close a connection that it does not need.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            });
        }
    });
    port
}

#[test]
fn a_page_is_recorded_with_its_source_maps_and_user_timings() {
    let folder = Folder::new();
    folder.write("app.ts", SOURCE);
    let map = json!({ "version": 3, "sources": ["app.ts"], "sourcesContent": [SOURCE], "mappings": MAPPINGS, "names": ["spin", "ms", "end", "round"] });
    // The map is nowhere on the disk, and is loaded as the page would load it.
    let port = serve(vec![
        ("/", "text/html", PAGE.to_owned()),
        ("/app.js", "text/javascript", SCRIPT.to_owned()),
        ("/app.js.map", "application/json", map.to_string()),
    ]);
    let url = format!("http://127.0.0.1:{port}/");
    let output = record(&folder, &["--page", &url, "--headless", "--duration", "3s"]);
    assert!(output.status.success(), "{:?}", said(&output));
    let all = recordings(&folder);
    assert_eq!(all.len(), 1);
    let functions = functions(&folder, &all[0]);
    let named: Vec<_> = functions.iter().filter(|it| !it.starts_with("(top level)")).collect();
    assert_eq!(named, ["round app.ts:5", "spin app.ts:1"]);
    let recording = format!(".proflens/recordings/{}", all[0]);
    let whole = report(folder.path(), &[&recording]);
    let rounds = report(folder.path(), &[&recording, "--marker", "round"]);
    let threads = report(folder.path(), &[&recording, "--thread", "all"]).to_string();
    assert!(!threads.contains("chrome://"), "the browser's own windows are no pages: {threads}");
    let total = |report: &Value| {
        let all = report["functions"].as_array().unwrap();
        all.iter().find(|it| it["name"] == "spin").map_or(0, |it| it["totalNs"].as_u64().unwrap())
    };
    assert!(total(&whole) > 100_000_000, "{whole}");
    // A sample at the edge of a measure counts in part.
    assert!(total(&rounds) <= total(&whole) && total(&rounds) > total(&whole) / 2, "{rounds}");
}

/// Chrome leaves out the end of the texts of such scripts, as of the bundles of development servers: here all but a comment.
#[test]
fn a_script_of_more_than_a_million_characters_that_are_not_all_ascii() {
    let folder = Folder::new();
    folder.write("app.ts", SOURCE);
    let mappings = format!(";{MAPPINGS}");
    let map = json!({ "version": 3, "sources": ["app.ts"], "sourcesContent": [SOURCE], "mappings": mappings, "names": ["spin", "ms", "end", "round"] });
    let comment = format!("// {} {}\n", "–".repeat(SCRIPT.len()), "-".repeat(1_100_000));
    let port = serve(vec![
        ("/", "text/html", format!("<meta charset=utf-8>{PAGE}")),
        ("/app.js", "text/javascript", comment + SCRIPT),
        ("/app.js.map", "application/json", map.to_string()),
    ]);
    let url = format!("http://127.0.0.1:{port}/");
    let output = record(&folder, &["--page", &url, "--headless", "--duration", "3s"]);
    assert!(output.status.success(), "{:?}", said(&output));
    let functions = functions(&folder, &recordings(&folder)[0]);
    let named: Vec<_> = functions.iter().filter(|it| !it.starts_with("(top level)")).collect();
    assert_eq!(named, ["round app.ts:5", "spin app.ts:1"]);
}

/// What esbuild makes of `SOURCE` as it is, and with a function more above.
const PLAIN: &str = r#"function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end) ;
}
function round() {
  performance.mark("start");
  spin(20);
  performance.measure("round", "start");
}
setInterval(round, 40);
"#;
const PLAIN_MAPPINGS: &str = "AAAA,SAAS,KAAK,IAAY;AACxB,QAAM,MAAM,YAAY,IAAI,IAAI;AAChC,SAAO,YAAY,IAAI,IAAI,IAAI;AACjC;AACA,SAAS,QAAQ;AACf,cAAY,KAAK,OAAO;AACxB,OAAK,EAAE;AACP,cAAY,QAAQ,SAAS,OAAO;AACtC;AACA,YAAY,OAAO,EAAE;";
const ABOVE: [&str; 2] = [
    "function wait(ms: number) {\n  const end = performance.now() + ms;\n  while (performance.now() < end);\n}\n",
    "function wait(ms) {\n  const end = performance.now() + ms;\n  while (performance.now() < end) ;\n}\n",
];
const MAPPINGS_ABOVE: &str =
    "AAAA,SAAS,KAAK,IAAY;AACxB,QAAM,MAAM,YAAY,IAAI,IAAI;AAChC,SAAO,YAAY,IAAI,IAAI,IAAI;AACjC;AACA,";

/// The source is edited while the page runs, and its server then sends the new script with the new map: as after a module was replaced
/// in the page, and as after the page was loaded again.
#[test]
fn an_edit_while_a_page_is_recorded() {
    let recorded = |then: &str| {
        let folder = Folder::new();
        let edit = format!("setTimeout(() => fetch('/edit'){then}, 1500);\n");
        let edited = ABOVE[0].to_owned() + SOURCE;
        folder.write("app.ts", &edited);
        let served = |source: &str, script: &str, mappings: &str| {
            let map = json!({ "version": 3, "sources": ["app.ts"], "sourcesContent": [source], "mappings": mappings, "names": [] });
            vec![
                ("/", "text/html", PAGE.to_owned()),
                ("/app.js", "text/javascript", format!("{script}//# sourceMappingURL=app.js.map\n")),
                ("/app.js.map", "application/json", map.to_string()),
            ]
        };
        let before = served(&format!("{SOURCE}{edit}"), &format!("{PLAIN}{edit}"), PLAIN_MAPPINGS);
        let mappings = PLAIN_MAPPINGS.replacen("AAAA,", MAPPINGS_ABOVE, 1);
        let after = served(&edited, &format!("{}{PLAIN}", ABOVE[1]), &mappings);
        let url = format!("http://127.0.0.1:{}/", serve_edited(before, after));
        let output = record(&folder, &["--page", &url, "--headless", "--duration", "6s"]);
        assert!(output.status.success(), "{:?}", said(&output));
        let report = report(folder.path(), &[&format!(".proflens/recordings/{}", recordings(&folder)[0])]);
        let all = report["functions"].as_array().unwrap().iter().filter(|it| it["confidence"] == "exact");
        let mut lines: Vec<String> = all
            .map(|it| {
                let texts = it["measuredAt"].as_array().unwrap().iter().map(|at| at["line"].to_string());
                format!(
                    "{} {}: {}",
                    it["name"].as_str().unwrap(),
                    it["line"],
                    texts.collect::<Vec<_>>().join(" ")
                )
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(recorded(""), ["round 9: 5", "spin 5: 1"]);
    assert_eq!(recorded(".then(() => location.reload())"), ["round 9: 5 9", "spin 5: 1 5"]);
}

#[test]
fn a_page_that_is_not_there_is_said() {
    let folder = Folder::new();
    let output = record(&folder, &["--page", "http://127.0.0.1:9/", "--headless", "--duration", "500ms"]);
    let said = said(&output);
    let sentence = "http://127.0.0.1:9/ was not loaded: net::ERR_UNSAFE_PORT. Check the address, and whether its server runs.";
    assert_eq!(
        (output.status.code(), said.last().map(String::as_str)),
        (Some(1), Some(sentence)),
        "{said:?}"
    );
    assert!(
        !folder.path().join(".proflens/recordings").read_dir().unwrap().any(|it| it.is_ok()),
        "nothing is kept"
    );
}

#[test]
fn a_browser_that_is_not_there_is_said() {
    let folder = Folder::new();
    let output = record(&folder, &["--page", "http://127.0.0.1:9/", "--browser", "/no/browser"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said(&output), ["/no/browser cannot be started: No such file or directory (os error 2)."]);
    assert_eq!(recordings(&folder), [""; 0]);
}

/// Starts to record a page, and waits until it has written this much.
fn recording(folder: &Folder, arguments: &[&str], lines: usize) -> (Child, Vec<String>) {
    let mut record = Command::new(proflens());
    record.args(["record", "--page", "about:blank", "--headless"]).args(arguments).current_dir(folder.path());
    let mut child = record.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let said =
        BufReader::new(child.stderr.as_mut().unwrap()).lines().take(lines).map(Result::unwrap).collect();
    (child, said)
}

/// The process that another has started.
fn child_of(process: u32) -> Option<String> {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    children.split_whitespace().next().map(str::to_owned)
}

/// Whether a process is running, and not only waiting to be reaped.
fn lives(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|it| it.starts_with("State:") && !it.contains('Z'))
}

#[test]
fn a_browser_ends_with_a_recorder_that_is_killed() {
    let folder = Folder::new();
    // The gate runs as root.
    let (mut record, said) = recording(&folder, &[], 2);
    let browser = child_of(record.id()).unwrap();
    assert!(lives(&browser));
    let command = std::fs::read_to_string(format!("/proc/{browser}/cmdline")).unwrap();
    assert!(command.contains("--remote-debugging-pipe") && !command.contains("--remote-debugging-port"));
    record.kill().unwrap();
    record.wait().unwrap();
    eventually("the end of the browser", || (!lives(&browser)).then_some(()));
    expect_test::expect![[r#"
        Note: the browser runs without its sandbox, as it refuses to run as root with it: open only pages that you trust, or run proflens as another user.
        Recording; Ctrl-C ends it."#]].assert_eq(&said.join("\n"));
}

#[test]
fn ctrl_c_ends_a_recording_of_a_page_in_order() {
    let folder = Folder::new();
    let (record, _) = recording(&folder, &[], 2);
    let browser = child_of(record.id()).unwrap();
    interrupt(&record);
    let output = record.wait_with_output().unwrap();
    // An empty page has nothing to show.
    assert!(said(&output)[0].starts_with("Recorded "), "{:?}", said(&output));
    assert_eq!(recordings(&folder).len(), 1);
    assert!(!lives(&browser));
}

#[test]
fn ctrl_c_ends_the_wait_for_a_browser() {
    let folder = Folder::new();
    folder.write("browser", "#!/bin/sh\nexec sleep 600\n");
    let file = folder.path().join("browser");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (record, _) = recording(&folder, &["--browser", file.to_str().unwrap()], 0);
    let is_sleep = |process: &String| {
        let program = Path::new("/proc").join(process).join("exe").read_link();
        program.is_ok_and(|program| program.ends_with("sleep"))
    };
    let browser = eventually("the browser", || child_of(record.id()).filter(is_sleep));
    interrupt(&record);
    let output = record.wait_with_output().unwrap();
    assert!(!lives(&browser));
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output).join("\n").replace(file.to_str().unwrap(), "BROWSER");
    expect_test::expect![
        "BROWSER opens no inspector: it was ended from here before the inspector had answered."
    ]
    .assert_eq(&said);
}

fn interrupt(record: &Child) {
    assert!(Command::new("kill").args(["-INT", &record.id().to_string()]).status().unwrap().success());
}
