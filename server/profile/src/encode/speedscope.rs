//! speedscope's own format: a sampled profile for each thread, in nanoseconds or bytes.
//!
//! <https://www.speedscope.app/file-format-schema.json>. Stacks begin with the outermost frame; a stack without frames is
//! idle time. Lines and columns count from 1.

use std::io::{self, Write};

use super::json;
use super::names::{frames, place_from_one, shown_name, thread_name};
use super::single_samples::single_samples;
use crate::model::{Amount, FunctionId, OffStack, Profile, Thread, Unit};

pub(super) fn write(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"proflens@{}","shared":{{"frames":"#,
        env!("CARGO_PKG_VERSION")
    )?;
    let functions = (0..profile.functions.len() as u32).map(FunctionId).map(Ok);
    json::list(functions.chain(OffStack::ALL.into_iter().map(Err)), out, |it, out| match it {
        Ok(function) => write_frame(profile, function, out),
        Err(why) => write!(out, r#"{{"name":"{}"}}"#, OffStack::frame(why)),
    })?;
    out.write_all(br#"},"profiles":"#)?;
    json::list(0..threads.len(), out, |index, out| {
        out.write_all(br#"{"type":"sampled","name":"#)?;
        json::text(&thread_name(threads, index), out)?;
        let thread = &threads[index];
        let end: Amount = thread.in_order.iter().map(|it| it.weight.time).sum();
        let unit = if profile.unit == Unit::Bytes { "bytes" } else { "nanoseconds" };
        write!(out, r#","unit":"{unit}","startValue":0,"endValue":{},"samples":"#, end.0)?;
        let mut path = Vec::new();
        json::list(single_samples(profile, thread), out, |sample, out| {
            path.clear();
            match sample.on {
                Ok(stack) => path.extend(frames(profile, stack).map(|it| it.0 as usize)),
                Err(OffStack::Idle) => {}
                Err(why) => path.push(profile.functions.len() + why as usize),
            }
            json::list(path.iter().rev(), out, |frame, out| write!(out, "{frame}"))
        })?;
        out.write_all(br#","weights":"#)?;
        json::list(single_samples(profile, thread), out, |sample, out| write!(out, "{}", sample.amount.0))?;
        out.write_all(b"}")
    })?;
    out.write_all(b"}\n")
}

fn write_frame(profile: &Profile, function: FunctionId, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(br#"{"name":"#)?;
    json::text(shown_name(profile, function), out)?;
    if let Some(file) = profile.resource(function) {
        out.write_all(br#","file":"#)?;
        json::text(file, out)?;
    }
    let (line, column) = place_from_one(profile.functions[function.0 as usize].defined_at);
    if line > 0 {
        write!(out, r#","line":{line}"#)?;
    }
    if column > 0 {
        write!(out, r#","col":{column}"#)?;
    }
    out.write_all(b"}")
}
