//! OTLP as JSON: the same tables, with fields found by name.
//!
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>: keys are in lowerCamelCase, 64-bit integers may be
//! strings, and ids of traces and spans are hexadecimal digits.

use super::tables::{
    AttributeKey, AttributeValue, Attributes, Dictionary, Line, Location, OtlpFunction, OtlpProfile,
    OtlpTables, Samples,
};
use crate::builder::ProfileBuilder;
use crate::decode::error::{Result, UnsupportedFormat};
use crate::decode::json::{FastReader, Json, Number};
use crate::decode::json_format::{Answer, JsonFormat};

/// The part of a file read so far.
#[derive(Default)]
pub(crate) struct OtlpJson {
    tables: OtlpTables,
    has_profiles: bool,
}

impl JsonFormat for OtlpJson {
    fn member(&mut self, key: &[u8], json: &mut Json, _: &mut ProfileBuilder) -> Result<Answer> {
        let tables = &mut self.tables;
        match key {
            b"resourceProfiles" => {
                tables.is_named = true;
                self.has_profiles = true;
                items(json, |json| read_resource(json, tables))?;
            }
            b"dictionary" => read_dictionary(json, &mut tables.dictionary)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.has_profiles && self.tables.refusal().is_none()
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        super::threads::add(&self.tables, builder)
    }

    fn unsupported(&self, whole: bool) -> Option<UnsupportedFormat> {
        self.tables.refusal().filter(|_| whole && self.has_profiles)
    }
}

/// Reads the items of a list.
fn items(json: &mut Json, mut read: impl FnMut(&mut Json) -> Result<()>) -> Result<()> {
    if json.enter_array()? {
        while json.next_item()? {
            read(json)?;
        }
    }
    Ok(())
}

/// Reads the members of an object; `read` takes or skips each value.
fn members(json: &mut Json, mut read: impl FnMut(&[u8], &mut Json) -> Result<()>) -> Result<()> {
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            read(key.bytes(), json)?;
        }
    }
    Ok(())
}

/// Reads an index; anything else becomes an index that no table has.
fn index(json: &mut Json) -> Result<u32> {
    Ok(json.index()?.unwrap_or(u32::MAX))
}

fn whole(number: Option<Number>) -> u64 {
    match number {
        Some(Number::Integer(number)) => number as u64,
        Some(Number::Float(number)) => number as u64,
        None => 0,
    }
}

fn numbers(json: &mut Json, mut take: impl FnMut(u64)) -> Result<()> {
    if json.enter_array()? {
        json.numbers(|number| take(whole(number)))?;
    }
    Ok(())
}

fn text(json: &mut Json) -> Result<String> {
    Ok(json.string(str::to_owned)?.unwrap_or_default())
}

fn read_resource(json: &mut Json, tables: &mut OtlpTables) -> Result<()> {
    let resource = tables.resources.len();
    tables.resources.push(Vec::new());
    members(json, |key, json| match key {
        b"resource" => members(json, |key, json| match key {
            b"attributes" => {
                tables.resources[resource] = attributes(json)?;
                Ok(())
            }
            _ => json.skip(),
        }),
        b"scopeProfiles" => items(json, |json| read_scope(json, resource, tables)),
        _ => json.skip(),
    })
}

