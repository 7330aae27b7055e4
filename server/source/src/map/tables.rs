//! From the text of a map to its tables.

use std::borrow::Cow;

use super::json::{self, Json, Kind, NoJson};
use super::mappings::key;
use super::warning::{MapError, Warning};
use super::{Section, Source, SourceMap};
use crate::text::LineCol;

/// How many index maps may be nested; the standard allows none, tools make one.
const MAX_DEPTH: u32 = 8;

/// See [`SourceMap::parse`].
pub(super) fn parse(text: &str) -> Result<(SourceMap<'_>, Vec<Warning>), MapError> {
    if u32::try_from(text.len()).is_err() {
        return Err(MapError::TooLong);
    }
    let text = without_guard(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let mut tables = Tables {
        map: SourceMap {
            file: None,
            debug_id: None,
            sources: Vec::new(),
            contents: Vec::new(),
            names: Vec::new(),
            sections: Vec::new(),
        },
        warnings: Vec::new(),
    };
    let fields = tables.fields(text)?;
    let file = tables.string("file", fields.file).map(Cow::into_owned);
    let debug_id = tables.debug_id(fields.debug_id);
    tables.add(fields, LineCol { line: 0, column: 0 }, 0)?;
    tables.finish();
    let Tables { mut map, warnings, .. } = tables;
    map.file = file;
    map.debug_id = debug_id;
    Ok((map, warnings))
}

/// Some servers put a line before a map so that it is no script (ECMA-426, "Fetching source maps").
fn without_guard(text: &str) -> &str {
    if !text.starts_with(")]}'") {
        return text;
    }
    text.find(['\n', '\r']).map_or("", |end| &text[end..])
}

/// The fields of a map as they are written. Of lists that may be long, the items.
#[derive(Default)]
struct Fields<'a> {
    version: Option<&'a str>,
    file: Option<&'a str>,
    debug_id: Option<&'a str>,
    source_root: Option<&'a str>,
    sources: Option<List<'a>>,
    contents: Option<List<'a>>,
    names: Option<List<'a>>,
    ignored: Option<List<'a>>,
    ignored_before: Option<List<'a>>,
    mappings: Option<&'a str>,
    ranges: Option<&'a str>,
    scopes: Option<&'a str>,
    sections: Option<List<'a>>,
    pasta: Option<List<'a>>,
    metro: Option<List<'a>>,
}

/// A list, or what stands in its place.
enum List<'a> {
    Items(Vec<&'a str>),
    Other,
}

impl<'a> List<'a> {
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

struct Tables<'a> {
    map: SourceMap<'a>,
    warnings: Vec<Warning>,
}

