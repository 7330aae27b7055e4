//! `cargo xtask dist --check`: what users get, made twice with the same bytes, unpacked, and run.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tests::Folder;

use super::source::Source;
use super::{Built, archive_name, c_library, debian, empty, listed, make, server};
use crate::target::{Program, Target};

/// A little more than its current size, of which 1.7 MB are the Model Context Protocol. Whoever makes it larger should know.
const LARGEST_PROGRAM: u64 = 16_600_000;

/// Makes and tries everything for this machine; returns the number of things that were checked.
///
/// # Errors
/// At the first thing that is wrong.
pub(crate) fn run(root: &Path) -> Result<usize> {
    let target = Target::of_this_machine()?;
    let proflens = server::build_released(root)?;
    if target.is_linux() {
        c_library::check(&proflens, target)?;
    }
    let size = fs::metadata(&proflens)?.len();
    ensure!(size <= LARGEST_PROGRAM, "the program has {size} bytes, at most {LARGEST_PROGRAM} are wanted");

    // Packed as the tests have it: to optimise it takes minutes, and how it is packed does not depend on that.
    let built = Built { proflens, fleet: server::fleet_for_tests(root)? };
    let out = empty(&root.join("target/dist"))?;
    let made = make(root, target, &built, &out)?;
    // Again from programs of another path and time, in another folder.
    let other = Folder::new();
    let copied = |program: Program| {
        let copy = other.path().join("program").join(program.file(target));
        fs::create_dir_all(other.path().join("program"))?;
        fs::copy(built.of(program), &copy)?;
        anyhow::Ok(copy)
    };
    let copies = Built { proflens: copied(Program::Proflens)?, fleet: copied(Program::Fleet)? };
    let again = empty(&other.path().join("again"))?;
    make(root, target, &copies, &again)?;
    for (first, second) in listed(&out)?.iter().zip(listed(&again)?) {
        ensure!(
            first.file_name() == second.file_name() && fs::read(first)? == fs::read(second)?,
            "{} was made twice with other bytes",
            first.display()
        );
    }
    ensure!(listed(&out)?.len() == listed(&again)?.len(), "it was made twice with other files");

    debian::run(Command::new("sha256sum").args(["--check", "--strict", super::CHECKSUMS]).current_dir(&out))?;
    let source = Source::read(root)?;
    let unpacked = other.path().join("unpacked");
    archive_runs(root, target, &source, &out, &unpacked)?;
    fleet_archive_runs(target, &source, &out, &unpacked)?;
    plugin_runs(root, &source, &out, &unpacked, target)?;
    Ok(made.len() + 4)
}

/// The program of the unpacked archive reports its commit and reads a trace, and everything that belongs to it is there.
fn archive_runs(root: &Path, target: Target, source: &Source, out: &Path, unpacked: &Path) -> Result<()> {
    let name = archive_name(Program::Proflens, source, target);
    unpack(&out.join(format!("{name}.tar.gz")), unpacked)?;
    let folder = unpacked.join(name);
    let program = folder.join(Program::Proflens.file(target));
    let version = debian::run(Command::new(&program).arg("--version"))?;
    let expected = source.described();
    ensure!(version.trim() == expected, "the program says `{}`, and not `{expected}`", version.trim());
    let example = root.join("examples/primes");
    let report =
        debian::run(Command::new(&program).arg("report").arg("primes.cpuprofile").current_dir(&example))?;
    ensure!(report.contains("isPrime"), "the program does not report the example:\n{report}");
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "man/man1/proflens-report.1"] {
        ensure!(folder.join(file).is_file(), "{file} is not in the archive");
    }
    let notices = fs::read_to_string(folder.join("THIRD-PARTY.txt"))?;
    ensure!(notices.contains("oxc_parser 0.146"), "THIRD-PARTY.txt does not name the parser");
    let script = "set -eu; source completions/proflens.bash; complete -p proflens";
    let complete = debian::run(Command::new("bash").args(["-c", script]).current_dir(&folder))?;
    ensure!(complete.contains("_proflens"), "bash completes nothing: {complete}");
    Ok(())
}

/// The unpacked `proflens-fleet` runs, and its licences are there.
fn fleet_archive_runs(target: Target, source: &Source, out: &Path, unpacked: &Path) -> Result<()> {
    let name = archive_name(Program::Fleet, source, target);
    unpack(&out.join(format!("{name}.tar.gz")), unpacked)?;
    let folder = unpacked.join(name);
    let program = folder.join(Program::Fleet.file(target));
    let version = debian::run(Command::new(program).arg("--version"))?;
    let expected = format!("proflens-fleet {}", source.version);
    ensure!(version.trim() == expected, "the program says `{}`, and not `{expected}`", version.trim());
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        ensure!(folder.join(file).is_file(), "{file} is not in the archive of proflens-fleet");
    }
    let notices = fs::read_to_string(folder.join("THIRD-PARTY.txt"))?;
    ensure!(notices.contains("parquet 60."), "THIRD-PARTY.txt does not name the reader of Parquet");
    Ok(())
}

/// Neovim finds the unpacked plugin, and that finds the unpacked program on the `PATH`.
fn plugin_runs(root: &Path, source: &Source, out: &Path, unpacked: &Path, target: Target) -> Result<()> {
    let name = format!("proflens.nvim-{}", source.version);
    unpack(&out.join(format!("{name}.tar.gz")), unpacked)?;
    let nvim = debian::fetch(root, crate::neovim::SUITES[0], "neovim", "usr/bin/nvim")?;
    let programs = unpacked.join(archive_name(Program::Proflens, source, target));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)))?;
    let health = unpacked.join("health.txt");
    let mut command = Command::new(nvim);
    command.args(["--clean", "--headless", "--cmd"]);
    command.arg(format!("set runtimepath^={}", unpacked.join(name).display()));
    command.args([
        "-c",
        "checkhealth proflens",
        "-c",
        &format!("write! {}", health.display()),
        "-c",
        "quitall!",
    ]);
    for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
        command.env(format!("XDG_{name}_HOME"), unpacked.join(name.to_lowercase()));
    }
    debian::run(command.env("PATH", path).env_remove(server::PROGRAM).current_dir(unpacked))?;
    let said = fs::read_to_string(&health).context("Neovim wrote no health report")?;
    ensure!(said.contains(&format!("version: {}", source.described())), "the plugin says:\n{said}");
    Ok(())
}

fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    debian::run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder)).map(|_| ())
}
