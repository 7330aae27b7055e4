//! OTLP as protobuf: recognises a file, and reads its messages into tables.

use std::io::Read;

use super::attributes::{key_and_value, value};
use super::tables::{Dictionary, Line, Location, OtlpFunction, OtlpProfile, OtlpTables, Samples, index};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::protobuf::{BYTES, Entered, FIXED64, Fields, VARINT, Value, read_number};
use crate::model::Profile;

/// A message, as far as it is examined to recognise a file.
struct Shape {
    /// The numbers of its fields, whether they are bytes, and the messages in them.
    fields: &'static [(u64, bool, Option<&'static Shape>)],
    /// Whether it may have other fields after these.
    has_others: bool,
}

const DATA: Shape = Shape::of(&[
    (1, true, Some(&RESOURCE_PROFILES)),
    (2, true, Some(&DICTIONARY)),
    // The tables of opentelemetry-proto 1.6.
    (3, true, Some(&LOCATION)),
    (4, true, Some(&INDICES)),
    (5, true, None),
    (6, true, None),
    (7, true, None),
    (8, true, Some(&INDICES)),
]);
const RESOURCE_PROFILES: Shape =
    Shape::of(&[(1, true, Some(&RESOURCE)), (2, true, Some(&SCOPE_PROFILES)), (3, true, None)]);
const RESOURCE: Shape = Shape::of(&[(1, true, Some(&KEY_VALUE)), (2, false, None), (3, true, None)]);
const KEY_VALUE: Shape = Shape::of(&[(1, true, None), (2, true, None), (3, false, None)]);
const SCOPE_PROFILES: Shape =
    Shape::of(&[(1, true, Some(&SCOPE)), (2, true, Some(&PROFILE)), (3, true, None)]);
const SCOPE: Shape =
    Shape::of(&[(1, true, None), (2, true, None), (3, true, Some(&KEY_VALUE)), (4, false, None)]);
/// Its other fields have changed their kinds.
const PROFILE: Shape = Shape { fields: &[(1, true, Some(&INDICES)), (2, true, None)], has_others: true };
const DICTIONARY: Shape = Shape::of(&[
    (1, true, Some(&MAPPING)),
    (2, true, Some(&LOCATION)),
    (3, true, Some(&INDICES)),
    (4, true, None),
    (5, true, None),
    (6, true, None),
    (7, true, None),
]);
const MAPPING: Shape = Shape::of(&[
    (1, false, None),
    (2, false, None),
    (3, false, None),
    (4, false, None),
    (5, true, None),
    (5, false, None),
]);
const LOCATION: Shape = Shape::of(&[
    (1, false, None),
    (2, false, None),
    (3, true, Some(&INDICES)),
    (4, true, None),
    (4, false, None),
    (5, true, None),
]);
/// Messages of small numbers: value types, functions, lines.
const INDICES: Shape = Shape::of(&[(1, false, None), (2, false, None), (3, false, None), (4, false, None)]);

/// Whether a file that begins with these bytes can be one: each field is one that its message has, at every level. pprof
/// profiles and Perfetto traces do not pass, as the message in their first field has different fields.
pub(crate) fn begins(head: &[u8]) -> bool {
    let is_of_profiles = matches!(head, [0x0a | 0x12, _, ..]);
    is_of_profiles && DATA.fits(head, true) && head.iter().any(|byte| byte.is_ascii_control())
}

impl Shape {
    const fn of(fields: &'static [(u64, bool, Option<&'static Shape>)]) -> Self {
        Self { fields, has_others: false }
    }

    /// Whether these bytes are such a message; if it is cut off, whether they can be its beginning.
    fn fits(&self, mut rest: &[u8], is_cut: bool) -> bool {
        while !rest.is_empty() {
            let Ok(Some(tag)) = read_number(&mut rest) else { return is_cut };
            let (number, kind) = (tag >> 3, tag & 7);
            let is_bytes = kind == BYTES;
            let known = self.fields.iter().find(|field| field.0 == number && field.1 == is_bytes);
            let Some((_, _, inner)) = known else {
                return self.has_others && self.fields.iter().all(|field| field.0 < number);
            };
            if !matches!(kind, VARINT | BYTES) {
                return false;
            }
            let Ok(Some(length)) = read_number(&mut rest) else { return is_cut };
            if !is_bytes {
                continue;
            }
            let whole = usize::try_from(length).ok().and_then(|length| rest.get(..length));
            let (part, ends) = match whole {
                Some(whole) => (whole, true),
                None if is_cut => (rest, false),
                None => return false,
            };
            if inner.is_some_and(|inner| !inner.fits(part, !ends)) {
                return false;
            }
            rest = &rest[part.len()..];
        }
        true
    }
}

/// Reads a whole file.
pub(crate) fn read(source: &mut dyn Read, builder: ProfileBuilder) -> Result<Profile> {
    let mut tables = OtlpTables::default();
    let (mut fields, file) = Fields::new(source);
    while let Some(field) = fields.next(file)? {
        match (field.number, fields.enter(field)) {
            (1, Some(message)) => read_resource(&mut fields, message, &mut tables)?,
            (2, Some(message)) => read_dictionary(&mut fields, message, &mut tables)?,
            (number, _) => {
                tables.is_old |= number > 2; // tables of 1.6
                fields.skip(field)?;
            }
        }
    }
    super::threads::profile_of(tables, builder)
}

fn read_resource(fields: &mut Fields, of: Entered, tables: &mut OtlpTables) -> Result<()> {
    let resource = tables.resources.len();
    tables.resources.push(Vec::new());
    while let Some(field) = fields.next(of)? {
        match (field.number, fields.enter(field)) {
            (1, Some(_)) => fields.value(field)?.fields(|field, value| {
                if field == 1 {
                    tables.resources[resource].push(key_and_value(&value)?);
                }
                Ok(())
            })?,
            (2, Some(message)) => read_scope(fields, message, resource, tables)?,
            _ => fields.skip(field)?,
        }
    }
    Ok(())
}

