//! What of a text is nested too deeply to be parsed, and the text without it, so that all around is read.
//!
//! A name takes its place, which is allowed nearly everywhere: as a value, a statement, a property, a parameter, a type.
//! What goes too deep by brackets is left out inside of those at which it does; what does so without them (`a => b => ..`)
//! with its statement, or its item of a list. The name is a hash of what it stands for, so that a function changes with
//! what was left out of it.
//!
//! ```text
//! const a = [[[[1], 2]], 3];         const a = [[[_f____]], 3];         with room for three brackets
//! let b: A<B<C<D<E>>>> = f();        let b: A<B<_8_____>> = f();        with room for two `<`
//! function c() { return !!!1; d() }  function c() { _5_________; d() }  with room for two `!`
//! ```

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::scanner::{Lexeme, Scanner, closing, is_line_end};
use crate::stack_budget::{Level, MAX_OPEN_ANGLES, StackEstimate, cost_of_elements, stack_needed};
use crate::token_hashes::token_hashes;

/// What is kept back for the brackets around what is left out.
const SPARE: usize = 16 << 10;

/// Words that go on with a statement at the start of a line, or after a brace.
const CONTINUING: &[&[u8]] = &[
    b"as",
    b"catch",
    b"else",
    b"extends",
    b"finally",
    b"from",
    b"implements",
    b"in",
    b"instanceof",
    b"is",
    b"of",
    b"satisfies",
    b"while",
];

/// A text of the same length without what is nested too deeply for a stack, and where that was, in order. If the rest would
/// still need more, that is all that is `inside`.
pub(crate) fn without_too_deep(
    text: &str,
    inside: Range<usize>,
    stack: usize,
) -> (String, Vec<Range<usize>>) {
    let mut search = Search::new(text.as_bytes(), stack);
    search.run();
    let mut found = search.found;
    let mut rest = replaced(text, &found);
    if stack_needed(&rest, 0, stack).is_none() {
        found = vec![TooDeep { range: inside, keyword: "" }];
        rest = replaced(text, &found);
    }
    (rest, joined(text, found))
}

/// The text with names in place of what is too deep.
fn replaced(text: &str, too_deep: &[TooDeep]) -> String {
    let mut all = String::with_capacity(text.len());
    for TooDeep { range, keyword } in too_deep {
        all.push_str(&text[all.len()..range.start]);
        all.push_str(keyword);
        let mut hasher = FxHasher::default();
        token_hashes(&text[range.clone()]).for_each(|it| hasher.write_u64(it));
        let name = format!("_{:016x}", hasher.finish());
        let room = range.end - all.len();
        all.push_str(&name[..name.len().min(room)]);
        // The whole length, so that what ends with it ends there.
        all.extend(std::iter::repeat_n('_', range.end - all.len()));
    }
    all.push_str(&text[all.len()..]);
    all
}

/// The places, as one where there is nothing between them.
fn joined(text: &str, too_deep: Vec<TooDeep>) -> Vec<Range<usize>> {
    let is_nothing = |it: &str| it.chars().all(|it| it.is_whitespace() || matches!(it, ',' | ';'));
    let mut all: Vec<Range<usize>> = Vec::with_capacity(too_deep.len());
    for TooDeep { range, .. } in too_deep {
        match all.last_mut().filter(|it| is_nothing(&text[it.end..range.start])) {
            Some(last) => last.end = range.end,
            None => all.push(range),
        }
    }
    all
}

/// A part of a text that is too deep.
struct TooDeep {
    range: Range<usize>,
    /// What must stand before a name there.
    keyword: &'static str,
}

/// A place, and what was open there inside of the innermost bracket.
#[derive(Clone, Copy, Default)]
struct Mark {
    at: usize,
    level: Level,
}

/// A bracket that is open, or what is outside of all.
struct OpenLevel {
    /// Whether it is that of `switch (..)`.
    is_switch: bool,
    /// What must stand before a name that is all that it holds.
    keyword: &'static str,
    /// Where its inside begins.
    inside: Mark,
    /// Where the last statement in it began.
    statement: Mark,
    /// Where the last statement or item of a list in it began.
    item: Mark,
    /// The place after the last `=>` of that. None after a `?`, whose `:` may follow.
    arrow: Option<Mark>,
    has_question: bool,
    /// Whether a statement or an item begins with the next token.
    next: Option<Begins>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Item,
    Statement,
}

/// What stands before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    For,
    Switch,
    /// The parentheses of `switch`.
    SwitchHead,
    Brace,
    Other,
}

