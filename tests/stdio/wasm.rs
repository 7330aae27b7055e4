//! Functions of WebAssembly that ran without names have those of the module that was not stripped yet, wherever functions are shown.

use std::process::Command;

use expect_test::expect;
use tests::{proflens, root};

/// What a command prints of the recorded program: the lines that are about its module.
fn about_module(command: &str, arguments: &[&str]) -> String {
    let output = Command::new(proflens())
        .arg(command)
        .arg(root().join("tests/traces/cpuprofile/waves-node20.cpuprofile.gz"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(root().join("tests/workspaces/waves"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|it| it.contains("wasm")).map(str::trim).collect();
    lines.join("\n")
}

#[test]
fn functions_have_the_names_that_a_module_of_the_workspace_has() {
    expect![[r#"
        ~66.3  ms 62   %  ~66.3  ms 62   %  no-resource  mix                              wasm://wasm/59350762
        ~22.7  ms 21   %  ~89.0  ms 83   %  no-resource  churn                            wasm://wasm/59350762
        0    ms  0   %  ~89.0  ms 83   %  no-resource  run                              wasm://wasm/59350762
        83 % is code that came from no file: wasm://wasm/59350762"#]]
    .assert_eq(&about_module("report", &["--all"]));
    expect![[r#"
        83   %  89.0  ms  wasm://wasm/59350762
        names   build/waves.wasm, whose functions begin where these do"#]]
    .assert_eq(&about_module("doctor", &[]));
    expect![[r#"
        (anonymous) main.mjs:1:1;drive main.mjs:7:10;GenericJSToWasmWrapper;run wasm://wasm/59350762:1:104;churn wasm://wasm/59350762:1:72 22723
        (anonymous) main.mjs:1:1;drive main.mjs:7:10;GenericJSToWasmWrapper;run wasm://wasm/59350762:1:104;churn wasm://wasm/59350762:1:72;mix wasm://wasm/59350762:1:56 66262"#]].assert_eq(&about_module("convert", &["--to", "collapsed", "--workspace", "."]));
    // Without a workspace there is no module.
    expect![[r#"
        (anonymous) file:///srv/app/main.mjs:1:1;drive file:///srv/app/main.mjs:7:15;GenericJSToWasmWrapper;wasm-function[3] wasm://wasm/59350762:1:104;wasm-function[2] wasm://wasm/59350762:1:72 22723
        (anonymous) file:///srv/app/main.mjs:1:1;drive file:///srv/app/main.mjs:7:15;GenericJSToWasmWrapper;wasm-function[3] wasm://wasm/59350762:1:104;wasm-function[2] wasm://wasm/59350762:1:72;wasm-function[1] wasm://wasm/59350762:1:56 66262"#]].assert_eq(&about_module("convert", &["--to", "collapsed"]));
}
