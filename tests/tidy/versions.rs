//! One version everywhere: the server, the extension and the list of changes name the same release.

use serde_json::Value;
use tests::root;

use crate::tree::read;

#[test]
fn the_extension_has_the_version_of_the_server() {
    let version = env!("CARGO_PKG_VERSION");
    let package: Value = serde_json::from_str(&read("editors/vscode/package.json")).unwrap();
    assert_eq!(package["version"], version);
    if root().join("editors/vscode/package-lock.json").exists() {
        let lock: Value = serde_json::from_str(&read("editors/vscode/package-lock.json")).unwrap();
        assert_eq!(lock["version"], version);
    }
}

#[test]
fn the_npm_packages_have_the_version_of_the_server() {
    let version = env!("CARGO_PKG_VERSION");
    let platforms: Value = serde_json::from_str(&read("server/npm/lib/platforms.json")).unwrap();
    for (manifest, before_platform) in
        [("server/npm", "@proflens/"), ("server/npm/fleet", "@proflens/fleet-")]
    {
        let package: Value = serde_json::from_str(&read(&format!("{manifest}/package.json"))).unwrap();
        assert_eq!(package["version"], version, "{manifest}");
        let names = platforms.as_object().unwrap().keys();
        let wanted = names.map(|platform| (format!("{before_platform}{platform}"), version.into()));
        let wanted: serde_json::Map<String, Value> = wanted.collect();
        assert_eq!(package["optionalDependencies"], Value::Object(wanted), "{manifest}");
    }
}

#[test]
fn the_package_of_mason_is_the_one_of_npm() {
    let package = read("editors/neovim/mason/package.yaml");
    let id = concat!("  id: pkg:npm/proflens@", env!("CARGO_PKG_VERSION"), "\n");
    assert!(package.contains(id), "editors/neovim/mason/package.yaml has no line `{}`", id.trim_end());
}

#[test]
fn the_list_of_changes_begins_with_this_version() {
    let changes = read("CHANGELOG.md");
    let first = changes.lines().find_map(|it| it.strip_prefix("## ")).unwrap();
    assert!(first.starts_with(env!("CARGO_PKG_VERSION")), "CHANGELOG.md begins with `{first}`");
}

/// Examples name the action by the tag of a release, which does not move.
#[test]
fn examples_of_the_action_name_this_version() {
    let tag = concat!("OWNER/proflens/.github/actions/compare@v", env!("CARGO_PKG_VERSION"), "\n");
    let counts = ["docs/ci.md", ".github/actions/compare/README.md"].map(|it| read(it).matches(tag).count());
    assert_eq!(counts, [2, 1], "name `{}`", tag.trim_end());
}

#[test]
fn rooms_take_their_version_from_the_workspace() {
    for room in ["analysis", "collect", "profile", "proflens", "source", "testkit"] {
        assert!(read(&format!("server/{room}/Cargo.toml")).contains("version.workspace = true"), "{room}");
    }
}

#[test]
fn both_licences_are_there() {
    assert!(read("Cargo.toml").contains("license = \"MIT OR Apache-2.0\""));
    assert!(read("LICENSE-MIT").starts_with("MIT License"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
    let package: Value = serde_json::from_str(&read("editors/vscode/package.json")).unwrap();
    assert_eq!(package["license"], "MIT OR Apache-2.0");
}
