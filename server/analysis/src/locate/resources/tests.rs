//! Fixtures: the workspace as a list of paths, then the resources of one trace, each with what it is found to be.

use std::fmt::Write;

use super::*;
use crate::fixtures::files::FixtureFiles;
use crate::locate::mapping::PathMapping;

/// Lines of the workspace are as [`FixtureFiles`] reads them; `map FROM TO` is a mapping, `dependencies` the setting.
/// The lines after `---` are `resource => file or reason`; `=` before a file says that it is exact, `REASON or ` that its
/// text decides, `~` that what ran was another text. `serve PATH FOLDER` is what a debug configuration says.
#[track_caller]
fn check(fixture: &str) {
    let (workspace, trace) = fixture.split_once("---").unwrap();
    let mut settings = LocateSettings::default();
    let mut listing = String::new();
    for line in workspace.lines().map(str::trim) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["map", from, to] => settings.mappings.extend([PathMapping { from: from.into(), to: to.into() }]),
            ["serve", from, to] => settings.served.extend([PathMapping { from: from.into(), to: to.into() }]),
            ["dependencies"] => settings.dependencies = true,
            _ => writeln!(listing, "{line}").unwrap(),
        }
    }
    let files = FixtureFiles::new(&listing);
    let lines: Vec<&str> = trace.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let urls: Vec<&str> = lines.iter().map(|line| line.split_once(" => ").unwrap().0.trim()).collect();
    let shown = |located: &Located| match located {
        Located::File { file, certainty, transformed } => {
            let how = match certainty {
                Certainty::Exact => "=".to_owned(),
                Certainty::Suffix => String::new(),
                Certainty::Moved => unreachable!("no text is known here"),
                Certainty::Text { otherwise } => format!("{otherwise} or "),
            };
            format!("{}{how}{file}", if *transformed { "~" } else { "" })
        }
        Located::Unplaced(reason) => reason.to_string(),
    };
    let expected: Vec<String> =
        lines.iter().map(|line| line.split_once(" => ").unwrap().1.trim().to_owned()).collect();
    let located: Vec<String> = locate(&urls, &files, &settings).iter().map(shown).collect();
    let rows = |outcomes: &[String]| -> String {
        urls.iter().zip(outcomes).map(|(url, outcome)| format!("{url} => {outcome}\n")).collect()
    };
    assert_eq!(rows(&located), rows(&expected));

    // The order in which a trace names its resources changes nothing.
    let backwards: Vec<&str> = urls.iter().rev().copied().collect();
    let mut again: Vec<String> = locate(&backwards, &files, &settings).iter().map(shown).collect();
    again.reverse();
    assert_eq!(rows(&again), rows(&expected), "backwards");
}

#[test]
fn paths_of_the_workspace_are_the_files_themselves() {
    check(
        "/ws/
        /ws/app.js
        /ws/a b.js
        /ws/100%25.js
        /ws/a#b.js
        /ws/src/你.js
        ---
        file:///ws/app.js                    => =/ws/app.js
        file://localhost/ws/app.js?v=1#x     => =/ws/app.js
        /ws/app.js                           => =/ws/app.js
        /ws/./src/../app.js                  => =/ws/app.js
        /other.js -> /ws/app.js              => =/ws/app.js
        file:///ws/a%20b.js                  => =/ws/a b.js
        /ws/a b.js                           => =/ws/a b.js
        file:///ws/100%25.js                 => =/ws/100%25.js
        file:///ws/a%23b.js                  => =/ws/a#b.js
        /ws/a#b.js                           => =/ws/a#b.js
        file:///ws/src/%E4%BD%A0.js          => =/ws/src/你.js
        file:///ws/gone.js                   => not-in-workspace
        file:///ws/gone/app.js               => not-in-workspace",
    );
}

#[test]
fn windows_paths() {
    check(
        "c:/Users/me/ws/
        //server/share/ws/
        c:/Users/me/ws/app.js
        //server/share/ws/x.js
        ---
        C:\\Users\\me\\ws\\app.js            => =c:/Users/me/ws/app.js
        c:/Users/me/ws/app.js                => =c:/Users/me/ws/app.js
        file:///C:/Users/me/ws/app.js        => =c:/Users/me/ws/app.js
        file:///c%3A/Users/me/ws/app.js      => =c:/Users/me/ws/app.js
        /C:/Users/me/ws/app.js               => =c:/Users/me/ws/app.js
        file://server/share/ws/x.js          => =//server/share/ws/x.js
        \\\\server\\share\\ws\\x.js          => =//server/share/ws/x.js
        D:\\Users\\me\\ws\\app.js            => not-in-workspace",
    );
}

