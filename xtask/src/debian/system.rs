//! The programs of a newer Debian, for one command at a time: its `/usr` in place of that of this machine, which is left as it is. They
//! build for platforms that this machine has no libraries of, and run what was built: Wine for Windows, QEMU for ARM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Apt, COMPLETE, ensure_program, remove};
use crate::folders::{kept, turn};

/// Rust that is new enough comes with the first. Wine does not: it is in the second.
const SUITES: [&str; 2] = ["forky", "trixie"];

const PACKAGES: [&str; 17] = [
    "bash",
    "coreutils",
    "dash",
    // The program tells which commit it is built from.
    "git",
    // Its submodules are a script, which needs this.
    "sed",
    "cargo",
    "rustc",
    // The standard library is built for each platform.
    "rust-src",
    // Links what runs while others are built.
    "gcc",
    "libc6-dev",
    // Links for Windows.
    "gcc-mingw-w64-x86-64-win32",
    "wine64",
    // Without its locale, Wine finds no file whose name is not ASCII.
    "libc-bin",
    // Links for ARM, and has the libraries that programs find there.
    "gcc-aarch64-linux-gnu",
    "libc6-dev-arm64-cross",
    "libgcc-s1-arm64-cross",
    "qemu-user",
];

/// Where Wine has a library of `libz-mingw-w64` in the form that it takes.
const ZLIB_OF_WINE: &str = "lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll";
const ZLIB: &str = "x86_64-w64-mingw32/lib/zlib1.dll";

/// The compilers of C for platforms, which also link, with each platform as cargo spells it in its variables.
const LINKERS: [(&str, &str); 2] = [
    ("X86_64_PC_WINDOWS_GNU", "x86_64-w64-mingw32-gcc-win32"),
    ("AARCH64_UNKNOWN_LINUX_GNU", "aarch64-linux-gnu-gcc"),
];

/// Unpacked packages that are used in place of those of this machine.
pub(crate) struct System {
    usr: PathBuf,
}

impl System {
    /// Where its programs are.
    pub(crate) const PATH: &str = "/usr/bin";
    /// What runs programs for Windows.
    pub(crate) const WINE: &str = "/usr/lib/wine/wine64";

    /// That of the repository, below `.editors`. It is fetched once; remove its folder to fetch it again.
    ///
    /// # Errors
    /// If this is not a Debian machine, its mirror does not have a suite, or a tool fails.
    pub(crate) fn fetch(root: &Path) -> Result<Self> {
        let _turn = turn(root, "system")?;
        ensure_program("bwrap", "bubblewrap")?;
        let home = kept(root)?.join("system");
        let complete = home.join(COMPLETE);
        let wanted = [&SUITES[..], &PACKAGES[..]].concat().join(" ");
        if !fs::read_to_string(&complete).is_ok_and(|packages| packages == wanted) {
            eprintln!("fetching compilers and emulators into {}", home.display());
            remove(&home)?;
            let apt = home.join("apt");
            Apt::updated(&apt, &SUITES)?.unpack(&PACKAGES, &[], &home)?;
            remove(&apt)?;
            configure(&home.join("usr"))?;
            fs::write(complete, wanted)?;
        }
        Ok(Self { usr: home.join("usr") })
    }

    /// One of its programs with arguments, separated by single spaces, to be run in a folder. Everything but `/usr` is that of this
    /// machine.
    pub(crate) fn command(&self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new("bwrap");
        command
            .args(["--dev-bind", "/", "/", "--ro-bind"])
            .arg(&self.usr)
            .args(["/usr", "--die-with-parent"]);
        command.args(line.split(' ')).current_dir(folder).env("PATH", Self::PATH);
        // What `cargo xtask` was started with is of another compiler.
        for variable in ["LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN", "RUSTC", "CARGO"] {
            command.env_remove(variable);
        }
        command
    }

    /// The command line that runs programs for Linux on ARM, also outside of [`System::command`].
    pub(crate) fn emulator(&self) -> [String; 3] {
        let libraries = self.usr.join("aarch64-linux-gnu");
        [
            self.usr.join("bin/qemu-aarch64").display().to_string(),
            "-L".to_owned(),
            libraries.display().to_string(),
        ]
    }

    /// A command of cargo with arguments, for a platform. The standard library is built for it too, which only nightly versions of Rust do without
    /// being told that this one may.
    pub(crate) fn cargo(&self, root: &Path, line: &str) -> Command {
        // Before the arguments of tests, and after the name of a command that cargo has from elsewhere.
        let (command, arguments) = line.split_once(' ').unwrap_or((line, ""));
        let line = format!("cargo {command} -Zbuild-std=std,panic_unwind,test {arguments}");
        let mut cargo = self.command(root, line.trim_end());
        cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", root.join("target/system"));
        for (target, linker) in LINKERS {
            cargo.env(format!("CARGO_TARGET_{target}_LINKER"), linker);
            // What the crate `cc` reads, for crates with C in them.
            cargo.env(format!("CC_{}", target.to_lowercase()), linker);
        }
        cargo
    }
}

/// What the packages' own scripts would do, which only run where packages are installed.
fn configure(usr: &Path) -> Result<()> {
    link_to("gcc", &usr.join("bin/cc"))?;
    // As in the script of `libwine`: what stands behind the header of DOS says whose library it is (dlls/ntdll/unix/virtual.c of Wine).
    const MARK: &[u8; 32] = b"Wine builtin DLL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let mut library = fs::read(usr.join(ZLIB)).context("Wine's zlib is not there")?;
    let header = library.get_mut(64..96).context("Wine's zlib is no library")?;
    header.copy_from_slice(MARK);
    fs::write(usr.join(ZLIB_OF_WINE), library)?;
    Ok(())
}

/// Writes a script that runs a program by an emulator.
///
/// # Errors
/// If it cannot be written.
#[cfg(unix)]
pub(crate) fn script(file: &Path, emulator: &[String], program: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;

    let text = format!("#!/bin/sh\nexec {} '{}' \"$@\"\n", emulator.join(" "), program.display());
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))?;
    Ok(file.to_owned())
}

#[cfg(not(unix))]
pub(crate) fn script(file: &Path, _: &[String], _: &Path) -> Result<PathBuf> {
    anyhow::bail!("{} cannot be made: this is no Debian machine", file.display())
}

#[cfg(unix)]
fn link_to(program: &str, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(program, link).with_context(|| format!("{} cannot be made", link.display()))
}

#[cfg(not(unix))]
fn link_to(_: &str, link: &Path) -> Result<()> {
    anyhow::bail!("{} cannot be made: this is no Debian machine", link.display())
}
