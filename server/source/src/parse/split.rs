//! Finds where a long text can be split, without a parser: at the bodies of its functions and the ends of its statements.
//!
//! ```text
//! const a = 1; f(function () { g(); h(); });
//!             |               ^^^^^^^^^^^        one end of a statement, one body
//!                                 |              and an end of a statement in that body
//! ```
//!
//! It is a guess: the parser tells the caller whether each piece is what it was assumed to be.

use crate::scanner::{Lexeme, Scanner};
use crate::stack_budget::{MAX_STACK, StackEstimate};

/// Functions with fewer tokens are not worth a cut.
const MIN_TOKENS: u32 = 32;

/// Nor are those with fewer bytes: a computed key with a longer one is too long to be shown, with or without it.
const MIN_BYTES: u32 = 40;

/// The most ends of statements that are recorded in the length of a piece.
const ENDS_PER_PIECE: u32 = 8;

/// Words whose parentheses are neither parameters nor arguments.
const CONTROL_KEYWORDS: &[&[u8]] = &[b"if", b"for", b"while", b"switch", b"with", b"catch", b"await"];

/// Words after which a brace opens a block.
const BLOCK_KEYWORDS: &[&[u8]] = &[b"else", b"try", b"finally", b"do"];

/// Words that begin a statement wherever they follow a brace.
pub(crate) const STATEMENT_KEYWORDS: &[&[u8]] = &[
    b"async",
    b"class",
    b"const",
    b"export",
    b"for",
    b"function",
    b"if",
    b"import",
    b"let",
    b"return",
    b"switch",
    b"throw",
    b"try",
    b"var",
];

/// A place between two tokens of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Boundary {
    pub(crate) at: u32,
    /// How many tokens come before it, which tells how much they cost to parse.
    tokens: u32,
}

/// A sequence of statements, as far as known: a whole list, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: Boundary,
    pub(crate) end: Boundary,
}

/// The bodies of functions and the ends of statements.
pub(crate) struct SplitPoints {
    pub(crate) whole: Region,
    /// The bytes of stack that the whole text needs: [`stack_needed`](crate::stack_budget::stack_needed).
    pub(crate) stack: Option<usize>,
    /// The ranges between the braces, in order; an outer body comes before inner ones.
    bodies: Vec<Region>,
    /// In order, those of all lists.
    ends: Vec<StatementEnd>,
}

/// The end of a statement.
struct StatementEnd {
    boundary: Boundary,
    /// Where the list of statements that it belongs to starts.
    list: u32,
}

impl Region {
    /// How many tokens it has.
    pub(crate) fn size(self) -> u32 {
        self.end.tokens - self.start.tokens
    }
}

impl SplitPoints {
    /// Finds the split points of a text that is to be read in pieces of a size.
    pub(crate) fn new(text: &str, piece: u32) -> Self {
        let list = StatementList { start: Boundary::default(), last: 0, bodies: 0, ends: 0 };
        let mut search = SplitSearch {
            scanner: Scanner::new(text.as_bytes()),
            bytes: text.as_bytes(),
            least: MIN_TOKENS.min(piece),
            gap: (piece / ENDS_PER_PIECE).max(1),
            around: Vec::new(),
            innermost: OpenBracket { close: 0, kind: BracketKind::StatementList(list) },
            preceding: Preceding::Sign,
            tokens: 0,
            stack: StackEstimate::default(),
            bodies: Vec::new(),
            ends: Vec::new(),
        };
        search.run();
        let SplitSearch { mut bodies, ends, tokens, stack, .. } = search;
        bodies.retain(|body| body.end.at > 0);
        let whole = Region { start: Boundary::default(), end: Boundary { at: text.len() as u32, tokens } };
        Self { whole, stack: stack.stack_needed(text.as_bytes(), MAX_STACK), bodies, ends }
    }

