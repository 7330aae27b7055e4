//! Mappings: what is read, and what a place is answered with.

use expect_test::{Expect, expect};
use source::map::{Query, SourceMap};

use crate::drawn::{at, draw, map, read};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text));
}

fn raw(mappings: &str) -> String {
    format!(r#"{{"version":3,"sources":["a"],"names":["n"],"mappings":"{mappings}"}}"#)
}

#[test]
fn segments_of_one_four_and_five_numbers() {
    check(
        &map(&["0=a:0:0 4=a:0:9:f 7=-", "", "2=b:3:1 5=a:0:0:g"], ""),
        expect![[r#"
            0/0=a:0:0
            0/4=a:0:9
            0/7=-
            2/2=b:3:1
            2/5=a:0:0
        "#]],
    );
}

#[test]
fn segments_out_of_order_are_sorted_and_ties_stay() {
    check(
        &map(&["5=a:0:5 2=a:0:2 5=a:0:6 0=a:0:0", "1=a:1:1 1=a:1:2"], ""),
        expect![[r#"
            0/0=a:0:0
            0/2=a:0:2
            0/5=a:0:5
            0/5=a:0:6
            1/1=a:1:1
            1/1=a:1:2
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_left_out() {
    check(
        &raw("AAAA,,CAAC;,AAAA,;AA,AAA,AAAAAA"),
        expect![[r#"
            0/0=a:0:0
            0/1=a:0:1
            1/0=a:0:1
        "#]],
    );
    check(
        &raw("AAAA,CCAA,CDAA,CAAD,CAAC"),
        expect![[r#"
            0/0=a:0:0
            0/1=-
            0/2=a:0:0
            0/3=-
            0/4=a:0:0
        "#]],
    );
    check(
        &raw("D,EAAA,CAAAA,CAAAC"),
        expect![[r#"
            0/1=a:0:0
            0/2=a:0:0
            0/3=a:0:0
        "#]],
    );
}

#[test]
fn after_what_is_no_number_nothing_is_used() {
    for broken in ["AAAA,C=,CAAA", "AAAA,g", "AAAA,ggggggE,CAAA", "AAAA,CAAA.", "AAAA,C AAA", "AAAA,\\u00e9"]
    {
        assert_eq!(read(&raw(broken)), "0/0=a:0:0\n", "{broken}");
    }
}

#[test]
fn numbers_of_32_bits() {
    assert_eq!(read(&raw("+/////DA+/////D+/////DA")), "0/2147483647=a:2147483647:2147483647\n");
    assert_eq!(read(&raw("AAgggggggggggA+/////D,CAAB")), "0/0=a:0:2147483647\n0/1=-\n");
}

/// What places are answered with: the segment before, and those of the span after it.
fn ask(text: &str, queries: &[Query]) -> Vec<String> {
    let map = SourceMap::parse(text).expect("it is a map");
    let resolved = map.resolve(queries);
    let drawn = (0..queries.len()).map(|it| {
        let before = resolved.before(it).map_or_else(|| "none".to_owned(), |it| draw(&map, &it));
        let inside: Vec<String> = resolved.inside(it).map(|it| draw(&map, &it)).collect();
        format!("{before} | {}", inside.join(" "))
    });
    drawn.collect()
}

fn query(line: u32, column: u32, until: u32) -> Query {
    Query { at: at(line, column), end: at(line, until), limit: 2 }
}

#[test]
fn places_are_answered_from_their_line() {
    let text = map(&["2=a:0:0 6=a:0:4 9=-", "", "3=a:1:0"], "");
    let queries = [
        query(0, 0, 3),
        query(0, 2, 6),
        query(0, 3, 9),
        query(0, 6, 99),
        query(0, 12, 99),
        query(1, 0, 9),
        query(2, 1, 4),
        query(2, 3, 3),
        query(3, 0, 9),
    ];
    assert_eq!(
        ask(&text, &queries),
        [
            "none | 0/2=a:0:0",
            "0/2=a:0:0 | 0/2=a:0:0",
            "0/2=a:0:0 | 0/6=a:0:4",
            "0/6=a:0:4 | 0/6=a:0:4 0/9=-",
            "0/9=- | ",
            "none | ",
            "none | 2/3=a:1:0",
            "2/3=a:1:0 | ",
            "none | ",
        ]
    );
}

#[test]
fn spans_may_overlap_and_reach_over_lines() {
    let text = map(&["0=a:0:0 4=a:0:4", "1=a:1:1 2=a:1:2"], "");
    let queries = [
        Query { at: at(0, 0), end: at(2, 0), limit: 9 },
        Query { at: at(0, 0), end: at(0, 1), limit: 0 },
        Query { at: at(0, 3), end: at(1, 2), limit: 9 },
        Query { at: at(0, 4), end: at(1, 9), limit: 1 },
    ];
    assert_eq!(
        ask(&text, &queries),
        [
            "0/0=a:0:0 | 0/0=a:0:0 0/4=a:0:4 1/1=a:1:1 1/2=a:1:2",
            "0/0=a:0:0 | ",
            "0/0=a:0:0 | 0/4=a:0:4 1/1=a:1:1",
            "0/4=a:0:4 | 0/4=a:0:4",
        ]
    );
}

#[test]
fn of_segments_at_one_place_a_named_one_then_the_last_counts() {
    let before = |line: &str| ask(&map(&[line], ""), &[query(0, 5, 9)])[0].clone();
    assert_eq!(before("3=a:0:0 3=a:0:1"), "0/3=a:0:1 | ");
    assert_eq!(before("3=a:0:0:f 3=a:0:1"), "0/3=a:0:0 | ");
    assert_eq!(before("3=a:0:0:f 3=a:0:1:g"), "0/3=a:0:1 | ");
    assert_eq!(before("3=a:0:0 3=-"), "0/3=a:0:0 | ");
}

#[test]
fn a_map_out_of_order_is_answered_all_the_same() {
    let text = map(&["6=a:0:6 2=a:0:2", "5=a:1:5 1=a:1:1"], "");
    let queries = [query(0, 3, 9), query(1, 1, 9)];
    assert_eq!(ask(&text, &queries), ["0/2=a:0:2 | 0/6=a:0:6", "1/1=a:1:1 | 1/1=a:1:1 1/5=a:1:5"]);
}

#[test]
fn range_mappings_move_with_the_place() {
    let text = map(&["2=a:4:1 9=a:7:0", "", "8=-"], r#","rangeMappings":"BB""#);
    let queries = [query(0, 2, 0), query(0, 5, 0), query(0, 12, 0), query(1, 3, 0), query(2, 8, 0)];
    assert_eq!(
        ask(&text, &queries),
        ["0/2=a:4:1 | ", "0/2=a:4:4 | ", "0/9=a:7:3 | ", "0/9=a:8:3 | ", "2/8=- | ",]
    );
}

#[test]
fn what_is_no_range_mapping_moves_nothing() {
    let lines = ["1=a:0:0 6=a:0:9 8=-", "2=a:1:2"];
    let moved = |ranges: &str| {
        let text = map(&lines, &format!(r#","rangeMappings":{ranges}"#));
        ask(&text, &[query(0, 3, 0), query(0, 7, 0), query(0, 9, 0), query(1, 5, 0)]).join("")
    };
    assert_eq!(moved(r#""BB;""#), "0/1=a:0:2 | 0/6=a:0:10 | 0/8=- | 1/2=a:1:2 | ");
    assert_eq!(moved(r#""C;B""#), "0/1=a:0:0 | 0/6=a:0:10 | 0/8=- | 1/2=a:1:5 | ");
    for wrong in [r#""A""#, r#""E""#, r#""D""#, r#""=""#, r#"";C""#, r#"";;B""#] {
        assert_eq!(moved(wrong), "0/1=a:0:0 | 0/6=a:0:9 | 0/8=- | 1/2=a:1:2 | ", "{wrong}");
    }
}
