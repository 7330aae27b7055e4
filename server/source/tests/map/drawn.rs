//! Maps in a form that people can read: a line of text for each generated line, with segments such as
//! `4=a:1:2:name` (generated column, source, line, column, name) or `9=-` for code that a tool made.

use std::fmt::Write as _;

use source::map::{Query, Segment, SourceMap};
use source::text::LineCol;

/// The JSON of a map whose mappings are drawn; `more` are further members.
pub(crate) fn map(lines: &[&str], more: &str) -> String {
    let (mut sources, mut names) = (Vec::new(), Vec::new());
    let mappings = mappings(lines, &mut sources, &mut names);
    let list = |it: &[String]| it.iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(",");
    format!(
        "{{\"version\":3,\"sources\":[{}],\"names\":[{}],\"mappings\":\"{mappings}\"{more}}}",
        list(&sources),
        list(&names)
    )
}

fn mappings(lines: &[&str], sources: &mut Vec<String>, names: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut last = [0_i64; 5];
    for (line, drawn) in lines.iter().enumerate() {
        text.push_str(if line > 0 { ";" } else { "" });
        last[0] = 0;
        for (index, segment) in drawn.split_whitespace().enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            let (column, original) = segment.split_once('=').expect("a segment has a `=`");
            let mut numbers = vec![column.parse().expect("a column is a number")];
            if original != "-" {
                let parts: Vec<&str> = original.split(':').collect();
                numbers.push(index_in(sources, parts[0]));
                numbers.extend(parts[1..3].iter().map(|it| it.parse::<i64>().expect("a number")));
                numbers.extend(parts.get(3).map(|it| index_in(names, it)));
            }
            for (field, number) in numbers.into_iter().enumerate() {
                vlq(&mut text, number - last[field]);
                last[field] = number;
            }
        }
    }
    text
}

fn index_in(list: &mut Vec<String>, item: &str) -> i64 {
    let index = list.iter().position(|it| it == item).unwrap_or_else(|| {
        list.push(item.to_owned());
        list.len() - 1
    });
    index as i64
}

fn vlq(text: &mut String, number: i64) {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let more = if rest > 31 { 32 } else { 0 };
        text.push(char::from(digits[(rest & 31 | more) as usize]));
        rest >>= 5;
        if more == 0 {
            break;
        }
    }
}

/// A segment as it is drawn, with its generated line before it.
pub(crate) fn draw(map: &SourceMap<'_>, segment: &Segment) -> String {
    let LineCol { line, column } = segment.generated;
    let mut drawn = format!("{line}/{column}=");
    match segment.original {
        None => drawn.push('-'),
        Some(original) => {
            let source = map.sources[original.source as usize].url.as_deref().unwrap_or("null");
            let _ = write!(drawn, "{source}:{}:{}", original.at.line, original.at.column);
        }
    }
    drawn
}

/// All segments of a map.
pub(crate) fn read(text: &str) -> String {
    let map = match SourceMap::parse(text) {
        Ok(map) => map,
        Err(error) => return format!("error: {error}\n"),
    };
    let everywhere = Query { at: at(0, 0), end: at(u32::MAX, u32::MAX), limit: u32::MAX };
    map.resolve(&[everywhere]).inside(0).map(|segment| draw(&map, &segment) + "\n").collect()
}

pub(crate) fn at(line: u32, column: u32) -> LineCol {
    LineCol { line, column }
}
