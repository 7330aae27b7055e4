//! Our own requests are written twice, in Rust and in TypeScript: both must have the same types and fields.

use std::collections::BTreeMap;

use crate::tree::read;

/// From each type to its fields, an optional one with a `?` behind it.
type Types = BTreeMap<String, Vec<String>>;

#[test]
fn the_extension_mirrors_the_servers_protocol() {
    let server = of_rust(&read("server/proflens/src/proto/ext.rs"));
    let extension = of_typescript(&read("editors/vscode/src/protocol.ts"));
    assert!(!server.is_empty(), "no types were found in ext.rs");
    for (name, fields) in &server {
        assert_eq!(extension.get(name), Some(fields), "`{name}` of protocol.ts against ext.rs");
    }
    for name in extension.keys() {
        assert!(server.contains_key(name), "`{name}` of protocol.ts is not in ext.rs");
    }
}

#[test]
fn how_both_are_read() {
    let rust = "
        /// A.
        #[derive(Serialize)]
        #[serde(rename_all = \"camelCase\")]
        pub struct Costs {
            /// B.
            pub self_ns: u64,
            pub(crate) why: Option<String>,
            #[serde(rename = \"type\")]
            pub kind: String,
        }
        pub enum Method {}";
    let typescript = "
        /** A. */
        export interface Costs {
          /** B: it. */
          selfNs: number;
          why?: string;
          type: string;
        }";
    let expected = ["selfNs", "type", "why?"].map(str::to_owned).to_vec();
    assert_eq!(of_rust(rust), Types::from([("Costs".to_owned(), expected.clone())]));
    assert_eq!(of_typescript(typescript), Types::from([("Costs".to_owned(), expected)]));
}

fn of_rust(text: &str) -> Types {
    types(
        text,
        |line| {
            let name =
                line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub(crate) struct "))?;
            Some(name.strip_suffix(" {")?.to_owned())
        },
        |line, renamed| {
            let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub "))?;
            let (name, kind) = line.split_once(": ")?;
            let optional = if kind.starts_with("Option<") { "?" } else { "" };
            Some(renamed.map_or_else(|| camel_case(name), str::to_owned) + optional)
        },
    )
}

fn of_typescript(text: &str) -> Types {
    types(
        text,
        |line| Some(line.strip_prefix("export interface ")?.strip_suffix(" {")?.to_owned()),
        |line, _| {
            if line.starts_with(['/', '*']) {
                return None;
            }
            let line = line.strip_prefix("readonly ").unwrap_or(line);
            Some(line.split_once(": ")?.0.to_owned())
        },
    )
}

fn types(
    text: &str,
    begins: impl Fn(&str) -> Option<String>,
    field: impl Fn(&str, Option<&str>) -> Option<String>,
) -> Types {
    let mut types = Types::new();
    let (mut open, mut renamed): (Option<String>, Option<&str>) = (None, None);
    for line in text.lines().map(str::trim) {
        if let Some(name) = begins(line) {
            types.insert(name.clone(), Vec::new());
            open = Some(name);
        } else if line == "}" {
            open = None;
        } else if let Some(name) = line.strip_prefix("#[serde(rename = \"") {
            renamed = name.split('"').next();
        } else if let (Some(name), Some(found)) = (&open, field(line, renamed)) {
            types.entry(name.clone()).or_default().push(found);
            renamed = None;
        }
    }
    types.values_mut().for_each(|it| it.sort());
    types
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}
