//! How unplaced code is called where only a few examples of it are named: packages by name and version, files without what only
//! machines read.

use std::borrow::Cow;

/// A name for people of what a resource, or a function without one, belongs to. What belongs together has one name.
pub(super) fn example(label: &str) -> Cow<'_, str> {
    if label.starts_with("RegExp: ") {
        return "regular expressions".into();
    }
    let path = label.split(['?', '#']).next().unwrap_or(label);
    if let Some(package) = package(path) {
        return package;
    }
    match label.split_once("://") {
        Some(("file", _)) => match path.strip_prefix("file://") {
            // A drive has no slash before it.
            Some(path) if path.get(2..3) == Some(":") => path[1..].into(),
            Some(path) => path.into(),
            None => label.into(),
        },
        Some(("http" | "https", _)) => path.into(),
        _ => label.into(),
    }
}

/// The package of a file in `node_modules`, with its version where its path has it.
fn package(path: &str) -> Option<Cow<'_, str>> {
    const FOLDER: &str = "node_modules/";
    let path: Cow<'_, str> = if path.contains('\\') { path.replace('\\', "/").into() } else { path.into() };
    let start = path.rfind(FOLDER)? + FOLDER.len();
    let (folder, inside) = (&path[..start - FOLDER.len()], &path[start..]);
    // What Vite has bundled of packages: `react-dom_client.js`.
    if let Some(bundled) = inside.strip_prefix(".vite/deps/") {
        let name = bundled.strip_suffix(".js").unwrap_or(bundled);
        return Some(
            if name.starts_with("chunk-") { bundled.to_owned() } else { name.replace('_', "/") }.into(),
        );
    }
    let parts = if inside.starts_with('@') { 2 } else { 1 };
    let (end, _) = inside.match_indices('/').nth(parts - 1)?;
    let name = &inside[..end];
    // pnpm: `.pnpm/@babel+core@7.29.7_peers/node_modules/@babel/core`; Yarn: `cache/ms-npm-2.1.3-81ff3cfac1-aa92de6080.zip/`.
    let holder = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let plain = name.replace('/', "+");
    let of_pnpm = holder.strip_prefix(&*plain).and_then(|it| it.strip_prefix('@'));
    let of_yarn = holder.strip_prefix(&*name.replace('/', "-")).and_then(|it| it.strip_prefix("-npm-"));
    let version = match (of_pnpm, of_yarn) {
        (Some(rest), _) => rest.split(['_', '(']).next(),
        (_, Some(rest)) => rest.split('-').next(),
        _ => None,
    };
    let version = version.filter(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    Some(version.map_or_else(|| name.to_owned(), |it| format!("{name}@{it}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_names_for_people() {
        let rows = [
            (
                "file:///a/node_modules/.pnpm/typescript@5.5.4/node_modules/typescript/lib/tsc.js",
                "typescript@5.5.4",
            ),
            (
                "/a/node_modules/.pnpm/@babel+core@7.29.7_x@1/node_modules/@babel/core/lib/a.js",
                "@babel/core@7.29.7",
            ),
            ("file:///a/.yarn/cache/ms-npm-2.1.3-81ff-aa.zip/node_modules/ms/index.js", "ms@2.1.3"),
            ("file:///a/node_modules/@vitest/runner/dist/chunk-hooks.js", "@vitest/runner"),
            ("C:\\a\\node_modules\\ms\\index.js", "ms"),
            (
                "http://localhost:5199/node_modules/.vite/deps/react-dom_client.js?v=0f2fe822",
                "react-dom/client",
            ),
            ("http://localhost:5199/node_modules/.vite/deps/chunk-SU6MV2YM.js?v=1", "chunk-SU6MV2YM.js"),
            ("http://localhost:5199/@vite/client", "http://localhost:5199/@vite/client"),
            ("http://localhost/app.js?v=1#a", "http://localhost/app.js"),
            ("file:///a/src/app.ts", "/a/src/app.ts"),
            ("file:///C:/a/app.ts", "C:/a/app.ts"),
            ("node:fs", "node:fs"),
            ("RegExp: ^(a|b)+$", "regular expressions"),
            ("(anonymous)", "(anonymous)"),
        ];
        let shown = rows.map(|(label, _)| (label, example(label)));
        assert_eq!(shown.each_ref().map(|it| (it.0, &*it.1)), rows);
    }
}
