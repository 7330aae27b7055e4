//! A source map of any kind, however broken: what is read is in order and within the tables of the map, lookups give
//! the same as a scan of all segments, and a map gives the same as the only section of an index map.

use source::definition::{DefinitionId, Outline};
use source::language::Language;
use source::large_stack::outline;
use source::map::{
    FunctionOrigin, Outlined, Query, ReportedFunction, Segment, SourceMap, data_url, debug_id, origins_of,
    source_mapping_url,
};
use source::text::{LineCol, LineEnds, LineIndex, text_of};

use crate::draw::hash;

/// Reads it with all readers; if it is not a map, as the text that leads to one.
pub(crate) fn check(bytes: &[u8]) {
    let text = text_of(bytes);
    reference(&text);
    let Ok(map) = SourceMap::parse(&text) else { return };
    let segments = segments(&map);
    tables(&map);
    questions(&map, &segments, hash(bytes));
    placings(&map);
    in_an_index(&text, &map, &segments);
}

/// What a generated text says about its map.
fn reference(text: &str) {
    if let Some(found) = source_mapping_url(text) {
        assert!(text.contains(found), "the url is part of the text");
    }
    if let Some(Ok(inner)) = data_url(text) {
        assert!(inner.len() <= text.len() * 3, "each byte gives at most one character");
    }
    assert!(debug_id(text).is_none_or(|it| it.len() == 36 && !it.contains(char::is_uppercase)));
}

fn segments(map: &SourceMap<'_>) -> Vec<Segment> {
    let [start, end] = [0, u32::MAX].map(|it| LineCol { line: it, column: it });
    let everywhere = Query { at: start, end, limit: u32::MAX };
    let all: Vec<Segment> = map.resolve(&[everywhere]).inside(0).collect();
    assert!(all.is_sorted_by_key(|it| it.generated), "segments are ordered by place");
    for segment in &all {
        assert!(segment.original.is_none_or(|it| (it.source as usize) < map.sources.len()));
    }
    all
}

fn tables(map: &SourceMap<'_>) {
    assert_eq!(map.content(map.sources.len() as u32), None);
}

/// Questions at and around some segments: the answer equals that of a scan of all of them.
fn questions(map: &SourceMap<'_>, segments: &[Segment], seed: u64) {
    let step = segments.len() / 8 + 1;
    let mut places: Vec<LineCol> =
        segments.iter().skip(seed as usize % step).step_by(step).map(|it| it.generated).collect();
    places.extend(places.clone().iter().map(|it| LineCol { column: it.column.saturating_add(1), ..*it }));
    places.extend([LineCol { line: 0, column: 0 }, LineCol { line: u32::MAX, column: u32::MAX }]);
    places.sort();
    let end = |at: LineCol| LineCol { line: at.line.saturating_add(1), column: at.column };
    let limit = 1 + (seed >> 32) as u32 % 5;
    let queries: Vec<Query> = places.iter().map(|&at| Query { at, end: end(at), limit }).collect();
    let resolved = map.resolve(&queries);
    for (number, query) in queries.iter().enumerate() {
        let inside: Vec<Segment> = resolved.inside(number).collect();
        let first = segments.partition_point(|it| it.generated < query.at);
        let expected = segments[first..].iter().take_while(|it| it.generated < query.end);
        let expected: Vec<Segment> = expected.take(limit as usize).copied().collect();
        assert_eq!(inside, expected, "inside of {query:?}");
        if let Some(before) = resolved.before(number) {
            assert!(before.generated <= query.at, "{before:?} stands before {query:?}");
            assert!(segments.iter().any(|it| it.generated == before.generated));
        }
    }
}

/// What the functions of a text were written as, when this is its map.
fn placings(map: &SourceMap<'_>) {
    let contents: Vec<Option<Text>> =
        (0..map.sources.len().min(4) as u32).map(|it| map.content(it).map(|it| Text::new(&it))).collect();
    let generated = Text::new("function a(){return b=>b}class C{m(){}}\nlet d=()=>{function e(){}},f=1;\n");
    let definitions = (0..).map(DefinitionId).zip(&generated.outline.definitions);
    let functions: Vec<ReportedFunction> =
        definitions.map(|(definition, it)| ReportedFunction { definition, at: it.range.start() }).collect();
    let original = |source: u32| contents.get(source as usize)?.as_ref().map(Text::outlined);
    let origins = origins_of(map, generated.outlined(), &functions, original);
    assert_eq!(origins.len(), functions.len(), "each function has its answer");
    for placing in origins.into_iter().filter_map(FunctionOrigin::definition) {
        let text = original(placing.source).expect("it was placed in a text that is there");
        assert!((placing.definition.0 as usize) < text.outline.definitions.len(), "in a definition of it");
    }
}

/// A text as maps are asked about it.
struct Text {
    text: String,
    lines: LineIndex,
    outline: Outline,
}

impl Text {
    fn new(text: &str) -> Self {
        let outline = outline(text, Language::JavaScript).unwrap_or_default();
        Self { text: text.to_owned(), lines: LineIndex::new(text, LineEnds::Engine), outline }
    }

    fn outlined(&self) -> Outlined<'_> {
        Outlined { text: &self.text, lines: &self.lines, outline: &self.outline }
    }
}

/// A map as the only section of an index map.
fn in_an_index(text: &str, map: &SourceMap<'_>, flat: &[Segment]) {
    let text = text.trim_start_matches('\u{feff}');
    // What is not asked for is skipped, and may be anything that has as many closing brackets as opening ones.
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return;
    }
    let text = format!(
        "{{\"version\":3,\"sections\":[{{\"offset\":{{\"line\":0,\"column\":0}},\"map\":{}}}]}}",
        text.trim()
    );
    let index = SourceMap::parse(&text).expect("an index map");
    // Of index maps, what is nested too deeply is left out.
    if index.sources.is_empty() {
        return;
    }
    assert_eq!(index.sources, map.sources);
    assert_eq!(segments(&index), flat, "as the only section");
}
