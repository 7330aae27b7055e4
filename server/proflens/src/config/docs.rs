//! The settings in documentation: VS Code's schema, the table in Markdown, Vim's help.

use serde_json::{Map, Value, json};

use super::setting::Effect;
use super::{all, of_the_server};

/// The `configuration` part of VS Code's `package.json`.
pub fn vscode_configuration() -> Value {
    let mut properties = Map::new();
    for (order, setting) in all().into_iter().enumerate() {
        let mut property = setting.schema;
        property["markdownDescription"] = setting.doc.into();
        property["default"] = setting.default;
        property["order"] = order.into();
        property["scope"] = match setting.effect {
            _ if setting.key == "trace.server" => "window".into(),
            Effect::Runs => "machine-overridable".into(),
            Effect::Shows | Effect::Finds | Effect::Places => "resource".into(),
        };
        properties.insert(format!("proflens.{}", setting.key), property);
    }
    json!({ "title": "Proflens", "properties": properties })
}

/// The settings that VS Code must not take over from a workspace that nobody has trusted yet: the list
/// `restrictedConfigurations` of its `package.json`.
pub fn vscode_restricted() -> Value {
    let restricted = all().into_iter().filter(|setting| setting.effect != Effect::Shows);
    restricted.map(|setting| format!("proflens.{}", setting.key)).collect()
}

/// A Markdown table of all settings, for `docs/settings.md`.
pub fn markdown_table() -> String {
    let mut table = String::from("| setting | default | what it does |\n| --- | --- | --- |\n");
    for setting in all() {
        let (key, doc) = (setting.key, setting.full_doc().replace('|', "\\|"));
        let mark = if setting.effect == Effect::Shows { "" } else { " †" };
        table += &format!("| `proflens.{key}`{mark} | `{}` | {doc} |\n", setting.default_text());
    }
    table
}

/// The settings as written in Vim's help, at most 78 columns wide.
pub fn vimdoc() -> String {
    let mut help = String::new();
    for setting in of_the_server() {
        let tag = format!("*proflens-{}*", setting.key);
        help += &format!("{:<40}{tag:>38}\n", format!("`{}`", setting.key));
        let text = format!("{} Default: `{}`", setting.full_doc(), setting.default_text());
        help += &wrapped(&text, 74).map(|line| format!("    {line}\n")).collect::<String>();
        help.push('\n');
    }
    help
}

/// The lines of a text, broken between words, for documentation.
pub fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_string());
        } else {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines.into_iter()
}
