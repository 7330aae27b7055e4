//! The text files of the repository, for the rules.

use std::fs;
use std::path::Path;

use tests::root;

/// A file of the repository.
pub(crate) struct Text {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Folders with built, installed or generated files, which are not part of the project.
const NOT_OURS: [&str; 9] =
    ["target", "node_modules", "dist", "out", ".git", ".editors", ".vscode-test", "bin", "Cargo.lock"];

/// All texts whose path ends with one of the endings, sorted by path.
pub(crate) fn texts(endings: &[&str]) -> Vec<Text> {
    let mut texts = Vec::new();
    collect(root(), &|path| endings.iter().any(|it| path.ends_with(it)), &mut texts);
    texts.sort_by(|a, b| a.path.cmp(&b.path));
    texts
}

/// All Rust files.
pub(crate) fn rust() -> Vec<Text> {
    texts(&[".rs"])
}

/// One file of the repository.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn collect(folder: &Path, wanted: &dyn Fn(&str) -> bool, texts: &mut Vec<Text>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if NOT_OURS.contains(&name) {
            continue;
        }
        if path.is_dir() {
            collect(&path, wanted, texts);
        } else if wanted(name) {
            let inside = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            texts.push(Text { path: inside, text: fs::read_to_string(&path).unwrap() });
        }
    }
}
