//! The one gate between texts from outside (from a trace, a path, a file name, an argument, another program) and what people see.
//!
//! Whoever writes a name must not control what a terminal does, where a line ends, or in which order it is read. So each
//! character that is invisible, or that changes how others look, becomes `�`, which shows that something was there.

use std::borrow::Cow;

/// The replacement for a character that is not shown.
const INSTEAD: char = '\u{FFFD}';

/// Characters that are not shown, in addition to those of [`char::is_control`]: Unicode line breaks, direction marks, and
/// everything that is invisible by definition (`Default_Ignorable_Code_Point` of Unicode's DerivedCoreProperties.txt),
/// since two names that look the same must be the same.
///
/// Three of these are left out: U+200C and U+200D join letters in Persian and Hindi and the parts of emoji, and may be in
/// identifiers (ECMAScript, 12.7); U+FE00 to U+FE0F choose how an emoji looks.
const HIDDEN: [(char, char); 19] = [
    ('\u{00AD}', '\u{00AD}'),   // soft hyphen
    ('\u{034F}', '\u{034F}'),   // combining grapheme joiner
    ('\u{061C}', '\u{061C}'),   // Arabic letter mark
    ('\u{115F}', '\u{1160}'),   // Hangul fillers, which are letters of identifiers
    ('\u{17B4}', '\u{17B5}'),   // Khmer vowels that are not written
    ('\u{180B}', '\u{180F}'),   // Mongolian selectors
    ('\u{200B}', '\u{200B}'),   // space of no width
    ('\u{200E}', '\u{200F}'),   // marks of direction
    ('\u{2028}', '\u{202E}'),   // line and paragraph breaks, embeddings and overrides of direction
    ('\u{2060}', '\u{206F}'),   // joiners, invisible operators, isolates of direction
    ('\u{3164}', '\u{3164}'),   // Hangul filler
    ('\u{FEFF}', '\u{FEFF}'),   // byte order mark
    ('\u{FFA0}', '\u{FFA0}'),   // Hangul filler of half width
    ('\u{FFF0}', '\u{FFFB}'),   // annotations
    ('\u{1BCA0}', '\u{1BCA3}'), // controls of shorthand
    ('\u{1D173}', '\u{1D17A}'), // controls of music
    ('\u{E0000}', '\u{E007F}'), // tags: ASCII that nobody sees
    ('\u{E0080}', '\u{E00FF}'), // not assigned, and not shown
    ('\u{E0100}', '\u{E0FFF}'), // more selectors, which can carry any bytes
];

/// Whether a character is invisible, ends a line, or changes how others look.
pub fn is_hidden(char: char) -> bool {
    char.is_control()
        || (!char.is_ascii() && HIDDEN.iter().any(|&(first, last)| (first..=last).contains(&char)))
}

/// Whether two names have the same visible characters, so that a user can type a name that was shown.
pub fn look_alike(one: &str, other: &str) -> bool {
    let [one, other] =
        [one, other].map(|name| name.chars().filter(|&char| !is_hidden(char) && char != INSTEAD));
    one.eq(other)
}

/// A text made safe to show as part of one line.
pub fn plain(text: &str) -> Cow<'_, str> {
    replaced(text, |_, _| false)
}

/// A text of several lines, such as a source, made safe to show: line feeds, tabs, and carriage returns before a line feed stay.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |char, rest| match char {
        '\n' | '\t' => true,
        '\r' => rest.starts_with('\n'),
        _ => false,
    })
}

/// Replaces hidden characters with a mark, unless `stays` returns true for the character and the text after it.
fn replaced(text: &str, stays: impl Fn(char, &str) -> bool) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.char_indices().map(|(at, char)| {
        let is_shown = !is_hidden(char) || stays(char, &text[at + char.len_utf8()..]);
        if is_shown { char } else { INSTEAD }
    });
    Cow::Owned(shown.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_marked_and_the_rest_stays() {
        let rows = [
            ("plain <b>`text`</b>; 日本語 ñ", "plain <b>`text`</b>; 日本語 ñ"),
            ("\x1b]0;title\x07", "�]0;title�"),
            ("a\n::error::b\r\nc\td", "a�::error::b��c�d"),
            ("DEL \x7f, C1 \u{85}\u{9b}31m", "DEL �, C1 ��31m"),
            ("\u{2028}\u{2029}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}", "�������"),
            ("\u{061C}\u{200E}\u{200F}\u{2066}\u{2067}\u{2068}\u{2069}", "�������"),
            ("\u{200B}\u{2060}\u{FEFF}\u{AD}\u{3164}\u{115F}\u{FFA0}\u{180E}", "��������"),
            ("\u{E0041}\u{E0100}\u{FFF9}", "���"),
            // A joined emoji, one with a selector, and the joiner of a Persian word.
            ("👩\u{200D}🚀 ❤\u{FE0F} می\u{200C}خواهم", "👩\u{200D}🚀 ❤\u{FE0F} می\u{200C}خواهم"),
        ];
        for (text, expected) in rows {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_of_a_source_stay_lines() {
        assert_eq!(plain_lines("a\r\n\tb\n\rc\x1b[2J\r"), "a\r\n\tb\n�c�[2J�");
    }

    #[test]
    fn ranges_are_in_order() {
        assert!(HIDDEN.iter().all(|(first, last)| first <= last));
        assert!(HIDDEN.is_sorted_by(|one, next| one.1 < next.0));
    }
}
