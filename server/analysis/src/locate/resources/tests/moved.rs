//! Traces from another machine or folder: which file of the workspace each name stands for.

use super::*;

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
        D:\\a\\r\\r\\src\\x.ts                      => C:/dev/r/src/x.ts
        file:///D:/a/r/r/src/y.ts                   => C:/dev/r/src/y.ts",
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
            found_by: FoundBy::EndOfPath,
            transformed: false,
        },
        _ => Located::Unplaced(UnplacedReason::Ambiguous),
    };
    assert_eq!(located, (0..2000).map(expected).collect::<Vec<_>>());
}
