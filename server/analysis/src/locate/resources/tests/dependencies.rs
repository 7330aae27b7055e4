//! Dependencies, browser extensions, and code in editors and packed programs.

use super::check;

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
    // A flat installation has a different tree from a nested one, and pnpm's links name the version.
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
    // Two installations: nothing tells which one it is.
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
    // In a container they are in a folder around the program; elsewhere they belong to another program.
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
    // A build next to the sources; the first manifest is a template without code, the last one belongs to a web app.
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
