//! Makes the outline of a text that parses. A long text is read piece by piece, so that only the syntax tree of one piece
//! is in memory at a time.
//!
//! A long text is read as lists of statements: the top level, and the bodies of functions. A list is parsed in parts; if
//! a single statement is long, the bodies of its functions are left out and read afterwards as lists of their own. The
//! outline is still that of the whole text: the parser confirms that each part ends where it was cut, and that each body
//! is one. If not, the split was wrong, and the code around it is read without that split.
//!
//! ```text
//! let a = 1;                1st part of the top level
//! define(function () {      2nd part: too long for one piece, so it is parsed as `define(function () {⏎});`,
//!   first();                and then the body in parts:
//!   ..                      `function f(){ first(); .. }`
//!   last();                 `function f(){ .. last(); }`
//! });
//! ```

mod assemble;
mod collector;
mod fingerprint;
mod limits;
mod piece;
mod reread;
mod split;
mod statements;

use oxc_allocator::Allocator;
use oxc_span::SourceType;

use crate::definition::{Definition, Outline};
use crate::language::Language;
use crate::stack_budget::LARGE_STACK;
use assemble::{outline_of, top_level};
use collector::FunctionFlags;
use fingerprint::RunHash;
use limits::{LIMITS, Limits};
pub(crate) use limits::{ParseFailure, source_type};
use piece::Piece;
pub(crate) use reread::{Before, Pieces};
use split::{Region, SplitPoints};

/// The maximum nesting of bodies that are cut out.
const MAX_NESTED_BODIES: u32 = 64;

/// The outline of a text, if `stack` bytes of stack are enough.
pub(crate) fn parse(text: &str, language: Language, stack: usize) -> Result<Outline, ParseFailure> {
    parse_in(LIMITS, text, language, stack)
}

/// The same, with the pieces of the text, by which it can be read again after an edit; a long text has none.
pub(crate) fn parse_in_lines(
    text: &str,
    language: Language,
    stack: usize,
) -> Result<(Outline, Option<Pieces>), ParseFailure> {
    if text.len() <= LIMITS.short {
        Pieces::read(text, language, stack).map(|(outline, pieces)| (outline, Some(pieces)))
    } else {
        parse(text, language, stack).map(|outline| (outline, None))
    }
}

fn parse_in(limits: Limits, text: &str, language: Language, stack: usize) -> Result<Outline, ParseFailure> {
    let source_type = source_type(language);
    if text.len() <= limits.short {
        let piece = Piece::new(text, 0..text.len() as u32, None, &[]);
        limits.check_stack(&piece.text, stack)?;
        let read =
            piece.read(&Allocator::default(), source_type).map_err(|at| ParseFailure::At(at as usize))?;
        let mut definitions = vec![top_level(text)];
        let top = piece.define(read, &[], &mut definitions).unwrap_or_default();
        return Ok(outline_of(definitions, top));
    }
    // Most long texts have such a piece; then this is known before all others are read.
    let stack_of_most = limits.stack.min(LARGE_STACK);
    if stack < stack_of_most {
        return Err(ParseFailure::NeedsStack(stack_of_most));
    }
    let split_points = SplitPoints::new(text, limits.piece);
    let whole = split_points.whole;
    let mut parser = PieceParser::new(text, &split_points, limits, source_type, stack);
    let mut top = parser.list(whole, Enclosing::default());
    if parser.is_module && parser.has_await && top.is_ok() {
        // Pieces that were read before this was known may mean something else.
        parser = PieceParser::new(text, &split_points, limits, source_type.with_module(true), stack);
        top = parser.list(whole, Enclosing::default());
    }
    if top.is_err() {
        parser = PieceParser::new(text, &split_points, limits, source_type, stack);
        top = parser.piece(whole, &[], Enclosing::default());
    }
    Ok(outline_of(parser.definitions, top?))
}

/// The outline of a text in which no definitions were found.
pub(crate) fn without_definitions(text: &str) -> Outline {
    Outline { exact: false, ..outline_of(vec![top_level(text)], RunHash::default()) }
}

/// The code around a list of statements.
#[derive(Clone, Copy, Default)]
struct Enclosing {
    /// The function whose body it is; `None` for the top level.
    function: Option<FunctionFlags>,
    /// How many cut-out bodies are around this one.
    depth: u32,
}

