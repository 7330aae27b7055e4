//! A Vue, Svelte, Astro, HTML or MDX file, well-formed or not: its scripts are inside it and in order, every definition is in
//! one of them, also when an older outline is carried over to an edited text. All of an MDX file may be code.

use source::definition::Outline;
use source::language::Language;
use source::large_stack::outline;
use text_size::{TextRange, TextSize};

use super::outline::{an_edit, is_sound, is_unambiguous};
use crate::draw::{Draw, hash};

const LANGUAGES: [Language; 5] =
    [Language::Vue, Language::Svelte, Language::Html, Language::Astro, Language::Mdx];

/// The first byte chooses the language, what follows is the text.
pub(crate) fn check(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let language = draw.one_of(&LANGUAGES);
    let Ok(text) = std::str::from_utf8(draw.0) else { return };
    let found = outline(text, language).expect("a script that is too deep costs only itself");
    has_scripts(&found, text, language);
    is_unambiguous(&found);
    for definition in &found.definitions[1..] {
        let Some(scripts) = found.scripts.as_deref() else { break };
        let around = scripts.iter().filter(|it| it.contains_range(definition.range)).count();
        assert_eq!(around, 1, "{definition:?} lies in a script");
        assert!(found.is_code(definition.range.start()));
    }
    assert_eq!(found, outline(text, language).expect("as before"), "the same text has the same outline");
    let (range, with) = an_edit(text, hash(bytes));
    let mut edited = text.to_owned();
    edited.replace_range(std::ops::Range::<usize>::from(range), with);
    let after = outline(&edited, language).expect("as above");
    has_scripts(&found.carried(text, &edited, &after), &edited, language);
}

fn has_scripts(outline: &Outline, text: &str, language: Language) {
    is_sound(outline, text);
    let Some(scripts) = outline.scripts.as_deref() else {
        return assert_eq!(language, Language::Mdx, "markup has scripts, be they none");
    };
    let mut last = TextSize::new(0);
    for script in scripts {
        assert!(last <= script.start(), "scripts are in order: {scripts:?}");
        assert!(text.get(std::ops::Range::<usize>::from(*script)).is_some(), "{script:?} lies in the text");
        last = script.end();
    }
    assert!(TextRange::up_to(TextSize::of(text)).contains_inclusive(last));
}
