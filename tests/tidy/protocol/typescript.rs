//! The protocol and the commands for the VS Code extension: `editors/vscode/src/protocol.ts`.

use std::collections::BTreeSet;

use proflens::commands::{Command, ONLY_IN_VSCODE};
use proflens::config::docs::wrapped;

use super::{Field, Kind, Presence, Protocol, Shape, Type, Variant};

/// Biome breaks longer lines.
const WIDTH: usize = 120;

/// The whole file.
pub(crate) fn file(protocol: &Protocol) -> String {
    let mut file = String::from(
        "// Our own requests, what commands take and answer, and which commands there are. Written by `cargo xtask generate` from\n\
         // `proto/ext.rs` and `commands.rs` of the server: change those.\n//\n",
    );
    file += &wrapped(&protocol.doc, WIDTH - 3).map(|line| format!("// {line}\n")).collect::<String>();
    let kinds = protocol.types.iter().flat_map(Type::kinds);
    let standard: BTreeSet<_> = kinds.filter(|it| it.is_standard()).map(Kind::named).collect();
    let standard: Vec<_> = standard.into_iter().collect();
    file += &format!("\nimport type {{ {} }} from \"vscode-languageclient\";\n", standard.join(", "));
    for it in &protocol.constants {
        file += &format!("\n{}export const {} = \"{}\";\n", comment(&it.doc, ""), it.name, it.value);
    }
    for it in &protocol.types {
        file += &format!("\n{}{}", comment(&it.doc, ""), declared(it));
    }
    let commands = Command::ALL.iter().map(|it| it.info().id).chain(ONLY_IN_VSCODE.iter().map(|it| it.0));
    let commands: Vec<_> = commands.map(|it| format!("\"proflens.{it}\"")).collect();
    file + "\n/** Every command of `package.json`. */\n" + &union("Command", &commands)
}

fn declared(it: &Type) -> String {
    let name = &it.name;
    match &it.shape {
        Shape::Fields(fields) if fields.is_empty() => {
            format!("export type {name} = Record<string, never>;\n")
        }
        Shape::Fields(fields) => {
            let fields = fields.iter().map(|it| format!("{}  {};\n", comment(&it.doc, "  "), member(it)));
            format!("export interface {name} {{\n{}}}\n", fields.collect::<String>())
        }
        Shape::Words(words) => union(name, &words.iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>()),
        Shape::OneOf(variants) => {
            let variants = variants.iter().map(|it| match it {
                Variant::Kind(kind) => type_of(kind),
                Variant::Fields(fields) => {
                    format!("{{ {} }}", fields.iter().map(member).collect::<Vec<_>>().join("; "))
                }
            });
            union(name, &variants.collect::<Vec<_>>())
        }
    }
}

fn union(name: &str, variants: &[String]) -> String {
    let line = format!("export type {name} = {};\n", variants.join(" | "));
    if line.chars().count() <= WIDTH + 1 {
        return line;
    }
    format!(
        "export type {name} =\n{};\n",
        variants.iter().map(|it| format!("  | {it}")).collect::<Vec<_>>().join("\n")
    )
}

fn member(it: &Field) -> String {
    let (optional, null) = match it.presence {
        Presence::Always => ("", ""),
        Presence::Nullable => ("", " | null"),
        Presence::Optional => ("?", ""),
    };
    format!("{}{optional}: {}{null}", it.name, type_of(&it.kind))
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".into(),
        Kind::Integer | Kind::Number => "number".into(),
        Kind::Bool => "boolean".into(),
        Kind::List(item) => format!("{}[]", type_of(item)),
        Kind::Standard(name) | Kind::Own(name) => name.clone(),
    }
}

fn comment(doc: &str, indent: &str) -> String {
    if doc.is_empty() {
        return String::new();
    }
    if !doc.contains('\n') && indent.len() + doc.chars().count() + 7 <= WIDTH {
        return format!("{indent}/** {doc} */\n");
    }
    let lines = doc.lines().flat_map(|it| wrapped(it, WIDTH - indent.len() - 3));
    let lines: String = lines.map(|line| format!("{indent} * {line}\n")).collect();
    format!("{indent}/**\n{lines}{indent} */\n")
}
