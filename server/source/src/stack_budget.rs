//! Estimates how much stack parsing a text needs.
//!
//! The parser is recursive, and a stack overflow ends the process, so the need is first estimated from the bytes. The figures
//! are what oxc 0.146 takes for a level of each construct on x86-64, optimised or not, plus half, measured with texts of
//! nothing but that construct. `tests/outline/deep.rs` measures whether they hold on the processor that it runs on.
//!
//! ```text
//! const a = () => {     2,000 for `=`, 2,000 for the `=` of `=>`, 5,000 for the brace
//!   f([                 3,000 for the parenthesis, 3,000 for the bracket: 15,000 bytes at most up to here
//!     b ? c : d         1,500 for `?`, 900 for `:`
//!   ]);                 the `;` ends what needs no brackets to nest
//! };
//! ```

use std::cell::Cell;

use crate::definition::OutlineError;
use crate::scanner::{Lexeme, Scanner, closing};

/// Enough for nearly any text. It need not be exact: the memory is only used as the stack really grows.
pub const LARGE_STACK: usize = 256 << 20;

/// The stack that a thread is assumed to have left by default: the threads of std and of tokio have 2 MB, of which
/// callers use far less than half.
const DEFAULT_STACK: usize = 1 << 20;

thread_local! {
    /// How much of this thread's stack is certainly left.
    static STACK_LEFT: Cell<usize> = const { Cell::new(DEFAULT_STACK) };
}

/// Runs a closure on this thread, which has at least this many bytes of stack left: [`outline_here`](crate::outline_here)
/// reads what fits. The caller must know, because a stack overflow ends the process.
pub fn with_stack<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    struct Restored(usize);
    impl Drop for Restored {
        fn drop(&mut self) {
            STACK_LEFT.set(self.0);
        }
    }
    let _restored = Restored(STACK_LEFT.replace(bytes));
    run()
}

/// How much of this thread's stack is certainly left.
pub(crate) fn stack_left() -> usize {
    STACK_LEFT.get()
}

impl OutlineError {
    /// The error if a text needs more stack than is available.
    pub(crate) fn needs(bytes: usize) -> Self {
        Self::NeedsStack(bytes.max(LARGE_STACK))
    }
}

/// The most that one byte of text can cost; the most expensive is a repeated `[`.
const COST_OF_A_BYTE: usize = 3_000;

/// More than any text by people or tools needs; deeper texts are not read.
pub(crate) const MAX_STACK: usize = 512 << 20;

/// The cost of a level of JSX.
const COST_OF_AN_ELEMENT: usize = 700;

/// A lower value would not help: every thread has this much, and smaller stacks are not worth a wrong guess.
const MIN_STACK: usize = DEFAULT_STACK;

/// With more open type arguments, the parser tries each in turn, in quadratic time.
const MAX_OPEN_ANGLES: usize = 1_500;

/// The most bytes of stack that a text needs, or `None` if it is nested too deeply to be parsed with `max` bytes. If
/// `available` bytes are enough for any text of its length, it is not examined more closely.
pub(crate) fn stack_needed(text: &str, available: usize, max: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    // A level takes at least one byte of text. This bound does not require knowing what the bytes mean.
    let upper_bound = bytes.len() * COST_OF_A_BYTE;
    // The same goes for this bound for JSX, whose text is easily mistaken for comments and strings.
    if upper_bound <= available.min(max / 2) && angles(bytes) <= MAX_OPEN_ANGLES {
        return Some(upper_bound);
    }
    let mut depth = StackEstimate::default();
    Scanner::new(bytes).for_each(|(at, lexeme)| depth.add(bytes, at, lexeme));
    depth.stack_needed(bytes, max)
}

/// The most that all JSX elements in a text can cost together.
fn cost_of_elements(bytes: &[u8]) -> usize {
    elements(bytes) * COST_OF_AN_ELEMENT
}

/// The number of `<`: JSX elements, lists of type arguments, casts.
fn angles(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'<', bytes).count()
}

/// The most JSX elements that there can be: `</a` ends one, and `<=` does not begin one.
fn elements(bytes: &[u8]) -> usize {
    let can_open =
        memchr::memchr_iter(b'<', bytes).filter(|at| match (bytes.get(at + 1), bytes.get(at + 2)) {
            // A comment.
            (Some(b'/'), Some(b'/' | b'*')) => true,
            (Some(b'/' | b'='), _) => false,
            _ => true,
        });
    can_open.count()
}

