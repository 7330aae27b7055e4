//! What is linked into the program: its crates, their licences, and the list of them in the format CycloneDX.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::source::Source;
use crate::target::{Program, Target};
use crate::{debian, shell};

/// A crate that is linked into the program.
pub(crate) struct Linked {
    name: String,
    version: String,
    licence: String,
    authors: Vec<String>,
    repository: String,
    folder: PathBuf,
    /// Its name in Cargo's own language, for what depends on it.
    id: String,
    /// SHA-256 of its archive; `None` for our own.
    checksum: Option<String>,
    depends_on: Vec<String>,
}

/// All of them, sorted, without what only runs while the program is built.
///
/// # Errors
/// If cargo does not tell.
pub(crate) fn linked(root: &Path, program: Program, target: Target) -> Result<Vec<Linked>> {
    // Only `cargo tree` knows the features, and so the crates, of this one program.
    let line = "cargo tree --locked --edges normal,no-proc-macro --prefix none --no-dedupe --package";
    let mut tree = shell::command(root, line);
    tree.arg(program.name());
    let tree = debian::run(tree.args(["--format", "{p}", "--target", target.triple]))?;
    let names: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|it| it.split(" (").next()?.split_once(" v"))
        .map(|(name, version)| (name.trim(), version.trim()))
        .collect();
    let line = format!("cargo metadata --locked --format-version 1 --filter-platform {}", target.triple);
    let metadata: Value = serde_json::from_str(&debian::run(&mut shell::command(root, &line))?)?;
    let mut checksums = checksums(&fs::read_to_string(root.join("Cargo.lock"))?);
    let mut edges = edges(&metadata);
    let text = |package: &Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(|it| Some(it.as_str()?.to_owned())).collect()
    };
    let mut linked = Vec::new();
    for package in metadata["packages"].as_array().context("cargo lists no packages")? {
        let (name, version, id) = (text(package, "name"), text(package, "version"), text(package, "id"));
        if !names.contains(&(name.as_str(), version.as_str())) {
            continue;
        }
        let checksum = checksums.remove(&(name.clone(), version.clone()));
        let depends_on = edges.remove(&id).unwrap_or_default();
        let folder = PathBuf::from(text(package, "manifest_path")).parent().map(Path::to_path_buf);
        linked.push(Linked {
            checksum,
            depends_on,
            licence: text(package, "license"),
            authors: texts(&package["authors"]),
            repository: text(package, "repository"),
            folder: folder.context("a manifest lies in a folder")?,
            name,
            version,
            id,
        });
    }
    ensure!(linked.len() == names.len(), "cargo tree and cargo metadata name other crates");
    linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(linked)
}

/// The list of materials in CycloneDX's JSON.
///
/// # Errors
/// If it cannot be written as JSON.
pub(crate) fn bill_of_materials(
    linked: &[Linked],
    source: &Source,
    program: Program,
    target: Target,
) -> Result<String> {
    let is_program = |package: &Linked| package.name == program.name();
    let name_of = |package: &Linked| format!("pkg:cargo/{}@{}", package.name, package.version);
    let names: BTreeMap<&str, String> = linked.iter().map(|it| (it.id.as_str(), name_of(it))).collect();
    let component = |package: &Linked| {
        let mut component = json!({
            "type": if is_program(package) { "application" } else { "library" },
            "bom-ref": name_of(package),
            "name": package.name,
            "version": package.version,
            "purl": name_of(package),
            // Cargo's old spelling, `MIT/Apache-2.0`, is not an SPDX expression.
            "licenses": [{ "expression": package.licence.replace(" / ", " OR ").replace('/', " OR ") }],
        });
        if let Some(checksum) = &package.checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        if !package.repository.is_empty() {
            component["externalReferences"] = json!([{ "type": "vcs", "url": package.repository }]);
        }
        component
    };
    let depends = |package: &Linked| {
        let on: BTreeSet<&String> =
            package.depends_on.iter().filter_map(|it| names.get(it.as_str())).collect();
        json!({ "ref": name_of(package), "dependsOn": on })
    };
    let (programs, libraries): (Vec<_>, Vec<_>) = linked.iter().partition(|package| is_program(package));
    let program = programs.first().context("the program is not among its crates")?;
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": source.time_as_text,
            "component": component(program),
            "properties": [
                { "name": "proflens:commit", "value": source.commit },
                { "name": "proflens:target", "value": target.triple },
            ],
        },
        "components": libraries.iter().copied().map(component).collect::<Vec<_>>(),
        "dependencies": linked.iter().map(depends).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// The licences of all third-party crates, with their texts if they come with any, each text once.
///
/// # Errors
/// If a folder of a crate cannot be read, or a crate has no licence.
pub(crate) fn notices(linked: &[Linked]) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::from(
        "Proflens is linked from these crates of others. The source of each is on https://crates.io under its name and version.\n\n",
    );
    for package in linked.iter().filter(|it| it.checksum.is_some()) {
        ensure!(!package.licence.is_empty(), "the crate {} names no licence", package.name);
        write!(list, "{} {}: {}", package.name, package.version, package.licence)?;
        let files = licence_files(&package.folder)?;
        if files.is_empty() && !package.authors.is_empty() {
            // A crate that comes without a text has at least named its authors.
            write!(list, ", by {}", package.authors.join(", "))?;
        }
        writeln!(list)?;
        for file in files {
            let bytes = fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned();
            texts.entry(text).or_default().push(format!("{} {}", package.name, package.version));
        }
    }
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (text, of) in texts {
        write!(list, "\n{}\n{}\n\n{text}\n", "-".repeat(80), of.join(", "))?;
    }
    Ok(list)
}

fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let words = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
        if path.is_file() && words.iter().any(|it| name.starts_with(it)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What each crate is linked with, by Cargo's names.
fn edges(metadata: &Value) -> BTreeMap<String, Vec<String>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let normal = |it: &Value| list(&it["dep_kinds"]).iter().any(|it| it["kind"].is_null());
    let nodes = list(&metadata["resolve"]["nodes"]).into_iter().filter_map(|node| {
        let linked = list(&node["deps"]).into_iter().filter(normal);
        let deps = linked.filter_map(|it| Some(it["pkg"].as_str()?.to_owned())).collect();
        Some((node["id"].as_str()?.to_owned(), deps))
    });
    nodes.collect()
}

/// The checksums of Cargo.lock, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |part: &str, key: &str| -> Option<String> {
        let line = part.lines().find_map(|it| it.strip_prefix(key)?.strip_prefix(" = \""))?;
        Some(line.strip_suffix('"')?.to_owned())
    };
    let parts = lock.split("[[package]]\n").skip(1);
    parts
        .filter_map(|it| Some(((value(it, "name")?, value(it, "version")?), value(it, "checksum")?)))
        .collect()
}
