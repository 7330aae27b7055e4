//! Every command of docs/tour.md, in order, in one shell, on a copy of the examples; and what the page says that they print.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tests::{Folder, proflens, proflens_fleet, root};

/// Commands of the page, and the lines that it shows below them.
struct Step {
    /// The line of the page where the output begins; 0 if it shows none.
    line: usize,
    commands: String,
    shown: String,
}

/// `sh` blocks are commands; in `console` blocks commands begin with `$`, and what follows is what they print.
fn steps(page: &str) -> Vec<Step> {
    let (mut steps, mut block) = (Vec::<Step>::new(), "");
    for (number, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            block = language;
            if block == "sh" {
                steps.push(Step { line: 0, commands: String::new(), shown: String::new() });
            }
        } else if block == "console"
            && let Some(command) = line.strip_prefix("$ ")
        {
            steps.push(Step { line: number + 2, commands: command.to_owned(), shown: String::new() });
        } else if let Some(step) = steps.last_mut() {
            let text = match block {
                "sh" => &mut step.commands,
                "console" => &mut step.shown,
                _ => continue,
            };
            let _ = writeln!(text, "{line}");
        }
    }
    steps
}

fn folder_of(program: &Path) -> PathBuf {
    program.parent().expect("a program lies in a folder").to_owned()
}

#[test]
fn every_command_of_the_tour_works_and_prints_what_the_page_says() {
    let folder = Folder::copy_of("examples");
    let outputs = Folder::new();
    let path = root().join("docs/tour.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let steps = steps(&page);
    assert!(steps.len() > 10, "the page has commands");
    let mut script = String::new();
    for (number, step) in steps.iter().enumerate() {
        let output = outputs.path().join(number.to_string());
        let _ = writeln!(script, "{{\n{}\n}} > '{}' 2>&1", step.commands.trim_end(), output.display());
    }
    let programs = [proflens(), proflens_fleet()].map(folder_of);
    let inherited = env::var_os("PATH").unwrap_or_default();
    let programs = env::join_paths(programs.into_iter().chain(env::split_paths(&inherited))).expect("a path");
    let ran =
        Command::new("sh").args(["-euc", &script]).current_dir(folder.path()).env("PATH", programs).output();
    let ran = ran.expect("a shell");
    let printed = |it: usize| fs::read_to_string(outputs.path().join(it.to_string()));
    let last = (0..steps.len()).map_while(|it| printed(it).ok()).last().unwrap_or_default();
    assert!(ran.status.success(), "{}\n{last}", String::from_utf8_lossy(&ran.stderr));

    let mut updated = page.clone();
    for (number, step) in steps.iter().enumerate().filter(|it| it.1.line > 0).rev() {
        let printed = printed(number).expect("a step that ran has printed");
        if env::var_os("UPDATE_EXPECT").is_some() {
            let start: usize = page.split_inclusive('\n').take(step.line - 1).map(str::len).sum();
            updated.replace_range(start..start + step.shown.len(), &printed);
        } else {
            assert_eq!(step.shown, printed, "{}", step.commands);
        }
    }
    if updated != page {
        fs::write(path, updated).expect("the page can be written");
    }
}
