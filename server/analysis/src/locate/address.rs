//! Reads the resources of a trace. Urls and paths in many spellings become addresses of one form, for which a file may be
//! found; names of code that never was a file become the reason for that.

use std::borrow::Cow;

use super::known;
use super::module::{self, Module, ModuleName};
use super::percent::decoded;
use crate::files::{has_drive, normal_path, push_parts};
use crate::locate::unplaced::UnplacedReason;

/// The longest text that can name a file: paths have at most 4,096 bytes, and percent-encoding triples each.
pub(crate) const MAX_RESOURCE_LENGTH: usize = 16 * 1024;

/// What a resource is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    /// It cannot be a file of the workspace, for this reason.
    Unplaced(UnplacedReason),
    /// A path of a disk or a url of a server: its readings, the likeliest first; never empty.
    Absolute(Vec<Address>),
    /// A path relative to an unknown folder, such as `src/a.js`.
    Relative(String),
    /// A bundler's name for a file; the text that ran was made by the bundler.
    Module(Module),
}

/// One reading of a url.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `/srv/app/x.js`, `C:/x.js`, `//server/share/x.js`, `http://localhost:3000/x.js`: the drive or origin, then each
    /// decoded part of the path after a slash.
    pub(crate) text: String,
    /// Where the path begins in `text`, at a slash.
    pub(crate) root: usize,
    pub(crate) space: Space,
    /// Whether the url did not name the file: `/index.html` for `/`.
    pub(crate) guessed: bool,
}

/// What the path of an address is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    /// The root of a disk, or of the archive into which Electron packs a program.
    Disk,
    /// The root of a browser extension.
    Extension,
    /// The root of a server.
    Web {
        /// Whether a developer runs the server.
        local: bool,
    },
}

impl Address {
    /// The path, from its first slash on.
    pub(crate) fn path(&self) -> &str {
        &self.text[self.root..]
    }

    /// The host and port of its server; see [`known::server`].
    pub(crate) fn server(&self) -> (&str, &str) {
        known::server(&self.text[..self.root])
    }

    /// Whether its path is that of a dependency.
    pub(crate) fn is_dependency(&self) -> bool {
        known::has_node_modules(self.path())
    }
}

/// Reads a resource of a trace.
pub(crate) fn read(url: &str) -> Resource {
    let url = url.trim();
    if url.len() <= MAX_RESOURCE_LENGTH {
        match module::read(url) {
            Some(ModuleName::NoFile(reason)) => return Resource::Unplaced(reason),
            Some(ModuleName::Module(module)) => return Resource::Module(module),
            Some(ModuleName::Absolute(path)) => return at(on_disk(Cow::Owned(path), false)),
            None => {}
        }
    }
    if let Some(reason) = known::unplaced_reason(url) {
        return Resource::Unplaced(reason);
    }
    if url.len() > MAX_RESOURCE_LENGTH {
        return Resource::Unplaced(UnplacedReason::NotInWorkspace);
    }
    // Old module loaders write `loading script -> loaded script`.
    let url = url.rsplit_once(" -> ").map_or(url, |(_, loaded)| loaded);
    let addresses = match scheme(url) {
        // Vite and the tools based on it use such names for their own modules in Node too.
        Some(("file", rest)) if known::is_development_client(&file_url_path(rest)) => {
            return Resource::Unplaced(UnplacedReason::Runtime);
        }
        Some(("file", rest)) => on_disk(file_url_path(rest), true),
        // VS Code's own windows, which load files from disk.
        Some(("vscode-file", rest)) if rest.starts_with("//vscode-app/") => {
            on_disk(file_url_path(&rest["//vscode-app".len()..]), true)
        }
        Some((scheme, rest)) if is_served(scheme) || is_extension(scheme) => match rest.strip_prefix("//") {
            Some(rest) => return on_server(scheme, rest),
            None => Vec::new(),
        },
        Some(_) => Vec::new(),
        None if has_drive(url) || url.starts_with(['/', '\\']) => on_disk(Cow::Borrowed(url), false),
        None => return relative(url),
    };
    at(addresses)
}

