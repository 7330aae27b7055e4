//! Answers that are no ranges: who called and was called, the hottest, and the text of a hover.

use expect_test::{Expect, expect};

use crate::display::{Style, time};
use crate::fixture::{World, load};
use crate::views::{self, Base, By, HoverConfig};
use crate::{Call, Other};

fn calls(calls: &[Call]) -> String {
    let other = |it: &Other| match it {
        Other::Entry => "(entry)".to_owned(),
        Other::Definition(key) => key.path.to_string(),
        Other::Unplaced(function) => format!("{} [{}]", function.name, function.why),
    };
    let row = |it: &Call| {
        format!("{} {} {}\n", time(it.spent.time, Style::Text), it.spent.samples, other(&it.other))
    };
    calls.iter().map(row).collect()
}

/// The callers of a definition, then what it calls.
fn check_calls(world: &World, path: &str, callers: Expect, callees: Expect) {
    let measured = &world.recording.summary.definitions[world.key(path)];
    callers.assert_eq(&calls(&measured.callers));
    callees.assert_eq(&calls(&measured.callees));
}

#[test]
fn callers_and_callees_the_hottest_first() {
    let world = load(
        "
        //- /app.js
        function one$1() {}
        function two$2() {}
        function work$3() {}
        function leaf$4() {}
        //- trace
        1        2        4        8
        one@$1   two@$2   two@$2   work@$3
        work@$3  work@$3  work@$3  ?sort
        -        -        leaf@$4
        ",
    );
    check_calls(
        &world,
        "work",
        expect![[r#"
        8.00 ms 1 (entry)
        6.00 ms 2 two
        1.00 ms 1 one
    "#]],
        expect![[r#"
        8.00 ms 1 sort [native]
        4.00 ms 1 leaf
    "#]],
    );
    check_calls(
        &world,
        "leaf",
        expect![[r#"
        4.00 ms 1 work
    "#]],
        expect![[""]],
    );
}

#[test]
fn the_callers_of_a_recursive_function_are_those_from_outside() {
    let world = load(
        "
        //- /app.js
        function main$1() {}
        function fib$2() {}
        //- trace
        main@$1  main@$1  main@$1  fib@$2
        fib@$2   fib@$2   fib@$2   fib@$2
        -        fib@$2   fib@$2
        -        -        fib@$2
        ",
    );
    check_calls(
        &world,
        "fib",
        expect![[r#"
        3.00 ms 3 main
        1.00 ms 1 (entry)
    "#]],
        expect![[""]],
    );
    check_calls(
        &world,
        "main",
        expect![[r#"
        3.00 ms 3 (entry)
    "#]],
        expect![[r#"
        3.00 ms 3 fib
    "#]],
    );
}

#[test]
fn mutual_recursion_has_callers_that_add_up() {
    let world = load(
        "
        //- /app.js
        function even$1() {}
        function odd$2() {}
        //- trace
        even@$1  even@$1  even@$1  even@$1
        -        odd@$2   odd@$2   odd@$2
        -        -        even@$1  even@$1
        -        -        -        odd@$2
        ",
    );
    check_calls(
        &world,
        "even",
        expect![[r#"
        4.00 ms 4 (entry)
    "#]],
        expect![[r#"
        2.00 ms 2 odd
    "#]],
    );
    check_calls(
        &world,
        "odd",
        expect![[r#"
        3.00 ms 3 even
    "#]],
        expect![[r#"
        1.00 ms 1 even
    "#]],
    );
}

#[test]
fn the_hottest_by_self_and_by_total() {
    let world = load(
        "
        //- /a.js
        function main$1() {}
        //- /b.js
        function work$2() {}
        function same$3() {}
        //- trace
        1        2        2
        main@$1  main@$1  main@$1
        -        work@$2  same@$3
        ",
    );
    let list = |by| {
        let row = |(key, it): &(&crate::DefinitionKey, &crate::Measured)| {
            format!("{}:{} {}", key.file, it.start.line + 1, it.name)
        };
        views::hottest(&world.recording.summary, by).iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(list(By::SelfTime), ["/b.js:1 work", "/b.js:2 same", "/a.js:1 main"]);
    assert_eq!(list(By::TotalTime), ["/a.js:1 main", "/b.js:1 work", "/b.js:2 same"]);
}

fn check_hover(drawing: &str, expected: Expect) {
    let world = load(drawing);
    let (document, at) = world.cursor();
    let link = |file: &crate::FilePath, line: u32| format!("file://{file}#L{}", line + 1);
    let config = HoverConfig { base: Base::Active, age: Some("2 minutes ago".into()), link: &link };
    let hover = views::hover(&world.recording, document, at, &config);
    let shown =
        hover.map_or("nothing".into(), |it| format!("on `{}`\n{}", &document.text[it.range], it.markdown));
    expected.assert_eq(&(shown + "\n"));
}

#[test]
fn a_hover_tells_costs_callers_callees_and_where_they_come_from() {
    check_hover(
        "
        //- /app.js
        function one$1() {}
        function two$2() {}
        async function wo$0rk$3() {}
        function leaf$4() {}
        //- trace app.cpuprofile
        1        2        4        8        5
        one@$1   two@$2   two@$2   work@$3  -
        work@$3  work@$3  work@$3  ?sort
        -        -        leaf@$4
        ",
        expect![[r#"
            on `async function work() `
            | work  |    Time | Share | Samples |
            |:------|--------:|------:|--------:|
            | Self  | 3.00 ms |  20 % |       2 |
            | Total | 15.0 ms | 100 % |       4 |

            **Called by**

            - 53 % · 8.00 ms · (entry: an event, a timer or a finished promise)
            - 40 % · 6.00 ms · [two](file:///app.js#L2) app.js:2
            - 6.7 % · 1.00 ms · [one](file:///app.js#L1) app.js:1

            **Calls**

            - 53 % · 8.00 ms · sort
            - 27 % · 4.00 ms · [leaf](file:///app.js#L4) app.js:4

            ---
            app.cpuprofile · 2 minutes ago · a sample every 1.00 ms · 100 % is active time  
            `/app.js:3:20` → app.js:3:16
        "#]],
    );
}

#[test]
fn a_hover_lists_five_and_counts_the_others() {
    check_hover(
        "
        //- /app.js
        function a$1() {}
        function b$2() {}
        function c$3() {}
        function d$4() {}
        function e$5() {}
        function f$6() {}
        function g$7() {}
        function wo$0rk$8() {}
        //- trace app.cpuprofile
        1        2        3        4        5        6        7
        a@$1     b@$2     c@$3     d@$4     e@$5     f@$6     g@$7
        work@$8  work@$8  work@$8  work@$8  work@$8  work@$8  work@$8
        ",
        expect![[r#"
            on `function work() `
            | work  |    Time | Share | Samples |
            |:------|--------:|------:|--------:|
            | Self  | 28.0 ms | 100 % |       7 |
            | Total | 28.0 ms | 100 % |       7 |

            **Called by**

            - 25 % · 7.00 ms · [g](file:///app.js#L7) app.js:7
            - 21 % · 6.00 ms · [f](file:///app.js#L6) app.js:6
            - 18 % · 5.00 ms · [e](file:///app.js#L5) app.js:5
            - 14 % · 4.00 ms · [d](file:///app.js#L4) app.js:4
            - 11 % · 3.00 ms · [c](file:///app.js#L3) app.js:3
            - +2 others

            ---
            app.cpuprofile · 2 minutes ago · a sample every 1.00 ms · 100 % is active time  
            `/app.js:8:14` → app.js:8:10
        "#]],
    );
}

#[test]
fn a_hover_on_an_edited_function_says_so() {
    check_hover(
        "
        //- /app.js
        function work$1() { return 1; }
        //- trace app.cpuprofile
        work@$1
        //- edit /app.js
        function $0work() { return 2; }
        ",
        expect![[r#"
            on `function work() `
            | work  |    Time | Share | Samples |
            |:------|--------:|------:|--------:|
            | Self  | 1.00 ms | 100 % |       1 |
            | Total | 1.00 ms | 100 % |       1 |

            **Called by**

            - 100 % · 1.00 ms · (entry: an event, a timer or a finished promise)

            ---
            app.cpuprofile · 2 minutes ago · a sample every 1.00 ms · 100 % is active time  
            `/app.js:1:14` → app.js:1:10

            *The function was edited after it was measured: its cost may have changed.*
        "#]],
    );
}

#[test]
fn a_hover_on_the_innermost_header_only() {
    let drawn = |text: &str| format!("//- /app.js\n{text}\n//- trace app.cpuprofile\nouter@$1  inner@$2\n");
    let first_line = |text: &str, expected: &str| {
        let world = load(&drawn(text));
        let (document, at) = world.cursor();
        let config = HoverConfig { base: Base::Active, age: None, link: &|_, _| String::new() };
        let hover = views::hover(&world.recording, document, at, &config);
        let name = |it: views::Hover| it.markdown.split('|').nth(1).unwrap().trim().to_owned();
        let shown = hover.map_or("nothing".into(), name);
        assert_eq!(shown, expected, "{text}");
    };
    first_line("function outer$1(a = $2() =>$0 1) {}", "a");
    first_line("function out$0er$1(a = $2() => 1) {}", "outer");
    first_line("function outer$1() {$0 return $2() => 1; }", "nothing");
    first_line("function outer$1() { const inner = $2() => 1; }\nouter$0();", "nothing");
    first_line("function outer$1() { const in$0ner = $2() => 1; }", "inner");
}
