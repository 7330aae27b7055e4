//! Tables of well-known names: code of engines, runtimes and tools, folders of installed software, hosts of packages, and
//! file names that prove little because many projects have them.

use std::net::Ipv4Addr;

use crate::locate::unplaced::UnplacedReason;

/// The modules of Node 12 and 14 as traces named them before `node:fs`.
const NODE_MODULES: &[&str] = &[
    "_http_agent.js",
    "_http_client.js",
    "_http_common.js",
    "_http_incoming.js",
    "_http_outgoing.js",
    "_http_server.js",
    "_stream_duplex.js",
    "_stream_passthrough.js",
    "_stream_readable.js",
    "_stream_transform.js",
    "_stream_wrap.js",
    "_stream_writable.js",
    "_tls_common.js",
    "_tls_wrap.js",
    "assert.js",
    "async_hooks.js",
    "bootstrap_node.js",
    "buffer.js",
    "child_process.js",
    "cluster.js",
    "console.js",
    "constants.js",
    "crypto.js",
    "dgram.js",
    "diagnostics_channel.js",
    "dns.js",
    "domain.js",
    "events.js",
    "fs.js",
    "http.js",
    "http2.js",
    "https.js",
    "inspector.js",
    "module.js",
    "net.js",
    "node.js",
    "os.js",
    "path.js",
    "perf_hooks.js",
    "process.js",
    "punycode.js",
    "querystring.js",
    "readline.js",
    "repl.js",
    "stream.js",
    "string_decoder.js",
    "sys.js",
    "timers.js",
    "tls.js",
    "trace_events.js",
    "tty.js",
    "url.js",
    "util.js",
    "v8.js",
    "vm.js",
    "wasi.js",
    "worker_threads.js",
    "zlib.js",
];

/// Prefixes of resources that are not files, with the reason.
const PREFIXES: &[(&str, UnplacedReason)] = &[
    ("node:", UnplacedReason::Runtime),
    ("internal/", UnplacedReason::Runtime),
    ("ext:", UnplacedReason::Runtime),
    ("deno:", UnplacedReason::Runtime),
    ("bun:", UnplacedReason::Runtime),
    // workerd, in which Cloudflare's workers run.
    ("workerd:", UnplacedReason::Runtime),
    ("cloudflare:", UnplacedReason::Runtime),
    ("cloudflare-internal:", UnplacedReason::Runtime),
    ("node-internal:", UnplacedReason::Runtime),
    ("chrome://", UnplacedReason::Runtime),
    ("devtools://", UnplacedReason::Runtime),
    ("resource://", UnplacedReason::Runtime),
    ("pptr:", UnplacedReason::Runtime),
    ("__puppeteer_evaluation_script__", UnplacedReason::Runtime),
    ("__playwright_evaluation_script__", UnplacedReason::Runtime),
    ("native ", UnplacedReason::Native),
    ("extensions::", UnplacedReason::Native),
    ("[native code", UnplacedReason::Native),
    ("wasm:", UnplacedReason::NoResource),
    ("data:", UnplacedReason::NoResource),
    ("blob:", UnplacedReason::NoResource),
    ("about:", UnplacedReason::NoResource),
    ("javascript:", UnplacedReason::NoResource),
    ("debugger:", UnplacedReason::NoResource),
    ("snippet:", UnplacedReason::NoResource),
    ("evalmachine.", UnplacedReason::NoResource),
    // `[eval]`, `[eval]-wrapper`, `[worker eval]`, `[stdin]`.
    ("[", UnplacedReason::NoResource),
    // `<anonymous>`, `<stdin>`, `<define:X>`.
    ("<", UnplacedReason::NoResource),
    // Rollup's virtual modules.
    ("\0", UnplacedReason::NoResource),
    // EJS names the code that it makes of a template after the template's file, in quotation marks.
    ("\"", UnplacedReason::Transformed),
];

