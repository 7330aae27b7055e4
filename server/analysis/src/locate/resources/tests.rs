//! Fixtures: the workspace as a list of paths, then the resources of one trace, each with the expected result.

mod dependencies;
mod moved;
mod servers;

use std::fmt::Write;

use super::*;
use crate::fixtures::files::FixtureFiles;
use crate::locate::mapping::PathMapping;

/// Lines of the workspace are as [`FixtureFiles`] reads them; `map FROM TO` is a mapping, `dependencies` the setting,
/// `serve PATH FOLDER` what a debug configuration says. The lines after `---` are `resource => file or reason`. Before a
/// file, `=` says that it is exact, `REASON or ` that its text decides, `~` that the text that ran was another one.
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
        Located::File { file, found_by, transformed } => {
            let how = match found_by {
                FoundBy::Path => "=".to_owned(),
                FoundBy::EndOfPath => String::new(),
                FoundBy::Moved | FoundBy::Text => unreachable!("no text is known here"),
                FoundBy::Claim { otherwise } => format!("{otherwise} or "),
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

    // The order in which a trace names its resources does not matter.
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
        C:\\Users\\me\\ws\\app.js            => =C:/Users/me/ws/app.js
        c:/Users/me/ws/app.js                => =C:/Users/me/ws/app.js
        file:///C:/Users/me/ws/app.js        => =C:/Users/me/ws/app.js
        file:///c%3A/Users/me/ws/app.js      => =C:/Users/me/ws/app.js
        /C:/Users/me/ws/app.js               => =C:/Users/me/ws/app.js
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
