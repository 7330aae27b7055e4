//! Reads the names that bundlers give to modules: `webpack://app/./src/a.ts`.
//!
//! Such a name is relative to the root of a build, which is not part of the name (`build` finds it).

use std::borrow::Cow;

use super::known;
use super::percent::decoded;
use crate::files::{has_drive, push_parts};
use crate::locate::unplaced::UnplacedReason;

/// What a bundler's name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModuleName {
    /// Not a file: code of a tool, or a module that a tool generated.
    NoFile(UnplacedReason),
    /// A file below the root of a build.
    Module(Module),
    /// A path on a disk or a url, which was part of the name.
    Absolute(String),
}

/// A file, given by its path from a root that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Module {
    /// The name of the build. In one trace, modules of the same build have the same root.
    pub(crate) build: String,
    /// The readings of the path, likeliest first; never empty.
    pub(crate) paths: Vec<RootRelative>,
}

/// A path from a root, which may lead out of it: `../../src/a.ts`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RootRelative {
    /// How many folders it goes up first.
    pub(crate) levels_up: usize,
    /// The rest, `src/a.ts`: not empty, and without `.` and `..`.
    pub(crate) rest: String,
}

/// Name prefixes of the runtimes of webpack and rspack.
const WEBPACK_RUNTIME: &[&str] = &[
    "webpack/bootstrap",
    "webpack/runtime",
    "webpack/startup",
    "webpack/before-startup",
    "webpack/after-startup",
    "webpack/container",
    "webpack/sharing",
    "webpack/universalModuleDefinition",
    "(webpack)",
];
/// Name prefixes of webpack's modules that are not files.
const WEBPACK_VIRTUAL: &[&str] = &[
    "external ",
    "external%20",
    "(ignored)",
    "ignored|",
    "multi ",
    "delegated ",
    "dll ",
    "remote ",
    "consume shared module ",
    "provide shared module ",
    "container entry ",
    "data:",
    "lazy-compilation-proxy|",
];

/// How Next names a module that only refers to a client component, below the path of that component.
const PROXY_OF_NEXT: &str = "/__nextjs-internal-proxy.";

/// How Next names the module that it makes around a route of its edge runtime: by the file of the route, with this query.
const EDGE_ENTRY_OF_NEXT: &str = "?__next_edge_ssr_entry__";

/// Path ends of helpers that tools add to the sources.
const HELPER_MODULES: &[&str] = &[
    "vite/preload-helper",
    "vite/preload-helper.js",
    "vite/modulepreload-polyfill",
    "vite/modulepreload-polyfill.js",
    "vite/dynamic-import-helper",
    "vite/dynamic-import-helper.js",
    "rolldown/runtime.js",
    "__vite-browser-external",
    "browser-pack/_prelude.js",
    "__prelude__",
];

/// Reads a bundler's name; `None` for any other.
pub(crate) fn read(name: &str) -> Option<ModuleName> {
    let name = name.trim();
    if name.contains(PROXY_OF_NEXT) {
        return Some(ModuleName::NoFile(UnplacedReason::Compiler));
    }
    if let Some((scheme, rest)) = name.split_once(':') {
        match scheme {
            "webpack" | "webpack-internal" | "rspack" => return Some(webpack(scheme, rest)),
            "turbopack" => return Some(turbopack(rest.trim_start_matches('/'))),
            "meteor" => return Some(below_first_part("meteor", rest)),
            "ng" => return Some(angular(rest)),
            "file" if is_webpack_runtime(rest.trim_start_matches('/')) => {
                return Some(ModuleName::NoFile(UnplacedReason::Compiler));
            }
            _ => {}
        }
    }
    if let Some((_, path)) = name.split_once("[metro-project]/") {
        return Some(from_path("metro", path));
    }
    if let Some((_, path)) = name.split_once("[metro-watchFolders]/") {
        return Some(below_first_part("metro", path));
    }
    if let Some((_, path)) = name.split_once("/__parcel_source_root/") {
        return Some(from_path("parcel", path));
    }
    let turbopack_name = name.strip_prefix("/turbopack/").unwrap_or(name);
    if ["[project]", "[turbopack]", "[next]", "[externals]"].iter().any(|it| turbopack_name.starts_with(it)) {
        return Some(turbopack(turbopack_name));
    }
    if let Some(reason) = webpack_runtime(name) {
        return Some(ModuleName::NoFile(reason));
    }
    let is_helper =
        |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\0']));
    let is_virtual = starts_with_any(name, &["external ", "ignored|"])
        || name.starts_with('<')
        || name.split('/').any(|part| part.starts_with('\0') && !part.starts_with("\0#"));
    if HELPER_MODULES.iter().any(|end| is_helper(end)) {
        return Some(ModuleName::NoFile(UnplacedReason::Compiler));
    }
    is_virtual.then_some(ModuleName::NoFile(UnplacedReason::NoResource))
}

