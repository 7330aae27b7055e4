//! What is nested too deeply is left out, and all around it is read as if it stood alone.

use super::*;

/// Code around a value. All that is said of it is compared with what is found where the value is not deep.
const AROUND: [&str; 8] = [
    "function before() { return 1 }\nconst x = DEEP\nfunction after() {}\n",
    "function before() { return 1 } var x = DEEP; function after() {} after();",
    "function before() {}\nfunction around(a = () => 1) { const b = () => 2; c = DEEP; return function d() {} }\nlet e = () => 3\n",
    "class A { a() {} b = DEEP; c() { return DEEP } static { d(() => 1) } get e() { return 1 } }\nfunction after() {}\n",
    "const a = { b() { return 1 }, deep: DEEP, c() { return 2 } }, d = () => 3;\nfunction after() {}\n",
    "f(function first() {}, DEEP, function second() {});\nfunction after() {}\n",
    "const f = () => DEEP\nfunction after() {}\nfor (const a of b(DEEP)) { a.forEach(it => it) }\n",
    "if (DEEP) { a(() => 1) } else { b(() => 2) }\nswitch (a) { case b: c(DEEP); d(() => 3) }\n",
];

/// `(before, repeated, middle, repeated, after)`
type Nest = (&'static str, &'static str, &'static str, &'static str, &'static str);

const VALUES: &[Nest] = &[
    ("", "[", "", "]", ""),
    ("", "(", "1", ")", ""),
    ("(", "{a:", "1", "}", ")"),
    ("[", "{a: 1, b: [", "1", "]}", "]"),
    ("", "g(", "1", ")", ""),
    ("", "g(1, 'a', ", "1", ", 2)", ""),
    ("", "`a ${", "1", "} b`", ""),
    ("1", " + 1", "", "", ""),
    ("1", " ** 1", "", "", ""),
    ("", "!", "1", "", ""),
    ("", "- ", "1", "", ""),
    ("", "typeof ", "1", "", ""),
    ("", "a ? b : ", "c", "", ""),
    ("a", ".b", "", "", ""),
    ("a", "?.b", "", "", ""),
    ("", "new ", "a", "", ""),
    ("", "class extends ", "a", " {}", ""),
    ("1 as ", "keyof ", "string", "", ""),
    ("'", "(", "", "", "'"),
];

/// Each counts as an element of JSX too, wherever it is.
const ANGLES: &[Nest] = &[
    ("1 as ", "Array<", "string", ">", ""),
    ("1 as ", "Map<string, ", "string", ">", ""),
    ("1 as ", "{ a: Map<string, ", "string", "> }", ""),
    ("", "<a>{", "1", "}</a>", ""),
    ("", "<a b={", "1", "} />", ""),
];

fn nested(&(before, open, middle, close, after): &Nest, levels: usize) -> String {
    format!("{before}{}{middle}{}{after}", open.repeat(levels), close.repeat(levels))
}

/// A text in which what needs more than `stack` is left out.
fn read(text: &str, stack: usize) -> Outline {
    let limits = Limits { stack, ..in_pieces(None) };
    let head = &text[..text.len().min(200)];
    let outline = parse_in(limits, text, Language::TypeScriptJsx, ROOM);
    outline.unwrap_or_else(|error| panic!("{error:?}: {head}"))
}

fn paths(outline: &Outline) -> Vec<&str> {
    outline.definitions.iter().map(|it| it.path.as_str()).collect()
}

/// Runs on a stack that is enough for all that is read here.
fn on_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(ROOM).spawn(run);
    thread.expect("a thread").join().expect("it is as it should be");
}

fn around_each(values: &[Nest], levels: usize, stack: usize) {
    for (around, nest) in AROUND.iter().flat_map(|around| values.iter().map(move |it| (around, it))) {
        let text = around.replace("DEEP", &nested(nest, levels));
        let (outline, without) = (read(&text, stack), around.replace("DEEP", "0"));
        assert_eq!(paths(&outline), paths(&read(&without, stack)), "{} in {around}", nest.1);
        let deep = || around.match_indices("DEEP").map(|it| around[..it.0].matches('\n').count());
        let lines = outline.unread.iter().map(|it| text[..it.start().into()].matches('\n').count());
        assert_eq!(lines.collect::<Vec<_>>(), deep().collect::<Vec<_>>(), "{} in {around}", nest.1);
        for it in outline.definitions.iter().skip(1).filter(|it| it.name_range.is_some()) {
            assert!(it.path.ends_with(&text[it.name_range.unwrap()]), "{} is in its place", it.path);
        }
    }
}

#[test]
fn all_around_a_deep_value_is_read() {
    on_large_stack(|| {
        around_each(VALUES, 2_000, 256 << 10);
        around_each(ANGLES, 4_000, 16 << 20);
    });
}

