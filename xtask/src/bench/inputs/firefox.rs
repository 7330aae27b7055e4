//! A Firefox profile as the browser itself writes it (the raw Gecko form, version 34), markers and idle threads
//! included.

use std::io::Write;

use anyhow::Result;

use super::code::{Code, Function, Recording};

const SAMPLES: &str = "{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4}";
const STACKS: &str = "{\"prefix\":0,\"frame\":1}";
const FRAMES: &str = "{\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,\"implementation\":3,\"line\":4,\"column\":5,\
                      \"category\":6,\"subcategory\":7}";
const MARKERS: &str = "{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5}";
const CATEGORIES: &str = "[{\"name\":\"Idle\",\"color\":\"transparent\",\"subcategories\":[\"Other\"]},\
                          {\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},\
                          {\"name\":\"JavaScript\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]}]";

/// The page's main thread with all stacks, and the threads of the browser beside it, which mostly wait.
pub(super) fn firefox(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    begin(out, 1)?;
    thread(out, code, recording, "GeckoMain", "default", false)?;
    for name in ["Compositor", "DOM Worker", "Renderer", "IPDL Background", "Timer", "StyleThread#0"] {
        write!(out, ",")?;
        thread(out, code, recording, name, "default", false)?;
    }
    write!(out, "],\"pausedRanges\":[],\"processes\":[")?;
    begin(out, 2)?;
    thread(out, code, recording, "GeckoMain", "tab", true)?;
    write!(out, "],\"pausedRanges\":[],\"processes\":[]}}]}}")?;
    Ok(())
}

fn begin(out: &mut dyn Write, process: u32) -> Result<()> {
    write!(
        out,
        "{{\"libs\":[],\"meta\":{{\"version\":34,\"startTime\":{},",
        1_795_170_617_000_u64 + u64::from(process)
    )?;
    write!(
        out,
        "\"interval\":1,\"product\":\"Firefox\",\"categories\":{CATEGORIES}}},\"pages\":[],\"threads\":["
    )?;
    Ok(())
}

/// `busy`: the thread that ran the recording; otherwise one that waits.
fn thread(
    out: &mut dyn Write,
    code: &Code,
    recording: &Recording,
    name: &str,
    process: &str,
    busy: bool,
) -> Result<()> {
    write!(
        out,
        "{{\"processType\":\"{process}\",\"name\":\"{name}\",\"registerTime\":0,\"unregisterTime\":null,"
    )?;
    write!(out, "\"pid\":16571,\"tid\":16571,\"samples\":{{\"schema\":{SAMPLES},\"data\":[")?;
    samples(out, recording, busy)?;
    write!(out, "]}},\"markers\":{{\"schema\":{MARKERS},\"data\":[")?;
    markers(out, recording.samples.len() * if busy { 2 } else { 1 } / 2)?;
    tables(out, code, recording, busy)
}

fn samples(out: &mut dyn Write, recording: &Recording, busy: bool) -> Result<()> {
    let mut micros = 3_149_878_i64;
    for (index, (path, delta)) in recording.samples.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        micros += 1000 + delta % 7;
        // The first stack is the one of a thread that waits.
        let stack = path.filter(|_| busy).map_or(0, |it| it + 1);
        let time = format!("{}.{:03}187", micros / 1000, micros % 1000);
        if busy {
            write!(out, "{comma}[{stack},{time},0,null,{}]", 400_000 + delta)?;
        } else {
            write!(out, "{comma}[{stack},{time},null,null,0]")?;
        }
    }
    Ok(())
}

fn markers(out: &mut dyn Write, count: usize) -> Result<()> {
    for index in 0..count {
        let comma = if index == 0 { "" } else { "," };
        let data = match index % 3 {
            0 => "{\"type\":\"Awake\",\"CPU Time\":0.005328,\"CPU Id\":1}",
            1 => {
                "{\"type\":\"tracing\",\"category\":\"Paint\",\"interval\":\"end\",\"innerWindowID\":4294967299}"
            }
            _ => {
                "{\"type\":\"IPC\",\"otherPid\":16413,\"messageType\":\"PContent::Msg_Notify\",\"side\":\"child\",\"sync\":false}"
            }
        };
        write!(out, "{comma}[0,{},{}.313417,1,1,{data}]", 3149 + index, 3150 + index)?;
    }
    Ok(())
}

/// The tables of stacks, frames and strings, with which a thread ends.
fn tables(out: &mut dyn Write, code: &Code, recording: &Recording, busy: bool) -> Result<()> {
    write!(out, "]}},\"stackTable\":{{\"schema\":{STACKS},\"data\":[[null,0]")?;
    if busy {
        for (caller, function) in recording.callers.iter().zip(&recording.functions) {
            write!(out, ",[{},{}]", caller.map_or(0, |it| it + 1), function + 1)?;
        }
    }
    write!(out, "]}},\"frameTable\":{{\"schema\":{FRAMES},\"data\":[[0,false,0,null,null,null,0,0]")?;
    if busy {
        for (index, Function { line, .. }) in code.functions.iter().enumerate() {
            write!(out, ",[{},false,6,null,{},9,2,0]", index + 1, line + 3)?;
        }
    }
    write!(out, "]}},\"stringTable\":[\"(root)\"")?;
    if busy {
        for Function { name, url, line, column } in &code.functions {
            let place = format!("{url}:{}:{}", line + 1, column + 1);
            let place = if name.is_empty() { place } else { format!("{name} ({place})") };
            write!(out, ",\"{place}\"")?;
        }
    }
    write!(out, "]}}")?;
    Ok(())
}
