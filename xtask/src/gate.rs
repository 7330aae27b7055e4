//! `cargo xtask test`: the checks of the code, and with `--all` every check there is, on a machine that has Rust, Node and apt and
//! nothing else. A check that cannot run has failed.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::shell::{self, Watched, command, watch};
use crate::{collect, debian, flame, helix, modules, neovim, npm, release, server, vscode};

/// How many tests of a check passed and failed.
pub(crate) struct Count {
    passed: usize,
    failed: usize,
}

/// One check, run to its end.
struct Check {
    name: &'static str,
    guards: Guards,
    run: fn(&Path) -> Result<Count>,
}

/// What a check is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guards {
    /// What a contributor changes.
    Code,
    /// What users of a release get, which takes longer.
    Releases,
}

const fn check(name: &'static str, guards: Guards, run: fn(&Path) -> Result<Count>) -> Check {
    Check { name, guards, run }
}

/// In this order: what fails fast and often comes first; after `release` the editors have the program as users get it.
const CHECKS: [Check; 16] = [
    check("fmt", Guards::Code, fmt),
    check("clippy", Guards::Code, clippy),
    check("cargo", Guards::Code, cargo),
    check("fuzz", Guards::Releases, fuzz),
    check("workflows", Guards::Releases, workflows),
    check("release", Guards::Releases, released),
    check("dist", Guards::Releases, dist),
    check("collect", Guards::Releases, |root| editor(root, "collect")),
    check("fleet", Guards::Releases, fleet),
    check("page", Guards::Code, page),
    check("flame", Guards::Code, |root| editor(root, "flame")),
    check("extension", Guards::Code, extension),
    check("npm", Guards::Releases, |root| editor(root, "npm")),
    check("neovim", Guards::Code, |root| editor(root, "neovim")),
    check("helix", Guards::Code, |root| editor(root, "helix")),
    check("vscode", Guards::Code, |root| editor(root, "vscode")),
];

/// Which checks to run.
pub(crate) enum Wanted<'a> {
    /// Those of the code.
    Code,
    /// Those of releases as well.
    All,
    /// Those of these names.
    Named(&'a [&'a str]),
}

/// Runs checks, each to its end, and says how it went.
///
/// # Errors
/// If there is no check of a name.
pub(crate) fn run(root: &Path, wanted: Wanted<'_>) -> Result<ExitCode> {
    let known = CHECKS.map(|check| check.name);
    if let Wanted::Named(names) = wanted
        && let Some(name) = names.iter().find(|name| !known.contains(name))
    {
        bail!("there is no check `{name}`; there are {}", known.join(", "));
    }
    let is_wanted = |check: &Check| match wanted {
        Wanted::Code => check.guards == Guards::Code,
        Wanted::All => true,
        Wanted::Named(names) => names.contains(&check.name),
    };
    let steps =
        CHECKS.into_iter().filter(is_wanted).map(|check| (check.name, Box::new(check.run) as CheckRun));
    Ok(run_steps(root, steps.collect()))
}

/// What a check does.
pub(crate) type CheckRun = Box<dyn Fn(&Path) -> Result<Count>>;

/// Runs steps, each to its end, and says how it went.
pub(crate) fn run_steps(root: &Path, steps: Vec<(&str, CheckRun)>) -> ExitCode {
    let mut rows: Vec<(&str, Count, Duration)> = Vec::new();
    for (name, run) in steps {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let count = run(root).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            Count { passed: 0, failed: 1 }
        });
        rows.push((name, count, start.elapsed()));
    }
    report(&rows)
}

/// The check of a name that [`CHECKS`] has.
pub(crate) fn step(name: &str) -> Option<(&'static str, CheckRun)> {
    let check = CHECKS.into_iter().find(|check| check.name == name)?;
    Some((check.name, Box::new(check.run)))
}