/// `(before, repeated, middle, repeated, after)`, and what is defined on the first levels.
const FUNCTIONS: &[(Nest, [&str; 3])] = &[
    (("", "(function f() {", "", "})();", ""), ["f", "f.f", "f.f.f"]),
    (("", "function f() {", "", "}", ""), ["f", "f.f", "f.f.f"]),
    (("", "if (a) { function f() {", "", "}}", ""), ["f", "f.f", "f.f.f"]),
    (("x = ", "{ f() { return ", "1", "}}", ""), ["x.f", "x.f.f", "x.f.f.f"]),
    (("x = ", "class f { f = ", "1", "}", ""), ["f", "f.f", "f.f.f"]),
    (("x = ", "f => ", "1", "", ""), ["x", "x.(anonymous)", "x.(anonymous).(anonymous)"]),
    (
        ("", "switch (a) { case 1: f(() => {", "", "}) }", ""),
        ["f callback", "f callback.f callback", "f callback.f callback.f callback"],
    ),
    (
        ("", "for (a of () => {", "", "}) a;", ""),
        ["(anonymous)", "(anonymous).(anonymous)", "(anonymous).(anonymous).(anonymous)"],
    ),
    (
        ("", "for (f(() => {", "", "});;) a;", ""),
        ["f callback", "f callback.f callback", "f callback.f callback.f callback"],
    ),
];

#[test]
fn of_nested_functions_the_outer_ones_are_read() {
    on_large_stack(|| {
        for (nest, levels) in FUNCTIONS {
            let text = format!("function before() {{}}\n{}\nfunction after() {{}}\n", nested(nest, 2_000));
            let (whole, outline) = (read(&text, ROOM), read(&text, 256 << 10));
            assert!(whole.unread.is_empty() && outline.unread.len() == 1, "{}", nest.1);
            let known = paths(&outline);
            assert_eq!(known[1..5], [&["before"], &levels[..]].concat(), "{}", nest.1);
            assert_eq!(known.last(), Some(&"after"), "{}", nest.1);
            let unread = outline.unread[0];
            let is_read = |it: &&Definition| !unread.contains_range(it.range);
            let place = |it: &Definition| (it.path.clone(), it.range, it.header);
            let expected: Vec<_> = whole.definitions.iter().filter(is_read).map(place).collect();
            assert_eq!(outline.definitions.iter().map(place).collect::<Vec<_>>(), expected, "{}", nest.1);
            // A function in there is not taken for the one around it.
            assert_eq!(outline.around(unread.start()), None);
            assert_eq!(outline.around(unread.end()), outline.innermost(unread.end()));
        }
    });
}

#[test]
fn a_function_changes_with_what_was_left_out_of_it() {
    let code = |value: &'static str| {
        let nest = ("", "[", value, "]", "");
        let text = format!("function f() {{ return {} }}", nested(&nest, 2_000));
        read(&text, 256 << 10).definitions[1].code()
    };
    assert_eq!(code("1"), code(" 1 // one\n"));
    assert_ne!(code("1"), code("2"));
}

#[test]
fn in_pieces_each_has_its_own_depth() {
    on_large_stack(|| {
        let function = "function NAME() { return [a, b].map(it => it) }\n";
        let many = |name: &str| function.replace("NAME", name).repeat(20);
        let deep = nested(&VALUES[0], 2_000);
        let text = format!(
            "{}const a = {deep};\nb(function () {{ {}; c = {deep}; }});\n{}",
            many("d"),
            many("e"),
            many("f")
        );
        let without = text.replace(&deep, "0");
        for piece in [50, 400, 3_000] {
            let limits = Limits { stack: 256 << 10, ..in_pieces(Some(piece)) };
            let read = |text| parse_in(limits, text, Language::JavaScript, ROOM).expect("it parses");
            let outline = read(&text);
            assert_eq!(paths(&outline), paths(&read(&without)), "in pieces of {piece}");
            assert_eq!(outline.unread.len(), 2, "in pieces of {piece}");
        }
    });
}

/// Whatever the room, no more is lost than what is left out.
#[test]
fn any_text_in_any_room() {
    let texts = texts();
    on_large_stack(move || {
        let place = |it: &Definition| (it.range, it.kind);
        let mut smaller = 0;
        for (path, text, language) in &texts {
            let Ok(whole) = parse_in(in_pieces(None), text, *language, ROOM) else { continue };
            for stack in [36_000, 40_000, 45_000, 50_000, 60_000, 90_000] {
                let limits = Limits { stack, ..in_pieces(None) };
                let outline = parse_in(limits, text, *language, ROOM);
                let outline = outline.unwrap_or_else(|it| panic!("{it:?} {} with {stack}", path.display()));
                smaller += usize::from(!outline.unread.is_empty());
                let is_unread =
                    |it: &&Definition| outline.unread.iter().any(|un| un.contains_range(it.range));
                let read = whole.definitions.iter().filter(|it| !is_unread(it)).map(place);
                let known = outline.definitions.iter().map(place);
                assert_eq!(
                    known.collect::<Vec<_>>(),
                    read.collect::<Vec<_>>(),
                    "{} with {stack}",
                    path.display()
                );
            }
        }
        assert!(smaller > 20, "some are too deep for that: {smaller}");
    });
}
