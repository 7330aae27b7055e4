//! Compares the name in a profile with the name in the source: whether they mean the same function.

use crate::definition::{Definition, DefinitionKind};

/// Whether a name in a profile can be the name of a definition. Empty and anonymous names, and names that are only known
/// at run time, agree with everything.
///
/// Engines differ in what they add to a name: `get x`, `Class.method`, `outer/inner/<`, `f$1`. Constructors and
/// initialisers have the name of their class.
pub fn names_agree(profile_name: &str, definition: &Definition) -> bool {
    let wanted = essence(profile_name);
    if is_wildcard(wanted) || definition.kind == DefinitionKind::TopLevel {
        return true;
    }
    if profile_name.starts_with('<') && profile_name.ends_with("_initializer>") {
        return definition.kind == DefinitionKind::Class;
    }
    let known = definition.name_range.is_some() && !definition.name.contains('[');
    let own = essence(&definition.name);
    if !known || is_wildcard(own) || wanted == own {
        return true;
    }
    class_around(definition).is_some_and(|class| is_wildcard(class) || wanted == essence(class))
}

/// Whether a name in a profile is that of a definition: both are known, and they [agree](names_agree).
pub fn is_name_of(profile_name: &str, definition: &Definition) -> bool {
    let is_known = definition.name_range.is_some() && !definition.name.contains('[');
    let are_names = [profile_name, &definition.name].iter().all(|name| !is_wildcard(essence(name)));
    is_known && are_names && names_agree(profile_name, definition)
}

/// The names that tools give to a function or class that is exported as the default and has no name.
const DEFAULT_EXPORTS: [&str; 5] = [
    // V8, for a module that nobody rewrote, and with it Node's own transformer.
    "default",
    // Babel and SWC, in modules of CommonJS.
    "_default",
    // TypeScript, in modules of CommonJS.
    "default_1",
    // Vite for its own runner of modules, also in Vitest and for Cloudflare's workers.
    "__vite_ssr_export_default__",
    // webpack.
    "__WEBPACK_DEFAULT_EXPORT__",
];

/// Whether a name may be that of a default export without a name; esbuild and rolldown have the file's name before `_default`.
pub fn is_of_default_export(profile_name: &str) -> bool {
    DEFAULT_EXPORTS.contains(&profile_name) || profile_name.ends_with("_default")
}

/// The name of a constructor's class.
fn class_around(definition: &Definition) -> Option<&str> {
    let (class, _) = definition.path.rsplit_once('.')?;
    let name = class.rsplit('.').next()?.split('#').next()?;
    (definition.kind == DefinitionKind::Constructor).then_some(name)
}

fn is_wildcard(name: &str) -> bool {
    matches!(name, "" | "(anonymous)" | "anonymous" | "default" | "(module)" | "(top level)")
}

/// A name without everything that engines and builds add to it.
fn essence(name: &str) -> &str {
    let mut name = name;
    for prefix in ["get ", "set ", "async ", "static ", "bound "] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    // Firefox: `Legacy["quoted-name"]`.
    if let Some((_, key)) = name.strip_suffix("\"]").and_then(|quoted| quoted.rsplit_once("[\"")) {
        return key;
    }
    // Firefox: `outer/inner<` is a function assigned to `inner` in `outer`; `outer/<` has no name.
    if name.contains(['/', '<']) && !name.starts_with('<') {
        name = name.trim_end_matches('<');
        name = name.rsplit('/').next().unwrap_or(name);
    }
    name = name.rsplit('.').next().unwrap_or(name);
    if let Some((before, digits)) = name.rsplit_once('$')
        && !before.is_empty()
        && !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        name = before;
    }
    match name.strip_prefix('_') {
        Some(rest) if !rest.is_empty() => {
            rest.strip_prefix("this").filter(|rest| !rest.is_empty()).unwrap_or(rest)
        }
        _ => name,
    }
}
