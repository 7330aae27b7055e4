//! The call frame of a node: `{functionName, scriptId, url, lineNumber, columnNumber}`. Of code that `eval` or `new Function` made,
//! `proflens record` says who did, in `madeBy`: the call frame of that function.

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
    /// Reads a member of a call frame; `false` if it is none, with its value still to be read.
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

    /// `base` is what the first line and column are called.
    pub(super) fn function(&self, base: i64, builder: &mut ProfileBuilder) -> FunctionId {
        let [line, column] = [self.line, self.column].map(|number| u32::try_from(number - base).ok());
        let position = line.map(|line| Position { line, column });
        match self.made_by {
            Some((maker, _)) if self.url.is_none() => builder.made_function(self.name, position, maker),
            _ => builder.function(self.name, self.url, position),
        }
    }

    /// The function of a script that V8 did not know any more, nor anything in it but names: nobody held its functions.
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
        // One that was made itself says no more.
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
