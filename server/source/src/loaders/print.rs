//! Transforms a text as a loader does, and finds in the result what each function was written as.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ClassBody, ClassElement};
use oxc_ast_visit::{Visit, walk};
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{JsxOptions, JsxRuntime, TransformOptions, Transformer};
use text_size::TextSize;

use super::known::{BREAKS_OF_TYPESCRIPT, Loader, Modules, ONE_TAB, Prints};
use super::lists::broken_lists;
use super::private_names::are_declared;
use super::reflow::{Breaks, reflow};
use super::rewrite::{
    declaring_constructors, keep_numbers, list_exports, move_constructors_first, on_one_line, rename_imports,
    shorten_undefined,
};
use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::language::Language;
use crate::map::{Outlined, ReportedFunction, SourceMap, origins_of};
use crate::outline::outline_here;
use crate::parse::source_type;
use crate::text::{Encoding, LineCol, LineEnds, LineIndex};

/// The part of a static block that is `static`.
const STATIC: u32 = 6;

/// A transformed text, printed with a tab for each level.
pub(super) struct Printed {
    pub(super) code: String,
    pub(super) outline: Outline,
    lines: LineIndex,
    pub(super) line_starts: Vec<PrintedLine>,
    /// In the order of the printed text.
    pub(super) tokens: Vec<PrintedToken>,
    /// The functions that come from a definition.
    pub(super) functions: Vec<Origin>,
    /// The places of the first field and the first static field, by where the body of a class starts, after the brace.
    /// Newer engines place the functions that they make of fields there, and older ones at `class`.
    pub(super) initializers: HashMap<TextSize, Vec<TextSize>>,
}

/// Where a line of the printed text starts.
#[derive(Clone, Copy)]
pub(super) struct PrintedLine {
    /// How many characters, not counting indents, come before it.
    pub(super) offset: u32,
    /// Its own indent.
    pub(super) tabs: u32,
}

/// A text before it is transformed.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) outline: &'a Outline,
}

/// A place in the printed text, and the place that it comes from.
#[derive(Clone, Copy)]
pub(super) struct PrintedToken {
    pub(super) printed: LineCol,
    pub(super) written: LineCol,
}

/// A definition of the printed text, and the one that it was written as.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) printed: DefinitionId,
    pub(super) written: DefinitionId,
}

/// Prints a text as a loader does; `None` if it does not parse.
pub(super) fn print(
    Written { text, language, outline }: Written<'_>,
    loader: &Loader,
    comments: bool,
) -> Option<Printed> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, source_type(language)).parse();
    if parsed.panicked || !are_declared(&parsed.program) {
        return None;
    }
    let mut program = parsed.program;
    let breaks = match loader.prints {
        Prints::Lines { breaks, .. } => breaks,
        Prints::AsWritten { .. } if comments => Some(BREAKS_OF_TYPESCRIPT),
        _ => None,
    };
    let broken = if breaks.is_some() { broken_lists(text, &program) } else { Vec::new() };
    let constructors =
        if loader.constructors_first { declaring_constructors(&mut program) } else { Vec::new() };
    let semantic =
        SemanticBuilder::new().with_excess_capacity(2.0).with_enum_eval(true).build(&program).semantic;
    let mut options = match loader.target {
        Some(target) => TransformOptions::from_target(target).ok()?,
        None => TransformOptions::default(),
    };
    options.decorator.legacy = true;
    if let Some(factory) = factory(text) {
        let (runtime, pragma) = (JsxRuntime::Classic, Some(factory.to_owned()));
        options.jsx = JsxOptions { runtime, pragma, ..options.jsx };
    }
    let transformed = Transformer::new(&allocator, Path::new(""), &options)
        .build_with_scoping(semantic.into_scoping(), &mut program);

    rename_imports(&allocator, &transformed.scoping, loader, &mut program);
    if loader.constructors_first {
        shorten_undefined(&allocator, &mut program);
    } else if loader.prints != ONE_TAB {
        keep_numbers(&allocator, &mut program);
    }
    if loader.modules != Modules::Kept {
        list_exports(&allocator, loader.modules, &mut program);
    }
    move_constructors_first(&constructors, &mut program);
    let is_dense = loader.prints == Prints::Densely;
    if is_dense {
        on_one_line(&allocator, &mut program);
    }

    let options = CodegenOptions {
        minify: is_dense,
        comments: if comments { CommentOptions::default() } else { CommentOptions::disabled() },
        source_map_path: Some("text".into()),
        ..CodegenOptions::default()
    };
    let printed = Codegen::new().with_options(options).build(&program);
    let map = printed.map?;
    let tokens = map.get_tokens().map(|token| PrintedToken {
        printed: LineCol { line: token.get_dst_line(), column: token.get_dst_col() },
        written: LineCol { line: token.get_src_line(), column: token.get_src_col() },
    });
    let mut result = Printed::new(printed.code, tokens.collect(), &map.to_json_string(), text, outline)?;
    if let Some(breaks) = breaks {
        let lines = LineIndex::new(text, LineEnds::Engine);
        let starts = broken.into_iter().map(|start| lines.line_col(text, start.into(), Encoding::Utf16));
        result.break_lines(&breaks, starts.collect())?;
    }
    Some(result)
}

