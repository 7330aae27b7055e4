//! The known loaders, and what each does that moves functions.

use super::reflow::{Breaks, Broken};

/// A program that loads code by transforming it, as far as it decides where functions end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// Its usual name.
    pub name: &'static str,
    pub(super) prints: Prints,
    pub(super) modules: Modules,
    /// The language version that newer syntax is rewritten for; `None` if it stays.
    pub(super) target: Option<&'static str>,
    /// Whether a constructor that declares fields comes first in its class, as esbuild writes them.
    pub(super) constructors_first: bool,
}

/// How a loader prints code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prints {
    /// Not at all: types are blanked, and everything else stays where it is.
    Nothing,
    /// Without white space, with `__name` around functions so that they keep their names.
    Densely,
    /// Statement by statement, with this many spaces or tabs for each level. Without `breaks`, lines are those of oxc.
    Lines { indent: u32, arrows: Arrows, breaks: Option<Breaks> },
    /// Line by line as written, without empty lines and lines of types, with this many spaces for each level.
    AsWritten { indent: u32 },
}

/// How a loader prints arrow functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrows {
    /// `(a) => a`
    Spaced,
    /// `a => a`
    Bare,
    /// `(a)=>a`
    Tight,
    /// As written, and nameless functions as `function (a)`.
    Kept,
}

/// What becomes of imports and exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modules {
    /// They stay.
    Kept,
    /// Exports become a list at the end.
    Listed,
    /// `import { a } from "./b"; a()` becomes `(0, PREFIX b SUFFIX.a)()`. Babel and TypeScript also say
    /// `exports.a = a;` after an exported class and after a function that a variable gets.
    Required { prefix: &'static str, suffix: &'static str, is_said_after: bool },
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
pub(super) const ONE_TAB: Prints = Prints::Lines { indent: 1, arrows: Arrows::Spaced, breaks: None };
const ESBUILD: Loader = Loader {
    constructors_first: true,
    prints: Prints::Lines { indent: 2, arrows: Arrows::Spaced, breaks: Some(BREAKS_AS_WRITTEN) },
    ..KEPT
};
const BREAKS_AS_WRITTEN: Breaks = Breaks {
    objects: Broken::AsWritten,
    object_patterns: Broken::AsWritten,
    arrays: Broken::AsWritten,
    array_patterns: Broken::AsWritten,
    declarations: false,
    blocks_of_cases: false,
    statements: false,
};
const BREAKS_OF_BABEL: Breaks = Breaks {
    objects: Broken::Always,
    object_patterns: Broken::Always,
    arrays: Broken::Never,
    array_patterns: Broken::Never,
    declarations: true,
    blocks_of_cases: true,
    statements: false,
};
pub(super) const BREAKS_OF_TYPESCRIPT: Breaks = Breaks {
    object_patterns: Broken::Never,
    array_patterns: Broken::Never,
    statements: true,
    ..BREAKS_AS_WRITTEN
};
const BREAKS_OF_SWC: Breaks = Breaks {
    objects: Broken::Always,
    object_patterns: Broken::Never,
    arrays: Broken::Always,
    array_patterns: Broken::Never,
    declarations: false,
    blocks_of_cases: true,
    statements: false,
};
const BABEL: Loader = Loader {
    prints: Prints::Lines { indent: 2, arrows: Arrows::Bare, breaks: Some(BREAKS_OF_BABEL) },
    modules: Modules::Required { prefix: "_", suffix: "", is_said_after: true },
    ..KEPT
};
const SWC: Loader = Loader {
    prints: Prints::Lines { indent: 4, arrows: Arrows::Tight, breaks: Some(BREAKS_OF_SWC) },
    modules: Modules::Required { prefix: "_", suffix: "", is_said_after: false },
    ..KEPT
};
const TSC: Loader = Loader {
    prints: Prints::AsWritten { indent: 4 },
    modules: Modules::Required { prefix: "", suffix: "_1", is_said_after: true },
    ..KEPT
};
const REQUIRED_BY_ESBUILD: Modules =
    Modules::Required { prefix: "import_", suffix: "", is_said_after: false };

/// The known loaders.
pub const LOADERS: [Loader; 19] = [
    Loader { name: "the text as it is", ..KEPT },
    Loader { name: "tsx", prints: Prints::Densely, modules: Modules::Listed, ..ESBUILD },
    Loader { name: "tsx (CommonJS)", prints: Prints::Densely, modules: REQUIRED_BY_ESBUILD, ..ESBUILD },
    Loader { name: "esbuild (CommonJS)", modules: REQUIRED_BY_ESBUILD, ..ESBUILD },
    Loader { name: "Vite 7 and older in Node", modules: Modules::Numbered, ..ESBUILD },
    Loader { name: "Vite 7 and older in a page", modules: Modules::Listed, ..ESBUILD },
    Loader { name: "Vite 8 in Node", prints: ONE_TAB, modules: Modules::Numbered, ..KEPT },
    Loader { name: "Vite 8 in a page", prints: ONE_TAB, ..KEPT },
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