/// Reads a long text.
struct PieceParser<'t> {
    text: &'t str,
    split_points: &'t SplitPoints,
    limits: Limits,
    source_type: SourceType,
    stack: usize,
    /// The definitions found so far.
    definitions: Vec<Definition>,
    /// Whether a piece of the top level shows that the text is a module, and whether another piece means something else in one.
    is_module: bool,
    has_await: bool,
    /// How many tokens may still be read a second time because a split was wrong.
    retry_budget: u32,
    allocator: Allocator,
}

impl<'t> PieceParser<'t> {
    fn new(
        text: &'t str,
        split_points: &'t SplitPoints,
        limits: Limits,
        source_type: SourceType,
        stack: usize,
    ) -> Self {
        Self {
            text,
            split_points,
            limits,
            source_type,
            stack,
            definitions: vec![top_level(text)],
            is_module: false,
            has_await: false,
            retry_budget: limits.largest / 2,
            allocator: Allocator::default(),
        }
    }

    /// Reads a list of statements in parts.
    fn list(&mut self, list: Region, enclosing: Enclosing) -> Result<RunHash, ParseFailure> {
        let known = self.definitions.len();
        let parts = self.split_points.parts(list, self.limits.piece);
        let read =
            parts.iter().try_fold(RunHash::default(), |run, part| Ok(run.join(self.part(*part, enclosing)?)));
        if parts.len() > 1 {
            read.or_else(|error| self.without_cuts(list, enclosing, known, error))
        } else {
            read
        }
    }

    /// Reads statements at once, leaving out the bodies of functions if that would be too much.
    fn part(&mut self, part: Region, enclosing: Enclosing) -> Result<RunHash, ParseFailure> {
        let is_cut = part.size() > self.limits.piece && enclosing.depth < MAX_NESTED_BODIES;
        let holes = if is_cut { self.split_points.bodies(part) } else { Vec::new() };
        let known = self.definitions.len();
        let read = self.piece(part, &holes, enclosing);
        if holes.is_empty() {
            read
        } else {
            read.or_else(|error| self.without_cuts(part, enclosing, known, error))
        }
    }

    /// Reads in one piece a part that could not be read with cuts.
    fn without_cuts(
        &mut self,
        region: Region,
        enclosing: Enclosing,
        known: usize,
        error: ParseFailure,
    ) -> Result<RunHash, ParseFailure> {
        let left = self.retry_budget.checked_sub(region.size());
        let (ParseFailure::At(_), Some(left)) = (error, left) else { return Err(error) };
        self.retry_budget = left;
        self.definitions.truncate(known);
        self.piece(region, &[], enclosing)
    }

    fn piece(
        &mut self,
        region: Region,
        holes: &[Region],
        enclosing: Enclosing,
    ) -> Result<RunHash, ParseFailure> {
        let left_out: u32 = holes.iter().map(|hole| hole.size()).sum();
        if region.size() - left_out > self.limits.largest {
            return Err(ParseFailure::TooLarge);
        }
        let piece = Piece::new(self.text, region.start.at..region.end.at, enclosing.function, holes);
        if self.split_points.stack.is_none_or(|needed| needed > self.stack.min(self.limits.stack)) {
            self.limits.check_stack(&piece.text, self.stack)?;
        }
        let mut allocator = std::mem::take(&mut self.allocator);
        let parsed = piece.read(&allocator, self.source_type);
        allocator.reset();
        self.allocator = allocator;
        let read = parsed.map_err(|at| ParseFailure::At(piece.place(at) as usize))?;
        if enclosing.function.is_none() {
            self.is_module |= read.is_module;
            self.has_await |= read.has_await && !read.is_module;
        }
        let mut runs = Vec::with_capacity(holes.len());
        for (hole, flags) in holes.iter().zip(&read.functions) {
            let enclosing = Enclosing { function: Some(*flags), depth: enclosing.depth + 1 };
            runs.push(self.list(*hole, enclosing)?);
        }
        let at = region.start.at as usize;
        piece.define(read, &runs, &mut self.definitions).ok_or(ParseFailure::At(at))
    }
}

#[cfg(test)]
mod tests;