/// Files that Yarn writes into a project: how packages are found in their archives.
const YARN_FILES: [&str; 3] = [".pnp.cjs", ".pnp.loader.mjs", ".pnp.js"];
/// Folders that Yarn itself lies in.
const YARN_RELEASES: [&str; 2] = ["/.yarn/releases/", "\\.yarn\\releases\\"];

/// Folders in which packages and programs are installed. Nothing there has a vote, since no project lies there.
const INSTALL_FOLDERS: &[&str] = &[
    "/usr/lib/",
    "/usr/lib64/",
    "/usr/share/",
    "/usr/local/lib/",
    "/usr/local/share/",
    "/usr/libexec/",
    "/var/runtime/",
    "/snap/",
    "/Applications/",
    "/opt/homebrew/",
    "/System/",
    "/Library/",
    "/nix/store/",
];
/// Path parts that mark such folders anywhere.
const INSTALL_PATH_PARTS: &[&str] = &[
    "/.nvm/",
    "/.volta/",
    "/.fnm/",
    "/.asdf/",
    "/.npm/",
    "/.yarn/",
    "/.pnpm-store/",
    "/.cache/",
    "/.deno/",
    "/.bun/",
    "/.vscode/extensions/",
    "/.vscode-server/",
    "/AppData/",
    "/Program Files/",
    "/Program Files (x86)/",
    "/_npx/",
];

/// Hosts that serve packages to everybody.
const PACKAGE_HOSTS: &[&str] = &[
    "unpkg.com",
    "jsdelivr.net",
    "cdnjs.cloudflare.com",
    "ajax.googleapis.com",
    "googletagmanager.com",
    "google-analytics.com",
    "code.jquery.com",
    "esm.sh",
    "skypack.dev",
    "jspm.io",
    "esm.run",
    "deno.land",
    "jsr.io",
    "gstatic.com",
    "bootstrapcdn.com",
    "aspnetcdn.com",
];

/// File names, without their extension, that every other project has.
const COMMON_NAMES: &[&str] = &[
    "api",
    "app",
    "application",
    "base",
    "bundle",
    "cli",
    "client",
    "common",
    "component",
    "config",
    "constants",
    "core",
    "entry",
    "error",
    "errors",
    "extension",
    "handler",
    "helper",
    "helpers",
    "index",
    "init",
    "layout",
    "lib",
    "logger",
    "main",
    "mod",
    "module",
    "page",
    "polyfills",
    "render",
    "renderer",
    "route",
    "router",
    "routes",
    "runtime",
    "script",
    "scripts",
    "server",
    "service",
    "setup",
    "shared",
    "start",
    "store",
    "test",
    "tests",
    "types",
    "util",
    "utils",
    "vendor",
    "vendors",
    "worker",
];

/// Why a resource is not a file at all; `None` if it may be one.
pub(crate) fn unplaced_reason(url: &str) -> Option<UnplacedReason> {
    if url.is_empty() {
        return Some(UnplacedReason::NoResource);
    }
    if let Some((_, unplaced_reason)) = PREFIXES.iter().find(|(beginning, _)| url.starts_with(beginning)) {
        return Some(*unplaced_reason);
    }
    // Firefox: `http://h/a.js line 3 > eval`, `http://h/a.js line 3 > WebAssembly.instantiate`.
    if [" > eval", " > Function", " > WebAssembly."].iter().any(|made_by| url.contains(made_by)) {
        return Some(UnplacedReason::NoResource);
    }
    if is_compiled_code(url) {
        return Some(UnplacedReason::NoResource);
    }
    let name = url.rsplit(['/', '\\']).next().unwrap_or(url);
    let is_yarn = YARN_FILES.contains(&name) || YARN_RELEASES.iter().any(|folder| url.contains(folder));
    if is_yarn || NODE_MODULES.contains(&url) {
        return Some(UnplacedReason::Runtime);
    }
    None
}

/// Whether it is a WebAssembly module, for which engines know an offset instead of a line. The scripts that Vite makes
/// for one (`app.wasm?init`) are not.
fn is_compiled_code(url: &str) -> bool {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let is_script =
        query.split(['&', '#']).any(|it| matches!(it, "init" | "url" | "import" | "raw" | "inline"));
    path.ends_with(".wasm") && !is_script
}

