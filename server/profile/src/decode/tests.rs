//! Tiny traces, one for each rule, and their costs.

mod chrome_trace;
mod chrome_trace_generic;
mod chrome_trace_interactions;
mod chrome_trace_long;
mod chrome_trace_rendering;
mod chrome_trace_scripts;
mod chrome_trace_tasks;
mod collapsed;
mod coverage;
mod cpuprofile;
mod cut_off;
mod deopts;
mod detect;
mod firefox;
mod firefox_code;
mod firefox_page;
mod heapprofile;
mod otlp;
mod perf;
mod pprof;
mod recorder;
mod safari;
mod self_profiling;
mod sentry;
mod slice;
mod speedscope;
mod v8_log;

use std::fmt::Write;
use std::io::{self, Read};

use super::decode;
use crate::model::{Amount, FunctionId, Profile, Unit};
use crate::scope::Selection;
use crate::tally::{LineCost, tally};

/// Decodes a text and shows its costs in microseconds: each function that was on a stack as `name self/total`, each other
/// bucket as `bucket: time`, followed by problems. Threads are separated by `|`. Bytes have a `B`.
fn costs(text: &str) -> Vec<String> {
    match decode(&mut text.as_bytes(), "trace.json", &()) {
        Ok(profile) => shown(&profile),
        Err(error) => vec![error.problem("trace.json").to_string()],
    }
}

/// The costs of a trace in one line, or why it has none.
fn costs_or_error(bytes: &[u8]) -> String {
    match decode(&mut &*bytes, "trace.json", &()) {
        Ok(profile) => shown(&profile).join("; "),
        Err(error) => error.to_string(),
    }
}

fn shown(profile: &Profile) -> Vec<String> {
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    let micros = |time: Amount| {
        if profile.unit == Unit::Bytes {
            format!("{}B", time.0)
        } else if time.0.is_multiple_of(1000) {
            format!("{}", time.0 / 1000)
        } else {
            format!("{}ns", time.0)
        }
    };
    let mut lines = Vec::new();
    for (number, thread) in profile.threads.iter().enumerate() {
        if number > 0 {
            lines.push("|".to_owned());
        }
        let tally = tally(&Selection::sum(profile, [thread]), &keys, keys.len() as u32);
        for (function, cost) in tally.costs.iter().enumerate().filter(|(_, cost)| cost.total_samples > 0) {
            let function = FunctionId(function as u32);
            let mut line = match profile.name(function) {
                "" => "(anonymous)".to_owned(),
                name => name.to_owned(),
            };
            write!(line, " {}/{}", micros(cost.self_time), micros(cost.total_time))
                .expect("text can be written");
            lines.push(line);
        }
        for (why, weight) in &thread.off_stack {
            lines.push(format!("{why:?}: {}", micros(weight.time)));
        }
        let placed: Amount = tally.costs.iter().map(|cost| cost.self_time).sum();
        let off_stack: Amount = thread.off_stack.values().map(|weight| weight.time).sum();
        assert_eq!(placed + off_stack, thread.duration, "no time is lost");
    }
    for problem in &profile.problems {
        assert_eq!(problem.place, "trace.json");
        lines.push(format!("! {}", problem.what));
    }
    lines
}

/// The costs of lines in the first thread, in microseconds: `work 9:2 1000`, with 0-based lines and columns.
fn line_costs(profile: &Profile) -> Vec<String> {
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    let tally = tally(&Selection::sum(profile, &profile.threads[..1]), &keys, keys.len() as u32);
    let line = |it: &LineCost| {
        let column = it.column.map_or(String::new(), |column| format!(":{column}"));
        format!("{} {}{column} {}", profile.name(it.function), it.line, it.time.0 / 1000)
    };
    tally.lines.iter().map(line).collect()
}

/// Returns one byte at a time.
struct Bytes<'t>(&'t [u8]);

impl Read for Bytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut into[..1])
    }
}

/// The message about a file, read whole and byte by byte.
fn messages(file: &[u8]) -> [String; 2] {
    let said = |read: &mut (dyn Read + Send)| match decode(read, "trace.json", &()) {
        Ok(profile) => format!("{:?} {:?}", shown(&profile), profile.problems),
        Err(error) => error.problem("it").to_string(),
    };
    [said(&mut &*file), said(&mut Bytes(file))]
}

#[test]
fn a_problem_of_many_sessions_is_told_once() {
    let session = |gap: u32| {
        format!(
            r#"{{"frames":[{{"name":"f"}}],"resources":[],"stacks":[{{"frameId":0}}],"samples":[{{"timestamp":0,"stackId":0}},{{"timestamp":10,"stackId":0}},{{"timestamp":20,"stackId":0}},{{"timestamp":{gap},"stackId":0}}]}}"#
        )
    };
    let text = [30, 5000, 30, 6000, 7000].map(session).join("\n");
    let profile = decode(&mut text.as_bytes(), "field.ndjson", &()).unwrap();
    let told: Vec<&str> = profile.problems.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(told, ["the recording has 1 gap (3 times)"]);
}
