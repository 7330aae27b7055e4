//! The project's own commands, in Rust so that they run wherever the project builds.

#![allow(clippy::print_stdout, reason = "these are commands for people at a terminal")]

mod bench;
mod changed;
mod collect;
mod count;
mod debian;
mod demo;
mod emulated;
mod flame;
mod fleet;
mod folders;
mod fuzz;
mod gate;
mod helix;
mod modules;
mod neovim;
mod npm;
mod performance_page;
mod release;
mod server;
mod shell;
mod target;
mod terminal;
mod vscode;
mod yields;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use server::build_server;

const USAGE: &str = "\
cargo xtask demo [--editor vscode|nvim]   show the example with its costs, here or in a real editor
cargo xtask test                          run the checks of the code, also those in real editors
cargo xtask test --all                    run all that the gate runs: also each view of VS Code, fuzzing, archives made twice, npm,
                                          the fleet's engines
cargo xtask test --changed                run what the changes since the branch left main can reach
cargo xtask test NAME...                  run the checks of these names
cargo xtask test windows arm64            run the server's tests for Windows by Wine, and for Linux on ARM by QEMU
cargo xtask editor vscode [FILE...]       the tests of VS Code alone, or those of these files: page.mjs views.mjs
cargo xtask package                       build editors/vscode/*.vsix with the server inside
cargo xtask dist [--triple T]             make in target/dist what users of a release get, for this machine or for another
cargo xtask dist --check                  make it twice, compare the bytes, unpack it and run it
cargo xtask dist --gather TAG FOLDER      put what was made for all platforms, a folder for each, together in target/dist
cargo xtask package --without-program     the same for all platforms: it looks for the program where it runs
cargo xtask generate                      write what follows from code: settings, commands, our own requests, the page of the flame graph
cargo xtask bench                         measure against other tools; writes docs/performance.md
cargo xtask bench \"Chrome trace\"          the same for some inputs, without writing anything
cargo xtask fleet [SESSIONS...]           hold proflens-fleet against report, DuckDB, ClickHouse and a Spark cluster; with numbers
                                          of sessions (5000 20000 50000 200000) also measure, and write docs/performance.md
cargo xtask fleet-figures SESSIONS...     only measure
cargo xtask fuzz [TARGET] [SECONDS]       look for inputs that break a law, of all targets or of one
cargo xtask fuzz TARGET FILE              the same for one input that was found
cargo xtask fuzz keep [TARGET]            copy the inputs that reach new code into the corpus
cargo xtask yield [CASE...]               what each rule of placing yields, over recorded traces: functions, time, mistakes
cargo xtask freshness CLONE...            how well functions are found again over the history of git clones
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode> {
    let root = tests::root();
    match arguments {
        ["demo"] => demo::run(root, &server::named_or_for_tests(root)?)?,
        ["demo", "--editor", "vscode"] => vscode::open_demo(root)?,
        ["demo", "--editor", "nvim"] => neovim::open_demo(root)?,
        ["test"] => return gate::run(root, gate::Wanted::Code),
        ["test", "--all"] => return gate::run(root, gate::Wanted::All),
        ["test", "--changed"] => return changed::run(root),
        ["test", names @ ..] => return gate::run(root, gate::Wanted::Named(names)),
        ["package"] => println!("{}", vscode::package(root)?.display()),
        ["dist"] => release::run(root, None)?,
        ["dist", "--triple", triple] => release::run(root, Some(triple))?,
        ["dist", "--check"] => println!("{} checks passed", release::check::run(root)?),
        ["dist", "--gather", tag, folder] => release::gather(root, tag, Path::new(folder))?,
        ["package", "--without-program"] => {
            let out = root.join("editors/vscode");
            println!("{}", vscode::package_for(root, None, None, &out)?.display());
        }
        ["generate"] => generate(root)?,
        ["bench"] => bench::run(root, &build_server(root)?, None)?,
        ["bench", only] => bench::run(root, &build_server(root)?, Some(only))?,
        ["fleet", sizes @ ..] => fleet::run(root, &numbers(sizes)?)?,
        ["fleet-figures", sizes @ ..] => fleet::measure(root, &numbers(sizes)?)?,
        ["editor", "vscode", scripts @ ..] => vscode::test(root, scripts)?,
        ["editor", name] => gate::run_editor(root, name)?,
        ["fuzz", what @ ..] => fuzz::run(root, what)?,
        ["yield", cases @ ..] => yields::run(root, cases)?,
        ["freshness", clones @ ..] => freshness(root, clones)?,
        ["bench-input", name, folder] => bench::write_input(name, Path::new(folder))?,
        ["validate", file] => bench::validate(Path::new(file))?,
        ["help" | "--help" | "-h"] => print!("{USAGE}"),
        [] => bail!("name a command:\n{USAGE}"),
        _ => bail!("there is no such command: {}\n{USAGE}", arguments.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

fn numbers(texts: &[&str]) -> Result<Vec<usize>> {
    texts.iter().map(|it| it.parse().with_context(|| format!("{it} is no number of sessions"))).collect()
}

/// It needs the crates that the server is made of, so it is an example of `analysis`.
fn freshness(root: &Path, clones: &[&str]) -> Result<()> {
    let mut run =
        shell::command(root, "cargo run --quiet --release --package analysis --example freshness --");
    shell::run(run.args(clones))
}

fn generate(root: &Path) -> Result<()> {
    // The tests that check these files can also write them.
    let tests = "generated:: json:: manual::";
    let mut test =
        shell::command(root, &format!("cargo test --quiet --package tests --test tidy -- {tests}"));
    shell::run(test.env("UPDATE_EXPECT", "1"))?;
    flame::build(root)
}
