//! The GitHub Action: its script with the environment that GitHub gives it, and the built program.

use std::fs;
use std::process::{Command, Output};

use serde_json::json;
use tests::{Folder, proflens, root};

const APP: &str = "function steady(n) {\n  return n;\n}\nfunction edited(n) {\n  return n * n;\n}\n";

/// A recording in which two functions ran for this many milliseconds.
fn recording(steady: usize, edited: usize) -> String {
    let frame = |name: &str, line: i32, url: &str| json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": line.min(0) + 15 * i32::from(line >= 0) });
    let url = "file:///elsewhere/app.js";
    let nodes = json!([
        { "id": 1, "callFrame": frame("(root)", -1, ""), "children": [2, 3] },
        { "id": 2, "callFrame": frame("steady", 0, url) },
        { "id": 3, "callFrame": frame("edited", 3, url) },
    ]);
    let samples: Vec<u32> = [vec![2; steady], vec![3; edited]].concat();
    let deltas = vec![1000; samples.len()];
    let end = 1000 * samples.len();
    json!({ "nodes": nodes, "startTime": 0, "endTime": end, "samples": samples, "timeDeltas": deltas })
        .to_string()
}

/// A workspace with ten recordings before, and ten after in which one function took this percentage of its time.
fn workspace(percent: usize) -> Folder {
    let folder = Folder::new();
    folder.write("app.js", APP);
    for run in 0..10 {
        let noise = [0, 3, 1, 4, 2, 5, 3, 0, 2, 1][run];
        folder.write(&format!("before runs/{run}.cpuprofile"), recording(300 + noise, 200 + noise));
        folder
            .write(&format!("after/{run}.cpuprofile"), recording(301 + noise, (201 + noise) * percent / 100));
    }
    folder
}

/// The step as GitHub runs it, with the inputs that differ from the action's defaults; returns what it wrote to each file.
fn step(folder: &Folder, inputs: &[(&str, &str)]) -> (Output, String, String) {
    let (summary, outputs) = (folder.path().join("summary"), folder.path().join("outputs"));
    for file in [&summary, &outputs] {
        fs::write(file, "before this step\n").unwrap();
    }
    let mut command = Command::new("bash");
    command
        .arg(root().join(".github/actions/compare/compare.sh"))
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_OUTPUT", &outputs)
        .env("GITHUB_REPOSITORY", "me/app")
        .env("GITHUB_SERVER_URL", "https://github.example")
        .env("COMMIT", "1a2b3c")
        .env("PROFLENS", proflens())
        .envs([("BEFORE", "before runs\n"), ("AFTER", "after"), ("WORKSPACE", "."), ("PER", "run")])
        .envs([("COMMAND", ""), ("SETUP", ""), ("AGAINST", ""), ("RUNS", "10")])
        .envs([("FAIL_ON_REGRESSION", ""), ("LINK_BASE", ""), ("COMMENT", "")])
        .envs(inputs.iter().copied());
    let output = command.output().unwrap();
    (output, fs::read_to_string(summary).unwrap(), fs::read_to_string(outputs).unwrap())
}

#[test]
fn a_regression_fails_the_step_and_is_in_the_summary() {
    let folder = workspace(150);
    let (output, summary, outputs) =
        step(&folder, &[("FAIL_ON_REGRESSION", "10%"), ("COMMENT", "comment.md")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(outputs, "before this step\nregression=true\n");
    let comment = folder.read("comment.md");
    assert_eq!(summary, format!("before this step\n{comment}"));
    assert!(comment.starts_with("### Profiles before and after\n\nActive time: "), "{comment}");
    assert!(
        comment.contains("`edited` [`app.js:4`](https://github.example/me/app/blob/1a2b3c/app.js#L4)"),
        "{comment}"
    );
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.starts_with(
            "::error title=Slower than before::By at least 10 %25, 1 function got slower, edited"
        ),
        "{stdout}"
    );

    let (output, summary, outputs) = step(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "nothing was said to fail it");
    assert_eq!(outputs, "before this step\nregression=false\n");
    assert!(summary.contains("▲\u{a0}slower | `edited`"), "{summary}");
    let (output, ..) = step(&folder, &[("FAIL_ON_REGRESSION", "80%")]);
    assert_eq!(output.status.code(), Some(0), "by less than that");
}

#[test]
fn the_first_run_has_no_baseline_and_succeeds() {
    let folder = workspace(150);
    fs::create_dir(folder.path().join("empty")).unwrap();
    for before in ["not there", "empty"] {
        let (output, summary, outputs) = step(&folder, &[("BEFORE", before), ("FAIL_ON_REGRESSION", "10%")]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(outputs, "before this step\nregression=false\n");
        let sentence = format!("There is no trace in {before} yet, so that nothing was compared");
        assert!(summary.contains(&sentence), "{summary}");
    }
}

#[test]
fn errors_are_no_regressions() {
    let folder = workspace(100);
    for (input, said) in [
        (("AFTER", "nowhere"), "nowhere"),
        (("AFTER", ""), "No trace after was named."),
        (("PER", "hour; touch was-run"), "is none of machine, run, call, active"),
        (("FAIL_ON_REGRESSION", "$(touch was-run)"), "is no percentage"),
        (("PROFLENS", "/no/such/program"), "/no/such/program"),
    ] {
        let (output, summary, outputs) = step(&folder, &[input]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!matches!(output.status.code(), Some(0 | 3)), "{input:?}: {:?}", output.status);
        assert!(stderr.contains(said), "{input:?}: {stderr}");
        assert_eq!(summary, "before this step\n");
        assert_eq!(outputs, "before this step\nregression=false\n");
    }
    assert!(!folder.path().join("was-run").exists());
}

#[test]
fn links_lead_to_a_folder_of_the_repository() {
    let folder = Folder::new();
    fs::rename(workspace(150).path(), folder.path().join("pack age")).unwrap();
    let git = Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status().unwrap();
    assert!(git.success());
    let inputs = [
        ("WORKSPACE", "pack age"),
        ("BEFORE", "pack age/before runs"),
        ("AFTER", "pack age/after/0.cpuprofile\npack age/after/1.cpuprofile"),
    ];
    let (output, summary, _) = step(&folder, &inputs);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        summary.contains("(https://github.example/me/app/blob/1a2b3c/pack%20age/app.js#L4)"),
        "{summary}"
    );
    let (_, summary, _) =
        step(&folder, &[&inputs[..], &[("LINK_BASE", "https://elsewhere.example/x")]].concat());
    assert!(summary.contains("(https://elsewhere.example/x/app.js#L4)"), "{summary}");
}
