//! Real editors for the tests, taken from other Debian suites than the machine's own, without touching the machine.
//!
//! Installing a newer suite's editor the usual way would replace the C library. So apt resolves here with a
//! configuration of its own (the mirror that the machine already uses, and an empty package status, which gives the
//! full list of dependencies, including the C library). It only downloads, and the packages are unpacked side by side
//! below `.editors/`. The editor's binary is then started so that it loads from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::folders::{kept, turn};

pub(crate) mod system;

/// Packages that the closure names but that no editor needs to run.
const NOT_NEEDED: [&str; 8] =
    ["base-files_", "debconf_", "dpkg_", "libdebconf", "libperl", "perl", "sensible-utils_", "tar_"];

/// Marks an unpacked editor as complete; its text is the version.
const COMPLETE: &str = ".version";

/// The program `binary` (such as `usr/bin/nvim`) of `package` in the Debian suite `suite`, ready to run, below
/// `<root>/.editors/<package>-<suite>`. It is fetched once; remove that folder to fetch it again.
///
/// # Errors
/// If this is not a Debian machine, its mirror does not have the suite, or a tool fails; the message says which and what to do.
pub(crate) fn fetch(root: &Path, suite: &str, package: &str, binary: &str) -> Result<PathBuf> {
    let home = kept(root)?.join(format!("{package}-{suite}"));
    let program = home.join(binary);
    let _turn = turn(root, "editors")?;
    if home.join(COMPLETE).is_file() && program.is_file() {
        return Ok(program);
    }
    let what = format!("{package} of Debian {suite}");
    eprintln!("fetching {what} into {}", home.display());
    unpack(&home, suite, package, binary).with_context(|| {
        format!("{what} could not be fetched; install it by hand and put it at {}", program.display())
    })?;
    Ok(program)
}

/// Installs `package` with apt if `program` is not on `PATH`.
///
/// # Errors
/// If the package cannot be installed; the message names the package to install by hand.
pub(crate) fn ensure_program(program: &str, package: &str) -> Result<()> {
    if on_path(program).is_some() {
        return Ok(());
    }
    install(package).with_context(|| format!("{program} is missing"))
}

/// Installs `package` with apt.
///
/// # Errors
/// If it cannot be installed; the message names the package to install by hand.
pub(crate) fn install(package: &str) -> Result<()> {
    // Only one apt may run at a time on a machine.
    let _turn = turn(tests::root(), "apt")?;
    eprintln!("installing {package}");
    let root = run(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new(if root { "apt-get" } else { "sudo" });
        if !root {
            command.args(["-n", "apt-get"]);
        }
        run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let install = ["install", "-y", "-qq", "--no-install-recommends", package];
    apt(&install)
        // A fresh machine has no package lists yet.
        .or_else(|_| apt(&["-qq", "update"]).and_then(|_| apt(&install)))
        .with_context(|| format!("{package} could not be installed: run `apt-get install {package}`"))?;
    Ok(())
}

/// Where a program with this name is on `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Runs a command to its end and returns what it printed.
///
/// # Errors
/// If it cannot be started or fails; the message contains the command and what it said on stderr.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} could not be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} failed ({}):\n{}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn unpack(home: &Path, suite: &str, package: &str, binary: &str) -> Result<()> {
    ensure_program("patchelf", "patchelf")?;
    // It is made beside its place and moved there when it is complete, so an interrupted run leaves nothing half done.
    let partial = home.with_extension("partial");
    remove(&partial)?;
    let apt = Apt::updated(&partial.join("apt"), &[suite])?;
    let shown = run(apt.command("apt-cache").args(["show", "--no-all-versions", package]))?;
    let version =
        shown.lines().find_map(|line| line.strip_prefix("Version: ")).unwrap_or("unknown").to_string();
    let tree = partial.join("tree");
    apt.unpack(&[package], &NOT_NEEDED, &tree)?;
    relocate(&tree, home, binary)?;
    fs::write(tree.join(COMPLETE), &version)?;
    remove(home)?;
    fs::rename(&tree, home)?;
    remove(&partial)?;
    eprintln!("{package} {version} is ready");
    Ok(())
}

