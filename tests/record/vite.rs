//! A page with components of React, Vue and Svelte on the development server of Vite, in a real browser: what runs is made from
//! each file as it is served, and its functions are on their definitions.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tests::{Folder, installed, proflens};

use crate::outcome::{record, recordings, said};
use crate::recorded::eventually;

/// The functions that work, with the lines of their names, and the modules, each of which works while it is loaded. Apart
/// from `List.map callback`, which has no name, these are all functions of the application that call `burn`, and their callers.
const FUNCTIONS: &str = "\
src/lib/cart/index.ts:1 (top level)
src/lib/cart/index.ts:6 total
src/lib/cart/index.ts:8 map callback
src/lib/cart/tax.js:1 (top level)
src/lib/cart/tax.js:3 tax
src/lib/list/average.ts:1 (top level)
src/lib/list/average.ts:5 average
src/lib/list/sum.mjs:2 sum
src/main.ts:1 (top level)
src/main.ts:12 mountReact
src/main.ts:16 mountVue
src/main.ts:20 mountSvelte
src/react/App.tsx:1 (top level)
src/react/App.tsx:9 App
src/react/App.tsx:13 fillRows
src/react/List.tsx:1 (top level)
src/react/List.tsx:5 List
src/react/List.tsx:7 map callback
src/react/List.tsx:10 format
src/react/clock.ts:1 (top level)
src/react/clock.ts:6 useClock
src/react/clock.ts:10 tick
src/svelte/Item.svelte:2 (top level)
src/svelte/Item.svelte:6 describe
src/svelte/Shop.svelte:2 (top level)
src/svelte/Shop.svelte:11 visit
src/svelte/Shop.svelte:16 welcome
src/svelte/Shop.svelte:21 setInterval callback
src/svelte/stock.svelte.ts:1 (top level)
src/svelte/stock.svelte.ts:6 sell
src/svelte/stock.svelte.ts:11 get #step
src/vue/Line.vue:6 (top level)
src/vue/Line.vue:12 label
src/vue/Line.vue:18 shout
src/vue/Table.vue:2 (top level)
src/vue/Table.vue:13 countUp
src/vue/Table.vue:17 price
src/vue/rows.ts:1 (top level)
src/vue/rows.ts:4 useRows
src/work.ts:1 (top level)
src/work.ts:6 burn";

/// What makes a class, which a sample seldom meets; on a busy machine it may be as long as a function that works.
const SHORT: &str = "src/svelte/stock.svelte.ts:3 Stock";

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("the server is there");
    }
}

/// Starts Vite, and waits until it has made what the page needs: the packages once, each module as it is asked for.
fn serve(folder: &Folder) -> (Server, u16) {
    let start = || {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).unwrap().port();
        let mut vite = Command::new("node");
        vite.args(["node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--strictPort", "--port"]);
        vite.arg(port.to_string()).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        (Server(vite.spawn().unwrap()), port)
    };
    let (mut server, mut port) = start();
    for file in ["main.ts", "react/App.tsx", "vue/Table.vue", "svelte/Shop.svelte"] {
        eventually(file, || {
            // Another program may have taken the port before Vite, which ends then.
            if server.0.try_wait().unwrap().is_some() {
                (server, port) = start();
            }
            get(port, &format!("/src/{file}")).is_ok_and(|answer| answer.contains(" 200 OK")).then_some(())
        });
    }
    (server, port)
}

/// What a server on this machine answers.
fn get(port: u16, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// How long the page is recorded: again, and for longer, until all of its functions were seen. What runs once, while a page loads,
/// fits between two samples on a busy machine.
const DURATIONS: [&str; 5] = ["6s", "6s", "20s", "20s", "60s"];

/// [`found_in`], with as many recordings as are needed.
fn found(version: &str) -> String {
    let mut found = BTreeSet::new();
    for duration in DURATIONS {
        found.extend(found_in(version, duration));
        if FUNCTIONS.lines().all(|known| found.iter().any(|it| place(it) == known)) {
            break;
        }
    }
    found.iter().map(place).collect::<Vec<_>>().join("\n")
}

/// A file, a line and the name of the function there.
type Found = (String, u64, String);

fn place((file, line, name): &Found) -> String {
    format!("{file}:{line} {name}")
}

/// Which of the functions that work are found, and everything else that has time, by place.
fn found_in(version: &str, duration: &str) -> Vec<Found> {
    let folder = Folder::copy_of("tests/record/vite/app");
    let packages = installed(&format!("tests/record/vite/{version}"));
    symlink(packages, folder.path().join("node_modules")).unwrap();
    let (_server, port) = serve(&folder);
    let url = format!("http://127.0.0.1:{port}/");
    let output = record(&folder, &["--page", &url, "--headless", "--duration", duration]);
    assert!(output.status.success(), "{:?}", said(&output));
    let recording = format!(".proflens/recordings/{}", recordings(&folder)[0]);
    // What the server writes into the page is not in a file, which a note says.
    let report = Command::new(proflens())
        .args(["report", "--format", "json", "--limit", "0", &recording])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let text = |function: &serde_json::Value, key: &str| function[key].as_str().unwrap().to_owned();
    let functions = report["functions"].as_array().unwrap().iter().map(|it| {
        let found = (text(it, "file"), it["line"].as_u64().unwrap(), text(it, "name"));
        (found, it["selfNs"].as_u64().unwrap())
    });
    let counts = |(found, own): &(Found, u64)| {
        let place = place(found);
        FUNCTIONS.lines().any(|known| known == place) || (*own > 20_000_000 && place != SHORT)
    };
    functions.filter(counts).map(|(found, _)| found).collect()
}

#[test]
fn modules_that_vite_7_serves_are_the_files_that_it_makes_them_from() {
    assert_eq!(found("7"), FUNCTIONS);
}

#[test]
fn modules_that_vite_8_serves_are_the_files_that_it_makes_them_from() {
    assert_eq!(found("8"), FUNCTIONS);
}
