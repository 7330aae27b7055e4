//! The outline of a text that currently does not parse, with the help of the last version that did.
//!
//! The older outline is exact where nothing changed, but lacks new functions and those whose first line was rewritten.
//! The recovered outline has those, but may lose functions around a mistake. So the older outline counts where nothing
//! changed, and the recovered one where something did.
//!
//! ```text
//! function a() { return 1; }    function a() { return 1 +; }   a: touched, so from the recovered outline, and changed
//! function b() { return 2; }    function b() { return 2; }     b: from the older outline, at its new place
//!                               function c() {                 c: new, so from the recovered outline
//! ```

use std::cmp::Reverse;

mod diff;

use rustc_hash::{FxHashMap, FxHashSet};
use text_size::{TextRange, TextSize};

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::name::{Paths, own_path};
use diff::{Change, changes};

impl Outline {
    /// The outline of a text that does not parse: `recovered` is its recovered outline, and `self` the outline of an
    /// older version.
    #[must_use]
    pub fn carried(&self, older: &str, text: &str, recovered: &Outline) -> Outline {
        let changes = changes(older, text);
        let code: Vec<Change> = changes.iter().filter(|change| !change.is_blank).copied().collect();
        let innermost: FxHashSet<_> =
            code.iter().filter_map(|change| self.around(change.before.start())).collect();
        let mut new: FxHashMap<TextSize, &Definition> = recovered
            .definitions
            .iter()
            .skip(1)
            .map(|definition| (definition.range.start(), definition))
            .collect();
        let mut found = Vec::with_capacity(self.definitions.len());
        for (id, old) in (0..).map(DefinitionId).zip(&self.definitions) {
            let Some(moved) = moved(old, &changes, TextSize::of(text)) else { continue };
            // The fingerprints of classes and of the top level leave out the definitions inside them.
            let is_touched = match old.kind {
                DefinitionKind::TopLevel | DefinitionKind::Class => innermost.contains(&id),
                _ => is_changed(&code, old.range),
            };
            let names = old.name_range.zip(moved.name_range);
            let is_named_so = names.is_some_and(|(was, is)| older[was] == text[is]);
            let fingerprint = if is_touched { other(old.fingerprint) } else { old.fingerprint };
            let carried = Definition { fingerprint, ..moved };
            let twin = (id.0 > 0).then(|| new.remove(&carried.range.start())).flatten();
            found.push(match twin {
                Some(twin) if is_touched && same_code(&older[old.range], &text[twin.range]) => {
                    let Definition { fingerprint, tokens, signature, .. } = *old;
                    Carried::of(
                        recovered,
                        twin,
                        Definition { fingerprint, tokens, signature, ..twin.clone() },
                    )
                }
                Some(twin) if is_touched => Carried::of(recovered, twin, read_anew(&carried, twin)),
                Some(twin) if old.name_range.is_some() && !is_named_so => {
                    let Definition { name, name_range, .. } = twin.clone();
                    Carried::of(recovered, twin, Definition { name, name_range, ..carried })
                }
                None if is_touched && old.name_range.is_some() && !is_named_so => continue,
                _ => Carried::of(self, old, carried),
            });
        }
        let added = recovered.definitions.iter().skip(1).filter(|definition| {
            let at = definition.range.start();
            let change = code.get(code.partition_point(|change| change.after.end() <= at));
            new.contains_key(&at) && change.is_some_and(|change| change.after.start() <= at)
        });
        found.extend(added.map(|definition| Carried::of(recovered, definition, definition.clone())));
        Outline { definitions: nested(found), exact: false, scripts: recovered.scripts.clone() }
    }
}

/// A definition of the text, without a parent so far.
struct Carried<'a> {
    /// The end of its path, which is its own.
    own: &'a str,
    definition: Definition,
}

impl<'a> Carried<'a> {
    /// `definition` has its name from a definition of this outline.
    fn of(outline: &'a Outline, name: &'a Definition, definition: Definition) -> Self {
        let around = name.parent.map_or("", |parent| outline.get(parent).path.as_str());
        Self { own: own_path(name, around), definition }
    }
}