/// What is being left out.
struct Skipped {
    start: usize,
    keyword: &'static str,
    until: Until,
    /// What closes the brackets inside that are open.
    open: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Until {
    /// The end of the bracket around.
    Bracket,
    /// The end of a statement, or of an item of a list.
    Item,
    /// The end of a list of type arguments, of which so many are open.
    Angle(usize),
}

struct Search<'t> {
    bytes: &'t [u8],
    /// What all levels around a place may cost together.
    limit: usize,
    estimate: StackEstimate,
    around: Vec<OpenLevel>,
    innermost: OpenLevel,
    before: Before,
    /// Where the last token ends.
    end: usize,
    skipped: Option<Skipped>,
    found: Vec<TooDeep>,
}

impl OpenLevel {
    fn new(is_switch: bool, keyword: &'static str, inside: Mark) -> Self {
        let next = Some(Begins::Statement);
        Self {
            is_switch,
            keyword,
            inside,
            statement: inside,
            item: inside,
            arrow: None,
            has_question: false,
            next,
        }
    }

    /// Notes what begins at a place.
    fn begin(&mut self, what: Begins, mark: Mark) {
        if what == Begins::Statement {
            self.statement = mark;
        }
        (self.item, self.arrow, self.has_question, self.next) = (mark, None, false, None);
    }
}

