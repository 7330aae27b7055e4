//! From a text that parses to its outline, a piece at a time if it is long: no more than the syntax tree of a piece is
//! in memory at once.
//!
//! A long text is read as lists of statements: the top level, and the bodies of functions. A list is parsed in parts;
//! where a single statement is long, the bodies of its functions are left out, and read afterwards as lists of their
//! own. The outline is that of the whole: the parser says of each part that it ends where it was cut, and of each body
//! that it is one. If it does not, the cut was wrong, and what is around is read without it.

use oxc_allocator::Allocator;
use oxc_span::SourceType;

use crate::collect::Flavour;
use crate::cuts::{Cuts, Section};
use crate::definition::{Definition, Outline};
use crate::depth;
use crate::fingerprint::Run;
use crate::finish::{outline_of, top_level};
use crate::language::Language;
use crate::piece::Piece;

/// The sizes that texts are read in.
const SIZES: Sizes = Sizes { short: 2 << 20, piece: 200_000, most: 7_000_000 };

/// Bodies in bodies that are cut out, at most.
const DEEPEST: u32 = 64;

/// How much of a text is parsed at once.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// The bytes of a text that need not be cut.
    short: usize,
    /// The words and signs of a piece, where a text can be cut so.
    piece: u32,
    /// The words and signs of what cannot be cut, before it is too large to be read.
    most: u32,
}

/// Why a text was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It stops to make sense at an offset.
    At(usize),
    /// A part of it that cannot be cut is too large.
    TooLarge,
    /// A part of it is nested too deeply.
    TooDeep,
}

/// Whether the depth of a text must be known before it is parsed: in a long text each piece is looked at.
pub(crate) fn is_short(text: &str) -> bool {
    text.len() <= SIZES.short
}

/// The outline of a text. A [short](is_short) one needs a stack that fits its depth; `room` is what there is.
pub(crate) fn parse(text: &str, language: Language, room: usize) -> Result<Outline, Unread> {
    parse_in(SIZES, text, language, room)
}

fn parse_in(sizes: Sizes, text: &str, language: Language, room: usize) -> Result<Outline, Unread> {
    let source_type = source_type(language);
    if text.len() <= sizes.short {
        let piece = Piece::new(text, 0..text.len() as u32, None, &[]);
        let read = piece.read(&Allocator::default(), source_type).map_err(|it| Unread::At(it as usize))?;
        let mut definitions = vec![top_level(text)];
        let top = piece.finish(read, &[], &mut definitions).unwrap_or_default();
        return Ok(outline_of(definitions, top));
    }
    let cuts = Cuts::new(text, sizes.piece);
    let whole = cuts.whole;
    let mut reader = Reader::new(text, &cuts, sizes, source_type, room);
    let mut top = reader.list(whole, Around::default());
    if reader.is_module && reader.has_await && top.is_ok() {
        // What was read before that was known may mean something else.
        reader = Reader::new(text, &cuts, sizes, source_type.with_module(true), room);
        top = reader.list(whole, Around::default());
    }
    if top.is_err() {
        reader = Reader::new(text, &cuts, sizes, source_type, room);
        top = reader.piece(whole, &[], Around::default());
    }
    Ok(outline_of(reader.definitions, top?))
}

/// The outline of a text in which nothing is found.
pub(crate) fn without_definitions(text: &str) -> Outline {
    Outline { exact: false, ..outline_of(vec![top_level(text)], Run::default()) }
}

fn source_type(language: Language) -> SourceType {
    match language {
        Language::JavaScript => SourceType::unambiguous().with_jsx(true),
        Language::TypeScript => SourceType::ts().with_unambiguous(true),
        // The code in markup is read as a language of its own.
        Language::TypeScriptJsx | Language::Vue | Language::Svelte | Language::Html => {
            SourceType::tsx().with_unambiguous(true)
        }
    }
}

/// The code around a list of statements.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The function whose body it is; `None` for the top level.
    function: Option<Flavour>,
    /// How many bodies that were cut out are around it.
    depth: u32,
}

/// Reads a long text.
struct Reader<'t> {
    text: &'t str,
    cuts: &'t Cuts,
    sizes: Sizes,
    source_type: SourceType,
    room: usize,
    /// What was found so far.
    definitions: Vec<Definition>,
    /// Whether a piece of the top level says that it is a module, and whether another means something else in one.
    is_module: bool,
    has_await: bool,
    /// What may still be read once more because a cut was wrong.
    spare: u32,
    allocator: Allocator,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, cuts: &'t Cuts, sizes: Sizes, source_type: SourceType, room: usize) -> Self {
        Self {
            text,
            cuts,
            sizes,
            source_type,
            room,
            definitions: vec![top_level(text)],
            is_module: false,
            has_await: false,
            spare: sizes.most / 2,
            allocator: Allocator::default(),
        }
    }

    /// Reads a list of statements in parts.
    fn list(&mut self, list: Section, around: Around) -> Result<Run, Unread> {
        let known = self.definitions.len();
        let parts = self.cuts.parts(list, self.sizes.piece);
        let read = parts.iter().try_fold(Run::default(), |run, it| Ok(run.join(self.part(*it, around)?)));
        if parts.len() > 1 { read.or_else(|error| self.again(list, around, known, error)) } else { read }
    }

    /// Reads statements at once, but for the bodies of functions if that is too much.
    fn part(&mut self, part: Section, around: Around) -> Result<Run, Unread> {
        let is_cut = part.size() > self.sizes.piece && around.depth < DEEPEST;
        let holes = if is_cut { self.cuts.bodies(part) } else { Vec::new() };
        let known = self.definitions.len();
        let read = self.piece(part, &holes, around);
        if holes.is_empty() { read } else { read.or_else(|error| self.again(part, around, known, error)) }
    }

    /// Reads without a cut what could not be read with cuts.
    fn again(
        &mut self,
        section: Section,
        around: Around,
        known: usize,
        error: Unread,
    ) -> Result<Run, Unread> {
        let left = self.spare.checked_sub(section.size());
        let (Unread::At(_), Some(left)) = (error, left) else { return Err(error) };
        self.spare = left;
        self.definitions.truncate(known);
        self.piece(section, &[], around)
    }

    fn piece(&mut self, section: Section, holes: &[Section], around: Around) -> Result<Run, Unread> {
        let left_out: u32 = holes.iter().map(|it| it.size()).sum();
        if section.size() - left_out > self.sizes.most {
            return Err(Unread::TooLarge);
        }
        let piece = Piece::new(self.text, section.start.at..section.end.at, around.function, holes);
        let fits = |stack: Option<usize>| stack.is_some_and(|it| it <= self.room);
        if !fits(self.cuts.stack) && !fits(depth::stack_for(&piece.text)) {
            return Err(Unread::TooDeep);
        }
        let unread = |at: u32| Unread::At(piece.place(at) as usize);
        let mut allocator = std::mem::take(&mut self.allocator);
        let read = piece.read(&allocator, self.source_type);
        allocator.reset();
        self.allocator = allocator;
        let read = read.map_err(unread)?;
        if around.function.is_none() {
            self.is_module |= read.is_module;
            self.has_await |= read.has_await && !read.is_module;
        }
        let inner = |(hole, flavour): (&Section, &Flavour)| {
            let around = Around { function: Some(*flavour), depth: around.depth + 1 };
            self.list(*hole, around)
        };
        let runs = holes.iter().zip(&read.functions).map(inner).collect::<Result<Vec<_>, _>>()?;
        let at = section.start.at as usize;
        piece.finish(read, &runs, &mut self.definitions).ok_or(Unread::At(at))
    }
}

#[cfg(test)]
mod tests;
