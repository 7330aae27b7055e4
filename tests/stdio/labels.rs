//! Labels of samples: as a scope on the command line, in an editor and for agents, and as sums in JSON.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

/// An OTLP profile of samples of 1 ms with attributes, as `function: attributes`; main calls work.
fn with_trace() -> Folder {
    let folder = Folder::new();
    folder.write("app.js", "function main() { work(); }\nfunction work() {}\n");
    let text = |key: u32, value: &str| json!({ "keyStrindex": key, "value": { "stringValue": value } });
    let sample = |stack: u32, values: u64, attributes: &[u32]| json!({ "stackIndex": stack, "values": [values.to_string()], "attributeIndices": attributes });
    let profile = json!({
        "sampleType": { "typeStrindex": 1, "unitStrindex": 2 },
        "periodType": { "typeStrindex": 3, "unitStrindex": 4 },
        "period": "1000000",
        "samples": [sample(1, 4, &[1]), sample(2, 8, &[2, 3]), sample(2, 16, &[1, 3]), sample(1, 32, &[])],
    });
    let names = ["", "samples", "count", "cpu", "nanoseconds", "main", "work", "endpoint", "tenant"];
    let texts: Vec<String> = names.map(str::to_owned).into_iter().chain([folder.uri("app.js")]).collect();
    let function =
        |name: u32, line: u32| json!({ "nameStrindex": name, "filenameStrindex": 9, "startLine": line });
    let location = |function: u32| json!({ "lines": [{ "functionIndex": function }] });
    let trace = json!({
        "resourceProfiles": [{ "scopeProfiles": [{ "profiles": [profile] }] }],
        "dictionary": {
            "stringTable": texts,
            "functionTable": [json!({}), function(5, 1), function(6, 2)],
            "locationTable": [json!({}), location(1), location(2)],
            "stackTable": [json!({}), json!({ "locationIndices": [1] }), json!({ "locationIndices": [2, 1] })],
            "attributeTable": [json!({}), text(7, "/cart"), text(7, "/home"), text(8, "a")],
        },
    });
    folder.write("app.otlp.json", trace.to_string());
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(folder.path()).output().unwrap()
}

