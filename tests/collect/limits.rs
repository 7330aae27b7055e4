//! What the user limits, and how that is reported.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Instant;

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Folder, proflens};

use crate::server::{Server, files, kept};
use crate::traces::{SMALL, numbered, trace};
use crate::wire::{exchange, post, send};

#[test]
fn traces_a_second() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["--rate", "3"]);
    let started = Instant::now();
    // They come all at once, so that most of them come too soon, however slow the machine is.
    let answers: Vec<String> = thread::scope(|scope| {
        let senders: Vec<_> =
            (0..40).map(|_| scope.spawn(|| exchange(server.address, &post(SMALL)))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    let most = 3 + 3 * (started.elapsed().as_secs() as usize + 1);
    let (taken, refused): (Vec<&String>, Vec<&String>) =
        answers.iter().partition(|answer| answer.starts_with("HTTP/1.1 204 "));
    assert!((3..=most).contains(&taken.len()), "{} were taken, of at most {most}", taken.len());
    assert!(!refused.is_empty());
    for answer in refused {
        assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
        assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
        assert!(answer.contains("More traces a second arrive than this collector takes."), "{answer}");
    }
    assert_eq!(kept(folder.path()).len(), taken.len());
}

#[test]
fn the_size_of_a_trace() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["--max-body", "10kb"]);
    let answers = [9_000, 12_000].map(|size| send(server.address, &post(trace(size))));
    expect![[r#"
        204
        413 The trace is larger than this collector takes."#]]
    .assert_eq(&answers.join("\n"));
}

#[test]
fn the_size_of_all_files() {
    let folder = Folder::new();
    let large = trace(30_000);
    let server = Server::start(folder.path(), &["--max-disk", "100kb"]);
    let answers: Vec<String> = (0..5).map(|_| send(server.address, &post(&large))).collect();
    expect![[r#"
        204
        204
        204
        507 This collector has no space left for traces.
        507 This collector has no space left for traces."#]]
    .assert_eq(&answers.join("\n"));
    assert_eq!(send(server.address, &post(SMALL)), "204", "a small one has room");
    let lines = kept(folder.path()).len();
    // The user makes room, even by removing the file that is being written.
    fs::remove_file(&files(folder.path())[0]).unwrap();
    thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(send(server.address, &post(&large)), "204");
    assert_eq!((lines, kept(folder.path()).len()), (4, 1));
    let said = server.interrupt();
    expect![[r#"
        5 traces in 2 new files, in /out.
        Note: /out holds as much as --max-disk allows: traces are refused. Move or compress files of it.
        Note: Traces are kept again.
    "#]]
    .assert_eq(&said.replace(folder.path().to_str().unwrap(), "/out"));
}

#[test]
fn the_size_of_a_file() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["--rotate-size", "50kb"]);
    let large = trace(20_000);
    for number in 0..7 {
        assert_eq!(send(server.address, &post(numbered(number, &large))), "204");
    }
    let counts = files(folder.path()).into_iter().map(|it| fs::read_to_string(it).unwrap().lines().count());
    assert_eq!(counts.max(), Some(2));
    let mut numbers: Vec<String> =
        kept(folder.path()).iter().map(|it| it["dimensions"]["number"].to_string()).collect();
    numbers.sort();
    assert_eq!(numbers, (0..7).map(|it| format!("\"{it}\"")).collect::<Vec<_>>());
}

#[test]
fn what_was_kept_opens_as_a_trace() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["--sync"]);
    let beside = SMALL.replacen('{', r#"{"dimensions":{"page":"/cart","release":"7"},"#, 1);
    for body in [SMALL.to_owned(), numbered(1, SMALL), beside] {
        assert_eq!(send(server.address, &post(body)), "204");
    }
    server.interrupt();
    let dimensions: Vec<Value> = kept(folder.path()).into_iter().map(|it| it["dimensions"].clone()).collect();
    assert_eq!(
        dimensions,
        [json!(null), json!({ "number": "1" }), json!({ "page": "/cart", "release": "7" })]
    );
    folder.write("app.js", "function work() {}\n");
    let traces = files(folder.path());
    let traces = traces.iter().find(|it| it.extension().is_some_and(|it| it == "ndjson")).unwrap();
    let report = Command::new(proflens())
        .args(["report", "--format", "json", "--workspace"])
        .arg(folder.path())
        .arg(traces)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let function = &report["functions"][0];
    assert_eq!(
        [
            &report["traces"][0]["sessions"],
            &report["problems"],
            &function["name"],
            &function["selfNs"],
            &function["sessions"]
        ],
        [&json!(3), &json!([]), &json!("work"), &json!(60_000_000), &json!(3)]
    );
}

#[test]
fn what_cannot_start_says_why() {
    let folder = Folder::new();
    let said = |arguments: &[&str]| {
        let output = Command::new(proflens())
            .arg("collect")
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        format!("{}{}\n", text.lines().next().unwrap(), output.status.code().unwrap())
    };
    let server = Server::start(&folder.path().join("taken"), &[]);
    let address = server.address.to_string();
    folder.write("file", "");
    let all = [
        said(&["--origin", "https://a.example", "--listen", &address]).replace(&address, "127.0.0.1:9180"),
        said(&["--origin", "https://a.example", "--listen", "0", "--out", "taken"]),
        said(&["--origin", "https://a.example", "--listen", "0", "--out", "file"]),
        said(&["--origin", "*"]),
        said(&["--listen", "everywhere"]),
        said(&["--max-body", "5"]),
        said(&["--rotate-every", "0h"]),
        said(&["--rate", "0"]),
    ];
    expect![[r#"
        127.0.0.1:9180 cannot be listened on: Address already in use. Another program listens there: name another port with --listen.1
        taken is in use by another collector. Name another folder with --out.1
        file cannot be written: File exists. Check the folder and its permissions, or name another one with --out.1
        --origin * is no origin. Name each in full, with scheme and port and without a path: https://shop.example.1
        error: invalid value 'everywhere' for '--listen <ADDRESS>': an address with its port, such as 127.0.0.1:9180, or a port2
        error: invalid value '5' for '--max-body <SIZE>': a size with its unit, such as 500kb, 5mb or 2gb2
        error: invalid value '0h' for '--rotate-every <TIME>': a time with its unit, such as 30s, 15m, 24h or 7d2
        error: invalid value '0' for '--rate <N>': 0 is not in 1..=42949672952
    "#]].assert_eq(&all.concat());
}

/// A repository can bring along the default folder, and anything inside it.
#[test]
fn no_link_leads_a_collector_elsewhere() {
    let folder = Folder::new();
    folder.write("elsewhere/file", "");
    folder.write("brought/file", "");
    let link = |to: &str, from: &str| std::os::unix::fs::symlink(to, folder.path().join(from)).unwrap();
    link("elsewhere", ".proflens");
    link("../elsewhere/lock", "brought/.lock");
    let said = |arguments: &[&str]| {
        let mut collect = Command::new(proflens());
        collect.args(["collect", "--origin", "https://a.example", "--listen", "0"]).args(arguments);
        let output = collect.current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    expect![[r#"
        .proflens is a link. Name the folder that it leads to with --out, if that is meant.
        brought/.lock is no file, but a link or a pipe. Remove it, or name another folder with --out.
    "#]]
    .assert_eq(&[said(&[]), said(&["--out", "brought"])].concat());
    let left = fs::read_dir(folder.path().join("elsewhere")).unwrap().map(|it| it.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["file"], "nothing was written there");
}
