//! Collapsed stacks: one stack a line, `main;work;sort 12`, as flame graph tools write them.
//!
//! <https://github.com/brendangregg/FlameGraph>. The outermost frame stands first and the number counts samples. 0x adds the
//! place to the name, `~work /srv/app.js:3:14`, with a mark for how the code was compiled; positions count from 1.

use super::lines::Lines;
use super::speedscope::{COUNTED, named, note_counts};
use super::{DecodeError, UnsupportedFormat};
use crate::builder::ProfileBuilder;
use crate::weigh::weight;
use crate::{FunctionId, Position, Profile, Thread, Weight};

/// Reads a whole text that is no JSON.
///
/// # Errors
/// If most lines are something else.
pub(super) fn read(lines: &mut Lines, mut builder: ProfileBuilder) -> Result<Profile, DecodeError> {
    builder.format("collapsed");
    let (mut stacks, mut nested, mut others) = (0u64, false, 0u64);
    let mut thread = Thread::default();
    while let Some(line) = lines.next() {
        let shown = line.trim();
        if let Some((frames, count)) = stack(shown) {
            stacks += 1;
            nested |= frames.contains(';');
            book(frames, count, &mut thread, &mut builder);
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

fn book(frames: &str, count: u32, thread: &mut Thread, builder: &mut ProfileBuilder) {
    // A frame without a name is one all the same, but not a stack of nothing else.
    let frames = || frames.split(';').map(str::trim);
    if frames().all(str::is_empty) {
        return;
    }
    let mut stack = None;
    for frame in frames() {
        let function = function(frame, builder);
        stack = Some(builder.stack(stack, function));
    }
    let Some(stack) = stack else { return };
    let spent = Weight { time: weight(f64::from(count) * COUNTED), samples: u64::from(count) };
    builder.spend_on(builder.meaning(stack), spent);
    thread.duration += spent.time;
    thread.samples += spent.samples;
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

/// `~work` is `work`, interpreted.
pub(super) fn bare(name: &str) -> &str {
    name.trim_start_matches(['*', '~', '^', '+'])
}

pub(super) type Place<'t> = (&'t str, u32, Option<u32>);

/// The name of a frame, and the file, line and column that may follow it.
pub(super) fn place(frame: &str) -> (&str, Option<Place<'_>>) {
    // `[INIT]` and other marks of 0x may stand behind the place.
    let marked =
        frame.strip_suffix(']').and_then(|it| it.rsplit_once(" [")).map_or(frame, |(before, _)| before);
    let Some((rest, last)) = number(marked) else { return (frame, None) };
    let (file, line, column) = match number(rest) {
        Some((file, line)) => (file, line, Some(last)),
        None => (rest, last, None),
    };
    // A path may hold blanks: it begins where one stands before something like `/`, `file:` or `C:`.
    let begins = |at: &usize| {
        let path = &file[at + 1..];
        let scheme = path.find(':').is_some_and(|end| {
            end > 0
                && path[..end]
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'+' | b'.'))
        });
        path.starts_with(['/', '\\', '.']) || scheme
    };
    let blanks: Vec<usize> = file.match_indices(' ').map(|(at, _)| at).collect();
    match blanks.iter().find(|at| begins(at)).or(blanks.last()) {
        Some(&at) if at + 1 < file.len() => (&file[..at], Some((&file[at + 1..], line, column))),
        _ => (frame, None),
    }
}

fn number(text: &str) -> Option<(&str, u32)> {
    let (before, digits) = text.rsplit_once(':')?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok())?.map(|number| (before, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places() {
        let rows = [
            ("~work /srv/app.js:3:14", ("~work", Some(("/srv/app.js", 3, Some(14))))),
            (
                "*get name file:///srv/my app.js:3:14",
                ("*get name", Some(("file:///srv/my app.js", 3, Some(14)))),
            ),
            ("work /srv/app.js:3", ("work", Some(("/srv/app.js", 3, None)))),
            ("work C:\\app.js:3:14 [INIT]", ("work", Some(("C:\\app.js", 3, Some(14))))),
            ("~run node:internal/main:1:2", ("~run", Some(("node:internal/main", 1, Some(2))))),
            ("work app.js:3:14", ("work", Some(("app.js", 3, Some(14))))),
            ("v8::internal::Heap", ("v8::internal::Heap", None)),
            ("app.js:3:14", ("app.js:3:14", None)),
            ("work :3:14", ("work :3:14", None)),
            ("[INIT]", ("[INIT]", None)),
            ("", ("", None)),
        ];
        for (frame, expected) in rows {
            assert_eq!(place(frame), expected, "{frame}");
        }
    }
}
