//! What follows from the server's list of settings is written by it, in three forms. `cargo xtask generate` runs
//! this file with `UPDATE_EXPECT=1`, which writes what else would be asked for.

use std::fs;

use proflens::config;
use tests::root;

use crate::tree::read;

#[test]
fn the_settings_of_the_extension() {
    // Cut out of the text, so that the rest of the file stays as it is written.
    let package = read("editors/vscode/package.json");
    let (before, rest) = package.split_once("    \"configuration\": {").expect("the extension has settings");
    let (_, after) = rest.split_once("\n    }").expect("the settings end");
    let settings = serde_json::to_string_pretty(&config::vscode_configuration()).unwrap();
    let settings = settings.replace('\n', "\n    ");
    check("editors/vscode/package.json", &format!("{before}    \"configuration\": {settings}{after}"));
}

#[test]
fn the_settings_in_the_documentation() {
    between_marks("docs/settings.md", &config::markdown_table());
}

#[test]
fn the_settings_in_the_help_of_neovim() {
    between_marks("editors/neovim/doc/proflens.txt", &config::vimdoc());
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
