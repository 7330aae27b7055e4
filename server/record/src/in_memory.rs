//! Changes scripts that a loader transformed in memory so that they contain what only the loader knew.
//!
//! Jest and Vite put a function around a module, on its first line, and make V8 count columns as if it were not there, or
//! were there twice. Many loaders identify the original by its file name alone, which is also the script's. In a trace, all
//! positions are positions in the text, maps lead from that text, and a source that is the script's own file has its path.

use std::{fs, mem};

use serde_json::{Value, json};
use source::map::{data_url, source_mapping_url};
use url::Url;

use crate::v8_profile::{CallFrame, Script, V8Profile};

/// Where V8 says that the text of a script starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextStart {
    pub(crate) line: i64,
    pub(crate) column: i64,
}

/// Makes the positions of a script, and its map, those of its text. `mark` distinguishes its map from those of other
/// texts that ran under the same name.
pub(crate) fn settle(script: &mut Script, start: TextStart, mark: &str, mut profile: Option<&mut V8Profile>) {
    let wrapper = wrapper(&script.text, start);
    if let Some(profile) = &mut profile {
        move_frames(profile, &script.id, start, wrapper);
    }
    name_by_url(script, profile);
    let inline = inline_map(&script.text);
    let text = script.map.as_deref().or(inline.as_ref().map(|map| map.json.as_str()));
    let Some(mut map) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return };
    let is_named = name_own_file(&mut map, script);
    if wrapper > 0 {
        map =
            json!({ "version": 3, "sections": [{ "offset": { "line": 0, "column": wrapper }, "map": map }] });
    }
    if !is_named && wrapper == 0 {
        return;
    }
    script.map = Some(map.to_string());
    let file = script.url.split(['?', '#']).next().unwrap_or_default().rsplit(['/', '\\']).next();
    let name = format!("{}.map?{mark}", file.unwrap_or_default());
    if let Some(InlineMap { url, .. }) = inline {
        script.text = script.text.replace(&url, &name);
    }
    script.map_url = Some(name);
}

/// Calls a script as samples do. If a text says by a path where it is from (`//# sourceURL=/src/a.ts`, as modules on a server of Vite do),
/// V8's debugger calls it by that path, and so do functions that were inlined, but samples and counts of calls name the URL of the path.
fn name_by_url(script: &mut Script, profile: Option<&mut V8Profile>) {
    let Ok(url) = Url::from_file_path(&script.url) else { return };
    let path = mem::replace(&mut script.url, url.into());
    let nodes = profile.into_iter().flat_map(|profile| &mut profile.nodes);
    for frame in nodes.map(|node| &mut node.call_frame) {
        if frame.script_id == script.id && frame.url == path {
            frame.url.clone_from(&script.url);
        }
    }
}

/// The length of what a loader wrote before the code on the first line; 0 if nothing. V8 is told about it as the column
/// where the text starts, with either sign.
fn wrapper(text: &str, start: TextStart) -> usize {
    let length = usize::try_from(start.column.unsigned_abs()).unwrap_or(0);
    let is_wrapper =
        text.get(..length).is_some_and(|code| code.is_ascii() && !code.contains('\n') && code.ends_with('{'));
    if start.line == 0 && is_wrapper { length } else { 0 }
}

/// Makes positions relative to the start of the text. To a reader, a function of the wrapper is the whole module.
fn move_frames(profile: &mut V8Profile, script: &str, start: TextStart, wrapper: usize) {
    if start == TextStart::default() {
        return;
    }
    for frame in profile.makers.values_mut().filter(|frame| frame.script_id == script) {
        move_frame(frame, start, wrapper);
    }
    for node in profile.nodes.iter_mut().filter(|node| node.call_frame.script_id == script) {
        move_frame(&mut node.call_frame, start, wrapper);
        for tick in &mut node.position_ticks {
            tick.line = u32::try_from(i64::from(tick.line) - start.line).unwrap_or(tick.line);
        }
    }
}

fn move_frame(frame: &mut CallFrame, start: TextStart, wrapper: usize) {
    if frame.line_number == start.line {
        frame.column_number -= start.column;
        if frame.column_number < i64::try_from(wrapper).unwrap_or(0) {
            frame.column_number = 0;
            frame.function_name.clear();
        }
    }
    frame.line_number -= start.line;
}

/// Gives a source that is the script's own file the path of that file, if the file's text differs from the one that ran.
/// Returns `false` if there is no such source.
fn name_own_file(map: &mut Value, script: &Script) -> bool {
    let Some(own) = file_url(&script.url) else { return false };
    let root = map["sourceRoot"].as_str().unwrap_or_default().trim_end_matches('/').to_owned();
    let Some(sources) = map.get_mut("sources").and_then(Value::as_array_mut) else { return false };
    let mut own_sources = sources.iter_mut().filter(|source| is_source(source, &root, &own)).peekable();
    if own_sources.peek().is_none() {
        return false;
    }
    let on_disk = own.to_file_path().ok().and_then(|file| fs::read_to_string(file).ok());
    if on_disk.is_none_or(|text| text == script.text) {
        return false;
    }
    let mut file = own.clone();
    file.set_query(None);
    file.set_fragment(None);
    own_sources.for_each(|source| *source = json!(file.as_str()));
    true
}

