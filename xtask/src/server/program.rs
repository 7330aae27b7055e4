//! Builds the program as users get it: for old systems too, and with the same bytes wherever it is built.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::debian::system::System;
use crate::folders::kept;
use crate::target::{GLIBC, Program, Target};
use crate::{debian, shell};

/// The linker for Linux, from PyPI, by version and hash.
const LINKER: &str = include_str!("requirements.txt");

/// Builds a program for a target and returns its path. Where the installed Rust has no standard library for it, that of a newer
/// Debian builds both.
///
/// # Errors
/// If it does not build, or the linker is not available.
pub(crate) fn build(root: &Path, program: Program, target: Target) -> Result<PathBuf> {
    let compiler = Compiler::of(root, target)?;
    let mut build = if target.is_linux() {
        zigbuild(root, &compiler, target)?
    } else {
        compiler.cargo(root, &format!("build --target {}", target.triple))
    };
    build.args(["--release", "--locked", "--package", program.name(), "--message-format", "json"]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags(root, &compiler)?.join("\x1f"));
    shell::built(&mut build).with_context(|| format!("{} does not build", program.name()))
}

/// A compiler that can build for a target.
enum Compiler {
    /// The one that `cargo xtask` is built with.
    Installed,
    OfDebian(System),
}

impl Compiler {
    fn of(root: &Path, target: Target) -> Result<Self> {
        let line = format!("rustc --print target-libdir --target {}", target.triple);
        let library = debian::run(&mut shell::command(root, &line))?;
        if Path::new(library.trim()).is_dir() {
            return Ok(Self::Installed);
        }
        let install = || {
            let triple = target.triple;
            format!(
                "the installed Rust has no library for {triple}; where rustup can: `rustup target add {triple}`"
            )
        };
        System::fetch(root).map(Self::OfDebian).with_context(install)
    }

    fn cargo(&self, root: &Path, line: &str) -> Command {
        match self {
            Self::Installed => shell::command(root, &format!("cargo {line}")),
            Self::OfDebian(system) => system.cargo(root, line),
        }
    }

    /// The folder of its libraries.
    fn sysroot(&self, root: &Path) -> Result<PathBuf> {
        const LINE: &str = "rustc --print sysroot";
        let mut command = match self {
            Self::Installed => shell::command(root, LINE),
            Self::OfDebian(system) => system.command(root, LINE),
        };
        Ok(debian::run(&mut command)?.trim().into())
    }

    /// The programs on its `PATH`.
    fn path(&self) -> OsString {
        match self {
            Self::Installed => std::env::var_os("PATH").unwrap_or_default(),
            Self::OfDebian(_) => System::PATH.into(),
        }
    }
}

/// zig brings the C library of every version with it, so the linker finds the symbols of an old one.
fn zigbuild(root: &Path, compiler: &Compiler, target: Target) -> Result<Command> {
    let version = if target.has_glibc() { format!(".{}.{}", GLIBC.0, GLIBC.1) } else { String::new() };
    let home = linker(root)?;
    let mut build = compiler.cargo(root, &format!("zigbuild --target {}{version}", target.triple));
    let path = compiler.path();
    let path = std::env::join_paths(std::iter::once(home.join("bin")).chain(std::env::split_paths(&path)))?;
    build.env("PATH", path);
    Ok(build)
}

/// The folder of Python packages with the linker, installed unless it is there.
fn linker(root: &Path) -> Result<PathBuf> {
    let home = kept(root)?.join("zig");
    let installed = home.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|it| it == LINKER) {
        return Ok(home);
    }
    eprintln!("fetching the linker into {}", home.display());
    let make = || {
        let mut python = Command::new("python3");
        python.args(["-m", "venv", "--clear"]).arg(&home);
        debian::run(&mut python)
    };
    // Debian has that module in a package of its own.
    make().or_else(|_| {
        debian::install("python3-venv")?;
        make()
    })?;
    let requirements = home.join("requirements.txt");
    fs::write(&requirements, LINKER)?;
    let mut pip = Command::new(home.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]);
    pip.args(["--require-hashes", "--requirement"]).arg(&requirements);
    debian::run(&mut pip).context("the linker cannot be installed from PyPI")?;
    fs::write(installed, LINKER)?;
    Ok(home)
}

/// Keeps the folders of this machine out of the program: out of its panic messages and out of the hashes of names.
fn flags(root: &Path, compiler: &Compiler) -> Result<Vec<String>> {
    let output = debian::run(&mut shell::command(root, "cargo metadata --no-deps --format-version 1"))?;
    let metadata: serde_json::Value = serde_json::from_str(&output)?;
    let target = metadata["target_directory"].as_str().context("cargo has no target folder")?;
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .context("there is no home folder, and CARGO_HOME is not set")?;
    // The last prefix that matches is used, and the target folder may be in the root.
    let folders = [
        (root.display().to_string(), "/proflens"),
        (target.to_owned(), "/target"),
        (home.join("registry/src").display().to_string(), "/crates"),
        (compiler.sysroot(root)?.join("lib/rustlib/src/rust").display().to_string(), "/rust"),
    ];
    let mut flags = Vec::new();
    for (folder, name) in folders {
        ensure!(!folder.contains('\x1f'), "{folder} has a control character in its name");
        flags.push(format!("--remap-path-prefix={folder}={name}"));
    }
    Ok(flags)
}
