//! How often the code of a function ran, from the blocks that V8 counted in it: a count from each offset on.
//!
//! ```text
//! function work(a) {          600,000    V8's blocks lie in each other
//!   if (a.done) return 1;       7        what follows is one too, as a call may have ended: 599,993 up to the end
//!   const b = a.x ? 2 : 3;      V8 lets that block end where the next one begins, at the `?`. It says of the last line what it says of
//!   return b;                   the function, 600,000
//! }
//! ```
//!
//! So a block that follows a statement continues past its end, up to the end of the braces that it is in. If code after
//! these ran more or less often than the code around them, V8 has a block for it.

use std::cmp::Reverse;

use profile::model::{BlockCounts, RangeCount};
use rustc_hash::FxHashSet;
use source::beginnings::Beginnings;

use crate::symbolicate::SourceText;

/// What a block that follows a statement does not begin with, because it is part of one.
const PARTS: [&str; 10] = ["else", "catch", "finally", "case", "default", ":", "?", "&", "|", ","];

/// How often the code of a function ran from each offset on, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps(Vec<(usize, u64)>);

/// A block, or the whole function, in bytes of the text.
#[derive(Clone, Debug)]
struct Block {
    start: usize,
    end: usize,
    /// How often the code that is in no inner block ran, from each offset on.
    own: Vec<(usize, u64)>,
}

impl Steps {
    /// The steps of a function in the text, as one thread counted it; `None` if its range is not in the text.
    pub(super) fn of(
        function: (u32, u32),
        counted: &BlockCounts,
        text: &SourceText,
        beginnings: &Beginnings,
    ) -> Option<Self> {
        let block = |RangeCount { start, end, times }: RangeCount| {
            let [start, end] = [start, end].map(|units| Some(usize::from(text.offset_of_units(units)?)));
            Some(Block { start: start?, end: end?, own: vec![(start?, times)] })
        };
        let whole = block(RangeCount { start: function.0, end: function.1, times: counted.calls })?;
        let mut blocks: Vec<Block> = counted.inside.iter().filter_map(|range| block(*range)).collect();
        blocks
            .retain(|block| whole.start <= block.start && block.start < block.end && block.end <= whole.end);
        blocks.sort_by_key(|block| (block.start, Reverse(block.end)));
        let mut sweep = Sweep { at: whole.start, around: vec![whole.clone()], steps: Vec::new() };
        let mut ended = FxHashSet::default();
        for mut block in blocks {
            sweep.go_to(block.start);
            let Some(outer) = sweep.around.last_mut() else { break };
            block.end = block.end.min(outer.end);
            if follows_statement(&text.text, block.start, ended.contains(&block.start)) {
                outer.continue_with(&block, beginnings.closed_at(block.start));
            }
            ended.insert(block.end);
            sweep.around.push(block);
        }
        sweep.go_to(whole.end);
        Some(Self(sweep.steps))
    }

    /// How often the code at an offset ran; `None` before the function.
    pub(super) fn at(&self, offset: usize) -> Option<u64> {
        times_at(&self.0, offset)
    }

    /// Adds the counts of another thread or process.
    pub(super) fn add(&mut self, other: &Self) {
        let mut starts: Vec<usize> = self.0.iter().chain(&other.0).map(|step| step.0).collect();
        starts.sort_unstable();
        starts.dedup();
        let sums = starts
            .into_iter()
            .filter_map(|start| Some((start, self.at(start)?.saturating_add(other.at(start)?))));
        self.0 = sums.collect();
    }
}

/// The count at an offset: that of the last step at or before it.
fn times_at(steps: &[(usize, u64)], offset: usize) -> Option<u64> {
    let next = steps.partition_point(|step| step.0 <= offset);
    Some(steps[next.checked_sub(1)?].1)
}

/// Whether a block is what follows a statement, such as one that may return, rather than part of one; `is_next` if
/// another block ends there.
fn follows_statement(text: &str, start: usize, is_next: bool) -> bool {
    let is_behind = is_next || text[..start].trim_end().ends_with(['}', ';']);
    let begins = text[start..].trim_start();
    is_behind && !PARTS.iter().any(|part| begins.starts_with(part))
}

impl Block {
    /// Records that this inner block follows a statement, in braces that are closed there.
    fn continue_with(&mut self, inside: &Self, closed_at: Option<usize>) {
        let behind = closed_at.unwrap_or(self.end).max(inside.end);
        let after = times_at(&self.own, behind).unwrap_or_default();
        self.own.retain(|own| own.0 < inside.end);
        if inside.end < behind {
            self.own.push((inside.end, inside.own[0].1));
        }
        self.own.push((behind, after));
    }
}

/// Walks through the blocks of a function from its start.
struct Sweep {
    at: usize,
    /// The blocks around the current offset, outermost first.
    around: Vec<Block>,
    steps: Vec<(usize, u64)>,
}