/// Whether the text that ran under this url is known to differ from the text of the file: modules of `eval` builds, and
/// languages that no browser runs.
pub(crate) fn is_transformed(url: &str, resource: &Resource) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let is_compiled = [".ts", ".tsx", ".mts", ".cts", ".jsx", ".vue", ".svelte", ".astro", ".mdx"]
        .iter()
        .any(|extension| path.ends_with(extension));
    let is_served = scheme(url.trim()).is_some_and(|(scheme, _)| is_served(scheme));
    let is_bundled = ["webpack", "rspack", "turbopack"].iter().any(|name| url.trim().starts_with(name));
    is_bundled || is_compiled && is_served || matches!(resource, Resource::Module(_))
}

/// The resource with these readings; unplaced if there are none.
fn at(addresses: Vec<Address>) -> Resource {
    if addresses.is_empty() {
        Resource::Unplaced(UnplacedReason::NotInWorkspace)
    } else {
        Resource::Absolute(addresses)
    }
}

/// The address of a prefix that a user wrote, such as `http://localhost:3000/static/` or `/srv/app`, without a trailing
/// slash; `None` for unknown schemes.
pub(crate) fn of_prefix(prefix: &str) -> Option<String> {
    let text = match scheme(prefix) {
        Some(("file", rest)) => {
            let path = file_url_path(rest);
            path_on_disk(&decoded(&path).unwrap_or(Cow::Borrowed(&*path)))
        }
        Some((scheme, rest)) if is_served(scheme) || is_extension(scheme) => {
            let (origin, path) = origin(scheme, rest.strip_prefix("//")?)?;
            let mut text = origin;
            push_parts(&mut text, &decoded(path).unwrap_or(Cow::Borrowed(path)));
            text
        }
        Some(_) => return None,
        None if has_drive(prefix) || prefix.starts_with(['/', '\\']) => path_on_disk(prefix),
        None => return None,
    };
    Some(text.trim_end_matches('/').to_owned())
}

/// The scheme of a url and what follows its colon. A single letter is a drive, not a scheme.
pub(crate) fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let is_one = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_one.then_some((scheme, rest))
}

/// Resolves a name against a url. The name stays as it is if it is absolute, or if `url` has no origin and path.
pub(crate) fn join(url: &str, name: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or(url);
    let root = url.find("://").map(|at| at + 3);
    let root = root.and_then(|at| Some(at + url[at..].find('/')?));
    let Some(root) = root.filter(|_| scheme(name).is_none() && !has_drive(name)) else {
        return name.to_owned();
    };
    let (origin, path) = url.split_at(root);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") };
    let mut joined = origin.to_owned();
    push_parts(&mut joined, &path);
    joined
}

/// Whether urls with a scheme consist of a host and a path below some folder of the application.
pub(crate) fn is_served(scheme: &str) -> bool {
    ["http", "https", "capacitor", "ionic", "tauri", "asset", "wails", "app"].contains(&scheme)
}

/// Whether urls with a scheme consist of the id of a browser extension and a path in it.
fn is_extension(scheme: &str) -> bool {
    ["chrome-extension", "moz-extension", "safari-web-extension"].contains(&scheme)
}

/// Turns `//host/path` into `//host/path`, `///path` and `//localhost/path` into `/path`, `///C:/x` into `C:/x`.
fn file_url_path(rest: &str) -> Cow<'_, str> {
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let Some(after) = rest.strip_prefix("//") else { return Cow::Borrowed(rest) };
    let (host, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        Cow::Borrowed(path)
    } else if has_drive(after) {
        Cow::Borrowed(after)
    } else {
        Cow::Borrowed(rest)
    }
}

