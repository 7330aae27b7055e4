//! Time goes on: the text is edited after it was measured, and costs stay on their functions or go.

use crate::fixture::check;

#[test]
fn lines_above_move_a_function() {
    check(
        "
        //- /app.js
        function main$1() {}
        //- trace
        main@$1
        //- edit /app.js
        // A new line.
        function main() {}
        //       ^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn white_space_and_comments_change_nothing() {
    check(
        "
        //- /app.js
        function main$1() { return 1 + 2; }
        //- trace
        main@$1
        //- edit /app.js
        function main() {
        //       ^^^^ 1ms self · 1ms total
          // Three.
          return 1 +
            2;
        }
        ",
    );
}

#[test]
fn an_edited_body_is_told_roughly() {
    check(
        "
        //- /app.js
        function main$1() { return 1; }
        function other$2() {}
        //- trace
        12.34    1
        main@$1  other@$2
        //- edit /app.js
        function main() { return 2; }
        //       ^^^^ ~12ms self · 12ms total, edited
        function other() {}
        //       ^^^^^ 1ms self · 1ms total
        ",
    );
}

#[test]
fn a_renamed_function_is_known_by_its_body() {
    check(
        "
        //- /app.js
        function main$1() { return compute(1, 2, 3); }
        //- trace
        main@$1
        //- edit /app.js
        function start() { return compute(1, 2, 3); }
        //       ^^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn what_was_deleted_is_shown_nowhere() {
    check(
        "
        //- /app.js
        function main$1() { return 1; }
        function gone$2() { return 2; }
        //- trace
        main@$1  gone@$2
        //- edit /app.js
        function main() { return 1; }
        //       ^^^^ 1ms self · 1ms total
        ",
    );
}

#[test]
fn what_is_new_has_no_cost() {
    check(
        "
        //- /app.js
        function main$1() { return 1; }
        //- trace
        main@$1
        //- edit /app.js
        function brandNew() { return 3; }
        function main() { return 1; }
        //       ^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn functions_that_change_places_keep_their_costs() {
    check(
        "
        //- /app.js
        function one$1() { return 1; }
        function two$2() { return 2; }
        //- trace
        one@$1  two@$2  two@$2
        //- edit /app.js
        function two() { return 2; }
        //       ^^^ 2ms self · 2ms total, moved
        function one() { return 1; }
        //       ^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn a_function_moves_into_a_class() {
    check(
        "
        //- /app.js
        const tools = {
          count$1(list) { return list.length * 17; },
        };
        //- trace
        count@$1
        //- edit /app.js
        class Tools {
          count(list) { return list.length * 17; }
        //^^^^^ 1ms self · 1ms total, moved
        }
        ",
    );
}

#[test]
fn inner_functions_of_an_edited_one_are_fresh_themselves() {
    check(
        "
        //- /app.js
        function outer$1() {
          function inner$2() { return 1; }
          return inner();
        }
        //- trace
        outer@$1  outer@$1
                  inner@$2
        //- edit /app.js
        function outer() {
        //       ^^^^^ ~1ms self · 2ms total, edited
          function inner() { return 1; }
        //         ^^^^^ 1ms self · 1ms total
          return inner() + 1;
        }
        ",
    );
}

#[test]
fn twins_that_cannot_be_told_apart_any_more_show_nothing() {
    check(
        "
        //- /app.js
        on($1() => go());
        on($2() => go());
        //- trace
        @$1  @$2  @$2
        //- edit /app.js
        on(() => go());
        ",
    );
}

#[test]
fn a_buffer_that_does_not_parse_keeps_its_hints() {
    check(
        "
        //- /app.js
        function first$1() { return 1; }
        function second$2() { return 2; }
        //- trace
        first@$1  second@$2
        //- edit /app.js
        function first() { return 1; }
        //       ^^^^^ 1ms self · 1ms total
        const half = (
        function second() { return 2; }
        //       ^^^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn a_broken_buffer_that_is_mended_is_read_anew() {
    check(
        "
        //- /app.js
        function first$1() { return 1; }
        function second$2() { return 2; }
        //- trace
        first@$1  second@$2
        //- edit /app.js
        const half = (
        function first() { return 1; }
        function second() { return 2; }
        //- edit /app.js
        const half = (1);
        function first() { return 1; }
        //       ^^^^^ 1ms self · 1ms total, moved
        function second() { return 2; }
        //       ^^^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn an_edit_that_is_taken_back_leaves_no_trace() {
    check(
        "
        //- /app.js
        function main$1() { return 1; }
        //- trace
        main@$1
        //- edit /app.js
        function main() { return 12; }
        //- edit /app.js
        function main() { return 1; }
        //       ^^^^ 1ms self · 1ms total
        ",
    );
}