fn attributes(json: &mut Json) -> Result<Attributes> {
    let mut all = Vec::new();
    items(json, |json| {
        let (mut key, mut known) = (AttributeKey::default(), AttributeValue::None);
        members(json, |member, json| {
            match member {
                b"key" => key.text = text(json)?,
                b"keyStrindex" => key.index = index(json)?,
                b"value" => known = value(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        all.push((key, known));
        Ok(())
    })?;
    Ok(all)
}

fn value(json: &mut Json) -> Result<AttributeValue> {
    let mut known = AttributeValue::None;
    members(json, |key, json| {
        match key {
            b"stringValue" => known = AttributeValue::Text(text(json)?),
            b"stringValueStrindex" => known = AttributeValue::Index(index(json)?),
            b"boolValue" => {
                known = AttributeValue::Text(json.index_or_flag()?.is_some_and(|it| it != 0).to_string());
            }
            b"intValue" | b"doubleValue" => {
                known = match json.number()? {
                    Some(Number::Integer(number)) => AttributeValue::Text(number.to_string()),
                    Some(Number::Float(number)) => AttributeValue::Text(number.to_string()),
                    None => AttributeValue::None,
                };
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(known)
}

fn read_scope(json: &mut Json, resource: usize, tables: &mut OtlpTables) -> Result<()> {
    let scope = tables.scopes.len();
    tables.scopes.push(String::new());
    members(json, |key, json| match key {
        b"scope" => members(json, |key, json| match key {
            b"name" => {
                tables.scopes[scope] = text(json)?;
                Ok(())
            }
            _ => json.skip(),
        }),
        b"profiles" => items(json, |json| {
            let mut profile = OtlpProfile { resource, scope, ..OtlpProfile::default() };
            tables.is_old |= read_profile(json, &mut profile)?;
            tables.profiles.push(profile);
            Ok(())
        }),
        _ => json.skip(),
    })
}

/// Reads a profile. Returns whether it has members of the forms before 1.8.
fn read_profile(json: &mut Json, profile: &mut OtlpProfile) -> Result<bool> {
    let mut is_old = false;
    members(json, |key, json| {
        match key {
            b"sampleType" => profile.sample_type = value_type(json)?,
            // Before 1.9, this was in the singular.
            b"samples" | b"sample" => is_old |= read_samples(json, &mut profile.samples)?,
            b"timeUnixNano" => profile.time = whole(json.number()?),
            b"periodType" => profile.period_type = value_type(json)?,
            b"period" => profile.period = whole(json.number()?) as i64,
            b"locationIndices" | b"locationTable" | b"stringTable" => {
                is_old = true;
                json.skip()?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(is_old)
}

/// Reads samples. Returns whether they have members that samples no longer have.
fn read_samples(json: &mut Json, samples: &mut Samples) -> Result<bool> {
    let mut is_old = false;
    if json.enter_array()? {
        loop {
            json.fast_items(|item| take_sample(item, samples));
            if !json.next_item()? {
                break;
            }
            is_old |= read_sample(json, samples)?;
        }
    }
    Ok(is_old)
}

/// Takes a sample as programs write it; `None` for any other form, and nothing was taken.
fn take_sample(item: &mut FastReader, samples: &mut Samples) -> Option<()> {
    let before = samples.fields.each_ref().map(Vec::len);
    let mut stack = 0;
    let [attributes, link, values, times] = &mut samples.fields;
    let taken = item.members(|member| {
        let list = match member.key()? {
            b"stackIndex" => {
                stack = super::tables::index(whole_number(member)?);
                return Some(());
            }
            b"linkIndex" => {
                link.push(whole_number(member)?);
                return Some(());
            }
            b"attributeIndices" => &mut *attributes,
            b"values" => &mut *values,
            b"timestampsUnixNano" => &mut *times,
            _ => return None,
        };
        member.items(|number| {
            list.push(whole_number(number)?);
            Some(())
        })
    });
    if taken.is_none() {
        samples.fields.iter_mut().zip(before).for_each(|(field, length)| field.truncate(length));
        return None;
    }
    samples.end(stack);
    Some(())
}

/// An integer, possibly as a string: times have 19 digits.
#[inline]
fn whole_number(item: &mut FastReader) -> Option<u64> {
    let Some(digits) = item.bytes() else { return item.integer().map(|it| it as u64) };
    let is_plain = (1..=19).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let number = digits.iter().fold(0u64, |sum, it| sum.wrapping_mul(10).wrapping_add(u64::from(it & 15)));
    (is_plain && i64::try_from(number).is_ok()).then_some(number)
}

/// Reads a sample. Returns whether it has members that samples no longer have.
fn read_sample(json: &mut Json, samples: &mut Samples) -> Result<bool> {
    let (mut stack, mut is_old) = (0, false);
    let [attributes, link, values, times] = &mut samples.fields;
    members(json, |key, json| match key {
        b"stackIndex" => {
            stack = index(json)?;
            Ok(())
        }
        b"attributeIndices" => numbers(json, |number| attributes.push(number)),
        b"linkIndex" => {
            link.push(whole(json.number()?));
            Ok(())
        }
        b"values" => numbers(json, |number| values.push(number)),
        b"timestampsUnixNano" => numbers(json, |number| times.push(number)),
        b"locationsStartIndex" | b"locationsLength" => {
            is_old = true;
            json.skip()
        }
        _ => json.skip(),
    })?;
    samples.end(stack);
    Ok(is_old)
}

fn value_type(json: &mut Json) -> Result<(u32, u32)> {
    let mut found = (0, 0);
    members(json, |key, json| {
        match key {
            b"typeStrindex" => found.0 = index(json)?,
            b"unitStrindex" => found.1 = index(json)?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(found)
}

fn read_dictionary(json: &mut Json, dictionary: &mut Dictionary) -> Result<()> {
    members(json, |key, json| match key {
        b"mappingTable" => items(json, |json| {
            let mut name = 0;
            members(json, |key, json| {
                match key {
                    b"filenameStrindex" => name = index(json)?,
                    _ => json.skip()?,
                }
                Ok(())
            })?;
            dictionary.mappings.push(name);
            Ok(())
        }),
        b"locationTable" => items(json, |json| read_location(json, dictionary)),
        b"functionTable" => items(json, |json| {
            dictionary.functions.push(function(json)?);
            Ok(())
        }),
        b"linkTable" => items(json, |json| {
            dictionary.links.push(link(json)?);
            Ok(())
        }),
        b"stringTable" => items(json, |json| {
            dictionary.texts.push(text(json)?);
            Ok(())
        }),
        b"attributeTable" => items(json, |json| {
            let (mut name, mut known) = (0, AttributeValue::None);
            members(json, |key, json| {
                match key {
                    b"keyStrindex" => name = index(json)?,
                    b"value" => known = value(json)?,
                    _ => json.skip()?,
                }
                Ok(())
            })?;
            dictionary.attributes.push((name, known));
            Ok(())
        }),
        b"stackTable" => {
            dictionary.has_stacks = true;
            read_stacks(json, dictionary)
        }
        _ => json.skip(),
    })
}

fn read_stacks(json: &mut Json, dictionary: &mut Dictionary) -> Result<()> {
    if json.enter_array()? {
        loop {
            json.fast_items(|item| take_stack(item, dictionary));
            if !json.next_item()? {
                break;
            }
            members(json, |key, json| match key {
                b"locationIndices" => {
                    numbers(json, |number| dictionary.stacked.push(super::tables::index(number)))
                }
                _ => json.skip(),
            })?;
            dictionary.stacks.push(dictionary.stacked.len());
        }
    }
    Ok(())
}

/// Takes a stack as programs write it; `None` for any other form, and nothing was taken.
fn take_stack(item: &mut FastReader, dictionary: &mut Dictionary) -> Option<()> {
    let before = dictionary.stacked.len();
    let taken = item.members(|member| {
        if member.key()? != b"locationIndices" {
            return None;
        }
        member.items(|number| {
            dictionary.stacked.push(super::tables::index(whole_number(number)?));
            Some(())
        })
    });
    if taken.is_none() {
        dictionary.stacked.truncate(before);
        return None;
    }
    dictionary.stacks.push(dictionary.stacked.len());
    Some(())
}

fn read_location(json: &mut Json, dictionary: &mut Dictionary) -> Result<()> {
    let mut location = Location::default();
    members(json, |key, json| match key {
        b"mappingIndex" => {
            location.mapping = index(json)?;
            Ok(())
        }
        b"address" => {
            location.address = whole(json.number()?);
            Ok(())
        }
        // Before 1.9, this was in the singular.
        b"lines" | b"line" => items(json, |json| {
            let mut line = Line::default();
            members(json, |key, json| {
                match key {
                    b"functionIndex" => line.function = index(json)?,
                    b"line" => line.line = whole(json.number()?),
                    b"column" => line.column = whole(json.number()?),
                    _ => json.skip()?,
                }
                Ok(())
            })?;
            dictionary.lines.push(line);
            Ok(())
        }),
        b"attributeIndices" => {
            numbers(json, |number| dictionary.of_locations.push(super::tables::index(number)))
        }
        _ => json.skip(),
    })?;
    location.ends = (dictionary.lines.len(), dictionary.of_locations.len());
    dictionary.locations.push(location);
    Ok(())
}

fn function(json: &mut Json) -> Result<OtlpFunction> {
    let mut function = OtlpFunction::default();
    members(json, |key, json| {
        match key {
            b"nameStrindex" => function.name = index(json)?,
            b"systemNameStrindex" => function.system_name = index(json)?,
            b"filenameStrindex" => function.file = index(json)?,
            b"startLine" => function.start_line = whole(json.number()?),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(function)
}

fn link(json: &mut Json) -> Result<[String; 2]> {
    let mut link = [String::new(), String::new()];
    members(json, |key, json| {
        let id = match key {
            b"traceId" => &mut link[0],
            b"spanId" => &mut link[1],
            _ => return json.skip(),
        };
        *id = text(json)?.to_ascii_lowercase();
        if id.bytes().all(|byte| byte == b'0') {
            id.clear();
        }
        Ok(())
    })?;
    Ok(link)
}