/// The readings of a path. In a url it is most likely percent-encoded; a plain path is not, but may have a query.
fn on_disk(path: Cow<'_, str>, encoded: bool) -> Vec<Address> {
    let query = if encoded { None } else { path.find(['?', '#']) };
    let as_it_is = [Some(Cow::Borrowed(&*path)), query.map(|end| Cow::Borrowed(&path[..end]))];
    let readings: Vec<_> = if encoded {
        decoded(&path).into_iter().chain(as_it_is.into_iter().flatten()).collect()
    } else {
        as_it_is.into_iter().flatten().chain(decoded(&path)).collect()
    };
    // webpack writes `file:////srv/x` for `/srv/x`.
    let single = readings.iter().filter(|path| encoded && path.starts_with("//")).map(|path| &path[1..]);
    distinct(readings.iter().map(|path| &**path).chain(single).filter_map(disk_address))
}

/// The address of an absolute path; `None` for a folder or a relative path.
fn disk_address(path: &str) -> Option<Address> {
    let text = path_on_disk(path).replace("/app.asar.unpacked/", "/app.asar/");
    let archive = text.find("/app.asar/").map(|at| at + "/app.asar".len());
    let root = archive.unwrap_or(if has_drive(&text) { 2 } else { 0 });
    let is_absolute = has_drive(path) || path.starts_with(['/', '\\']);
    let is_file = is_absolute && !text.ends_with('/') && !text.contains('\0');
    is_file.then_some(Address { text, root, space: Space::Disk, guessed: false })
}

/// The normal form of a path. It may come from a url, where `C:/x` is written `/C:/x`.
fn path_on_disk(path: &str) -> String {
    normal_path(path.strip_prefix('/').filter(|path| has_drive(path)).unwrap_or(path))
}

/// The readings of a server's url; `rest` is what follows the scheme and `//`.
fn on_server(scheme: &str, rest: &str) -> Resource {
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let Some((origin, path)) = origin(scheme, rest) else {
        return Resource::Unplaced(UnplacedReason::NotInWorkspace);
    };
    if let Some(addresses) = served_from_disk(&origin, path) {
        return at(addresses);
    }
    if known::is_development_client(path) {
        return Resource::Unplaced(UnplacedReason::Runtime);
    }
    let space = if is_extension(scheme) {
        Space::Extension
    } else {
        Space::Web { local: known::is_local(scheme, &origin) }
    };
    let root = origin.len();
    let address = |path: &str, guessed: bool| {
        let mut text = origin.clone();
        push_parts(&mut text, path);
        (text.len() > root && !text.contains('\0')).then_some(Address { text, root, space, guessed })
    };
    let mut addresses = Vec::new();
    for path in decoded(path).into_iter().chain([Cow::Borrowed(path)]) {
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.is_empty() {
            addresses.extend(address(&format!("{path}/index.html"), true));
        } else {
            addresses.extend(address(&path, !name.contains('.')));
            if !name.contains('.') {
                addresses.extend(address(&format!("{path}.html"), true));
                addresses.extend(address(&format!("{path}/index.html"), true));
            }
        }
    }
    at(distinct(addresses.into_iter()))
}

/// The readings of a server's url that names a path on disk. Vite serves files outside of its root this way, Tauri serves
/// any file, with escaped slashes as well, and VS Code those of its web views.
fn served_from_disk(origin: &str, path: &str) -> Option<Vec<Address>> {
    if ["asset://localhost", "http://asset.localhost", "https://asset.localhost"].contains(&origin) {
        let path = decoded(path.strip_prefix('/')?)?;
        let is_absolute = has_drive(&path) || path.starts_with('/');
        return is_absolute.then(|| on_disk(path, false));
    }
    let is_of_web_view =
        origin.starts_with("https://file") && origin.ends_with(".vscode-resource.vscode-cdn.net");
    let path = if is_of_web_view { path } else { path.strip_prefix("/@fs")? }.strip_prefix('/')?;
    Some(on_disk(Cow::Owned(if has_drive(path) { path.to_owned() } else { format!("/{path}") }), true))
}

