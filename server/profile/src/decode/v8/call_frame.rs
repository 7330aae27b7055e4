//! The call frame of a node: `{functionName, scriptId, url, lineNumber, columnNumber}`. For code made by `eval` or
//! `new Function`, `proflens record` adds what made it as `madeBy`: the call frame of that function.

use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{Json, Number};
use crate::model::{FunctionId, Position, ResourceId, StringId};

pub(super) struct CallFrame {
    name: StringId,
    url: Option<ResourceId>,
    line: i64,
    column: i64,
    pub(super) script: Option<u32>,
    /// The function that made it, and its script.
    pub(super) made_by: Option<(FunctionId, Option<u32>)>,
}

pub(super) const NO_FRAME: CallFrame =
    CallFrame { name: StringId(0), url: None, line: -1, column: -1, script: None, made_by: None };

impl CallFrame {
    /// Reads a member of a call frame; `false` if it is not one of these, and its value is still to be read.
    pub(super) fn member(
        &mut self,
        key: &[u8],
        json: &mut Json,
        builder: &mut ProfileBuilder,
    ) -> Result<bool> {
        match key {
            b"functionName" => self.name = json.string(|name| builder.string(name))?.unwrap_or_default(),
            b"url" => {
                self.url = json.string(|url| (!url.is_empty()).then(|| builder.resource(url)))?.flatten();
            }
            b"lineNumber" => self.line = whole(json.number()?).unwrap_or(-1),
            b"columnNumber" => self.column = whole(json.number()?).unwrap_or(-1),
            b"scriptId" => self.script = json.index()?,
            b"madeBy" => self.made_by = maker(json, builder)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Converts it to a function. `base` is the number of the first line and column.
    pub(super) fn function(&self, base: i64, builder: &mut ProfileBuilder) -> FunctionId {
        let [line, column] = [self.line, self.column].map(|number| u32::try_from(number - base).ok());
        let position = line.map(|line| Position { line, column });
        match self.made_by {
            Some((maker, _)) if self.url.is_none() => builder.made_function(self.name, position, maker),
            _ => builder.function(self.name, self.url, position),
        }
    }

    /// The function of a script that V8 no longer knew, except for the names in it, because nobody held its functions.
    pub(super) fn forgotten(&self, builder: &mut ProfileBuilder) -> Option<FunctionId> {
        let is_forgotten =
            self.url.is_none() && self.line < 0 && self.script.is_some_and(|script| script > 0);
        is_forgotten.then(|| builder.forgotten_function(self.name))
    }
}

/// Reads the call frame of a maker, which is in a script that has a url.
fn maker(json: &mut Json, builder: &mut ProfileBuilder) -> Result<Option<(FunctionId, Option<u32>)>> {
    if !json.enter_object()? {
        return Ok(None);
    }
    let mut frame = NO_FRAME;
    while let Some(key) = json.next_key()? {
        // For a maker that was made itself, nothing more is stored.
        if key.bytes() == b"madeBy" || !frame.member(key.bytes(), json, builder)? {
            json.skip()?;
        }
    }
    Ok(frame.url.is_some().then(|| (frame.function(0, builder), frame.script)))
}

fn whole(number: Option<Number>) -> Option<i64> {
    match number? {
        Number::Integer(value) => Some(value.clamp(-1 << 40, 1 << 40)),
        Number::Float(value) => (value.fract() == 0.0).then_some(value.clamp(-1e12, 1e12) as i64),
    }
}
