//! Which file of a crate uses which: each path in the code leads to the file of the module that it names.
//!
//! ```text
//! a.rs         mod inner; pub use inner::C;      a.rs -> a/inner.rs
//! b.rs         use crate::a::C;                  b.rs -> a.rs, which passes the name on
//! a/inner.rs   use super::{helper, other::C};    a/inner.rs -> a.rs, a/inner.rs -> a/other.rs
//! ```
//!
//! Tests are left out: they may use whatever they like.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Text;

/// The files of one crate by the path of their module (`["decode", "json"]`; empty for the root), without tests.
pub(crate) struct Crate<'a> {
    modules: BTreeMap<Vec<&'a str>, Module<'a>>,
}

struct Module<'a> {
    file: &'a str,
    /// Every path of the code, relative to the module, those of `use` in full.
    paths: Vec<Vec<String>>,
}

impl<'a> Crate<'a> {
    /// The crate whose `lib.rs` or `main.rs` lies in a folder (which ends in `/`).
    pub(crate) fn read(folder: &str, files: &'a [Text]) -> Self {
        let is_root = |it: &&str| matches!(it[folder.len()..].trim_start_matches('/'), "lib.rs" | "main.rs");
        let mut modules = BTreeMap::new();
        let inside = files.iter().filter(|it| it.path.starts_with(folder) && !is_test(&it.path));
        for file in inside {
            let path =
                if is_root(&&*file.path) { Vec::new() } else { module_path(&file.path[folder.len()..]) };
            let module = Module { file: &file.path, paths: paths_of(&code_of(&file.text)) };
            // A program's `main.rs` stands beside its `lib.rs` and uses that from outside.
            if !(path.is_empty() && file.path.ends_with("main.rs") && modules.contains_key(&path)) {
                modules.insert(path, module);
            }
        }
        Self { modules }
    }

    /// From each file to the files that it uses.
    pub(crate) fn uses(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (at, module) in &self.modules {
            let used = module.paths.iter().filter_map(|path| self.named(at, path));
            let others: BTreeSet<&str> = used.filter(|it| *it != module.file).collect();
            uses.insert(module.file, others);
        }
        uses
    }

    /// The file of the module that a path names in another module; `None` for paths into other crates.
    fn named(&self, module: &[&str], path: &[String]) -> Option<&'a str> {
        let mut at: Vec<&str> = module.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while let Some(("super", below)) = rest.split_first().map(|it| (it.0.as_str(), it.1)) {
                    at.pop();
                    rest = below;
                }
            }
            child if self.modules.contains_key(&[&at[..], &[child]].concat()[..]) => {}
            _ => return None,
        }
        while let Some((name, below)) = rest.split_first() {
            let child = self.modules.get_key_value(&[&at[..], &[name]].concat()[..]);
            let Some((child, _)) = child else { break };
            at.clone_from(child);
            rest = below;
        }
        self.modules.get(&at).map(|module| module.file)
    }
}

/// From each file of the editors' code to those that it loads: `from "./client"` in TypeScript, and
/// `require('proflens.client')` in Lua, also inside of functions.
pub(crate) fn scripts(files: &[Text]) -> BTreeMap<&str, BTreeSet<&str>> {
    let folders = [
        ("editors/flame/src/", ".ts", "from \"./"),
        ("editors/vscode/src/", ".ts", "from \"./"),
        ("editors/neovim/lua/proflens/", ".lua", "require('proflens."),
    ];
    let mut uses = BTreeMap::new();
    for (folder, ending, import) in folders {
        let inside: Vec<&Text> = files.iter().filter(|it| it.path.starts_with(folder)).collect();
        let named = |name: &str| {
            inside.iter().map(|it| &*it.path).find(|it| *it == format!("{folder}{name}{ending}"))
        };
        for file in &inside {
            let names = file.text.split(import).skip(1).filter_map(|it| it.split(['"', '\'']).next());
            uses.insert(&*file.path, names.filter_map(named).collect());
        }
        let loads = |it: &&Text| uses.get(&*it.path).is_some_and(|it: &BTreeSet<&str>| !it.is_empty());
        assert!(
            inside.iter().any(loads),
            "{folder} is where it was, and its files load each other as before"
        );
    }
    uses
}

