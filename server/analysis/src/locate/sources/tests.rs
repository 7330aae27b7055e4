//! Fixtures: a workspace, then maps with their sources, each with the expected result.

use std::fmt::Write;

use super::*;
use crate::fixtures::files::FixtureFiles;
use crate::locate::mapping::PathMapping;

/// Above `---` is the workspace, as [`FixtureFiles`] reads it, and `map FROM TO`, `serve PATH FOLDER`,
/// `override LEFT RIGHT`, `other configuration`, `dependencies`. Below, `map FILE` starts a map; its lines are
/// `source => file or reason`, or `source {text} => ..` if the map has the text. After a file, `+` says that it holds the
/// text, `-` that it does not.
#[track_caller]
fn check(fixture: &str) {
    let (workspace, trace) = fixture.split_once("---").unwrap();
    let mut settings = LocateSettings { overrides: vec![Vec::new()], ..LocateSettings::default() };
    let mut listing = String::new();
    for line in workspace.lines().map(str::trim) {
        let mapping = |from: &str, to: &str| PathMapping { from: from.into(), to: to.into() };
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["map", from, to] => settings.mappings.extend([mapping(from, to)]),
            ["serve", from, to] => settings.served.extend([mapping(from, to)]),
            ["override", left, right] => {
                settings.overrides.last_mut().unwrap().push((left.into(), right.into()));
            }
            ["other", "configuration"] => settings.overrides.push(Vec::new()),
            ["dependencies"] => settings.dependencies = true,
            _ => writeln!(listing, "{line}").unwrap(),
        }
    }
    let files = FixtureFiles::new(&listing);
    let mut fixture_maps: Vec<(FilePath, Vec<Row>)> = Vec::new();
    for line in trace.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(map) = line.strip_prefix("map ") {
            fixture_maps.push((FilePath::new(map), Vec::new()));
            continue;
        }
        let (source, expected) = line.split_once(" => ").unwrap();
        let (source, text) = match source.trim().strip_suffix('}').and_then(|it| it.split_once(" {")) {
            Some((source, text)) => (source.trim(), Some(text.replace("\\n", "\n").replace("\\r", "\r"))),
            None => (source.trim(), None),
        };
        let source = source.replace("\\0", "\0");
        fixture_maps.last_mut().unwrap().1.push(Row { source, text, expected: expected.trim() });
    }
    assert_eq!(found(&fixture_maps, &files, &settings), rows(&fixture_maps, |row| row.expected.to_owned()));

    // The order in which maps name their sources does not matter.
    fixture_maps.iter_mut().for_each(|(_, rows)| rows.reverse());
    assert_eq!(
        found(&fixture_maps, &files, &settings),
        rows(&fixture_maps, |row| row.expected.to_owned()),
        "backwards"
    );
}

struct Row<'a> {
    source: String,
    text: Option<String>,
    expected: &'a str,
}

