//! Urls of servers: which folder of the workspace is the root of each.

use super::check;

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
        http://localhost:8000/__web-dev-server__web-socket.js => runtime
        http://localhost:6006/sb-manager/runtime.js => runtime
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
fn a_build_that_is_named_after_a_package() {
    check(
        r#"/ws/
        /ws/package.json = {"name":"@my/all"}
        /ws/packages/a/package.json = {"name":"@my/a"}
        /ws/packages/a/src/main.ts
        /ws/packages/a/src/util.ts
        /ws/packages/b/package.json = {"name":"@my/b"}
        /ws/packages/b/src/main.ts
        /ws/packages/b/src/util.ts
        /ws/packages/lib/src/index.ts
        /ws/twin/package.json = {"name":"twin"}
        /ws/twin/src/main.ts
        /ws/twin/old/package.json = {"name":"twin"}
        ---
        webpack://@my/a/./src/main.ts?         => ~/ws/packages/a/src/main.ts
        webpack://@my/a/./src/util.ts?         => ~/ws/packages/a/src/util.ts
        webpack://@my/a/../lib/src/index.ts?   => ~/ws/packages/lib/src/index.ts
        webpack://%40my/b/./src/main.ts        => ~/ws/packages/b/src/main.ts
        webpack://@my/b/./src/gone.ts          => not-in-workspace
        webpack://twin/./src/main.ts           => ambiguous
        webpack://@my/c/./src/main.ts          => ambiguous"#,
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
