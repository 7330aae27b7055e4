//! What `proflens record --deopts` writes into a recording about V8's compiler in another run. All places are UTF-16
//! units from the start of the text.
//!
//! ```text
//! {"scripts": [{"url": "file:///w/a.js", "source": "function work(a) …", "compiled": [0, 40], "optimized": [0],
//!    "deopts": [{"at": 67, "kind": "eager", "reason": "wrong map", "count": 14}],
//!    "megamorphic": [{"at": 67, "property": "x"}]}],
//!  "problems": [{"what": "…", "hint": "…"}]}
//! ```

use super::coverage::read_problems;
use super::error::Result;
use super::json::{Json, Kind, Number};
use crate::model::{Deopt, DeoptKind, DeoptScript, Deopts, MegamorphicSite, Script};

/// The member of a recording that holds it.
pub(super) const KEY: &[u8] = b"proflensDeopts";

/// Reads it.
pub(super) fn read(json: &mut Json) -> Result<Deopts> {
    let mut deopts = Deopts::default();
    if !json.enter_object()? {
        return Ok(deopts);
    }
    while let Some(key) = json.next_key()? {
        match (key.bytes(), json.kind()?) {
            (b"scripts", Kind::Array) => {
                json.enter_array()?;
                while json.next_item()? {
                    deopts.scripts.extend(script(json)?);
                }
            }
            (b"problems", Kind::Array) => deopts.problems.extend(read_problems(json)?),
            _ => json.skip()?,
        }
    }
    Ok(Deopts::sum([deopts]))
}

/// A script; `None` if it has no address.
fn script(json: &mut Json) -> Result<Option<DeoptScript>> {
    let mut script = DeoptScript::default();
    if !json.enter_object()? {
        return Ok(None);
    }
    while let Some(key) = json.next_key()? {
        let Script { text, map, map_url, .. } = &mut script.script;
        match (key.bytes(), json.kind()?) {
            (b"url", _) => script.url = json.string(str::to_owned)?.unwrap_or_default(),
            (b"source", _) => *text = json.string(|text| text.into())?,
            (b"sourceMap", _) => *map = json.string(|text| text.into())?,
            (b"sourceMapUrl", _) => *map_url = json.string(|text| text.into())?,
            (b"compiled", Kind::Array) => script.compiled = starts(json)?,
            (b"optimized", Kind::Array) => script.optimized = starts(json)?,
            (b"deopts", Kind::Array) => {
                json.enter_array()?;
                while json.next_item()? {
                    script.deopts.extend(deopt(json)?);
                }
            }
            (b"megamorphic", Kind::Array) => {
                json.enter_array()?;
                while json.next_item()? {
                    script.megamorphic.extend(site(json)?);
                }
            }
            _ => json.skip()?,
        }
    }
    Ok((!script.url.is_empty()).then_some(script))
}

fn starts(json: &mut Json) -> Result<Vec<u32>> {
    let mut starts = Vec::new();
    json.enter_array()?;
    while json.next_item()? {
        starts.extend(json.index()?);
    }
    Ok(starts)
}

fn deopt(json: &mut Json) -> Result<Option<Deopt>> {
    let (mut at, mut kind, mut reason, mut count) = (None, None, Box::default(), None);
    if !json.enter_object()? {
        return Ok(None);
    }
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"at" => at = json.index()?,
            b"kind" => kind = json.string(kind_of)?.flatten(),
            b"reason" => reason = json.string(|text| text.into())?.unwrap_or_default(),
            b"count" => {
                count = match json.number()? {
                    Some(Number::Integer(count)) => u64::try_from(count).ok(),
                    _ => None,
                }
            }
            _ => json.skip()?,
        }
    }
    let known = at.zip(kind).zip(count);
    Ok(known.map(|((at, kind), count)| Deopt { at, kind, reason, count }))
}

fn kind_of(name: &str) -> Option<DeoptKind> {
    DeoptKind::NAMES.into_iter().find(|known| known.1 == name).map(|known| known.0)
}

fn site(json: &mut Json) -> Result<Option<MegamorphicSite>> {
    let (mut at, mut property) = (None, Box::default());
    if !json.enter_object()? {
        return Ok(None);
    }
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"at" => at = json.index()?,
            b"property" => property = json.string(|text| text.into())?.unwrap_or_default(),
            _ => json.skip()?,
        }
    }
    Ok(at.map(|at| MegamorphicSite { at, property }))
}
