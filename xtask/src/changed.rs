//! `cargo xtask test --changed`: what the changes since the branch left main can reach, by folders and by crates.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::gate::{self, CheckRun, Lane, Planned};
use crate::shell::command;

/// Which checks a change below a folder can affect, besides those of crates.
const CHECKS: [(&str, &[&str]); 13] = [
    ("editors/flame/", &["page", "flame"]),
    ("server/flame/page/", &["page", "flame"]),
    ("tests/flame/", &["flame"]),
    ("editors/vscode/", &["extension", "vscode", "views"]),
    ("tests/vscode/", &["vscode", "views"]),
    ("editors/neovim/", &["neovim"]),
    ("tests/neovim/", &["neovim"]),
    ("tests/helix/", &["helix"]),
    ("server/proflens/src/cli/", &["agents"]),
    ("tests/agents/", &["agents"]),
    ("tests/inspector/", &["inspector"]),
    ("tests/npm/", &["npm"]),
    (".github/", &["workflows"]),
];

/// Which programs of the package `tests` a change below a folder can affect.
const PROGRAMS: [(&str, &[&str]); 10] = [
    ("", &["tidy"]),
    ("server/", &["stdio"]),
    ("server/record/", &["record"]),
    ("server/collect/", &["collect"]),
    ("server/fleet/", &["fleet"]),
    ("server/proflens-fleet/", &["fleet"]),
    ("tests/stdio/", &["stdio"]),
    ("tests/record/", &["record"]),
    ("tests/collect/", &["collect"]),
    ("tests/fleet/", &["fleet"]),
];

/// Runs what the changes can affect.
///
/// # Errors
/// If git or cargo cannot be asked.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let files = changed_files(root)?;
    if files.is_empty() {
        println!("Nothing changed since the branch left main.");
        return Ok(ExitCode::SUCCESS);
    }
    let packages = packages(root)?;
    let crates = reached(&packages, &files);
    let flags: String = crates.iter().map(|name| format!(" --package {name}")).collect();
    let programs: String = rows(&PROGRAMS, &files).iter().map(|name| format!(" --test {name}")).collect();
    eprintln!("{} files changed, which can reach{flags}{programs}", files.len());

    let of_tests = format!("--package tests{programs}");
    let planned = |name, lane, run: CheckRun| Planned { name, lane, run };
    let mut plan: Vec<Planned> = gate::planned("fmt").into_iter().collect();
    if !crates.is_empty() {
        let (linted, tested) = (flags.clone(), flags);
        plan.push(planned("clippy", Lane::First, Box::new(move |root| gate::clippy_of(root, linted.trim()))));
        plan.push(planned("crates", Lane::First, Box::new(move |root| gate::cargo_of(root, tested.trim()))));
    }
    plan.push(planned("tests", Lane::Computes, Box::new(move |root| gate::cargo_of(root, &of_tests))));
    plan.extend(rows(&CHECKS, &files).into_iter().filter_map(gate::planned));
    Ok(gate::run_plan(root, plan))
}

/// The second column of all rows whose folder contains one of the files, each once.
fn rows(table: &[(&str, &[&'static str])], files: &[String]) -> BTreeSet<&'static str> {
    let is_reached = |folder: &str| files.iter().any(|file| file.starts_with(folder));
    table.iter().filter(|row| is_reached(row.0)).flat_map(|row| row.1.iter().copied()).collect()
}

/// The files that differ from the point where the branch left main, committed or not, relative to the repository.
fn changed_files(root: &Path) -> Result<Vec<String>> {
    let main =
        ["origin/main", "main"].iter().find_map(|main| git(root, &format!("merge-base HEAD {main}")).ok());
    let base = main.context("git knows no branch `main` that this one left")?;
    let mut files = git(root, &format!("diff --name-only {}", base.trim()))?;
    files += &git(root, "ls-files --others --exclude-standard")?;
    Ok(files.lines().map(str::to_owned).collect())
}

/// What git prints.
fn git(root: &Path, arguments: &str) -> Result<String> {
    let output = command(root, &format!("git {arguments}")).output().context("git could not be started")?;
    ensure!(output.status.success(), "`git {arguments}` failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A crate of the workspace.
struct Package {
    name: String,
    /// Relative to the repository, with a slash at its end.
    folder: String,
    /// The names of all crates that it depends on.
    needs: Vec<String>,
}

/// The crates of the workspace, as cargo knows them.
fn packages(root: &Path) -> Result<Vec<Package>> {
    let output = command(root, "cargo metadata --no-deps --format-version 1").output()?;
    ensure!(output.status.success(), "`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo's answer is no JSON")?;
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let package = |package: &Value| {
        let manifest = text(&package["manifest_path"]);
        let folder = Path::new(&manifest).parent()?.strip_prefix(root).ok()?;
        let needs = package["dependencies"].as_array()?.iter().map(|needed| text(&needed["name"])).collect();
        Some(Package { name: text(&package["name"]), folder: format!("{}/", folder.display()), needs })
    };
    Ok(metadata["packages"].as_array().into_iter().flatten().filter_map(package).collect())
}

/// The crates that contain one of the files, and those that depend on them, without those whose tests are separate programs.
fn reached<'a>(packages: &'a [Package], files: &[String]) -> BTreeSet<&'a str> {
    let has_file = |it: &&Package| files.iter().any(|file| file.starts_with(&it.folder));
    let mut names: BTreeSet<&str> = packages.iter().filter(has_file).map(|it| it.name.as_str()).collect();
    loop {
        let needs_one = |it: &&Package| it.needs.iter().any(|needed| names.contains(needed.as_str()));
        let more: Vec<&str> = packages.iter().filter(needs_one).map(|it| it.name.as_str()).collect();
        let before = names.len();
        names.extend(more);
        if names.len() == before {
            break;
        }
    }
    names.retain(|name| !matches!(*name, "tests"));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reaches_its_crate_and_those_that_need_it() {
        let package = |(name, needs): (&str, &[&str])| Package {
            name: name.to_owned(),
            folder: format!("server/{name}/"),
            needs: needs.iter().map(|it| (*it).to_owned()).collect(),
        };
        let tree: [(&str, &[&str]); 4] = [
            ("source", &[]),
            ("profile", &[]),
            ("analysis", &["source", "profile"]),
            ("flame", &["analysis"]),
        ];
        let packages = tree.map(package);
        let reached =
            |file: &str| reached(&packages, &[file.to_owned()]).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(reached("server/flame/src/lib.rs"), "flame");
        assert_eq!(reached("server/source/src/lib.rs"), "analysis flame source");
        assert_eq!(reached("docs/json.md"), "");
        assert_eq!(rows(&CHECKS, &["tests/neovim/run.lua".to_owned()]), BTreeSet::from(["neovim"]));
        assert_eq!(rows(&PROGRAMS, &["docs/json.md".to_owned()]), BTreeSet::from(["tidy"]));
    }

    #[test]
    fn every_row_names_a_check_and_a_folder_that_is_there() {
        for (folder, checks) in CHECKS {
            assert!(::tests::root().join(folder).is_dir(), "{folder}");
            assert!(checks.iter().all(|name| gate::planned(name).is_some()), "{checks:?}");
        }
        assert!(PROGRAMS.iter().all(|(folder, _)| ::tests::root().join(folder).is_dir()));
    }
}
