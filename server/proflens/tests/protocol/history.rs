//! The git history: costs do not wait for it, and are placed again with its late answers.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::client::Client;
use crate::workspace::{APP, STACKS, Workspace, hints, logged};

/// A day before [`Workspace::date`] counts from.
const COMMITTED: &str = "@1699913600 +0000";

/// The functions of [`APP`], at other places and with other names.
const EDITED: &str = "// Edited.\n\nfunction main() {\n  labour();\n}\nfunction labour() {}\nmain();\n";

fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@x.x", "-c", "commit.gpgsign=false", "-C"]);
    git.arg(workspace.path("ws")).args(arguments);
    git.env("GIT_COMMITTER_DATE", COMMITTED).env("GIT_AUTHOR_DATE", COMMITTED);
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

fn committed_and_then(text: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("ws/app.js", APP);
    git(&workspace, &["init", "--quiet"]);
    git(&workspace, &["add", "app.js"]);
    git(&workspace, &["commit", "--quiet", "--message", "x"]);
    workspace.trace("ws/app.jsprofile", "ws/app.js", STACKS, 0);
    workspace.write("ws/app.js", text);
    workspace
}

/// An editor for which every answer of the history is late. It does not support refreshes, because their number would
/// be random.
/// be random.
fn impatient(workspace: &Workspace) -> Client {
    workspace.edit_with_progress_delay(json!({ "capabilities": {} }), Duration::ZERO)
}

#[test]
fn costs_are_shown_at_once_and_refined_by_the_history() {
    let workspace = committed_and_then(EDITED);
    let mut client = impatient(&workspace);
    let uri = workspace.open(&mut client, "ws/app.js");
    let lines = [logged(&mut client), logged(&mut client)];
    let line = |placed: &str| format!("app.jsprofile: 4 samples, {placed} of the active time placed.");
    assert_eq!(lines, ["25 %", "100 %"].map(line));
    let shown = ["2:16 ~10ms self · 40ms total"]; // `work` is called otherwise, and too short to be known
    assert_eq!(hints(&mut client, &uri), shown);
    client.finish();
}

#[test]
fn what_the_history_says_late_is_not_shown_again_if_it_is_no_news() {
    let workspace = committed_and_then(APP);
    let mut client = impatient(&workspace);
    let uri = workspace.open(&mut client, "ws/app.js");
    logged(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"]);
    client.finish();
}
