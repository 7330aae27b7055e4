//! The platforms that a release is made for, and its programs.

use anyhow::{Context, Result};

/// The oldest C library that the programs for Linux run with: RHEL 7, Amazon Linux 2 and everything that came after them.
pub(crate) const GLIBC: (u32, u32) = (2, 17);

/// A platform of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Rust's name for it.
    pub(crate) triple: &'static str,
    /// What follows `@proflens/` in the name of its npm package.
    pub(crate) npm: &'static str,
    /// VS Code's name for it.
    pub(crate) vscode: &'static str,
}

/// All of them; `.github/workflows/release.yml` has a job for each.
pub(crate) const TARGETS: [Target; 8] = [
    of("x86_64-unknown-linux-gnu", "linux-x64", "linux-x64"),
    of("x86_64-unknown-linux-musl", "linux-x64-musl", "alpine-x64"),
    of("aarch64-unknown-linux-gnu", "linux-arm64", "linux-arm64"),
    of("aarch64-unknown-linux-musl", "linux-arm64-musl", "alpine-arm64"),
    of("x86_64-apple-darwin", "darwin-x64", "darwin-x64"),
    of("aarch64-apple-darwin", "darwin-arm64", "darwin-arm64"),
    of("x86_64-pc-windows-msvc", "win32-x64", "win32-x64"),
    of("aarch64-pc-windows-msvc", "win32-arm64", "win32-arm64"),
];

/// Another program for Windows, which a Debian machine can build and try: Microsoft's linker and libraries are only to be had on Windows.
pub(crate) const WINDOWS_FROM_DEBIAN: Target = of("x86_64-pc-windows-gnu", "win32-x64", "win32-x64");

const fn of(triple: &'static str, npm: &'static str, vscode: &'static str) -> Target {
    Target { triple, npm, vscode }
}

impl Target {
    /// The target with Rust's name for it.
    ///
    /// # Errors
    /// If no release is made for it.
    pub(crate) fn named(triple: &str) -> Result<Self> {
        let known = || TARGETS.map(|target| target.triple).join(", ");
        TARGETS
            .into_iter()
            .chain([WINDOWS_FROM_DEBIAN])
            .find(|target| target.triple == triple)
            .with_context(|| format!("no release is made for {triple}, only for {}", known()))
    }

    /// The target that this command runs on; on Linux the one with the GNU C library.
    ///
    /// # Errors
    /// If no release is made for it.
    pub(crate) fn of_this_machine() -> Result<Self> {
        let system = match std::env::consts::OS {
            "linux" => "unknown-linux-gnu",
            "macos" => "apple-darwin",
            "windows" => "pc-windows-msvc",
            other => other,
        };
        Self::named(&format!("{}-{system}", std::env::consts::ARCH))
    }

    pub(crate) fn is_linux(self) -> bool {
        self.triple.contains("-linux-")
    }

    /// Whether it is Linux with the GNU C library.
    pub(crate) fn has_glibc(self) -> bool {
        self.is_linux() && self.triple.ends_with("-gnu")
    }

    /// What the names of programs end with.
    pub(crate) fn program_suffix(self) -> &'static str {
        if self.triple.contains("-windows-") { ".exe" } else { "" }
    }
}

/// A program of a release, by the name of its crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Proflens,
    Fleet,
}

impl Program {
    pub(crate) const ALL: [Program; 2] = [Program::Proflens, Program::Fleet];

    /// The name of the crate, the command and the npm package.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Proflens => "proflens",
            Program::Fleet => "proflens-fleet",
        }
    }

    /// Its file for a target.
    pub(crate) fn file(self, target: Target) -> String {
        format!("{}{}", self.name(), target.program_suffix())
    }

    /// The npm package with the program for a platform, `@proflens/linux-x64` or `@proflens/fleet-linux-x64`.
    pub(crate) fn npm_package(self, platform: &str) -> String {
        match self {
            Program::Proflens => format!("@proflens/{platform}"),
            Program::Fleet => format!("@proflens/fleet-{platform}"),
        }
    }
}
