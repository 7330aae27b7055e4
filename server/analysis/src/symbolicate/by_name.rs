//! Finds functions by names that are unique in the text.
//! This is for functions whose positions say nothing: the trace has none, or they belong to another text.

use profile::model::{FunctionId, Position};
use rustc_hash::{FxHashMap, FxHashSet};
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use source::name::{is_name_of, names_agree};

use super::placement::{Confidence, Placement, PositionMatch, ScriptInText};
use crate::rules::Rule;

/// Places functions by names that are unique in the text, because their positions belong to another text.
pub(super) fn place_by_name(script: ScriptInText<'_>, placements: &mut [Placement]) {
    let profile = script.profile;
    let position = |it: &Placement| profile.functions[it.function.0 as usize].defined_at;
    let mut places: FxHashMap<&str, FxHashSet<Option<Position>>> = FxHashMap::default();
    for it in placements.iter() {
        places.entry(profile.name(it.function)).or_default().insert(position(it));
    }
    for it in placements.iter_mut() {
        it.reported = None;
        let is_top_level = matches!(it.found, Some((DefinitionId(0), _))) && position(it).is_some();
        if !is_top_level {
            // If two functions have the name, a tool made one of them, which exports or wraps the other.
            let is_only = places[profile.name(it.function)].len() == 1;
            it.found = by_name(script, it.function).filter(|_| is_only);
        }
    }
}

/// The function's definition by its name, or the code of the component that a compiler put around it.
pub(super) fn by_name(script: ScriptInText<'_>, function: FunctionId) -> PositionMatch {
    let ScriptInText { profile, text, functions } = script;
    let name = Some(profile.name(function)).filter(|_| functions.rules.has(Rule::Name));
    let found = name.and_then(|name| unique_by_name(&text.outline, name));
    let found = found.or_else(|| {
        let is_made =
            functions.transformed && functions.rules.has(Rule::Component) && is_component(script, function);
        is_made.then_some(DefinitionId(0))
    });
    found.map(|it| (it, Confidence::Name))
}

/// Whether this is the function that a compiler generated around the code of a component: `setup` for a Vue file that has
/// no such function, or a function named after a Svelte file.
fn is_component(script: ScriptInText<'_>, id: FunctionId) -> bool {
    let ScriptInText { profile, text, functions } = script;
    let name = profile.name(id);
    let url = profile.resource(id).unwrap_or_default();
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let is_made = path.ends_with(".vue") && name == "setup"
        || path.rsplit('/').next().and_then(|it| it.strip_suffix(".svelte")).is_some_and(|stem| {
            // Svelte's compiler replaces characters that are not allowed in identifiers with `_`, and capitalises the first letter.
            let stem = stem.replace(|it: char| !it.is_alphanumeric() && it != '$', "_");
            stem.eq_ignore_ascii_case(name)
        });
    is_made
        && text.outline.scripts.is_some()
        && functions.positions.iter().filter(|(id, _)| profile.name(*id) == name).count() == 1
        && !text.outline.definitions.iter().any(|it| has_name(it) && names_agree(name, it))
}

/// The only definition with this name.
pub(super) fn unique_by_name(outline: &Outline, name: &str) -> Option<DefinitionId> {
    use DefinitionKind::{Class, Constructor, Getter, Setter, TopLevel};
    if !is_name(name) {
        return None;
    }
    // Tools create functions named `get` and `set` from accessors, and `name` from `#name`; `_name` is for functions of their own.
    let mut kinds = outline.definitions.iter().map(|definition| definition.kind);
    if matches!(name, "get" | "set") && kinds.any(|kind| matches!(kind, Getter | Setter)) {
        return None;
    }
    let mut same = (0..).map(DefinitionId).zip(&outline.definitions).filter(|(_, it)| {
        let is_same = it.name.strip_prefix('#').unwrap_or(&it.name) == name
            || is_name_of(name, it) && (it.name.starts_with('_') || !name.starts_with('_'));
        is_same && !matches!(it.kind, TopLevel | Class | Constructor)
    });
    let first = same.next()?.0;
    same.next().is_none().then_some(first)
}

/// Whether a function of a profile has a real name, neither missing nor a placeholder.
pub(super) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "anonymous" | "default") && !name.starts_with('(') && !name.starts_with('<')
}

/// Whether a definition has a name that can be compared with that of a function.
pub(super) fn has_name(definition: &Definition) -> bool {
    definition.name_range.is_some()
}

#[cfg(test)]
mod tests {
    use source::language::Language;
    use source::large_stack::outline;

    use super::*;

    #[test]
    fn names_that_only_one_definition_has() {
        let text = "
            class Shop {
                constructor() {}
                #hidden() {}
                add() {}
                remove() {}
                static remove() {}
                get size() { return 1; }
            }
            function twice() {}
            function _own() {}
            const own = () => twice();
            const more = () => 1, others = { more() {} };
            run(() => 1);
        ";
        let cases = [
            ("twice", Some("twice")),
            ("add", Some("Shop.add")),
            ("Shop.add", Some("Shop.add")),
            ("hidden", Some("Shop.#hidden")),
            ("#hidden", Some("Shop.#hidden")),
            ("get size", Some("Shop.get size")),
            ("size", Some("Shop.get size")),
            ("own", None),
            ("_own", Some("_own")),
            ("_add", None),
            ("remove", None),
            ("more", None),
            ("Shop", None),
            ("constructor", None),
            ("get", None),
            ("", None),
            ("default", None),
            ("(anonymous)", None),
            ("<static_initializer>", None),
            ("none", None),
        ];
        let outline = outline(text, Language::JavaScript).expect("it can be read");
        let found = cases.map(|(name, _)| {
            (name, unique_by_name(&outline, name).map(|found| outline.get(found).path.as_str()))
        });
        assert_eq!(found, cases);
        // Without accessors these are names like others.
        let text = "const map = { get() {}, set() {} };";
        let outline = source::large_stack::outline(text, Language::JavaScript).expect("it can be read");
        let found = ["get", "set"].map(|name| unique_by_name(&outline, name).is_some());
        assert_eq!(found, [true, true]);
    }
}
