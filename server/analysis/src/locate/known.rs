//! Names that are known: code of engines, runtimes and tools, and places where only installed software lies.

use crate::Why;

/// The modules of Node 12 and 14 as they stood in traces, before they were written `node:fs`.
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

/// Beginnings of resources, and what they are.
const BEGINNINGS: &[(&str, Why)] = &[
    ("node:", Why::Runtime),
    ("internal/", Why::Runtime),
    ("ext:", Why::Runtime),
    ("deno:", Why::Runtime),
    ("bun:", Why::Runtime),
    ("chrome-extension://", Why::Runtime),
    ("moz-extension://", Why::Runtime),
    ("safari-web-extension://", Why::Runtime),
    ("chrome://", Why::Runtime),
    ("devtools://", Why::Runtime),
    ("resource://", Why::Runtime),
    ("pptr:", Why::Runtime),
    ("__puppeteer_evaluation_script__", Why::Runtime),
    ("__playwright_evaluation_script__", Why::Runtime),
    ("native ", Why::Native),
    ("extensions::", Why::Native),
    ("[native code", Why::Native),
    ("wasm:", Why::NoResource),
    ("data:", Why::NoResource),
    ("blob:", Why::NoResource),
    ("about:", Why::NoResource),
    ("javascript:", Why::NoResource),
    ("debugger:", Why::NoResource),
    ("snippet:", Why::NoResource),
    ("evalmachine.", Why::NoResource),
    // `[eval]`, `[eval]-wrapper`, `[worker eval]`, `[stdin]`.
    ("[", Why::NoResource),
    // `<anonymous>`, `<stdin>`, `<define:X>`.
    ("<", Why::NoResource),
    // Virtual modules of rollup.
    ("\0", Why::NoResource),
];

/// Where packages and programs are installed, not where a project lies: nothing there is moved into the workspace.
const INSTALLED: &[&str] = &[
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
const INSTALLED_PARTS: &[&str] = &[
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

/// Hosts that serve everybody's packages.
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

/// File names, without their ending, that every other project has.
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

/// Why a resource is no file at all; `None` where it may be one.
pub(crate) fn why(url: &str) -> Option<Why> {
    if url.is_empty() {
        return Some(Why::NoResource);
    }
    if let Some((_, why)) = BEGINNINGS.iter().find(|(beginning, _)| url.starts_with(beginning)) {
        return Some(*why);
    }
    // Firefox: `http://h/a.js line 3 > eval`.
    if url.contains(" > eval") || url.contains(" > Function") {
        return Some(Why::NoResource);
    }
    if NODE_MODULES.contains(&url) {
        return Some(Why::Runtime);
    }
    None
}

/// Whether a path on a disk is one of installed software.
pub(crate) fn is_installed(path: &str) -> bool {
    INSTALLED.iter().any(|folder| path.starts_with(folder))
        || INSTALLED_PARTS.iter().any(|part| path.contains(part))
}

/// Whether a path of a development server is code of the server's own.
pub(crate) fn is_development_client(path: &str) -> bool {
    ["/@vite/", "/@id/", "/@react-refresh", "/@vite-plugin", "/@solid-refresh"]
        .iter()
        .any(|own| path.starts_with(own))
}

/// Whether an origin is a server that a developer runs: this machine, a private network, a container, an app's own.
pub(crate) fn is_local(scheme: &str, origin: &str) -> bool {
    let host = host(origin);
    let is_private = |host: &str| {
        let mut numbers = host.split('.').map(str::parse::<u8>);
        matches!(
            [numbers.next(), numbers.next(), numbers.next(), numbers.next(), numbers.next()],
            [Some(Ok(first)), Some(Ok(second)), Some(Ok(_)), Some(Ok(_)), None]
                if matches!((first, second), (0 | 10 | 127, _) | (192, 168) | (172, 16..=31))
        )
    };
    !scheme.starts_with("http")
        || !host.contains('.')
        || is_private(host)
        || [".localhost", ".local", ".test", ".internal"].iter().any(|end| host.ends_with(end))
}

/// Whether an origin serves packages to everybody.
pub(crate) fn is_package_host(origin: &str) -> bool {
    let host = host(origin);
    PACKAGE_HOSTS
        .iter()
        .any(|known| host.strip_suffix(known).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
}

/// An origin under the name that all names of this machine share.
pub(crate) fn server(origin: &str) -> (&str, &str) {
    let (host, port) = host_and_port(origin);
    if matches!(host, "127.0.0.1" | "[::1]" | "0.0.0.0") { ("localhost", port) } else { (host, port) }
}

/// Whether a file's name says little: every other project has one of that name.
pub(crate) fn is_common_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem =
        [".min", ".bundle", ".prod", ".dev"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    COMMON_NAMES.binary_search(&stem.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether servers usually serve a folder of this name.
pub(crate) fn is_served_folder(name: &str) -> bool {
    let names = [
        "public", "static", "dist", "build", "out", "www", "wwwroot", "htdocs", "html", ".next", "_site",
        "site", "output", ".output", "assets",
    ];
    names.contains(&name)
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
            ("", Some(Why::NoResource)),
            ("node:internal/modules/cjs/loader", Some(Why::Runtime)),
            ("internal/bootstrap/node.js", Some(Why::Runtime)),
            ("fs.js", Some(Why::Runtime)),
            ("/srv/app/fs.js", None),
            ("ext:core/01_core.js", Some(Why::Runtime)),
            ("bun:main", Some(Why::Runtime)),
            ("[native code]", Some(Why::Native)),
            ("native V8Runtime", Some(Why::Native)),
            ("extensions::lastError", Some(Why::Native)),
            ("[eval]", Some(Why::NoResource)),
            ("[worker eval]-wrapper", Some(Why::NoResource)),
            ("evalmachine.<anonymous>", Some(Why::NoResource)),
            ("wasm://wasm/7413c19a", Some(Why::NoResource)),
            ("data:,x", Some(Why::NoResource)),
            ("blob:http://localhost:3100/216ad476", Some(Why::NoResource)),
            ("about:blank", Some(Why::NoResource)),
            ("http://h/a.js line 3 > eval", Some(Why::NoResource)),
            ("chrome-extension://abc/background.js", Some(Why::Runtime)),
            ("pptr:evaluate;run", Some(Why::Runtime)),
            ("webpack://app/./src/a.js", None),
            ("internal.js", None),
        ];
        for (url, expected) in rows {
            assert_eq!(why(url), expected, "{url}");
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
