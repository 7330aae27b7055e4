//! Collapsed stacks: one stack per line, `main;work;sort 12`, as flame graph tools write them.
//!
//! <https://github.com/brendangregg/FlameGraph>. The outermost frame comes first, and the number counts samples. 0x appends
//! the place to the name, `~work /srv/app.js:3:14`, with a mark for how the code was compiled; positions count from 1.

use super::conventions::{COUNTED, named, note_counts};
use super::error::{DecodeError, UnsupportedFormat};
use super::lines::Lines;
use super::v8::code_name::{bare, place};
use crate::builder::ProfileBuilder;
use crate::model::{FunctionId, Position, Profile, Thread, Weight};
use crate::timeline::amount;

/// Reads a whole text that is not JSON.
///
/// # Errors
/// If most lines are not stacks.
pub(super) fn read(lines: &mut Lines, mut builder: ProfileBuilder) -> Result<Profile, DecodeError> {
    builder.format("collapsed");
    let (mut stacks, mut nested, mut others) = (0u64, false, 0u64);
    let mut thread = Thread::default();
    while let Some(line) = lines.next() {
        let shown = line.trim();
        if let Some((frames, count)) = stack(shown) {
            stacks += 1;
            nested |= frames.contains(';');
            add_line(frames, count, &mut thread, &mut builder);
        } else if !shown.is_empty() && !shown.starts_with('#') {
            others += 1;
        }
    }
    lines.end(stacks > 0, &mut builder)?;
    // Any text may have a line that ends with a number.
    if others > stacks || !nested || thread.samples == 0 {
        return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::NotJson));
    }
    note_counts(&mut builder);
    if others > 0 {
        let what = format!("{} no stack", crate::problem::count(others, "line holds", "lines hold"));
        builder.problem(what, "the other lines were read");
    }
    builder.end_thread(thread);
    Ok(builder.finish())
}

/// The frames and the number of samples of a line.
fn stack(line: &str) -> Option<(&str, u32)> {
    let (frames, count) = line.rsplit_once(' ')?;
    let is_plain = !frames.trim().is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| count.parse().ok())?.map(|count| (frames.trim_end(), count))
}

fn add_line(frames: &str, count: u32, thread: &mut Thread, builder: &mut ProfileBuilder) {
    // A frame without a name is still a frame, but not on its own.
    if frames.split(';').all(|frame| frame.trim().is_empty()) {
        return;
    }
    let mut stack = None;
    for frame in frames.split(';') {
        let function = function(frame.trim(), builder);
        stack = Some(builder.stack(stack, function));
    }
    let Some(stack) = stack else { return };
    let weight = Weight { time: amount(f64::from(count) * COUNTED), samples: u64::from(count) };
    builder.add_sample(builder.meaning(stack), weight);
    thread.duration += weight.time;
    thread.samples += weight.samples;
}

fn function(frame: &str, builder: &mut ProfileBuilder) -> FunctionId {
    let (name, place) = place(frame);
    let (resource, position) = match place {
        Some((file, line, column)) => (
            Some(builder.resource(file)),
            line.checked_sub(1)
                .map(|line| Position { line, column: column.and_then(|it| it.checked_sub(1)) }),
        ),
        None => (None, None),
    };
    let name = named(if resource.is_some() { bare(name) } else { name });
    let name = builder.string(name);
    builder.function(name, resource, position)
}
