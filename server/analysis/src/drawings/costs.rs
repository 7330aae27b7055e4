//! Self and total, once a stack, whatever the stacks look like.

use crate::fixture::{check, check_with, everything, load};
use crate::views::{Base, Threshold};

#[test]
fn self_on_top_and_total_anywhere() {
    check(
        "
        //- /app.js
        function main$1() {
        //       ^^^^ 1ms self · 5ms total
          work();
        }
        function work$2() {}
        //       ^^^^ 4ms self · 4ms total
        //- trace
        main@$1  main@$1  main@$1  main@$1  main@$1
                 work@$2  work@$2  work@$2  work@$2
        ",
    );
}

#[test]
fn what_only_calls_has_no_self_time_to_tell() {
    check(
        "
        //- /app.js
        function main$1() { work(); }
        //       ^^^^ 2ms total
        function work$2() {}
        //       ^^^^ 2ms self · 2ms total
        function never() {}
        //- trace
        main@$1  main@$1
        work@$2  work@$2
        ",
    );
}

#[test]
fn samples_weigh_what_they_took() {
    check(
        "
        //- /app.js
        function main$1() {}
        //       ^^^^ 112ms self · 112ms total
        //- trace
        0.25     100      12
        main@$1  main@$1  main@$1
        ",
    );
}

