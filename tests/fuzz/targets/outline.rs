//! A text in each language, whether it parses or not: definitions are in order, nest, and are inside the text; the
//! outline of a text that parses is exact and unaffected by comments after it; and what is carried over to an edited
//! text is inside that one.

use source::definition::{DefinitionKind, Outline};
use source::language::Language;
use source::large_stack::outline;
use text_size::{TextRange, TextSize};

use crate::draw::{Draw, hash};

const LANGUAGES: [Language; 3] = [Language::JavaScript, Language::TypeScript, Language::TypeScriptJsx];

/// The first byte chooses the language, what follows is the text.
pub(crate) fn check(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let language = draw.one_of(&LANGUAGES);
    let Ok(text) = std::str::from_utf8(draw.0) else { return };
    let text = text.trim_start_matches('\u{feff}');
    let Ok(found) = outline(text, language) else { return };
    is_sound(&found, text);
    is_unambiguous(&found);
    let again = outline(text, language).expect("it was not too deep before");
    assert_eq!(found, again, "the same text has the same outline");
    if found.exact {
        let longer = outline(&format!("{text}\n// the end\n"), language).expect("it is as deep as before");
        assert!(longer.exact, "a comment after it breaks nothing");
        assert_eq!(longer.definitions[1..], found.definitions[1..], "a comment after it changes nothing");
        assert_eq!(longer.definitions[0].fingerprint, found.definitions[0].fingerprint);
    }
    carried(&found, text, language, hash(bytes));
}

/// What holds for any outline of a text.
pub(crate) fn is_sound(outline: &Outline, text: &str) {
    let is_place = |at: TextSize| text.is_char_boundary(usize::from(at));
    let is_inside = |it: TextRange| is_place(it.start()) && is_place(it.end());
    let definitions = &outline.definitions;
    assert_eq!(definitions[0].kind, DefinitionKind::TopLevel);
    assert_eq!(
        definitions[0].range,
        TextRange::up_to(TextSize::of(text)),
        "the top level is all of the text"
    );
    assert!(definitions.is_sorted_by_key(|it| it.range.start()), "definitions are ordered by start");
    for (index, definition) in definitions.iter().enumerate() {
        assert!(
            [definition.range, definition.header].into_iter().all(is_inside) && is_place(definition.hint_at),
            "{definition:?} lies in the text"
        );
        assert!(definition.name_range.is_none_or(is_inside), "{definition:?} has its name in the text");
        assert_eq!(
            definition.parent.is_none(),
            index == 0,
            "all but the top level have something around them"
        );
        if let Some(parent) = definition.parent {
            assert!((parent.0 as usize) < index, "what is around comes first");
            assert!(
                outline.get(parent).range.contains_range(definition.range),
                "{definition:?} lies in its parent"
            );
            assert!(
                definition.range.contains_range(definition.header),
                "{definition:?} begins with its header"
            );
            assert!(definition.range.contains_inclusive(definition.hint_at), "{definition:?} has its hint");
        }
    }
}

/// What holds for the outline of its own text: no two definitions have the same place or name.
pub(crate) fn is_unambiguous(outline: &Outline) {
    let mut paths: Vec<&str> = outline.definitions.iter().map(|it| it.path.as_str()).collect();
    paths.sort_unstable();
    assert!(paths.windows(2).all(|it| it[0] != it[1]), "paths are unique: {paths:?}");
}

/// The outline after an edit somewhere, and after its reverse.
fn carried(found: &Outline, text: &str, language: Language, seed: u64) {
    let (range, with) = an_edit(text, seed);
    let mut edited = text.to_owned();
    edited.replace_range(std::ops::Range::<usize>::from(range), with);
    let Ok(read) = outline(&edited, language) else { return };
    let after = found.carried(text, &edited, &read);
    is_sound(&after, &edited);
    is_sound(&after.carried(&edited, text, found), text);
}

/// An edit of a text: a range, and what comes in its place.
pub(crate) fn an_edit(text: &str, seed: u64) -> (TextRange, &'static str) {
    let place = |seed: u64| {
        let at = (seed % (text.len() as u64 + 1)) as usize;
        TextSize::new(text.floor_char_boundary(at) as u32)
    };
    let (a, b) = (place(seed), place(seed >> 20));
    let with = ["", "x", " ", "\u{e9}\n", "function f() {"][(seed >> 40) as usize % 5];
    (TextRange::new(a.min(b), a.max(b)), with)
}
