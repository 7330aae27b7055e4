//! Suggests what a user may mean by a resource for which no file was found for sure: the files with its name, each with
//! the path mapping that would select it.

use super::mapping::PathMapping;
use super::percent::decoded;
use crate::files::{FilePath, Files};

/// A file with the name of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namesake {
    /// The file.
    pub file: FilePath,
    /// The folder of the resource, and the folder of the workspace that it would have to be.
    pub mapping: PathMapping,
    /// How many parts of the paths agree, including the name.
    pub parts: usize,
}

/// The workspace files with a resource's name; those with the longest common end come first.
pub fn namesakes(resource: &str, files: &dyn Files) -> Vec<Namesake> {
    let end = resource.find(['?', '#']).unwrap_or(resource.len());
    let root = resource.find("://").map_or(0, |at| at + "://".len());
    let path = &resource[root.min(end)..end];
    let list = files.list();
    let found = list.iter().filter_map(|file| {
        let (mut parts, mut from, mut to) = (0, path, file.as_str());
        while let (Some(own), Some((folder, part))) = (from.rfind(['/', '\\']), to.rsplit_once('/')) {
            let written = &from[own + 1..];
            if written != part && decoded(written).is_none_or(|it| it != part) {
                break;
            }
            (parts, from, to) = (parts + 1, &from[..own], folder);
        }
        let from = format!("{}{}/", &resource[..root.min(end)], from);
        let mapping = PathMapping { from, to: format!("{to}/") };
        (parts > 0).then(|| Namesake { file: file.clone(), mapping, parts })
    });
    let mut all: Vec<Namesake> = found.collect();
    all.sort_by(|a, b| b.parts.cmp(&a.parts).then_with(|| a.file.cmp(&b.file)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::files::FixtureFiles;

    #[test]
    fn files_of_a_name_with_the_mapping_that_would_find_them() {
        let files = FixtureFiles::new("/ws/\n/ws/a b/main.js\n/ws/main.js\n/ws/src/a b/main.js\n/ws/x.js");
        let rows: [(&str, &[&str]); 6] = [
            (
                "http://localhost/old/a%20b/main.js?v=1",
                &[
                    "2 http://localhost/old/=/ws/",
                    "2 http://localhost/old/=/ws/src/",
                    "1 http://localhost/old/a%20b/=/ws/",
                ],
            ),
            ("file:///main.js", &["1 file:///=/ws/a b/", "1 file:///=/ws/", "1 file:///=/ws/src/a b/"]),
            ("C:\\dev\\x.js", &["1 C:\\dev/=/ws/"]),
            ("x.js", &[]),
            ("http://x.js", &[]),
            ("data:text/javascript,x?/x.js", &[]),
        ];
        for (resource, expected) in rows {
            let shown = namesakes(resource, &files);
            let shown: Vec<_> = shown
                .iter()
                .map(|it| format!("{} {}={}", it.parts, it.mapping.from, it.mapping.to))
                .collect();
            assert_eq!(shown, expected, "{resource}");
        }
    }
}
