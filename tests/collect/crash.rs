//! A collector that was killed: what it acknowledged is there, and its files are whole after the next start.

use std::fs;

use expect_test::expect;
use tests::Folder;

use crate::server::{Server, kept};
use crate::traces::SMALL;
use crate::wire::{post, send};

#[test]
fn torn_last_lines() {
    let folder = Folder::new();
    let line = format!("{{\"trace\":{SMALL}}}\n");
    let long = format!("{{\"trace\":{}", " ".repeat(300_000));
    folder.write("traces-1.ndjson", format!("{line}{line}{}", &line[..50]));
    folder.write("traces-2.ndjson", format!("{line}{}", line.trim_end()));
    folder.write("traces-3.ndjson", &line[..50]);
    folder.write("traces-4.ndjson", format!("{line}{long}"));
    folder.write("traces-5.ndjson", [line.as_bytes(), &[0; 4096]].concat());
    folder.write("traces-6.ndjson", &line);
    folder.write("traces-7.ndjson", "");
    folder.write("other.ndjson", &line[..50]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("other.ndjson"), folder.path().join("traces-8.ndjson"))
        .unwrap();
    let server = Server::start(folder.path(), &[]);
    let length = |name: &str| {
        fs::metadata(folder.path().join(name)).map_or(0, |it| it.len()) as f64 / line.len() as f64
    };
    let names: Vec<String> = (1..=7).map(|it| format!("traces-{it}.ndjson")).collect();
    let lengths: Vec<f64> = names.iter().map(|it| length(it)).collect();
    assert_eq!(lengths, [2.0, 2.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(folder.read("other.ndjson").len(), 50, "it is of another program");
    assert_eq!(send(server.address, &post(SMALL)), "204");
    let said = server.interrupt().replace(folder.path().to_str().unwrap(), "/out");
    let mut said: Vec<&str> = said.lines().collect();
    said.sort_unstable();
    expect![[r#"
        1 trace in 1 new file, in /out.
        Note: /out/traces-1.ndjson: its last line was torn, and 50 bytes were cut off.
        Note: /out/traces-2.ndjson: its last line was whole but for its end, and was ended.
        Note: /out/traces-3.ndjson: its only line was torn (50 bytes), and the file was removed.
        Note: /out/traces-4.ndjson: its last line was torn, and 300009 bytes were cut off.
        Note: /out/traces-5.ndjson: its last line was torn, and 4096 bytes were cut off."#]]
    .assert_eq(&said.join("\n"));
}

/// What was acknowledged before `kill -9` is there, once.
#[test]
fn one_at_a_time_and_killed() {
    let folder = Folder::new();
    for round in 0..3 {
        let server = Server::start(folder.path(), &[]);
        assert_eq!(send(server.address, &post(SMALL)), "204");
        server.kill();
        assert_eq!(kept(folder.path()).len(), round + 1);
    }
}