/// Puts definitions in order, each below the innermost around it.
fn nested(mut found: Vec<Carried<'_>>) -> Vec<Definition> {
    found.sort_by_key(|Carried { definition, .. }| {
        (
            definition.kind != DefinitionKind::TopLevel,
            definition.range.start(),
            Reverse(definition.range.end()),
        )
    });
    let mut all: Vec<Definition> = Vec::with_capacity(found.len());
    let (mut around, mut paths): (Vec<usize>, _) = (Vec::new(), Paths::default());
    for Carried { own, definition } in found {
        let start = definition.range.start();
        while around.len() > 1 && around.last().is_some_and(|&outer| all[outer].range.end() <= start) {
            around.pop();
        }
        let outer = around.last().copied();
        let path = paths.add(&all, outer.map_or("", |outer| &all[outer].path), "", own);
        let end = outer.map_or(definition.range.end(), |outer| all[outer].range.end());
        around.push(all.len());
        let parent = outer.map(|outer| DefinitionId(outer as u32));
        all.push(Definition { path, parent, ..cut(definition, end) });
    }
    all
}

/// A touched definition as it was recovered. All that changed may have been blanked during recovery, so the same
/// fingerprint does not mean the same code. Of its two possible ends the first is the right one: closing brackets can
/// be missing in the text, and what is inserted before a bracket may look as if it came after it.
fn read_anew(edited: &Definition, twin: &Definition) -> Definition {
    let says_nothing = other(twin.fingerprint) == edited.fingerprint;
    let fingerprint = if says_nothing { edited.fingerprint } else { twin.fingerprint };
    cut(Definition { fingerprint, ..twin.clone() }, edited.range.end())
}

/// A definition that ends here at the latest.
fn cut(definition: Definition, end: TextSize) -> Definition {
    Definition {
        range: TextRange::new(definition.range.start(), definition.range.end().min(end)),
        header: TextRange::new(definition.header.start(), definition.header.end().min(end)),
        decorators_from: definition.decorators_from.min(end),
        defined_at: definition.defined_at.min(end),
        parameters_end: definition.parameters_end.min(end),
        hint_at: definition.hint_at.min(end),
        ..definition
    }
}

/// The definition at its new place; `None` where its beginning was taken away.
fn moved(old: &Definition, changes: &[Change], len: TextSize) -> Option<Definition> {
    if old.kind == DefinitionKind::TopLevel {
        return Some(Definition {
            range: TextRange::up_to(len),
            parameters_end: moved_start(old.parameters_end, changes),
            hint_at: moved_start(old.hint_at, changes),
            ..old.clone()
        });
    }
    let next = changes.get(changes.partition_point(|change| change.before.end() <= old.range.start()));
    if next.is_some_and(|change| change.before.start() <= old.range.start()) {
        return None;
    }
    let name_range = old.name_range.filter(|range| !is_changed(changes, *range));
    let definition = Definition {
        range: moved_range(old.range, changes),
        header: moved_range(old.header, changes),
        decorators_from: moved_start(old.decorators_from, changes),
        defined_at: moved_start(old.defined_at, changes),
        parameters_end: moved_end(old.parameters_end, changes),
        hint_at: moved_start(old.hint_at, changes),
        name_range: name_range.map(|range| moved_range(range, changes)),
        ..old.clone()
    };
    // Where its body was taken away, what is typed there is not part of it.
    let end = definition.range.end();
    Some(cut(definition, end))
}

/// Where something starts now: what is typed right before a definition pushes it away.
fn moved_start(at: TextSize, changes: &[Change]) -> TextSize {
    let next = changes.partition_point(|change| change.before.end() <= at);
    match (changes.get(next), next.checked_sub(1).map(|last| changes[last])) {
        (Some(around), _) if around.before.start() < at => around.after.start(),
        (_, Some(last)) => at - last.before.end() + last.after.end(),
        (_, None) => at,
    }
}

/// Where something ends now: what is typed right after a definition is not part of it.
fn moved_end(at: TextSize, changes: &[Change]) -> TextSize {
    let next = changes.partition_point(|change| change.before.start() < at);
    let Some(last) = next.checked_sub(1).map(|last| changes[last]) else { return at };
    at.max(last.before.end()) - last.before.end() + last.after.end()
}

