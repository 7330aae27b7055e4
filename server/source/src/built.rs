//! Whether a tool built a text, for texts that name no source map: their costs stay on lines that nobody wrote, and users should hear of it.

/// How the texts of tools begin, with any blanks between the words. Nobody writes these by hand.
const BEGINNINGS: [&str; 6] = [
    // webpack, unless it minifies (`lib/javascript/JavascriptModulesPlugin.js`).
    "/******/ (",
    // esbuild's and Rolldown's first helpers (`internal/runtime/runtime.go`).
    "var __create = Object.create; var __defProp",
    "var __defProp = Object.defineProperty; var __",
    "\"use strict\"; var __create = Object.create; var __defProp",
    "\"use strict\"; var __defProp = Object.defineProperty; var __",
    // An ES module as CommonJS, by TypeScript, Babel or swc.
    "\"use strict\"; Object.defineProperty(exports, \"__esModule\", {",
];

/// Calls that compilers of JSX mark as pure, which people do not write: those of the classic runtime, and those of the automatic one, which
/// swc and Babel rename.
const PURE_CALLS: [&str; 3] = ["React.createElement(", "jsx", "_jsx"];

/// How lines begin that webpack and Rspack write, above a module or around all of them, where no beginning gives them away
/// (`lib/javascript/JavascriptModulesPlugin.js` of webpack).
const LINES_OF_WEBPACK: [&str; 3] =
    ["var __webpack_modules__ = ", "var __webpack_exports__ = ", ";// CONCATENATED MODULE: "];

/// What webpack and rspack say at the top of a bundle that passes the text of each module to `eval` (`lib/devtool/Eval*Plugin.js` of webpack).
const TITLES_OF_EVAL_BUNDLES: [&str; 2] = [
    "* ATTENTION: The \"eval\" devtool has been used",
    "* ATTENTION: An \"eval-source-map\" devtool has been used",
];

/// The endings of modules that engines run as they are, and of those that a compiler has to read first.
const RUN: [&str; 3] = ["js", "cjs", "mjs"];
const COMPILED: [&str; 8] = ["ts", "cts", "mts", "tsx", "jsx", "vue", "svelte", "astro"];

/// Lines from this length on are those of a minifier, if they hold functions.
const LONG_LINE: usize = 1000;
/// How many functions long lines hold in what was minified; a table of data has hardly any.
const FUNCTIONS_IN_LONG_LINES: usize = 5;

/// Within how many bytes of its start a bundle has its title.
const TITLE_WITHIN: usize = 1024;

/// Whether a tool built a text: a bundler or a compiler, by how it begins or by what only they write; or a minifier, as most of it is in
/// long lines with functions, or as it begins with imports without blanks. A bundle for `eval` does not count: it has no map, and none of its own lines is worth one.
pub fn is_built(text: &str) -> bool {
    let is_made = BEGINNINGS.iter().any(|beginning| begins_with(text, beginning));
    let is_of_bundler = has_module_titles(text) || has_lines_of_webpack(text);
    (is_made || is_of_bundler || has_compiled_jsx(text) || is_minified(text)) && !is_eval_bundle(text)
}

/// Whether a text is a bundle that passes the text of each of its modules to `eval`. What people wrote is in these texts, each of which
/// is a script with a map of its own or none; the functions around them are the bundler's.
pub fn is_eval_bundle(text: &str) -> bool {
    // Next writes a line above it, and modules that are all strict have their directive there. Other texts may be one long line.
    let head = &text[..text.floor_char_boundary(TITLE_WITHIN)];
    let mut lines = head.lines().skip_while(|line| line.starts_with("//") || *line == "\"use strict\";");
    let (comment, title) = (lines.next(), lines.next().unwrap_or_default().trim_start());
    comment == Some("/*") && TITLES_OF_EVAL_BUNDLES.iter().any(|known| title.starts_with(known))
}

/// Whether a text begins with these words, whatever blanks are between them.
fn begins_with(text: &str, beginning: &str) -> bool {
    let mut rest = text;
    beginning.split(' ').all(|word| {
        let after = rest.trim_start().strip_prefix(word);
        rest = after.unwrap_or_default();
        after.is_some()
    })
}

/// Whether the code of a text begins with the path of a module in a comment, as bundlers write it above each module. One alone may be how
/// somebody begins a file, unless the module is in a language that engines do not run and the text ends like an output of a bundler.
fn has_module_titles(text: &str) -> bool {
    let mut code = text.lines().skip_while(|line| line.starts_with("import ") || line.starts_with("#!"));
    let Some(ending) = code.next().and_then(ending_in_title) else { return false };
    code.any(|line| ending_in_title(line).is_some()) || (!RUN.contains(&ending) && ends_with_exports(text))
}

/// The ending of the path in a line like `// src/server.ts` of esbuild, or `//#region src/server.ts` of Rolldown.
fn ending_in_title(line: &str) -> Option<&str> {
    let path = line.strip_prefix("// ").or_else(|| line.strip_prefix("//#region "))?;
    let (_, ending) = path.rsplit_once('.').filter(|_| !path.contains(' '))?;
    (RUN.contains(&ending) || COMPILED.contains(&ending)).then_some(ending)
}

/// Whether the last statement of a text is a list of exports.
fn ends_with_exports(text: &str) -> bool {
    let list = text.rfind("\nexport {").map(|start| text[start..].trim_end());
    list.is_some_and(|list| list.find('}').is_some_and(|end| ["", ";"].contains(&&list[end + 1..])))
}