    /// Splits a list of statements into parts of at most a size, unless a single statement is larger.
    pub(crate) fn parts(&self, list: Region, piece: u32) -> Vec<Region> {
        let from = self.ends.partition_point(|end| end.boundary.at <= list.start.at);
        let to = self.ends.partition_point(|end| end.boundary.at < list.end.at);
        let ends = self.ends[from..to].iter().filter(|end| end.list == list.start.at);
        let (mut start, mut end) = (list.start, list.start);
        let mut parts = Vec::new();
        for next in ends.map(|end| end.boundary).chain([list.end]) {
            if next.tokens - start.tokens > piece && end.at > start.at {
                parts.push(Region { start, end });
                start = end;
            }
            end = next;
        }
        parts.push(Region { start, end });
        parts
    }

    /// The bodies in a region that are not inside another one.
    pub(crate) fn bodies(&self, inside: Region) -> Vec<Region> {
        let mut bodies = Vec::new();
        let mut index = self.bodies.partition_point(|body| body.start.at <= inside.start.at);
        while let Some(body) = self.bodies.get(index).filter(|body| body.end.at <= inside.end.at) {
            bodies.push(*body);
            index += self.bodies[index..].partition_point(|body| body.start.at < body.end.at);
        }
        bodies
    }
}

/// An open bracket.
struct OpenBracket {
    /// The bracket that closes it; 0 for the text itself.
    close: u8,
    kind: BracketKind,
}

enum BracketKind {
    StatementList(StatementList),
    /// The braces of a statement that is not a function.
    Block,
    /// The parentheses of `if (..)` and the like, and whether they are themselves an operand.
    Head {
        operand: bool,
    },
    /// Any other bracket.
    Other,
}

/// A list of statements that has not ended yet.
struct StatementList {
    start: Boundary,
    /// How many tokens precede the last recorded end of a statement in it.
    last: u32,
    /// How many bodies and ends of statements were recorded before it.
    bodies: usize,
    ends: usize,
}

/// What comes before a piece of code.
#[derive(Clone, Copy)]
enum Preceding {
    /// A word and where it is.
    Word {
        start: usize,
        end: usize,
    },
    /// `)`, and whether it closes [a head](BracketKind::Head).
    Parenthesis {
        head: bool,
    },
    Arrow,
    /// A semicolon in a list of statements, with the boundary after it.
    Semicolon(Boundary),
    /// A closing brace in a list of statements, with the boundary after it.
    Brace(Boundary),
    /// Anything else that can precede a block.
    Sign,
    Other,
}

struct SplitSearch<'t> {
    scanner: Scanner<'t>,
    bytes: &'t [u8],
    /// The size of the smallest body that counts.
    least: u32,
    /// The minimum distance between two recorded ends of statements.
    gap: u32,
    around: Vec<OpenBracket>,
    innermost: OpenBracket,
    preceding: Preceding,
    tokens: u32,
    stack: StackEstimate,
    bodies: Vec<Region>,
    ends: Vec<StatementEnd>,
}