/// Whether a part of a path is `node_modules`.
pub(crate) fn has_node_modules(path: &str) -> bool {
    path.split('/').any(|part| part == "node_modules")
}

/// Whether a path on a disk belongs to installed software.
pub(crate) fn is_installed(path: &str) -> bool {
    INSTALL_FOLDERS.iter().any(|folder| path.starts_with(folder))
        || INSTALL_PATH_PARTS.iter().any(|part| path.contains(part))
}

/// Where development servers put the code that they add: Vite, @web/dev-server, and Storybook around the page of a story.
const DEVELOPMENT_CLIENTS: [&str; 7] = [
    "/@vite/",
    "/@id/",
    "/@react-refresh",
    "/@vite-plugin",
    "/@solid-refresh",
    "/__web-dev-server__",
    "/sb-manager/",
];

/// Whether a path of a development server is code that the server adds.
pub(crate) fn is_development_client(path: &str) -> bool {
    DEVELOPMENT_CLIENTS.iter().any(|own| path.starts_with(own))
}

/// Whether an origin is a server that a developer runs: on this machine, in a private network, in a container, or inside an app.
pub(crate) fn is_local(scheme: &str, origin: &str) -> bool {
    let host = host(origin);
    !scheme.starts_with("http")
        || !host.contains('.')
        || is_private_address(host)
        || [".localhost", ".local", ".test", ".internal"].iter().any(|end| host.ends_with(end))
}

/// Whether a host is an IPv4 address of this machine or a private network.
fn is_private_address(host: &str) -> bool {
    let address = host.parse::<Ipv4Addr>();
    address.is_ok_and(|it| it.is_private() || it.is_loopback() || it.octets()[0] == 0)
}

