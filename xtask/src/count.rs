//! How many tests of a check passed, and which ones failed, read from what test programs print.

use anyhow::{Result, ensure};

use crate::shell::Watched;

/// How many lines of a failure are shown again at the end.
const SHOWN_LINES: usize = 30;

/// The tests of a check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    passed: usize,
    /// What each failed test said.
    failures: Vec<String>,
}

impl Count {
    pub(crate) fn passed(passed: usize) -> Self {
        Self { passed, failures: Vec::new() }
    }

    /// A failed test, with what is known about it.
    pub(crate) fn failed(why: &str) -> Self {
        Self { passed: 0, failures: vec![shortened(why.lines())] }
    }

    pub(crate) fn number_passed(&self) -> usize {
        self.passed
    }

    pub(crate) fn number_failed(&self) -> usize {
        self.failures.len()
    }

    /// What each failed test said.
    pub(crate) fn failures(&self) -> &[String] {
        &self.failures
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.passed == 0 && self.failures.is_empty()
    }

    /// Of `cargo test`: `test result: ok. 12 passed; 0 failed; ..` once for each test program, and what each failure said below
    /// `---- its::name stdout ----`.
    ///
    /// # Errors
    /// If no test program ran.
    pub(crate) fn of_cargo(watched: &Watched) -> Result<Self> {
        let results = || watched.lines.iter().filter_map(|line| line.strip_prefix("test result: "));
        ensure!(results().next().is_some(), "the tests do not build");
        let passed = results().map(|line| number_before(line, " passed")).sum();
        let is_first = |line: &str| line.starts_with("---- ") && line.ends_with(" stdout ----");
        let is_next = |line: &str| is_first(line) || line == "failures:" || line.starts_with("test result: ");
        Ok(Self { passed, failures: failures(&watched.lines, is_first, is_next) }.if_ended_well(watched))
    }

    /// Of Node's test runner: `# pass 12` or, with another reporter, `ℹ pass 12`; and what each failure said below `✖ its name` or
    /// `not ok 3 - its name`.
    pub(crate) fn of_node(watched: &Watched) -> Self {
        let words = watched.lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let numbers = words.filter(|words| words.len() == 3 && words[1] == "pass");
        let passed = numbers.filter_map(|words| words[2].parse::<usize>().ok()).sum();
        let is_first = |line: &str| {
            let text = line.trim_start();
            text.starts_with("not ok ") || text.starts_with("✖ ") && !text.starts_with("✖ failing tests")
        };
        let is_next = |line: &str| {
            ["ok ", "not ok ", "✔ ", "✖ ", "# ", "ℹ "].iter().any(|it| line.trim_start().starts_with(it))
        };
        Self { passed, failures: failures(&watched.lines, is_first, is_next) }.if_ended_well(watched)
    }

    /// Of our own tests of editors and pages: lines that begin with `ok` and with `FAIL`, and what follows the latter.
    pub(crate) fn of_editor(watched: &Watched) -> Self {
        let is_first = |line: &str| line.starts_with("FAIL");
        let is_next = |line: &str| line.starts_with("FAIL") || line.starts_with("ok  ");
        let passed = watched.lines.iter().filter(|line| line.starts_with("ok  ")).count();
        Self { passed, failures: failures(&watched.lines, is_first, is_next) }.if_ended_well(watched)
    }

    /// A program that failed without naming a test counts as one failure.
    fn if_ended_well(mut self, watched: &Watched) -> Self {
        if !watched.ok && self.failures.is_empty() {
            let last = watched.lines.len().saturating_sub(SHOWN_LINES);
            let why =
                format!("it ended with an error, and no test failed:\n{}", watched.lines[last..].join("\n"));
            self.failures.push(why);
        }
        self
    }
}

/// What failures said: from their first line up to the next line that belongs to something else.
fn failures(
    lines: &[String],
    is_first: impl Fn(&str) -> bool,
    is_next: impl Fn(&str) -> bool,
) -> Vec<String> {
    let firsts = lines.iter().enumerate().filter(|(_, line)| is_first(line));
    let texts = firsts.map(|(at, first)| {
        let rest = lines[at + 1..].iter().take_while(|line| !is_next(line));
        shortened(std::iter::once(first).chain(rest).map(String::as_str))
    });
    texts.collect()
}

/// The beginning, which says what was expected and what was seen, and the end.
fn shortened<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut lines: Vec<&str> = lines.collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    if lines.len() > SHOWN_LINES {
        let last = lines.split_off(lines.len() - SHOWN_LINES / 3);
        lines.truncate(SHOWN_LINES - last.len());
        lines.push("...");
        lines.extend(last);
    }
    lines.join("\n")
}

/// The last number in the text before this word; 0 if there is none.
fn number_before(text: &str, word: &str) -> usize {
    let before = text.split(word).next().and_then(|it| it.split_whitespace().last());
    before.and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(text: &str, ok: bool) -> Watched {
        Watched { ok, lines: text.lines().map(str::to_owned).collect() }
    }

    fn count(passed: usize, failures: &[&str]) -> Count {
        Count { passed, failures: failures.iter().map(|it| (*it).to_owned()).collect() }
    }

    #[test]
    fn what_cargo_prints() {
        let text = "\
running 3 tests
test a::one ... ok
test a::two ... FAILED

failures:

---- a::two stdout ----
thread 'a::two' panicked at src/a.rs:7:5:
expected 1, seen 2


failures:
    a::two

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let said = "---- a::two stdout ----\nthread 'a::two' panicked at src/a.rs:7:5:\nexpected 1, seen 2";
        assert_eq!(Count::of_cargo(&watched(text, false)).ok(), Some(count(42, &[said])));
        assert!(Count::of_cargo(&watched("error: could not compile", false)).is_err());
    }

    #[test]
    fn what_node_prints() {
        let text =
            "ok 1 - a\nnot ok 2 - b\n  ---\n  expected: 1\n  actual: 2\n  ...\n# tests 2\n# pass 1\n# fail 1";
        let said = "not ok 2 - b\n  ---\n  expected: 1\n  actual: 2\n  ...";
        assert_eq!(Count::of_node(&watched(text, false)), count(1, &[said]));
    }

    #[test]
    fn what_editors_print() {
        let text = "fetching\nok    a\nFAIL  b: the hover is drawn\nexpected x\nok    c";
        let editor = Count::of_editor(&watched(text, false));
        assert_eq!(editor, count(2, &["FAIL  b: the hover is drawn\nexpected x"]));
        let ended = Count::of_editor(&watched("ok    a\nerror: no browser", false));
        assert_eq!(
            ended,
            count(1, &["it ended with an error, and no test failed:\nok    a\nerror: no browser"])
        );
    }

    #[test]
    fn of_long_texts_the_beginning_and_the_end() {
        let long = (1..100).map(|number| number.to_string()).collect::<Vec<_>>().join("\n");
        let shown = Count::failed(&long).failures.concat();
        let (first, last) = shown.split_once("\n...\n").expect("something is left out");
        assert_eq!((first.lines().count(), last.lines().next()), (20, Some("90")));
    }
}