impl Printed {
    fn new(
        code: String,
        tokens: Vec<PrintedToken>,
        map: &str,
        text: &str,
        written: &Outline,
    ) -> Option<Self> {
        let map = SourceMap::parse(map).ok()?;
        let outline = outline_here(&code, Language::JavaScript).ok()?;
        let lines = LineIndex::new(&code, LineEnds::Engine);
        let written_lines = LineIndex::new(text, LineEnds::Engine);
        let ids = (0..).map(DefinitionId).zip(&outline.definitions).skip(1);
        let reported: Vec<ReportedFunction> = ids
            .map(|(id, definition)| ReportedFunction { definition: id, at: definition.defined_at })
            .collect();
        let generated = Outlined { text: &code, lines: &lines, outline: &outline };
        let original = Outlined { text, lines: &written_lines, outline: written };
        let origins = origins_of(&map, generated, &reported, |_| Some(original));
        let functions = reported
            .iter()
            .zip(origins)
            .filter_map(|(function, origin)| {
                Some(Origin { printed: function.definition, written: origin.definition()?.definition })
            })
            .collect();
        let (line_starts, initializers) = (line_starts(&code), initializers(&code));
        Some(Self { code, outline, lines, line_starts, tokens, functions, initializers })
    }

    /// Breaks lines as a loader does that breaks the lists starting at these places of the written text. Tokens keep their places.
    fn break_lines(&mut self, breaks: &Breaks, broken: HashSet<LineCol>) -> Option<()> {
        self.code = reflow(&self.code, breaks, |at| {
            let printed = self.lines.line_col(&self.code, at.into(), Encoding::Utf16);
            let index = self.tokens.partition_point(|token| token.printed < printed);
            let token = self.tokens.get(index).filter(|token| token.printed == printed);
            token.is_some_and(|token| broken.contains(&token.written))
        })?;
        self.outline = outline_here(&self.code, Language::JavaScript).ok()?;
        self.lines = LineIndex::new(&self.code, LineEnds::Engine);
        self.line_starts = line_starts(&self.code);
        self.initializers = initializers(&self.code);
        Some(())
    }

    /// The line and column of a place, and how many levels its line is indented by.
    pub(super) fn place(&self, at: TextSize) -> (LineCol, u32) {
        let place = self.lines.line_col(&self.code, at, Encoding::Utf16);
        let before = &self.code[..usize::from(at)];
        let line = &self.code[before.rfind('\n').map_or(0, |end| end + 1)..];
        (place, line.bytes().take_while(|byte| *byte == b'\t').count() as u32)
    }

    /// Whether an engine knows a name for a definition: its own, or that of what it is assigned to directly.
    pub(super) fn is_named(&self, definition: &Definition) -> bool {
        has_own_name(definition) || is_given_name(&self.code, definition)
    }
}

