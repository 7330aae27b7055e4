//! What packages cost that are not the workspace's own: the first thing to see where a tool was recorded, of which nothing lies in
//! the workspace.

use std::collections::BTreeMap;

use profile::Amount;

use crate::Recording;

/// What the unplaced functions of a package cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageCost {
    /// `react`, `@babel/core`.
    pub name: String,
    /// Its folder, as the trace has it: a url or a path, with `/`.
    pub folder: String,
    /// The self time of its functions, which add up.
    pub self_time: Amount,
    /// The samples in which one of them was at the top of the stack.
    pub self_samples: u64,
    /// How many of them ran.
    pub functions: usize,
}

/// The packages below `node_modules` whose functions were not placed, the hottest first; those of equal cost by their folders.
pub fn packages(recording: &Recording) -> Vec<PackageCost> {
    let mut all: BTreeMap<String, PackageCost> = BTreeMap::new();
    for (function, cost) in &recording.summary.unplaced {
        let Some((folder, name)) = function.resource.as_deref().and_then(package) else { continue };
        let of = all.entry(folder.clone()).or_insert_with(|| PackageCost {
            name,
            folder,
            self_time: Amount(0),
            self_samples: 0,
            functions: 0,
        });
        of.self_time += cost.self_time;
        of.self_samples += cost.self_samples;
        of.functions += 1;
    }
    let mut all: Vec<PackageCost> = all.into_values().filter(|it| it.self_time > Amount(0)).collect();
    all.sort_by(|a, b| b.self_time.cmp(&a.self_time).then_with(|| a.folder.cmp(&b.folder)));
    all
}

/// The folder and the name of the package that a resource is of: that of the last `node_modules` in its path.
fn package(resource: &str) -> Option<(String, String)> {
    const FOLDER: &str = "/node_modules/";
    let path = resource[..resource.find(['?', '#']).unwrap_or(resource.len())].replace('\\', "/");
    let start = path.rfind(FOLDER)? + FOLDER.len();
    let parts = if path[start..].starts_with('@') { 2 } else { 1 };
    let (length, _) = path[start..].match_indices('/').nth(parts - 1)?;
    let name = path[start..start + length].to_owned();
    Some((path[..start + length].to_owned(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_a_resource() {
        let rows = [
            (
                "file:///a/node_modules/typescript/lib/_tsc.js",
                Some(("file:///a/node_modules/typescript", "typescript")),
            ),
            ("/a/node_modules/@babel/core/lib/x.js", Some(("/a/node_modules/@babel/core", "@babel/core"))),
            (
                "/a/node_modules/.pnpm/ms@2.1.3/node_modules/ms/index.js",
                Some(("/a/node_modules/.pnpm/ms@2.1.3/node_modules/ms", "ms")),
            ),
            ("C:\\a\\node_modules\\ms\\index.js", Some(("C:/a/node_modules/ms", "ms"))),
            (
                "http://localhost/node_modules/ms/index.js?v=1/2",
                Some(("http://localhost/node_modules/ms", "ms")),
            ),
            ("/a/node_modules/one-file.js", None),
            ("/a/src/x.js", None),
            ("node:fs", None),
        ];
        for (resource, expected) in rows {
            let found = package(resource);
            assert_eq!(found.as_ref().map(|it| (&*it.0, &*it.1)), expected, "{resource}");
        }
    }
}
