//! Where a long text can be cut: at the bodies of its functions and the ends of its statements, found without a
//! parser.
//!
//! It is a guess. Who cuts sees by the parser whether each piece is what it was taken for.

use crate::depth::Depth;
use crate::skim::{Piece, Skim};

/// Functions that say less are not worth a cut.
const LEAST: u32 = 32;

/// Nor are shorter ones: a key of a property that holds one is too long to be shown, with or without it.
const SHORTEST: u32 = 40;

/// How many ends of statements are noted in the length of a piece, at most.
const STOPS: u32 = 8;

/// Words in front of parentheses that are no parameters and no arguments.
const HEADS: &[&[u8]] = &[b"if", b"for", b"while", b"switch", b"with", b"catch", b"await"];

/// Words behind which a brace opens a block.
const BLOCKS: &[&[u8]] = &[b"else", b"try", b"finally", b"do"];

/// Words that begin a statement wherever they stand behind a brace.
const BEGINNINGS: &[&[u8]] = &[
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

/// A place between two words of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: u32,
    /// How many words and signs there are before it: what they cost to parse.
    seen: u32,
}

/// A list of statements, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}

/// The bodies of functions and the ends of statements.
pub(crate) struct Cuts {
    pub(crate) whole: Section,
    /// The bytes of stack that the whole text needs: [`stack_for`](crate::depth::stack_for).
    pub(crate) stack: Option<usize>,
    /// What is between the braces; in order, the body around before those inside.
    bodies: Vec<Section>,
    /// In order, those of all lists.
    stops: Vec<Stop>,
}

/// The end of a statement.
struct Stop {
    mark: Mark,
    /// Where the list of statements starts that it is in.
    list: u32,
}

impl Section {
    /// How many words and signs it has.
    pub(crate) fn size(self) -> u32 {
        self.end.seen - self.start.seen
    }
}

impl Cuts {
    /// Looks for them in a text that is to be read in pieces of a size.
    pub(crate) fn new(text: &str, piece: u32) -> Self {
        let list = List { start: Mark::default(), last: 0, bodies: 0, stops: 0 };
        let mut search = Search {
            skim: Skim::new(text.as_bytes()),
            bytes: text.as_bytes(),
            least: LEAST.min(piece),
            gap: (piece / STOPS).max(1),
            around: Vec::new(),
            innermost: Open { close: 0, is: Is::List(list) },
            before: Before::Sign,
            seen: 0,
            depth: Depth::default(),
            bodies: Vec::new(),
            stops: Vec::new(),
        };
        search.run();
        let Search { mut bodies, stops, seen, depth, .. } = search;
        bodies.retain(|it| it.end.at > 0);
        let whole = Section { start: Mark::default(), end: Mark { at: text.len() as u32, seen } };
        Self { whole, stack: depth.stack_for(text.as_bytes()), bodies, stops }
    }

    /// A list of statements in parts of at most a size, where no single statement is larger.
    pub(crate) fn parts(&self, list: Section, piece: u32) -> Vec<Section> {
        let from = self.stops.partition_point(|it| it.mark.at <= list.start.at);
        let to = self.stops.partition_point(|it| it.mark.at < list.end.at);
        let stops = self.stops[from..to].iter().filter(|it| it.list == list.start.at);
        let (mut start, mut end) = (list.start, list.start);
        let mut parts = Vec::new();
        for stop in stops.map(|it| it.mark).chain([list.end]) {
            if stop.seen - start.seen > piece && end.at > start.at {
                parts.push(Section { start, end });
                start = end;
            }
            end = stop;
        }
        parts.push(Section { start, end });
        parts
    }

    /// The bodies in a section that are inside no other.
    pub(crate) fn bodies(&self, inside: Section) -> Vec<Section> {
        let mut bodies = Vec::new();
        let mut index = self.bodies.partition_point(|it| it.start.at <= inside.start.at);
        while let Some(body) = self.bodies.get(index).filter(|it| it.end.at <= inside.end.at) {
            bodies.push(*body);
            index += self.bodies[index..].partition_point(|it| it.start.at < body.end.at);
        }
        bodies
    }
}

/// A bracket that is open.
struct Open {
    /// What closes it; 0 for the text itself.
    close: u8,
    is: Is,
}

enum Is {
    List(List),
    /// The braces of a statement that is no function.
    Block,
    /// The parentheses of `if (..)` and the like, and whether they are an operand themselves.
    Head {
        operand: bool,
    },
    /// Any other.
    Other,
}

/// A list of statements that has no end yet.
struct List {
    start: Mark,
    /// How many words there were before its last stop.
    last: u32,
    /// How many bodies and stops there were before it.
    bodies: usize,
    stops: usize,
}

/// What stands before a piece of code.
#[derive(Clone, Copy)]
enum Before {
    /// A word and where it is.
    Word {
        start: usize,
        end: usize,
    },
    /// `)`, and whether it is that of [a head](Is::Head).
    Parenthesis {
        head: bool,
    },
    Arrow,
    /// A semicolon in a list of statements; the mark is behind it.
    Semicolon(Mark),
    /// A closing brace in a list of statements.
    Brace(Mark),
    /// Anything else before which a block can stand.
    Sign,
    Other,
}

