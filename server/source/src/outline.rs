//! From a text to its outline, whatever the text.

use std::cell::Cell;

use crate::definition::{Outline, OutlineError};
use crate::embedded;
use crate::language::Language;
use crate::parse::{self, ParseFailure};
use crate::recovery;
use crate::stack_budget;

/// What is left of anyone's stack for sure.
const SMALL: usize = 256 << 10;

/// What any other text gets: it need not be exact, for it is only reserved.
const LARGE: usize = 256 << 20;

thread_local! {
    /// How much of this thread's stack is left for sure.
    static ROOM: Cell<usize> = const { Cell::new(SMALL) };
}

/// Runs something on a thread with so large a stack that [`outline`] needs none of its own for nearly any text: for
/// those who read many.
///
/// # Errors
/// If there can be no such thread.
pub fn with_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let roomy = || {
            ROOM.set(LARGE);
            run()
        };
        let thread = std::thread::Builder::new().stack_size(LARGE + SMALL).spawn_scoped(scope, roomy)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The definitions of a text. A text that does not parse is repaired first; then the outline is not
/// [`exact`](Outline::exact). In markup the scripts are read, each alone: they share one top level. A byte order mark must have been taken off: it would count as three bytes.
///
/// # Errors
/// If the text is nested too deeply or too long; never because it is broken.
pub fn outline(text: &str, language: Language) -> Result<Outline, OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLong);
    }
    if language.is_markup() {
        return Ok(embedded::outline_of_scripts(text, language, outline));
    }
    // In a long text each piece has its own depth.
    let stack = if parse::is_short(text) { stack_budget::stack_needed(text) } else { Some(LARGE) };
    let stack = stack.ok_or(OutlineError::TooDeep)?;
    let room = ROOM.get();
    if stack <= room {
        return parse_or_recover(text, language, room);
    }
    let room = stack.max(LARGE);
    // The memory is only taken where the stack really grows, so it may as well be large.
    let builder = std::thread::Builder::new().name("outline".to_owned()).stack_size(room);
    std::thread::scope(|scope| {
        let thread = builder.spawn_scoped(scope, || parse_or_recover(text, language, room));
        let outline = thread.map_err(|_| OutlineError::TooDeep)?.join();
        outline.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn parse_or_recover(text: &str, language: Language, room: usize) -> Result<Outline, OutlineError> {
    let mut read = parse::parse(text, language, room);
    let at = match read {
        // Flow, and TypeScript in a file of JavaScript's name.
        Err(ParseFailure::At(at)) if language == Language::JavaScript => {
            read = parse::parse(text, Language::TypeScriptJsx, room);
            at
        }
        Err(ParseFailure::At(at)) => at,
        _ => 0,
    };
    match read {
        Ok(outline) => Ok(outline),
        Err(ParseFailure::At(_)) => Ok(recovery::outline_of_broken(text, language, at, room)),
        Err(ParseFailure::TooLarge) => Err(OutlineError::TooLarge),
        Err(ParseFailure::TooDeep) => Err(OutlineError::TooDeep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_makes_no_difference_but_time() {
        let text = format!("function deep() {{ return {}1{}; }}", "[".repeat(20_000), "]".repeat(20_000));
        let paths = || {
            let outline = outline(&text, Language::TypeScript).expect("not too deep");
            outline.definitions.iter().map(|it| it.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(paths(), ["(top level)", "deep"]);
        assert_eq!(with_large_stack(paths).expect("a thread"), paths());
    }
}