impl SplitSearch<'_> {
    fn run(&mut self) {
        while let Some((at, lexeme)) = self.scanner.next() {
            self.stack.add(self.bytes, at, lexeme);
            if let Lexeme::Comment(_) = lexeme {
                continue;
            }
            self.end_statement(at, lexeme);
            self.tokens += 1;
            self.preceding = match lexeme {
                Lexeme::Open(bracket) => self.open(bracket),
                Lexeme::Close(bracket) => self.close(at, bracket),
                Lexeme::Word(end) => Preceding::Word { start: at, end },
                Lexeme::Byte(b';') => match self.innermost.kind {
                    BracketKind::StatementList(_) => Preceding::Semicolon(self.boundary()),
                    _ => Preceding::Sign,
                },
                Lexeme::Byte(b'>') if at > 0 && self.bytes[at - 1] == b'=' => Preceding::Arrow,
                Lexeme::Byte(_) | Lexeme::Literal(_) | Lexeme::Comment(_) => Preceding::Other,
            };
        }
    }

    /// The place after what was read last.
    fn boundary(&self) -> Boundary {
        Boundary { at: self.scanner.at as u32, tokens: self.tokens }
    }

    /// Records the end of a statement, unless the next lexeme continues it.
    fn end_statement(&mut self, at: usize, next: Lexeme) {
        let word = match next {
            Lexeme::Word(end) => &self.bytes[at..end],
            _ => &[],
        };
        let boundary = match self.preceding {
            Preceding::Semicolon(boundary) if !matches!(word, b"else" | b"while") => boundary,
            Preceding::Brace(boundary) if STATEMENT_KEYWORDS.contains(&word) => boundary,
            _ => return,
        };
        if let BracketKind::StatementList(list) = &mut self.innermost.kind
            && boundary.tokens - list.last >= self.gap
            && !matches!(next, Lexeme::Close(_))
        {
            list.last = boundary.tokens;
            self.ends.push(StatementEnd { boundary, list: list.start.at });
        }
    }

    fn open(&mut self, bracket: u8) -> Preceding {
        let (close, kind) = match bracket {
            b'(' => (b')', self.parentheses()),
            b'[' => (b']', BracketKind::Other),
            _ => (b'}', self.braces()),
        };
        let after = if let BracketKind::StatementList(_) | BracketKind::Block = kind {
            Preceding::Sign
        } else {
            Preceding::Other
        };
        let outer = std::mem::replace(&mut self.innermost, OpenBracket { close, kind });
        self.around.push(outer);
        after
    }

    /// What kind of parentheses open here.
    fn parentheses(&self) -> BracketKind {
        let Preceding::Word { start, end } = self.preceding else { return BracketKind::Other };
        let word = &self.bytes[start..end];
        // `promise.catch(..)` is a call.
        let is_property = start > 0 && self.bytes[start - 1] == b'.';
        match CONTROL_KEYWORDS.contains(&word) && !is_property {
            true => BracketKind::Head { operand: word == b"await" },
            false => BracketKind::Other,
        }
    }

    /// What kind of braces open here.
    fn braces(&mut self) -> BracketKind {
        match self.preceding {
            Preceding::Parenthesis { head: false } | Preceding::Arrow => {
                let (start, bodies, ends) = (self.boundary(), self.bodies.len(), self.ends.len());
                self.bodies.push(Region { start, end: Boundary::default() });
                BracketKind::StatementList(StatementList { start, last: self.tokens, bodies, ends })
            }
            Preceding::Word { start, end } if BLOCK_KEYWORDS.contains(&&self.bytes[start..end]) => {
                BracketKind::Block
            }
            Preceding::Parenthesis { head: true }
            | Preceding::Semicolon(_)
            | Preceding::Brace(_)
            | Preceding::Sign => BracketKind::Block,
            Preceding::Word { .. } | Preceding::Other => BracketKind::Other,
        }
    }

    fn close(&mut self, at: usize, bracket: u8) -> Preceding {
        // A bracket that closes nothing is in text that only looks like code.
        if self.innermost.close != bracket {
            return Preceding::Other;
        }
        let Some(outer) = self.around.pop() else { return Preceding::Other };
        let closed = std::mem::replace(&mut self.innermost, outer);
        match &closed.kind {
            BracketKind::StatementList(list) => {
                let end = Boundary { at: at as u32, tokens: self.tokens - 1 };
                if end.tokens - list.start.tokens < self.least || end.at - list.start.at < MIN_BYTES {
                    self.bodies.truncate(list.bodies);
                    self.ends.truncate(list.ends);
                } else {
                    self.bodies[list.bodies].end = end;
                }
            }
            BracketKind::Head { operand } => {
                self.scanner.operand = *operand;
                return Preceding::Parenthesis { head: true };
            }
            BracketKind::Other if bracket == b')' => return Preceding::Parenthesis { head: false },
            BracketKind::Block | BracketKind::Other => {}
        }
        // A template continues after its braces, whatever they are.
        let is_brace = bracket == b'}' && self.scanner.at == at + 1;
        let is_statement = !matches!(closed.kind, BracketKind::Other);
        if is_brace && is_statement {
            self.scanner.operand = false;
        }
        match self.innermost.kind {
            BracketKind::StatementList(_) if is_brace => Preceding::Brace(self.boundary()),
            _ if is_brace && is_statement => Preceding::Sign,
            _ => Preceding::Other,
        }
    }
}
