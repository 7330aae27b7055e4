//! Parses a piece of a text into its definitions. No other file sees the syntax tree.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxc_allocator::Allocator;
use oxc_ast::ast::{FunctionBody, Program, Statement};
use oxc_ast_visit::VisitJs;
use oxc_parser::config::TokensParserConfig;
use oxc_parser::{Kind, ParseOptions, Parser, Token};
use oxc_span::{GetSpan, SourceType, Span};

use super::assemble::PieceDrafts;
use super::collector::{Collector, Draft, FunctionFlags};
use super::fingerprint::{HashedTokens, RunHash};
use super::split::Region;
use super::statements::{Lines, lines};
use crate::definition::{Definition, DefinitionKind};

/// Stands for something that was left out. It is a line end, so that a property key containing one is never short.
const HOLE: &str = "\n";

/// Follows the statements of a function.
const CLOSING: &str = "}";

/// Statements of a text, without the bodies that were left out.
pub(crate) struct Piece<'t> {
    pub(crate) text: Cow<'t, str>,
    /// The function around them; `None` for statements of the top level.
    function: Option<FunctionFlags>,
    /// The part that comes from the whole text.
    inner: Range<u32>,
    /// Where it continues after each hole: its own offset, and that in the whole text.
    runs: Vec<(u32, u32)>,
    /// Its own offsets of the holes, in order.
    holes: Vec<u32>,
}

/// What remains of a syntax tree once it is dropped.
pub(crate) struct ParsedPiece {
    drafts: Vec<Draft>,
    defining: Vec<Span>,
    tokens: HashedTokens,
    /// The functions whose bodies were left out.
    pub(crate) functions: Vec<FunctionFlags>,
    /// Whether it is certainly a module.
    pub(crate) is_module: bool,
    /// Whether it means something else in a module.
    pub(crate) has_await: bool,
    /// Its statements, if they were asked for.
    pub(crate) lines: Vec<Lines>,
}

impl<'t> Piece<'t> {
    /// The statements in a range of a text, either of a function or of the top level, without what is in `holes`.
    pub(crate) fn new(
        whole: &'t str,
        range: Range<u32>,
        function: Option<FunctionFlags>,
        holes: &[Region],
    ) -> Self {
        if function.is_none() && holes.is_empty() {
            let text = &whole[range.start as usize..range.end as usize];
            let inner = 0..range.end - range.start;
            let runs = vec![(0, range.start)];
            return Self { text: text.into(), function, inner, runs, holes: Vec::new() };
        }
        let mut text = String::from(match function {
            None => "",
            Some(FunctionFlags { is_async: false, is_generator: false }) => "function f(){",
            Some(FunctionFlags { is_async: false, is_generator: true }) => "function*f(){",
            Some(FunctionFlags { is_async: true, is_generator: false }) => "async function f(){",
            Some(FunctionFlags { is_async: true, is_generator: true }) => "async function*f(){",
        });
        let start = text.len() as u32;
        let mut runs = vec![(start, range.start)];
        let mut own_holes = Vec::with_capacity(holes.len());
        let mut from = range.start;
        for hole in holes {
            text.push_str(&whole[from as usize..hole.start.at as usize]);
            own_holes.push(text.len() as u32);
            text.push_str(HOLE);
            from = hole.end.at;
            runs.push((text.len() as u32, from));
        }
        text.push_str(&whole[from as usize..range.end as usize]);
        let inner = start..text.len() as u32;
        if function.is_some() {
            text.push_str(CLOSING);
        }
        Self { text: text.into(), function, inner, runs, holes: own_holes }
    }

    /// Where an offset is in the whole text.
    pub(crate) fn place(&self, at: u32) -> u32 {
        let run = self.runs.partition_point(|(own, _)| *own <= at).saturating_sub(1);
        let (own, whole) = self.runs[run];
        whole + at.saturating_sub(own)
    }

    /// Parses it, with a stack that fits its depth. Returns the offset at which it stops making sense, if any.
    pub(crate) fn read(&self, allocator: &Allocator, source_type: SourceType) -> Result<ParsedPiece, u32> {
        self.read_in_lines(allocator, source_type, None)
    }

