//! Texts that do not parse: nearly everything that is intact is found, and nothing that is not there.

use std::collections::HashSet;

use expect_test::expect;
use source::definition::{Definition, DefinitionKind};
use source::language::Language;
use source::large_stack::outline;

use crate::drawn;

/// What is found in a text that does not parse.
fn check(text: &str, expected: expect_test::Expect) {
    let outline = outline(text, Language::TypeScript).expect("it is not deep");
    assert!(!outline.exact, "the text does not parse");
    expected.assert_eq(&drawn(text, &outline));
}

#[test]
fn while_a_statement_is_typed() {
    check(
        "function before() {}
function around() {
  const x = 
  return x;
}
class A {
  m() { if (a && ) { return 1; } }
  n() {}
}
",
        expect![[r#"
            Function before: function before() |
            Function around: function around() |
            Class A: class A |{
            Method A.n: n() |
        "#]],
    );
}

#[test]
fn with_a_bracket_missing() {
    check(
        "class A {
  m() {
    for (const a of b) {
      f(() => a);
  }
  n() {}
}
function behind() { g(1; }
",
        expect![[r#"
            Class A: class A |{
            Method A.m: m() |
            Arrow A.m.f callback: () => |
            Method A.n: n() |
            Function behind: function behind() |
        "#]],
    );
}

#[test]
fn with_a_bracket_too_much() {
    check(
        "function a() {\n  f());\n}\n}\nfunction b() {}\n",
        expect![[r#"
            Function a: function a() |
            Function b: function b() |
        "#]],
    );
}

#[test]
fn with_a_header_half_typed() {
    check(
        "function a() {}\nfunction b(x, \nfunction c() {}\n",
        expect![[r#"
            Function a: function a() |
            Function c: function c() |
        "#]],
    );
}

#[test]
fn with_a_template_that_does_not_end() {
    check(
        "function a() {\n  return `;\n}\nfunction b() {\n  return `x${a()}`;\n}\n",
        expect![[r#"
            Function a: function a() |
            Function b: function b() |
        "#]],
    );
}

#[test]
fn with_marks_of_a_merge() {
    check(
        "function a() {}\n<<<<<<< ours\nfunction b() {}\n=======\nfunction c() {}\n>>>>>>> theirs\n",
        expect![[r#"
            Function a: function a() |
            Function b: function b() |
            Function c: function c() |
        "#]],
    );
}

#[test]
fn what_is_no_code_at_all() {
    for text in ["\0\u{1}\u{FFFD}", "}}}}", "((((", "`${`${`${", "<<<", "import", "@"] {
        let outline = outline(text, Language::JavaScript).unwrap();
        let paths: Vec<_> = outline.definitions.iter().map(|it| it.path.as_str()).collect();
        assert_eq!((outline.exact, paths), (false, vec!["(top level)"]), "{text:?}");
    }
    // Here the parser goes on after its error.
    assert_eq!(outline("\\", Language::JavaScript).unwrap().definitions.len(), 1);
}

/// An intact text of this repository, with its language.
const INTACT: &[(&str, Language)] = &[
    (include_str!("../../../../tests/workspaces/kinds/kinds.js"), Language::JavaScript),
    (include_str!("../data/module.ts"), Language::TypeScript),
    (include_str!("../data/view.jsx"), Language::JavaScript),
];

/// Breaks texts in many ways, and looks for each function whose header was left alone.
#[test]
fn most_is_found_and_nothing_invented() {
    let (mut wanted, mut found, mut invented, mut variants) = (0, 0, 0, 0);
    for &(text, language) in INTACT {
        let intact = outline(text, language).unwrap();
        assert!(intact.exact);
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        for _ in 0..200 {
            let (start, end, insert) = random.edit(text);
            let broken = format!("{}{insert}{}", &text[..start], &text[end..]);
            let outline = outline(&broken, language).unwrap();
            if outline.exact {
                continue;
            }
            variants += 1;
            let moved = |at: usize| if at >= end { at - end + start + insert.len() } else { at };
            let key = |it: &Definition, at: usize| (at, it.kind, it.name.clone());
            let have: HashSet<_> =
                outline.definitions.iter().map(|it| key(it, it.range.start().into())).collect();
            let intact_starts: HashSet<_> =
                intact.definitions.iter().map(|it| moved(it.range.start().into())).collect();
            for definition in intact.definitions.iter().filter(|it| it.kind != DefinitionKind::TopLevel) {
                let from = usize::from(definition.anchor().min(definition.range.start()));
                if usize::from(definition.header.end()) <= start || from >= end {
                    wanted += 1;
                    found +=
                        usize::from(have.contains(&key(definition, moved(definition.range.start().into()))));
                }
            }
            let typed = start..=start + insert.len();
            let new = have.iter().filter(|it| !intact_starts.contains(&it.0) && !typed.contains(&it.0));
            invented += new.count();
        }
    }
    assert!(variants > 300, "{variants} variants are broken");
    assert!(found * 100 >= wanted * 92, "{found} of {wanted} found");
    assert!(invented * 100 <= variants * 2, "{invented} invented in {variants} variants");
}

/// xorshift: the same edits in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// The range to take out and what to put in its place.
    fn edit(&mut self, text: &str) -> (usize, usize, String) {
        let place =
            |at: usize| (at..=text.len()).find(|&it| text.is_char_boundary(it)).expect("its end is one");
        let next = |from: usize, set: &[char]| text[from..].find(set).map_or(text.len() - 1, |it| from + it);
        let at = place(self.below(text.len()));
        match self.below(6) {
            0 => {
                let bracket = next(at, &['(', ')', '[', ']', '{', '}']);
                (bracket, bracket + 1, String::new())
            }
            1 => (at, place((at + 1 + self.below(4)).min(text.len())), String::new()),
            2 => (at, at, ["(", ")", "{", "}", "]", " = ", "@", "if ("][self.below(8)].to_owned()),
            3 => {
                let line = next(at, &['\n']);
                (line, next((line + 2).min(text.len() - 1), &['\n']), String::new())
            }
            4 => {
                let line = next(at, &['\n']);
                let below = text[line + 1..].lines().next().unwrap_or("");
                let indent = &below[..below.len() - below.trim_start().len()];
                let typed = ["const x = ", "foo(bar, ", "if (a && ", "x.", "for (const z of "][self.below(5)];
                (line, line, format!("\n{indent}{typed}"))
            }
            _ => (at.max(text.len() / 3), text.len(), String::new()),
        }
    }
}
