//! Parses the text of a map into its tables.

use std::borrow::Cow;

use super::error::MapError;
use super::json::{self, Json, Kind, NoJson};
use super::mappings::key;
use super::reference::uuid;
use super::section::Section;
use super::source_map::{Source, SourceMap};
use crate::text::LineCol;

/// How many index maps may be nested; the standard allows none, but tools write one.
const MAX_DEPTH: u32 = 8;

impl<'a> SourceMap<'a> {
    /// Reads the tables of a map, skipping a byte order mark and the line that starts with `)]}'`. Parts that are wrong
    /// but can be skipped are left out.
    ///
    /// # Errors
    /// If the text is not a JSON object with `mappings` and `sources`, or with `sections`.
    pub fn parse(text: &'a str) -> Result<Self, MapError> {
        if u32::try_from(text.len()).is_err() {
            return Err(MapError::TooLong);
        }
        let fields = Fields::read(without_guard(text.strip_prefix('\u{FEFF}').unwrap_or(text)))?;
        let mut map = SourceMap {
            file: fields.file.and_then(json::text).map(Cow::into_owned),
            debug_id: fields.debug_id.and_then(json::text).and_then(|id| uuid(&id)),
            ..SourceMap::default()
        };
        map.add(fields, LineCol { line: 0, column: 0 }, 0)?;
        map.end_sections();
        Ok(map)
    }

    /// Adds a map, flat or not, that starts at a place of the generated text.
    fn add(&mut self, fields: Fields<'a>, start: LineCol, depth: u32) -> Result<(), MapError> {
        match fields.sections {
            None => self.add_flat(fields, start),
            Some(JsonList::Other) => Err(MapError::NoField("sections")),
            Some(JsonList::Items(sections)) => {
                if depth < MAX_DEPTH {
                    for raw in sections {
                        self.add_section(raw, start, depth);
                    }
                }
                Ok(())
            }
        }
    }

    /// Adds a section of an index map; `None` if it cannot be read, which costs this section only.
    fn add_section(&mut self, raw: &'a str, start: LineCol, depth: u32) -> Option<()> {
        let (mut offset, mut map) = (None, None);
        object(raw, |name, value| match name {
            "offset" => offset = Some(value),
            "map" => map = Some(value),
            _ => {}
        })?;
        let offset = offset_of(offset?)?;
        let line = start.line.checked_add(offset.line)?;
        // As with mappings, only the first line of a section shares its line with something else.
        let column = if offset.line == 0 { start.column.checked_add(offset.column)? } else { offset.column };
        self.add(Fields::read(map?).ok()?, LineCol { line, column }, depth + 1).ok()
    }

    fn add_flat(&mut self, fields: Fields<'a>, start: LineCol) -> Result<(), MapError> {
        let mappings = fields.mappings.and_then(json::text).ok_or(MapError::NoField("mappings"))?;
        let Some(JsonList::Items(sources)) = fields.sources else { return Err(MapError::NoField("sources")) };
        let root = fields.source_root.and_then(json::text).unwrap_or_default();
        let contents = match fields.contents {
            Some(JsonList::Items(items)) => items,
            Some(JsonList::Other) | None => Vec::new(),
        };
        self.sections.push(Section {
            start,
            end: u64::MAX,
            mappings,
            range_mappings: fields.range_mappings.and_then(json::text).unwrap_or_default(),
            first_source: self.sources.len() as u32,
            sources: sources.len() as u32,
            names: fields.names,
        });
        for (index, raw) in sources.iter().enumerate() {
            let url = json::text(raw).map(|url| joined(&root, &url));
            self.sources.push(Source { url });
            self.contents.push(contents.get(index).copied().filter(|text| text.starts_with('"')));
        }
        Ok(())
    }

    /// Puts the sections in order and ends each where the next one starts.
    fn end_sections(&mut self) {
        let sections = &mut self.sections;
        sections.sort_by_key(|section| section.start);
        for index in 1..sections.len() {
            let next = sections[index].start;
            sections[index - 1].end = key(next.line, next.column);
        }
    }
}

/// Some servers put a line before a map to keep it from running as a script (ECMA-426, "Fetching source maps").
fn without_guard(text: &str) -> &str {
    if !text.starts_with(")]}'") {
        return text;
    }
    text.find(['\n', '\r']).map_or("", |end| &text[end..])
}