impl Sweep {
    /// Advances to an offset, past all blocks that end there or before.
    fn go_to(&mut self, offset: usize) {
        while let Some(ended) = self.around.pop_if(|block| block.end <= offset) {
            self.go_through(&ended, ended.end);
        }
        if let Some(block) = self.around.pop() {
            self.go_through(&block, offset);
            self.around.push(block);
        }
    }

    /// Advances through code of this block that is in no inner block.
    fn go_through(&mut self, block: &Block, to: usize) {
        let from = self.at;
        if from >= to {
            return;
        }
        self.at = to;
        let here = times_at(&block.own, from).map(|times| (from, times));
        let changes = block.own.iter().copied().filter(|own| from < own.0 && own.0 < to);
        for (from, times) in here.into_iter().chain(changes) {
            if self.steps.last().is_none_or(|last| last.1 != times) {
                self.steps.push((from, times));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use source::language::Language;

    use super::*;

    /// Takes a text in which `$N` begins a block and `#` ends it, and V8's counts of the blocks, the function first.
    /// Draws what is known about each line.
    fn drawn(marked: &str, times: &[u64]) -> String {
        let (mut text, mut starts, mut ranges) = (String::new(), Vec::new(), Vec::new());
        let mut characters = marked.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '$' => {
                    let number = characters.next().and_then(|it| it.to_digit(10)).unwrap() as usize;
                    starts.push((text.len() as u32, times[number]));
                }
                '#' => {
                    let (start, times) = starts.pop().unwrap();
                    ranges.push(RangeCount { start, end: text.len() as u32, times });
                }
                other => text.push(other),
            }
        }
        let end = text.len() as u32;
        let text = SourceText::in_language(Language::JavaScript, text).unwrap();
        let counted = BlockCounts { calls: times[0], inside: ranges };
        let steps = Steps::of((0, end), &counted, &text, &Beginnings::of(&text.text)).unwrap();
        let mut lines = String::new();
        let mut offset = 0;
        for line in text.text.split_inclusive('\n') {
            let first = offset + line.len() - line.trim_start().len();
            lines += &format!("{:<4}{line}", steps.at(first).unwrap());
            offset += line.len();
        }
        lines
    }

    #[test]
    fn what_follows_goes_on_behind_a_block_that_cuts_it_off() {
        let text = drawn(
            "function f(a) {
  if (a.done) $1{
    return 1;
  }#$2
  const b = a.x #$3? 2# $4: 3#;
  for (const c of b)$5 c.run();#
  return b;
}
",
            &[100, 93, 7, 0, 7, 21],
        );
        expect_test::expect![[r#"
            100 function f(a) {
            100   if (a.done) {
            93      return 1;
            93    }
            7     const b = a.x ? 2 : 3;
            7     for (const c of b) c.run();
            7     return b;
            100 }
        "#]]
        .assert_eq(&text);
    }

    /// V8 reports nothing about the code after a `try` if it ran as often as the code around it.
    #[test]
    fn what_follows_goes_on_to_the_end_of_its_braces() {
        let text = drawn(
            "function f(a) {
  try {
    if (a) $1throw a;#$2
    const b = a #$3? 2# $4: 3#;
    print(b);
  } $5catch (error) {
    print(error);
  }#
  print(a);
  if (a) $6{
    return;
  }#$7
  print(a);#
}
",
            &[100, 60, 40, 30, 10, 60, 99, 1],
        );
        expect_test::expect![[r#"
            100 function f(a) {
            100   try {
            100     if (a) throw a;
            40      const b = a ? 2 : 3;
            40      print(b);
            100   } catch (error) {
            60      print(error);
            60    }
            100   print(a);
            100   if (a) {
            99      return;
            99    }
            1     print(a);
            100 }
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_part_of_a_statement_ends_where_it_ends() {
        let text = drawn(
            "function f(a) {
  if (a)$1 one();#$2
  else two();#
  three();
}
",
            &[100, 60, 40],
        );
        expect_test::expect![[r#"
            100 function f(a) {
            100   if (a) one();
            40    else two();
            100   three();
            100 }
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn blocks_of_any_numbers_do_no_harm() {
        let text = SourceText::in_language(Language::JavaScript, "function f() { g(); }".to_owned()).unwrap();
        let beginnings = Beginnings::of(&text.text);
        let inside =
            [(5, 3, 9), (0, 900, 9), (4, 12, 2), (8, 21, 3), (8, 21, 4), (4_000_000_000, 4_000_000_001, 1)];
        let inside = inside.map(|(start, end, times)| RangeCount { start, end, times }).to_vec();
        let counted = BlockCounts { calls: 7, inside };
        let steps = Steps::of((0, 21), &counted, &text, &beginnings).unwrap();
        let expected = [(0, 7), (4, 2), (8, 4), (12, 7)];
        assert_eq!(steps, Steps(expected.to_vec()));
        assert_eq!(Steps::of((0, 900), &counted, &text, &beginnings), None);
        let mut sum = steps.clone();
        sum.add(&Steps(vec![(0, 1), (10, 9)]));
        assert_eq!(sum.0, [(0, 8), (4, 3), (8, 5), (10, 13), (12, 16)]);
    }
}