impl<'a> Tables<'a> {
    fn fields(&mut self, text: &'a str) -> Result<Fields<'a>, MapError> {
        let mut json = Json::new(text);
        if json.kind()? != Kind::Object {
            return Err(MapError::NoObject);
        }
        let mut fields = Fields::default();
        let mut sentry_id = None;
        json.members(|name, json| {
            // Of members with one name the last counts (ECMA-404 as ECMA-262 reads it).
            match name {
                "version" => fields.version = Some(json.value()?),
                "file" => fields.file = Some(json.value()?),
                "debugId" => fields.debug_id = Some(json.value()?),
                "debug_id" => sentry_id = Some(json.value()?),
                "sourceRoot" => fields.source_root = Some(json.value()?),
                "sources" => fields.sources = Some(List::read(json)?),
                "sourcesContent" => fields.contents = Some(List::read(json)?),
                "names" => fields.names = Some(List::read(json)?),
                "ignoreList" => fields.ignored = Some(List::read(json)?),
                "x_google_ignoreList" => fields.ignored_before = Some(List::read(json)?),
                "mappings" => fields.mappings = Some(json.value()?),
                "rangeMappings" => fields.ranges = Some(json.value()?),
                "scopes" => fields.scopes = Some(json.value()?),
                "sections" => fields.sections = Some(List::read(json)?),
                "x_com_bloomberg_sourcesFunctionMappings" => fields.pasta = Some(List::read(json)?),
                "x_facebook_sources" => fields.metro = Some(List::read(json)?),
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
        if fields.version.and_then(json::index) != Some(3) {
            self.warnings.push(Warning::Version);
        }
        Ok(fields)
    }

    /// Adds a map, flat or not, that starts at a place of the generated text.
    fn add(&mut self, fields: Fields<'a>, start: LineCol, depth: u32) -> Result<(), MapError> {
        match fields.sections {
            None => self.add_flat(fields, start),
            Some(List::Other) => Err(MapError::NoField("sections")),
            Some(List::Items(_)) if depth == MAX_DEPTH => Err(MapError::TooDeep),
            Some(List::Items(sections)) => {
                if fields.mappings.is_some() {
                    self.warnings.push(Warning::SectionsAndMappings);
                }
                for (section, raw) in sections.into_iter().enumerate() {
                    if let Err(error) = self.add_section(raw, start, depth) {
                        self.warnings.push(Warning::Section { section, error });
                    }
                }
                Ok(())
            }
        }
    }

    fn add_section(&mut self, raw: &'a str, start: LineCol, depth: u32) -> Result<(), MapError> {
        let mut offset = None;
        let mut map = None;
        let mut json = Json::new(raw);
        if json.kind()? != Kind::Object {
            return Err(MapError::NoObject);
        }
        json.members(|name, json| {
            match name {
                "offset" => offset = Some(json.value()?),
                "map" => map = Some(json.value()?),
                _ => {
                    json.value()?;
                }
            }
            Ok(())
        })?;
        let offset = self.offset(offset.ok_or(MapError::NoField("offset"))?)?;
        let map = map.filter(|it| it.starts_with('{')).ok_or(MapError::NoField("map"))?;
        let fields = self.fields(map)?;
        let line = start.line.checked_add(offset.line).ok_or(MapError::NoField("offset"))?;
        // As with mappings, only the first line of a section stands beside something else.
        let column = if offset.line == 0 {
            start.column.checked_add(offset.column).ok_or(MapError::NoField("offset"))?
        } else {
            offset.column
        };
        self.add(fields, LineCol { line, column }, depth + 1)
    }

    fn offset(&mut self, raw: &'a str) -> Result<LineCol, MapError> {
        if !raw.starts_with('{') {
            return Err(MapError::NoField("offset"));
        }
        let (mut line, mut column) = (None, None);
        Json::new(raw).members(|name, json| {
            let value = json.value()?;
            match name {
                "line" => line = json::index(value),
                "column" => column = json::index(value),
                _ => {}
            }
            Ok(())
        })?;
        if line.is_none() || column.is_none() {
            self.warnings.push(Warning::WrongType("offset"));
        }
        Ok(LineCol { line: line.unwrap_or(0), column: column.unwrap_or(0) })
    }

    fn add_flat(&mut self, fields: Fields<'a>, start: LineCol) -> Result<(), MapError> {
        let mappings = fields.mappings.and_then(json::text).ok_or(MapError::NoField("mappings"))?;
        let Some(List::Items(sources)) = fields.sources else { return Err(MapError::NoField("sources")) };
        let root = self.string("sourceRoot", fields.source_root).unwrap_or_default();
        let contents = self.list("sourcesContent", fields.contents);
        let ignored_field = fields.ignored.or(fields.ignored_before);
        let ignored = self.list("ignoreList", ignored_field);
        let names = self.list("names", fields.names);
        let ranges = self.string("rangeMappings", fields.ranges).unwrap_or_default();
        let scopes = self.string("scopes", fields.scopes);
        let pasta = self.list("x_com_bloomberg_sourcesFunctionMappings", fields.pasta);
        let metro = self.list("x_facebook_sources", fields.metro);

        self.warn_of("sources", sources.iter().all(|it| is_text_or_null(it)));
        self.warn_of("sourcesContent", contents.iter().all(|it| is_text_or_null(it)));
        self.warn_of("names", names.iter().all(|it| it.starts_with('"')));
        let first_source = self.map.sources.len();
        let first_name = self.map.names.len() as u32;
        for (index, raw) in sources.iter().enumerate() {
            let raw = json::text(raw).map(Cow::into_owned);
            let url = raw.as_deref().map(|it| joined(&root, it));
            let content = contents.get(index).copied().filter(|it| it.starts_with('"'));
            self.map.sources.push(Source { raw, url, ignored: false, has_content: content.is_some() });
            self.map.contents.push(content);
        }
        for raw in ignored {
            match json::index(raw) {
                Some(index) if (index as usize) < sources.len() => {
                    self.map.sources[first_source + index as usize].ignored = true;
                }
                Some(_) => self.warnings.push(Warning::NoIgnoredSource),
                None => self.warnings.push(Warning::WrongType("ignoreList")),
            }
        }
        let section = Section {
            start,
            end: u64::MAX,
            mappings,
            ranges,
            first_source: first_source as u32,
            sources: sources.len() as u32,
            first_name,
            names: names.len() as u32,
            scopes,
            pasta,
            metro,
        };
        self.map.sections.push(section);
        self.map.names.extend(names);
        Ok(())
    }

    /// Puts the sections in order and ends each where the next one starts.
    fn finish(&mut self) {
        let sections = &mut self.map.sections;
        if !sections.is_sorted_by_key(|it| it.start) {
            self.warnings.push(Warning::SectionOrder);
            sections.sort_by_key(|it| it.start);
        }
        for index in 1..sections.len() {
            let next = sections[index].start;
            sections[index - 1].end = key(next.line, next.column);
        }
    }

    fn string(&mut self, field: &'static str, raw: Option<&'a str>) -> Option<Cow<'a, str>> {
        let value = json::text(raw?);
        self.warn_of(field, value.is_some());
        value
    }

    fn list(&mut self, field: &'static str, list: Option<List<'a>>) -> Vec<&'a str> {
        match list {
            None => Vec::new(),
            Some(List::Items(items)) => items,
            Some(List::Other) => {
                self.warnings.push(Warning::WrongType(field));
                Vec::new()
            }
        }
    }

    fn debug_id(&mut self, raw: Option<&'a str>) -> Option<String> {
        let id = json::text(raw?).as_deref().and_then(super::reference::uuid);
        if id.is_none() {
            self.warnings.push(Warning::NoDebugId);
        }
        id
    }

    fn warn_of(&mut self, field: &'static str, is_right: bool) {
        if !is_right {
            self.warnings.push(Warning::WrongType(field));
        }
    }
}

fn is_text_or_null(raw: &str) -> bool {
    raw.starts_with('"') || raw == "null"
}

/// A source with `sourceRoot` before it. Taken to the letter, an empty root would make every source
/// absolute; compilers write it to say that there is none. Like browsers, we leave alone what is absolute.
fn joined(root: &str, source: &str) -> String {
    if root.is_empty() || is_absolute(source) {
        return source.to_owned();
    }
    let slash = if root.ends_with('/') { "" } else { "/" };
    format!("{root}{slash}{source}")
}

/// Whether it starts with a slash or a scheme (RFC 3986, 3.1), of which a drive letter is one here.
fn is_absolute(source: &str) -> bool {
    let scheme = source.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|it: char| it.is_ascii_alphabetic())
            && scheme.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it))
    });
    scheme || source.starts_with(['/', '\\'])
}
