//! What enhanced traces hold of the scripts themselves.

use crate::decode::decode;
use crate::model::FunctionId;

/// Functions on the stack: name, url, V8's id of the script.
type Functions<'a> = &'a [(&'a str, &'a str, u32)];

const APP: Functions = &[("main", "http://x/app.js", 7), ("work", "http://x/app.js", 7)];

/// `{"name": ..., "args": {"data": {...}}}`
fn event(name: &str, data: &str) -> String {
    format!(r#"{{"args":{{"data":{{{data}}}}},"name":"{name}","ph":"X","pid":1,"tid":1,"ts":1}}"#)
}

/// An event that describes a script, with its special members.
fn about(id: u32, url: &str, more: &str) -> String {
    event("ScriptCatchup", &format!(r#""isolate":"88","scriptId":{id},"url":"{url}"{more}"#))
}

/// An event with the text of a script.
fn text(id: u32, text: &str) -> String {
    event("ScriptCatchup", &format!(r#""isolate":"88","scriptId":{id},"length":9,"sourceText":"{text}""#))
}

/// A trace with these functions, each called by the previous one; `container` precedes its events.
fn trace(functions: Functions, events: &[String], container: &str) -> String {
    let mut nodes = vec![r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}}"#.to_owned()];
    for (index, (name, url, script)) in functions.iter().enumerate() {
        let (id, parent) = (index + 2, index + 1);
        nodes.push(format!(
            r#"{{"id":{id},"parent":{parent},"callFrame":{{"functionName":"{name}","scriptId":{script},"url":"{url}","lineNumber":{index},"columnNumber":5}}}}"#
        ));
    }
    let (nodes, last) = (nodes.join(","), functions.len() + 1);
    let chunk =
        format!(r#""cpuProfile":{{"nodes":[{nodes}],"samples":[{last},{last}]}},"timeDeltas":[0,100]"#);
    let mut all = vec![
        event("Profile", r#""startTime":1"#).replace(r#""pid""#, r#""id":"0x1","pid""#),
        event("ProfileChunk", &chunk).replace(r#""pid""#, r#""id":"0x1","pid""#),
    ];
    all.extend_from_slice(events);
    format!(r#"{{{container}"traceEvents":[{}]}}"#, all.join(","))
}

/// The script of each function: its start, its text, its map, and where the map was.
fn scripts(text: &str) -> Vec<String> {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    let ids = (0..profile.functions.len() as u32).map(FunctionId);
    let mut lines: Vec<String> = ids
        .filter_map(|id| {
            let script = &profile.scripts[profile.script(id)?];
            let or_none = |it: &Option<Box<str>>| it.as_deref().unwrap_or("-").to_owned();
            let start = script.start.map_or("?".to_owned(), |it| format!("{}:{:?}", it.line, it.column));
            let (text, map, url) = (or_none(&script.text), or_none(&script.map), or_none(&script.map_url));
            Some(format!("{} {start} | {text} | {map} | {url}", profile.name(id)))
        })
        .collect();
    lines.extend(profile.problems.iter().map(|it| format!("! {}", it.what)));
    lines
}

#[test]
fn a_text_and_a_map() {
    let maps = r#""metadata":{"sourceMaps":[{"url":"http://x/app.js","sourceMapUrl":"app.js.map","sourceMap":{"v":[{"}":3}]}},{"url":"http://x/other.js","sourceMap":{}}]},"#;
    let events = [about(7, "http://x/app.js", r#","sourceMapUrl":"app.js.map""#), text(7, "a()")];
    let expected =
        [r#"main ? | a() | {"v":[{"}":3}]} | app.js.map"#, r#"work ? | a() | {"v":[{"}":3}]} | app.js.map"#];
    assert_eq!(scripts(&trace(APP, &events, maps)), expected);
    let before = trace(APP, &events, "");
    let before = before.strip_suffix('}').expect("an object");
    assert_eq!(scripts(&format!("{before},{}}}", maps.trim_end_matches(','))), expected);

    let twice: Vec<String> = events.iter().chain(&events).rev().cloned().collect();
    assert_eq!(scripts(&trace(APP, &twice, maps)), expected, "in any order, as often as it likes");
    assert_eq!(scripts(&trace(APP, &events[..1], maps)), expected.map(|it| it.replace("a()", "-")));
    assert_eq!(
        scripts(&trace(APP, &[], maps)),
        expected.map(|it| it.replace("a()", "-")),
        "of its url, if no event tells of it"
    );
    assert_eq!(scripts(&trace(APP, &events[1..], "")), [""; 0], "nobody knows whose text it is");
}

#[test]
fn a_text_in_pieces() {
    let piece = |index: u32, text: &str| {
        let data = format!(
            r#""isolate":"88","scriptId":7,"splitIndex":{index},"splitCount":3,"sourceText":"{text}""#
        );
        event("LargeScriptCatchup", &data)
    };
    let mut events = vec![about(7, "http://x/app.js", ""), piece(1, "b"), piece(0, "a"), piece(2, "c")];
    assert_eq!(scripts(&trace(APP, &events, "")), ["main ? | abc | - | -", "work ? | abc | - | -"]);
    events.remove(2);
    assert_eq!(scripts(&trace(APP, &events, "")), [""; 0], "a text with a hole is none");
    let too_large =
        [about(7, "http://x/app.js", ""), event("TooLargeScriptCatchup", r#""isolate":"88","scriptId":7"#)];
    assert_eq!(scripts(&trace(APP, &too_large, "")), [""; 0]);
}

/// V8 cuts a long text where its UTF-8 is as long as the text has UTF-16 code units.
#[test]
fn a_text_in_pieces_that_lacks_its_end() {
    let piece = |index: u32, text: &str| {
        let data = format!(
            r#""isolate":"88","scriptId":7,"splitIndex":{index},"splitCount":2,"sourceText":"{text}""#
        );
        event("LargeScriptCatchup", &data)
    };
    let whole_length = |events: &[String]| {
        let profile = decode(&mut trace(APP, events, "").as_bytes(), "trace.json", &()).expect("a trace");
        profile.scripts[0].whole_length
    };
    let events = [about(7, "http://x/app.js", ""), piece(0, "é"), piece(1, "€ ")];
    assert_eq!(scripts(&trace(APP, &events, "")), ["main ? | é€  | - | -", "work ? | é€  | - | -"]);
    assert_eq!(whole_length(&events), Some(6));
    let ascii = [about(7, "http://x/app.js", ""), piece(0, "e"), piece(1, "E ")];
    assert_eq!(whole_length(&ascii), None, "all of it");

    // Whoever knows the whole text may add it.
    let completed: Vec<String> = events.iter().cloned().chain([text(7, "é€ end")]).collect();
    for events in [completed.clone(), completed.into_iter().rev().collect()] {
        assert_eq!(scripts(&trace(APP, &events, "")), ["main ? | é€ end | - | -", "work ? | é€ end | - | -"]);
        assert_eq!(whole_length(&events), None);
    }
}

#[test]
fn scripts_in_a_page() {
    let page: Functions = &[("a", "http://x/", 3), ("b", "http://x/", 4)];
    let start = r#","startLine":3,"startColumn":24,"sourceMapUrlElided":true"#;
    let events = [about(3, "http://x/", start), text(3, "a()"), about(4, "http://x/", ""), text(4, "b()")];
    let maps = r#""metadata":{"sourceMaps":[{"url":"http://x/","sourceMap":{"of":"one"}}]},"#;
    assert_eq!(
        scripts(&trace(page, &events, maps)),
        ["a 3:Some(24) | a() | - | -", "b ? | b() | - | -"],
        "nobody knows whose map it is"
    );
    let content = r#""metadata":{"resources":[{"url":"http://x/","frame":"F","content":"<html>","mimeType":"text/html"},{"url":"http://x/a.css","content":"p{}","mimeType":"text/css"}]},"#;
    assert_eq!(scripts(&trace(page, &[], content)), ["a ? | <html> | - | -", "b ? | <html> | - | -"]);
}

#[test]
fn isolates_have_ids_of_their_own() {
    let both: Functions = &[("main", "http://x/app.js", 7), ("work", "http://x/worker.js", 7)];
    let of_worker = |it: String| it.replace(r#""88""#, r#""99""#);
    let events = [
        about(7, "http://x/app.js", ""),
        text(7, "page"),
        of_worker(about(7, "http://x/worker.js", "")),
        of_worker(text(7, "worker")),
    ];
    assert_eq!(scripts(&trace(both, &events, "")), ["main ? | page | - | -", "work ? | worker | - | -"]);
    let same = events.map(|it| it.replace("worker.js", "app.js"));
    assert_eq!(scripts(&trace(APP, &same, "")), [""; 0], "of two texts nobody knows which one ran");
    let equal = same.map(|it| it.replace(r#""worker""#, r#""page""#));
    assert_eq!(scripts(&trace(APP, &equal, "")), ["main ? | page | - | -", "work ? | page | - | -"]);
}

#[test]
fn a_page_that_was_loaded_again_after_an_edit() {
    let both: Functions = &[("main", "http://x/app.js", 7), ("main", "http://x/app.js", 9)];
    let url = r#","sourceMapUrl":"app.js.map""#;
    let events =
        [about(7, "http://x/app.js", url), text(7, "old"), about(9, "http://x/app.js", url), text(9, "new")];
    let map = |script: u32, map: &str| {
        format!(
            r#"{{"url":"http://x/app.js","sourceMapUrl":"app.js.map","scripts":[{{"isolate":"88","scriptId":{script}}}],"sourceMap":{{"of":"{map}"}}}}"#
        )
    };
    let of = |events: &[String], maps: &[String]| {
        let text = trace(both, events, &format!(r#""metadata":{{"sourceMaps":[{}]}},"#, maps.join(",")));
        scripts(&text.replace(r#""lineNumber":1"#, r#""lineNumber":0"#))
    };
    assert_eq!(
        of(&events, &[map(9, "new"), map(7, "old")]),
        [r#"main ? | old | {"of":"old"} | app.js.map"#, r#"main ? | new | {"of":"new"} | app.js.map"#],
    );
    assert_eq!(
        of(&events, &[map(9, "new")]),
        ["main ? | old | - | app.js.map", r#"main ? | new | {"of":"new"} | app.js.map"#],
        "a map is that of the script that it names"
    );
    let without_scripts =
        r#"{"url":"http://x/app.js","sourceMapUrl":"app.js.map","sourceMap":{}}"#.to_owned();
    assert_eq!(
        of(&events, &[without_scripts]),
        ["main ? | old | - | app.js.map", "main ? | new | - | app.js.map"],
        "nobody knows whose map it is"
    );
    let same = events.map(|it| it.replace("\"new\"", "\"old\""));
    assert_eq!(of(&same, &[map(7, "old")]), [r#"main ? | old | {"of":"old"} | app.js.map"#]);
    assert_eq!(
        of(&same[..2], &[map(9, "new")]),
        ["main ? | old | - | app.js.map"],
        "of no script that is here"
    );
}

#[test]
fn a_script_that_names_itself() {
    let named: Functions = &[("main", "named.js", 7)];
    let events = [about(7, "http://x/app.js", r#","sourceUrl":"named.js""#), text(7, "a()")];
    let maps = r#""metadata":{"sourceMaps":[{"url":"http://x/app.js","sourceMap":{}}]},"#;
    assert_eq!(scripts(&trace(named, &events, maps)), ["main ? | a() | {} | -"]);
    // What `eval` made has no other name.
    let events = [about(7, "", r#","hasSourceUrl":true,"sourceUrl":"named.js""#), text(7, "a()")];
    let maps = maps.replace("http://x/app.js", "named.js");
    assert_eq!(scripts(&trace(named, &events, &maps)), ["main ? | a() | {} | -"]);
}

#[test]
fn the_list_of_edge() {
    let list = r#""meta":{"type":"x-msedge-session-log"},"scripts":[null,{"scriptId":"7","url":"http://x/app.js","sourceText":"a()"}],"payload":{"#;
    let text = trace(APP, &[], list) + "}";
    assert_eq!(scripts(&text), ["main ? | a() | - | -", "work ? | a() | - | -"]);
}