/// The groups of files that use each other, whatever the way, each sorted.
pub(crate) fn circles<'a>(uses: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<Vec<&'a str>> {
    let reached = |from: &'a str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            let others = uses.get(next).into_iter().flatten();
            open.extend(others.filter(|it| seen.insert(**it)));
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<&str>> = uses.keys().map(|it| (*it, reached(it))).collect();
    let circle = |(file, reached): (&&'a str, &BTreeSet<&'a str>)| {
        let others = reached.iter().copied().filter(|it| all.get(it).is_some_and(|back| back.contains(file)));
        others.collect::<Vec<_>>()
    };
    let circles: BTreeSet<Vec<&str>> = all.iter().map(circle).filter(|it| !it.is_empty()).collect();
    circles.into_iter().collect()
}

/// Whether a file holds nothing but tests, by its place.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
        || path.contains("/src/") && (path.contains("/tests/") || path.contains("/fixtures/"))
}

/// `decode/json.rs` is `["decode", "json"]`, and so is `decode/json/mod.rs`.
fn module_path(path: &str) -> Vec<&str> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|it| !it.is_empty()).collect()
}

/// The code without its comments, texts in quotes and tests.
fn code_of(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let line = |line: &str| {
        let parts = line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
        parts.split("//").next().unwrap().to_owned() + "\n"
    };
    text.lines().map(line).collect()
}

/// What `use` declares, in full, and every other path with at least two parts.
fn paths_of(code: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = declarations(code).flat_map(expanded).collect();
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let words = code.split(|it: char| !is_part(it)).filter(|it| it.contains("::") && !it.ends_with("::"));
    paths.extend(words.map(|it| it.split("::").map(str::to_owned).collect()));
    paths
}

/// Of each `use` of a text what stands between `use` and `;`.
fn declarations(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("use ").filter_map(|(at, _)| {
        let before = code[..at].rsplit('\n').next()?.trim();
        let is_declaration = before.is_empty() || before.starts_with("pub");
        is_declaration.then(|| code[at + 4..].split(';').next().unwrap_or_default())
    })
}

/// `a::{b, c::D as E}` is `a::b` and `a::c::D`.
fn expanded(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|part| part.trim().to_owned()).collect()];
    };
    let list = list.trim().strip_suffix('}').unwrap_or(list);
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, char) in list.char_indices().chain([(list.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth <= 0 => {
                let item = list[start..at].trim();
                if !item.is_empty() {
                    all.extend(expanded(&format!("{}{item}", prefix.trim())));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

#[test]
fn how_imports_are_read() {
    let file = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let files = [
        file("x/lib.rs", "//! See `crate::b::B`.\npub mod a;\nmod b;\n"),
        file("x/a.rs", "mod inner;\nmod other;\npub use inner::C as D;\nfn helper() {}\n"),
        file("x/a/inner.rs", "use super::{helper, other::{self, O}};\nuse std::fmt;\n"),
        file(
            "x/a/other.rs",
            "fn f() -> super::D { \"crate::b::B\" }\n\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n",
        ),
        file("x/b.rs", "use crate::a::D;\nfn f(it: super::a::inner::C) {} // crate::c::E\n"),
        file("x/c.rs", "use crate::Root;\n"),
        file("x/a/tests.rs", "use crate::b::B;\n"),
    ];
    let uses = Crate::read("x/", &files).uses();
    let drawn: Vec<String> = uses
        .iter()
        .map(|(file, all)| format!("{file} -> {}", Vec::from_iter(all.iter().copied()).join(", ")))
        .collect();
    let expected = [
        "x/a.rs -> x/a/inner.rs",
        "x/a/inner.rs -> x/a.rs, x/a/other.rs",
        "x/a/other.rs -> x/a.rs",
        "x/b.rs -> x/a.rs, x/a/inner.rs",
        "x/c.rs -> x/lib.rs",
        "x/lib.rs -> ",
    ];
    assert_eq!(drawn, expected);
    assert_eq!(circles(&uses), [["x/a.rs", "x/a/inner.rs", "x/a/other.rs"]]);
}
