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

#[test]
fn a_parameter_is_an_edit_and_an_arrow_for_a_declaration_is_none() {
    check(
        "
        //- /app.js
        function scale$1(x) { return x * 2; }
        function shift$2(x) { return x + 2; }
        //- trace
        12.34     12.34
        scale@$1  shift@$2
        //- edit /app.js
        function scale(x, by = 2) { return x * 2; }
        //       ^^^^^ ~12ms self · 12ms total, edited
        const shift = (x) => { return x + 2; };
        //    ^^^^^ 12.3ms self · 12.3ms total, moved
        ",
    );
}

#[test]
fn a_test_is_known_by_its_title() {
    check(
        "
        //- /app.js
        it('adds', $1() => { expect(add(1, 2)).toBe(3); });
        it('multiplies', $2() => { expect(times(1, 2)).toBe(2); });
        //- trace
        12.34  1
        @$1    @$2
        //- edit /app.js
        it('divides', () => { expect(over(1, 2)).toBe(0.5); });
        it('multiplies', () => { expect(times(1, 2)).toBe(2); });
        //               ^ 1ms self · 1ms total, moved
        it('adds', () => { const sum = add(2, 2); check(sum === 4); });
        //         ^ ~12ms self · 12ms total, edited
        ",
    );
}

#[test]
fn callbacks_of_the_same_call_keep_their_order() {
    check(
        "
        //- /app.js
        list.map($1(it) => it.first + 1);
        const between = () => list;
        list.map($2(it) => it.last + 2);
        //- trace
        1    12.34
        @$1  @$2
        //- edit /app.js
        list.map((it) => it.first + 1);
        //       ^ 1ms self · 1ms total
        const between = () => list;
        list.map((it) => it.last + 3);
        //       ^ ~12ms self · 12ms total, edited
        ",
    );
}

#[test]
fn a_new_function_around_an_old_one_has_no_cost() {
    check(
        "
        //- /app.js
        function work$1(list) {
          for (const it of list) { prepare(it); count(it.length); }
          return list.filter(Boolean).length;
        }
        //- trace
        12.34
        work@$1
        //- edit /app.js
        const api = (() => {
          function work(list) {
          //       ^^^^ ~12ms self · 12ms total, edited
            for (const it of list) { prepare(it); count(it.size); }
            return list.filter(Boolean).length;
          }
          return { work };
        })();
        ",
    );
}

#[test]
fn a_function_that_is_renamed_and_edited_stays_in_its_place() {
    check(
        "
        //- /app.js
        function before() { return 0; }
        function work$1(list) {
          for (const it of list) { prepare(it); count(it.length); }
          return list.filter(Boolean).length;
        }
        function behind() { return 1; }
        //- trace
        12.34
        work@$1
        //- edit /app.js
        function before() { return 0; }
        function processAll(list) {
        //       ^^^^^^^^^^ ~12ms self · 12ms total, edited
          for (const it of list) { prepare(it); count(it.size); }
          return list.filter(Boolean).length;
        }
        function behind() { return 1; }
        ",
    );
}

#[test]
fn methods_of_the_same_name_stay_with_their_objects() {
    check(
        "
        //- /app.js
        const one = { get$1(key) { return this.map.get(key); } };
        const two = { get$2(key) { return this.list[key]; } };
        //- trace
        12.34   1
        get@$1  get@$2
        //- edit /app.js
        const two = { get(key) { return this.list[key]; } };
        //            ^^^ 1ms self · 1ms total, moved
        const one = { get(key) { return this.list[key]; } };
        //            ^^^ ~12ms self · 12ms total, edited
        ",
    );
}

#[test]
fn another_function_in_the_place_of_a_deleted_one_has_no_cost() {
    check(
        "
        //- /app.js
        function work$1(list) {
          for (const it of list) { prepare(it); count(it.length); }
          return list.filter(Boolean).length;
        }
        //- trace
        work@$1
        //- edit /app.js
        function greet(name) {
          const text = `Hello ${name}`;
          console.log(text.toUpperCase());
        }
        ",
    );
}

