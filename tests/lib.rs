//! What the tests in this folder share: where the repository is, how to find the built program, and a client for it.

mod client;
mod folder;
mod inputs;
mod packages;
mod paths;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub use client::{Client, Ended};
pub use folder::{Folder, state_of};
pub use inputs::{read_inputs, write_inputs};
pub use packages::{installed, shop};
pub use paths::{root, uri};

/// The names that `profile` gives to formats, and the folders of their traces below tests/traces.
pub const FORMATS: [&str; 14] = [
    "chrome-trace",
    "collapsed",
    "cpuprofile",
    "firefox",
    "heapprofile",
    "otlp",
    "perf",
    "pprof",
    "safari",
    "self-profiling",
    "sentry",
    "slice",
    "speedscope",
    "v8-log",
];

/// The built `proflens`: the one that `PROFLENS` names, otherwise the one in the test's target folder and profile,
/// which Cargo is asked to build first (Cargo gives the path only to tests of the same package).
///
/// # Panics
/// If it cannot be built.
pub fn proflens() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("PROFLENS", "proflens"))
}

/// The built `proflens-fleet`: the one that `PROFLENS_FLEET` names, otherwise as for [`proflens`].
///
/// # Panics
/// If it cannot be built.
pub fn proflens_fleet() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("PROFLENS_FLEET", "proflens-fleet"))
}

fn built(variable: &str, name: &str) -> PathBuf {
    match std::env::var_os(variable) {
        Some(path) => root().join(path),
        None => build(name),
    }
}

fn build(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let folder = test.ancestors().nth(2).expect("a test lies in target/<profile>/deps");
    let target = folder.parent().expect("a profile's folder lies in target");
    let mut cargo = Command::new(env!("CARGO"));
    // It builds the whole workspace: for one package alone, its dependencies would have fewer features, and all would be built
    // a second time.
    cargo.args(["build", "--quiet", "--workspace", "--bin", name, "--target-dir"]).arg(target);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let built = cargo.current_dir(root()).status().expect("cargo starts");
    assert!(built.success(), "{name} does not build");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
