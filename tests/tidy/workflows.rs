//! What GitHub runs for this project, and what docs/ci.md tells others to let it run: which actions, with which permissions, and
//! that nobody from outside writes a part of a script.

use crate::tree::{Text, read, texts};

/// Workflows, actions, and the examples of docs/ci.md, each by itself.
fn all() -> Vec<Text> {
    let mut all = texts(&[".yml"]);
    all.retain(|it| it.path.starts_with(".github/") && it.path != ".github/dependabot.yml");
    let guide = read("docs/ci.md");
    let examples = guide.split("```yaml\n").skip(1).filter_map(|it| it.split("```").next());
    all.extend(
        examples.zip(1..).map(|(text, number)| Text {
            path: format!("docs/ci.md, example {number}"),
            text: text.to_owned(),
        }),
    );
    assert!(all.len() > 7, "the files and examples are found");
    all
}

/// Lines that break a rule, each with its place.
fn broken(rule: impl Fn(&str) -> Vec<(usize, String)>) -> Vec<String> {
    let mut all_broken = Vec::new();
    for file in all() {
        all_broken
            .extend(rule(&file.text).into_iter().map(|(line, text)| format!("{}:{line}: {text}", file.path)));
    }
    all_broken
}

/// Whether an action is named by a commit, with its version beside it, or is ours.
fn is_pinned(line: &str) -> bool {
    let Some((_, action)) = line.split_once("uses: ") else { return true };
    if action.starts_with("./") || action.starts_with("OWNER/proflens/.github/actions/compare@v") {
        return true;
    }
    let Some((_, version)) = action.split_once('@') else { return false };
    let Some((commit, comment)) = version.split_once(" # v") else { return false };
    let is_commit = commit.len() == 40 && commit.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    is_commit && comment.starts_with(|it: char| it.is_ascii_digit())
}

/// The lines of scripts with their numbers: what follows `run:`, and what is indented below it.
fn scripts(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut inside: Option<usize> = None;
    for (line, number) in text.lines().zip(1..) {
        let key = line.trim_start_matches([' ', '-']);
        let indent = line.len() - key.len();
        if inside.is_some_and(|it| !line.trim().is_empty() && line.len() - line.trim_start().len() <= it) {
            inside = None;
        }
        if inside.is_some() {
            lines.push((number, line.to_owned()));
        } else if let Some(script) = key.strip_prefix("run:") {
            lines.push((number, script.to_owned()));
            inside = Some(indent);
        }
    }
    lines
}

#[test]
fn actions_are_pinned_by_their_commits() {
    let wrong = |text: &str| -> Vec<(usize, String)> {
        let lines = text.lines().zip(1..).filter(|(line, _)| !is_pinned(line));
        lines.map(|(line, number)| (number, line.trim().to_owned())).collect()
    };
    assert_eq!(
        broken(wrong),
        [""; 0],
        "name the commit, 40 digits, and the version in a comment: `uses: a/b@0123… # v1.2.3`"
    );
    let rows = [
        ("- uses: actions/cache@v4", false),
        ("- uses: actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830", false),
        ("- uses: actions/cache@0057852bfaa89a56745cba8c7296529d2fc3983 # v4.3.0", false),
        ("- uses: actions/cache/restore@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0", true),
        ("- uses: OWNER/proflens/.github/actions/compare@main", false),
        ("- run: echo", true),
    ];
    assert_eq!(rows.map(|it| (it.0, is_pinned(it.0))), rows);
}

/// A title or a branch with a quote in it would be a command.
#[test]
fn no_script_has_a_text_of_others_in_it() {
    let wrong = |text: &str| scripts(text).into_iter().filter(|(_, line)| line.contains("${{")).collect();
    assert_eq!(broken(wrong), [""; 0], "hand it on by `env:`");
    let text = "- run: echo ${{ a }}\n  env:\n    A: ${{ b }}\n- name: x\n  run: |\n    one\n\n    ${{ c }}\n  env:\n    D: ${{ d }}\n";
    let found: Vec<usize> =
        scripts(text).into_iter().filter(|it| it.1.contains("${{")).map(|it| it.0).collect();
    assert_eq!(found, [1, 8]);
}

#[test]
fn whoever_runs_code_has_few_rights() {
    let wrong = |text: &str| {
        let mut wrong = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        let is_workflow = lines.iter().any(|it| it.starts_with("on:")) && lines.contains(&"jobs:");
        let rights = lines.iter().position(|it| it.starts_with("permissions:"));
        let is_least = rights.is_some_and(|at| {
            let below: Vec<&str> =
                lines[at + 1..].iter().copied().take_while(|it| it.starts_with(' ')).collect();
            lines[at] == "permissions: {}" || below == ["  contents: read"]
        });
        if is_workflow && !is_least {
            wrong.push((
                1,
                "a workflow begins with `permissions:` and `contents: read`; jobs may name more".to_owned(),
            ));
        }
        for (index, line) in lines.iter().enumerate() {
            if line.trim_start().starts_with("pull_request_target") || line.contains("write-all") {
                wrong.push((index + 1, line.trim().to_owned()));
            }
            if line.contains("uses: actions/checkout@") {
                let step = lines[index + 1..].iter().take_while(|it| !it.trim_start().starts_with("- "));
                if !step.into_iter().any(|it| it.trim() == "persist-credentials: false") {
                    wrong.push((
                        index + 1,
                        "a checkout leaves its token behind without `persist-credentials: false`".to_owned(),
                    ));
                }
            }
        }
        wrong
    };
    assert_eq!(broken(wrong), [""; 0]);
}

/// A token that can write to pull requests is for a job that does not run any of their code.
#[test]
fn who_may_comment_checks_nothing_out() {
    let wrong = |text: &str| {
        let may_write = text.contains("pull-requests: write") || text.contains("workflow_run:");
        let runs = ["actions/checkout@", "npm ci", "proflens record"]
            .into_iter()
            .filter(|it| may_write && text.contains(it));
        runs.map(|it| (1, it.to_owned())).collect()
    };
    assert_eq!(broken(wrong), [""; 0]);
}