#[test]
fn a_mistake_in_a_text_that_comes_whole_costs_nothing_elsewhere() {
    check(
        "
        //- /app.js
        function first$1() { return 1; }
        function second$2(x) {
          let total = x * 2;
          return total + 1;
        }
        function third$3(x) {
          let total = x * 3;
          return total + 1;
        }
        function last$4() { return 4; }
        //- trace
        first@$1  second@$2  third@$3  last@$4
        //- edit /app.js
        function first() { return 1; }
        //       ^^^^^ 1ms self · 1ms total
        function second(x) {
        //       ^^^^^^ ~1ms self · 1ms total, edited
          let total = x * 2;
          if (x { return total + 1; }
        }
        function third(x) {
        //       ^^^^^ 1ms self · 1ms total, moved
          let total = x * 3;
          return total + 1;
        }
        function last() { return 4; }
        //       ^^^^ 1ms self · 1ms total, moved
        ",
    );
}

#[test]
fn a_mistake_that_is_mended_was_never_there() {
    check(
        "
        //- /app.js
        function first$1() { return 1; }
        function second$2() { return 2; }
        //- trace
        first@$1  second@$2
        //- edit /app.js
        function first() { return 1; }
        function second() { return 2;
        //- edit /app.js
        function first() { return 1 +; }
        function second() { return 2;
        //- edit /app.js
        function first() { return 1; }
        //       ^^^^^ 1ms self · 1ms total
        function second() { return 2; }
        //       ^^^^^^ 1ms self · 1ms total
        ",
    );
}

#[test]
fn functions_move_in_a_text_that_does_not_parse() {
    check(
        "
        //- /app.js
        function first$1(list) {
          return list.length * 17;
        }
        function second$2(list) {
          return list.map(String).join();
        }
        function third$3() { return 3; }
        //- trace
        first@$1  second@$2  second@$2  third@$3
        //- edit /app.js
        function second(list) {
        //       ^^^^^^ 2ms self · 2ms total, moved
          return list.map(String).join();
        }
        const half = (
        function third() { return 3; }
        //       ^^^^^ 1ms self · 1ms total, moved
        function first(list) {
        //       ^^^^^ 1ms self · 1ms total, moved
          return list.length * 17;
        }
        ",
    );
}

#[test]
fn line_ends_change_and_a_mistake_is_made() {
    check(&format!(
        "
        //- /app.js
        function first$1() {{
          return 1;
        }}
        function second$2() {{
          return 2;
        }}
        //- trace
        first@$1  second@$2
        //- edit /app.js
        function first() {{ {CR}
        //       ^^^^^ 1ms self · 1ms total
          return 1; {CR}
        }} {CR}
        function second() {{ {CR}
        //       ^^^^^^ ~1ms self · 1ms total, edited
          return (2; {CR}
        }} {CR}
        ",
        CR = '\r'
    ));
}

#[test]
fn everything_is_formatted_and_a_mistake_is_made() {
    check(
        "
        //- /app.js
        function first$1(a){return a+1}
        const second = $2(list)=>list.map($3it=>it.name)
        class Third{run$4(a){return this.a+a}}
        //- trace
        first@$1  second@$2  second@$2  run@$4
                             @$3
        //- edit /app.js
        function first(a) {
        //       ^^^^^ 1ms self · 1ms total
          return a + 1
        }
        const second = (list) => list.map((it) => it.name
        //    ^^^^^^ ~1ms self · 2ms total, edited
        //                                ^ 1ms self · 1ms total, moved
        class Third {
          run(a) {
        //^^^ 1ms self · 1ms total, moved
            return this.a + a
          }
        }
        ",
    );
}

#[test]
fn a_callback_that_comes_before_its_twin_is_not_it() {
    check(
        "
        //- /app.js
        on('a', () => { first(); second(); third(); fourth(); });
        list.forEach($1(it) => {
          count(it.length * 17, it.width / 3);
        });
        //- trace
        @$1
        //- edit /app.js
        on('a', () => { first(); second(); third(; fourth(); });
        list.forEach((it) => {
          print(`${it.name}: ${it.value}`);
        });
        list.forEach((it) => {
        //           ^ 1ms self · 1ms total, moved
          count(it.length * 17, it.width / 3);
        });
        ",
    );
}

#[test]
fn another_function_under_a_name_that_is_half_typed_has_no_cost() {
    check(
        "
        //- /app.js
        function work$1(list) { return list.length; }
        function other$2() { return 2; }
        //- trace
        work@$1  other@$2
        //- edit /app.js
        function gre
        function other() { return 2; }
        //       ^^^^^ 1ms self · 1ms total, moved
        ",
    );
}
