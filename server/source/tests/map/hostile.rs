//! Maps that were written to do harm: nothing may panic, take long, or take much memory.

use source::map::{Query, SourceMap, data_url, debug_id, source_mapping_url};
use source::text::LineCol;

/// Reads everything there is to read.
fn exhaust(text: &str) -> usize {
    let Ok(map) = SourceMap::parse(text) else { return 0 };
    let mut seen = map.sources.len();
    for source in 0..map.sources.len() as u32 {
        seen += map.content(source).map_or(0, |it| it.len());
    }
    let queries: Vec<Query> = (0..50)
        .map(|it| {
            let at = LineCol { line: it / 5, column: it % 5 * 7 };
            Query { at, end: LineCol { line: at.line + 2, column: u32::MAX }, limit: 3 }
        })
        .collect();
    let resolved = map.resolve(&queries);
    (0..queries.len()).fold(seen, |seen, it| seen + resolved.inside(it).len())
}

#[test]
fn long_runs() {
    let flat = |mappings: &str| {
        format!(
            r#"{{"version":3,"sources":["a"],"names":["n"],"mappings":"{mappings}","rangeMappings":"{mappings}"}}"#
        )
    };
    for run in [";", ",", "A", "AAAA,", "g", "/", "B,", "BAAA,", "E,", "D,", "+/////D,", "AAAAA;", "D"] {
        exhaust(&flat(&run.repeat(100_000)));
    }
    for run in ["[", "{", "{\"sections\":[{\"offset\":{},\"map\":", "{\"\":", "\"", "\\", "[\""] {
        assert_eq!(exhaust(&run.repeat(100_000)), 0);
        let text = format!("{{\"version\":3,\"sources\":{}", run.repeat(100_000));
        assert_eq!(exhaust(&text), 0);
    }
    let comments = "//# sourceMappingURL=\n".repeat(50_000);
    assert!(source_mapping_url(&comments).is_some());
    assert!(source_mapping_url(&format!("{comments}\"")).is_none());
    assert_eq!(debug_id(&comments), None);
    assert!(data_url(&format!("data:;base64,{}", "%".repeat(100_000))).is_some_and(|it| it.is_err()));
}

#[test]
fn every_cut_and_every_changed_byte() {
    let text = concat!(
        r#"{"version":3,"file":"a\u00e9","sections":[{"offset":{"line":0,"column":1},"map":{"version":3,"#,
        r#""sources":["a",null],"sourcesContent":["\ud83d\ude00"],"names":["f","g"],"#,
        r#""mappings":"AAAAA,ICCD;F,KACD","rangeMappings":"BB"}}]}"#
    );
    assert!(exhaust(text) > 0);
    for (at, _) in text.char_indices() {
        exhaust(&text[..at]);
        for other in ['"', '\\', ';', ',', '/', 'D', '9', '{', ']', '\u{e9}', '\0'] {
            let mut changed = text.to_owned();
            changed.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
            exhaust(&changed);
        }
    }
}
