//! V8's names for code in logs: `*work /srv/app.js:3:14`, which is a mark for how it was compiled, the name and the 1-based place.

use crate::builder::ProfileBuilder;
use crate::decode::conventions::named;
use crate::model::{FunctionId, Position};

/// How code was compiled. V8 of Node 26 writes an `o` before it if that was done while the code ran, and since Node 24 a
/// `'` follows if the code is for a single closure (`CodeKindToMarker` in src/objects/code-kind.cc).
const MARKS: [char; 4] = ['*', '~', '^', '+'];

/// Strips the marks: `~work` is `work`, interpreted; so is `o*'work`, which is optimised.
pub(crate) fn bare(name: &str) -> &str {
    let marked = name.strip_prefix('o').filter(|code| code.starts_with(MARKS)).unwrap_or(name);
    let code = marked.trim_start_matches(MARKS);
    let for_one_closure = code.strip_prefix('\'').filter(|_| code.len() < name.len());
    for_one_closure.unwrap_or(code)
}

pub(crate) type CodePlace<'t> = (&'t str, u32, Option<u32>);

/// The name of a frame, and the file, line and column that may follow it.
pub(crate) fn place(frame: &str) -> (&str, Option<CodePlace<'_>>) {
    // `[INIT]` and other marks of 0x may follow the place.
    let marked =
        frame.strip_suffix(']').and_then(|it| it.rsplit_once(" [")).map_or(frame, |(before, _)| before);
    let Some((rest, last)) = number(marked) else { return (frame, None) };
    let (file, line, column) = match number(rest) {
        Some((file, line)) => (file, line, Some(last)),
        None => (rest, last, None),
    };
    // A path may have spaces: it begins after the first one that is followed by something like `/`, `file:` or `C:`.
    let blanks: Vec<usize> = file.match_indices(' ').map(|(at, _)| at).collect();
    let before_path = blanks.iter().find(|at| {
        let path = &file[**at + 1..];
        let scheme = path.find(':').is_some_and(|end| {
            end > 0
                && path[..end]
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'+' | b'.'))
        });
        path.starts_with(['/', '\\', '.']) || scheme
    });
    match before_path.or(blanks.last()) {
        Some(&at) if at + 1 < file.len() => (&file[..at], Some((&file[at + 1..], line, column))),
        _ => (frame, None),
    }
}

fn number(text: &str) -> Option<(&str, u32)> {
    let (before, digits) = text.rsplit_once(':')?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok())?.map(|number| (before, number))
}

/// The function of JavaScript code by V8's name for it: `*work /srv/app.js:3:14`, with 1-based positions.
pub(crate) fn script_function(code: &str, builder: &mut ProfileBuilder) -> FunctionId {
    let (name, resource, position) = match (place(code), evaluated(code)) {
        ((name, Some((file, line, column))), _) => {
            (name, Some(builder.resource(file)), Position::from_one(Some(line), column))
        }
        (_, Some((name, line, column))) => (name, None, Position::from_one(Some(line), Some(column))),
        ((name, None), None) => (without_tier(name), None, None),
    };
    let name = builder.string(named(bare(name.trim())));
    builder.function(name, resource, position)
}

/// A WebAssembly function, whose code has its number and its compiler in the name: `churn-2-liftoff` and `churn-2-turbofan`.
fn without_tier(code: &str) -> &str {
    let of_compiler = code.strip_suffix("-liftoff").or_else(|| code.strip_suffix("-turbofan"));
    let numbered = of_compiler.and_then(|it| it.rsplit_once('-'));
    numbered.filter(|(_, number)| number.parse::<u32>().is_ok()).map_or(code, |(name, _)| name)
}

/// The name and place of a function in code without an address: `work :3:14`.
fn evaluated(code: &str) -> Option<(&str, u32, u32)> {
    let (name, place) = code.rsplit_once(" :")?;
    let (line, column) = place.split_once(':')?;
    Some((name, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_marks() {
        let rows = [
            ("~work", "work"),
            ("*'work", "work"),
            ("o*work", "work"),
            ("o+'o", "o"),
            ("^o", "o"),
            ("o", "o"),
            ("'work", "'work"),
            ("~", ""),
            ("", ""),
        ];
        for (name, expected) in rows {
            assert_eq!(bare(name), expected, "{name}");
        }
    }

    #[test]
    fn functions_of_modules() {
        let rows = [
            ("churn-2-liftoff", "churn"),
            ("wasm-function[2]-2-turbofan", "wasm-function[2]"),
            ("a-b-12-turbofan", "a-b"),
            ("take-liftoff", "take-liftoff"),
            ("work", "work"),
        ];
        for (code, expected) in rows {
            assert_eq!(without_tier(code), expected, "{code}");
        }
    }

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
