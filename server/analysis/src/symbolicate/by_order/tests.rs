//! Aligns functions of a trace with texts as they were written: which is which, how much surer than anything else, and at what cost.

use expect_test::{Expect, expect};
use source::language::Language;
use source::large_stack::outline;
use source::loaders::{LOADERS, layouts};

use super::*;

/// Aligns a trace, a line `3:10 name` for each function, with the places in a text. Lines and columns count from 0.
fn check(text: &str, trace: &str, expected: Expect) {
    check_with(text, trace, |_| {}, expected);
}

/// [`check`] with another layout.
fn check_with(text: &str, trace: &str, change: impl FnOnce(&mut Layout), expected: Expect) {
    let (outline, mut layout) = unchanged(text);
    change(&mut layout);
    let seen: Vec<SeenFunction<'_>> =
        trace.lines().map(str::trim).filter(|line| !line.is_empty()).map(seen).collect();
    let alignment = align(&seen, &layout, text, &outline);
    let lines = seen.iter().zip(&alignment.found).map(|(seen, found)| {
        let found = found.map_or_else(
            || "nothing".to_owned(),
            |Match { function, margin }| {
                let PrintedFunction { definition, line, column, .. } = layout.functions[function];
                format!("{line}:{column} {}, surer by {margin:.2}", outline.get(definition).path)
            },
        );
        format!("{}:{} {} is {found}\n", seen.line, seen.column, seen.name)
    });
    let lines: String = lines.collect();
    expected.assert_eq(&format!("{lines}cost {:.2}\n", alignment.cost));
}

fn seen(line: &str) -> SeenFunction<'_> {
    let (at, name) = line.split_once(' ').unwrap_or((line, ""));
    let (line, column) = at.split_once(':').expect("a line and a column");
    SeenFunction { line: line.parse().unwrap(), column: column.parse().unwrap(), name }
}

/// The outline of a text, and its places unchanged.
fn unchanged(text: &str) -> (Outline, Layout) {
    let outline = outline(text, Language::JavaScript).unwrap();
    let layout = layouts(text, Language::JavaScript, &outline, &LOADERS[0]).remove(0);
    (outline, layout)
}

const SHOP: &str = "\
class Shop {
  add(item) {
    this.items.map((one) => one.size);
  }
  get size() {
    return this.items.length;
  }
}

function twice() {
  return once() + once();
}

function once() {
  return [() => 1];
}
";

