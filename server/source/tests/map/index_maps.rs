//! Maps in sections.

use expect_test::{Expect, expect};
use source::map::{Query, SourceMap};

use crate::drawn::{at, draw, map, read};

fn index(sections: &[(&str, String)]) -> String {
    let sections: Vec<String> =
        sections.iter().map(|(offset, map)| format!(r#"{{"offset":{offset},"map":{map}}}"#)).collect();
    format!(r#"{{"version":3,"sections":[{}]}}"#, sections.join(","))
}

fn offset(line: u32, column: u32) -> String {
    format!(r#"{{"line":{line},"column":{column}}}"#)
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text));
}

#[test]
fn only_the_first_line_of_a_section_is_moved_sideways() {
    let text = index(&[
        (&offset(0, 0), map(&["1=a:0:0:f", "2=a:1:0"], "")),
        (&offset(1, 10), map(&["1=b:0:0:g", "2=a:1:0"], "")),
    ]);
    check(
        &text,
        expect![[r#"
            0/1=a:0:0
            1/2=a:1:0
            1/11=b:0:0
            2/2=a:1:0
        "#]],
    );
}

#[test]
fn nested_index_maps_add_up() {
    let inner = index(&[(&offset(0, 3), map(&["1=a:0:0"], "")), (&offset(2, 5), map(&["1=b:0:0"], ""))]);
    check(
        &index(&[(&offset(4, 100), inner)]),
        expect![[r#"
        4/104=a:0:0
        6/6=b:0:0
    "#]],
    );
}

#[test]
fn a_broken_section_costs_itself_only() {
    let good = map(&["1=a:0:0"], "");
    let text = index(&[
        (&offset(0, 0), good.clone()),
        (&offset(1, 0), "7".to_owned()),
        (&offset(2, 0), r#"{"version":3,"sources":[]}"#.to_owned()),
        ("7", good.clone()),
        (r#"{"line":"3"}"#, good.clone()),
        (&offset(5, 0), good),
    ]);
    check(
        &text,
        expect![[r#"
            0/1=a:0:0
            5/1=a:0:0
        "#]],
    );
}

#[test]
fn a_section_ends_where_the_next_one_starts() {
    let text =
        index(&[(&offset(0, 0), map(&["1=a:0:0 9=a:0:9"], "")), (&offset(0, 5), map(&["1=b:0:0"], ""))]);
    check(
        &text,
        expect![[r#"
            0/1=a:0:0
            0/6=b:0:0
        "#]],
    );
    let map = SourceMap::parse(&text).expect("it is a map");
    let queries = [3, 5, 7].map(|column| Query { at: at(0, column), end: at(0, 99), limit: 9 });
    let resolved = map.resolve(&queries);
    let before = [0, 1, 2].map(|it| resolved.before(it).map(|it| draw(&map, &it)));
    assert_eq!(before, [Some("0/1=a:0:0".to_owned()), None, Some("0/6=b:0:0".to_owned())]);
    let inside: Vec<String> = resolved.inside(0).map(|it| draw(&map, &it)).collect();
    assert_eq!(inside, ["0/6=b:0:0"]);
}

#[test]
fn sections_go_before_mappings() {
    check(r#"{"version":3,"sections":[],"sources":["a"],"mappings":"AAAA"}"#, expect![""]);
}

#[test]
fn nesting_has_an_end() {
    let mut text = map(&["0=a:0:0"], "");
    for _ in 0..8 {
        text = index(&[(&offset(0, 0), text)]);
    }
    check(
        &text,
        expect![[r#"
        0/0=a:0:0
    "#]],
    );
    check(&index(&[(&offset(0, 0), text)]), expect![""]);
}
