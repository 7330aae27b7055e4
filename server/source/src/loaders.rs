//! Finds where loaders that transform TypeScript in memory put its functions.
//!
//! tsx, vitest, jest, ts-node and the like pass V8 a text that is not on disk, and a plain profile identifies functions
//! only by their places in it. So the text is transformed here as each of them would, as far as that moves functions:
//! types are removed, imports and exports are rewritten, and the rest is printed again. The result is close to what ran
//! but not identical. So it is a [`Layout`] to compare the places of a profile with, not a text to look them up in.
//!
//! ```text
//! export class Text {                        class Text {                      class Text{static{__name(this,"Text")}
//!   constructor(private from: string) {}       constructor(from) {               constructor(from){this.from=from}
//!   lines = () => split(this.from);              this.from = from;               from;lines=__name(()=>(0,import_a.split)...
//! }                                            }
//!                                              lines = () => (0, _a.split)...
//! what was written                           Babel                             tsx
//! ```
//!
//! What each loader prints was learned from its output, for the versions named in docs/loaders.md.

mod known;
mod layout;
mod lists;
mod print;
mod private_names;
mod reflow;
mod rewrite;

use crate::definition::Outline;
use crate::language::Language;
use crate::stack_budget::stack_needed;
use known::{Arrows, Prints};
use print::{Written, print};

pub use known::{LOADERS, Loader};
pub use layout::{Layout, PrintedFunction};

#[cfg(test)]
mod tests;

/// Longer texts are not transformed: nobody writes such files by hand.
const MAX_TEXT: usize = 2 << 20;
/// The most stack that the parser may need for a text. Texts are transformed on a thread with a larger stack, since only
/// the parser's need is known, and other steps may need more.
const MAX_PARSER_STACK: usize = 16 << 20;

/// Where the functions of a text are after a loader has transformed it, with one layout for each combination of options and
/// versions that matters. Empty for markup, for texts that do not parse, and for those that are too long or nested too deeply.
///
/// Must be called with a [large stack](crate::with_large_stack).
pub fn layouts(text: &str, language: Language, outline: &Outline, loader: &Loader) -> Vec<Layout> {
    let is_readable = !language.is_markup() && outline.exact && text.len() <= MAX_TEXT;
    if !is_readable || stack_needed(text, 0, MAX_PARSER_STACK).is_none() {
        return Vec::new();
    }
    let written = Written { text, language, outline };
    match loader.prints {
        Prints::Nothing => vec![layout::unchanged(text, outline)],
        Prints::Densely => {
            let printed = print(written, loader, false);
            printed.map(|printed| printed.dense()).into_iter().collect()
        }
        Prints::Lines { indent, arrows, .. } => [false, true]
            .into_iter()
            .filter_map(|comments| print(written, loader, comments))
            .map(|printed| printed.lines(text, outline, indent, arrows))
            .collect(),
        Prints::AsWritten { indent } => {
            let by_line = print(written, loader, false).map(|printed| printed.lines_as_written(text, indent));
            let anew = print(written, loader, true)
                .map(|printed| printed.lines(text, outline, indent, Arrows::Kept));
            by_line.into_iter().chain(anew).collect()
        }
    }
}
