//! `cargo xtask test`: the checks of the code, and with `--all` every check there is, on a machine that has Rust, Node and apt and
//! nothing else. A check that cannot run has failed.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use crate::count::Count;
use crate::shell::{self, command, watch, watch_beside};
use crate::{collect, debian, emulated, flame, helix, modules, neovim, npm, release, server, vscode};

mod lanes;

pub(crate) use lanes::{CheckRun, Lane, Planned, run_plan};

/// One check, run to its end.
struct Check {
    name: &'static str,
    guards: Guards,
    lane: Lane,
    run: fn(&Path) -> Result<Count>,
}

/// What a check is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guards {
    /// What a contributor changes.
    Code,
    /// What users of a release get, which takes longer.
    Releases,
    /// What users of another system get. It only runs by its name: `--all` would take twenty minutes longer.
    Systems,
}

const fn check(name: &'static str, guards: Guards, lane: Lane, run: fn(&Path) -> Result<Count>) -> Check {
    Check { name, guards, lane, run }
}

/// In this order, in each lane: what fails fast and often comes first. `release` runs alone: it uses all cores for half
/// of its time, and on two cores the tests beside it became so slow that some failed.
const CHECKS: [Check; 24] = [
    check("fmt", Guards::Code, Lane::First, fmt),
    check("clippy", Guards::Code, Lane::First, clippy),
    check("build", Guards::Code, Lane::First, build),
    check("release", Guards::Releases, Lane::First, released),
    check("cargo", Guards::Code, Lane::Computes, cargo),
    check("record", Guards::Code, Lane::Records, record),
    check("programs", Guards::Releases, Lane::Records, programs),
    check("fuzz", Guards::Releases, Lane::Computes, fuzz),
    check("dist", Guards::Releases, Lane::Computes, dist),
    check("collect", Guards::Releases, Lane::Computes, |root| of_release(root, "collect")),
    check("fleet", Guards::Releases, Lane::Computes, fleet),
    check("page", Guards::Code, Lane::Editors, page),
    check("extension", Guards::Code, Lane::Editors, extension),
    check("agents", Guards::Code, Lane::Editors, |root| of_agents(root, "agents")),
    check("inspector", Guards::Releases, Lane::Editors, |root| of_agents(root, "inspector")),
    check("workflows", Guards::Releases, Lane::Editors, workflows),
    check("helix", Guards::Code, Lane::Editors, |root| editor(root, "helix")),
    check("flame", Guards::Code, Lane::Editors, |root| editor(root, "flame")),
    check("neovim", Guards::Code, Lane::Editors, |root| editor(root, "neovim")),
    check("vscode", Guards::Code, Lane::Windows, |root| in_vscode(root, &vscode::CORE)),
    check("views", Guards::Releases, Lane::Windows, |root| in_vscode(root, &vscode::VIEWS)),
    check("npm", Guards::Releases, Lane::Editors, |root| of_release(root, "npm")),
    check("windows", Guards::Systems, Lane::Computes, emulated::windows),
    check("arm64", Guards::Systems, Lane::Computes, emulated::arm64),
];

/// The tests of recording, which cargo leaves out unless it is asked for them (tests/Cargo.toml).
const RECORD: &str = "--workspace --test record";
/// Its modules that record what others wrote, hundreds of programs, runners and dev servers, which takes minutes.
const PROGRAMS_OF_OTHERS: [&str; 4] = ["refactored::", "runners::", "same::", "vite::"];

/// The programs that tests run, and the variables that name those that are already built.
const PROGRAMS: [(&str, &str); 2] = [(server::PROGRAM, "proflens"), (server::FLEET, "proflens-fleet")];

/// What tests send signals to hears them, though a shell that started the checks in the background, or `nohup`, ignores them.
const DEFAULT_SIGNALS: &str =
    if cfg!(target_os = "linux") { "env --default-signal=INT,QUIT,HUP " } else { "" };

/// Which checks to run.
pub(crate) enum Wanted<'a> {
    /// Those of the code.
    Code,
    /// Those of releases as well: what the gate runs.
    All,
    /// Those of these names.
    Named(&'a [&'a str]),
}

/// Runs checks, each to its end, and reports the results.
///
/// # Errors
/// If there is no check with one of the names.
pub(crate) fn run(root: &Path, wanted: Wanted<'_>) -> Result<ExitCode> {
    let known = CHECKS.map(|check| check.name);
    if let Wanted::Named(names) = wanted
        && let Some(name) = names.iter().find(|name| !known.contains(name))
    {
        bail!("there is no check `{name}`; there are {}", known.join(", "));
    }
    let is_wanted = |check: &Check| match wanted {
        Wanted::Code => check.guards == Guards::Code,
        Wanted::All => check.guards != Guards::Systems,
        Wanted::Named(names) => names.contains(&check.name),
    };
    Ok(run_plan(root, CHECKS.into_iter().filter(is_wanted).map(Check::planned).collect()))
}

/// The check with a name that [`CHECKS`] has.
pub(crate) fn planned(name: &str) -> Option<Planned> {
    CHECKS.into_iter().find(|check| check.name == name).map(Check::planned)
}