/// Prints how checks went.
fn report(rows: &[(&str, Count, Duration)]) -> ExitCode {
    println!();
    for (name, Count { passed, failed }, time) in rows {
        println!("{name:<10} {passed:>5} passed {failed:>4} failed {:>6.1} s", time.as_secs_f64());
    }
    let passed: usize = rows.iter().map(|row| row.1.passed).sum();
    let failed: usize = rows.iter().map(|row| row.1.failed).sum();
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fmt(root: &Path) -> Result<Count> {
    component("rustfmt", "cargo-fmt")?;
    one(shell::run(&mut command(root, "cargo fmt --all --check")))
}

fn clippy(root: &Path) -> Result<Count> {
    clippy_of(root, "--workspace")
}

/// The lints of some packages, as cargo's flags name them.
pub(crate) fn clippy_of(root: &Path, packages: &str) -> Result<Count> {
    component("clippy", "cargo-clippy")?;
    one(shell::run(&mut command(
        root,
        &format!("cargo clippy --quiet {packages} --all-targets -- -D warnings"),
    )))
}

fn cargo(root: &Path) -> Result<Count> {
    cargo_of(root, "--workspace")
}

/// The tests of some packages and programs, as cargo's flags name them.
pub(crate) fn cargo_of(root: &Path, packages: &str) -> Result<Count> {
    debian::ensure_program("git", "git")?; // makes the repositories whose history is read
    debian::ensure_program("chromium", "chromium")?; // runs the pages that are recorded
    let mut tests = command(root, &format!("cargo test {packages} --no-fail-fast"));
    // Tests of whole programs wait for them most of the time.
    let watched = watch(tests.env("RUST_TEST_THREADS", (2 * shell::cores()).to_string()))?;
    // `test result: ok. 12 passed; 0 failed; ..`, once for each test program.
    let number = |line: &str, word: &str| -> usize {
        let before = line.split(word).next().and_then(|it| it.split_whitespace().last());
        before.and_then(|it| it.parse().ok()).unwrap_or(0)
    };
    let results: Vec<&String> = watched.lines.iter().filter(|it| it.starts_with("test result: ")).collect();
    ensure!(!results.is_empty(), "the tests do not build");
    let sum = |word| results.iter().map(|it| number(it, word)).sum();
    Ok(counted(&watched, sum(" passed"), sum(" failed")))
}

/// Each target of the fuzzer for some seconds: its corpus, and what is found from there.
fn fuzz(root: &Path) -> Result<Count> {
    let (passed, failed) = crate::fuzz::check(root, 20)?;
    Ok(Count { passed, failed })
}

fn released(root: &Path) -> Result<Count> {
    one(server::build_released(root).map(|_| ()))
}

/// What users of a release get, made twice, unpacked and run.
fn dist(root: &Path) -> Result<Count> {
    let passed = release::check::run(root)?;
    Ok(Count { passed, failed: 0 })
}

/// The workflows that test and release.
fn workflows(root: &Path) -> Result<Count> {
    debian::ensure_program("npm", "npm")?;
    let folder = root.join("tests/workflows");
    modules::modules(&folder)?;
    one(shell::run(&mut command(&folder, "node check.mjs")))
}

/// The lake of `proflens-fleet` held against `report` and DuckDB.
fn fleet(root: &Path) -> Result<Count> {
    debian::ensure_program("node", "nodejs")?;
    let (passed, failed) = crate::fleet::gate(root)?;
    Ok(Count { passed, failed })
}

/// The page of the flame graph apart from any browser; and the built one, which the server has in it, is that of its sources.
fn page(root: &Path) -> Result<Count> {
    flame::build(root)?;
    let built = "server/flame/page";
    shell::run(&mut command(root, &format!("git diff --exit-code --stat -- {built}")))
        .with_context(|| format!("{built} is not what its sources make: run `cargo xtask generate`"))?;
    let tests = scripts(&root.join("editors/flame"))?;
    Ok(Count { passed: tests.passed + 1, ..tests })
}

/// The extension apart from VS Code: types, lint, and the tests that need no editor.
fn extension(root: &Path) -> Result<Count> {
    scripts(&root.join("editors/vscode"))
}

/// Types, lint and tests of a package.
fn scripts(folder: &Path) -> Result<Count> {
    debian::ensure_program("npm", "npm")?;
    modules::modules(folder)?;
    for script in ["check", "lint"] {
        shell::run(&mut command(folder, &format!("npm run --silent {script}")))?;
    }
    let watched = watch(&mut command(folder, "npm run --silent test"))?;
    // `# pass 12` or, with another reporter, `ℹ pass 12`.
    let number = |word: &str| -> usize {
        let words = watched.lines.iter().map(|it| it.split_whitespace().collect::<Vec<_>>());
        let found = words
            .filter_map(|it| if it.len() == 3 && it[1] == word { it[2].parse::<usize>().ok() } else { None });
        found.sum()
    };
    ensure!(number("pass") + number("fail") > 0, "{} has no tests", folder.display());
    Ok(counted(&watched, 2 + number("pass"), number("fail")))
}

/// The tests in a real editor or browser, as a process of their own, whose `ok` and `FAIL` lines are counted.
fn editor(root: &Path, name: &str) -> Result<Count> {
    let mut tests = std::process::Command::new(std::env::current_exe()?);
    // Without a release, the one that the tests have built.
    let built = server::there().map_or_else(|| server::build_for_tests(root), Ok)?;
    tests.env(server::PROGRAM, built);
    let watched = watch(tests.args(["editor", name]).current_dir(root))?;
    let number = |word: &str| watched.lines.iter().filter(|it| it.starts_with(word)).count();
    let (passed, failed) = (number("ok  "), number("FAIL"));
    ensure!(passed + failed > 0, "no test of {name} ran");
    Ok(counted(&watched, passed, failed))
}

/// What [`editor`] runs: `cargo xtask editor neovim`.
///
/// # Errors
/// If a test fails, or cannot run.
pub(crate) fn run_editor(root: &Path, name: &str) -> Result<()> {
    match name {
        "collect" => collect::test(root),
        "flame" => flame::test(root),
        "neovim" => neovim::test(root),
        "npm" => npm::test(root),
        "helix" => helix::test(root),
        "vscode" => vscode::test(root, &[]),
        _ => bail!("there is no editor `{name}`"),
    }
}

/// Part of the toolchain, which a minimal one lacks.
fn component(name: &str, program: &str) -> Result<()> {
    let works =
        std::process::Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if works {
        return Ok(());
    }
    let mut add = std::process::Command::new("rustup");
    shell::run(add.args(["component", "add", name]))
        .with_context(|| format!("{program} is missing: install {name}"))
}

fn one(result: Result<()>) -> Result<Count> {
    result.map(|()| Count { passed: 1, failed: 0 })
}

/// A program that failed without naming a test counts as one failure.
fn counted(watched: &Watched, passed: usize, failed: usize) -> Count {
    Count { passed, failed: if watched.ok { failed } else { failed.max(1) } }
}
