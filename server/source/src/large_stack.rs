//! Large stacks for deeply nested texts. The parser works by recursion, so a text that needs more stack than a thread has
//! needs another thread. These are the only threads that this crate starts, and nothing runs beside them: the caller waits.

use std::io;
use std::thread::{Builder, scope};

use crate::definition::{Outline, OutlineError};
use crate::language::Language;
use crate::outline::{ReadText, outline_here, read_here};
use crate::stack_budget::{LARGE_STACK, with_stack};

/// What a thread has besides the stack that [`outline_here`] may use.
const SPARE: usize = 256 << 10;

/// Runs something on a thread whose stack is so large that [`outline`] rarely has to start one of its own: for callers
/// that read many texts.
///
/// # Errors
/// If no such thread can be started.
pub fn with_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> io::Result<T> {
    on_stack(LARGE_STACK, run)
}

/// The definitions of a text. One that does not parse is recovered first; then the outline is not
/// [`exact`](Outline::exact). In markup the scripts are read, each alone: they share one top level. A byte order mark must
/// have been taken off: it would count as three bytes.
///
/// # Errors
/// If the text is too long, or so deeply nested that no thread can be had for it. A broken text is not an error.
pub fn outline(text: &str, language: Language) -> Result<Outline, OutlineError> {
    on_enough_stack(|| outline_here(text, language))
}

/// The same, so that the next version of the text is read faster. An `older` version with its text helps with this one; if this one
/// parses, the outline does not depend on it.
///
/// # Errors
/// As with [`outline`].
pub fn read(
    text: &str,
    language: Language,
    older: Option<(&str, &ReadText)>,
) -> Result<ReadText, OutlineError> {
    on_enough_stack(|| read_here(text, language, older))
}

fn on_enough_stack<T: Send>(read: impl Fn() -> Result<T, OutlineError> + Sync) -> Result<T, OutlineError> {
    let mut outcome = read();
    // A piece of a long text, or a text with its missing brackets added, may need more than was known before.
    while let Err(OutlineError::NeedsStack(bytes)) = outcome {
        outcome = on_stack(bytes, &read).unwrap_or(Err(OutlineError::TooDeep));
    }
    outcome
}

#[allow(clippy::disallowed_methods, reason = "a stack cannot be had without a thread")]
fn on_stack<T: Send>(bytes: usize, run: impl FnOnce() -> T + Send) -> io::Result<T> {
    scope(|scope| {
        // The memory is only used as the stack really grows, so it may as well be large.
        let builder = Builder::new().name("large stack".to_owned()).stack_size(bytes + SPARE);
        let thread = builder.spawn_scoped(scope, || with_stack(bytes, run))?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_makes_no_difference_but_time() {
        let text = format!("function deep() {{ return {}1{}; }}", "[".repeat(20_000), "]".repeat(20_000));
        let paths = || {
            let outline = outline(&text, Language::TypeScript).expect("not too deep");
            outline.definitions.iter().map(|it| it.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(paths(), ["(top level)", "deep"]);
        assert_eq!(with_large_stack(paths).expect("a thread"), paths());
    }
}
