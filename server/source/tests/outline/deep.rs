//! No text ends the process, however deep it is nested, also on a thread with a small stack.

use source::{Language, OutlineError, outline};

/// `(before, repeated, middle, repeated, behind)`
type Nest = (&'static str, &'static str, &'static str, &'static str, &'static str);

const JAVASCRIPT: &[Nest] = &[
    ("", "[", "", "]", ""),
    ("x = ", "(", "1", ")", ""),
    ("x = ", "(", "", "", ""),
    ("", "{", "", "}", ""),
    ("x = ", "{a:", "1", "}", ""),
    ("", "(function(){", "", "})", ""),
    ("x = ", "() => {", "", "}", ""),
    ("x = ", "a => ", "1", "", ""),
    ("x = ", "(a = ", "1", ") => 1", ""),
    ("x = 1", " + 1", "", "", ""),
    ("x = 1", " ** 1", "", "", ""),
    ("x = ", "a ? b : ", "c", "", ""),
    ("x = ", "a = ", "c", "", ""),
    ("x", ".y", "", "", ""),
    ("x", "?.y", "", "", ""),
    ("x", "()", "", "", ""),
    ("x = ", "!", "1", "", ""),
    ("x = ", "typeof ", "1", "", ""),
    ("x = ", "new ", "y", "", ""),
    ("", "if (a) b; else ", "c", "", ""),
    ("", "for (;;) ", "c", "", ""),
    ("", "l: ", "c", "", ""),
    ("x = ", "`${", "1", "}`", ""),
    ("x", "``", "", "", ""),
    ("x = ", "class extends ", "a", " {}", ""),
    ("x = ", "class { a = ", "1", "}", ""),
    ("x = ", "<a>", "", "</a>", ""),
    ("x = ", "<a b=", "<c/>", "/>", ""),
    ("x = <a", ".b", "/>", "", ""),
    ("x = ", "memo(", "a", ")", ""),
    ("var ", "[", "a", "]", " = 1"),
    ("s = '", "(", "", "", "'; t = \"('('\"; u = /[(']/;"),
];

const TYPESCRIPT: &[Nest] = &[
    ("let x: ", "Array<", "string", ">", ";"),
    ("let x: ", "() => ", "b", "", ";"),
    ("type X = ", "A extends B ? C : ", "D", "", ";"),
    ("type X = ", "keyof ", "D", "", ";"),
    ("x = ", "<T>", "y", "", ";"),
    ("x = ", "a<", "", "", ";"),
    ("x = y", "<T>", "", "", ";"),
    ("namespace a", ".b", "{}", "", ""),
    ("x = y", "!", "", "", ";"),
];

fn all_survive(cases: &[Nest], language: Language, levels: usize) {
    for (before, open, middle, close, behind) in cases {
        let nest = format!("{before}{}{middle}{}{behind}", open.repeat(levels), close.repeat(levels));
        let text = format!("function first() {{}}\n{nest}\n");
        match outline(&text, language) {
            Ok(outline) => assert_eq!(outline.definitions[0].path, "(top level)", "{open}"),
            Err(error) => assert_eq!(error, OutlineError::TooDeep, "{open}"),
        }
    }
}

#[test]
fn hundred_thousand_levels() {
    all_survive(JAVASCRIPT, Language::JavaScript, 100_000);
    all_survive(TYPESCRIPT, Language::TypeScript, 100_000);
}

#[test]
fn each_depth_on_the_way() {
    for levels in [30, 1_000, 10_000] {
        all_survive(JAVASCRIPT, Language::JavaScript, levels);
        all_survive(TYPESCRIPT, Language::TypeScript, levels);
    }
}

#[test]
fn what_is_deep_but_possible_is_read() {
    let text = format!("{}{}", "(function f(){".repeat(3_000), "})".repeat(3_000));
    let outline = outline(&text, Language::JavaScript).unwrap();
    assert!(outline.exact);
    assert_eq!(outline.definitions.len(), 3_001);
    let longest = outline.definitions.iter().map(|it| it.path.len()).max();
    assert!(longest < Some(300), "paths do not grow with the depth: {longest:?}");
}
