//! A session of edits on a text of many statements, each version read with the help of the last one that parsed: the outline of a text
//! that parses is that of a whole parse, and that of any other is inside of its text, as is what is carried over to it.

use source::language::Language;
use source::large_stack::{outline, read};

use super::outline::is_sound;
use crate::draw::Draw;

const LANGUAGES: [Language; 3] = [Language::JavaScript, Language::TypeScript, Language::TypeScriptJsx];

/// What is typed, pasted or taken back, where it is not a part of the text itself.
const TYPED: [&str; 32] = [
    "",
    "x",
    " ",
    "\n",
    "\r\n",
    ";",
    ",",
    "{",
    "}",
    "(",
    ")",
    "[",
    "`",
    "'",
    "/",
    "/*",
    "*/",
    "//",
    "=> ",
    "= ",
    "let ",
    "await ",
    "async ",
    "else ",
    "<!--",
    "-->",
    "\u{e9}",
    "import a from 'a'\n",
    "export default ",
    "'use strict'\n",
    "function f() { return () => 1; }\n",
    "const g = () => {}\n",
];

/// A text is repeated until it has so many bytes, and so some pieces.
const LONG: usize = 3_000;

/// The first byte chooses the language, what comes before the next 0 is the text, and then come edits of four bytes.
pub(crate) fn check(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let language = draw.one_of(&LANGUAGES);
    let Ok(part) = std::str::from_utf8(draw.before(0)) else { return };
    let part = part.trim_start_matches('\u{feff}');
    let mut text = format!("{part}\n").repeat(LONG / (part.len() + 1) + 1);
    let mut older = None;
    for _ in 0..24 {
        let known = older.as_ref().map(|(text, read): &(String, _)| (text.as_str(), read));
        let (Ok(whole), Ok(again)) = (outline(&text, language), read(&text, language, known)) else { return };
        is_sound(&again.outline, &text);
        assert_eq!(whole.exact, again.outline.exact, "whether it parses does not depend on what was before");
        if whole.exact {
            assert_eq!(whole, again.outline, "nor does its outline");
            older = Some((text.clone(), again));
        } else if let Some((known, read)) = &older {
            is_sound(&read.outline.carried(known, &text, &again.outline), &text);
        }
        if draw.0.is_empty() {
            return;
        }
        let start = text.floor_char_boundary(draw.up_to(text.len()));
        let length = [0, 0, 1, 2, 5, 30, 300, 3_000][usize::from(draw.byte() % 8)];
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let choice = usize::from(draw.byte());
        let with = TYPED.get(choice % 64).map_or_else(|| part.to_owned(), |it| (*it).to_owned());
        text.replace_range(start..end, &with);
    }
}