/// Whether the name is in the definition itself, or is that of the method.
pub(super) fn has_own_name(definition: &Definition) -> bool {
    match definition.kind {
        // A computed name is only known when the program runs.
        DefinitionKind::Method => !definition.name.starts_with('['),
        DefinitionKind::Function | DefinitionKind::Arrow => {
            definition.name_range.is_some_and(|range| definition.header.contains_range(range))
        }
        _ => true,
    }
}

/// Whether a nameless function is the whole value of what gives it a name (ECMA-262, `IsAnonymousFunctionDefinition`). A
/// function in the arguments of a call has no name.
pub(super) fn is_given_name(text: &str, definition: &Definition) -> bool {
    let before = text[..usize::from(definition.range.start())].trim_end();
    let is_value = before.ends_with(['=', ':']);
    is_value && definition.name_range.is_some() || before.ends_with("export default")
}

/// The function that makes elements, if the text imports one by its usual name. Otherwise those of React's runtime are added.
fn factory(text: &str) -> Option<&'static str> {
    const FACTORIES: [(&str, &str); 2] = [("h", "h"), ("React", "React.createElement")];
    let lines = text.lines();
    let imports = lines.filter(|line| line.starts_with("import") && !line.starts_with("import type"));
    let words: HashSet<&str> =
        imports.flat_map(|line| line.split(|char: char| !char.is_alphanumeric())).collect();
    FACTORIES.iter().find(|(name, _)| words.contains(name)).map(|(_, factory)| *factory)
}

fn initializers(code: &str) -> HashMap<TextSize, Vec<TextSize>> {
    struct ClassParts(HashMap<TextSize, Vec<TextSize>>);
    impl<'a> Visit<'a> for ClassParts {
        fn visit_class_body(&mut self, body: &ClassBody<'a>) {
            let (mut first, mut first_static) = (None, None);
            for element in &body.body {
                match element {
                    ClassElement::StaticBlock(block) => {
                        first_static.get_or_insert(block.span.start + STATIC);
                    }
                    ClassElement::PropertyDefinition(field) if field.r#static => {
                        first_static.get_or_insert(field.span.start);
                    }
                    ClassElement::PropertyDefinition(field) => {
                        first.get_or_insert(field.span.start);
                    }
                    _ => {}
                }
            }
            let initializers = [first, first_static].into_iter().flatten().map(TextSize::new).collect();
            self.0.insert((body.span.start + 1).into(), initializers);
            walk::walk_class_body(self, body);
        }
    }
    let allocator = Allocator::default();
    let mut found = ClassParts(HashMap::new());
    if code.contains("class") {
        found.visit_program(&Parser::new(&allocator, code, SourceType::mjs()).parse().program);
    }
    found.0
}

fn line_starts(code: &str) -> Vec<PrintedLine> {
    let mut starts = Vec::new();
    let mut offset = 0;
    for line in lines_of(code) {
        let tabs = (line.len() - line.trim_start_matches('\t').len()) as u32;
        starts.push(PrintedLine { offset, tabs });
        offset += line.encode_utf16().count() as u32 - tabs + 1;
    }
    starts
}

/// The lines of a text as engines and source maps end them: after LF, CR, CRLF, U+2028 and U+2029.
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let (line, from_end) = rest.split_at(end);
        lines.push(line);
        let length =
            if from_end.starts_with("\r\n") { 2 } else { from_end.chars().next().map_or(0, char::len_utf8) };
        rest = &from_end[length..];
    }
    lines.push(rest);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_elements() {
        let cases = [
            ("import { h } from 'preact';", Some("h")),
            ("import { render, h as make } from 'preact';", Some("h")),
            ("import React from 'react';", Some("React.createElement")),
            ("import type { h } from 'preact';", None),
            ("const h = 1, React = 2;", None),
            ("import { how } from './h2';", None),
        ];
        assert_eq!(cases.map(|(text, _)| (text, factory(text))), cases);
    }

    #[test]
    fn lines_end_as_engines_end_them() {
        assert_eq!(lines_of("a\nb\rc\r\n\nd\u{2028}e\u{2029}"), ["a", "b", "c", "", "d", "e", ""]);
    }
}
