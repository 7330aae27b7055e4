//! From offsets to definitions, and what a fingerprint notices.

use expect_test::expect;
use source::definition::Outline;
use source::language::Language;
use source::large_stack::outline;
use text_size::TextSize;

/// The definitions of every place marked `^` below the text: in its header, and around.
#[test]
fn headers_and_what_is_around() {
    let text = "class A { x = 1; m(a = () => { b; }) { return c; } } d";
    let marks = "^       ^ ^      ^ ^   ^       ^ ^  ^  ^     ^    ^  ^";
    let outline = outline(text, Language::JavaScript).unwrap();
    let mut lines = String::new();
    for at in marks.match_indices('^').map(|it| it.0) {
        let offset = TextSize::new(at as u32);
        let around = outline.get(outline.around(offset).unwrap());
        let header = if around.header.contains(offset) { &around.path } else { "-" };
        let around = &around.path;
        lines += &format!("{}: {header}, {around}\n", &text[at..=at]);
    }
    expect![[r#"
        c: A, A
        {: A, A
        x: -, A
        m: A.m, A.m
        a: A.m, A.m
        (: A.m.a, A.m.a
        b: -, A.m.a
         : -, A.m.a
         : A.m, A.m
        r: -, A.m
         : -, A.m
         : -, A
        d: -, (top level)
    "#]]
    .assert_eq(&lines);
    let end = outline.around(TextSize::of(text)).unwrap();
    assert_eq!(outline.get(end).path, "(top level)");
    assert_eq!(Outline::default().around(0.into()), None);
}

/// The class of every place marked `^` below the text, if it is in the decorators of one.
#[test]
fn what_is_in_decorators() {
    let text = "f(); @d({ a: () => b, c }) /* e */ export class A { @g(h) i() { j; } } k; class L { @m n = class {}; }";
    let marks =
        "^    ^      ^      ^  ^       ^                ^     ^ ^ ^      ^      ^            ^ ^            ";
    let outline = outline(text, Language::TypeScript).unwrap();
    let places = marks.match_indices('^').map(|it| it.0);
    let decorated = places.filter_map(|at| {
        let class = outline.decorated_at(TextSize::new(at as u32))?;
        Some(format!("{} of {}", &text[at..=at], outline.get(class).path))
    });
    assert_eq!(decorated.collect::<Vec<_>>(), ["@ of A", "  of A", "c of A", "e of A"]);
    assert_eq!(Outline::default().decorated_at(0.into()), None);
}

/// The paths of the definitions whose fingerprint differs between two texts.
fn changed(before: &str, after: &str) -> Vec<String> {
    let before = outline(before, Language::TypeScriptJsx).expect("it is not deep");
    let after = outline(after, Language::TypeScriptJsx).expect("it is not deep");
    let pairs = before.definitions.iter().zip(&after.definitions);
    pairs.filter(|(a, b)| a.fingerprint != b.fingerprint).map(|(a, _)| a.path.clone()).collect()
}

#[test]
fn fingerprints() {
    let text = "function f() { const g = () => <p>a b</p>; return /x y/; }
class A { x = 1; m() { return `a b`; } }
let y = 2;";
    let change = |from: &str, to: &str| changed(text, &text.replacen(from, to, 1));
    assert_eq!(change("", "// a comment\n\n"), [""; 0]);
    assert_eq!(change("{ const g =", "{\n  const /* g */ g\n    ="), [""; 0]);
    assert_eq!(change("<p>a b</p>", "<p>\n  a\n  b\n</p>"), [""; 0]);
    assert_eq!(change("function f()", "function f(a, b)"), [""; 0], "the header is not the body");
    assert_eq!(change("<p>a b", "<p>ab"), ["f", "f.g"]);
    assert_eq!(change("/x y/", "/xy/"), ["f"]);
    assert_eq!(change("`a b`", "`a  b`"), ["A.m"], "a class leaves out what is inside it");
    assert_eq!(change("x = 1", "x = 2"), ["A"]);
    assert_eq!(change("y = 2", "y = 3"), ["(top level)"]);
    assert_eq!(change("y = 2", "y = 3"), ["(top level)"]);
}

#[test]
fn same_bodies_have_the_same_fingerprint() {
    let text = "function f() { g(1); } class A { m() { g(1) ; } n() { g(2); } o() { g(1); g(1); } }";
    let outline = outline(text, Language::JavaScript).unwrap();
    let fingerprint = |path: &str| outline.definitions.iter().find(|it| it.path == path).unwrap().fingerprint;
    assert_eq!(fingerprint("f"), fingerprint("A.m"));
    assert_ne!(fingerprint("f"), fingerprint("A.n"));
    assert_ne!(fingerprint("f"), fingerprint("A.o"));
}