    /// The same; also groups its statements into at least this many bytes.
    pub(crate) fn read_in_lines(
        &self,
        allocator: &Allocator,
        source_type: SourceType,
        least: Option<usize>,
    ) -> Result<ParsedPiece, u32> {
        let text = &*self.text;
        let end = text.len() as u32;
        // A hashbang is only allowed at the start of a text.
        if self.place(0) > 0 && text.starts_with("#!") {
            return Err(0);
        }
        let options = ParseOptions {
            allow_return_outside_function: true,
            enable_ident_hashes: false,
            ..ParseOptions::default()
        };
        let parser =
            Parser::new(allocator, text, source_type).with_options(options).with_config(TokensParserConfig);
        // A bug in the parser only costs the outline of one text, as if it were broken.
        let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse())).map_err(|_| end)?;
        let program = &parsed.program;
        if parsed.panicked || stops_early(text, program) {
            let place = parsed
                .diagnostics
                .last()
                .and_then(|diagnostic| diagnostic.labels.first().map(|label| label.offset()));
            return Err(place.unwrap_or(end));
        }
        let from = parsed.tokens.partition_point(|token| token.start() < self.inner.start);
        let to = parsed.tokens.partition_point(|token| token.start() < self.inner.end);
        let tokens = &parsed.tokens[from..to];
        let mut collector = Collector::new(text, tokens, &self.holes);
        match self.function {
            None => collector.visit_program(program),
            Some(_) => collector.visit_function_body(self.body(program).ok_or(end)?),
        }
        let Collector { drafts, defining, hole_functions, has_await, .. } = collector;
        let no_function = hole_functions.iter().position(Option::is_none);
        if let Some(hole) = no_function {
            return Err(self.holes[hole]);
        }
        // What `await` outside of functions means depends on all statements.
        let has_await = has_await || least.is_some() && awaits_outside(tokens, &drafts);
        Ok(ParsedPiece {
            drafts,
            defining,
            tokens: HashedTokens::new(text, tokens, &self.holes),
            functions: hole_functions.into_iter().flatten().collect(),
            is_module: program.source_type.is_module(),
            has_await,
            lines: least.map(|it| lines(text, program, it)).unwrap_or_default(),
        })
    }

    /// The statements, if all of them are in the function that was put around them.
    fn body<'a, 'b>(&self, program: &'b Program<'a>) -> Option<&'b FunctionBody<'a>> {
        match program.body.as_slice() {
            [Statement::FunctionDeclaration(function)] if function.span.end as usize == self.text.len() => {
                function.body.as_deref()
            }
            _ => None,
        }
    }

    /// Adds what was read to the definitions of the whole text, given what was left out; see [`PieceDrafts::define`].
    pub(crate) fn define(
        &self,
        read: ParsedPiece,
        left_out: &[RunHash],
        definitions: &mut Vec<Definition>,
    ) -> Option<RunHash> {
        let runs = self.define_in_lines(read, left_out, &[], definitions)?;
        runs.into_iter().next()
    }

    /// The same; returns the hash of the code outside for each of its parts, which end at these offsets of its own.
    pub(crate) fn define_in_lines(
        &self,
        read: ParsedPiece,
        left_out: &[RunHash],
        ends: &[u32],
        definitions: &mut Vec<Definition>,
    ) -> Option<Vec<RunHash>> {
        let parsed = PieceDrafts {
            text: &self.text,
            drafts: read.drafts,
            defining: read.defining,
            hashes: read.tokens.summed(left_out),
            is_top_level: self.function.is_none(),
        };
        parsed.define(ends, |at| self.place(at), definitions)
    }
}

/// Whether an `await` is not in any function.
fn awaits_outside(tokens: &[Token], drafts: &[Draft]) -> bool {
    let functions = drafts.iter().filter(|it| it.kind != DefinitionKind::Class);
    let mut functions: Vec<(u32, u32)> = functions.map(|it| (it.body, it.end)).collect();
    functions.sort_unstable();
    let (mut functions, mut inside) = (functions.into_iter().peekable(), 0);
    tokens.iter().filter(|it| it.kind() == Kind::Await).any(|it| {
        while let Some((_, end)) = functions.next_if(|(body, _)| *body <= it.start()) {
            inside = inside.max(end);
        }
        inside <= it.start()
    })
}

/// Whether the parser silently stopped before the end, or accepted something as a name that is not one. For the parser, a `#!`
/// after the first line ends the program, and a `\` at the end of the text, where an escape would have to follow, is a letter.
fn stops_early(text: &str, program: &Program<'_>) -> bool {
    let ends = [
        program.hashbang.as_ref().map(|hashbang| hashbang.span.end),
        program.directives.last().map(|directive| directive.span.end),
        program.body.last().map(|statement| statement.span().end),
        program.comments.last().map(|comment| comment.span.end),
    ];
    let end = ends.into_iter().flatten().max().unwrap_or_default();
    let code = text.trim_end();
    let is_comment = program.comments.last().is_some_and(|comment| comment.span.end as usize >= code.len());
    if code.ends_with('\\') && !is_comment {
        return true;
    }
    text[end as usize..].contains(|char: char| !char.is_whitespace() && char != '\u{FEFF}')
}