/// Whether an origin serves packages to everybody.
pub(crate) fn is_package_host(origin: &str) -> bool {
    let host = host(origin);
    PACKAGE_HOSTS
        .iter()
        .any(|known| host.strip_suffix(known).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
}

/// The host and port of an origin, with a single name for all names of this machine.
pub(crate) fn server(origin: &str) -> (&str, &str) {
    let (host, port) = host_and_port(origin);
    if matches!(host, "127.0.0.1" | "[::1]" | "0.0.0.0") { ("localhost", port) } else { (host, port) }
}

/// Whether many projects have a file with this name.
pub(crate) fn is_common_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem =
        [".min", ".bundle", ".prod", ".dev"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    COMMON_NAMES.binary_search(&stem.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether a part of a path is a version or a hash: `1.2.3`, `v2.0`, `3fa9c1d`.
pub(crate) fn is_version(part: &str) -> bool {
    let numbers = part.strip_prefix('v').unwrap_or(part);
    let is_number = numbers.starts_with(|it: char| it.is_ascii_digit()) && numbers.contains('.');
    let is_hash = part.len() >= 7
        && part.bytes().all(|it| it.is_ascii_hexdigit())
        && part.bytes().any(|it| it.is_ascii_digit());
    is_number || is_hash
}

/// Whether servers usually serve a folder with this name.
pub(crate) fn is_served_folder(name: &str) -> bool {
    let names = [
        "public", "static", "dist", "build", "out", "www", "wwwroot", "htdocs", "html", ".next", "_site",
        "site", "output", ".output", "assets",
    ];
    names.contains(&name)
}

/// Whether a folder of this name usually holds what a build wrote or copied.
pub(crate) fn is_built_folder(name: &str) -> bool {
    ["dist", "build", "out", "output", ".output", ".next", "_site"].contains(&name)
}

/// Whether a folder of this name holds what is built before it is served.
pub(crate) fn is_source_folder(name: &str) -> bool {
    ["src", "source", "sources", "lib", "ts"].contains(&name)
}

fn host(origin: &str) -> &str {
    host_and_port(origin).0
}

fn host_and_port(origin: &str) -> (&str, &str) {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let end = host.rfind(']').map_or(0, |end| end + 1);
    match host[end..].rfind(':') {
        Some(colon) => host.split_at(end + colon),
        None => (host, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_is_no_file() {
        let rows = [
            ("", Some(UnplacedReason::NoResource)),
            ("node:internal/modules/cjs/loader", Some(UnplacedReason::Runtime)),
            ("internal/bootstrap/node.js", Some(UnplacedReason::Runtime)),
            ("fs.js", Some(UnplacedReason::Runtime)),
            ("/ws/.pnp.cjs", Some(UnplacedReason::Runtime)),
            ("C:\\ws\\.pnp.cjs", Some(UnplacedReason::Runtime)),
            ("file:///ws/.yarn/releases/yarn-4.18.1.cjs", Some(UnplacedReason::Runtime)),
            ("/srv/app/fs.js", None),
            ("ext:core/01_core.js", Some(UnplacedReason::Runtime)),
            ("bun:main", Some(UnplacedReason::Runtime)),
            ("workerd:per-isolate/main", Some(UnplacedReason::Runtime)),
            ("cloudflare:workers", Some(UnplacedReason::Runtime)),
            ("[native code]", Some(UnplacedReason::Native)),
            ("native V8Runtime", Some(UnplacedReason::Native)),
            ("extensions::lastError", Some(UnplacedReason::Native)),
            ("[eval]", Some(UnplacedReason::NoResource)),
            ("[worker eval]-wrapper", Some(UnplacedReason::NoResource)),
            ("evalmachine.<anonymous>", Some(UnplacedReason::NoResource)),
            ("wasm://wasm/7413c19a", Some(UnplacedReason::NoResource)),
            ("data:,x", Some(UnplacedReason::NoResource)),
            ("blob:http://localhost:3100/216ad476", Some(UnplacedReason::NoResource)),
            ("about:blank", Some(UnplacedReason::NoResource)),
            ("\"/ws/views/500.ejs\"", Some(UnplacedReason::Transformed)),
            ("http://h/a.js line 3 > eval", Some(UnplacedReason::NoResource)),
            ("http://h/a.js line 3 > WebAssembly.instantiate", Some(UnplacedReason::NoResource)),
            ("http://h/app.wasm", Some(UnplacedReason::NoResource)),
            ("http://h/app.wasm?v=3", Some(UnplacedReason::NoResource)),
            ("http://h/app.wasm?init", None),
            ("http://h/app.wasm?import&init", None),
            ("pptr:evaluate;run", Some(UnplacedReason::Runtime)),
            ("webpack://app/./src/a.js", None),
            ("internal.js", None),
        ];
        for (url, expected) in rows {
            assert_eq!(unplaced_reason(url), expected, "{url}");
        }
    }

    #[test]
    fn servers_of_developers() {
        for origin in [
            "http://localhost:3000",
            "http://127.0.0.1",
            "http://[::1]:80",
            "http://10.0.0.7:5173",
            "http://web:8080",
            "http://app.test",
            "https://x.localhost",
            "http://172.20.1.2",
        ] {
            assert!(is_local("http", origin), "{origin}");
        }
        for origin in ["https://example.com", "http://8.8.8.8", "http://172.40.1.2", "https://1.2.3.4.5"] {
            assert!(!is_local("http", origin), "{origin}");
        }
        assert!(is_local("tauri", "tauri://some.name"));
        assert!(is_package_host("https://cdn.jsdelivr.net") && !is_package_host("https://notunpkg.com"));
        assert_eq!(server("http://[::1]:80"), server("http://localhost:80"));
    }

    #[test]
    fn names_that_say_little() {
        assert!(COMMON_NAMES.is_sorted());
        assert!(is_common_name("index.js") && is_common_name("App.tsx") && is_common_name("bundle.min.js"));
        assert!(!is_common_name("index-DLckNqGG.js") && !is_common_name("quadtree.ts"));
    }
}
