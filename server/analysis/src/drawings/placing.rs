//! From the places that engines name to functions of the workspace: on the right one or on none.

use expect_test::{Expect, expect};

use crate::display::{Style, time};
use crate::fixture::{check, load};

/// The ledger of a drawing, a line for each entry that has time.
fn check_ledger(drawing: &str, expected: Expect) {
    let world = load(drawing);
    let ledger = &world.recording.summary.ledger;
    let mut rows = vec![
        format!("placed {}", time(ledger.placed.time, Style::Text)),
        format!("idle {}", time(ledger.idle.time, Style::Text)),
        format!("no stack {}", time(ledger.no_stack.time, Style::Text)),
    ];
    for (why, reason) in &ledger.unplaced {
        rows.push(
            format!("{why} {} {}", time(reason.spent.time, Style::Text), reason.top().join(", "))
                .trim()
                .into(),
        );
    }
    rows.retain(|it| !it.ends_with(" 0 ms"));
    expected.assert_eq(&(rows.join("\n") + "\n"));
}

#[test]
fn every_kind_of_time_has_its_reason() {
    check_ledger(
        "
        //- /app.js
        function main$1() {}
        //- trace
        1        2  3    4       5         6         7           8             9                          10
        main@$1  -  ?gc  ?parse  ?program  ?nostack  ?unsampled  open@node:fs  lib@https://cdn.io/lib.js  @/gone.js
        ",
        expect![[r#"
            placed 1.00 ms
            idle 2.00 ms
            no stack 6.00 ms
            native 4.00 ms parse
            gc 3.00 ms (garbage collector)
            program 5.00 ms
            runtime 8.00 ms node:fs
            not-in-workspace 19.0 ms /gone.js, https://cdn.io/lib.js
            unsampled 7.00 ms
        "#]],
    );
}

#[test]
fn a_web_address_is_placed_by_the_end_of_its_path() {
    check(
        "
        //- /src/app.js
        function main$1() {}
        //       ^^^^ 1ms self · 1ms total
        //- trace
        main@http://localhost:3000/src/app.js?v=17$1
        ",
    );
}

#[test]
fn an_address_that_fits_two_files_is_placed_on_none() {
    let drawing = "
        //- /one/app.js
        function main$1() {}
        //- /two/app.js
        function main() {}
        //- trace
        main@http://localhost:3000/app.js$1
        ";
    check(drawing);
    check_ledger(
        drawing,
        expect![[r#"
        not-in-workspace 1.00 ms http://localhost:3000/app.js
    "#]],
    );
}

#[test]
fn packages_are_not_workspace_code() {
    let drawing = "
        //- /app.js
        function main$1() {}
        //       ^^^^ 3ms total
        //- /node_modules/left-pad/index.js
        function leftPad$1() {}
        //- trace
        3
        main@/app.js$1
        leftPad@/node_modules/left-pad/index.js$1
        ";
    check(drawing);
    check_ledger(
        drawing,
        expect![[r#"
        dependency 3.00 ms /node_modules/left-pad/index.js
    "#]],
    );
}

#[test]
fn positions_of_another_version_give_way_to_names_that_are_unique() {
    check(
        "
        //- /app.js
        function first() {}
        //       ^^^^^ 1ms self · 1ms total, name
        function second$1() {}
        //       ^^^^^^ 2ms self · 2ms total, name
        function third$2() {}
        //       ^^^^^ 3ms self · 3ms total, name
        //$3 End.
        //- trace
        1         2          3
        first@$1  second@$2  third@$3
        ",
    );
}

#[test]
fn names_that_are_not_unique_place_nothing() {
    let drawing = "
        //- /app.js
        function first() {}
        function first() {}
        function second$1() {}
        //       ^^^^^^ 2ms self · 2ms total, name
        function third$2() {}
        //       ^^^^^ 3ms self · 3ms total, name
        //$3 End.
        //- trace
        1         2          3
        first@$1  second@$2  third@$3
        ";
    check(drawing);
    check_ledger(
        drawing,
        expect![[r#"
        placed 5.00 ms
        no-definition 1.00 ms /app.js
    "#]],
    );
}

#[test]
fn a_place_inside_a_body_counts_where_the_name_agrees() {
    check(
        "
        //- /app.js
        function main() {
        //       ^^^^ 1ms self · 1ms total, snapped
          return$1 1;
        }
        function other$2() {}
        //       ^^^^^ 1ms self · 1ms total
        //- trace
        main@$1  other@$2
        ",
    );
}

#[test]
fn a_place_between_functions_is_on_none() {
    let drawing = "
        //- /app.js
        function main$1() {}
        //       ^^^^ 1ms self · 1ms total
        let $2between = 1;
        function other$3() {}
        //       ^^^^^ 1ms self · 1ms total
        //- trace
        main@$1  lost@$2  other@$3
        ";
    check(drawing);
    check_ledger(
        drawing,
        expect![[r#"
        placed 2.00 ms
        no-definition 1.00 ms /app.js
    "#]],
    );
}

#[test]
fn bun_calls_the_code_outside_of_functions_a_module_wherever_it_ran() {
    check(
        "
        //- /app.js
        let started = now();
        //< 1ms self · 2ms total
        $1class Thing { constructor$2() {} }
        //              ^^^^^^^^^^^ 1ms self · 1ms total
        //- trace
        (module)@$1  (module)@$1
        -            Thing@$2
        ",
    );
}

#[test]
fn evaluated_code_has_no_file() {
    check_ledger(
        "
        //- /app.js
        function main$1() {}
        //- trace
        main@$1        main@$1
        run@blob:null  run@data:text/javascript,1
        ",
        expect![[r#"
            no-resource 2.00 ms blob:null, data:text/javascript,1
        "#]],
    );
}

#[test]
fn the_code_of_a_page_starts_behind_the_tag_of_each_script() {
    let drawing = "
        //- /index.html
        <button onclick=\"work()\"$6>run</button>
        <script>$1 let sink = 0;
        //         ^ 2ms self · 10ms total
          function work$2() { return [() => 1].map($3it => it()); }
        //         ^^^^ 2ms self · 5ms total
        //                                           ^ 3ms self · 3ms total
        </script>
        <p><script type=module>$4 (function once$5() {})();</script>
        //                                  ^^^^ 3ms self · 3ms total
        //- trace
        1               2               3               1               3               4
        (anonymous)@$1  (anonymous)@$1  (anonymous)@$1  (anonymous)@$4  (anonymous)@$4  onclick@$6
        -               work@$2         work@$2         -               once@$5         -
        -               -               (anonymous)@$3  -               -               -
        ";
    check(drawing);
    check_ledger(
        drawing,
        expect![[r#"
        placed 10.0 ms
        no-definition 4.00 ms /index.html
    "#]],
    );
}

#[test]
fn functions_of_components_stand_in_their_scripts() {
    check(
        "
        //- /App.vue
        <template><p @click=\"() => pick()\">{{ list.map((it) => it) }}</p></template>
        <script lang=\"ts\">
        export const load$1 = async (): Promise<void> => {};
        </script>
        <script setup lang=\"ts\">
        function pick$2() {}
        //       ^^^^ 2ms self · 2ms total
        </script>
        //- trace
        2
        pick@$2
        ",
    );
}

/// They were compiled on their way, so names tell where they are.
#[test]
fn functions_of_components_from_a_server() {
    check(
        "
        //- /src/App.vue
        <script setup>
        const label = () => 1;$1
        //< 3ms self · 5ms total, name
        //    ^^^^^ 2ms self · 2ms total, name
        </script>
        <p>$2</p>
        //- /src/Page.vue
        <script>
        function setup() {}
        //       ^^^^^ 1ms self · 1ms total, name
        function other() {}
        //       ^^^^^ 1ms self · 1ms total, name
        //$3 The $5end.
        </script>
        //- /src/todo-list.svelte
        <script>
        let all = [];$4
        //< 4ms self · 4ms total, name
        </script>
        //- trace
        3                                          2                                          1                                           1                                           4
        setup@http://localhost:5173/src/App.vue$1  setup@http://localhost:5173/src/App.vue$1  setup@http://localhost:5173/src/Page.vue$3  other@http://localhost:5173/src/Page.vue$5  Todo_list@http://localhost:5173/src/todo-list.svelte$4
        -                                          label@http://localhost:5173/src/App.vue$2  -                                           -                                           -
        ",
    );
}

#[test]
fn a_file_that_holds_no_javascript_has_no_definitions() {
    check_ledger(
        "
        //- /page.md
        function main$1() {}
        //- /data.html
        <script type=\"application/json\">$2 function main() {}</script>
        //- trace
        1        2
        main@$1  main@$2
        ",
        expect![[r#"
            no-definition 3.00 ms /data.html, /page.md
        "#]],
    );
}

#[test]
fn a_file_without_an_outline_is_named() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let drawing = format!(
        "
        //- /deep.js
        function main$1() {{ return {deep}; }}
        //- /app.js
        function run$2() {{}}
        //       ^^^ 1ms self · 1ms total
        //- trace
        main@$1  run@$2
        "
    );
    let problems = load(&drawing).recording.problems;
    assert_eq!(
        problems.iter().map(|it| format!("{}: {}; {}", it.place, it.what, it.hint)).collect::<Vec<_>>(),
        [
            "/deep.js: the code is nested too deeply to be read: its functions have no costs; build it in smaller \
             files, or leave the generated part out"
        ]
    );
}
