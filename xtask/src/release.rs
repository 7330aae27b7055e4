//! `cargo xtask dist`: everything that users of a release get, with the same bytes for the same source.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::target::{Program, TARGETS, Target};
use crate::{debian, npm, server, vscode};
use archive::Member;
use source::Source;

mod archive;
mod c_library;
pub(crate) mod check;
mod crates;
mod source;

const CHECKSUMS: &str = "SHA256SUMS";
const NOTES: &str = "RELEASE-NOTES.md";
/// What every archive contains besides its own files.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Makes everything in `target/dist`, for this machine or for a named target.
///
/// # Errors
/// If something cannot be made.
pub(crate) fn run(root: &Path, triple: Option<&str>) -> Result<()> {
    let own = Target::of_this_machine();
    let target = triple.map_or_else(Target::of_this_machine, Target::named)?;
    let proflens = if own.is_ok_and(|own| own == target) {
        server::build_released(root)?
    } else {
        server::program::build(root, Program::Proflens, target)?
    };
    let fleet = server::program::build(root, Program::Fleet, target)?;
    if target.is_linux() {
        c_library::check(&proflens, target)?;
        c_library::check(&fleet, target)?;
    }
    let out = empty(&root.join("target/dist"))?;
    for file in make(root, target, &Built { proflens, fleet }, &out)? {
        println!("{}", file.display());
    }
    Ok(())
}

/// The programs for a target.
struct Built {
    proflens: PathBuf,
    fleet: PathBuf,
}

impl Built {
    fn of(&self, program: Program) -> &Path {
        match program {
            Program::Proflens => &self.proflens,
            Program::Fleet => &self.fleet,
        }
    }
}

/// The name of a program's archive and of the folder in it.
fn archive_name(program: Program, source: &Source, target: Target) -> String {
    format!("{}-{}-{}", program.name(), source.version, target.triple)
}

/// Makes everything for a target from its programs, in an empty folder; gives the files.
fn make(root: &Path, target: Target, built: &Built, out: &Path) -> Result<Vec<PathBuf>> {
    let source = Source::read(root)?;
    let mut made = Vec::new();
    for program in Program::ALL {
        let linked = crates::linked(root, program, target)?;
        let name = archive_name(program, &source, target);
        let mut members = licences(root)?;
        members.push(Member { program: true, ..Member::file(program.file(target), built.of(program))? });
        members.push(Member::text("THIRD-PARTY.txt", &crates::notices(&linked)?));
        match program {
            Program::Proflens => {
                members.push(Member::file("README.md", &root.join("README.md"))?);
                for (folder, inside) in [("completions", "completions"), ("man", "man/man1")] {
                    members.extend(tracked(&root.join("server/proflens/share").join(folder), inside)?);
                }
            }
            Program::Fleet => members.push(Member::file("README.md", &root.join("docs/fleet.md"))?),
        }
        made.push(archive::pack(out, &name, &name, members, source.time)?);
        made.extend(npm::pack(root, program, &[(target.npm, built.of(program))], out)?);
        let bill = out.join(format!("{name}.cdx.json"));
        fs::write(&bill, crates::bill_of_materials(&linked, &source, program, target)?)?;
        made.push(bill);
    }
    made.push(vscode::package_for(root, Some(&built.proflens), Some(target.vscode), out)?);
    made.push(vscode::package_for(root, None, None, out)?);

    let plugin = format!("proflens.nvim-{}", source.version);
    let members =
        [tracked(&root.join("editors/neovim"), "")?, licences(root)?].into_iter().flatten().collect();
    made.push(archive::pack(out, &plugin, &plugin, members, source.time)?);

    finish(root, &source, out, made)
}

/// Adds the notes and the checksums.
fn finish(root: &Path, source: &Source, out: &Path, mut made: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let notes = out.join(NOTES);
    fs::write(&notes, source::notes(root, source.version)? + "\n")?;
    let sums = out.join(CHECKSUMS);
    made.sort();
    fs::write(&sums, checksums(&made)?)?;
    made.extend([notes, sums]);
    Ok(made)
}

/// Puts what was made for each target, in `<folder>/<triple>`, together in `target/dist`, for the release of a tag. What does not
/// depend on the platform is made with each target; that of the first target is used.
///
/// # Errors
/// If the tag is not that of this version, or a target is missing.
pub(crate) fn gather(root: &Path, tag: &str, folder: &Path) -> Result<()> {
    source::check_tag(root, tag)?;
    let source = Source::read(root)?;
    let out = empty(&root.join("target/dist"))?;
    let mut names = BTreeSet::new();
    for target in TARGETS {
        let of_target = folder.join(target.triple);
        for program in Program::ALL {
            let archive = format!("{}.tar.gz", archive_name(program, &source, target));
            ensure!(of_target.join(&archive).is_file(), "{} has no {archive}", of_target.display());
        }
        for file in listed(&of_target)? {
            let name = file.file_name().context("a file has a name")?.to_owned();
            if name != CHECKSUMS && name != NOTES && names.insert(name.clone()) {
                fs::copy(&file, out.join(&name))?;
            }
        }
    }
    let made = names.iter().map(|it| out.join(it)).collect();
    for file in finish(root, &source, &out, made)? {
        println!("{}", file.display());
    }
    Ok(())
}

fn licences(root: &Path) -> Result<Vec<Member>> {
    LICENCES.into_iter().map(|it| Member::file(it, &root.join(it))).collect()
}

/// The files of the repository below a folder, under another folder in an archive.
fn tracked(folder: &Path, inside: &str) -> Result<Vec<Member>> {
    let files = source::files(folder)?.into_iter().map(|file| {
        let path = file.to_string_lossy().replace('\\', "/");
        let path = if inside.is_empty() { path } else { format!("{inside}/{path}") };
        Member::file(path, &folder.join(file))
    });
    files.collect()
}

/// In the format that `sha256sum --check` reads.
fn checksums(files: &[PathBuf]) -> Result<String> {
    let mut text = String::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        for byte in Sha256::digest(&bytes) {
            write!(text, "{byte:02x}")?;
        }
        writeln!(text, "  {name}")?;
    }
    Ok(text)
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    let mut files = entries.map(|it| Ok(it?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

fn empty(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    fs::create_dir_all(folder)?;
    Ok(folder.to_path_buf())
}
