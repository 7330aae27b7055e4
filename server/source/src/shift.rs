//! Carries an outline along an edit, for a text that does not parse at the moment: exact outside of the edit.

use text_size::{TextRange, TextSize};

use crate::{Definition, DefinitionId, DefinitionKind, Outline};

impl Outline {
    /// The outline behind an edit that puts `with` in the place of a range of its text. Definitions that were
    /// deleted, or lost their beginning, are gone; those around the edit grow or shrink, and have another fingerprint
    /// unless only white space came and went.
    #[must_use]
    pub fn edited(&self, text: &str, range: TextRange, with: &str) -> Outline {
        let new_len = TextSize::of(with);
        let blank = text[range].trim().is_empty() && with.trim().is_empty();
        let mut kept = Outline {
            definitions: Vec::with_capacity(self.definitions.len()),
            exact: false,
            scripts: self.scripts.as_ref().map(|it| it.iter().map(|it| grown(*it, range, new_len)).collect()),
        };
        let mut new_ids: Vec<Option<DefinitionId>> = Vec::with_capacity(self.definitions.len());
        let innermost = self.around(range.start());
        for (old_id, old) in (0..).map(DefinitionId).zip(&self.definitions) {
            let parent = old.parent.and_then(|it| new_ids[it.0 as usize]);
            let id = DefinitionId(kept.definitions.len() as u32);
            match carried(old, range, new_len) {
                Some(definition) => {
                    // The fingerprints of classes and of the top level leave out the definitions inside them.
                    let shallow = matches!(old.kind, DefinitionKind::TopLevel | DefinitionKind::Class);
                    let overlaps = range.start() < old.range.end() && old.range.start() < range.end();
                    let touched = !blank && if shallow { innermost == Some(old_id) } else { overlaps };
                    // Any other number, and another one each time.
                    let other = old.fingerprint.wrapping_add(0x9E37_79B9_7F4A_7C15);
                    let fingerprint = if touched { other } else { old.fingerprint };
                    kept.definitions.push(Definition { parent, fingerprint, ..definition });
                    new_ids.push(Some(id));
                }
                // Its children belong to what was around it.
                None => new_ids.push(parent),
            }
        }
        kept
    }
}

/// A script at its new place; what is typed at its edges is in it.
fn grown(script: TextRange, edit: TextRange, new_len: TextSize) -> TextRange {
    let moved = |at: TextSize| at - edit.len() + new_len;
    let start = if script.start() < edit.end() || edit.is_empty() && script.start() == edit.start() {
        script.start().min(edit.start())
    } else {
        moved(script.start())
    };
    let end = if script.end() < edit.start() { script.end() } else { moved(script.end().max(edit.end())) };
    TextRange::new(start, end.max(start))
}

/// The definition at its new place; `None` where the edit took its beginning away.
fn carried(old: &Definition, edit: TextRange, new_len: TextSize) -> Option<Definition> {
    let top_level = old.kind == DefinitionKind::TopLevel;
    if !top_level && edit.start() <= old.range.start() && old.range.start() < edit.end() {
        return None;
    }
    // What is typed right before a definition pushes it away; what is typed right behind it is not part of it.
    let start =
        |at: TextSize| if at >= edit.end() { at - edit.len() + new_len } else { at.min(edit.start()) };
    let end = |at: TextSize| if at > edit.start() { at.max(edit.end()) - edit.len() + new_len } else { at };
    let moved = |it: TextRange| {
        let start = start(it.start());
        TextRange::new(start, end(it.end()).max(start))
    };
    if top_level {
        let range = TextRange::up_to(old.range.end() - edit.len().min(old.range.end()) + new_len);
        return Some(Definition { range, hint_at: start(old.hint_at), ..old.clone() });
    }
    let whole = |name: &TextRange| name.intersect(edit).is_none_or(TextRange::is_empty);
    Some(Definition {
        range: moved(old.range),
        header: moved(old.header),
        hint_at: end(old.hint_at),
        name_range: old.name_range.filter(whole).map(moved),
        ..old.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, outline};

    const TEXT: &str = "const x = 1;
function outer() {
  const inner = () => 2;
}
class C { m() { return 3; } }
";

    /// The text with `find` replaced, and what the carried outline says of it: `name text-of-range`.
    fn after(find: &str, with: &str) -> Vec<String> {
        let start = TEXT.find(find).expect("the text holds what is replaced");
        let range = TextRange::at(TextSize::new(start as u32), TextSize::of(find));
        let text = TEXT.replacen(find, with, 1);
        let before = outline(TEXT, Language::JavaScript).unwrap();
        let after = before.edited(TEXT, range, with);
        assert!(!after.exact);
        let twice = after.edited(&text, TextRange::empty(range.start()), "+");
        assert!(
            twice.definitions.iter().zip(&after.definitions).any(|(a, b)| a.fingerprint != b.fingerprint)
        );
        let shown = |it: &Definition| {
            let before = before.definitions.iter().find(|old| old.path == it.path).unwrap();
            let mark = if before.fingerprint == it.fingerprint { "" } else { "~" };
            format!("{mark}{} {}", it.path, text[it.range].replace('\n', " "))
        };
        after.definitions.iter().skip(1).map(shown).collect()
    }

    #[test]
    fn edits_leave_the_rest_in_place() {
        let outer = "outer function outer() {   const inner = () => 2; }";
        let class = ["C class C { m() { return 3; } }", "C.m m() { return 3; }"];
        let inner = "outer.inner () => 2";
        let [c, m] = class;
        assert_eq!(after("const x = 1;", "const x = (1"), [outer, inner, c, m]);
        assert_eq!(after("function outer() {\n  const inner = () => 2;\n}\n", ""), [c, m]);
        assert_eq!(after("\n", "\n\n \n"), [outer, inner, c, m]);
        assert_eq!(
            after("> 2", "> (2"),
            ["~outer function outer() {   const inner = () => (2; }", "~outer.inner () => (2", c, m]
        );
        assert_eq!(
            after("  const inner = () => 2;\n", "  if (\n"),
            ["~outer function outer() {   if ( }", c, m]
        );
        assert_eq!(
            after("return 3;", "return 3 +;"),
            [outer, inner, "C class C { m() { return 3 +; } }", "~C.m m() { return 3 +; }"]
        );
    }
}