/// The fields of a map as written; for lists that may be long, their items.
#[derive(Default)]
struct Fields<'a> {
    file: Option<&'a str>,
    debug_id: Option<&'a str>,
    source_root: Option<&'a str>,
    sources: Option<JsonList<'a>>,
    contents: Option<JsonList<'a>>,
    /// How many names there are; the names themselves do not matter.
    names: u32,
    mappings: Option<&'a str>,
    range_mappings: Option<&'a str>,
    sections: Option<JsonList<'a>>,
}

impl<'a> Fields<'a> {
    fn read(text: &'a str) -> Result<Self, MapError> {
        let mut json = Json::new(text);
        if json.kind()? != Kind::Object {
            return Err(MapError::NoObject);
        }
        let mut fields = Fields::default();
        let mut sentry_id = None;
        json.members(|name, json| {
            // Of members with the same name, the last one counts (ECMA-404 as ECMA-262 reads it).
            match name {
                "file" => fields.file = Some(json.value()?),
                "debugId" => fields.debug_id = Some(json.value()?),
                "debug_id" => sentry_id = Some(json.value()?),
                "sourceRoot" => fields.source_root = Some(json.value()?),
                "sources" => fields.sources = Some(JsonList::read(json)?),
                "sourcesContent" => fields.contents = Some(JsonList::read(json)?),
                "names" => fields.names = count(json)?,
                "mappings" => fields.mappings = Some(json.value()?),
                "rangeMappings" => fields.range_mappings = Some(json.value()?),
                "sections" => fields.sections = Some(JsonList::read(json)?),
                _ => {
                    json.value()?;
                }
            }
            Ok(())
        })?;
        if !json.is_done() {
            return Err(MapError::NoJson(json.at()));
        }
        fields.debug_id = fields.debug_id.or(sentry_id);
        Ok(fields)
    }
}

/// A list, or the value in its place.
enum JsonList<'a> {
    Items(Vec<&'a str>),
    Other,
}

impl<'a> JsonList<'a> {
    fn read(json: &mut Json<'a>) -> Result<Self, NoJson> {
        if json.kind()? != Kind::List {
            json.value()?;
            return Ok(Self::Other);
        }
        let mut items = Vec::new();
        json.items(|item| {
            items.push(item.value()?);
            Ok(())
        })?;
        Ok(Self::Items(items))
    }
}

/// How many items the next value has; 0 if it is not a list.
fn count(json: &mut Json<'_>) -> Result<u32, NoJson> {
    if json.kind()? != Kind::List {
        json.value()?;
        return Ok(0);
    }
    let mut items = 0;
    json.items(|item| {
        items += 1;
        item.value().map(|_| ())
    })?;
    Ok(items)
}

/// Goes through the members of an object as they are written; `None` if the value is not an object.
fn object<'a>(raw: &'a str, mut each: impl FnMut(&str, &'a str)) -> Option<()> {
    let members = Json::new(raw).members(|name, json| {
        each(name, json.value()?);
        Ok(())
    });
    members.ok()
}

/// Where a section starts; a part that is missing or not a number is 0.
fn offset_of(raw: &str) -> Option<LineCol> {
    let mut offset = LineCol { line: 0, column: 0 };
    object(raw, |name, value| match name {
        "line" => offset.line = json::index(value).unwrap_or(0),
        "column" => offset.column = json::index(value).unwrap_or(0),
        _ => {}
    })?;
    Some(offset)
}

/// A source with `sourceRoot` before it. By the letter of the standard, an empty root would make every source absolute,
/// but compilers write it to mean that there is none. As in browsers, absolute sources stay as they are.
fn joined(root: &str, source: &str) -> String {
    if root.is_empty() || is_absolute(source) {
        return source.to_owned();
    }
    let slash = if root.ends_with('/') { "" } else { "/" };
    format!("{root}{slash}{source}")
}

/// Whether a source starts with a slash or a scheme (RFC 3986, 3.1). A drive letter counts as a scheme here.
fn is_absolute(source: &str) -> bool {
    let scheme = source.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|char: char| char.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    scheme || source.starts_with(['/', '\\'])
}