#[test]
fn nothing_outside_of_the_workspace_is_found() {
    check(
        "/box/ws/
        /box/ws/app.js
        /box/outside/secret.js
        /box/ws/link -> /box/outside
        /box/ws/self -> /box/ws/self
        map http://mapped/ /box/ws/
        map http://far/ /box/outside/
        ---
        file:///box/ws/app.js                       => =/box/ws/app.js
        file:///box/ws/../outside/secret.js         => not-in-workspace
        file:///box/ws/%2e%2e/outside/secret.js     => not-in-workspace
        file:///box/ws/./../ws/../outside/secret.js => not-in-workspace
        file:///box/ws/link/secret.js               => not-in-workspace
        file:///box/ws/self/app.js                  => not-in-workspace
        http://mapped/../outside/secret.js          => not-in-workspace
        http://mapped/..%2foutside/secret.js        => not-in-workspace
        http://far/secret.js                        => not-in-workspace
        /etc/passwd                                 => not-in-workspace",
    );
}

#[test]
fn links_inside_of_the_workspace_lead_to_the_file() {
    check(
        "/ws/
        /ws/packages/core/src/index.js
        /ws/node_modules/left/index.js
        /ws/node_modules/@my/core -> /ws/packages/core
        ---
        /ws/node_modules/@my/core/src/index.js      => =/ws/packages/core/src/index.js
        /ws/packages/core/src/index.js              => =/ws/packages/core/src/index.js
        /ws/node_modules/left/index.js              => dependency",
    );
}

#[test]
fn dependencies_count_only_where_asked() {
    let listing = "/ws/\n/ws/app.js\n/ws/lib/b.js\n/ws/node_modules/x/index.js\n";
    check(&format!(
        "{listing}---
        http://localhost/app.js                     => /ws/app.js
        http://localhost/node_modules/x/index.js    => dependency
        http://localhost/node_modules/gone/index.js => dependency
        /usr/lib/node_modules/x/index.js            => dependency"
    ));
    check(&format!(
        "{listing}dependencies
        ---
        http://localhost/app.js                     => /ws/app.js
        http://localhost/node_modules/x/index.js    => other-text or /ws/node_modules/x/index.js
        http://localhost/node_modules/gone/index.js => not-in-workspace
        /usr/lib/node_modules/x/index.js            => not-in-workspace"
    ));
    check(&format!(
        "{listing}dependencies
        ---
        /ws/node_modules/x/index.js                 => =/ws/node_modules/x/index.js"
    ));
    check(
        "/home/node_modules/x/
        /home/node_modules/x/index.js
        ---
        /home/node_modules/x/index.js               => =/home/node_modules/x/index.js",
    );
}

#[test]
fn dependencies_alone_vote_by_their_whole_paths() {
    // A linter that ran elsewhere: a nested package, two versions, a name that every package has.
    check(
        "/ws/
        /ws/node_modules/eslint/lib/index.js
        /ws/node_modules/eslint/lib/linter.js
        /ws/node_modules/eslint/node_modules/ajv/lib/index.js
        /ws/node_modules/ajv/lib/index.js
        /ws/node_modules/@my/core/index.js
        /ws/packages/a/node_modules/ajv/lib/index.js
        dependencies
        ---
        file:///ci/app/node_modules/eslint/lib/index.js         => other-text or /ws/node_modules/eslint/lib/index.js
        file:///ci/app/node_modules/eslint/lib/linter.js        => other-text or /ws/node_modules/eslint/lib/linter.js
        file:///ci/app/node_modules/eslint/node_modules/ajv/lib/index.js => other-text or /ws/node_modules/eslint/node_modules/ajv/lib/index.js
        file:///ci/app/node_modules/ajv/lib/index.js            => other-text or /ws/node_modules/ajv/lib/index.js
        file:///ci/app/node_modules/@my/core/index.js           => other-text or /ws/node_modules/@my/core/index.js
        file:///ci/app/packages/a/node_modules/ajv/lib/index.js => other-text or /ws/packages/a/node_modules/ajv/lib/index.js
        file:///ci/app/node_modules/eslint/node_modules/gone/index.js => not-in-workspace
        file:///usr/lib/node_modules/ajv/lib/index.js           => not-in-workspace
        file:///home/me/.npm/_npx/1f/node_modules/ajv/lib/index.js => not-in-workspace",
    );
    // What was installed flat is another tree than what was nested, and links of pnpm name the version.
    check(
        "/ws/
        /ws/node_modules/ajv/lib/index.js
        /ws/node_modules/.pnpm/acorn@8.1.0/node_modules/acorn/dist/acorn.js
        /ws/node_modules/acorn -> /ws/node_modules/.pnpm/acorn@8.1.0/node_modules/acorn
        dependencies
        ---
        /ci/node_modules/eslint/node_modules/ajv/lib/index.js => not-in-workspace
        /ci/node_modules/.pnpm/acorn@8.1.0/node_modules/acorn/dist/acorn.js => other-text or /ws/node_modules/.pnpm/acorn@8.1.0/node_modules/acorn/dist/acorn.js
        /ci/node_modules/.pnpm/acorn@8.0.0/node_modules/acorn/dist/acorn.js => not-in-workspace",
    );
    // Two installations: nothing tells which.
    check(
        "/ws/
        /ws/a/node_modules/ajv/lib/index.js
        /ws/b/node_modules/ajv/lib/index.js
        dependencies
        ---
        /ci/node_modules/ajv/lib/index.js           => ambiguous",
    );
    check(
        "/ws/
        /ws/a/node_modules/ajv/lib/index.js
        /ws/b/node_modules/ajv/lib/index.js
        /ws/b/node_modules/acorn/dist/acorn.js
        dependencies
        ---
        /ci/node_modules/ajv/lib/index.js           => other-text or /ws/b/node_modules/ajv/lib/index.js
        /ci/node_modules/acorn/dist/acorn.js        => other-text or /ws/b/node_modules/acorn/dist/acorn.js",
    );
    // A container has them in a folder around the program; elsewhere they are another program's.
    check(
        "/ws/
        /ws/src/cart.js
        /ws/src/search.js
        /ws/node_modules/ajv/lib/index.js
        /ws/node_modules/acorn/dist/acorn.js
        dependencies
        ---
        /opt/app/src/cart.js                        => /ws/src/cart.js
        /opt/app/src/search.js                      => /ws/src/search.js
        /opt/node_modules/ajv/lib/index.js          => other-text or /ws/node_modules/ajv/lib/index.js
        /srv/tool/node_modules/acorn/dist/acorn.js  => not-in-workspace",
    );
    check(
        "/ws/
        /ws/node_modules/ajv/lib/index.js
        ---
        /ci/node_modules/ajv/lib/index.js           => dependency",
    );
}

