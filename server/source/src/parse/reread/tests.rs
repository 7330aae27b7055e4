//! After any edits, the outline equals that of a whole parse.

use super::*;

/// Numbers that look random but are the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % end.max(1) as u64) as usize
    }
}

/// Lines that texts are made of, each valid by itself or together with others; the first ones are more frequent.
const LINES: [&str; 40] = [
    "function a() { b(() => { c(); }); }",
    "const d = () => { e(); }",
    "const f = function () {};",
    "class G { m() { return 1; } n = () => 2; }",
    "export function h() {}",
    "export default class extends G { get i() { return 3; } }",
    "import j from 'j'",
    "export { k } from 'k'",
    "(l)",
    "(() => { m(); })();",
    "[n, o].map(it => it)",
    "`p ${q}`",
    "if (r) { s(() => {}); }",
    "else { t(function () {}) }",
    "if (u) v = () => 1",
    "for (const w of x) { y(); }",
    "try { z() }",
    "catch { a1(() => 4) }",
    "finally { b1() }",
    "// c1 () => {}",
    "/* d1",
    "e1 */",
    "'use strict'",
    "'use strict';",
    "let",
    "async",
    "type",
    "await (f1)(() => { g1(); });",
    "await",
    "A.prototype.b = function () {}; A.prototype.c = () => {};",
    "label: for (;;) { break label }",
    "--> h1",
    "<!-- i1",
    "#!j1",
    "export =",
    "@dec",
    ".then(() => {})",
    "var k1 = {",
    "}",
    "",
];

/// What is inserted into a text.
const TYPED: [&str; 18] = [
    "x",
    " ",
    "\n",
    "{",
    "}",
    "(",
    ")",
    ";",
    "`",
    "/",
    "/*",
    "*/",
    "=> ",
    "//",
    "let ",
    "\r\n",
    "function f() {}\n",
    "\u{e9}",
];

fn line(random: &mut Random) -> &'static str {
    let most = if random.below(8) == 0 { LINES.len() } else { 19 };
    LINES[random.below(most)]
}

fn edited(text: &str, random: &mut Random) -> String {
    let place = |at: usize| text.floor_char_boundary(at.min(text.len()));
    let start = place(random.below(text.len() + 1));
    let end = place(start + [0, 0, 0, 1, 1, 3, 40][random.below(7)]);
    let line = format!("{}\n", line(random));
    let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
    match random.below(3) {
        0 => [&text[..line_start], &line, &text[line_start..]].concat(),
        // Deletes a whole line.
        1 => {
            let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it + 1);
            [&text[..line_start], &text[line_end..]].concat()
        }
        _ => [&text[..start], TYPED[random.below(TYPED.len())], &text[end..]].concat(),
    }
}

#[test]
fn an_edited_text_is_read_as_a_whole_one() {
    const ROOM: usize = 1 << 20;
    let (mut parsed, mut reread) = (0, 0);
    for seed in 0..600 {
        let random = &mut Random(seed);
        let language = [Language::JavaScript, Language::TypeScript, Language::TypeScriptJsx][random.below(3)];
        let least = [1, 30, 200][random.below(3)];
        let lines = (0..random.below(60)).map(|_| line(random));
        let read = |text: &str| Pieces::read_in(least, text, language, ROOM).ok();
        // Appends only lines after which the text still parses.
        let mut text = String::new();
        for line in lines {
            let longer = format!("{text}{line}\n");
            text = if read(&longer).is_some() { longer } else { text };
        }
        let mut older = None;
        for _ in 0..40 {
            let whole = read(&text);
            let again = older.as_ref().map(|(text, (outline, pieces)): &(String, (Outline, Pieces))| {
                Before { text, outline, pieces }
            });
            let broken_at = again.as_ref().and_then(|it| it.broken_at(&text, ROOM));
            assert!(broken_at.is_none() || whole.is_none(), "{seed}: it does parse\n{text}");
            let again = again.and_then(|it| it.reread(&text, ROOM));
            parsed += u32::from(whole.is_some() && older.is_some());
            reread += u32::from(again.is_some());
            if let Some((outline, pieces)) = again {
                let (whole, _) = whole.unwrap_or_else(|| panic!("{seed}: it does not parse\n{text}"));
                for (again, whole) in outline.definitions.iter().zip(&whole.definitions) {
                    assert_eq!(again, whole, "{seed}:\n{text}");
                }
                assert_eq!(outline, whole, "{seed}:\n{text}");
                older = Some((text.clone(), (outline, pieces)));
            } else if let Some(whole) = whole {
                older = Some((text.clone(), whole));
            }
            // A text that does not parse is repaired now and then.
            match &older {
                Some((known, _)) if *known != text && random.below(3) == 0 => text = known.clone(),
                _ => text = edited(&text, random),
            }
        }
    }
    assert!(reread * 2 > parsed, "{reread} of {parsed} texts that parse need not be read as a whole");
}
