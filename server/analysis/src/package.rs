//! Finds the package of a file below `node_modules` by its path, so that it has the same name in every table, list and graph.

use std::borrow::Cow;

const FOLDER: &str = "node_modules/";

/// A package as named by the path of one of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package<'a> {
    /// `react`, `@babel/core`; for code that Vite has bundled, the import: `react-dom/client`.
    pub name: Cow<'a, str>,
    /// Its version, if the package manager puts it into the path.
    pub version: Option<&'a str>,
    /// Its folder, as it is in the path.
    pub folder: &'a str,
}

impl<'a> Package<'a> {
    /// The package of a file, by its path or url; `None` if it belongs to none.
    pub fn of(path: &'a str) -> Option<Self> {
        let path = without_query(path);
        let (holder, inside) = split(path)?;
        let start = path.len() - inside.len();
        if let Some(bundled) = bundled_file(inside) {
            let folder = &path[..path.len() - bundled.len() - 1];
            return Some(Self { name: bundled_name(bundled), version: None, folder });
        }
        let parts = if inside.starts_with('@') { 2 } else { 1 };
        // A file that lies there by itself counts as a package of its own.
        let end = inside.match_indices(is_slash).nth(parts - 1).map_or(inside.len(), |it| it.0);
        if end == 0 || is_of_tool(path) {
            return None;
        }
        let name = slashed(&inside[..end]);
        let version = version(holder, &name);
        Some(Self { name, version, folder: &path[..start + end] })
    }
}

/// Whether a file lies in a folder in which a tool keeps what it made: `node_modules/.vite-temp/`, `node_modules/.nitro/`. That is no package,
/// and its code may be anybody's, except for the imports that Vite bundled.
pub(crate) fn is_of_tool(path: &str) -> bool {
    let inside = split(without_query(path)).map(|(_, inside)| inside);
    inside.is_some_and(|it| it.starts_with('.') && bundled_file(it).is_none())
}

/// What is before the last `node_modules` of a path, and what is after it.
fn split(path: &str) -> Option<(&str, &str)> {
    let start = find_last(path, FOLDER)?;
    let (holder, inside) = (&path[..start], &path[start + FOLDER.len()..]);
    let is_one = holder.is_empty() || holder.ends_with(is_slash); // not `my_node_modules/`
    is_one.then_some((holder, inside))
}

fn without_query(path: &str) -> &str {
    &path[..path.find(['?', '#']).unwrap_or(path.len())]
}

/// The name of a file in which Vite has bundled an import, by its path below `node_modules`: Vite itself keeps those, and so do Vitest and
/// Storybook, at some depth.
fn bundled_file(inside: &str) -> Option<&str> {
    let mut folders = inside.split(is_slash);
    let keeper = folders.next()?;
    let file = folders.next_back()?;
    let is_bundle =
        matches!(keeper, ".vite" | ".cache") && matches!(folders.next_back()?, "deps" | "deps_ssr");
    is_bundle.then_some(file)
}

/// Turns Vite's name for the bundle of an import, `react-dom_client.js` (`flattenId` of Vite), back into the import.
/// Chunks that several bundles share keep the name of their file.
fn bundled_name(file: &str) -> Cow<'_, str> {
    let name = file.strip_suffix(".js").unwrap_or(file);
    if name.starts_with("chunk-") {
        return file.into();
    }
    if !name.contains('_') {
        return name.into();
    }
    name.replace("____", "#").replace("___", " > ").replace("__", ".").replace('_', "/").into()
}

/// pnpm: `.pnpm/@babel+core@7.29.7_peers/node_modules/@babel/core`; Yarn: `cache/ms-npm-2.1.3-81ff3cfac1-aa92de6080.zip/`.
fn version<'a>(holder: &'a str, name: &str) -> Option<&'a str> {
    let holder = holder.trim_end_matches(is_slash).rsplit(is_slash).next()?;
    let of_pnpm = holder.strip_prefix(&*name.replace('/', "+")).and_then(|it| it.strip_prefix('@'));
    let of_yarn = holder.strip_prefix(&*name.replace('/', "-")).and_then(|it| it.strip_prefix("-npm-"));
    let version = match (of_pnpm, of_yarn) {
        (Some(rest), _) => rest.split(['_', '(']).next(),
        (_, Some(rest)) => rest.split('-').next(),
        _ => None,
    };
    version.filter(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

fn is_slash(it: char) -> bool {
    matches!(it, '/' | '\\')
}

fn slashed(path: &str) -> Cow<'_, str> {
    if path.contains('\\') { path.replace('\\', "/").into() } else { path.into() }
}