/// Makes the program in `tree` load the libraries that it will find in `home`.
fn relocate(tree: &Path, home: &Path, binary: &str) -> Result<()> {
    let triplet = run(Command::new("dpkg-architecture").arg("-qDEB_HOST_MULTIARCH"))
        .map(|text| text.trim().to_string())
        .unwrap_or_else(|_| format!("{}-linux-gnu", std::env::consts::ARCH));
    let loader = ["usr/lib64", "lib64", "usr/lib", "lib"]
        .iter()
        .flat_map(|folder| files(&tree.join(folder)).unwrap_or_default())
        .find(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux")))
        .context("the packages bring no program loader (ld-linux)")?;
    // The loader is often a link to another folder of the same packages.
    let loader = fs::canonicalize(&loader).with_context(|| format!("{} leads nowhere", loader.display()))?;
    let loader = home.join(loader.strip_prefix(fs::canonicalize(tree)?)?);
    let libraries =
        ["usr/lib", "lib"].map(|folder| home.join(folder).join(&triplet).display().to_string()).join(":");
    run(Command::new("patchelf")
        .arg("--set-interpreter")
        .arg(loader)
        .args(["--force-rpath", "--set-rpath", &libraries])
        .arg(tree.join(binary)))?;
    Ok(())
}

/// The archive that this machine installs from.
fn mirror() -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    ensure!(
        release.lines().any(|line| line == "ID=debian") && on_path("apt-get").is_some(),
        "this needs a Debian machine (apt and its mirror)"
    );
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .context("/etc/os-release does not name the suite")?;
    let find = || -> Result<Option<String>> {
        let targets = run(Command::new("apt-get").args([
            "indextargets",
            "--format",
            "$(REPO_URI) $(RELEASE)",
            "Created-By: Packages",
        ]))?;
        Ok(targets.lines().find_map(|line| {
            let (uri, suite) = line.split_once(' ')?;
            (suite == codename).then(|| uri.to_string())
        }))
    };
    if let Some(uri) = find()? {
        return Ok(uri);
    }
    run(Command::new("apt-get").args(["-qq", "update"]))?; // a fresh machine has no package lists yet
    find()?.with_context(|| format!("apt knows no mirror of {codename}"))
}

/// apt with a configuration of its own.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Knows what these suites have.
    fn updated(folder: &Path, suites: &[&str]) -> Result<Self> {
        let mirror = mirror()?;
        for name in ["lists/partial", "parts", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(folder.join("status"), "")?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let sources = suites.iter().map(|suite| format!("deb [signed-by={keys}] {mirror} {suite} main\n"));
        fs::write(folder.join("sources.list"), sources.collect::<String>())?;
        let apt = Self { folder: folder.to_path_buf() };
        run(apt.command("apt-get").args(["-qq", "update"])).with_context(|| {
            format!("the mirror {mirror} of this machine has not all of: {}", suites.join(", "))
        })?;
        Ok(apt)
    }

    /// Downloads packages with all that they depend on, and unpacks them into a folder. `without` are the beginnings of file names that
    /// are left out.
    fn unpack(&self, packages: &[&str], without: &[&str], tree: &Path) -> Result<()> {
        run(self.command("apt-get").args(["-qq", "-y", "--download-only", "install"]).args(packages))?;
        fs::create_dir_all(tree)?;
        for archive in files(&self.folder.join("cache/archives"))? {
            let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".deb") && !without.iter().any(|prefix| name.starts_with(prefix)) {
                run(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(tree))?;
            }
        }
        Ok(())
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (option, name) in [
            ("Dir::Etc::sourcelist", "sources.list"),
            ("Dir::Etc::sourceparts", "parts"),
            ("Dir::Etc::preferencesparts", "parts"),
            ("Dir::State::lists", "lists"),
            ("Dir::State::status", "status"),
            ("Dir::Cache", "cache"),
        ] {
            command.arg("-o").arg(format!("{option}={}", self.folder.join(name).display()));
        }
        for option in [
            "APT::Install-Recommends=false",
            "APT::Sandbox::User=root",
            "Acquire::Languages=none",
            // A mirror may lag behind by more than a week. What it has is signed all the same.
            "Acquire::Check-Valid-Until=false",
        ] {
            command.args(["-o", option]);
        }
        command
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    Ok(())
}