#[test]
fn extensions_of_browsers_are_own_code_where_the_workspace_has_their_manifest() {
    check(
        "/ws/
        /ws/manifest.json = {\"manifest_version\": 3}
        /ws/background.js
        /ws/content/page.js
        ---
        chrome-extension://abcdefgh/background.js      => other-text or /ws/background.js
        chrome-extension://abcdefgh/content/page.js?x  => other-text or /ws/content/page.js
        chrome-extension://fmkadmap/build/hook.js      => runtime
        chrome-extension://fmkadmap/background.js      => runtime",
    );
    // A build beside the sources; the first manifest is a template without code, the last one is of a web app.
    check(
        "/ws/
        /ws/public/manifest.json = // of the store\n{\"manifest_version\": 3}
        /ws/dist/manifest.json = {\"manifest_version\": 3}
        /ws/dist/js/background.js
        /ws/src/background.js
        /ws/app/manifest.json = {\"start_url\": \".\"}
        /ws/app/js/background.js
        ---
        moz-extension://4c1f-8a/js/background.js    => runtime or /ws/dist/js/background.js",
    );
    check(
        "/ws/
        /ws/chrome/manifest.json = {\"manifest_version\": 3}
        /ws/chrome/background.js
        /ws/firefox/manifest.json = {\"manifest_version\": 2}
        /ws/firefox/background.js
        ---
        chrome-extension://abcdefgh/background.js   => ambiguous",
    );
    check(
        "/ws/
        /ws/manifest.json = {\"manifest_version\": 3}
        /ws/background.js
        ---
        chrome-extension://abcdefgh/background.js   => ambiguous
        chrome-extension://fmkadmap/background.js   => ambiguous",
    );
    check(
        "/ws/
        /ws/background.js
        map chrome-extension://mapped/ /ws/
        ---
        chrome-extension://abcdefgh/background.js   => runtime
        chrome-extension://mapped/background.js     => =/ws/background.js",
    );
}

#[test]
fn code_in_editors_and_in_packed_programs() {
    check(
        "/ws/
        /ws/package.json = {\"name\": \"tool\", \"publisher\": \"Me\"}
        /ws/out/extension.js
        /ws/media/main.js
        ---
        file:///home/me/.vscode/extensions/me.tool-1.2.3/out/extension.js  => /ws/out/extension.js
        file:///C:/Users/me/.cursor/extensions/me.tool-1.2.3-win32-x64/out/extension.js => /ws/out/extension.js
        file:///home/me/.vscode/extensions/me.tools-1.2.3/out/extension.js => not-in-workspace
        file:///home/me/.vscode/extensions/you.tool-1.2.3/out/extension.js => not-in-workspace
        vscode-file://vscode-app/usr/share/code/resources/app/out/main.js  => not-in-workspace
        vscode-file://vscode-app/Applications/Code.app/Contents/Resources/app/out/media/main.js => not-in-workspace",
    );
    check(
        "/home/me/ws/
        /home/me/ws/out/bootstrap.js
        /home/me/ws/media/main.js
        ---
        vscode-file://vscode-app/home/me/ws/out/bootstrap.js               => =/home/me/ws/out/bootstrap.js
        https://file%2B.vscode-resource.vscode-cdn.net/home/me/ws/media/main.js => =/home/me/ws/media/main.js",
    );
    for root in [
        "file:///opt/My%20App/resources",
        "file:///Applications/My%20App.app/Contents/Resources",
        "C:\\Users\\me\\AppData\\Local\\Programs\\my-app\\resources",
    ] {
        check(&format!(
            "/ws/
            /ws/out/main/window.js
            /ws/out/native/disk.js
            ---
            {root}/app.asar/out/main/window.js          => /ws/out/main/window.js
            {root}/app.asar.unpacked/out/native/disk.js => /ws/out/native/disk.js
            {root}/app.asar/node_modules/x/index.js     => dependency"
        ));
    }
    for root in
        ["tauri://localhost", "http://tauri.localhost", "app://-", "wails://wails", "asset://localhost"]
    {
        check(&format!(
            "/ws/
            /ws/dist/index.html
            /ws/dist/assets/index-1f2e3d4c.js
            ---
            {root}/assets/index-1f2e3d4c.js             => /ws/dist/assets/index-1f2e3d4c.js"
        ));
    }
}

#[test]
fn a_folder_of_a_version_is_a_claim_that_the_text_decides() {
    for folder in ["app/1.2.3", "app/v2.0", "assets/3fa9c1d", "static/3fa9c1d/js"] {
        check(&format!(
            "/ws/
            /ws/dist/main.js
            /ws/src/main.ts
            ---
            https://cdn.example.com/{folder}/main.js => not-in-workspace or /ws/dist/main.js
            https://cdn.example.com/vue/main.js      => not-in-workspace"
        ));
    }
    check(
        "/ws/
        /ws/main.js
        ---
        http://localhost:3000/main.js            => /ws/main.js
        https://cdn.example.com/app/1.2.3/main.js => not-in-workspace
        https://unpkg.com/app/1.2.3/main.js      => not-in-workspace",
    );
}

#[test]
fn a_server_s_root_is_the_folder_where_most_urls_are() {
    check(
        "/ws/
        /ws/main.js
        /ws/generate.js
        /ws/index.html
        ---
        http://localhost:3000/main.js               => /ws/main.js
        http://localhost:3000/generate.js           => /ws/generate.js
        http://localhost:3000/                      => /ws/index.html
        evaluated.js                                => not-in-workspace",
    );
    check(
        "/ws/
        /ws/main.js
        ---
        http://localhost:3000/main.js               => /ws/main.js",
    );
    check(
        "/ws/
        /ws/app.js
        /ws/good.js
        ---
        http://localhost/app.js                     => /ws/app.js",
    );
    check(
        "/ws/
        /ws/index.html
        /ws/dist/index.html
        /ws/dist/assets/index-DLckNqGG.js
        /ws/src/index.js
        ---
        http://localhost:4173/assets/index-DLckNqGG.js => /ws/dist/assets/index-DLckNqGG.js
        http://localhost:4173/                         => /ws/dist/index.html",
    );
    check(
        "/ws/
        /ws/index.html
        /ws/src/main.ts
        /ws/dist/main.js
        ---
        http://localhost:8080/dist/main.js          => /ws/dist/main.js",
    );
    check(
        "/ws/
        /ws/public/main.js
        /ws/public/lib/tree.js
        /ws/src/main.js
        /ws/main.js
        ---
        http://localhost:3000/main.js               => /ws/public/main.js
        http://localhost:3000/lib/tree.js?v=2       => /ws/public/lib/tree.js
        http://localhost:3000/lib/gone.js           => not-in-workspace",
    );
    check(
        "/ws/
        /ws/frontend/main.js
        /ws/frontend/cart.js
        ---
        http://localhost:3000/static/main.js        => /ws/frontend/main.js
        http://localhost:3000/static/cart.js        => /ws/frontend/cart.js",
    );
}

#[test]
fn development_servers() {
    check(
        "/home/me/ws/
        /home/me/ws/src/main.ts
        /home/me/ws/src/text/search.ts
        /home/me/ws/shared/vec.ts
        ---
        http://localhost:5173/src/main.ts?t=123     => ~/home/me/ws/src/main.ts
        http://localhost:5173/src/text/search.ts    => ~/home/me/ws/src/text/search.ts
        http://localhost:5173/@fs/home/me/ws/shared/vec.ts => ~=/home/me/ws/shared/vec.ts
        http://localhost:5173/@vite/client          => runtime
        http://localhost:5173/node_modules/.vite/deps/vue.js?v=1 => dependency
        webpack://app/./src/main.ts                 => ~/home/me/ws/src/main.ts
        webpack-internal:///./src/main.ts           => ~/home/me/ws/src/main.ts",
    );
}

#[test]
fn modules_of_eval() {
    check(
        "/ws/
        /ws/src/main.ts
        /ws/src/a b.js
        /ws/lib/tree.js
        /ws/node_modules/x/i.js
        ---
        webpack-internal:///./src/main.ts           => ~/ws/src/main.ts
        webpack-internal:///(rsc)/./src/main.ts     => ~/ws/src/main.ts
        webpack-internal:///./src/a b.js            => ~/ws/src/a b.js
        webpack-internal:///./src/gone.js           => not-in-workspace
        webpack-internal:///../ws/lib/tree.js       => ~/ws/lib/tree.js
        webpack-internal:///./node_modules/x/i.js   => dependency
        webpack://app/./lib/tree.js?                => ~/ws/lib/tree.js
        webpack:////ws/lib/tree.js                  => ~=/ws/lib/tree.js
        webpack://app/webpack/bootstrap             => compiler
        turbopack:///[project]/lib/tree.js          => ~/ws/lib/tree.js
        [project]/lib/tree.js [app-client] (ecmascript) => ~/ws/lib/tree.js
        rollup://x                                  => not-in-workspace",
    );
    check(
        "/ws/
        /ws/packages/a/src/index.ts
        /ws/packages/b/src/index.ts
        /ws/packages/b/src/tree.ts
        ---
        webpack-internal:///./src/index.ts          => ~/ws/packages/b/src/index.ts
        webpack-internal:///./src/tree.ts           => ~/ws/packages/b/src/tree.ts
        webpack://other/./src/index.ts              => ambiguous",
    );
}

#[test]
fn debug_configurations_name_the_folders_of_servers() {
    check(
        "/ws/
        /ws/client/app.js
        /ws/other/app.js
        /ws/img/app.js
        /ws/src/index.ts
        /ws/client/src/index.ts
        serve / /ws/client
        serve /img /ws/img/
        ---
        http://localhost:3000/app.js                => =/ws/client/app.js
        http://localhost:3000/img/app.js            => =/ws/img/app.js
        http://localhost:3000/gone.js               => not-in-workspace
        file:///ws/other/app.js                     => =/ws/other/app.js
        webpack-internal:///./src/index.ts          => ~/ws/client/src/index.ts",
    );
    check(
        "/ws/
        /ws/client/app.js
        /ws/other/app.js
        serve / /ws/client
        serve / /ws/other
        ---
        http://localhost:3000/app.js                => not-in-workspace",
    );
}

#[test]
fn pages_without_a_name() {
    check(
        "/ws/
        /ws/index.html
        /ws/about.html
        /ws/docs/index.html
        /ws/tool
        ---
        http://localhost:3000                       => /ws/index.html
        http://localhost:3000/?q=1                  => /ws/index.html
        http://localhost:3000/about                 => /ws/about.html
        http://localhost:3000/docs/                 => /ws/docs/index.html
        http://localhost:3000/tool                  => /ws/tool
        http://localhost:3000/cart                  => not-in-workspace",
    );
}

#[test]
fn a_bundle_in_a_server_s_memory_is_not_the_source_of_its_name() {
    check(
        "/ws/
        /ws/src/main.js
        ---
        http://localhost:8080/main.js               => not-in-workspace",
    );
    check(
        "/ws/
        /ws/src/main.js
        /ws/dist/main.js
        ---
        http://localhost:8080/main.js               => /ws/dist/main.js",
    );
    check(
        "/ws/
        /ws/src/main.js
        /ws/src/cart.js
        ---
        http://localhost:8080/main.js               => not-in-workspace
        http://localhost:8080/cart.js               => not-in-workspace
        http://localhost:8080/runtime.js            => not-in-workspace
        http://localhost:8080/vendor.js             => not-in-workspace",
    );
}

#[test]
fn twins_are_told_apart_by_the_vote_or_not_at_all() {
    let monorepo = "/ws/
        /ws/src/index.js
        /ws/packages/a/src/index.js
        /ws/packages/a/src/tree.js
        /ws/packages/b/src/index.js
        ";
    check(&format!(
        "{monorepo}---
        http://localhost:3000/src/index.js          => /ws/packages/a/src/index.js
        http://localhost:3000/src/tree.js           => /ws/packages/a/src/tree.js"
    ));
    check(&format!(
        "{monorepo}---
        http://localhost:3000/src/index.js          => ambiguous"
    ));
    check(&format!(
        "{monorepo}---
        /srv/app/src/index.js                       => ambiguous"
    ));
    check(&format!(
        "{monorepo}---
        /srv/app/packages/a/src/index.js            => /ws/packages/a/src/index.js
        /srv/app/packages/b/src/index.js            => /ws/packages/b/src/index.js
        /srv/app/src/index.js                       => /ws/src/index.js"
    ));
    check(&format!(
        "{monorepo}---
        http://localhost:3000/index.js              => not-in-workspace"
    ));
    check(
        "/ws/
        /ws/index.js
        /ws/lib/math.js
        /ws/packages/a/index.js
        ---
        file:///srv/app/index.js                    => /ws/index.js
        file:///srv/app/lib/math.js                 => /ws/lib/math.js",
    );
}

#[test]
fn what_was_recorded_elsewhere_is_moved_here() {
    check(
        "/home/me/ws/
        /home/me/ws/main.js
        /home/me/ws/lib/trie.js
        /home/me/ws/lib/words.js
        ---
        file:///srv/app/main.js                     => /home/me/ws/main.js
        file:///srv/app/lib/trie.js                 => /home/me/ws/lib/trie.js
        file:///srv/app/lib/gone.js                 => not-in-workspace
        file:///srv/app/lib/words.js                => /home/me/ws/lib/words.js
        /usr/share/tool/lib/words.js                => not-in-workspace
        file:///opt/tool/lib/words.js               => not-in-workspace
        node:fs                                     => runtime",
    );
    check(
        "/home/me/r/
        /home/me/r/src/x.js
        ---
        /builds/team/r/src/x.js              => /home/me/r/src/x.js",
    );
    check(
        "c:/dev/r/
        c:/dev/r/src/x.ts
        c:/dev/r/src/y.ts
        ---
        D:\\a\\r\\r\\src\\x.ts                      => c:/dev/r/src/x.ts
        file:///D:/a/r/r/src/y.ts                   => c:/dev/r/src/y.ts",
    );
    check(
        "/ws/
        /ws/packages/api/package.json
        /ws/packages/api/src/index.js
        /ws/packages/api/src/cart.js
        /ws/packages/web/src/index.js
        ---
        /app/src/index.js                           => /ws/packages/api/src/index.js
        /app/src/cart.js                            => /ws/packages/api/src/cart.js",
    );
    check(
        "/ws/
        /ws/index.mjs
        ---
        file:///var/task/index.mjs                  => /ws/index.mjs
        file:///var/runtime/index.mjs               => not-in-workspace",
    );
}

#[test]
fn escapes_in_a_folder_of_the_trace_are_two_readings_and_one_vote() {
    for root in [
        "file:///C:/Users/John%20Doe/app",
        "file:///Users/jos%C3%A9/app",
        "file:///home/a%40b",
        "file:///home/100%25/app",
        "file:///home/a%2520b/app",
        "file:///home/caf%E9/app",
        "file:///home/caf%E9/a%20b",
        "file:///home/50%/app",
        "file:///home/c%23/app",
        "http://localhost:3000/my%20app",
        "/home/a%20b/app",
        "C:\\Users\\a%20b\\app",
        "//server/my%20share/app",
        "https://shop.example.com/my%20app",
    ] {
        check(&format!(
            "/ws/
            /ws/public/main.js
            /ws/public/tree.js
            /ws/public/a b/search.js
            ---
            {root}/main.js                       => /ws/public/main.js
            {root}/tree.js                       => /ws/public/tree.js
            {root}/a%20b/search.js               => /ws/public/a b/search.js
            {root}/a%20b/gone.js                 => not-in-workspace"
        ));
    }
    check(
        "/ws/
        /ws/a b/x.js
        /ws/a%20b/x.js
        /ws/tree.js
        ---
        file:///srv/my%20app/tree.js         => /ws/tree.js
        file:///srv/my%20app/a%20b/x.js      => /ws/a b/x.js
        file:///srv/my%20app/a%2520b/x.js    => /ws/a%20b/x.js",
    );
    check(
        "/ws/
        /ws/my app/tree.js
        /ws/my app/search.js
        /ws/old/search.js
        ---
        file:///srv/my%20app/tree.js         => /ws/my app/tree.js
        file:///srv/my%20app/search.js       => /ws/my app/search.js",
    );
    check(
        "/ws/
        /ws/dependency/index.js
        /ws/tree.js
        /ws/node_modules/x y/index.js
        dependencies
        ---
        file:///srv/my%20app/tree.js                        => /ws/tree.js
        file:///srv/my%20app/node_modules/x%20y/index.js    => other-text or /ws/node_modules/x y/index.js",
    );
}

#[test]
fn paths_of_other_projects_stay_away() {
    check(
        "/ws/
        /ws/index.js
        /ws/app.js
        ---
        file:///ws/app.js                           => =/ws/app.js
        file:///srv/other/index.js                  => not-in-workspace",
    );
    check(
        "/ws/
        /ws/index.js
        /ws/src/utils.js
        ---
        /usr/lib/node_modules/x/index.js            => dependency
        /usr/lib/tool/index.js                      => not-in-workspace
        /home/me/.nvm/versions/x/index.js           => not-in-workspace",
    );
    check(
        "/ws/
        /ws/index.js
        ---
        /srv/a/index.js                             => not-in-workspace
        /srv/b/index.js                             => not-in-workspace",
    );
    check(
        "/ws/
        /ws/index.js
        ---
        /srv/other/index.js                         => not-in-workspace
        /srv/other/one.js                           => not-in-workspace
        /srv/other/two.js                           => not-in-workspace
        /srv/other/three.js                         => not-in-workspace",
    );
    check(
        "/ws/
        /ws/lib/index.js
        ---
        /srv/other/index.js                         => not-in-workspace",
    );
}

#[test]
fn other_hosts_do_not_take_files_of_the_same_name() {
    check(
        "/ws/
        /ws/app.js
        /ws/tree.js
        /ws/dist/index.js
        ---
        http://localhost:3000/app.js                => /ws/app.js
        http://localhost:3000/tree.js               => /ws/tree.js
        https://cdn.example.com/app.js              => not-in-workspace
        https://cdn.example.com/vue/dist/index.js   => not-in-workspace",
    );
    check(
        "/ws/
        /ws/dist/index.js
        /ws/dist/vue.global.js
        ---
        https://cdn.example.com/npm/vue/dist/index.js => not-in-workspace
        https://unpkg.com/vue@3/dist/vue.global.js  => not-in-workspace",
    );
    check(
        "/ws/
        /ws/build/static/js/main.5f3a1c.js
        /ws/src/main.js
        ---
        https://example.com/shop/static/js/main.5f3a1c.js => /ws/build/static/js/main.5f3a1c.js",
    );
    check(
        "/ws/
        /ws/dist/main.js
        ---
        http://localhost:3000/main.js               => ambiguous
        http://localhost:3001/main.js               => ambiguous",
    );
    check(
        "/ws/
        /ws/main.js
        /ws/tree.js
        ---
        http://localhost:3000/main.js               => /ws/main.js
        http://127.0.0.1:3000/main.js               => /ws/main.js
        http://localhost:3000/tree.js               => /ws/tree.js",
    );
    check(
        "/ws/
        /ws/main.js
        ---
        file:///ws/main.js                          => =/ws/main.js
        http://localhost:3000/main.js               => ambiguous",
    );
}

#[test]
fn a_second_folder_of_a_server_needs_better_reasons_than_a_missing_file() {
    check(
        "/ws/
        /ws/public/cart.js
        /ws/public/search.js
        /ws/dist/bundle.js
        /ws/checkout.js
        /ws/other/lib/tree.js
        ---
        http://localhost:3000/cart.js               => /ws/public/cart.js
        http://localhost:3000/search.js             => /ws/public/search.js
        http://localhost:3000/dist/bundle.js        => /ws/dist/bundle.js",
    );
    check(
        "/ws/
        /ws/public/cart.js
        /ws/public/search.js
        /ws/checkout.js
        /ws/other/lib/tree.js
        ---
        http://localhost:3000/cart.js               => /ws/public/cart.js
        http://localhost:3000/search.js             => /ws/public/search.js
        http://localhost:3000/checkout.js           => not-in-workspace
        http://localhost:3000/lib/tree.js           => not-in-workspace",
    );
}

#[test]
fn two_servers_of_one_workspace() {
    check(
        "/ws/
        /ws/host/index.html
        /ws/host/main.js
        /ws/host/cart.js
        /ws/remote/dist/remote-entry.js
        /ws/queue.js
        ---
        http://localhost:3000/main.js               => /ws/host/main.js
        http://localhost:3000/cart.js               => /ws/host/cart.js
        http://localhost:3001/remote-entry.js       => /ws/remote/dist/remote-entry.js
        http://localhost:3002/queue.js              => not-in-workspace
        http://localhost:3002/tree.js               => not-in-workspace",
    );
}

#[test]
fn of_servers_that_are_supported_alike_none_comes_first() {
    check(
        "/ws/
        /ws/public/static/main.js
        /srv/
        /srv/a.js
        ---
        http://one/static/main.js => /ws/public/static/main.js
        http://one/x/a.js         => ambiguous
        http://two/y/a.js         => ambiguous
        http://one/x/a.js         => ambiguous
        http://two/y/a.js         => ambiguous",
    );
}

#[test]
fn mappings_come_first_longest_first() {
    check(
        "/ws/
        /ws/a/main.js
        /ws/b/main.js
        /ws/b/index.html
        /ws/c/src/x.js
        /ws/d/y.js
        map http://localhost:3000/ /ws/a/
        map http://localhost:3000/b /ws/b
        map /remote /ws/c
        map webpack://app/ /ws/c/
        map http://h/one.js /ws/d/y.js
        map http://unused/ /nowhere/
        ---
        http://localhost:3000/main.js?v=1           => =/ws/a/main.js
        http://localhost:3000/b/main.js             => =/ws/b/main.js
        http://localhost:3000/b/                    => =/ws/b/index.html
        http://localhost:3000/bb/main.js            => not-in-workspace
        /remote/src/x.js                            => =/ws/c/src/x.js
        file:///remote/src/x.js                     => =/ws/c/src/x.js
        webpack://app/./src/x.js?1a2b               => ~=/ws/c/src/x.js
        http://h/one.js                             => =/ws/d/y.js
        http://unused/b/main.js                     => ambiguous",
    );
}

#[test]
fn a_mapping_that_fits_nothing_does_not_stop_the_vote() {
    check(
        "/ws/
        /ws/public/main.js
        map http://localhost:3000/ /ws/
        ---
        http://localhost:3000/main.js               => /ws/public/main.js",
    );
    check(
        "/ws/
        /ws/cart.js
        /ws/public/main.js
        map / /ws/
        ---
        http://localhost:3000/cart.js               => =/ws/cart.js
        http://localhost:3000/main.js               => not-in-workspace",
    );
}

#[test]
fn several_and_nested_workspace_folders() {
    check(
        "/me/web/
        /me/api/
        /me/api/tools/
        /me/web/src/index.js
        /me/web/src/page.js
        /me/api/src/index.js
        /me/api/tools/run.js
        ---
        http://localhost:5173/src/index.js          => /me/web/src/index.js
        http://localhost:5173/src/page.js           => /me/web/src/page.js
        file:///me/api/tools/run.js                 => =/me/api/tools/run.js",
    );
    check(
        "/me/web/
        /me/api/
        /me/web/src/index.js
        /me/api/src/index.js
        ---
        /builds/7/web/src/index.js                  => /me/web/src/index.js
        /builds/7/api/src/index.js                  => /me/api/src/index.js",
    );
    check(
        "/me/app-main/
        /me/app-next/
        /me/app-main/src/cart.js
        /me/app-next/src/cart.js
        ---
        /srv/app/src/cart.js                        => ambiguous",
    );
}

#[test]
fn paths_without_a_beginning() {
    check(
        "/ws/
        /ws/app.js
        /ws/src/tree.js
        /ws/src/index.js
        /ws/test/src/index.js
        /ws/lib/deep.js
        /ws/fs.js
        ---
        app.js                                      => /ws/app.js
        ./src/tree.js                               => /ws/src/tree.js
        src/index.js                                => ambiguous
        deep.js                                     => not-in-workspace
        fs.js                                       => runtime
        internal/fs.js                              => runtime",
    );
    check(
        "/ws/
        /ws/app.js
        ---
        http://localhost/app.js                     => /ws/app.js
        app.js                                      => ambiguous",
    );
}

#[test]
fn odd_urls_do_no_harm() {
    check(
        "/ws/
        /ws/app.js
        /ws/x.js
        ---
        file:///ws/app.js                           => =/ws/app.js
        http://[::1                                 => not-in-workspace
        file://                                     => not-in-workspace
        file:///%zz/%                               => not-in-workspace
        http://localhost:99999999/a.js              => not-in-workspace
        C:\\..\\..\\x.js                            => not-in-workspace
        \\\\server\\share\\x.js                     => not-in-workspace
        data:,x                                     => no-resource
        ::::                                        => not-in-workspace
        //                                          => not-in-workspace
        http://                                     => not-in-workspace",
    );
    let long = format!("http://localhost/{}", "x".repeat(10_000_000));
    let files = FixtureFiles::new("/ws/\n/ws/app.js");
    let located = locate(&[&long, ""], &files, &LocateSettings::default());
    assert_eq!(
        located,
        [Located::Unplaced(UnplacedReason::NotInWorkspace), Located::Unplaced(UnplacedReason::NoResource)]
    );
}

#[test]
fn the_workspace_is_walked_only_where_a_vote_needs_it() {
    let files = FixtureFiles::new("/ws/\n/ws/app.js");
    let settings = LocateSettings::default();
    let here = ["file:///ws/app.js", "file:///opt/x/app.js", "node:fs", "data:,x", "/ws/gone.js", ""];
    locate(&here, &files, &settings);
    assert_eq!(*files.walks.lock().unwrap(), 0);
    locate(&["http://localhost/app.js", "http://localhost/b.js"], &files, &settings);
    assert_eq!(*files.walks.lock().unwrap(), 1);
}

#[test]
fn thousands_of_files_of_one_name() {
    let mut listing = String::from("/ws/\n");
    for number in 0..5000 {
        writeln!(listing, "/ws/packages/p{number}/src/index.js\n/ws/packages/p{number}/index.js").unwrap();
    }
    let files = FixtureFiles::new(&listing);
    let mut urls: Vec<String> =
        (0..1000).map(|number| format!("/ci/packages/p{number}/src/index.js")).collect();
    urls.extend((0..1000).map(|number| format!("http://localhost/f{number}/src/index.js")));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let located = locate(&urls, &files, &LocateSettings::default());
    let expected = |number: usize| match number {
        0..1000 => Located::File {
            file: FilePath::new(&format!("/ws/packages/p{number}/src/index.js")),
            certainty: Certainty::Suffix,
            transformed: false,
        },
        _ => Located::Unplaced(UnplacedReason::Ambiguous),
    };
    assert_eq!(located, (0..2000).map(expected).collect::<Vec<_>>());
}
