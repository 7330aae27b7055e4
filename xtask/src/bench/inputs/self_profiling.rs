//! A trace of the JS Self-Profiling API, written as Chromium writes it.

use std::io::Write;

use anyhow::Result;

use super::code::{Code, Function, Recording};

/// The form of the JS Self-Profiling API: frames, resources, samples with time stamps in milliseconds, stacks.
pub(super) fn self_profiling(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    let mut resources: Vec<&str> = code.functions.iter().map(|it| it.url.as_str()).collect();
    resources.sort_unstable();
    resources.dedup();
    write!(out, "{{\"frames\":[")?;
    for (index, Function { name, url, line, column }) in code.functions.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let resource = resources.binary_search(&url.as_str()).unwrap_or_default();
        let (line, column) = (line + 1, column + 1);
        write!(
            out,
            "{comma}{{\"column\":{column},\"line\":{line},\"name\":\"{name}\",\"resourceId\":{resource}}}"
        )?;
    }
    write!(out, "],\"resources\":{},\"samples\":[", serde_json::to_string(&resources)?)?;
    let mut micros = 5_000_000_i64;
    for (index, (path, delta)) in recording.samples.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // The API's clock never goes back.
        micros += delta.max(&0);
        let stack = path.map_or(String::new(), |it| format!("\"stackId\":{it},"));
        // Coarsened to a tenth of a millisecond, and printed as browsers print it.
        let (whole, tenth) = (micros / 1000, micros / 100 % 10);
        write!(out, "{comma}{{{stack}\"timestamp\":{whole}.{tenth}00000011920929}}")?;
    }
    write!(out, "],\"stacks\":[")?;
    for (index, (caller, function)) in recording.callers.iter().zip(&recording.functions).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let caller = caller.map_or(String::new(), |it| format!(",\"parentId\":{it}"));
        write!(out, "{comma}{{\"frameId\":{function}{caller}}}")?;
    }
    write!(out, "]}}")?;
    Ok(())
}
