//! The threads of this crate: with large stacks for deeply nested texts, and several at once for many texts.
//!
//! The parser is recursive, so a text that needs more stack than a thread has needs another thread. The caller always waits.

use std::io;
use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

use crate::definition::{Outline, OutlineError};
use crate::language::Language;
use crate::outline::{ReadText, outline_here, read_here};
use crate::stack_budget::{LARGE_STACK, with_stack};

/// The stack that a thread has in addition to what [`outline_here`] may use.
const SPARE: usize = 256 << 10;

/// Runs a closure on a thread whose stack is so large that [`outline`] rarely has to start one of its own. For callers
/// that read many texts.
///
/// # Errors
/// If no such thread can be started.
pub fn with_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> io::Result<T> {
    on_stack(LARGE_STACK, run)
}

/// More threads would mostly wait for memory and the disk.
const MAX_THREADS: usize = 8;

/// Applies `make` to each item, and returns the results in order. All cores take part. For callers that read many texts.
#[allow(clippy::disallowed_methods, reason = "the threads end before the function does")]
pub fn on_all_cores<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.map_while(|number| Some((number, make(items.get(number)?)))).collect::<Vec<(usize, R)>>()
    };
    let threads = available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(items.len());
    let mut made = scope(|scope| {
        // This thread is one of them. If no more can be started, fewer do the work.
        let others: Vec<_> = (1..threads).map_while(|_| start(scope, LARGE_STACK, work).ok()).collect();
        let mut made = work();
        others.into_iter().for_each(|other| made.extend(end_of(other)));
        made
    });
    made.sort_unstable_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, made)| made).collect()
}

/// The definitions of a text. A text that does not parse is recovered first; the outline is then not
/// [`exact`](Outline::exact). In markup, each script is read by itself, and all of them share one top level. A byte order
/// mark must have been removed, as it would count as three bytes.
///
/// # Errors
/// If the text is too long, or so deeply nested that no thread can be started for it. A broken text is not an error.
pub fn outline(text: &str, language: Language) -> Result<Outline, OutlineError> {
    on_enough_stack(|| outline_here(text, language))
}

/// Like [`outline`], but makes reading the next version of the text faster. An `older` version helps with this one; if
/// this one parses, the outline does not depend on it.
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
    // A piece of a long text, or a text with its missing brackets added, may need more stack than was known.
    while let Err(OutlineError::NeedsStack(bytes)) = outcome {
        outcome = on_stack(bytes, &read).unwrap_or(Err(OutlineError::TooDeep));
    }
    outcome
}

#[allow(clippy::disallowed_methods, reason = "a stack cannot be had without a thread")]
fn on_stack<T: Send>(bytes: usize, run: impl FnOnce() -> T + Send) -> io::Result<T> {
    scope(|scope| Ok(end_of(start(scope, bytes, run)?)))
}

#[allow(clippy::disallowed_methods, reason = "it belongs to a scope, which waits for it")]
fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    bytes: usize,
    run: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    // The memory is only used as the stack really grows, so it may as well be large.
    let builder = Builder::new().name("large stack".to_owned()).stack_size(bytes + SPARE);
    builder.spawn_scoped(scope, move || with_stack(bytes, run))
}

/// The return value of a thread. If it panics, so does the one that waits.
fn end_of<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_cores_make_is_in_order() {
        let texts: Vec<String> = (0..100).map(|number| format!("function f{number}() {{}}")).collect();
        let names = on_all_cores(&texts, |text| {
            let outline = outline(text, Language::JavaScript).expect("plain code");
            outline.definitions[1].path.to_string()
        });
        assert_eq!(names, (0..100).map(|number| format!("f{number}")).collect::<Vec<_>>());
        assert_eq!(on_all_cores(&[0_u8; 0], |it| *it), Vec::<u8>::new());
    }

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
