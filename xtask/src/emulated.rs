//! `cargo xtask test windows` and `cargo xtask test arm64`: the server's tests for platforms that this machine is not, built here and run
//! by an emulator, Wine or QEMU. `--all` leaves them out, because each builds everything once more.

mod windows;

use std::path::Path;

use anyhow::Result;

use crate::count::Count;
use crate::debian::system::System;
use crate::shell::{self, watch};
use crate::{debian, server};

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const ARM64: &str = "aarch64-unknown-linux-gnu";
/// The crates whose tests run on Windows: those that know paths and processes.
const CRATES_ON_WINDOWS: &str = "--package analysis --package record --package proflens --package tests";
/// And on ARM, where only the compiler is another one.
const CRATES_ON_ARM64: &str = "--package proflens";

/// The tests for Windows, by Wine.
///
/// # Errors
/// If something cannot be fetched or built.
pub(crate) fn windows(root: &Path) -> Result<Count> {
    let system = System::fetch(root)?;
    let home = windows::Home::made(root, &system)?;
    let build = format!("build --target {WINDOWS} {CRATES_ON_WINDOWS} --bin proflens --message-format json");
    let program = shell::built(&mut system.cargo(root, &build))?;
    let mut count = Count::passed(0);
    for tests in windows::TESTS {
        let mut run = system
            .cargo(root, &format!("test --no-fail-fast --target {WINDOWS} {CRATES_ON_WINDOWS} {tests}"));
        run.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", System::WINE).env(server::PROGRAM, &program);
        count = count.and(Count::of_cargo(&watch(home.prepared(&mut run))?)?);
    }
    Ok(count)
}

/// The tests for Linux on ARM, by QEMU. Programs that tests start are no tests: those of this machine start the program for ARM.
///
/// # Errors
/// If something cannot be fetched or built.
pub(crate) fn arm64(root: &Path) -> Result<Count> {
    let system = System::fetch(root)?;
    let build = format!("build --target {ARM64} {CRATES_ON_ARM64} --bin proflens --message-format json");
    let program = shell::built(&mut system.cargo(root, &build))?;
    let emulator = system.emulator();
    let line = format!("test --no-fail-fast --target {ARM64} {CRATES_ON_ARM64} --lib --test protocol");
    let mut tests = system.cargo(root, &line);
    tests.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", emulator.join(" "));
    let inside = Count::of_cargo(&watch(&mut tests)?)?;

    let started = debian::system::script(&root.join("target/proflens-arm64"), &emulator, &program)?;
    let mut tests = shell::command(root, "cargo test --no-fail-fast --workspace --test stdio -- lsp:: cli::");
    let outside = Count::of_cargo(&watch(tests.env(server::PROGRAM, started))?)?;
    Ok(inside.and(outside))
}
