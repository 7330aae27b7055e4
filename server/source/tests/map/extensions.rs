//! What maps tell of functions beside mappings: `scopes`, and the forms of Pasta and Metro.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use source::map::{FunctionMap, Original, Scopes, SourceMap};

use crate::drawn::at;

fn with(names: &str, more: &str) -> String {
    format!(r#"{{"version":3,"sources":["a","b"],"names":{names},"mappings":"",{more}}}"#)
}

fn draw(map: &SourceMap<'_>, scopes: &Scopes) -> String {
    let mut drawn = String::new();
    for it in &scopes.originals {
        let (start, end) = (it.start, it.end);
        let _ = write!(drawn, "{} {}:{}-{}:{}", it.source, start.line, start.column, end.line, end.column);
        let _ = write!(drawn, "{}", if it.is_function { " function" } else { "" });
        let words = [it.kind, it.name].into_iter().flatten().filter_map(|it| map.name(it));
        let words: String = words.map(|it| format!(" {it}")).collect();
        let _ = writeln!(drawn, "{words}{}", it.parent.map_or(String::new(), |it| format!(" in {it}")));
    }
    for it in &scopes.ranges {
        let (start, end) = (it.start, it.end);
        let _ = write!(drawn, "{}:{}-{}:{} {:?}", start.line, start.column, end.line, end.column, it.frame);
        let _ = write!(drawn, "{}", it.definition.map_or(String::new(), |it| format!(" of {it}")));
        let call = it
            .call_site
            .map_or(String::new(), |it| format!(" called at {}:{}:{}", it.source, it.at.line, it.at.column));
        let _ = writeln!(drawn, "{call}{}", it.parent.map_or(String::new(), |it| format!(" in {it}")));
    }
    drawn
}

/// Two sources: `outer` with `inner` in it, then one without scopes. In the generated text `inner` stands
/// inlined in `outer`, which a helper is around.
const SCOPES: &str = r#""scopes":"BCAAC,BHCFAE,BFBEE,CDA,CBB,CBA,A,EMAA,EHBCC,DA,ECBC,IACF,HA,FC,FC,FBI""#;
const OUTER_AND_INNER: [Option<&str>; 4] = [None, Some("outer"), Some("inner"), None];
const NAMES: &str = r#"["outer","global","inner","function"]"#;

#[test]
fn scopes() {
    let text = with(NAMES, SCOPES);
    let (map, _) = SourceMap::parse(&text).expect("it is a map");
    let (scopes, warnings) = map.scopes();
    assert_eq!(warnings, []);
    expect![[r#"
        0 0:0-8:0 global
        0 2:5-7:1 function function outer in 0
        0 3:4-6:0 function inner in 1
        0:0-2:8 Hidden
        1:2-1:7 Original of 1 in 0
        1:3-1:5 None of 2 called at 0:2:5 in 1
    "#]]
    .assert_eq(&draw(&map, &scopes));
    let functions = [(0, 0), (1, 2), (1, 4), (9, 0)]
        .map(|(line, column)| scopes.function_at(at(line, column)).and_then(|it| map.name(it.name?)));
    assert_eq!(functions, OUTER_AND_INNER.map(|it| it.map(Into::into)));
    let functions = [(0, 0, 0), (0, 3, 0), (0, 4, 0), (1, 4, 0)].map(|(source, line, column)| {
        let original = Original { source, at: at(line, column) };
        scopes.function_in(original).and_then(|it| map.name(it.name?))
    });
    assert_eq!(functions, OUTER_AND_INNER.map(|it| it.map(Into::into)));
}

#[test]
fn broken_scopes_are_told() {
    for broken in ["BAAA", "CAA", "FA", "BAAA,CAA,BAAA,CAA,BAAA,CAA", "B", "EA", "B=", "BAAA,EAA,CAA,FA,IA"] {
        let text = with("[]", &format!(r#""scopes":"{broken}""#));
        let (map, _) = SourceMap::parse(&text).expect("it is a map");
        let (scopes, warnings) = map.scopes();
        assert_eq!((scopes, warnings.len()), (Scopes::default(), 1), "{broken}");
    }
}

#[test]
fn scopes_of_sections_are_moved() {
    let section = |line: u32| {
        let map = r#"{"version":3,"sources":["a"],"names":["f"],"mappings":"","scopes":"BFAAA,CCA,EGBA,FC"}"#;
        format!(r#"{{"offset":{{"line":{line},"column":4}},"map":{map}}}"#)
    };
    let text = format!(r#"{{"version":3,"sections":[{},{}]}}"#, section(0), section(2));
    let (map, _) = SourceMap::parse(&text).expect("it is a map");
    expect![[r#"
        0 0:0-2:0 function f
        1 0:0-2:0 function f
        0:5-0:7 Original of 0
        2:5-2:7 Original of 1
    "#]]
    .assert_eq(&draw(&map, &map.scopes().0));
}

fn check_functions(names: &str, more: &str, expected: Expect) {
    let text = with(names, more);
    let (map, warnings) = SourceMap::parse(&text).expect("it is a map");
    assert_eq!(warnings, []);
    let mut drawn = String::new();
    for source in 0..3 {
        let FunctionMap { spans, names } = map.function_map(source).unwrap_or_default();
        for span in spans {
            let (start, end) = (span.start, span.end);
            let end =
                if end.line == u32::MAX { String::new() } else { format!("{}:{}", end.line, end.column) };
            let name = &names[span.name as usize];
            let _ = writeln!(drawn, "{source} {}:{}-{end} {name}", start.line, start.column);
        }
    }
    expected.assert_eq(&drawn);
}

#[test]
fn function_mappings_of_pasta() {
    check_functions(
        r#"["inner","outer"]"#,
        r#""x_com_bloomberg_sourcesFunctionMappings":["ACECK,CFFIJ","g"]"#,
        expect![[r#"
            0 0:0-4:1 outer
            0 1:2-2:5 inner
        "#]],
    );
}

#[test]
fn function_maps_of_metro() {
    check_functions(
        "[]",
        r#""x_facebook_sources":[[{"names":["<global>","work"],"mappings":"AAA;ICC,SD"}],null]"#,
        expect![[r#"
            0 0:0-1:4 <global>
            0 1:4-1:13 work
            0 1:13- <global>
        "#]],
    );
}

#[test]
fn names_of_places() {
    let text = with(r#"["inner","outer"]"#, r#""x_com_bloomberg_sourcesFunctionMappings":["ACECK,CFFIJ"]"#);
    let (map, _) = SourceMap::parse(&text).expect("it is a map");
    let functions = map.function_map(0).expect("it has one");
    let names = [(0, 0), (0, 1), (1, 3), (3, 0)].map(|(line, column)| functions.name_at(at(line, column)));
    assert_eq!(names, [Some("outer"), Some("outer"), Some("inner"), Some("outer")]);
}
