//! No text ends the process, however deeply it is nested, even on a thread with a small stack.

use std::process::Command;

use expect_test::expect;
use source::definition::{Outline, OutlineError};
use source::language::Language;
use source::outline::outline_here;
use source::stack_budget::{LARGE_STACK, with_stack};

/// What a thread has besides the stack that it is said to have.
const SPARE: usize = 256 << 10;

/// The outline of a text, on a thread of its own if it needs one.
fn outline(text: &str, language: Language) -> Result<Outline, OutlineError> {
    let mut outline = outline_here(text, language);
    while let Err(OutlineError::NeedsStack(bytes)) = outline {
        outline = on_stack(bytes + SPARE, || with_stack(bytes, || outline_here(text, language)));
    }
    outline
}

fn on_stack<T: Send>(bytes: usize, run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic")
    })
}

/// `(before, repeated, middle, repeated, after)`
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

fn nested((before, open, middle, close, after): &Nest, levels: usize) -> String {
    let nest = format!("{before}{}{middle}{}{after}", open.repeat(levels), close.repeat(levels));
    format!("function first() {{}}\n{nest}\n")
}

/// Reads all of them, nested this often; returns what is repeated in those that are too deep to be read.
fn refused(levels: usize) -> String {
    let of_language = |cases: &[Nest], language| {
        let is_refused = |nest: &&Nest| match outline(&nested(nest, levels), language) {
            Ok(outline) => {
                assert_eq!(outline.definitions[1].path, "first", "{}", nest.1);
                false
            }
            Err(error) => {
                assert_eq!(error, OutlineError::TooDeep, "{}", nest.1);
                true
            }
        };
        let names: Vec<&str> = cases.iter().filter(is_refused).map(|nest| nest.1.trim()).collect();
        names.join("  ")
    };
    let javascript = of_language(JAVASCRIPT, Language::JavaScript);
    format!("{javascript}; TypeScript: {}", of_language(TYPESCRIPT, Language::TypeScript))
}

#[test]
fn whatever_is_nested_is_read_or_refused() {
    let lines = [30, 1_000, 10_000, 100_000].map(|levels| format!("{levels}: {}\n", refused(levels)));
    expect![[r#"
        30: ; TypeScript: 
        1000: ; TypeScript: 
        10000: <a b=; TypeScript: Array<  a<
        100000: {a:  (function(){  () => {  class { a =  <a b=; TypeScript: Array<  a<
    "#]]
    .assert_eq(&lines.concat());
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

/// The figures of `stack_budget.rs` hold for one version of the parser on one kind of processor. Here they are measured
/// on this one: each construct is nested as deeply as a budget allows, and read on a stack of three quarters of it.
///
/// A stack that overflows ends the process, so this runs in another one.
#[test]
fn figures_of_the_stack_budget_hold() {
    let mut test = Command::new(std::env::current_exe().expect("a test is a program"));
    let output = test.args(["--exact", MEASURED, "--ignored", "--nocapture"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|it| it.starts_with("nested:")).unwrap_or("nested: nothing");
    assert!(
        output.status.success() && last != "nested: nothing",
        "\n{last}\nThe parser takes more stack for a level of this construct than `server/source/src/stack_budget.rs` \
         says: its version or this kind of processor ({}) is new. Raise the figure there until this test passes in \
         debug and in release builds.\n{said}",
        std::env::consts::ARCH
    );
}

/// The bytes of stack for which the figures are measured.
const BUDGET: usize = 2 << 20;

const MEASURED: &str = "deep::nested_as_deeply_as_budgets_allow";

#[test]
#[ignore = "run by `figures_of_the_stack_budget_hold`, in a process of its own"]
fn nested_as_deeply_as_budgets_allow() {
    for (nests, language) in [(JAVASCRIPT, Language::JavaScript), (TYPESCRIPT, Language::TypeScript)] {
        for nest in nests {
            let read = |levels: usize| with_stack(BUDGET, || outline_here(&nested(nest, levels), language));
            let fits = |levels| {
                let outline = on_stack(BUDGET * 4, || read(levels));
                !matches!(outline, Err(OutlineError::NeedsStack(_)))
            };
            // The most levels that fit, found bit by bit.
            let mut levels = 0;
            for step in (0..13).rev().map(|it| 1 << it) {
                levels += if fits(levels + step) { step } else { 0 };
            }
            eprintln!("nested: {levels} times `{}`", nest.1);
            assert!(on_stack(BUDGET / 4 * 3, || read(levels)).is_ok());
        }
    }
}

/// A broken text may need more stack once its missing brackets are added.
#[test]
fn the_stack_makes_no_difference_to_what_is_recovered() {
    let text = format!("{}x{}", "(function f(){ g([".repeat(60), "]); })".repeat(60));
    for end in (0..text.len()).step_by(7) {
        let broken = &text[..end];
        let on_large = || with_stack(LARGE_STACK, || outline_here(broken, Language::JavaScript));
        assert_eq!(
            outline(broken, Language::JavaScript),
            on_stack(LARGE_STACK + SPARE, on_large),
            "{broken}"
        );
    }
}