/// Whether a text has a call that a compiler of JSX marked as pure: `/* @__PURE__ */ jsx("p", {})`.
fn has_compiled_jsx(text: &str) -> bool {
    text.match_indices("__PURE__").any(|(at, mark)| {
        let rest = text[at + mark.len()..].trim_start().strip_prefix("*/").unwrap_or_default().trim_start();
        PURE_CALLS.iter().any(|call| rest.starts_with(call))
    })
}

fn has_lines_of_webpack(text: &str) -> bool {
    text.lines().any(|line| LINES_OF_WEBPACK.iter().any(|known| line.starts_with(known)))
}

fn is_minified(text: &str) -> bool {
    // A small module of a minified page has no long line.
    let is_dense =
        ["import{", "import\""].iter().any(|start| text.starts_with(start)) && text.contains("}from\"");
    is_dense || has_long_lines(text)
}

fn has_long_lines(text: &str) -> bool {
    let long_lines = text.lines().filter(|line| line.len() >= LONG_LINE);
    let (mut bytes, mut functions) = (0, 0);
    for line in long_lines {
        bytes += line.len();
        functions += line.matches("=>").count() + line.matches("function").count();
    }
    functions >= FUNCTIONS_IN_LONG_LINES && bytes * 2 > text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bundlers_compilers_and_minifiers_made() {
        let minified = "function a(b){return b.map(c=>c+1)}".repeat(40);
        let data = format!("const table = [{}];\nconst at = (row) => table[row];\n", "12345, ".repeat(400));
        let rows = [
            ("/******/ (() => { // webpackBootstrap\n/******/ \t\"use strict\";\n", true),
            (&format!("/*\n * ATTENTION: The \"eval\" devtool has been used\n */\n{minified}"), false),
            ("var __create = Object.create;\nvar __defProp = Object.defineProperty;\n", true),
            ("\"use strict\";\nvar __defProp = Object.defineProperty;\nvar __getOwnPropNames = x;\n", true),
            ("\"use strict\";\nObject.defineProperty(exports, \"__esModule\", { value: true });\n", true),
            (
                "\"use strict\";\n\nObject.defineProperty(exports, \"__esModule\", {\n  value: true\n});\n",
                true,
            ),
            ("// src/a.ts\nfunction a() {\n}\n\n// node_modules/b/index.js\nfunction b() {\n}\n", true),
            ("// src/a.ts\nfunction a() {\n}\n// see src/b.ts\nfunction b() {\n}\n", false),
            ("function a() {\n}\n// a.ts\n// b.ts\n", false),
            ("import { b } from \"./b.js\";\n// src/a.ts\nfunction a() {\n}\n// src/c.svelte\n", true),
            ("#!/usr/bin/env node\n//#region src/a.ts\nrun();\n\n//#endregion\nexport { run };\n", true),
            ("// src/a.ts\nfunction a() {\n}\nexport {\n  a as b\n};\n", true),
            ("// src/a.js\nfunction a() {\n}\nexport { a };\n", false),
            ("// src/a.ts\nexport { b } from \"b\";\nfunction a() {\n}\n", false),
            ("//#region helpers\nfunction a() {\n}\n//#endregion\nexport { a };\n", false),
            ("import { jsx } from \"react/jsx-runtime\";\n/* @__PURE__ */ jsx(\"p\", {});\n", true),
            ("const a = () => /*#__PURE__*/_jsxs(\"p\", {});\n", true),
            ("const a = () => /*#__PURE__*/ React.createElement(\"p\");\n", true),
            ("import { jsx } from \"react/jsx-runtime\";\nrun(/* @__PURE__ */ make(), jsx);\n", false),
            ("import{r as a,j as s}from\"./b-H4z97pSv.js\";function d(b){return a(b)}\n", true),
            ("import\"./a.js\";import{b as c}from\"./b.js\";c();", true),
            ("import { b } from \"./b.js\";\nconst text = 'import{b}from\"./b.js\"';\n", false),
            ("(() => {\n\"use strict\";\n\n;// CONCATENATED MODULE: ./src/a.ts\nfunction a() {}\n", true),
            ("(() => {\n\"use strict\";\nvar __webpack_modules__ = ({\n416(module) {\n", true),
            ("import { createRequire } from \"node:module\";\nvar __webpack_exports__ = {};\n", true),
            ("// unlike webpack's:\n//var __webpack_exports__ = {};\nfunction a() {}\n", false),
            (&minified, true),
            (&data, false),
            ("'use strict';\nObject.defineProperty(exports, '__esModule', { value: true });\n", false),
            ("var __defProp = 1;\n", false),
            ("/****** a title ******/\nfunction a() {}\n", false),
            ("", false),
        ];
        for (text, expected) in rows {
            assert_eq!(is_built(text), expected, "{text}");
        }
    }

    #[test]
    fn bundles_of_texts_for_eval() {
        let rows = [
            ("/*\n * ATTENTION: The \"eval\" devtool has been used (maybe by default).\n */\n", true),
            ("/*\n * ATTENTION: An \"eval-source-map\" devtool has been used.\n */\nexports.id = 1;\n", true),
            ("\"use strict\";\n/*\n * ATTENTION: An \"eval-source-map\" devtool has been used.\n */\n", true),
            ("// not in strict mode\n/*\n * ATTENTION: The \"eval\" devtool has been used\n */\n", true),
            ("// ATTENTION: The \"eval\" devtool has been used\nfunction a() {}\n", false),
            ("/*\n * ATTENTION: do not sort these.\n */\nfunction a() {}\n", false),
            ("/******/ (() => { // webpackBootstrap\n", false),
        ];
        for (text, expected) in rows {
            assert_eq!(is_eval_bundle(text), expected, "{text}");
        }
    }
}
