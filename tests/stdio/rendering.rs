//! Style and layout that the functions of a recorded page forced, in each form of a report and for agents: on the sources, from a bundle whose
//! map is in the trace.

use std::process::Command;

use expect_test::expect;
use serde_json::Value;
use tests::{proflens, root};

/// What a command prints of the recorded page.
fn printed(arguments: &[&str]) -> String {
    let workspace = root().join("tests/workspaces/layout");
    let mut command = Command::new(proflens());
    command.arg(arguments[0]).arg("../../traces/chrome-trace/layout-chromium156.json.gz");
    command.args(["--map", "http://127.0.0.1:8124/layout/=."]).args(&arguments[1..]);
    let output = command.env("NO_COLOR", "1").current_dir(workspace).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line with this text and those after it, to an empty one or to the end.
fn from_line<'a>(text: &'a str, with: &str) -> Vec<&'a str> {
    let from = text.lines().skip_while(|line| !line.contains(with));
    from.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_report_lists_who_forced_style_and_layout() {
    let table = printed(&["report"]);
    let listed = from_line(&table, "Functions forced");
    expect![[r#"
        Functions forced layout 8 times, style 11 times, 10.5 ms in all, which is a part of their self times:
        - grow index.html:6: layout 3 times, style 3 times, 7.26 ms (offsetLeft, line 6)
        - didUpdate app.ts:10: layout 3 times, style 3 times, 2.62 ms (getBoundingClientRect, line 11)
        - onmessage app.ts:30: layout 1 time, style 1 time, 359 µs (scrollIntoView, line 33)
        - get height app.ts:14: layout 1 time, style 1 time, 171 µs (offsetHeight, line 15)
        - colourOf app.ts:19: style 3 times, 125 µs (color, line 21)"#]]
    .assert_eq(&listed.join("\n"));
    let markdown = printed(&["report", "--format", "markdown", "--limit", "2"]);
    expect![[r#"
        - Functions forced layout 8 times, style 11 times, 10.5 ms in all, which is a part of their self times:
          - grow index.html:6: layout 3 times, style 3 times, 7.26 ms (offsetLeft, line 6)
          - didUpdate app.ts:10: layout 3 times, style 3 times, 2.62 ms (getBoundingClientRect, line 11)
          - … and 3 more; --limit 0 lists all"#]].assert_eq(&from_line(&markdown, "Functions forced").join("\n"));
}

#[test]
fn json_has_each_place() {
    let report: Value = serde_json::from_str(&printed(&["report", "--format", "json"])).unwrap();
    let numbers =
        |it: &Value| ["layouts", "layoutNs", "styles", "styleNs"].map(|key| it[key].to_string()).join(" ");
    let functions = report["rendering"]["functions"].as_array().unwrap().iter();
    let rows = functions.flat_map(|function| {
        let sites = function["forced"]["sites"].as_array().unwrap().iter();
        sites.map(move |site| {
            format!(
                "{} {}:{}: {} {}: {}\n",
                function["name"],
                function["file"],
                function["line"],
                site["askedFor"],
                site["line"],
                numbers(site)
            )
        })
    });
    let rows: String = rows.collect();
    expect![[r#"
        "grow" "index.html":6: "offsetLeft" 6: 3 6571000 3 691000
        "didUpdate" "app.ts":10: "getBoundingClientRect" 11: 3 1373000 3 1251000
        "onmessage" "app.ts":30: "scrollIntoView" 33: 1 175000 1 184000
        "get height" "app.ts":14: "offsetHeight" 15: 1 91000 1 80000
        "colourOf" "app.ts":19: "color" 21: 0 0 3 125000
        8 8210000 11 2331000"#]]
    .assert_eq(&(rows + &numbers(&report["rendering"]["all"])));
    let of_functions = report["functions"].as_array().unwrap().iter().filter(|it| !it["forced"].is_null());
    let named: Vec<String> =
        of_functions.map(|it| format!("{} {}", it["name"], numbers(&it["forced"]))).collect();
    expect![[r#"
        "grow" 3 6571000 3 691000
        "didUpdate" 3 1373000 3 1251000
        "colourOf" 0 0 3 125000
        "onmessage" 1 175000 1 184000
        "get height" 1 91000 1 80000"#]]
    .assert_eq(&named.join("\n"));
}

#[test]
fn agents_are_told() {
    let text = printed(&["explain"]);
    expect![[r#"
         style and layout, a part of self times

        1. `grow` `index.html:6` self 8.11 ms ± 460 µs (3.7 %, 28 samples), forces layout 3 times, style 3 times, 7.26 ms (`offsetLeft`, line 6)
        2. `didUpdate` `app.ts:10` self 3.79 ms ± 460 µs (1.7 %, 21 samples), forces layout 3 times, style 3 times, 2.62 ms (`getBoundingClientRect`, line 11)
        3. `onmessage` `app.ts:30` self 778 µs ± 340 µs (0.35 %, only 4 samples), forces layout 1 time, style 1 time, 359 µs (`scrollIntoView`, line 33)
        Left out: 2 functions more; a larger max_tokens lists more, a scope such as focus narrows it.
    "#]].assert_eq(text.split("# What forced").nth(1).unwrap().split("\n#").next().unwrap());
    let part = printed(&["report", "--focus", "colourOf"]);
    expect![[r#"
        Functions forced style 3 times, 125 µs in all, which is a part of their self times:
        - colourOf app.ts:19: style 3 times, 125 µs (color, line 21)"#]]
    .assert_eq(&from_line(&part, "Functions forced").join("\n"));
}