/// The path of a script on this disk, by its URL or its path.
pub(crate) fn file_url(script: &str) -> Option<Url> {
    match Url::parse(script) {
        Ok(url) if url.scheme() == "file" => Some(url),
        _ => Url::from_file_path(script).ok(),
    }
}

/// Whether a source of a map is this file.
fn is_source(source: &Value, root: &str, file: &Url) -> bool {
    let Some(source) = source.as_str() else { return false };
    let path = if root.is_empty() { source.to_owned() } else { format!("{root}/{source}") };
    file.join(&path).is_ok_and(|url| url.scheme() == "file" && url.path() == file.path())
}

struct InlineMap {
    url: String,
    json: String,
}

fn inline_map(text: &str) -> Option<InlineMap> {
    let url = source_mapping_url(text)?;
    let json = data_url(url)?.ok()?;
    Some(InlineMap { url: url.to_owned(), json })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str, start: TextStart, columns: &[i64]) -> (Script, Vec<(i64, String)>) {
        let frame = |column: &i64| {
            json!({ "id": 1, "callFrame": {
                "functionName": "f", "scriptId": "7", "url": "/no/such/a.ts", "lineNumber": 0, "columnNumber": column,
            } })
        };
        let nodes: Vec<Value> = columns.iter().map(frame).collect();
        let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 0 });
        let mut profile: V8Profile = serde_json::from_value(profile).unwrap();
        let mut script = Script {
            id: "7".into(),
            url: "/no/such/a.ts".into(),
            text: text.into(),
            map_url: None,
            map: None,
        };
        settle(&mut script, start, "1", Some(&mut profile));
        let frames = profile.nodes.into_iter().map(|it| it.call_frame);
        (script, frames.map(|it| (it.column_number, it.function_name)).collect())
    }

    #[test]
    fn what_stands_around_a_module_is_its_top_level() {
        let comment = "\n//# sourceMappingURL=data:application/json,%7B%22version%22:3%7D\n";
        let cases = [
            (format!("(function(module){{f(){comment}}})"), 18, [18, 27, 36, 37]),
            (format!("async (x) => {{{{f(){comment}}}}}"), -15, [-15, -9, 0, 1]),
        ];
        let expected = [(0, ""), (0, ""), (0, "f"), (1, "f")];
        for (text, column, columns) in cases {
            let (script, frames) = settled(&text, TextStart { line: 0, column }, &columns);
            let wrapper = i64::try_from(text.find("f()").unwrap()).unwrap();
            let expected =
                expected.map(|(at, name)| (if name == "f" { at + wrapper } else { at }, name.to_owned()));
            assert_eq!(frames, expected);
            let section = json!({ "offset": { "line": 0, "column": wrapper }, "map": { "version": 3 } });
            let map: Value = serde_json::from_str(&script.map.unwrap()).unwrap();
            assert_eq!(map, json!({ "version": 3, "sections": [section] }));
            let lines: Vec<&str> = script.text.lines().skip(1).collect();
            assert_eq!(lines[0], "//# sourceMappingURL=a.ts.map?1");
        }
    }

    #[test]
    fn a_script_that_names_itself_by_a_path_is_called_as_in_samples() {
        let frame = |script: &str, url: &str| {
            json!({ "id": 1, "callFrame": {
                "functionName": "f", "scriptId": script, "url": url, "lineNumber": 0, "columnNumber": 0,
            } })
        };
        let (path, url) = if cfg!(windows) {
            (r"C:\no\a b.ts", "file:///C:/no/a%20b.ts")
        } else {
            ("/no/a b.ts", "file:///no/a%20b.ts")
        };
        let nodes = [frame("7", url), frame("7", path), frame("8", path)];
        let mut profile =
            serde_json::from_value(json!({ "nodes": nodes, "startTime": 0, "endTime": 0 })).unwrap();
        let mut script =
            Script { id: "7".into(), url: path.into(), text: "f()".into(), map_url: None, map: None };
        settle(&mut script, TextStart::default(), "1", Some(&mut profile));
        assert_eq!(script.url, url);
        let urls: Vec<&str> = profile.nodes.iter().map(|it| it.call_frame.url.as_str()).collect();
        assert_eq!(urls, [url, url, path]);
    }

    #[test]
    fn a_text_that_starts_where_its_script_does_stays_as_it_is() {
        let (script, frames) = settled("f()", TextStart::default(), &[0, 2]);
        assert_eq!(frames, [(0, "f".to_owned()), (2, "f".to_owned())]);
        assert_eq!((script.text.as_str(), script.map, script.map_url), ("f()", None, None));
    }
}