/// The module of a path as a bundler or a map writes it. Of single-file components, only the script counts.
pub(crate) fn from_path(build: &str, path: &str) -> ModuleName {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if is_other_block(query) {
        return ModuleName::NoFile(UnplacedReason::NoResource);
    }
    let hash = path.rfind('#').map(|at| Cow::Borrowed(&path[..at]));
    let texts = [Some(Cow::Borrowed(path)), decoded(path), hash];
    let mut paths = Vec::new();
    for text in texts.into_iter().flatten() {
        paths.extend(root_relative(&text).filter(|path| !paths.contains(path)));
    }
    if paths.is_empty() {
        return ModuleName::NoFile(UnplacedReason::NoResource);
    }
    ModuleName::Module(Module { build: build.to_owned(), paths })
}

impl Module {
    /// Whether its path is that of a dependency.
    pub(crate) fn is_dependency(&self) -> bool {
        self.paths.iter().any(|path| known::has_node_modules(&path.rest))
    }
}

/// Whether the query of a name marks a block of a component that has no functions (vue-loader, Vite), or a proxy module
/// of rollup's CommonJS plugin.
fn is_other_block(query: &str) -> bool {
    query.split('&').any(|part| matches!(part, "type=style" | "type=template" | "type=custom"))
        || query.starts_with("commonjs-")
}

/// The path from a root; `None` for a folder.
fn root_relative(path: &str) -> Option<RootRelative> {
    let slashed = path.replace('\\', "/");
    let (mut levels_up, mut rest): (usize, Vec<&str>) = (0, Vec::new());
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." if rest.pop().is_none() => levels_up += 1,
            ".." => {}
            part => rest.push(part),
        }
    }
    (!rest.is_empty() && !slashed.ends_with('/')).then(|| RootRelative { levels_up, rest: rest.join("/") })
}

/// `webpack:///./src/a.ts`, `webpack://app/./src/a.ts`, `webpack://@my/app/(layer)/./src/a.ts?1a2b`.
fn webpack(scheme: &str, rest: &str) -> ModuleName {
    // webpack escapes a `#` in a file name with a NUL, or with a zero-width space where NUL is not possible.
    let cleaned = rest.replace(['\0', '\u{200B}'], "");
    let body = cleaned.strip_prefix("//").unwrap_or(&cleaned);
    // In a development build, Next gives the runtime of each chunk this host; modules have none.
    if scheme == "webpack-internal" && body.starts_with("nextjs/") {
        return ModuleName::NoFile(UnplacedReason::Compiler);
    }
    let (namespace, body) = match body.strip_prefix('/') {
        Some(body) => ("", body),
        None => namespace(body),
    };
    let body = without_layer(body);
    if body.ends_with(EDGE_ENTRY_OF_NEXT) {
        return ModuleName::NoFile(UnplacedReason::Compiler);
    }
    // Rspack writes no namespace before its own.
    if let Some(reason) = webpack_runtime(body).or_else(|| webpack_runtime(cleaned.trim_start_matches('/'))) {
        return ModuleName::NoFile(reason);
    }
    if starts_with_any(body, WEBPACK_VIRTUAL) || is_context(body) {
        return ModuleName::NoFile(UnplacedReason::NoResource);
    }
    // `loader!file` names the loaders first; `file + 3 modules` names concatenated modules.
    let body = body.rsplit('!').next().unwrap_or(body);
    let body = match body.rsplit_once(" + ") {
        Some((first, others)) if others.ends_with(" modules") || others.ends_with(" module") => first,
        _ => body,
    };
    if has_drive(body) || body.starts_with('/') {
        return ModuleName::Absolute(body.split('?').next().unwrap_or(body).to_owned());
    }
    let parts = body.split('/').map(|part| if part == "~" { "node_modules" } else { part });
    from_path(&format!("{scheme}://{namespace}"), &parts.collect::<Vec<_>>().join("/"))
}

