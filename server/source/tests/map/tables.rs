//! Everything of a map but its mappings.

use expect_test::{Expect, expect};
use source::map::SourceMap;

/// What the tables hold.
fn check(text: &str, expected: Expect) {
    let drawn = match SourceMap::parse(text) {
        Err(error) => format!("error: {error}\n"),
        Ok(map) => {
            let mut drawn = String::new();
            for (index, source) in map.sources.iter().enumerate() {
                let content = map.content(index as u32);
                let url = source.url.as_deref().unwrap_or("null");
                drawn += &format!("{url}{}\n", content.map_or(String::new(), |it| format!(" {it:?}")));
            }
            drawn += &map.file.map_or(String::new(), |it| format!("file {it}\n"));
            drawn + &map.debug_id.map_or(String::new(), |it| format!("debug id {it}\n"))
        }
    };
    expected.assert_eq(&drawn);
}

#[test]
fn sources_have_the_root_before_them() {
    let sources = r#"["a.ts","./b.ts","/c.ts","webpack://x/d.ts","C:\\e.ts",null,"@scope/f:g.ts"]"#;
    check(
        &format!(r#"{{"version":3,"sourceRoot":"root","mappings":"","sources":{sources}}}"#),
        expect![[r#"
        root/a.ts
        root/./b.ts
        /c.ts
        webpack://x/d.ts
        C:\e.ts
        null
        root/@scope/f:g.ts
    "#]],
    );
    check(
        r#"{"version":3,"sourceRoot":"","mappings":"","sources":["a.ts"]}"#,
        expect![[r#"
            a.ts
        "#]],
    );
    check(
        r#"{"sources":["a.ts"],"mappings":"","sourceRoot":"/root/","version":3}"#,
        expect![[r#"
            /root/a.ts
        "#]],
    );
}

#[test]
fn contents_are_unescaped_and_may_lack() {
    check(
        r#"{"version":3,"mappings":"","sources":["a","b","c","d"],"sourcesContent":["\n\u00e9\ud83d\ude00",null,""]}"#,
        expect![[r#"
            a "\né😀"
            b
            c ""
            d
        "#]],
    );
}

#[test]
fn guards_and_marks_are_skipped() {
    let map = r#"{"version":3,"mappings":"","sources":["a"]}"#;
    for before in ["\u{FEFF}", ")]}'\n", ")]}', for(;;)\r\n", "\u{FEFF})]}'\n", " \n\t"] {
        check(
            &format!("{before}{map} \n"),
            expect![[r#"
            a
        "#]],
        );
    }
}

#[test]
fn what_is_no_map() {
    check(
        "",
        expect![[r#"
        error: the source map is broken or cut off at byte 0
    "#]],
    );
    check(
        "[]",
        expect![[r#"
        error: the source map is not a JSON object
    "#]],
    );
    check(
        r#"{"version":3,"sources":["a"],"mappings":"AAAA"#,
        expect![[r#"
        error: the source map is broken or cut off at byte 45
    "#]],
    );
    check(
        r#"{"version":3,"sources":[],"mappings":""} {}"#,
        expect![[r#"
        error: the source map is broken or cut off at byte 41
    "#]],
    );
    check(
        r#"{"version":3,"mappings":""}"#,
        expect![[r#"
        error: the source map has no "sources"
    "#]],
    );
    check(
        r#"{"version":3,"sources":{"a":1},"mappings":""}"#,
        expect![[r#"
        error: the source map has no "sources"
    "#]],
    );
    check(
        r#"{"version":3,"sources":[],"mappings":["AAAA"]}"#,
        expect![[r#"
        error: the source map has no "mappings"
    "#]],
    );
    check(
        r#"{"version":3,"sections":{}}"#,
        expect![[r#"
        error: the source map has no "sections"
    "#]],
    );
}

#[test]
fn what_is_of_a_wrong_type_is_left_out() {
    check(
        r#"{"version":"3","file":1,"sourceRoot":[],"mappings":"","sources":["a",1,{}],
            "sourcesContent":[2,"b"],"names":{},"rangeMappings":[],"debugId":"x"}"#,
        expect![[r#"
            a
            null "b"
            null
        "#]],
    );
}

#[test]
fn debug_ids_have_an_older_name() {
    for key in ["debugId", "debug_id"] {
        check(
            &format!(
                r#"{{"version":3,"file":"a.js","mappings":"","sources":[],"{key}":"85314830-023F-4CF1-A267-535F4E37BB17"}}"#
            ),
            expect![[r#"
                file a.js
                debug id 85314830-023f-4cf1-a267-535f4e37bb17
            "#]],
        );
    }
}

#[test]
fn of_a_field_given_twice_the_last_counts() {
    check(
        r#"{"version":2,"sources":["a"],"mappings":"","sources":["b"],"version":3}"#,
        expect![[r#"
            b
        "#]],
    );
}
