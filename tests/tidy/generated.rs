//! Checks the files that are generated from the server's settings, commands and own requests. `cargo xtask generate`
//! runs these tests with `UPDATE_EXPECT=1`, which writes the files instead.

use std::fs;

use proflens::commands::{Command, NeovimSubcommand, ONLY_IN_NEOVIM, ONLY_IN_VSCODE};
use proflens::config::docs::{self, wrapped};
use serde_json::{Value, json};
use tests::root;

use crate::protocol::{lua, protocol, typescript};
use crate::tree::read;

#[test]
fn the_settings_and_commands_of_the_extension() {
    let of_all = Command::ALL.iter().map(|it| it.info()).map(|it| (it.id, it.palette));
    let (mut commands, mut palette) = (Vec::new(), Vec::new());
    for (id, info) in of_all.chain(ONLY_IN_VSCODE) {
        let mut command =
            json!({ "command": format!("proflens.{id}"), "category": "Proflens", "title": info.title });
        if let Some(icon) = info.icon {
            command["icon"] = icon.into();
        }
        commands.push(command);
        palette.extend(info.when.map(|when| json!({ "command": format!("proflens.{id}"), "when": when })));
    }
    let mut package = read("editors/vscode/package.json");
    for (key, value) in [
        ("      \"restrictedConfigurations\": ", docs::vscode_restricted()),
        ("    \"commands\": ", commands.into()),
        ("      \"commandPalette\": ", palette.into()),
        ("    \"configuration\": ", docs::vscode_configuration()),
    ] {
        package = replaced(&package, key, &value);
    }
    check("editors/vscode/package.json", &package);
}

#[test]
fn the_settings_in_the_documentation() {
    between_marks("docs/settings.md", "settings", &docs::markdown_table());
}

#[test]
fn the_commands_in_the_documentation() {
    let mut table = String::from(
        "| command | takes | what it does | VS Code | Neovim |\n| --- | --- | --- | --- | --- |\n",
    );
    for command in Command::ALL.iter().map(|it| it.info()) {
        let takes =
            if command.arguments.is_empty() { String::new() } else { format!("`{}`", command.arguments) };
        let neovim = format!(":Proflens {} {}", command.neovim.name, command.neovim.argument);
        let (id, doc, title) = (command.id, command.doc, command.palette.title);
        table += &format!("| `proflens.{id}` | {takes} | {doc} | {title} | `{}` |\n", neovim.trim());
    }
    between_marks("docs/editors.md", "commands", &table);
}

#[test]
fn the_settings_and_commands_in_the_help_of_neovim() {
    let help = "editors/neovim/doc/proflens.txt";
    let commands = Command::ALL.iter().map(|it| it.info().neovim).chain(ONLY_IN_NEOVIM);
    let text = between_marks_of(
        &read(help),
        help,
        "commands",
        &commands.map(help_of).collect::<Vec<_>>().join("\n"),
    );
    let text = between_marks_of(&text, help, "settings", &docs::vimdoc());
    check(help, &text);
    check("editors/neovim/doc/tags", &tags_of("proflens.txt", &text));
}

/// What `:helptags` makes of a help file. `:help proflens` needs it, and without a plugin manager nobody would create it.
fn tags_of(file: &str, text: &str) -> String {
    let is_tag = |word: &&str| word.len() > 2 && word.starts_with('*') && word.ends_with('*');
    let mut tags: Vec<&str> =
        text.split_whitespace().filter(is_tag).map(|word| &word[1..word.len() - 1]).collect();
    tags.sort_unstable();
    tags.iter().map(|tag| format!("{tag}\t{file}\t/*{tag}*\n")).collect()
}

/// A sub-command with its tag above it, at most 78 columns wide.
fn help_of(it: NeovimSubcommand) -> String {
    const TEXT_AT: usize = 24;
    let head = format!(":Proflens {} {}", it.name, it.argument);
    let head = head.trim_end();
    let mut help = format!("{:>78}\n", format!("*:Proflens-{}*", it.name));
    let mut text = wrapped(it.help, 78 - TEXT_AT);
    if head.len() < TEXT_AT {
        help += &format!("{head:TEXT_AT$}{}\n", text.next().unwrap());
    } else {
        help += &format!("{head}\n");
    }
    help + &text.map(|line| format!("{:TEXT_AT$}{line}\n", "")).collect::<String>()
}

#[test]
fn the_protocol_of_the_extension() {
    check("editors/vscode/src/protocol.ts", &typescript::file(&protocol()));
}

#[test]
fn the_protocol_of_the_plugin_of_neovim() {
    check("editors/neovim/lua/proflens/protocol.lua", &lua::file(&protocol()));
}

/// A JSON text with another list or object after a key. The rest stays as it is written.
fn replaced(text: &str, key: &str, value: &Value) -> String {
    let (open, close) = if value.is_array() { ("[", "]") } else { ("{", "}") };
    let indent = format!("\n{}", " ".repeat(key.len() - key.trim_start().len()));
    let (before, rest) = text.split_once(&format!("{key}{open}")).expect("the key is there");
    let (_, after) = rest.split_once(&format!("{indent}{close}")).expect("its value ends");
    let value = serde_json::to_string_pretty(value).unwrap().replace('\n', &indent);
    format!("{before}{key}{value}{after}")
}

/// Everything between the two marks of a file is generated.
pub(crate) fn between_marks(path: &str, name: &str, part: &str) {
    check(path, &between_marks_of(&read(path), path, name, part));
}

pub(crate) fn between_marks_of(text: &str, path: &str, name: &str, part: &str) -> String {
    let [begin, end] = ["begin", "end"].map(|it| format!("<!-- {name} {it} -->\n"));
    let (before, rest) =
        text.split_once(&begin).unwrap_or_else(|| panic!("{path} has no `{}`", begin.trim()));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{path} has no `{}`", end.trim()));
    format!("{before}{begin}\n{}\n\n{end}{after}", part.trim_matches('\n'))
}

pub(crate) fn check(path: &str, expected: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(path), expected).unwrap();
    }
    assert!(read(path) == expected, "{path} is out of date: run `cargo xtask generate`");
}
