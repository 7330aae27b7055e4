//! Fixtures: a workspace with its maps, a generated text, and the map that is found.

use super::*;
use crate::fixtures::files::FixtureFiles;
use crate::locate::PathMapping;

const ID: &str = "85314830-023f-4cf1-a267-535f4e37bb17";
const OTHER_ID: &str = "00000000-023f-4cf1-a267-535f4e37bb17";

/// What is found for a generated file that ends with these lines.
fn found_with(listing: &str, generated: &str, tail: &str, mappings: &[(&str, &str)]) -> String {
    let files = FixtureFiles::new(listing);
    let mapping = |(from, to): &(&str, &str)| PathMapping { from: from.to_string(), to: to.to_string() };
    let mappings = mappings.iter().map(mapping).collect();
    let locate = LocateSettings { mappings, ..LocateSettings::default() };
    let allowed = |file: &FilePath| !file.as_str().contains("/node_modules/");
    let settings = MapSettings { allowed: &allowed, locate: &locate };
    match find_map(
        &FilePath::new(generated),
        &format!("let a;\n{tail}\n"),
        &LooseMaps::new(&files),
        &settings,
    ) {
        Err(MapDecision::Missing { wanted }) => format!("missing {wanted}"),
        Err(MapDecision::Refused { wanted, refusal }) => format!("{wanted}: {refusal}"),
        Err(_) => "not generated".to_owned(),
        Ok(MapText { at: MapPlace::Inline | MapPlace::Trace, text, .. }) => format!("inline {text}"),
        Ok(MapText { at: MapPlace::File(file), stale, .. }) => {
            format!("{file}{}", if stale { " stale" } else { "" })
        }
    }
}

#[test]
fn maps_that_the_user_chose() {
    let listing = "/ws/
        /out/secret.map
        /ws/dist/main.js
        /ws/dist/main.js.map
        /ws/maps/any.json
        /ws/node_modules/x.map
        /ws/link.map -> /out/secret.map";
    let files = FixtureFiles::new(listing);
    let generated = FilePath::new("/ws/dist/main.js");
    let allowed = |file: &FilePath| !file.as_str().contains("/node_modules/");
    let chosen = |map: &str| {
        let maps = [(generated.clone(), FilePath::new(map))].into();
        let locate = LocateSettings { maps, ..LocateSettings::default() };
        let settings = MapSettings { allowed: &allowed, locate: &locate };
        find_map(&generated, "let a;\n//# sourceMappingURL=main.js.map\n", &LooseMaps::new(&files), &settings)
    };
    let at = |map: &str| {
        Ok(MapText { at: MapPlace::File(FilePath::new(map)), text: map.to_owned(), stale: false })
    };
    let refused = |map: &str, refusal| Err(MapDecision::Refused { wanted: map.to_owned(), refusal });
    let missing = |map: &str| Err(MapDecision::Missing { wanted: map.to_owned() });
    assert_eq!(chosen("/ws/maps/any.json"), at("/ws/maps/any.json"));
    assert_eq!(chosen("/ws/maps/gone.map"), missing("/ws/maps/gone.map"));
    assert_eq!(chosen("/ws/link.map"), missing("/ws/link.map"));
    assert_eq!(chosen("/out/secret.map"), refused("/out/secret.map", Refusal::Outside));
    assert_eq!(chosen("/ws/node_modules/x.map"), refused("/ws/node_modules/x.map", Refusal::NotAllowed));
}

fn found(listing: &str, generated: &str, tail: &str) -> String {
    found_with(listing, generated, tail, &[])
}

#[test]
fn maps_that_the_text_names() {
    let listing = "/ws/
        /out/secret.map
        /ws/dist/main.js
        /ws/dist/main.js.map
        /ws/dist/maps/main.js.map
        /ws/dist/maps/ö ä.js.map
        /ws/dist/own.map
        /ws/maps/main.js.map
        /ws/link.map -> /out/secret.map
        /ws/node_modules/x/i.js.map";
    let rows = [
        ("main.js.map", "/ws/dist/main.js.map"),
        ("./main.js.map?v=1#x", "/ws/dist/main.js.map"),
        ("maps/main.js.map", "/ws/dist/maps/main.js.map"),
        ("../maps/main.js.map", "/ws/maps/main.js.map"),
        ("maps/%C3%B6%20%C3%A4.js.map", "/ws/dist/maps/ö ä.js.map"),
        ("file:///ws/maps/main.js.map", "/ws/maps/main.js.map"),
        ("/ws/maps/main.js.map", "/ws/maps/main.js.map"),
        ("/maps/main.js.map", "/ws/dist/maps/main.js.map"),
        ("http://localhost:3000/maps/main.js.map", "/ws/dist/maps/main.js.map"),
        ("https://cdn.example.com/v1/own.map", "/ws/dist/own.map"),
        // The named one is not there, but there is one beside the file.
        ("gone.map", "/ws/dist/main.js.map"),
        ("file:///etc/passwd", "/ws/dist/main.js.map"),
    ];
    for (url, expected) in rows {
        assert_eq!(
            found(listing, "/ws/dist/main.js", &format!("//# sourceMappingURL={url}")),
            expected,
            "{url}"
        );
    }
    let rows = [
        ("gone.map", "missing /ws/dist/gone.map"),
        ("http://localhost/gone.map", "missing http://localhost/gone.map"),
        ("webpack://x/gone.map", "missing webpack://x/gone.map"),
        ("../../out/secret.map", "/out/secret.map: the source map lies outside of the workspace folders"),
        ("file:///etc/passwd", "file:///etc/passwd: the source map lies outside of the workspace folders"),
        ("../link.map", "missing /ws/link.map"),
        (
            "../node_modules/x/i.js.map",
            "/ws/node_modules/x/i.js.map: the setting proflens.sourceMaps.locations leaves the source map out",
        ),
    ];
    for (url, expected) in rows {
        assert_eq!(
            found(listing, "/ws/dist/lone.js", &format!("//# sourceMappingURL={url}")),
            expected,
            "{url}"
        );
    }
}