/// Adds up the open levels at each place of a text.
#[derive(Default)]
pub(crate) struct StackEstimate {
    around: Vec<Level>,
    /// What is open at the place reached so far.
    level: Level,
    /// The greatest needs so far.
    stack: usize,
    angles: usize,
}

/// What is open since a bracket, and its cost.
#[derive(Clone, Copy, Default)]
struct Level {
    /// The bracket that ends it; 0 for the text itself.
    end: u8,
    /// The cost of all levels around it and of the bracket.
    base: usize,
    /// The cost of constructs that nest without brackets (`a ? b : c ? ..`, `a => b => ..`), since the last `;` or `,`.
    loose: usize,
    /// `<` without `>`, since the last `;`.
    angles: usize,
    /// The cost of brackets in strings and comments, in case they are neither.
    hidden: usize,
    /// The number of `else`, each of which may be inside the previous one.
    elses: usize,
}

impl Level {
    fn cost(&self) -> usize {
        self.base + self.loose + self.angles * 2_200 + self.hidden + self.elses * 600
    }

    fn add_sign(&mut self, byte: u8, before: Option<u8>) {
        match byte {
            b';' => (self.loose, self.angles) = (0, 0),
            b',' => self.loose = 0,
            b'=' => self.loose += 2_000,
            b'?' => self.loose += 1_500,
            b':' => self.loose += 900,
            b'*' | b'.' => self.loose += 350,
            b'!' | b'~' | b'+' | b'-' => self.loose += 200,
            // Type arguments end at `>`, casts go on.
            b'<' => {
                self.loose += 250;
                self.angles += 1;
            }
            b'>' if before != Some(b'=') => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
    }
}

impl StackEstimate {
    /// Adds a piece of the text.
    pub(crate) fn add(&mut self, bytes: &[u8], at: usize, lexeme: Lexeme) {
        let level = &mut self.level;
        match lexeme {
            Lexeme::Open(open) => {
                let cost = if open == b'{' { 5_000 } else { 3_000 };
                let inner = Level { end: closing(open), base: level.cost() + cost, ..Level::default() };
                self.around.push(std::mem::replace(level, inner));
            }
            // A bracket that matches nothing is in text that only looks like code.
            Lexeme::Close(end) if level.end == end => *level = self.around.pop().unwrap_or_default(),
            Lexeme::Close(_) => return,
            Lexeme::Literal(end) | Lexeme::Comment(end) => match unclosed(&bytes[at..end]) {
                0 => return,
                brackets => level.hidden += brackets * 5_000,
            },
            Lexeme::Word(end) => match word_cost(&bytes[at..end]) {
                0 => return,
                cost => {
                    level.loose += cost;
                    level.elses += usize::from(&bytes[at..end] == b"else");
                }
            },
            Lexeme::Byte(byte) => level.add_sign(byte, at.checked_sub(1).map(|before| bytes[before])),
        }
        self.stack = self.stack.max(self.level.cost());
        self.angles = self.angles.max(self.level.angles);
    }

    /// The bytes of stack that the whole text needs; see [`stack_needed`].
    pub(crate) fn stack_needed(&self, bytes: &[u8], max: usize) -> Option<usize> {
        let stack = (bytes.len() * COST_OF_A_BYTE).min(self.stack + cost_of_elements(bytes));
        (stack <= max && self.angles <= MAX_OPEN_ANGLES).then_some(stack.max(MIN_STACK))
    }
}

/// How many brackets a text opens without closing them.
fn unclosed(text: &[u8]) -> usize {
    text.iter().fold(0usize, |open, byte| match byte {
        b'(' | b'[' | b'{' => open + 1,
        b')' | b']' | b'}' => open.saturating_sub(1),
        _ => open,
    })
}

/// The cost of a keyword that makes the parser descend one level.
fn word_cost(word: &[u8]) -> usize {
    match word {
        b"class" | b"extends" | b"yield" | b"async" | b"infer" => 2_000,
        b"if" | b"else" | b"for" | b"while" | b"do" | b"with" | b"new" | b"keyof" | b"unique"
        | b"readonly" | b"case" => 900,
        b"await" | b"typeof" | b"void" | b"delete" => 300,
        _ => 0,
    }
}
