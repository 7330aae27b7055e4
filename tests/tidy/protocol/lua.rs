//! The protocol and the commands for the Neovim plugin: `editors/neovim/lua/proflens/protocol.lua`.

use proflens::commands::{Command, DoneBy, NeovimSubcommand, ONLY_IN_NEOVIM};
use proflens::config::docs::wrapped;

use super::{Field, Kind, Presence, Protocol, Shape, Type, Variant};

const WIDTH: usize = 120;

/// The whole file.
pub(crate) fn file(protocol: &Protocol) -> String {
    let mut file = String::from(
        "-- Our own requests, what commands take and answer, and which commands there are. Written by `cargo xtask generate` from\n\
         -- `proto/ext.rs` and `commands.rs` of the server: change those.\n--\n",
    );
    file += &wrapped(&protocol.doc, WIDTH - 3).map(|line| format!("-- {line}\n")).collect::<String>();
    file += "local M = {}\n";
    for it in &protocol.constants {
        file += &format!("\n{}M.{} = '{}'\n", comment(&it.doc), it.name, it.value);
    }
    for it in &protocol.types {
        file += &format!("\n{}{}", comment(&it.doc), declared(it));
    }
    file + "\n" + &commands() + "\nreturn M\n"
}

fn commands() -> String {
    let mut text = String::from(
        "---@class proflens.Command
---@field id? string The server's command, without `proflens.`; none where the plugin needs no server
---@field argument? string What may follow
---@field here boolean Whether the plugin does it, or shows what the server answers

---@type table<string, proflens.Command> Sub-command of `:Proflens` -> what it is
M.commands = {
",
    );
    let of_all = Command::ALL.iter().map(|it| it.info());
    let of_all = of_all.map(|it| (Some(it.id), it.done_by != DoneBy::Server, it.neovim));
    for (id, here, NeovimSubcommand { name, argument, .. }) in
        of_all.chain(ONLY_IN_NEOVIM.map(|it| (None, false, it)))
    {
        let key = if name.contains('-') { format!("['{name}']") } else { name.to_owned() };
        let id = id.map(|it| format!("id = '{it}', ")).unwrap_or_default();
        let argument = argument.trim_matches(['[', ']']);
        let argument = if argument.is_empty() { String::new() } else { format!("argument = '{argument}', ") };
        text += &format!("  {key} = {{ {id}{argument}here = {here} }},\n");
    }
    text + "}\n"
}

fn declared(it: &Type) -> String {
    let name = &it.name;
    match &it.shape {
        Shape::Fields(fields) => {
            let field = |it: &Field| {
                let doc = it.doc.trim_end_matches('.');
                format!("---@field {}", member(it, " ")) + if doc.is_empty() { "" } else { " " } + doc + "\n"
            };
            format!("---@class proflens.{name}\n{}", fields.iter().map(field).collect::<String>())
        }
        Shape::Words(words) => {
            let words: Vec<_> = words.iter().map(|it| format!("'{it}'")).collect();
            format!("---@alias proflens.{name} {}\n", words.join("|"))
        }
        Shape::OneOf(variants) => {
            let variants = variants.iter().map(|it| match it {
                Variant::Kind(kind) => type_of(kind),
                Variant::Fields(fields) => {
                    let fields: Vec<_> = fields.iter().map(|it| member(it, ": ")).collect();
                    format!("{{ {} }}", fields.join(", "))
                }
            });
            format!("---@alias proflens.{name} {}\n", variants.collect::<Vec<_>>().join("|"))
        }
    }
}

/// `null` and a missing value are the same here.
fn member(it: &Field, between: &str) -> String {
    let optional = if it.presence == Presence::Always { "" } else { "?" };
    format!("{}{optional}{between}{}", it.name, type_of(&it.kind))
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".into(),
        Kind::Integer => "integer".into(),
        Kind::Number => "number".into(),
        Kind::Bool => "boolean".into(),
        Kind::List(item) => format!("{}[]", type_of(item)),
        Kind::Standard(name) => format!("lsp.{name}"),
        Kind::Own(name) => format!("proflens.{name}"),
    }
}

fn comment(doc: &str) -> String {
    let lines = doc.lines().flat_map(|it| wrapped(it, WIDTH - 3));
    lines.map(|line| format!("---{line}\n")).collect()
}