fn moved_range(range: TextRange, changes: &[Change]) -> TextRange {
    let start = moved_start(range.start(), changes);
    TextRange::new(start, moved_end(range.end(), changes).max(start))
}

/// Whether one of the changes is inside of a range.
fn is_changed(changes: &[Change], range: TextRange) -> bool {
    let next = changes.get(changes.partition_point(|change| change.before.end() <= range.start()));
    next.is_some_and(|change| change.before.start() < range.end())
}

/// Whether two pieces of code are the same apart from white space.
fn same_code(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|code| code.split_whitespace().flat_map(str::chars));
    a.eq(b)
}

/// Any fingerprint but this one.
fn other(fingerprint: u64) -> u64 {
    fingerprint.wrapping_add(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::large_stack::outline;

    const TEXT: &str = "const x = 1;
function outer() {
  const inner = () => 2;
}
class C { m() { return 3; } }
";

    /// The outline of a text that does not parse, given that of [`TEXT`]: `path text-of-range`, with `~` where the code
    /// may have changed.
    fn known(text: &str) -> Vec<String> {
        let before = outline(TEXT, Language::JavaScript).unwrap();
        let recovered = outline(text, Language::JavaScript).unwrap();
        assert!(!recovered.exact, "{text}");
        let after = before.carried(TEXT, text, &recovered);
        let shown = |it: &Definition| {
            let is_same = before.definitions.iter().any(|old| old.fingerprint == it.fingerprint);
            let mark = if is_same { "" } else { "~" };
            format!("{mark}{} {}", it.path, text[it.range].split_whitespace().collect::<Vec<_>>().join(" "))
        };
        after.definitions.iter().skip(1).map(shown).collect()
    }

    /// The outline of [`TEXT`] with `find` replaced.
    fn after(find: &str, with: &str) -> Vec<String> {
        known(&TEXT.replacen(find, with, 1))
    }

    const OUTER: &str = "outer function outer() { const inner = () => 2; }";
    const INNER: &str = "outer.inner () => 2";
    const C: &str = "C class C { m() { return 3; } }";
    const M: &str = "C.m m() { return 3; }";

    #[test]
    fn edits_leave_the_rest_in_place() {
        assert_eq!(after("const x = 1;", "const x = (1"), [OUTER, INNER, C, M]);
        assert_eq!(after("1;\nfunction outer() {\n  const inner = () => 2;\n}\n", "(1;\n"), [C, M]);
        assert_eq!(
            after("> 2", "> (2"),
            ["~outer function outer() { const inner = () => (2; }", "~outer.inner () => (2", C, M]
        );
        assert_eq!(
            after("  const inner = () => 2;\n", "  if (\n"),
            ["~outer function outer() { if ( }", C, M]
        );
        assert_eq!(
            after("return 3;", "return 3 +;"),
            [OUTER, INNER, "C class C { m() { return 3 +; } }", "~C.m m() { return 3 +; }"]
        );
    }

    #[test]
    fn what_is_written_anew_is_read_anew() {
        let renamed = TEXT.replace("outer", "other").replace("= 1", "= (1");
        assert_eq!(
            known(&renamed),
            ["other function other() { const inner = () => 2; }", "other.inner () => 2", C, M]
        );
        let [new, broken] = ["function added() { return 4; }\n", "const x = (1;\n"];
        assert_eq!(
            known(&TEXT.replace("const x = 1;\n", &[new, broken].concat())),
            ["~added function added() { return 4; }", OUTER, INNER, C, M]
        );
    }

    #[test]
    fn white_space_changes_nothing() {
        let windows = TEXT.replace("= 1", "= (1").replace('\n', "\r\n");
        assert_eq!(known(&windows), [OUTER, INNER, C, M]);
        let indented = TEXT.replace("= 1", "= (1").replace('\n', "\n\n    ");
        assert_eq!(known(&indented), [OUTER, INNER, C, M]);
    }

    #[test]
    fn a_class_that_loses_its_header_leaves_its_methods() {
        assert_eq!(after("class C {", "cla"), [OUTER, INNER, "m m() { return 3; }"]);
    }
}
