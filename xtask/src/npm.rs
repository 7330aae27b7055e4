//! The npm packages: `proflens` and `proflens-fleet`, and for each of them one with the program for each platform; and their tests with
//! a real registry and real package managers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::folders::{copy_tree, turn};
use crate::target::{Program, Target};
use crate::{debian, modules, server, shell};

/// Where the files of `proflens` are. `proflens-fleet` finds its program by the same scripts.
const SOURCE: &str = "server/npm";
const SOURCE_OF_FLEET: &str = "server/npm/fleet";

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

/// Writes the package of a program, and one for each platform that a program is given for. The same programs give the same bytes.
///
/// # Errors
/// If npm or TypeScript is missing or fails.
pub(crate) fn pack(
    root: &Path,
    program: Program,
    files: &[(&str, &Path)],
    out: &Path,
) -> Result<Vec<PathBuf>> {
    let _turn = turn(root, "packages")?;
    let stage = root.join("target/npm");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    fs::create_dir_all(out)?;
    let folder = stage.join(program.name());
    match program {
        Program::Proflens => main_package(root, &folder)?,
        Program::Fleet => fleet_package(root, &folder)?,
    }
    let mut packages = vec![pack_folder(&folder, out)?];
    let platforms = platforms(root)?;
    for (name, file) in files {
        let platform = platforms.get(*name).with_context(|| format!("there is no platform {name}"))?;
        let package = stage.join(name);
        platform_package(root, &package, program, (name, platform), file)?;
        packages.push(pack_folder(&package, out)?);
    }
    Ok(packages)
}

/// The folder of `proflens`.
fn main_package(root: &Path, package: &Path) -> Result<()> {
    let source = root.join(SOURCE);
    for folder in ["bin", "lib", "skill"] {
        copy_tree(&source.join(folder), &package.join(folder))?;
    }
    for file in ["package.json", "README.md", "record.js"] {
        fs::copy(source.join(file), package.join(file))?;
    }
    licences(root, package)?;
    let editor = root.join("editors/vscode");
    modules::modules(&editor)?;
    let mut compile = Command::new("node");
    compile.arg(editor.join("node_modules/typescript/bin/tsc")).arg("-p").arg(&source);
    shell::run(compile.arg("--outDir").arg(package))?;
    for (built, name) in [("collect.js", "collect.mjs"), ("collect.d.ts", "collect.d.mts")] {
        fs::rename(package.join(built), package.join(name))?;
    }
    Ok(())
}

/// The folder of `proflens-fleet`.
fn fleet_package(root: &Path, package: &Path) -> Result<()> {
    let (source, shared) = (root.join(SOURCE_OF_FLEET), root.join(SOURCE));
    copy_tree(&shared.join("lib"), &package.join("lib"))?;
    fs::create_dir_all(package.join("bin"))?;
    fs::copy(shared.join("bin/proflens.js"), package.join("bin/proflens-fleet.js"))?;
    for file in ["package.json", "README.md"] {
        fs::copy(source.join(file), package.join(file))?;
    }
    licences(root, package)
}

/// The folder of the package with a program for a platform.
fn platform_package(
    root: &Path,
    package: &Path,
    program: Program,
    (name, platform): (&str, &Platform),
    file: &Path,
) -> Result<()> {
    fs::create_dir_all(package.join("bin"))?;
    let main: Value = serde_json::from_str(&fs::read_to_string(root.join(SOURCE).join("package.json"))?)?;
    let command = program.name();
    let mut manifest = json!({
        "name": program.npm_package(name),
        "version": main["version"],
        "description": format!("The program of {command} for {name}; install {command} instead"),
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
        format!("The program of [{command}](https://www.npmjs.com/package/{command}) for {name}.\n"),
    )?;
    licences(root, package)?;
    let suffix = if platform.os == "win32" { ".exe" } else { "" };
    let packed = package.join("bin").join(format!("{command}{suffix}"));
    fs::copy(file, &packed).with_context(|| format!("{} cannot be copied", file.display()))?;
    executable(&packed)
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
    // That of the tests: nobody waits for it here, and to optimise it takes minutes.
    let fleet = server::fleet_for_tests(root)?;
    let tests = root.join("tests/npm");
    modules::modules(&tests)?;
    let out = root.join("target/npm-packages");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let here = Target::of_this_machine()?.npm;
    // The packages of other platforms are never run here, only chosen or not.
    let other = root.join(SOURCE).join("README.md");
    let platforms = platforms(root)?;
    let mut packed = [out.join("first"), out.join("second")].map(|folder| (folder, Vec::new()));
    for (program, built) in [(Program::Proflens, &program), (Program::Fleet, &fleet)] {
        let file_for = |platform: &str| if platform == here { built.as_path() } else { other.as_path() };
        let files: Vec<(&str, &Path)> =
            platforms.keys().map(|platform| (platform.as_str(), file_for(platform))).collect();
        for (folder, packages) in &mut packed {
            packages.extend(pack(root, program, &files, folder)?);
        }
    }
    let [(first, packages), (_, again)] = &packed;
    for (one, other) in packages.iter().zip(again) {
        ensure!(fs::read(one)? == fs::read(other)?, "{} differs when it is packed twice", one.display());
    }
    println!("ok    packages that are made twice have the same bytes");
    let mut node = Command::new("node");
    node.current_dir(&tests).arg("install.mjs").env("PROFLENS_PACKAGES", first);
    shell::run(node.env("PROFLENS", program).env("PROFLENS_FLEET", fleet).env("PROFLENS_PLATFORM", here))
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