#[test]
fn recursion_counts_once_a_stack() {
    check(
        "
        //- /app.js
        function fib$1(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        //       ^^^ 4ms self · 4ms total
        //- trace
        fib@$1  fib@$1  fib@$1  fib@$1
                fib@$1  fib@$1  fib@$1
                        fib@$1
        ",
    );
}

#[test]
fn mutual_recursion_counts_once_a_stack() {
    check(
        "
        //- /app.js
        function even$1(n) { return n === 0 || odd(n - 1); }
        //       ^^^^ 2ms self · 4ms total
        function odd$2(n) { return n !== 0 && even(n - 1); }
        //       ^^^ 2ms self · 3ms total
        //- trace
        even@$1  even@$1  even@$1  even@$1
        -        odd@$2   odd@$2   odd@$2
        -        -        even@$1  even@$1
        -        -        -        odd@$2
        ",
    );
}

#[test]
fn recursion_through_a_library_counts_once_a_stack() {
    check(
        "
        //- /app.js
        function walk$1(tree) { return tree.map(walk); }
        //       ^^^^ 1ms self · 3ms total
        //- trace
        walk@$1  walk@$1  walk@$1
        -        ?map     ?map
        -        -        walk@$1
        -        -        ?map
        ",
    );
}

#[test]
fn the_laws_hold_for_every_stack_of_four_frames() {
    // Two functions and a builtin, in every order, each stack with a time of its own.
    let mut stacks: Vec<Vec<&str>> = vec![Vec::new()];
    let mut grown = 0;
    for _ in 0..4 {
        for at in std::mem::replace(&mut grown, stacks.len())..stacks.len() {
            stacks.extend(["a@$1", "b@$2", "?map"].map(|it| [&stacks[at][..], &[it]].concat()));
        }
    }
    let row = |cell: &dyn Fn(usize, &Vec<&str>) -> String| -> String {
        stacks.iter().enumerate().map(|(at, it)| format!("{:<6}", cell(at, it))).collect::<String>() + "\n"
    };
    let times = row(&|at, _| (1 + at * at % 97).to_string());
    let frames: String =
        (0..4).map(|depth| row(&|_, it| it.get(depth).map_or(String::new(), |it| it.to_string()))).collect();
    load(&format!("//- /app.js\nfunction a$1() {{}}\nfunction b$2() {{}}\n//- trace\n{times}{frames}"));
    assert_eq!(stacks.len(), 1 + 3 + 9 + 27 + 81);
}

#[test]
fn garbage_collection_is_in_the_total_of_what_it_stopped() {
    check(
        "
        //- /app.js
        function main$1() {}
        //       ^^^^ 1ms self · 3ms total
        //- trace
        main@$1  main@$1  main@$1  ?gc
                 ?gc      ?gc
        ",
    );
}

#[test]
fn time_without_a_stack_is_nobodys() {
    check(
        "
        //- /app.js
        function main$1() {}
        //       ^^^^ 1ms self · 1ms total
        //- trace
        10        20        1        5  30
        ?nostack  ?program  main@$1  -  ?unsampled
        ",
    );
}

#[test]
fn the_code_outside_of_functions_is_a_definition() {
    check(
        "
        //- /app.js
        $1const table = build();
        //< 1ms self · 3ms total
        function build$2() {}
        //       ^^^^^ 2ms self · 2ms total
        //- trace
        @$1  @$1       @$1
             build@$2  build@$2
        ",
    );
}

#[test]
fn a_class_costs_what_its_fields_and_static_blocks_cost() {
    check(
        "
        //- /app.js
        export default $1class Point {
        //                     ^^^^^ 2ms self · 3ms total
          x = start();
          norm$2() {}
        //^^^^ 1ms self · 1ms total
        }
        function start$3() {}
        //       ^^^^^ 1ms self · 1ms total
        //- trace
        Point@$1  Point@$1  Point@$1  norm@$2
        -         -         start@$3
        ",
    );
}

#[test]
fn every_kind_of_function_is_found_by_its_place() {
    check(
        "
        //- /app.ts
        class Cart {
          constructor$1() {}
        //^^^^^^^^^^^ 1ms self · 1ms total
          get total$2() { return 1; }
        //    ^^^^^ 1ms self · 1ms total
          set total$3(to: number) {}
        //    ^^^^^ 1ms self · 1ms total
          async load$4() {}
        //      ^^^^ 1ms self · 1ms total
          #secret$5() {}
        //^^^^^^^ 1ms self · 1ms total
        }
        const double = $6(n: number) => n * 2;
        //    ^^^^^^ 1ms self · 1ms total
        function* items$7() {}
        //        ^^^^^ 1ms self · 1ms total
        [1].map($8n => n + 1);
        //        ^ 1ms self · 1ms total
        //- trace
        Cart@$1  get total@$2  set total@$3  load@$4  #secret@$5  double@$6  items@$7  @$8
        ",
    );
}

#[test]
fn twins_each_have_their_own_cost() {
    check(
        "
        //- /app.js
        function left() { function work$1() {} }
        //                         ^^^^ 1ms self · 1ms total
        function right() { function work$2() {} }
        //                          ^^^^ 2ms self · 2ms total
        function right() { function work$3() {} }
        //                          ^^^^ 3ms self · 3ms total
        //- trace
        work@$1  work@$2  work@$2  work@$3  work@$3  work@$3
        ",
    );
}

#[test]
fn functions_of_one_line_each_have_their_own_hint() {
    check(
        "
        //- /app.js
        const pipe = $1f => $2g => $3x => g(f(x));
        //                           ^ 3ms self · 3ms total
        //                    ^ 2ms self · 2ms total
        //    ^^^^ 1ms self · 1ms total
        //- trace
        1        2    3
        pipe@$1  @$2  @$3
        ",
    );
}

#[test]
fn several_traces_add_up() {
    check(
        "
        //- /app.js
        function main$1() {}
        //       ^^^^ 1ms self · 4ms total
        function work$2() {}
        //       ^^^^ 5ms self · 5ms total
        //- trace monday
        main@$1  main@$1  main@$1
                 work@$2  work@$2
        //- trace tuesday
        2        1
        work@$2  main@$1
        -        work@$2
        ",
    );
}

/// Ten hot functions, and a cold one with so many samples of 4 ms and a hint or none.
fn ten_and_a_cold_one(samples: usize, hint: &str) -> String {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let mut drawing = String::from("//- /hot.js\nfunction hot$0() {}\n//       ^^^ 10s self · 10s total\n");
    let (mut times, mut frames) = (String::from("10000   "), String::from("hot@/hot.js$0"));
    times = format!("{times:<15}");
    frames = format!("{frames:<15}");
    for (number, name) in (1..).zip(names) {
        drawing += &format!("function {name}${number}() {{}}\n//       ^ 9ms self · 9ms total\n");
        times += &format!("{:<15}", 9);
        frames += &format!("{:<15}", format!("{name}@/hot.js${number}"));
    }
    times += &format!("{:<17}", 4).repeat(samples);
    frames += &format!("{:<17}", "cold@/cold.js$1").repeat(samples);
    format!("{drawing}//- /cold.js\nfunction cold$1() {{}}\n{hint}//- trace\n{times}\n{frames}\n")
}

#[test]
fn the_ten_hottest_are_shown_whatever_they_cost() {
    check_with(&ten_and_a_cold_one(0, ""), &Threshold { percent: 50.0, base: Base::Active });
}

#[test]
fn others_need_two_samples_and_the_threshold() {
    let hint = "//       ^^^^ 8ms self · 8ms total\n";
    let threshold = |percent| Threshold { percent, base: Base::Active };
    check_with(&ten_and_a_cold_one(2, hint), &threshold(0.05));
    check_with(&ten_and_a_cold_one(2, ""), &threshold(0.5));
    check_with(&ten_and_a_cold_one(1, ""), &everything());
}