/// The name of the library before the path, and the path. The name of a scoped package has two parts; names with more
/// parts are recognized by a `.` or `..` that follows.
fn namespace(body: &str) -> (&str, &str) {
    if body.starts_with("./") || body.starts_with("../") {
        return ("", body);
    }
    let dotted = ["/./", "/../", "/("].iter().filter_map(|dots| body.find(dots)).min();
    let slash = |from: usize| body[from..].find('/').map(|at| from + at);
    let first = slash(0);
    let has_scope = body.starts_with('@') || body.starts_with("%40");
    let second = first.filter(|_| has_scope).and_then(|at| slash(at + 1));
    let plain = second.or(first);
    let dotted = dotted.filter(|&at| body[..at].matches('/').count() <= 2);
    let own = body.match_indices('/').map(|(at, _)| at).find(|at| is_webpack_runtime(&body[at + 1..]));
    match own.into_iter().chain(dotted).min().or(plain) {
        Some(at) => (&body[..at], &body[at + 1..]),
        None => ("", body),
    }
}

/// A name without its layer. Next.js builds a module once for each layer: `(rsc)/./src/a.ts`.
fn without_layer(body: &str) -> &str {
    let layer = body.strip_prefix('(').and_then(|rest| rest.split_once(")/"));
    match layer {
        Some((layer, rest))
            if layer != "webpack"
                && layer.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)) =>
        {
            rest
        }
        _ => body,
    }
}

/// The name of a module, or of a folder of modules, without its layer, as the same code runs in several layers:
/// `webpack-internal:///(rsc)/./src`.
pub(crate) fn in_no_layer(name: &str) -> Cow<'_, str> {
    // The layer is the first part after the namespace, which is empty or has no slash.
    let start = name.find("://").filter(|_| name.starts_with("webpack")).map(|at| at + "://".len());
    let slash = start.and_then(|start| Some(start + name[start..].find('/')? + 1));
    let Some((before, body)) = slash.map(|at| name.split_at(at)) else { return name.into() };
    match without_layer(body) {
        whole if whole.len() == body.len() => name.into(),
        rest => format!("{before}{rest}").into(),
    }
}

/// Whether it is a context module, which webpack generates for `import(./locales/${x})`: `./locales lazy ^\.\/.*$`.
fn is_context(body: &str) -> bool {
    [" sync", " lazy", " lazy-once", " eager", " weak", " async-weak"].iter().any(|mode| {
        body.find(mode).is_some_and(|at| {
            let rest = &body[at + mode.len()..];
            rest.is_empty() || starts_with_any(rest, &[" ^", " recursive", " nonrecursive", " /", "|"])
        })
    })
}

/// `[project]/src/a.ts [app-client] (ecmascript)`.
fn turbopack(name: &str) -> ModuleName {
    let name = match name.find(" (ecmascript") {
        Some(at) => {
            let name = &name[..at];
            let layer = name.rfind(" [").filter(|_| name.ends_with(']'));
            &name[..layer.unwrap_or(name.len())]
        }
        None => name,
    };
    match name.strip_prefix("[project]/") {
        Some(path) => from_path("turbopack", path),
        None if name.starts_with('[') => ModuleName::NoFile(UnplacedReason::Runtime),
        None => from_path("turbopack", name),
    }
}

/// Templates that Angular compiled have no file; modules of old libraries have one: `ng://my-lib/lib/a.ts`.
fn angular(rest: &str) -> ModuleName {
    let is_made = rest.starts_with("///")
        || [".ngfactory.js", ".ngstyle.js", ".ngsummary.js"].iter().any(|end| rest.ends_with(end));
    if is_made { ModuleName::NoFile(UnplacedReason::NoResource) } else { below_first_part("ng", rest) }
}

/// A module whose first part names the build: `//app/src/a.ts`, `//@my/lib/src/a.ts`.
fn below_first_part(scheme: &str, rest: &str) -> ModuleName {
    let (build, path) = namespace(rest.trim_start_matches('/'));
    from_path(&format!("{scheme}://{build}"), path)
}

/// Whether a name belongs to the runtime of webpack or rspack.
fn is_webpack_runtime(name: &str) -> bool {
    webpack_runtime(name).is_some()
}

/// Why a module of webpack itself has no file: it is in every bundle, or comes from one of webpack's packages that run in a page.
fn webpack_runtime(name: &str) -> Option<UnplacedReason> {
    let own = WEBPACK_RUNTIME.iter().find(|own| {
        name.strip_prefix(**own).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ' ', '-']))
    })?;
    Some(if *own == "(webpack)" { UnplacedReason::Runtime } else { UnplacedReason::Compiler })
}

fn starts_with_any(text: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| text.starts_with(beginning))
}