fn rows(fixture_maps: &[(FilePath, Vec<Row<'_>>)], mut shown: impl FnMut(&Row<'_>) -> String) -> String {
    let mut text = String::new();
    for (map, rows) in fixture_maps {
        writeln!(text, "map {map}").unwrap();
        rows.iter().for_each(|row| writeln!(text, "{} => {}", row.source, shown(row)).unwrap());
    }
    text
}

fn found(
    fixture_maps: &[(FilePath, Vec<Row<'_>>)],
    files: &FixtureFiles,
    settings: &LocateSettings,
) -> String {
    let contents: Vec<_> = fixture_maps
        .iter()
        .map(|(_, rows)| move |index: usize| rows[index].text.as_deref().map(Cow::Borrowed))
        .collect();
    let maps = fixture_maps.iter().zip(&contents).map(|((map, rows), content)| MapSources {
        is_output: true,
        map: map.clone(),
        url: None,
        sources: rows.iter().map(|row| Some(&*row.source).filter(|it| *it != "null")).collect(),
        content,
    });
    let maps: Vec<MapSources<'_>> = maps.collect();
    let located = locate_sources(&maps, files, settings);
    let (mut located, digests) = (located.into_iter().flatten(), FileDigests::new(files));
    rows(fixture_maps, |_| match located.next().unwrap() {
        LocatedSource::File { file, in_map } => {
            let text = in_map.map_or("", |it| if digests.holds(&file, it) { " +" } else { " -" });
            format!("{file}{text}")
        }
        LocatedSource::Unplaced(reason) => reason.to_string(),
    })
}

#[test]
fn sources_that_count_from_the_map() {
    check(
        "/ws/
        /ws/src/main.ts
        /ws/src/text/search.ts
        /ws/src/größe maß.ts
        /ws/src/100%25#x.ts
        /ws/lib/a.ts
        /ws/node_modules/ms/index.js
        /ws/dist/main.js
        ---
        map /ws/dist/assets/index-DLckNqGG.js.map
        ../../src/main.ts {/ws/src/main.ts}         => /ws/src/main.ts +
        ../../src/text/search.ts {older}            => /ws/src/text/search.ts -
        ../../src/größe maß.ts                      => /ws/src/größe maß.ts
        ../../src/gr%C3%B6%C3%9Fe ma%C3%9F.ts       => /ws/src/größe maß.ts
        ../../src/100%25#x.ts                       => /ws/src/100%25#x.ts
        ../../src/100%2525%23x.ts                   => /ws/src/100%25#x.ts
        ../../src/main.ts?v=1                       => /ws/src/main.ts
        ..\\..\\lib\\a.ts                           => /ws/lib/a.ts
        ../../src/gone.ts                           => not-in-workspace
        ../../../../../etc/passwd                   => not-in-workspace
        ../../node_modules/ms/index.js              => dependency
        ../../node_modules/gone/index.js            => dependency
        ../../\\0vite/preload-helper.js             => compiler
        ../../vite/modulepreload-polyfill.js        => compiler
        null                                        => no-resource
        <stdin>                                     => no-resource
        http-url:https://esm.sh/x                   => no-resource
        node:fs                                     => runtime",
    );
    check(
        "/ws/
        dependencies
        /ws/src/main.ts
        /ws/node_modules/ms/index.js
        ---
        map /ws/dist/main.js.map
        ../src/main.ts                              => /ws/src/main.ts
        ../node_modules/ms/index.js                 => /ws/node_modules/ms/index.js
        ../node_modules/gone/index.js               => not-in-workspace",
    );
}

#[test]
fn sources_that_count_from_a_folder_around_the_map() {
    // Parcel: relative to the folder of the lock file, which may be above the workspace.
    check(
        "/home/me/mono/
        /home/me/mono/packages/app/src/index.ts
        /home/me/mono/packages/core/src/index.ts
        ---
        map /home/me/mono/packages/app/dist/app.cef0d966.js.map
        <anon>                                      => no-resource
        mono/packages/app/src/index.ts              => /home/me/mono/packages/app/src/index.ts
        mono/packages/core/src/index.ts             => /home/me/mono/packages/core/src/index.ts
        node_modules/@parcel/runtime-js/lib/runtime-c65562a81124f93d.js => dependency",
    );
    check(
        "/ws/
        /ws/app/src/a.ts
        /ws/app/src/index.ts
        ---
        map /ws/app/dist/js/a.js.map
        src/a.ts                                    => /ws/app/src/a.ts
        src/index.ts                                => /ws/app/src/index.ts
        /src/a.ts                                   => /ws/app/src/a.ts
        https://h/src/a.ts                          => /ws/app/src/a.ts
        http://localhost:8081/[metro-project]/src/a.ts => /ws/app/src/a.ts
        /__parcel_source_root/src/a.ts              => /ws/app/src/a.ts",
    );
}

#[test]
fn modules_of_bundlers() {
    check(
        "/ws/
        /ws/src/main.ts
        /ws/src/cart.vue
        /ws/src/100%25#x.ts
        /ws/lib/a.ts
        /ws/lib/b#.ts
        /ws/app/page.tsx
        /ws/app/(shop)/page.tsx
        /ws/node_modules/x/i.js
        ---
        map /ws/dist/main.js.map
        webpack:///./src/main.ts {/ws/src/main.ts}  => /ws/src/main.ts +
        webpack:///src/main.ts?1a2b                 => /ws/src/main.ts
        webpack://app/./src/main.ts                 => /ws/src/main.ts
        webpack://@my/app/./src/main.ts             => /ws/src/main.ts
        webpack://@my/app/./src/100%25\\0#x.ts      => /ws/src/100%25#x.ts
        webpack://_N_E/(rsc)/./app/page.tsx         => /ws/app/page.tsx
        webpack://_N_E/./app/(shop)/page.tsx?9f     => /ws/app/(shop)/page.tsx
        webpack:///./src/cart.vue?vue&type=script&lang=ts => /ws/src/cart.vue
        webpack:///./src/cart.vue?vue&type=style    => no-resource
        webpack:////ws/lib/a.ts                     => /ws/lib/a.ts
        file:////ws/lib/a.ts                        => /ws/lib/a.ts
        file:////ws/lib/b\\0#.ts                    => /ws/lib/b#.ts
        webpack:///./~/x/i.js                       => dependency
        webpack://app/./node_modules/x/i.js         => dependency
        webpack:///external \"x\"                   => no-resource
        webpack://app/webpack/runtime/global        => compiler
        webpack/bootstrap                           => compiler
        turbopack:///[project]/lib/a.ts             => /ws/lib/a.ts
        [project]/lib/a.ts [app-client] (ecmascript) => /ws/lib/a.ts
        turbopack:///[turbopack]/runtime.ts         => runtime
        meteor://💻app/lib/a.ts                     => /ws/lib/a.ts
        /@fs/ws/lib/a.ts                            => /ws/lib/a.ts
        /@vite/client                               => runtime
        ng:///AppModule/App.ngfactory.js            => no-resource
        rollup://x                                  => no-resource",
    );
}

#[test]
fn monorepos() {
    let packages = "/ws/
        /ws/src/index.ts
        /ws/packages/a/src/index.ts
        /ws/packages/a/src/tree.ts
        /ws/packages/b/src/index.ts
        /ws/packages/b/src/tree.ts
        /ws/packages/b/src/only.ts
        ";
    check(&format!(
        "{packages}---
        map /ws/packages/a/dist/main.js.map
        webpack:///./src/index.ts                   => /ws/packages/a/src/index.ts
        webpack:///./src/tree.ts                    => /ws/packages/a/src/tree.ts
        webpack:///../b/src/tree.ts                 => /ws/packages/b/src/tree.ts
        webpack:///./src/only.ts                    => not-in-workspace
        map /ws/packages/b/dist/main.js.map
        webpack:///./src/index.ts                   => /ws/packages/b/src/index.ts
        webpack:///./src/tree.ts                    => /ws/packages/b/src/tree.ts"
    ));
    // Only the map's place tells that it is of the workspace.
    check(&format!(
        "{packages}---
        map /ws/maps/main.js.map
        webpack://x/./src/tree.ts                   => ambiguous"
    ));
    check(&format!(
        "{packages}---
        map /ws/maps/main.js.map
        webpack://x/./src/tree.ts                   => /ws/packages/b/src/tree.ts
        webpack://x/./src/only.ts                   => /ws/packages/b/src/only.ts"
    ));
    check(&format!(
        "{packages}---
        map /ws/maps/main.js.map
        webpack://x/./src/tree.ts {{/ws/packages/a/src/tree.ts}} => /ws/packages/a/src/tree.ts +"
    ));
    check(&format!(
        "{packages}---
        map /ws/maps/main.js.map
        webpack://x/./src/index.ts {{/ws/packages/a/src/index.ts}} => ambiguous"
    ));
    check(&format!(
        "{packages}---
        map /ws/maps/main.js.map
        webpack://x/./src/index.ts {{/ws/packages/a/src/index.ts}} => /ws/packages/a/src/index.ts +
        webpack://x/./src/tree.ts {{/ws/packages/a/src/tree.ts}} => /ws/packages/a/src/tree.ts +"
    ));
    // Built from the root, into a package.
    check(&format!(
        "{packages}---
        map /ws/packages/a/dist/main.js.map
        webpack://x/./src/index.ts                  => /ws/src/index.ts
        webpack://x/./packages/a/src/index.ts       => /ws/packages/a/src/index.ts
        webpack://x/./packages/b/src/only.ts        => /ws/packages/b/src/only.ts"
    ));
}

#[test]
fn maps_that_were_moved() {
    check(
        "/ws/
        /ws/app/src/cart.ts
        /ws/app/src/index.ts
        /ws/lib/tree.ts
        ---
        map /ws/maps/deep/main.js.map
        ../src/cart.ts                              => /ws/app/src/cart.ts
        ../src/index.ts                             => /ws/app/src/index.ts
        ../../lib/tree.ts                           => /ws/lib/tree.ts",
    );
    // A file in its old place belongs to another project if none of the texts agrees.
    check(
        "/ws/
        /ws/src/index.ts
        /ws/src/cart.ts
        /ws/app/src/cart.ts
        /ws/app/src/index.ts
        ---
        map /ws/maps/main.js.map
        ../src/cart.ts {/ws/app/src/cart.ts}        => /ws/app/src/cart.ts +
        ../src/index.ts {/ws/app/src/index.ts}      => /ws/app/src/index.ts +",
    );
    check(
        "/ws/
        /ws/src/cart.ts = edited
        /ws/copy/src/cart.ts = old
        ---
        map /ws/dist/main.js.map
        ../src/cart.ts {old}                        => /ws/src/cart.ts -",
    );
}

#[test]
fn files_that_were_moved() {
    check(
        "/ws/
        /ws/src/main.ts
        /ws/src/core/tree.ts = tree
        /ws/src/core/index.ts
        /ws/old/cart.ts = cart
        /ws/new/cart.ts = cart
        ---
        map /ws/dist/main.js.map
        ../src/main.ts                              => /ws/src/main.ts
        ../src/tree.ts {tree}                       => /ws/src/core/tree.ts +
        ../src/tree.ts?2 {other}                    => not-in-workspace
        ../src/cart.ts {cart}                       => ambiguous
        ../src/index.ts                             => not-in-workspace",
    );
}

#[test]
fn line_ends_and_marks_are_no_difference() {
    check(
        "/ws/
        /ws/src/a.ts = one\\ntwo\\n
        ---
        map /ws/dist/a.js.map
        ../src/a.ts {one\\r\\ntwo\\r\\n}            => /ws/src/a.ts +
        ../src/a.ts {\u{FEFF}one\\ntwo\\n}          => /ws/src/a.ts +
        ../src/a.ts {one\\ntwo}                     => /ws/src/a.ts -",
    );
}

#[test]
fn paths_of_the_machine_that_built() {
    check(
        "/home/me/r/
        /home/me/r/src/x.ts
        /home/me/r/packages/a/index.ts
        /home/me/r/packages/b/index.ts
        ---
        map /home/me/r/dist/x.js.map
        /builds/team/r/src/x.ts              => /home/me/r/src/x.ts
        file:///builds/team/r/packages/a/index.ts => /home/me/r/packages/a/index.ts
        /builds/team/r/src/gone.ts           => not-in-workspace
        /home/runner/.nvm/versions/x.ts             => not-in-workspace
        /usr/lib/node_modules/x/index.ts            => dependency",
    );
    check(
        "c:/dev/r/
        c:/dev/r/src/x.ts
        c:/dev/r/src/größe.ts
        ---
        map c:/dev/r/dist/x.js.map
        D:\\a\\r\\r\\src\\x.ts                      => C:/dev/r/src/x.ts
        webpack:///D:/a/r/r/src/x.ts                => C:/dev/r/src/x.ts
        file:///D:/a/r/r/src/gr%C3%B6%C3%9Fe.ts     => C:/dev/r/src/größe.ts",
    );
    check(
        "c:/dev/r/
        c:/dev/r/src/x.ts
        ---
        map c:/dev/r/dist/x.js.map
        C:\\Dev\\R\\src\\x.ts                       => C:/dev/r/src/x.ts
        file:///c%3A/dev/r/src/x.ts                 => C:/dev/r/src/x.ts
        ..\\src\\x.ts                               => C:/dev/r/src/x.ts
        ../src/x.ts                                 => C:/dev/r/src/x.ts",
    );
    // A container whose maps are in two folders.
    check(
        "/ws/
        /ws/api/package.json
        /ws/api/src/index.ts
        /ws/api/src/cart.ts
        /ws/web/src/index.ts
        ---
        map /ws/out/one/x.js.map
        /app/src/index.ts                           => /ws/api/src/index.ts
        map /ws/out/two/y.js.map
        /app/src/cart.ts                            => /ws/api/src/cart.ts",
    );
    // Built here: a path that is missing here belongs to something else.
    check(
        "/ws/
        /ws/src/a.ts
        /ws/lib/b.ts
        ---
        map /ws/dist/a.js.map
        /ws/src/a.ts                                => /ws/src/a.ts
        /srv/other/lib/b.ts                         => not-in-workspace
        /ws/old/b.ts {/ws/lib/b.ts}                 => /ws/lib/b.ts +",
    );
    check(
        "/me/web/
        /me/api/
        /me/web/src/page.ts
        /me/web/src/index.ts
        /me/api/src/cart.ts
        /me/api/src/index.ts
        ---
        map /me/web/dist/all.js.map
        /ci/web/src/page.ts                         => /me/web/src/page.ts
        /ci/web/src/index.ts                        => /me/web/src/index.ts
        /ci/api/src/cart.ts                         => /me/api/src/cart.ts
        /ci/api/src/index.ts                        => /me/api/src/index.ts",
    );
}

#[test]
fn other_people_s_code_is_not_taken_for_a_file() {
    check(
        "/ws/
        /ws/src/mod.ts
        /ws/src/assert.ts
        /ws/src/quadtree.ts
        ---
        map /ws/dist/a.js.map
        https://jsr.io/@std/assert/1.0.0/quadtree.ts => not-in-workspace
        https://esm.sh/x@1/src/mod.ts               => not-in-workspace
        https://esm.sh/node_modules/x/mod.ts        => dependency",
    );
    // A bundle is none of its own sources.
    check(
        "/ws/
        /ws/dist/cart.js
        /ws/src/cart.js
        ---
        map /ws/dist/cart.js.map
        webpack:///./cart.js                        => /ws/src/cart.js
        cart.js                                     => /ws/src/cart.js",
    );
}

#[test]
fn links() {
    check(
        "/ws/
        /ws/packages/core/src/index.ts
        /ws/app/src/main.ts
        /ws/shared/a.ts
        /ws/app/src/shared -> /ws/shared
        /ws/app/node_modules/@my/core -> /ws/packages/core
        /ws/out -> /etc
        ---
        map /ws/app/dist/main.js.map
        ../src/main.ts                              => /ws/app/src/main.ts
        ../src/shared/a.ts                          => /ws/shared/a.ts
        ../node_modules/@my/core/src/index.ts       => /ws/packages/core/src/index.ts
        webpack://app/./src/main.ts                 => /ws/app/src/main.ts
        webpack://app/./node_modules/@my/core/src/index.ts => /ws/packages/core/src/index.ts
        ../node_modules/.pnpm/x@1.0.0/node_modules/x/i.js => dependency
        ../../out/passwd                            => not-in-workspace",
    );
}

#[test]
fn what_the_user_said_comes_first() {
    check(
        "/ws/
        /ws/a/src/x.ts
        /ws/b/src/x.ts
        /ws/src/x.ts
        map webpack://lib/ /ws/b/
        map /ci/ /ws/a/
        override webpack:///./* /ws/a/*
        override webpack:///lost/* /nowhere/*
        override far:* /ci/*
        ---
        map /ws/dist/x.js.map
        webpack:///./src/x.ts?1 {/ws/src/x.ts}      => /ws/a/src/x.ts -
        webpack:///lost/src/x.ts                    => ambiguous
        webpack://lib/./src/x.ts                    => /ws/b/src/x.ts
        far:src/x.ts                                => /ws/a/src/x.ts
        /ci/src/x.ts                                => /ws/a/src/x.ts
        ../src/x.ts                                 => /ws/src/x.ts",
    );
    // Two configurations that disagree say nothing.
    check(
        "/ws/
        /ws/a/src/x.ts
        /ws/b/src/x.ts
        override webpack:///./* /ws/a/*
        other configuration
        override webpack:///./* /ws/b/*
        ---
        map /ws/dist/x.js.map
        webpack:///./src/x.ts                       => ambiguous",
    );
    check(
        "/ws/
        /ws/client/src/x.ts
        /ws/other/src/x.ts
        serve / /ws/client
        ---
        map /ws/dist/x.js.map
        webpack:///./src/x.ts                       => /ws/client/src/x.ts
        http://localhost/src/x.ts                   => /ws/client/src/x.ts",
    );
}

#[test]
fn odd_names_do_no_harm() {
    check(
        "/ws/
        /ws/src/a.ts
        ---
        map /ws/dist/a.js.map
        ..                                          => no-resource
        ../src/                                     => no-resource
        ///                                         => not-in-workspace
        file://                                     => not-in-workspace
        http://                                     => not-in-workspace
        C:                                          => not-in-workspace
        webpack://                                  => no-resource
        %zz                                         => not-in-workspace
        data:text/javascript,1                      => no-resource
        ../../../../../../../ws/src/a.ts            => /ws/src/a.ts",
    );
    let long = "x/".repeat(5_000_000);
    let files = FixtureFiles::new("/ws/\n/ws/src/a.ts");
    let maps = [MapSources {
        is_output: true,
        map: FilePath::new("/ws/a.js.map"),
        url: None,
        sources: vec![Some(&long)],
        content: &|_| None,
    }];
    let located = locate_sources(&maps, &files, &LocateSettings::default());
    assert_eq!(located, [[LocatedSource::Unplaced(UnplacedReason::NoResource)]]);
    assert_eq!(*files.walks.lock().unwrap(), 0);
}

#[test]
fn names_count_from_the_url_of_a_map_that_is_no_file() {
    let files = FixtureFiles::new(
        "
        /ws/
        /ws/app/src/main.ts
        /ws/app/lib/dom.ts
        /ws/app/src/page/dom.ts
        ",
    );
    let located = |url: &str, sources: &[&str]| -> Vec<String> {
        let sources = sources.iter().map(|it| Some(*it)).collect();
        let map = MapSources {
            map: FilePath::new("/"),
            is_output: true,
            url: Some(url),
            sources,
            content: &|_| None,
        };
        let located = locate_sources(&[map], &files, &LocateSettings::default()).remove(0);
        let shown = |it: LocatedSource| match it {
            LocatedSource::File { file, .. } => file.to_string(),
            LocatedSource::Unplaced(reason) => reason.name().to_owned(),
        };
        located.into_iter().map(shown).collect()
    };
    let sources = ["../../src/main.ts", "../../lib/dom.ts", "webpack/runtime/x", "../../gone.ts"];
    let expected = ["/ws/app/src/main.ts", "/ws/app/lib/dom.ts", "compiler", "not-in-workspace"];
    assert_eq!(located("http://localhost:5173/assets/app.js.map", &sources), expected);
}
