//! Where the loaders that transform TypeScript in memory put its functions.
//!
//! tsx, vitest, jest, ts-node and the like hand V8 a text that is on no disk, and a plain profile knows functions only by
//! their places in it. So the text is transformed here as each of them would, as far as that moves functions: types go,
//! imports and exports are rewritten, and the rest is printed anew. That is close to what ran and not the same, which is why
//! the result is a [`Layout`], with which the places of a profile are compared, and not a text in which they are looked up.
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
//! What each loader prints was read off its output, of the versions that docs/loaders.md names.

mod layout;
mod print;
mod rewrite;

use crate::definition::{DefinitionId, Outline};
use crate::language::Language;
use crate::stack_budget::stack_needed;

/// A longer text is not transformed: no one writes such files by hand.
const MAX_TEXT: usize = 2 << 20;
/// A text is transformed on a thread with a large stack. Only the parser's need is known, and others may need more.
const MAX_PARSER_STACK: usize = 16 << 20;

/// A program that loads code by transforming it, as far as it decides where functions end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// What people call it.
    pub name: &'static str,
    prints: Prints,
    modules: Modules,
    /// The version of the language that newer syntax is rewritten for; `None` if it stays.
    target: Option<&'static str>,
    /// Whether a constructor that declares fields comes first in its class, as esbuild writes them.
    constructors_first: bool,
}

/// How a loader prints code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prints {
    /// Not at all: types are blanked, and everything else stays where it is.
    Nothing,
    /// Without white space, with `__name` around functions so that they keep their names.
    Densely,
    /// Statement by statement, with so many spaces or tabs for a level.
    Lines { indent: u32 },
    /// Line by line as it is written, without empty lines and those of types, with so many spaces for a level.
    AsWritten { indent: u32 },
}

/// What becomes of imports and exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Modules {
    /// They stay.
    Kept,
    /// Exports become a list at the end.
    Listed,
    /// `import { a } from "./b"; a()` becomes `(0, PREFIX b SUFFIX.a)()`.
    Required { prefix: &'static str, suffix: &'static str },
    /// Vite's: it becomes `(0,__vite_ssr_import_0__.a)()`.
    Numbered,
}

const KEPT: Loader = Loader {
    name: "",
    prints: Prints::Nothing,
    modules: Modules::Kept,
    target: None,
    constructors_first: false,
};
const ESBUILD: Loader = Loader { constructors_first: true, prints: Prints::Lines { indent: 2 }, ..KEPT };
const BABEL: Loader = Loader {
    prints: Prints::Lines { indent: 2 },
    modules: Modules::Required { prefix: "_", suffix: "" },
    ..KEPT
};
const SWC: Loader = Loader { prints: Prints::Lines { indent: 4 }, ..BABEL };
const TSC: Loader = Loader {
    prints: Prints::AsWritten { indent: 4 },
    modules: Modules::Required { prefix: "", suffix: "_1" },
    ..KEPT
};
const REQUIRED_BY_ESBUILD: Modules = Modules::Required { prefix: "import_", suffix: "" };

/// The loaders that are known.
pub const LOADERS: [Loader; 19] = [
    Loader { name: "the text as it is", ..KEPT },
    Loader { name: "tsx", prints: Prints::Densely, modules: Modules::Listed, ..ESBUILD },
    Loader { name: "tsx (CommonJS)", prints: Prints::Densely, modules: REQUIRED_BY_ESBUILD, ..ESBUILD },
    Loader { name: "esbuild (CommonJS)", modules: REQUIRED_BY_ESBUILD, ..ESBUILD },
    Loader { name: "Vite 7 and older in Node", modules: Modules::Numbered, ..ESBUILD },
    Loader { name: "Vite 7 and older in a page", modules: Modules::Listed, ..ESBUILD },
    Loader {
        name: "Vite 8 in Node",
        prints: Prints::Lines { indent: 1 },
        modules: Modules::Numbered,
        ..KEPT
    },
    Loader { name: "Vite 8 in a page", prints: Prints::Lines { indent: 1 }, ..KEPT },
    Loader { name: "Babel", ..BABEL },
    Loader { name: "Babel, ES2017", target: Some("es2017"), ..BABEL },
    Loader { name: "Babel, ES2015", target: Some("es2015"), ..BABEL },
    Loader { name: "SWC", ..SWC },
    Loader { name: "SWC, ES2017", target: Some("es2017"), ..SWC },
    Loader { name: "SWC, ES2015", target: Some("es2015"), ..SWC },
    Loader { name: "SWC and Node (modules)", modules: Modules::Kept, ..SWC },
    Loader { name: "TypeScript", ..TSC },
    Loader { name: "TypeScript, ES2017", target: Some("es2017"), ..TSC },
    Loader { name: "TypeScript, ES2015", target: Some("es2015"), ..TSC },
    Loader { name: "TypeScript (modules)", modules: Modules::Kept, ..TSC },
];

/// Where the functions of one text are once a loader has transformed it, in the order of their places.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The functions that come from a definition.
    pub functions: Vec<PrintedFunction>,
    /// Whether all code is in a few long lines, so that distances count in columns.
    pub is_dense: bool,
}

/// A function of a transformed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedFunction {
    /// What it was written as.
    pub definition: DefinitionId,
    /// The line of its place (see [`Definition::defined_at`](crate::Definition::defined_at)), from 0.
    pub line: u32,
    /// The column of its place, from 0, in UTF-16 units.
    pub column: u32,
    /// The column if the comment before it is printed on the same line.
    pub column_after_comment: Option<u32>,
    /// Whether engines know a name of it.
    pub is_named: bool,
}

/// Where the functions of a text are once a loader has transformed it: in each of the ways in which its options and
/// versions differ. Nothing for markup, for texts that do not parse, and for those that are too long or nested too deeply.
///
/// To be called with a [large stack](crate::with_large_stack).
pub fn layouts(text: &str, language: Language, outline: &Outline, loader: &Loader) -> Vec<Layout> {
    let is_safe = || stack_needed(text, 0, MAX_PARSER_STACK).is_some();
    if language.is_markup() || !outline.exact || text.len() > MAX_TEXT || !is_safe() {
        return Vec::new();
    }
    let print = |comments| print::print(text, language, outline, loader, comments);
    match loader.prints {
        Prints::Nothing => vec![layout::unchanged(text, outline)],
        Prints::Densely => print(false).map(|it| it.dense()).into_iter().collect(),
        Prints::Lines { indent } => {
            [false, true].into_iter().filter_map(print).map(|it| it.lines(text, outline, indent)).collect()
        }
        Prints::AsWritten { indent } => {
            print(false).map(|it| it.lines_as_written(text, indent)).into_iter().collect()
        }
    }
}
