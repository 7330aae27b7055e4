//! What follows from the server's list of settings is written by it, in three forms. `cargo xtask generate` runs
//! this file with `UPDATE_EXPECT=1`, which writes what else would be asked for.

use std::fs;

use proflens::config;
use serde_json::Value;
use tests::root;

use crate::tree::read;

#[test]
fn the_settings_of_the_extension() {
    let package = read("editors/vscode/package.json");
    let package = replaced(&package, "    \"configuration\": ", "{", "}", &config::vscode_configuration());
    let restricted = config::vscode_restricted();
    let package = replaced(&package, "      \"restrictedConfigurations\": ", "[", "]", &restricted);
    check("editors/vscode/package.json", &package);
}

#[test]
fn the_settings_in_the_documentation() {
    between_marks("docs/settings.md", &config::markdown_table());
}

#[test]
fn the_settings_in_the_help_of_neovim() {
    between_marks("editors/neovim/doc/proflens.txt", &config::vimdoc());
}

/// A JSON text with another value behind a key. The rest stays as it is written.
fn replaced(text: &str, key: &str, open: &str, close: &str, value: &Value) -> String {
    let indent = format!("\n{}", " ".repeat(key.len() - key.trim_start().len()));
    let (before, rest) = text.split_once(&format!("{key}{open}")).expect("the key is there");
    let (_, after) = rest.split_once(&format!("{indent}{close}")).expect("its value ends");
    let value = serde_json::to_string_pretty(value).unwrap().replace('\n', &indent);
    format!("{before}{key}{value}{after}")
}

/// Everything between the two marks of a file is generated.
fn between_marks(path: &str, part: &str) {
    const BEGIN: &str = "<!-- settings begin -->\n";
    const END: &str = "<!-- settings end -->\n";
    let text = read(path);
    let (before, rest) = text.split_once(BEGIN).unwrap_or_else(|| panic!("{path} has no `{}`", BEGIN.trim()));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{path} has no `{}`", END.trim()));
    check(path, &format!("{before}{BEGIN}\n{}\n\n{END}{after}", part.trim_matches('\n')));
}

fn check(path: &str, expected: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(path), expected).unwrap();
    }
    assert!(read(path) == expected, "{path} is out of date: run `cargo xtask generate`");
}
