//! The npm packages: `proflens`, and one with the program for each platform; and their tests with a real registry and real
//! package managers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::folders::turn;
use crate::target::Target;
use crate::{debian, modules, server, shell};

/// Where the packages' own files are.
const SOURCE: &str = "server/npm";

/// A platform that has a package, as `lib/platforms.json` describes it.
#[derive(Clone, Debug, serde::Deserialize)]
struct Platform {
    os: String,
    cpu: String,
    libc: Option<String>,
}

/// All platforms by the names of their packages.
///
/// # Errors
/// If their list cannot be read.
fn platforms(root: &Path) -> Result<BTreeMap<String, Platform>> {
    let text = fs::read_to_string(root.join(SOURCE).join("lib/platforms.json"))?;
    serde_json::from_str(&text).context("lib/platforms.json is not a list of platforms")
}

/// Writes the package `proflens`, and one for each program that is given with the name of its platform. The same programs
/// give the same bytes.
///
/// # Errors
/// If npm or TypeScript is missing or fails.
pub(crate) fn pack(root: &Path, programs: &[(&str, &Path)], out: &Path) -> Result<Vec<PathBuf>> {
    let _turn = turn(root, "packages")?;
    let stage = root.join("target/npm");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    fs::create_dir_all(out)?;
    let mut packages = vec![pack_folder(&main_package(root, &stage)?, out)?];
    let platforms = platforms(root)?;
    for (name, program) in programs {
        let platform = platforms.get(*name).with_context(|| format!("there is no platform {name}"))?;
        packages
            .push(pack_folder(&platform_package(root, &stage.join(name), (name, platform), program)?, out)?);
    }
    Ok(packages)
}

fn main_package(root: &Path, stage: &Path) -> Result<PathBuf> {
    let (source, package) = (root.join(SOURCE), stage.join("proflens"));
    for folder in ["bin", "lib", "skill"] {
        fs::create_dir_all(package.join(folder))?;
        for file in fs::read_dir(source.join(folder))? {
            let file = file?;
            fs::copy(file.path(), package.join(folder).join(file.file_name()))?;
        }
    }
    for file in ["package.json", "README.md", "record.js"] {
        fs::copy(source.join(file), package.join(file))?;
    }
    licences(root, &package)?;
    let editor = root.join("editors/vscode");
    modules::modules(&editor)?;
    let mut compile = Command::new("node");
    compile.arg(editor.join("node_modules/typescript/bin/tsc")).arg("-p").arg(&source);
    shell::run(compile.arg("--outDir").arg(&package))?;
    for (built, name) in [("collect.js", "collect.mjs"), ("collect.d.ts", "collect.d.mts")] {
        fs::rename(package.join(built), package.join(name))?;
    }
    Ok(package)
}

fn platform_package(
    root: &Path,
    package: &Path,
    (name, platform): (&str, &Platform),
    program: &Path,
) -> Result<PathBuf> {
    fs::create_dir_all(package.join("bin"))?;
    let main: Value = serde_json::from_str(&fs::read_to_string(root.join(SOURCE).join("package.json"))?)?;
    let mut manifest = json!({
        "name": format!("@proflens/{name}"),
        "version": main["version"],
        "description": format!("The program of proflens for {name}; install proflens instead"),
        "license": main["license"],
        "os": [platform.os],
        "cpu": [platform.cpu],
        // Otherwise Yarn would keep the program inside an archive.
        "preferUnplugged": true,
        // npm adds nothing else, and a file that is not a `bin` only keeps its mode if it is listed here.
        "files": ["bin"],
    });
    if let Some(libc) = &platform.libc {
        manifest["libc"] = json!([libc]);
    }
    fs::write(package.join("package.json"), serde_json::to_string_pretty(&manifest)? + "\n")?;
    fs::write(
        package.join("README.md"),
        format!("The program of [proflens](https://www.npmjs.com/package/proflens) for {name}.\n"),
    )?;
    licences(root, package)?;
    let file = if platform.os == "win32" { "proflens.exe" } else { "proflens" };
    let file = package.join("bin").join(file);
    fs::copy(program, &file).with_context(|| format!("{} cannot be copied", program.display()))?;
    executable(&file)?;
    Ok(package.to_owned())
}

fn licences(root: &Path, package: &Path) -> Result<()> {
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(file), package.join(file))?;
    }
    Ok(())
}

#[cfg(unix)]
fn executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result<()> {
    Ok(())
}

/// npm's own archives have no times and no owners, so that the same files give the same bytes.
fn pack_folder(package: &Path, out: &Path) -> Result<PathBuf> {
    let mut npm = modules::npm();
    npm.current_dir(package).args(["pack", "--silent", "--pack-destination"]).arg(out);
    let printed = debian::run(&mut npm)?;
    let name = printed.lines().last().context("npm pack named no file")?;
    Ok(out.join(name.trim()))
}

/// Runs the tests of `tests/npm`: the packages in a registry on this machine, installed by npm, pnpm and Yarn.
///
/// # Errors
/// If a test fails, which it has then reported, or if something that the tests need is missing.
pub(crate) fn test(root: &Path) -> Result<()> {
    let program = server::build_server(root)?;
    let tests = root.join("tests/npm");
    modules::modules(&tests)?;
    let out = root.join("target/npm-packages");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let here = Target::of_this_machine()?.npm;
    let mut programs = vec![(here, program.as_path())];
    // The packages of other platforms are never run here, only chosen or not.
    let other = root.join(SOURCE).join("README.md");
    let platforms = platforms(root)?;
    programs.extend(
        platforms.keys().map(String::as_str).filter(|it| *it != here).map(|it| (it, other.as_path())),
    );
    let first = pack(root, &programs, &out.join("first"))?;
    let second = pack(root, &programs, &out.join("second"))?;
    for (first, second) in first.iter().zip(&second) {
        ensure!(fs::read(first)? == fs::read(second)?, "{} differs when it is packed twice", first.display());
    }
    println!("ok    packages that are made twice have the same bytes");
    let mut node = Command::new("node");
    node.current_dir(&tests).arg("install.mjs").env("PROFLENS_PACKAGES", out.join("first"));
    shell::run(node.env("PROFLENS", program).env("PROFLENS_PLATFORM", here))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::platforms;
    use crate::target::TARGETS;

    #[test]
    fn each_target_has_a_package() {
        let platforms = platforms(tests::root()).expect("the list is there");
        let names: BTreeSet<&str> = platforms.keys().map(String::as_str).collect();
        assert_eq!(names, TARGETS.iter().map(|it| it.npm).collect());
    }
}
