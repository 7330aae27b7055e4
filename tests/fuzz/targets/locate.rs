//! Resources of a trace against a drawn workspace, with any mappings, overrides and debug configurations: only files of
//! the workspace are found, whatever else is in the trace and in whatever order, and paths have one form.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::files::{FilePath, Files};
use analysis::locate::{Launch, LocateSettings, Located, PathMapping, locate};

/// What is found there.
const WORKSPACE: [&str; 20] = [
    "/ws/package.json",
    "/ws/src/index.ts",
    "/ws/src/app/index.ts",
    "/ws/src/app/[slug]/page.tsx",
    "/ws/src/b c.js",
    "/ws/src/\u{e9}.js",
    "/ws/src/100%.js",
    "/ws/dist/app.js",
    "/ws/dist/app.js.map",
    "/ws/packages/one/src/index.ts",
    "/ws/packages/one/lib/work.js",
    "/ws/packages/two/src/index.ts",
    "/ws/packages/two/lib/work.js",
    "/ws/node_modules/left/index.js",
    "/ws/node_modules/@scope/right/lib/work.js",
    "/ws/public/static/main.js",
    "C:/code/src/index.ts",
    "C:/code/src/Main.js",
    "//server/share/src/index.ts",
    "//server/share/a.js",
];

struct Drawn {
    folders: Vec<FilePath>,
    files: Vec<FilePath>,
}

impl Files for Drawn {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.files.clone().into()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        Some(self.resolve(file)?.as_str().as_bytes().into())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.files.binary_search(file).is_ok().then(|| file.clone())
    }
}

/// One resource a line. Lines `map A B`, `serve A B` and `override A B` are settings, and the text as a whole may be a
/// `launch.json`.
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files: Vec<FilePath> = WORKSPACE.iter().map(|it| FilePath::new(it)).collect();
    files.sort();
    let folders = ["/ws", "C:/code", "//server/share"].map(FilePath::new).to_vec();
    let files = Drawn { folders, files };
    let mut settings = LocateSettings { dependencies: bytes.len() % 2 == 1, ..LocateSettings::default() };
    let mut urls: Vec<&str> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        match words[..] {
            ["map", from, to] => settings.mappings.extend([mapping(from, to)]),
            ["serve", from, to] => settings.served.extend([mapping(from, to)]),
            ["override", from, to] => settings.overrides.push(vec![(from.to_owned(), to.to_owned())]),
            _ => urls.push(line),
        }
        paths(line);
    }
    launch(&text, &mut settings);
    let settings = settings;

    let located = locate(&urls, &files, &settings);
    assert_eq!(located.len(), urls.len(), "each resource has its answer");
    let mut answers: BTreeMap<&str, &Located> = BTreeMap::new();
    for (url, located) in urls.iter().zip(&located) {
        if let Located::File { file, .. } = located {
            assert!(files.resolve(file).is_some(), "{url} is {file}, which is no file of the workspace");
        }
        assert_eq!(*answers.entry(url).or_insert(located), located, "{url} is one thing");
    }
    urls.reverse();
    let backwards = locate(&urls, &files, &settings);
    for (url, located) in urls.iter().zip(&backwards) {
        assert_eq!(answers[url], located, "{url} in another order");
    }
}

fn mapping(from: &str, to: &str) -> PathMapping {
    PathMapping { from: from.to_owned(), to: to.to_owned() }
}

/// What holds for any path.
fn paths(text: &str) {
    let path = FilePath::new(text);
    assert_eq!(FilePath::new(path.as_str()), path, "a path has one form");
    let parts = || path.as_str().trim_start_matches('/').split('/');
    assert!(path.as_str() == "/" || parts().all(|it| !matches!(it, "." | "..")), "{path} has no dots");
    let folder = FilePath::new("/ws/a");
    let joined = folder.join(text);
    assert!(
        joined == folder || joined.relative_to(&folder).is_some(),
        "{joined} lies below what it was joined to"
    );
}

fn launch(text: &str, settings: &mut LocateSettings) {
    let folder = FilePath::new("/ws");
    match Launch::read(text, &folder) {
        Ok(launch) => {
            for mapping in launch.mappings.iter().chain(&launch.served) {
                assert_eq!(
                    FilePath::new(&mapping.to).as_str(),
                    mapping.to,
                    "a folder of a configuration is a path"
                );
            }
            launch.add_to(settings);
        }
        Err(problem) => assert!(problem.what.starts_with("launch.json is not valid: ")),
    }
}
