//! A V8 `.cpuprofile`, written as Node writes it.

use std::io::Write;

use anyhow::Result;

use super::code::{Code, FUNCTIONS_PER_FILE, Function, Recording};

/// V8's form: nodes with their callees, sample ids, time deltas. Ids 1, 2 and 3 are the root, idle and program.
pub(super) fn cpuprofile(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    const FIRST: u32 = 4;
    let mut callees: Vec<Vec<u32>> = vec![Vec::new(); recording.callers.len()];
    let mut outermost = vec![2, 3];
    for (node, caller) in recording.callers.iter().enumerate() {
        let siblings = caller.map_or(&mut outermost, |it| &mut callees[it as usize]);
        siblings.push(node as u32 + FIRST);
    }
    let mut hits = vec![0_u32; recording.callers.len()];
    recording.samples.iter().filter_map(|it| it.0).for_each(|it| hits[it as usize] += 1);
    let list = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");

    write!(out, "{{\"nodes\":[")?;
    for (id, name, children) in
        [(1, "root", list(&outermost)), (2, "idle", String::new()), (3, "program", String::new())]
    {
        let comma = if id == 1 { "" } else { "," };
        write!(
            out,
            "{comma}{{\"id\":{id},\"callFrame\":{{\"functionName\":\"({name})\",\"scriptId\":\"0\",\"url\":\"\","
        )?;
        write!(out, "\"lineNumber\":-1,\"columnNumber\":-1}},\"hitCount\":0,\"children\":[{children}]}}")?;
    }
    for (node, &function) in recording.functions.iter().enumerate() {
        let Function { name, url, line, column } = &code.functions[function as usize];
        write!(out, ",{{\"id\":{},\"callFrame\":{{\"functionName\":\"{name}\",", node as u32 + FIRST)?;
        write!(out, "\"scriptId\":\"{}\",\"url\":\"{url}\",", 60 + function / FUNCTIONS_PER_FILE)?;
        write!(out, "\"lineNumber\":{line},\"columnNumber\":{column}}},\"hitCount\":{}", hits[node])?;
        if !callees[node].is_empty() {
            write!(out, ",\"children\":[{}]", list(&callees[node]))?;
        }
        if hits[node] > 0 {
            write!(out, ",\"positionTicks\":[{{\"line\":{},\"ticks\":{}}}]", line + 2, hits[node])?;
        }
        write!(out, "}}")?;
    }
    let micros: i64 = recording.samples.iter().map(|it| it.1).sum();
    let ids: Vec<u32> = recording.samples.iter().map(|it| it.0.map_or(2, |it| it + FIRST)).collect();
    let deltas: Vec<String> = recording.samples.iter().map(|it| it.1.to_string()).collect();
    write!(out, "],\"startTime\":1000000,\"endTime\":{},", 1_000_000 + micros)?;
    write!(out, "\"samples\":[{}],\"timeDeltas\":[{}]}}", list(&ids), deltas.join(","))?;
    Ok(())
}