#[test]
fn maps_in_the_text_itself() {
    let rows = [
        ("data:application/json,%7B%7D", "inline {}"),
        ("data:application/json;charset=utf-8;base64,e30=", "inline {}"),
        ("data:application/json;base64,e", "/ws/a.js: the inline source map is not valid base64"),
        ("data:application/json", "/ws/a.js: the inline source map has no data"),
    ];
    for (url, expected) in rows {
        assert_eq!(
            found("/ws/\n/ws/a.js", "/ws/a.js", &format!("//# sourceMappingURL={url}")),
            expected,
            "{url}"
        );
    }
    let url = "//# sourceMappingURL=data:application/json,%7B%7D";
    let refused = "the setting proflens.sourceMaps.locations leaves the source map out";
    let file = "/ws/node_modules/a.js";
    assert_eq!(found(&format!("/ws/\n{file}"), file, url), format!("{file}: {refused}"));
}

#[test]
fn maps_that_nothing_names() {
    let map = |file: &str| format!(r#"{{"version":3,"file":"{file}","sources":[],"mappings":""}}"#);
    // Webpack's `hidden-source-map`, which names a different hash from the file's.
    let listing = format!("/ws/\n/ws/dist/main.5ce8.js\n/ws/dist/main.5ce8.js.map = {}", map("main.16fe.js"));
    assert_eq!(found(&listing, "/ws/dist/main.5ce8.js", ""), "/ws/dist/main.5ce8.js.map");
    // A map without the hash.
    let listing = format!(
        "/ws/\n/ws/dist/main.5ce8.js\n/ws/dist/a.js\n/ws/dist/a.js.map\n/ws/dist/main.js.map = {}",
        map("js/main.5ce8.js")
    );
    assert_eq!(found(&listing, "/ws/dist/main.5ce8.js", ""), "/ws/dist/main.js.map");
    assert_eq!(found(&listing, "/ws/dist/main.0000.js", ""), "not generated");
    // A map in a folder of its own.
    let listing = format!("/ws/\n/ws/dist/cart.js\n/ws/maps/cart.js.map = {}", map("cart.js"));
    assert_eq!(found(&listing, "/ws/dist/cart.js", ""), "/ws/maps/cart.js.map");
    assert_eq!(
        found(&listing, "/ws/dist/cart.js", "//# sourceMappingURL=cart.js.map"),
        "/ws/maps/cart.js.map"
    );
    // None is taken if there are two, or if the name is one that all projects have.
    let two = "/ws/\n/ws/dist/cart.js\n/ws/maps/cart.js.map\n/ws/old/cart.js.map";
    assert_eq!(found(two, "/ws/dist/cart.js", ""), "not generated");
    let common = "/ws/\n/ws/dist/index.js\n/ws/maps/index.js.map";
    assert_eq!(found(common, "/ws/dist/index.js", ""), "not generated");
    // The map of a namesake.
    let namesake = "/ws/\n/ws/a/cart.js\n/ws/b/cart.js\n/ws/b/cart.js.map";
    assert_eq!(found(namesake, "/ws/a/cart.js", ""), "not generated");
    let url = "//# sourceMappingURL=http://localhost/cart.js.map";
    assert_eq!(found(namesake, "/ws/a/cart.js", url), "missing http://localhost/cart.js.map");
    assert_eq!(found("/ws/\n/ws/a.js", "/ws/a.js", ""), "not generated");
}

#[test]
fn debug_ids() {
    let map = |id: &str| format!(r#"{{"version":3,"debugId":"{id}","sources":[],"mappings":""}}"#);
    let tail = format!("//# debugId={}", ID.to_uppercase());
    let listing = |file: &str, id: &str| format!("/ws/\n/ws/dist/a.js\n{file} = {}", map(id));
    assert_eq!(found(&listing("/ws/dist/a.js.map", ID), "/ws/dist/a.js", &tail), "/ws/dist/a.js.map");
    assert_eq!(
        found(&listing("/ws/dist/a.js.map", OTHER_ID), "/ws/dist/a.js", &tail),
        "/ws/dist/a.js.map stale"
    );
    assert_eq!(found(&listing("/ws/dist/maps/x.map", ID), "/ws/dist/a.js", &tail), "/ws/dist/maps/x.map");
    let missing = "missing /ws/dist/a.js.map";
    assert_eq!(found(&listing("/ws/dist/maps/x.map", OTHER_ID), "/ws/dist/a.js", &tail), missing);
}

#[test]
fn a_path_mapping_says_where_a_map_is() {
    let listing = "/ws/\n/ws/dist/a.js\n/ws/dist/a.js.map\n/ws/store/x.map\n/ws/store/y/a.js.map";
    let url = "//# sourceMappingURL=https://h/m/a.js.map";
    let rows = [
        (("https://h/m/", "/ws/store/y/"), url, "/ws/store/y/a.js.map"),
        (("https://h/m/a.js.map", "/ws/store/x.map"), url, "/ws/store/x.map"),
        (("/ws/dist/a.js.map", "/ws/store/x.map"), "//# sourceMappingURL=a.js.map", "/ws/store/x.map"),
    ];
    for (mapping, tail, expected) in rows {
        assert_eq!(found_with(listing, "/ws/dist/a.js", tail, &[mapping]), expected);
    }
}