fn read_scope(fields: &mut Fields, of: Entered, resource: usize, tables: &mut OtlpTables) -> Result<()> {
    let scope = tables.scopes.len();
    tables.scopes.push(String::new());
    while let Some(field) = fields.next(of)? {
        match (field.number, fields.enter(field)) {
            (1, Some(_)) => fields.value(field)?.fields(|field, value| {
                if field == 1 {
                    tables.scopes[scope] = value.text();
                }
                Ok(())
            })?,
            (2, Some(message)) => {
                let mut profile = OtlpProfile { resource, scope, ..OtlpProfile::default() };
                tables.is_old |= read_profile(fields, message, &mut profile)?;
                tables.profiles.push(profile);
            }
            _ => fields.skip(field)?,
        }
    }
    Ok(())
}

/// Reads a profile. Returns whether it has fields of the forms before 1.8.
fn read_profile(fields: &mut Fields, of: Entered, profile: &mut OtlpProfile) -> Result<bool> {
    let mut is_old = false;
    while let Some(field) = fields.next(of)? {
        match (field.number, field.kind) {
            (1, BYTES) => profile.sample_type = value_type(&fields.value(field)?)?,
            (2, BYTES) => is_old |= read_sample(&fields.value(field)?, &mut profile.samples)?,
            (3, FIXED64) => profile.time = fields.value(field)?.number(),
            (5, BYTES) => profile.period_type = value_type(&fields.value(field)?)?,
            (6, VARINT) => profile.period = fields.value(field)?.number() as i64,
            _ => {
                // Field 3 was a table in 1.5, and the locations of samples in 1.6 and 1.7.
                is_old |= field.number == 3;
                fields.skip(field)?;
            }
        }
    }
    Ok(is_old)
}

/// Reads a sample. Returns whether it has fields that samples no longer have.
fn read_sample(message: &Value, samples: &mut Samples) -> Result<bool> {
    let (mut stack, mut is_old) = (0, false);
    message.fields(|field, value| match field {
        1 => {
            stack = index(value.number());
            Ok(())
        }
        2..=4 => value.numbers(|number| samples.fields[field as usize - 2].push(number)),
        5 => value.fixed_numbers(|number| samples.fields[3].push(number)),
        _ => {
            is_old = true;
            Ok(())
        }
    })?;
    samples.end(stack);
    Ok(is_old)
}

fn read_dictionary(fields: &mut Fields, of: Entered, tables: &mut OtlpTables) -> Result<()> {
    let dictionary = &mut tables.dictionary;
    while let Some(field) = fields.next(of)? {
        let value = fields.value(field)?;
        match field.number {
            1 => dictionary.mappings.push(number_of(&value, 4)?),
            2 => read_location(&value, dictionary)?,
            3 => dictionary.functions.push(function(&value)?),
            4 => dictionary.links.push(link(&value)?),
            5 => dictionary.texts.push(value.text()),
            6 => {
                let (mut key, mut known) = (0, None);
                value.fields(|field, inner| {
                    match field {
                        1 => key = index(inner.number()),
                        2 => known = Some(self::value(&inner)?),
                        _ => {}
                    }
                    Ok(())
                })?;
                dictionary.attributes.push((key, known.unwrap_or_default()));
            }
            7 => {
                dictionary.has_stacks = true;
                value.fields(|field, value| match field {
                    1 => value.numbers(|number| dictionary.stacked.push(index(number))),
                    _ => Ok(()),
                })?;
                dictionary.stacks.push(dictionary.stacked.len());
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_location(message: &Value, dictionary: &mut Dictionary) -> Result<()> {
    let mut location = Location::default();
    message.fields(|field, value| {
        match field {
            1 => location.mapping = index(value.number()),
            2 => location.address = value.number(),
            3 => {
                let mut line = Line::default();
                value.fields(|field, value| {
                    match field {
                        1 => line.function = index(value.number()),
                        2 => line.line = value.number(),
                        3 => line.column = value.number(),
                        _ => {}
                    }
                    Ok(())
                })?;
                dictionary.lines.push(line);
            }
            4 => value.numbers(|number| dictionary.of_locations.push(index(number)))?,
            _ => {}
        }
        Ok(())
    })?;
    location.ends = (dictionary.lines.len(), dictionary.of_locations.len());
    dictionary.locations.push(location);
    Ok(())
}

fn function(message: &Value) -> Result<OtlpFunction> {
    let mut function = OtlpFunction::default();
    message.fields(|field, value| {
        match field {
            1 => function.name = index(value.number()),
            2 => function.system_name = index(value.number()),
            3 => function.file = index(value.number()),
            4 => function.start_line = value.number(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(function)
}

fn link(message: &Value) -> Result<[String; 2]> {
    let mut link = [String::new(), String::new()];
    message.fields(|field, value| {
        if let (1 | 2, Value::Bytes(bytes)) = (field, value)
            && bytes.iter().any(|&byte| byte != 0)
        {
            link[field as usize - 1] = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        }
        Ok(())
    })?;
    Ok(link)
}

fn number_of(message: &Value, wanted: u64) -> Result<u32> {
    let mut found = 0;
    message.fields(|field, value| {
        if field == wanted {
            found = index(value.number());
        }
        Ok(())
    })?;
    Ok(found)
}

fn value_type(message: &Value) -> Result<(u32, u32)> {
    Ok((number_of(message, 1)?, number_of(message, 2)?))
}
