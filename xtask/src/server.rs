//! The server as it is released, which most commands run.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};

use crate::shell;
use crate::target::Target;

pub(crate) mod program;

/// Names a server that is built already, for those who want to test just that one.
pub(crate) const PROGRAM: &str = "PROFLENS";
/// The same for `proflens-fleet`.
pub(crate) const FLEET: &str = "PROFLENS_FLEET";

/// The one that users get, once [`build_released`] has built it.
static RELEASED: OnceLock<PathBuf> = OnceLock::new();

/// Builds the server for this machine, unless one is there already, and gives its path.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_server(root: &Path) -> Result<PathBuf> {
    if let Some(built) = there() {
        return Ok(built);
    }
    let line = "cargo build --release --package proflens --message-format json";
    shell::built(&mut shell::command(root, line)).context("the server does not build")
}

/// Builds the server for a first look, unless one is there already, and gives its path: not optimised, which takes minutes, but of
/// crates that tests need as well.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_for_a_look(root: &Path) -> Result<PathBuf> {
    if let Some(built) = there() {
        return Ok(built);
    }
    let line = "cargo build --workspace --bin proflens --message-format json";
    shell::built(&mut shell::command(root, line)).context("the server does not build")
}

/// The programs as tests have them.
#[derive(Clone, Debug)]
pub(crate) struct ForTests {
    pub(crate) server: PathBuf,
    pub(crate) fleet: PathBuf,
}

/// Builds the programs as tests have them, and gives their paths.
///
/// # Errors
/// If they do not build.
pub(crate) fn build_for_tests(root: &Path) -> Result<ForTests> {
    // Of the whole workspace: of one package alone, crates of others would have fewer features, and all be built a second time.
    let line = "cargo build --workspace --bin proflens --bin proflens-fleet --message-format json";
    let last = shell::built(&mut shell::command(root, line)).context("the programs do not build")?;
    let program = |name: &str| last.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    Ok(ForTests { server: program("proflens"), fleet: program("proflens-fleet") })
}

/// The same, but as users get it, which needs more than Rust: the linker of `server/program.rs`.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_released(root: &Path) -> Result<PathBuf> {
    if let Some(built) = there() {
        return Ok(built);
    }
    let built = program::build(root, Target::of_this_machine()?)?;
    Ok(RELEASED.get_or_init(|| built).clone())
}

/// The one that [`PROGRAM`] names, or that was built as users get it.
pub(crate) fn there() -> Option<PathBuf> {
    std::env::var_os(PROGRAM).map(PathBuf::from).or_else(|| RELEASED.get().cloned())
}