impl RootRelative {
    /// The path if the root is `folder`; it never leads above the root of the disk.
    pub(crate) fn below(&self, folder: &str) -> String {
        let mut folder = folder.trim_end_matches('/');
        for _ in 0..self.levels_up {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        let mut path = folder.to_owned();
        push_parts(&mut path, &self.rest);
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> String {
        match read(name) {
            None => "-".to_owned(),
            Some(ModuleName::NoFile(reason)) => reason.to_string(),
            Some(ModuleName::Absolute(path)) => format!("at {path}"),
            Some(ModuleName::Module(module)) => {
                let path = |path: &RootRelative| format!("{}{}", "../".repeat(path.levels_up), path.rest);
                let paths: Vec<_> = module.paths.iter().map(path).collect();
                format!("{} {}", module.build, paths.join(" or "))
            }
        }
    }

    #[test]
    fn names_of_modules() {
        let rows = [
            ("webpack:///./src/a.ts", "webpack:// src/a.ts"),
            ("webpack:///src/a.ts", "webpack:// src/a.ts"),
            ("webpack://app/./src/a.ts", "webpack://app src/a.ts"),
            ("webpack://app/src/a.ts", "webpack://app src/a.ts"),
            ("webpack://./src/a.ts", "webpack:// src/a.ts"),
            ("webpack://@my/app/./src/a.ts", "webpack://@my/app src/a.ts"),
            ("webpack://@my/app/../core/src/a.ts", "webpack://@my/app ../core/src/a.ts"),
            ("webpack://%40my/app/src/a.ts", "webpack://%40my/app src/a.ts"),
            ("webpack://a/b/c/./src/a.ts", "webpack://a/b/c src/a.ts"),
            ("webpack:///../../lib/a.ts", "webpack:// ../../lib/a.ts"),
            ("webpack:////abs/src/a.ts", "at /abs/src/a.ts"),
            ("webpack:///C:/abs/a.ts?x", "at C:/abs/a.ts"),
            ("webpack:///./~/x/i.js", "webpack:// node_modules/x/i.js"),
            ("webpack:///~/x/~/y/i.js", "webpack:// node_modules/x/node_modules/y/i.js"),
            ("webpack:///./src/a.ts?eb06", "webpack:// src/a.ts"),
            ("webpack://app/./src/a.ts?", "webpack://app src/a.ts"),
            ("webpack:///./src/App.vue?vue&type=script&lang=ts", "webpack:// src/App.vue"),
            ("webpack:///./src/App.vue?vue&type=style&index=0", "no-resource"),
            ("webpack:///./src/App.vue?vue&type=template&id=1", "no-resource"),
            ("webpack:///./node_modules/babel-loader/lib!./src/a.ts?./x", "webpack:// src/a.ts"),
            ("webpack:///./src/a.ts + 3 modules", "webpack:// src/a.ts"),
            ("webpack:///./src/a b/größe.ts", "webpack:// src/a b/größe.ts"),
            ("webpack:///./src/a%20b.ts", "webpack:// src/a%20b.ts or src/a b.ts"),
            (
                "webpack://app/./src/100%25\0#x.ts",
                "webpack://app src/100%25#x.ts or src/100%#x.ts or src/100%25",
            ),
            ("webpack-internal:///./src/100%\u{200B}#x.ts", "webpack-internal:// src/100%#x.ts or src/100%"),
            ("webpack-internal:///./src/a.ts", "webpack-internal:// src/a.ts"),
            ("webpack-internal:///(rsc)/./src/a.ts", "webpack-internal:// src/a.ts"),
            ("webpack-internal:///(ssr)/../lib/a.ts", "webpack-internal:// ../lib/a.ts"),
            ("webpack://_N_E/./src/a.ts", "webpack://_N_E src/a.ts"),
            ("webpack://_N_E/(app-pages-browser)/./src/a.ts", "webpack://_N_E src/a.ts"),
            ("webpack://_N_E/(rsc)/./app/(shop)/page.tsx", "webpack://_N_E app/(shop)/page.tsx"),
            ("webpack-internal://nextjs/webpack-runtime.js", "compiler"),
            (
                "webpack-internal:///(rsc)/./node_modules/next/dist/x.js?name=a!./app/a/route.ts?__next_edge_ssr_entry__",
                "compiler",
            ),
            ("webpack-internal:///./nextjs/a.ts", "webpack-internal:// nextjs/a.ts"),
            ("webpack://nextjs/./src/a.ts", "webpack://nextjs src/a.ts"),
            ("webpack://_N_E/./app/row.tsx/__nextjs-internal-proxy.mjs", "compiler"),
            ("../../app/row.tsx/__nextjs-internal-proxy.mjs%20%7B%20server%20%7D", "compiler"),
            ("webpack:///(webpack)/buildin/module.js", "runtime"),
            ("webpack:///(webpack)-dev-server/client", "runtime"),
            ("webpack:///webpack/bootstrap 1a2b", "compiler"),
            ("webpack/runtime/define property getters", "compiler"),
            ("webpack://app/webpack/runtime/global", "compiler"),
            ("webpack://webpack/runtime/on_chunk_loaded", "compiler"),
            ("webpack://webpack/bootstrap", "compiler"),
            ("webpack://webpack/./runtime/a.ts", "webpack://webpack runtime/a.ts"),
            ("webpack://@my/app/webpack/bootstrap", "compiler"),
            ("file:///webpack/runtime/publicPath", "compiler"),
            ("webpack:///./src/webpack/a.ts", "webpack:// src/webpack/a.ts"),
            ("webpack://app/./src/webpack/runtime.ts", "webpack://app src/webpack/runtime.ts"),
            ("webpack:///external \"x\"", "no-resource"),
            ("webpack://app/external commonjs \"x\"", "no-resource"),
            ("webpack:///./src/locales lazy ^\\.\\/.*$", "no-resource"),
            ("webpack:///./src/locales sync recursive", "no-resource"),
            ("webpack:///./src/my lazy dog/a.ts", "webpack:// src/my lazy dog/a.ts"),
            ("webpack:///multi ./a ./b", "no-resource"),
            ("rspack://app/./src/a.ts", "rspack://app src/a.ts"),
            ("turbopack://[project]/a.ts", "turbopack a.ts"),
            ("turbopack:///[project]/src/a.ts", "turbopack src/a.ts"),
            ("[project]/src/a.ts [app-client] (ecmascript)", "turbopack src/a.ts"),
            ("/turbopack/[project]/src/a.ts", "turbopack src/a.ts"),
            ("turbopack:///[turbopack]/browser/runtime.ts", "runtime"),
            ("[next]/internal/x.ts", "runtime"),
            ("meteor://💻app/imports/a.js", "meteor://💻app imports/a.js"),
            ("ng:///AppModule/AppComponent.ngfactory.js", "no-resource"),
            ("ng://AppModule/AppComponent.ngfactory.js", "no-resource"),
            ("ng://@my/lib/lib/a.ts", "ng://@my/lib lib/a.ts"),
            ("http://localhost:8081/[metro-project]/src/App.tsx", "metro src/App.tsx"),
            ("/[metro-watchFolders]/0/packages/a/i.ts", "metro://0 packages/a/i.ts"),
            ("/__parcel_source_root/src/a.ts", "parcel src/a.ts"),
            ("\0vite/preload-helper.js", "compiler"),
            ("../../\0vite/preload-helper.js", "compiler"),
            ("../../vite/preload-helper.js", "compiler"),
            ("\0/ws/src/x.js?commonjs-module", "no-resource"),
            ("node_modules/browser-pack/_prelude.js", "compiler"),
            ("<anon>", "no-resource"),
            ("<define:process.env>", "no-resource"),
            ("../src/a.ts", "-"),
            ("src/invite/preload-helper.ts", "-"),
            ("http://h/a.js", "-"),
            ("file:///srv/webpack/bootstrap.js", "-"),
            ("webpack://", "no-resource"),
            ("webpack:", "no-resource"),
        ];
        for (name, expected) in rows {
            assert_eq!(shown(name), expected, "{name:?}");
        }
    }

    #[test]
    fn names_in_no_layer() {
        let rows = [
            ("webpack-internal:///(rsc)/./node_modules/a", "webpack-internal:///./node_modules/a"),
            ("webpack://_N_E/(app-pages-browser)/./src", "webpack://_N_E/./src"),
            ("webpack://app/./src/(shop)/a", "webpack://app/./src/(shop)/a"),
            ("webpack:///(webpack)/buildin", "webpack:///(webpack)/buildin"),
            ("file:///ws/(shop)/node_modules/a", "file:///ws/(shop)/node_modules/a"),
        ];
        for (name, expected) in rows {
            assert_eq!(in_no_layer(name), expected);
        }
    }

    #[test]
    fn paths_from_a_root() {
        let rows = [
            ("src/a.ts", "/ws/app", "/ws/app/src/a.ts"),
            ("../lib/./a.ts", "/ws/app", "/ws/lib/a.ts"),
            ("../../../x/../a.ts", "/ws/app", "/a.ts"),
            ("..\\lib\\a.ts", "C:/ws/app", "C:/ws/lib/a.ts"),
        ];
        for (path, folder, expected) in rows {
            assert_eq!(root_relative(path).unwrap().below(folder), expected, "{path}");
        }
        assert_eq!(root_relative("src/"), None);
        assert_eq!(root_relative(".."), None);
    }
}
