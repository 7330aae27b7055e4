//! Labels that identify a process, a thread, a stack frame or a profile.

use crate::decode::error::Result;
use crate::decode::json::{Json, Kind, Number};

/// Reads a number or a text.
pub(super) fn read_label(json: &mut Json) -> Result<String> {
    if json.kind()? == Kind::String {
        return Ok(json.string(str::to_owned)?.unwrap_or_default());
    }
    Ok(match json.number()? {
        Some(Number::Integer(number)) => number.to_string(),
        Some(Number::Float(number)) => number.to_string(),
        None => String::new(),
    })
}