/// The normalized origin and the path from what follows `scheme://`.
fn origin<'a>(scheme: &str, rest: &'a str) -> Option<(String, &'a str)> {
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or(host).to_ascii_lowercase();
    if host.is_empty() && scheme != "app" {
        return None;
    }
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    Some((format!("{scheme}://{host}"), path))
}

/// The resource of a relative path.
fn relative(url: &str) -> Resource {
    let mut path = String::new();
    push_parts(&mut path, &url.replace('\\', "/"));
    match path.strip_prefix('/') {
        Some(path) if !path.contains('\0') && !path.contains("node_modules/") => {
            Resource::Relative(path.to_owned())
        }
        Some(path) if !path.contains('\0') => Resource::Unplaced(UnplacedReason::Dependency),
        _ => Resource::Unplaced(UnplacedReason::NotInWorkspace),
    }
}

/// The addresses in order, without duplicates.
fn distinct(addresses: impl Iterator<Item = Address>) -> Vec<Address> {
    let mut distinct: Vec<Address> = Vec::new();
    for address in addresses {
        if distinct.iter().all(|known| known.text != address.text) {
            distinct.push(address);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(url: &str) -> Vec<String> {
        match read(url) {
            Resource::Unplaced(reason) => vec![reason.to_string()],
            Resource::Absolute(addresses) => addresses.into_iter().map(|address| address.text).collect(),
            Resource::Relative(path) => vec![format!("relative {path}")],
            Resource::Module(module) => module.paths.into_iter().map(|path| path.rest).collect(),
        }
    }

    #[test]
    fn urls_and_paths_have_one_form() {
        let rows: &[(&str, &[&str])] = &[
            ("file:///srv/app/a.js", &["/srv/app/a.js"]),
            ("file:///srv/a%20b.js", &["/srv/a b.js", "/srv/a%20b.js"]),
            ("file:///srv/%E4%BD%A0.js?v=1#x", &["/srv/你.js", "/srv/%E4%BD%A0.js"]),
            ("file:///srv/%zz/%", &["/srv/%zz/%"]),
            ("file:///srv/%ff.js", &["/srv/%ff.js"]),
            ("file:///srv/%252e.js", &["/srv/%2e.js", "/srv/%252e.js"]),
            ("file:///a/%2e%2e/%2e%2e/b.js", &["/b.js", "/a/%2e%2e/%2e%2e/b.js"]),
            ("file:///a/..%2f..%2fb.js", &["/b.js", "/a/..%2f..%2fb.js"]),
            ("file:///a%00.js", &["/a%00.js"]),
            ("file://localhost/a.js", &["/a.js"]),
            ("file://server/share/a.js", &["//server/share/a.js", "/server/share/a.js"]),
            ("file:////srv/a.js", &["//srv/a.js", "/srv/a.js"]),
            ("file:///C%3A/a.js", &["C:/a.js", "/C%3A/a.js"]),
            ("file:///c:/a.js", &["C:/a.js"]),
            ("c:\\a\\b.js", &["C:/a/b.js"]),
            ("/c:/a.js", &["C:/a.js"]),
            ("\\\\?\\c:\\a\\b.js", &["C:/a/b.js"]),
            ("//?/c:/a/b.js", &["C:/a/b.js"]),
            ("C:\\..\\..\\x.js", &["C:/x.js"]),
            ("\\\\server\\share\\x.js", &["//server/share/x.js"]),
            ("/srv/a#b?c.js", &["/srv/a#b?c.js", "/srv/a"]),
            ("/srv/a%20b.js", &["/srv/a%20b.js", "/srv/a b.js"]),
            ("/x.js -> /srv/a.js", &["/srv/a.js"]),
            ("http://LOCALHOST:80/a/./b//c.js?v=1#x", &["http://localhost/a/b/c.js"]),
            ("https://me:secret@h.de:443/a.js", &["https://h.de/a.js"]),
            ("http://h/../../a.js", &["http://h/a.js"]),
            ("http://h", &["http://h/index.html"]),
            ("http://h/a/", &["http://h/a/index.html"]),
            ("http://h/a", &["http://h/a", "http://h/a.html", "http://h/a/index.html"]),
            ("http://h/@fs/home/me/a.ts?t=1", &["/home/me/a.ts"]),
            ("http://h/@fs/C:/me/a.ts", &["C:/me/a.ts"]),
            ("http://h/@vite/client", &["runtime"]),
            ("file:///@vite/env", &["runtime"]),
            ("asset://localhost/%2Fhome%2Fme%2Fa%20b.js", &["/home/me/a b.js"]),
            ("http://asset.localhost/C%3A%5Cme%5Ca.js", &["C:/me/a.js"]),
            ("asset://localhost/js/a.js", &["asset://localhost/js/a.js"]),
            (
                "https://file%2B.vscode-resource.vscode-cdn.net/home/me/a%20b.js",
                &["/home/me/a b.js", "/home/me/a%20b.js"],
            ),
            ("vscode-file://vscode-app/c:/me/a%20b.js?x", &["C:/me/a b.js", "C:/me/a%20b.js"]),
            ("vscode-file://other/a.js", &["not-in-workspace"]),
            ("moz-extension://4c1f-8a/js/a.js", &["moz-extension://4c1f-8a/js/a.js"]),
            ("C:\\App\\resources\\app.asar.unpacked\\a.js", &["C:/App/resources/app.asar/a.js"]),
            ("http://[::1", &["http://[::1/index.html"]),
            ("http://localhost:99999999/a.js", &["http://localhost:99999999/a.js"]),
            ("http://", &["not-in-workspace"]),
            ("http:a.js", &["not-in-workspace"]),
            ("file://", &["not-in-workspace"]),
            ("file:///", &["not-in-workspace"]),
            ("file:a.js", &["not-in-workspace"]),
            ("//", &["not-in-workspace"]),
            ("::::", &["relative ::::"]),
            ("src/a.js", &["relative src/a.js"]),
            ("./../src\\a.js", &["relative src/a.js"]),
            ("webpack://app/./src/a.js", &["src/a.js"]),
            ("webpack:////srv/a.js?1a2b", &["/srv/a.js"]),
            ("webpack-internal:///./src/a%20b.js", &["src/a%20b.js", "src/a b.js"]),
            ("webpack://app/webpack/bootstrap", &["compiler"]),
            ("http://h/[metro-project]/src/a.js", &["src/a.js"]),
        ];
        for (url, expected) in rows {
            assert_eq!(texts(url), *expected, "{url}");
        }
    }

    #[test]
    fn urls_of_any_length_are_read() {
        let long = "x".repeat(1_000_000);
        assert_eq!(texts(&format!("http://localhost/{long}")), ["not-in-workspace"]);
        assert_eq!(texts(&format!("data:text/javascript,{long}")), ["no-resource"]);
    }

    #[test]
    fn prefixes_of_mappings() {
        let rows = [
            ("http://localhost:3000/", Some("http://localhost:3000")),
            ("HTTP://x", None),
            ("http://h/a%20b/", Some("http://h/a b")),
            ("file:///srv/app/", Some("/srv/app")),
            ("c:\\app", Some("C:/app")),
            ("file:///c:/app/", Some("C:/app")),
            ("file:///c%3A/a%20b", Some("C:/a b")),
            ("/", Some("")),
            ("webpack://", None),
            ("src/", None),
        ];
        for (prefix, text) in rows {
            assert_eq!(of_prefix(prefix).as_deref(), text, "{prefix}");
        }
    }
}