impl<'t> Search<'t> {
    fn new(bytes: &'t [u8], stack: usize) -> Self {
        Self {
            bytes,
            limit: stack.saturating_sub(cost_of_elements(bytes) + SPARE),
            estimate: StackEstimate::default(),
            around: Vec::new(),
            innermost: OpenLevel::new(false, "", Mark::default()),
            before: Before::Other,
            end: 0,
            skipped: None,
            found: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut scanner = Scanner::new(self.bytes);
        loop {
            let operand = scanner.operand;
            let Some((at, lexeme)) = scanner.next() else { break };
            let begins = operand && self.begins(at, lexeme);
            if !self.skips(at, lexeme, begins) {
                self.add(at, scanner.at, lexeme, begins);
            }
            if !matches!(lexeme, Lexeme::Comment(_)) {
                self.end = scanner.at;
                self.before = self.after(at, lexeme);
            }
        }
        if let Some(skipped) = self.skipped.take() {
            self.leave_out(&skipped);
        }
    }

    /// Whether a statement seems to begin after an operand: with the first word in a line, or after a brace.
    fn begins(&self, at: usize, lexeme: Lexeme) -> bool {
        let Lexeme::Word(end) = lexeme else { return false };
        matches!(self.estimate.level.end, 0 | b'}')
            && (self.before == Before::Brace || self.bytes[self.end..at].iter().any(|&it| is_line_end(it)))
            && !CONTINUING.contains(&&self.bytes[at..end])
    }

    /// What stands before the token after this one.
    fn after(&self, at: usize, lexeme: Lexeme) -> Before {
        match lexeme {
            Lexeme::Word(end) => match &self.bytes[at..end] {
                // `symbol.for(..)` is a call.
                _ if at > 0 && self.bytes[at - 1] == b'.' => Before::Other,
                b"for" => Before::For,
                b"await" if self.before == Before::For => Before::For,
                b"switch" => Before::Switch,
                _ => Before::Other,
            },
            Lexeme::Close(b'}') => Before::Brace,
            // It was noted when the bracket was closed.
            Lexeme::Close(_) if self.before == Before::SwitchHead => Before::SwitchHead,
            _ => Before::Other,
        }
    }

    /// Whether a token is left out.
    fn skips(&mut self, at: usize, lexeme: Lexeme, begins: bool) -> bool {
        let Some(mut skipped) = self.skipped.take() else { return false };
        let goes_on = match lexeme {
            Lexeme::Open(bracket) => {
                skipped.open.push(closing(bracket));
                true
            }
            Lexeme::Close(bracket) => match skipped.open.last() {
                Some(last) if *last == bracket => skipped.open.pop().is_some(),
                Some(_) => true,
                None => bracket != self.estimate.level.end,
            },
            _ if !skipped.open.is_empty() => true,
            _ => skipped.until.goes_on(lexeme, begins, at.checked_sub(1).map(|it| self.bytes[it])),
        };
        if goes_on {
            self.skipped = Some(skipped);
        } else {
            self.leave_out(&skipped);
        }
        goes_on
    }

    /// Leaves out what was skipped, up to the last token.
    fn leave_out(&mut self, skipped: &Skipped) {
        let (mut start, keyword) = (skipped.start, skipped.keyword);
        if let Until::Angle(1..) = skipped.until {
            // It has no end, so these were no type arguments.
            let Mark { at, level } = self.innermost.statement;
            (start, self.estimate.level) = (at, level);
        }
        // What was left out before may be inside of this.
        while self.found.last().is_some_and(|it| it.range.start >= start) {
            self.found.pop();
        }
        if start + keyword.len() < self.end {
            self.found.push(TooDeep { range: start..self.end, keyword });
        }
    }

    /// Adds a token, and begins to skip where that is too much.
    fn add(&mut self, at: usize, end: usize, lexeme: Lexeme, begins: bool) {
        let here = Mark { at, level: self.estimate.level };
        let next = if begins { Some(Begins::Statement) } else { self.innermost.next };
        if let Some(next) = next.filter(|_| !matches!(lexeme, Lexeme::Comment(_))) {
            self.innermost.begin(next, here);
        }
        if let Lexeme::Close(bracket) = lexeme
            && self.estimate.level.end == bracket
            && let Some(outer) = self.around.pop()
        {
            let closed = std::mem::replace(&mut self.innermost, outer);
            self.before = if closed.is_switch { Before::SwitchHead } else { Before::Other };
        }
        self.estimate.add(self.bytes, at, lexeme);
        let level = self.estimate.level;
        let is_too_deep = level.cost() > self.limit;
        match lexeme {
            Lexeme::Open(bracket) => {
                let keyword = match (self.before, bracket) {
                    (Before::For, b'(') => ";;",
                    (Before::SwitchHead, b'{') => "default:",
                    _ => "",
                };
                let is_switch = self.before == Before::Switch && bracket == b'(';
                let inner = OpenLevel::new(is_switch, keyword, Mark { at: end, level });
                self.around.push(std::mem::replace(&mut self.innermost, inner));
            }
            Lexeme::Byte(b';') => self.innermost.next = Some(Begins::Statement),
            Lexeme::Byte(b',') => self.innermost.next = Some(Begins::Item),
            Lexeme::Byte(b'?') => self.innermost.has_question = true,
            Lexeme::Byte(b'>') if at > 0 && self.bytes[at - 1] == b'=' && !self.innermost.has_question => {
                self.innermost.arrow = Some(Mark { at: end, level });
            }
            _ => {}
        }
        if is_too_deep && !matches!(lexeme, Lexeme::Close(_)) || level.angles >= MAX_OPEN_ANGLES {
            self.begin_to_skip(lexeme, here, end);
        }
    }

    /// Begins to skip what is too deep because of a token.
    fn begin_to_skip(&mut self, token: Lexeme, at: Mark, end: usize) {
        let OpenLevel { keyword, inside, next, .. } = self.innermost;
        let own = self.estimate.level.cost() - inside.level.cost();
        let is_many = self.estimate.level.angles >= MAX_OPEN_ANGLES;
        if inside.level.end != 0 && own < SPARE && !is_many {
            // What is around it is so deep that hardly anything may be inside.
            self.estimate.level = inside.level;
            return self.skip(inside.at, keyword, Until::Bracket);
        }
        if token == Lexeme::Byte(b'<') {
            return self.skip(end, "", Until::Angle(1));
        }
        if let Some(next) = next {
            // A comment before it, with brackets that may be none.
            self.innermost.begin(next, at);
        }
        self.end = end;
        let Mark { at, level } = self.innermost.arrow.unwrap_or(self.innermost.item);
        self.estimate.level = level;
        let space = self.bytes[at..].iter().take_while(|it| it.is_ascii_whitespace()).count();
        self.skip(at + space, "", Until::Item);
    }

    fn skip(&mut self, start: usize, keyword: &'static str, until: Until) {
        self.skipped = Some(Skipped { start, keyword, until, open: Vec::new() });
    }
}

impl Until {
    /// Whether it is not reached with a token that is inside no bracket and closes none.
    fn goes_on(&mut self, lexeme: Lexeme, begins: bool, before: Option<u8>) -> bool {
        match self {
            Self::Bracket => true,
            Self::Item => !begins && !matches!(lexeme, Lexeme::Byte(b';' | b',')),
            Self::Angle(open) => {
                match lexeme {
                    Lexeme::Byte(b'<') => *open += 1,
                    Lexeme::Byte(b'>') if before != Some(b'=') => *open -= 1,
                    Lexeme::Byte(b';') => return false,
                    _ => {}
                }
                *open > 0 && !begins
            }
        }
    }
}