/// The last position of a part in a path, with either kind of slash.
fn find_last(path: &str, part: &str) -> Option<usize> {
    slashed(path).rfind(part) // same length as the path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_keep_below_packages_is_of_no_package() {
        let rows = [
            ("/a/node_modules/.vite-temp/vite.config.ts.timestamp-1.mjs", true),
            ("C:\\a\\node_modules\\.nitro\\dev\\index.mjs?1", true),
            ("/a/node_modules/.vite/deps/react.js", false),
            ("/a/node_modules/.pnpm/ms@2.1.3/node_modules/ms/index.js", false),
            ("/a/node_modules/.store/ms-npm-2/package/node_modules/ms/index.js", false),
            ("/a/.nitro/dev/index.mjs", false),
        ];
        assert_eq!(rows.map(|(path, _)| (path, is_of_tool(path))), rows);
    }

    #[test]
    fn the_package_of_a_file() {
        let rows = [
            (
                "file:///a/node_modules/typescript/lib/_tsc.js",
                "typescript in file:///a/node_modules/typescript",
            ),
            ("/a/node_modules/@babel/core/lib/x.js", "@babel/core in /a/node_modules/@babel/core"),
            ("node_modules/ms/index.js", "ms in node_modules/ms"),
            ("/a/node_modules/b/node_modules/c/x.js", "c in /a/node_modules/b/node_modules/c"),
            ("C:\\a\\node_modules\\@b\\c\\index.js", "@b/c in C:\\a\\node_modules\\@b\\c"),
            ("http://localhost/node_modules/ms/x.js?v=1/2", "ms in http://localhost/node_modules/ms"),
            (
                "/a/node_modules/.pnpm/typescript@5.5.4/node_modules/typescript/lib/tsc.js",
                "typescript@5.5.4 in /a/node_modules/.pnpm/typescript@5.5.4/node_modules/typescript",
            ),
            (
                "/a/node_modules/.pnpm/@babel+core@7.29.7_x@1/node_modules/@babel/core/lib/a.js",
                "@babel/core@7.29.7 in /a/node_modules/.pnpm/@babel+core@7.29.7_x@1/node_modules/@babel/core",
            ),
            (
                "/a/.yarn/cache/ms-npm-2.1.3-81ff-aa.zip/node_modules/ms/index.js",
                "ms@2.1.3 in /a/.yarn/cache/ms-npm-2.1.3-81ff-aa.zip/node_modules/ms",
            ),
            (
                "http://localhost:5199/node_modules/.vite/deps/react-dom_client.js?v=0f2fe822",
                "react-dom/client in http://localhost:5199/node_modules/.vite/deps",
            ),
            ("/a/node_modules/.vite/deps/@b_c.js", "@b/c in /a/node_modules/.vite/deps"),
            (
                "/a/node_modules/.vite/deps/lodash__debounce.js",
                "lodash.debounce in /a/node_modules/.vite/deps",
            ),
            (
                "/a/node_modules/.vite/deps/chunk-SU6MV2YM.js",
                "chunk-SU6MV2YM.js in /a/node_modules/.vite/deps",
            ),
            ("/a/node_modules/.vite/deps_ssr/vue.js", "vue in /a/node_modules/.vite/deps_ssr"),
            (
                "/a/node_modules/.vite/vitest/d09e/deps/vitest_browser.js",
                "vitest/browser in /a/node_modules/.vite/vitest/d09e/deps",
            ),
            (
                "/a/node_modules/.cache/storybook/10.6.0/ab12/sb-vite/deps/react.js",
                "react in /a/node_modules/.cache/storybook/10.6.0/ab12/sb-vite/deps",
            ),
            ("/a/node_modules/.cache/babel/x.js", ""),
            ("/a/node_modules/.nitro/dev/index.mjs", ""),
            (
                "/a/node_modules/.nitro/dev/node_modules/ms/x.js",
                "ms in /a/node_modules/.nitro/dev/node_modules/ms",
            ),
            ("/a/node_modules/one-file.js", "one-file.js in /a/node_modules/one-file.js"),
            ("/a/node_modules/@b/one-file.js", "@b/one-file.js in /a/node_modules/@b/one-file.js"),
            ("/a/my_node_modules/x/y.js", ""),
            ("/a/src/x.js?from=/node_modules/x/", ""),
            ("/a/node_modules/", ""),
            ("node:fs", ""),
        ];
        let shown = |path| {
            let Some(Package { name, version, folder }) = Package::of(path) else { return String::new() };
            let version = version.map(|it| format!("@{it}")).unwrap_or_default();
            format!("{name}{version} in {folder}")
        };
        for (path, expected) in rows {
            assert_eq!(shown(path), expected, "{path}");
        }
    }
}
