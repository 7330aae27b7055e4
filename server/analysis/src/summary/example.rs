//! Shortens names of unplaced code for lists of a few examples: packages by name and version, files without the parts
//! that only machines read.

use std::borrow::Cow;

use crate::package::Package;

/// A display name for what a resource, or a function without one, belongs to. Everything that belongs together has the same name.
pub(super) fn example(label: &str) -> Cow<'_, str> {
    if label.starts_with("RegExp: ") {
        return "regular expressions".into();
    }
    if let Some(template) = label.strip_prefix('"') {
        return template.trim_end_matches('"').into();
    }
    let path = label.split(['?', '#']).next().unwrap_or(label);
    if let Some(package) = Package::of(path) {
        return match package.version {
            Some(version) => format!("{}@{version}", package.name).into(),
            None => package.name,
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_names_for_people() {
        let rows = [
            ("file:///a/node_modules/.pnpm/ms@2.1.3/node_modules/ms/index.js", "ms@2.1.3"),
            ("file:///a/node_modules/@vitest/runner/dist/chunk-hooks.js", "@vitest/runner"),
            ("http://localhost:5199/@vite/client", "http://localhost:5199/@vite/client"),
            ("http://localhost/app.js?v=1#a", "http://localhost/app.js"),
            ("file:///a/src/app.ts", "/a/src/app.ts"),
            ("file:///C:/a/app.ts", "C:/a/app.ts"),
            ("node:fs", "node:fs"),
            ("RegExp: ^(a|b)+$", "regular expressions"),
            ("(anonymous)", "(anonymous)"),
            ("\"/a/views/500.ejs\"", "/a/views/500.ejs"),
        ];
        let shown = rows.map(|(label, _)| (label, example(label)));
        assert_eq!(shown.each_ref().map(|it| (it.0, &*it.1)), rows);
    }
}