struct Search<'t> {
    skim: Skim<'t>,
    bytes: &'t [u8],
    /// The size of the smallest body that counts.
    least: u32,
    /// The least distance between stops.
    gap: u32,
    around: Vec<Open>,
    innermost: Open,
    before: Before,
    seen: u32,
    depth: Depth,
    bodies: Vec<Section>,
    stops: Vec<Stop>,
}

impl Search<'_> {
    fn run(&mut self) {
        while let Some((at, piece)) = self.skim.next() {
            self.depth.see(self.bytes, at, piece);
            if let Piece::Comment(_) = piece {
                continue;
            }
            self.stop(at, piece);
            self.seen += 1;
            self.before = match piece {
                Piece::Open(bracket) => self.open(bracket),
                Piece::Close(bracket) => self.close(at, bracket),
                Piece::Word(end) => Before::Word { start: at, end },
                Piece::Byte(b';') => match self.innermost.is {
                    Is::List(_) => Before::Semicolon(self.mark()),
                    _ => Before::Sign,
                },
                Piece::Byte(b'>') if at > 0 && self.bytes[at - 1] == b'=' => Before::Arrow,
                Piece::Byte(_) | Piece::Literal(_) | Piece::Comment(_) => Before::Other,
            };
        }
    }

    /// The place behind what was read last.
    fn mark(&self) -> Mark {
        Mark { at: self.skim.at as u32, seen: self.seen }
    }

    /// Notes the end of a statement, if what comes next does not go on with it.
    fn stop(&mut self, at: usize, next: Piece) {
        let word = match next {
            Piece::Word(end) => &self.bytes[at..end],
            _ => &[],
        };
        let mark = match self.before {
            Before::Semicolon(mark) if !matches!(word, b"else" | b"while") => mark,
            Before::Brace(mark) if BEGINNINGS.contains(&word) => mark,
            _ => return,
        };
        if let Is::List(list) = &mut self.innermost.is
            && mark.seen - list.last >= self.gap
            && !matches!(next, Piece::Close(_))
        {
            list.last = mark.seen;
            self.stops.push(Stop { mark, list: list.start.at });
        }
    }

    fn open(&mut self, bracket: u8) -> Before {
        let (close, is) = match bracket {
            b'(' => (b')', self.parentheses()),
            b'[' => (b']', Is::Other),
            _ => (b'}', self.braces()),
        };
        let behind = if let Is::List(_) | Is::Block = is { Before::Sign } else { Before::Other };
        let outer = std::mem::replace(&mut self.innermost, Open { close, is });
        self.around.push(outer);
        behind
    }

    /// What parentheses are that open here.
    fn parentheses(&self) -> Is {
        let Before::Word { start, end } = self.before else { return Is::Other };
        let word = &self.bytes[start..end];
        // `promise.catch(..)` is a call.
        let is_property = start > 0 && self.bytes[start - 1] == b'.';
        match HEADS.contains(&word) && !is_property {
            true => Is::Head { operand: word == b"await" },
            false => Is::Other,
        }
    }

    /// What braces are that open here.
    fn braces(&mut self) -> Is {
        match self.before {
            Before::Parenthesis { head: false } | Before::Arrow => {
                let (start, bodies, stops) = (self.mark(), self.bodies.len(), self.stops.len());
                self.bodies.push(Section { start, end: Mark::default() });
                Is::List(List { start, last: self.seen, bodies, stops })
            }
            Before::Word { start, end } if BLOCKS.contains(&&self.bytes[start..end]) => Is::Block,
            Before::Parenthesis { head: true } | Before::Semicolon(_) | Before::Brace(_) | Before::Sign => {
                Is::Block
            }
            Before::Word { .. } | Before::Other => Is::Other,
        }
    }

    fn close(&mut self, at: usize, bracket: u8) -> Before {
        // A bracket that fits none is in some text that only looks like code.
        if self.innermost.close != bracket {
            return Before::Other;
        }
        let Some(outer) = self.around.pop() else { return Before::Other };
        let closed = std::mem::replace(&mut self.innermost, outer);
        match &closed.is {
            Is::List(list) => {
                let end = Mark { at: at as u32, seen: self.seen - 1 };
                if end.seen - list.start.seen < self.least || end.at - list.start.at < SHORTEST {
                    self.bodies.truncate(list.bodies);
                    self.stops.truncate(list.stops);
                } else {
                    self.bodies[list.bodies].end = end;
                }
            }
            Is::Head { operand } => {
                self.skim.operand = *operand;
                return Before::Parenthesis { head: true };
            }
            Is::Other if bracket == b')' => return Before::Parenthesis { head: false },
            Is::Block | Is::Other => {}
        }
        // A template goes on behind its braces, whatever they are.
        let is_brace = bracket == b'}' && self.skim.at == at + 1;
        let is_statement = !matches!(closed.is, Is::Other);
        if is_brace && is_statement {
            self.skim.operand = false;
        }
        match self.innermost.is {
            Is::List(_) if is_brace => Before::Brace(self.mark()),
            _ if is_brace && is_statement => Before::Sign,
            _ => Before::Other,
        }
    }
}