/// What was counted, the functions, and the sums of labels, in milliseconds.
fn reported(folder: &Folder, labels: &[&str]) -> (Value, Vec<String>, Vec<String>) {
    let flags = labels.iter().flat_map(|it| ["--label", it]);
    let arguments: Vec<&str> =
        ["report", "app.otlp.json", "--format", "json"].into_iter().chain(flags).collect();
    let output = run(folder, &arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let millis = |it: &Value| it.as_f64().unwrap() / 1e6;
    let list =
        |of: &Value, line: &dyn Fn(&Value) -> String| of.as_array().into_iter().flatten().map(line).collect();
    let functions = list(&report["functions"], &|it| {
        format!("{} {} of {}", it["name"].as_str().unwrap(), millis(&it["selfNs"]), millis(&it["totalNs"]))
    });
    let sums = list(&report["traces"][0]["labels"], &|it| {
        format!(
            "{}={} {} in {}",
            it["key"].as_str().unwrap(),
            it["value"].as_str().unwrap_or("-"),
            millis(&it["ns"]),
            it["samples"]
        )
    });
    (report["traces"][0]["scope"].take(), functions, sums)
}

#[test]
fn a_report_is_about_samples_with_labels() {
    let folder = with_trace();
    let row = |labels: &[&str]| {
        let (scope, functions, sums) = reported(&folder, labels);
        format!("{}: {} | {}", scope.as_str().unwrap_or("all"), functions.join(", "), sums.join(", "))
    };
    let rows: [&[&str]; 5] = [
        &[],
        &["endpoint=/cart"],
        &["endpoint=/cart", "endpoint=/home"],
        &["endpoint=/cart", "tenant=a"],
        &["endpoint="],
    ];
    expect_test::expect![[r#"
        all: main 36 of 60, work 24 of 24 | endpoint=/cart 20 in 20, endpoint=/home 8 in 8, endpoint=- 32 in 32, tenant=a 24 in 24, tenant=- 36 in 36
        endpoint=/cart: work 16 of 16, main 4 of 20 | endpoint=/cart 20 in 20, tenant=a 16 in 16, tenant=- 4 in 4
        endpoint=/cart or /home: work 24 of 24, main 4 of 28 | endpoint=/cart 20 in 20, endpoint=/home 8 in 8, tenant=a 24 in 24, tenant=- 4 in 4
        endpoint=/cart, tenant=a: work 16 of 16, main 0 of 16 | endpoint=/cart 16 in 16, tenant=a 16 in 16
        endpoint=: main 32 of 32 | "#]].assert_eq(&rows.map(row).join("\n"));
}

#[test]
fn all_commands_take_labels() {
    let folder = with_trace();
    let said = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    let home = ["--label", "endpoint=/home"];
    let annotated = said(&[&["annotate", "app.js", "--trace", "app.otlp.json"][..], &home].concat());
    assert_eq!(
        annotated,
        "function main() ⟨8ms total⟩ { work(); }\nfunction work() ⟨8ms self · 8ms total⟩ {}\n"
    );
    let explained = said(&[&["explain", "app.otlp.json"][..], &home].concat());
    assert!(explained.contains("8.00 ms") && !explained.contains("60"), "{explained}");
    let graph = |flags: &[&str]| {
        assert_eq!(
            said(&[&["flame", "app.otlp.json", "--output", "graph.svg"][..], flags].concat()),
            "graph.svg\n"
        );
        std::fs::read_to_string(folder.path().join("graph.svg")).unwrap()
    };
    assert_ne!(graph(&home), graph(&[]));
    for to in ["otlp", "pprof"] {
        let (all, part) = (format!("all.{to}"), format!("part.{to}"));
        assert_eq!(said(&["convert", "app.otlp.json", "--to", to, "--output", &all]), "");
        assert_eq!(
            said(&[&["convert", "app.otlp.json", "--to", to, "--output", &part][..], &home].concat()),
            ""
        );
        let of = |trace: &str, flags: &[&str]| {
            said(&[&["report", trace][..], flags].concat()).lines().next_back().map(str::to_owned)
        };
        let (of_part, of_all) = (said(&["report", &part]), said(&["report", &all, home[0], home[1]]));
        assert_eq!(of_part.lines().nth(1), of_all.lines().nth(1), "{to}");
        assert!(
            of(&all, &home).is_some_and(|it| it.ends_with("endpoint=/home.")),
            "{to}: {:?}",
            of(&all, &home)
        );
    }
    let missing = said(&["report", "app.otlp.json", "--label", "endpoint=/car"]);
    assert_eq!(
        missing,
        "app.otlp.json has no samples with endpoint=/car. Name one of these: endpoint=/cart; endpoint=/home; endpoint=; tenant=a; tenant=.\n"
    );
}

#[test]
fn an_editor_chooses_labels() {
    let folder = with_trace();
    let mut client = Client::open(proflens(), folder.path(), json!({}));
    let mut execute = |command: &str, argument: Value| {
        client.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }));
        let status = client.request("proflens/status", json!({}));
        let shown = status["traces"].as_array().unwrap().iter().find(|it| it["shown"] == true).cloned();
        shown.map(|it| (it["scope"].clone(), it["labels"].clone()))
    };
    let labels = json!(["endpoint=/cart", "endpoint=/home", "endpoint=", "tenant=a", "tenant="]);
    let shown = |scope: Value| Some((scope, labels.clone()));
    let load = json!(folder.uri("app.otlp.json"));
    assert_eq!(execute("proflens.loadTrace", load), shown(Value::Null));
    for (argument, scope) in [
        (json!({ "labels": ["endpoint=/home"] }), "endpoint=/home"),
        (json!({ "labels": ["endpoint=/home", "endpoint=/cart"] }), "endpoint=/home or /cart"),
    ] {
        assert_eq!(execute("proflens.window", argument), shown(json!(scope)));
    }
    assert_eq!(execute("proflens.clearScope", Value::Null), shown(Value::Null));
    client.close();
}