impl Check {
    fn planned(self) -> Planned {
        Planned { name: self.name, lane: self.lane, run: Box::new(self.run) }
    }
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

/// Everything that the tests of this machine's program run, so that nothing is built while they do.
fn build(root: &Path) -> Result<Count> {
    for programs in ["--workspace", RECORD] {
        shell::run(&mut command(root, &format!("cargo test --quiet {programs} --no-run")))?;
    }
    for (_, name) in PROGRAMS {
        server::build_for_tests(root, name)?;
    }
    Ok(Count::passed(1))
}

fn cargo(root: &Path) -> Result<Count> {
    cargo_of(root, "--workspace")
}

/// What `proflens record` does.
fn record(root: &Path) -> Result<Count> {
    // What is recorded computes, and the other lanes take longer.
    let threads = shell::cores();
    let skipped = PROGRAMS_OF_OTHERS.join(" --skip ");
    cargo_of(root, &format!("{RECORD} -- --test-threads {threads} --skip {skipped}"))
}

/// That programs do not notice it, whoever wrote them, and what it says of them.
fn programs(root: &Path) -> Result<Count> {
    cargo_of(root, &format!("{RECORD} -- {}", PROGRAMS_OF_OTHERS.join(" ")))
}

/// The tests of some packages and programs, as cargo's flags name them.
pub(crate) fn cargo_of(root: &Path, packages: &str) -> Result<Count> {
    debian::ensure_program("git", "git")?; // makes the repositories whose history is read
    debian::ensure_program("chromium", "chromium")?; // runs the pages that are recorded
    let mut tests = command(root, &format!("{DEFAULT_SIGNALS}cargo test --no-fail-fast {packages}"));
    // Tests of whole programs wait for them most of the time.
    tests.env("RUST_TEST_THREADS", (2 * shell::cores()).to_string());
    for (variable, name) in PROGRAMS {
        if std::env::var_os(variable).is_none() {
            tests.env(variable, server::build_for_tests(root, name)?);
        }
    }
    Count::of_cargo(&watch(&mut tests)?)
}

/// Each target of the fuzzer for a few seconds: its corpus, and the same inputs from there each time.
fn fuzz(root: &Path) -> Result<Count> {
    crate::fuzz::check(root, 3)
}

fn released(root: &Path) -> Result<Count> {
    one(server::build_released(root).map(|_| ()))
}

/// What users of a release get, made twice, unpacked and run.
fn dist(root: &Path) -> Result<Count> {
    Ok(Count::passed(release::check::run(root)?))
}

/// `proflens mcp` by a client that others wrote: the official library, or the inspector's command line.
fn of_agents(root: &Path, client: &str) -> Result<Count> {
    debian::ensure_program("npm", "npm")?;
    let folder = root.join("tests").join(client);
    modules::modules(&folder)?;
    let mut tests = command(&folder, "node --test");
    tests.env(server::PROGRAM, server::named_or_for_tests(root)?);
    Ok(Count::of_node(&watch(&mut tests)?))
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
    crate::fleet::gate(root)
}

/// The page of the flame graph without a browser; and the built page in the server matches its sources.
fn page(root: &Path) -> Result<Count> {
    flame::build(root)?;
    let built = "server/flame/page";
    shell::run(&mut command(root, &format!("git diff --exit-code --stat -- {built}")))
        .with_context(|| format!("{built} is not what its sources make: run `cargo xtask generate`"))?;
    let tests = scripts(&root.join("editors/flame"))?;
    Ok(tests.and(Count::passed(1)))
}

/// The extension without VS Code: types, lint, and the tests that need no editor.
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
    let tests = Count::of_node(&watch(&mut command(folder, "npm run --silent test"))?);
    ensure!(!tests.is_empty(), "{} has no tests", folder.display());
    Ok(tests.and(Count::passed(2)))
}

/// The tests in a real editor, with the program of the tests.
fn editor(root: &Path, name: &str) -> Result<Count> {
    with_program(root, &[name], &server::named_or_for_tests(root)?)
}

/// Some of the tests in a real VS Code.
fn in_vscode(root: &Path, scripts: &[vscode::Script]) -> Result<Count> {
    let files = scripts.iter().map(|script| script.file);
    let arguments: Vec<&str> = std::iter::once("vscode").chain(files).collect();
    with_program(root, &arguments, &server::named_or_for_tests(root)?)
}

/// The tests of what users get, with the program that they get.
fn of_release(root: &Path, name: &str) -> Result<Count> {
    with_program(root, &[name], &server::build_released(root)?)
}

/// The tests in a real editor, browser or registry, as a process of their own, whose `ok` and `FAIL` lines are counted.
/// `arguments` are those of `cargo xtask editor`, its name first.
fn with_program(root: &Path, arguments: &[&str], program: &Path) -> Result<Count> {
    let name = arguments[0];
    let mut tests = std::process::Command::new(std::env::current_exe()?);
    tests.env(server::PROGRAM, program).arg("editor").args(arguments).current_dir(root);
    let count = Count::of_editor(&watch_beside(&mut tests, name)?);
    ensure!(!count.is_empty(), "no test of {name} ran");
    Ok(count)
}

/// What [`with_program`] runs: `cargo xtask editor neovim`.
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
    result.map(|()| Count::passed(1))
}
