//! Processed profiles of programs by other tools, such as samply: only the name of the code is known for functions.

use expect_test::expect;

use super::costs;
use crate::decode::decode;
use crate::model::FunctionId;

/// A thread with a stack and a sample for each function; the innermost frame of each is machine code.
fn thread(name: &str, pid: &str, functions: &[&str]) -> String {
    let texts: Vec<String> =
        functions.iter().chain(&["0x7f00"]).map(|text| serde_json::to_string(text).unwrap()).collect();
    let count = functions.len();
    let list = |item: &dyn Fn(usize) -> String| (0..=count).map(item).collect::<Vec<_>>().join(",");
    let same = |text: &str| list(&|_| text.to_owned());
    let number = list(&|at| at.to_string());
    let prefix = list(&|at| if at == count { "0".to_owned() } else { "null".to_owned() });
    let is_js = list(&|at| (at < count).to_string());
    format!(
        r#"{{"name":"{name}","processName":"node","pid":"{pid}","isMainThread":{},
        "samples":{{"weightType":"samples","stack":[{number}],"weight":[{}]}},
        "stackTable":{{"prefix":[{prefix}],"frame":[{number}]}},
        "frameTable":{{"func":[{number}],"category":[{}],"line":[{nulls}],"column":[{nulls}]}},
        "funcTable":{{"name":[{number}],"isJS":[{is_js}],"relevantForJS":[{}],"fileName":[{nulls}],
            "lineNumber":[{nulls}],"columnNumber":[{nulls}]}},
        "stringArray":[{}]}}"#,
        name == "MainThread",
        same("1"),
        same("0"),
        same("false"),
        texts.join(","),
        nulls = same("null"),
    )
}

fn profile(meta: &str, threads: &[String]) -> String {
    format!(
        r#"{{"meta":{{"preprocessedProfileVersion":49,"interval":1,"categories":[{{"name":"User"}}]{meta}}},"threads":[{}]}}"#,
        threads.join(",")
    )
}

const CODE: [&str; 11] = [
    "work file:///srv/my app/a.mjs:3:14",
    " /srv/app/a.js:1:1",
    "'get total file:///srv/app/a.mjs:5:6",
    "<instance_members_initializer> file:///srv/app/a.mjs:7:1",
    "evalDirect :1:21",
    "run node:internal/main:2:3",
    "draw (http://a.example/b.js:9:8)",
    "wasm-function[3] (WASM:3)",
    "work",
    "a:1:2",
    "",
];

/// Name, resource, line and column of each, 0-based.
fn functions(text: &str) -> Vec<String> {
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let shown = (0..profile.functions.len() as u32).map(FunctionId).map(|function| {
        let place = profile.functions[function.0 as usize].defined_at;
        let place = place.map(|at| format!("{}:{}", at.line, at.column.unwrap_or_default()));
        let resource = profile.resource(function).unwrap_or("-");
        format!("{:?} {resource} {}", profile.name(function), place.as_deref().unwrap_or("-"))
    });
    shown.collect()
}

#[test]
fn the_name_of_code_says_where_it_is() {
    let text = profile("", &[thread("MainThread", "7.1", &CODE)]);
    expect![[r#"
        "work" file:///srv/my app/a.mjs 2:13
        "" /srv/app/a.js 0:0
        "get total" file:///srv/app/a.mjs 4:5
        "<instance_members_initializer>" file:///srv/app/a.mjs 6:0
        "evalDirect" - 0:20
        "run" node:internal/main 1:2
        "draw" http://a.example/b.js 8:7
        "wasm-function[3]" - -
        "work" - -
        "a:1:2" - -
        "" - -"#]]
    .assert_eq(&functions(&text).join("\n"));
    // Profiles written by Proflens have columns for that, so a name is just a name.
    let ours = profile(r#","importedFrom":"proflens""#, &[thread("t", "7", &CODE[..1])]);
    assert_eq!(functions(&ours), [r#""work file:///srv/my app/a.mjs:3:14" - -"#]);
}

#[test]
fn machine_code_below_counts_for_the_script() {
    let text = profile("", &[thread("MainThread", "7.1", &CODE[..2])]);
    assert_eq!(costs(&text), ["work 2000/2000", "(anonymous) 1000/1000"]);
}

#[test]
fn the_main_thread_that_ran_most_comes_first_and_processes_are_kept_apart() {
    let threads = [
        thread("Worker", "7.1", &CODE[..4]),
        thread("MainThread", "7.1", &CODE[..1]),
        thread("MainThread", "7.2", &CODE[..2]),
    ];
    let profile = decode(&mut profile("", &threads).as_bytes(), "", &()).expect("a profile");
    let shown: Vec<_> = profile.threads.iter().map(|it| (it.name.as_str(), it.process)).collect();
    assert_eq!(
        shown,
        [("MainThread, node 7.2", 1), ("Worker, node 7.1", 0), ("MainThread, node 7.1", 0)],
        "the page is the first, with the threads of its process"
    );
}