#[test]
fn what_stands_at_the_same_distances() {
    check(
        SHOP,
        "
        11:5 add
        12:19
        14:10 get size
        19:14 twice
        23:13 once
        24:10
        ",
        expect![[r#"
            11:5 add is 1:5 Shop.add, surer by 10.99
            12:19  is 2:19 Shop.add.map callback, surer by 8.00
            14:10 get size is 4:10 Shop.get size, surer by 11.00
            19:14 twice is 9:14 twice, surer by 11.00
            23:13 once is 13:13 once, surer by 11.00
            24:10  is 14:10 once.(anonymous), surer by 8.00
            cost 0.99
        "#]],
    );
    // Functions that were not sampled cost nothing.
    check(
        SHOP,
        "
        12:19
        24:10
        ",
        expect![[r#"
            12:19  is 2:19 Shop.add.map callback, surer by 7.90
            24:10  is 14:10 once.(anonymous), surer by 8.00
            cost 0.98
        "#]],
    );
}

#[test]
fn distances_that_differ_a_little() {
    check(
        SHOP,
        "
        1:5 add
        2:21
        3:10 get size
        8:11 twice
        13:13 once
        15:14
        ",
        expect![[r#"
            1:5 add is 1:5 Shop.add, surer by 11.00
            2:21  is 2:19 Shop.add.map callback, surer by 4.88
            3:10 get size is 4:10 Shop.get size, surer by 11.03
            8:11 twice is 9:14 twice, surer by 7.65
            13:13 once is 13:13 once, surer by 9.50
            15:14  is 14:10 once.(anonymous), surer by 2.19
            cost 16.51
        "#]],
    );
}

#[test]
fn functions_of_one_line() {
    check(
        "const all = [(a) => a, (b) => b, (c) => [(d) => d]], more = (e) => e;\nconst next = (f) => f;\n",
        "
        4:14
        4:26
        4:46
        4:68 more
        5:13 next
        ",
        expect![[r#"
            4:14  is 0:13 (anonymous), surer by 5.79
            4:26  is 0:23 (anonymous)#2, surer by 5.13
            4:46  is 0:41 (anonymous)#3.(anonymous), surer by 3.28
            4:68 more is 0:60 more, surer by 7.89
            5:13 next is 1:13 next, surer by 11.00
            cost 11.87
        "#]],
    );
}

#[test]
fn what_the_text_does_not_have() {
    check(
        SHOP,
        "
        0:13 __name
        1:5 add
        1:40
        2:19
        4:10 get size
        5:2 other
        9:14 twice
        13:13 once
        14:10
        14:30 once
        ",
        expect![[r#"
            0:13 __name is nothing
            1:5 add is 1:5 Shop.add, surer by 11.00
            1:40  is nothing
            2:19  is 2:19 Shop.add.map callback, surer by 8.00
            4:10 get size is 4:10 Shop.get size, surer by 11.00
            5:2 other is nothing
            9:14 twice is 9:14 twice, surer by 11.00
            13:13 once is 13:13 once, surer by 11.00
            14:10  is 14:10 once.(anonymous), surer by 8.00
            14:30 once is nothing
            cost 21.00
        "#]],
    );
    check(
        SHOP,
        "3:5 other\n",
        expect![[r#"
        3:5 other is nothing
        cost 1.00
    "#]],
    );
    check(
        SHOP,
        "",
        expect![[r#"
        cost 0.00
    "#]],
    );
}

#[test]
fn functions_that_are_left_out_in_a_row() {
    let made = |number: usize| (0..number).map(|at| format!("1:{} __made\n", 20 + at)).collect::<String>();
    let shown = [0, 3, 4, 5].map(|number| {
        let trace = format!("1:5 add\n{}2:19\n", made(number));
        let (outline, layout) = unchanged(SHOP);
        let seen: Vec<SeenFunction<'_>> = trace.lines().map(seen).collect();
        let Alignment { cost, found } = align(&seen, &layout, SHOP, &outline);
        let margins: Vec<f64> = found.iter().flatten().map(|found| found.margin.round()).collect();
        (number, cost.round(), margins)
    });
    let expected = [
        (0, 0.0, vec![11.0, 8.0]),
        (3, 3.0, vec![11.0, 8.0]),
        (4, 4.0, vec![11.0, 8.0]),
        (5, 13.0, vec![3.0]),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_text_in_one_line() {
    let text = "function a(){b()}function b(){[1].map(c=>c)}class D{e(){}}\nfunction f(){}";
    let dense = |layout: &mut Layout| layout.is_dense = true;
    check_with(
        text,
        "0:10 a\n0:27 b\n0:38\n0:53 e\n1:10 f",
        dense,
        expect![[r#"
        0:10 a is 0:10 a, surer by 11.00
        0:27 b is 0:27 b, surer by 11.00
        0:38  is 0:38 b.map callback, surer by 8.00
        0:53 e is 0:53 D.e, surer by 11.00
        1:10 f is 1:10 f, surer by 11.00
        cost 0.00
    "#]],
    );
    check_with(
        text,
        "0:410 a\n0:430 b\n0:448\n0:460 e\n2:12 f",
        dense,
        expect![[r#"
        0:410 a is 0:10 a, surer by 8.93
        0:430 b is 0:27 b, surer by 9.19
        0:448  is 0:38 b.map callback, surer by 4.58
        0:460 e is 0:53 D.e, surer by 8.92
        2:12 f is 1:10 f, surer by 0.86
        cost 18.66
    "#]],
    );
    check_with(
        text,
        "0:9010 a\n1:27 b",
        dense,
        expect![[r#"
        0:9010 a is nothing
        1:27 b is 0:27 b, surer by 3.01
        cost 11.00
    "#]],
    );
}

#[test]
fn a_comment_that_the_loader_may_have_left_out() {
    let after_comment = |layout: &mut Layout| {
        layout
            .functions
            .iter_mut()
            .for_each(|function| function.column_after_comment = Some(function.column + 9));
    };
    check_with(
        SHOP,
        "1:5 add\n4:19 get size\n9:14 twice\n13:30 once",
        after_comment,
        expect![[r#"
        1:5 add is 1:5 Shop.add, surer by 11.00
        4:19 get size is 4:10 Shop.get size, surer by 10.00
        9:14 twice is 9:14 twice, surer by 11.00
        13:30 once is 13:13 once, surer by 4.76
        cost 7.24
    "#]],
    );
    check_with(
        SHOP,
        "9:23 twice\n13:13 once",
        after_comment,
        expect![[r#"
        9:23 twice is 9:14 twice, surer by 10.00
        13:13 once is 13:13 once, surer by 11.00
        cost 1.00
    "#]],
    );
}

/// Engines make functions of the fields of a class. Tools make two of an async function: one with its name around one without.
#[test]
fn several_functions_of_one_definition() {
    let text = "class A {\n  b = 1;\n  static c = 2;\n}\nfunction d() {}\n";
    let twice = |are_named: [bool; 2]| {
        move |layout: &mut Layout| {
            let functions = layout.functions.iter();
            let both = functions.flat_map(|function| {
                are_named.map(|is_named| PrintedFunction {
                    line: function.line + u32::from(!is_named),
                    column: function.column + u32::from(!is_named),
                    is_named,
                    ..*function
                })
            });
            layout.functions = both.collect();
        }
    };
    let trace = "
        0:0 <static_initializer>
        0:0 <instance_members_initializer>
        4:10 d
        5:11
    ";
    check_with(
        text,
        trace,
        twice([true, false]),
        expect![[r#"
        0:0 <static_initializer> is 0:0 A, surer by 1.06
        0:0 <instance_members_initializer> is 1:1 A, surer by 1.06
        4:10 d is 4:10 d, surer by 11.01
        5:11  is 5:11 d, surer by 8.00
        cost 6.94
    "#]],
    );
    check_with(
        text,
        "4:10 d\n4:10 d",
        twice([true, true]),
        expect![[r#"
        4:10 d is nothing
        4:10 d is nothing
        cost 11.00
    "#]],
    );
}

#[test]
fn what_a_name_of_a_trace_says() {
    let text = "\
class A {
  static s = 1;
  constructor() {}
  get size() { return 1; }
  set size(to) {}
  method() {}
  [computed]() {}
}
const api = { ['a' + 'b']() {} };
function named() {}
const arrow = () => 1;
run(() => 1, function () {});
export default function () {}
";
    let (outline, layout) = unchanged(text);
    let names = [
        "",
        "(anonymous)",
        "named",
        "arrow",
        "size",
        "get size",
        "set size",
        "method",
        "A",
        "default",
        "default_1",
        "__vite_ssr_export_default__",
        "main_default",
        "get default",
        "api",
        "x",
    ];
    let costs = |name: &str, is_named: bool| {
        let costs = layout.functions.iter().filter_map(|printed| {
            let definition = outline.get(printed.definition);
            let cost = name_cost(name, &PrintedFunction { is_named, ..*printed }, definition)?;
            Some(format!("{} {cost}", definition.path))
        });
        let costs: Vec<String> = costs.collect();
        if costs.is_empty() { "none".to_owned() } else { costs.join(", ") }
    };
    let line = |name: &&str| {
        format!("`{name}`\n  named: {}\n  nameless: {}\n", costs(name, true), costs(name, false))
    };
    let initializers = ["<static_initializer>", "<instance_members_initializer>", "<other>"];
    expect![[r#"
        ``
          named: named 8, arrow 8, run callback 8, run callback#2 8, default 8
          nameless: A.method 0, A.[computed] 0, api.['a' + 'b'] 0, named 0, arrow 0, run callback 0, run callback#2 0, default 0
        `(anonymous)`
          named: named 8, arrow 8, run callback 8, run callback#2 8, default 8
          nameless: A.method 0, A.[computed] 0, api.['a' + 'b'] 0, named 0, arrow 0, run callback 0, run callback#2 0, default 0
        `named`
          named: A.[computed] 0, api.['a' + 'b'] 0, named 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `arrow`
          named: A.[computed] 0, api.['a' + 'b'] 0, arrow 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `size`
          named: A.[computed] 0, api.['a' + 'b'] 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `get size`
          named: A.get size 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `set size`
          named: A.set size 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `method`
          named: A.method 0, A.[computed] 0, api.['a' + 'b'] 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `A`
          named: A 0, A.constructor 0, A.[computed] 0, api.['a' + 'b'] 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `default`
          named: default 0
          nameless: default 0
        `default_1`
          named: default 0
          nameless: default 0
        `__vite_ssr_export_default__`
          named: default 0
          nameless: default 0
        `main_default`
          named: default 0
          nameless: default 0
        `get default`
          named: none
          nameless: none
        `api`
          named: A.[computed] 0, api.['a' + 'b'] 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `x`
          named: A.[computed] 0, api.['a' + 'b'] 0
          nameless: A.[computed] 0, api.['a' + 'b'] 0
        `<static_initializer>`
          named: A 0
          nameless: A 0
        `<instance_members_initializer>`
          named: A 0
          nameless: A 0
        `<other>`
          named: none
          nameless: none
    "#]]
    .assert_eq(&names.iter().chain(&initializers).map(line).collect::<String>());
    let left_out = names.iter().chain(&initializers).chain(&["__name", "a.<computed>"]);
    let left_out = left_out.map(|name| format!("{} `{name}`", cost_left_out(name, &outline)));
    expect![[r#"
        8 ``
        8 `(anonymous)`
        11 `named`
        11 `arrow`
        11 `size`
        11 `get size`
        11 `set size`
        11 `method`
        11 `A`
        11 `default`
        11 `default_1`
        11 `__vite_ssr_export_default__`
        11 `main_default`
        1 `get default`
        8 `api`
        1 `x`
        8 `<static_initializer>`
        8 `<instance_members_initializer>`
        8 `<other>`
        1 `__name`
        8 `a.<computed>`"#]]
    .assert_eq(&left_out.collect::<Vec<_>>().join("\n"));
}

/// Firefox calls a nameless function in `twice` by the name `twice/<`.
#[test]
fn nameless_functions_of_firefox_are_inside_of_what_they_are_called_by() {
    let text = "\
function once() {
  return list.map((one) => one.size);
}
function twice() {
  return list.map((one) => one.size);
}
";
    check(
        text,
        "1:18 once/<\n4:18 twice/<",
        expect![[r#"
        1:18 once/< is 1:18 once.map callback, surer by 8.00
        4:18 twice/< is 4:18 twice.map callback, surer by 8.00
        cost 0.00
    "#]],
    );
    check(
        text,
        "1:18 twice/<",
        expect![[r#"
        1:18 twice/< is 4:18 twice.map callback, surer by 7.71
        cost 0.29
    "#]],
    );
}

/// A constructor has the name of its class, and so has static code, but not the functions that engines make of fields.
#[test]
fn a_class_is_not_its_constructor() {
    let text = "class Thing {\n  value = 1;\n  constructor() {}\n  run() {}\n}\n";
    check(
        text,
        "
        1:2 <instance_members_initializer>
        2:13 Thing
        3:5 run
        ",
        expect![[r#"
            1:2 <instance_members_initializer> is 0:0 Thing, surer by 2.72
            2:13 Thing is 2:13 Thing.constructor, surer by 11.00
            3:5 run is 3:5 Thing.run, surer by 11.00
            cost 5.28
        "#]],
    );
    check(
        text,
        "
        1:2 Thing
        3:5 run
        ",
        expect![[r#"
            1:2 Thing is 2:13 Thing.constructor, surer by 3.26
            3:5 run is 3:5 Thing.run, surer by 8.93
            cost 7.74
        "#]],
    );
    check(
        &text.replace("value", "static value"),
        "
        1:2 Thing
        2:13 Thing
        ",
        expect![[r#"
            1:2 Thing is 0:0 Thing, surer by 5.72
            2:13 Thing is 2:13 Thing.constructor, surer by 8.93
            cost 5.28
        "#]],
    );
}
