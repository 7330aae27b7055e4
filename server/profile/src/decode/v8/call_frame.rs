//! The call frame of a node: `{functionName, scriptId, url, lineNumber, columnNumber}`.

use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{Json, Number};
use crate::{FunctionId, Position, ResourceId, StringId};

pub(super) struct CallFrame {
    name: StringId,
    url: Option<ResourceId>,
    line: i64,
    column: i64,
    pub(super) script: Option<u32>,
}

pub(super) const NO_FRAME: CallFrame =
    CallFrame { name: StringId(0), url: None, line: -1, column: -1, script: None };

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
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `base` is what the first line and column are called.
    pub(super) fn function(&self, base: i64, builder: &mut ProfileBuilder) -> FunctionId {
        let zero_based = |number: i64| u32::try_from(number - base).ok();
        let position = zero_based(self.line).map(|line| Position { line, column: zero_based(self.column) });
        builder.function(self.name, self.url, position)
    }
}

fn whole(number: Option<Number>) -> Option<i64> {
    match number? {
        Number::Integer(value) => Some(value.clamp(-1 << 40, 1 << 40)),
        Number::Float(value) => (value.fract() == 0.0).then_some(value.clamp(-1e12, 1e12) as i64),
    }
}
