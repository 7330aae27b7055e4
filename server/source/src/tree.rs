//! From a text that parses to its definitions. The syntax tree is born and dies in this file.

use std::cmp::Reverse;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, ChainElement, Class, Declaration, ExportDefaultDeclarationKind, Expression,
    Function, JSXElementName, MemberExpression, TSExternalModuleDeclaration, TSGlobalDeclaration,
    TSModuleReference, TSNamespaceDeclaration, VariableDeclaration,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_parser::config::TokensParserConfig;
use oxc_parser::{Kind, ParseOptions, Parser, Token};
use oxc_span::{GetSpan, SourceType, Span};
use text_size::{TextRange, TextSize};

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::fingerprint::{Fingerprints, Run};
use crate::language::Language;
use crate::name::{ANONYMOUS, Given, Names, Paths, TOP_LEVEL};

/// The outline of a text, or the offset at which it stops to make sense. Needs a stack that fits its depth.
pub(crate) fn parse(text: &str, language: Language) -> Result<Outline, usize> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        ..ParseOptions::default()
    };
    let parser = Parser::new(&allocator, text, source_type(language));
    let parser = parser.with_options(options).with_config(TokensParserConfig);
    // A mistake of the parser costs the outline of one text, as if that were broken.
    let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse())).map_err(|_| text.len())?;
    // The parser may also stop early and in silence: a `#!` behind the first line ends the program for it.
    let program = &parsed.program;
    let ends = [
        program.hashbang.as_ref().map(|it| it.span.end),
        program.directives.last().map(|it| it.span.end),
        program.body.last().map(|it| it.span().end),
        program.comments.last().map(|it| it.span.end),
    ];
    let end = ends.into_iter().flatten().max().unwrap_or_default();
    if parsed.panicked || text[end as usize..].contains(|it: char| !it.is_whitespace() && it != '\u{FEFF}') {
        let place = parsed.diagnostics.last().and_then(|it| it.labels.first().map(|label| label.offset()));
        return Err(place.map_or(text.len(), |it| it as usize));
    }
    let tokens = Tokens(&parsed.tokens);
    let mut collector =
        Collector { tokens, names: Names::new(text), drafts: Vec::new(), defining: Vec::new() };
    collector.visit_program(&parsed.program);
    Ok(finish(text, tokens, collector.drafts, &collector.defining))
}

/// The outline of a text in which nothing is found.
pub(crate) fn without_definitions(text: &str) -> Outline {
    Outline { exact: false, ..finish(text, Tokens(&[]), Vec::new(), &[]) }
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

/// A definition before its surroundings are known.
struct Draft {
    kind: DefinitionKind,
    start: u32,
    body: u32,
    end: u32,
    hint_at: u32,
    name: Option<String>,
    prefix: String,
    name_range: Option<TextRange>,
}

struct Collector<'a> {
    tokens: Tokens<'a>,
    names: Names<'a>,
    drafts: Vec<Draft>,
    /// Statements and fields that do nothing but define something, by start.
    defining: Vec<Span>,
}

impl<'a> Collector<'a> {
    fn function(&mut self, function: &Function<'_>) {
        let given = self.names.take(function.span.start);
        let Some(body) = &function.body else { return };
        let method = given.as_ref().and_then(|it| it.method);
        let start = method.map_or(function.span.start, |it| self.tokens.start_from(it.0));
        let draft = Draft {
            kind: method.map_or(DefinitionKind::Function, |it| it.1),
            start,
            body: body.span.start,
            end: body.span.end,
            hint_at: function.params.span.end,
            name: None,
            prefix: String::new(),
            name_range: None,
        };
        let own = function.id.as_ref().map(|id| (id.name.as_str(), id.span));
        self.push(draft, own, given);
    }

    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'_>) {
        let given = self.names.take(arrow.span.start);
        let body = arrow.body.span();
        let draft = Draft {
            kind: DefinitionKind::Arrow,
            start: arrow.span.start,
            body: body.start,
            end: body.end,
            hint_at: arrow.params.span.end,
            name: None,
            prefix: String::new(),
            name_range: None,
        };
        self.push(draft, None, given);
    }

    fn class(&mut self, class: &Class<'_>) {
        let given = self.names.take(class.span.start);
        let decorated = class.decorators.last().map_or(0, |last| last.span.end);
        let start = self.tokens.start_from(decorated.max(class.span.start));
        let keyword = self.tokens.after(start).iter().find(|it| it.kind() == Kind::Class);
        let own = class.id.as_ref().map(|id| (id.name.as_str(), id.span));
        let draft = Draft {
            kind: DefinitionKind::Class,
            start,
            body: class.body.span.start + 1,
            end: class.body.span.end,
            hint_at: own.map_or(keyword.map_or(start, |it| it.end()), |it| it.1.end),
            name: None,
            prefix: String::new(),
            name_range: None,
        };
        self.push(draft, own, given);
    }

    fn push(&mut self, mut draft: Draft, own: Option<(&str, Span)>, given: Option<Given>) {
        if let Some((name, span)) = own {
            draft.name = Some(name.to_owned());
            draft.name_range = Some(TextRange::new(span.start.into(), span.end.into()));
        } else if let Some(given) = given {
            draft.name = Some(match draft.kind {
                DefinitionKind::Getter => format!("get {}", given.name),
                DefinitionKind::Setter => format!("set {}", given.name),
                _ => given.name,
            });
            draft.prefix = given.prefix;
            draft.name_range = given.range;
        }
        self.drafts.push(draft);
    }

    /// Whether a chain goes on to the left, and what else the link holds. Long chains (`a + a + ..`,
    /// `a.b.c..`) are deep trees, so they are not walked by recursion.
    fn link<'t>(&mut self, expression: &'t Expression<'a>) -> Option<&'t Expression<'a>> {
        match expression {
            Expression::BinaryExpression(it) => {
                self.visit_expression(&it.right);
                Some(&it.left)
            }
            Expression::LogicalExpression(it) => {
                self.visit_expression(&it.right);
                Some(&it.left)
            }
            Expression::CallExpression(it) => {
                self.names.enter(AstKind::CallExpression(it));
                self.visit_arguments(&it.arguments);
                Some(&it.callee)
            }
            Expression::TaggedTemplateExpression(it) => {
                self.visit_template_literal(&it.quasi);
                Some(&it.tag)
            }
            Expression::TSNonNullExpression(it) => Some(&it.expression),
            Expression::TSAsExpression(it) => Some(&it.expression),
            Expression::TSSatisfiesExpression(it) => Some(&it.expression),
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::CallExpression(it) => {
                    self.names.enter(AstKind::CallExpression(it));
                    self.visit_arguments(&it.arguments);
                    Some(&it.callee)
                }
                ChainElement::TSNonNullExpression(it) => Some(&it.expression),
                other => other.as_member_expression().map(|it| self.member(it)),
            },
            other => other.as_member_expression().map(|it| self.member(it)),
        }
    }

    fn member<'t>(&mut self, member: &'t MemberExpression<'a>) -> &'t Expression<'a> {
        if let MemberExpression::ComputedMemberExpression(it) = member {
            self.visit_expression(&it.expression);
        }
        member.object()
    }
}

impl<'a> VisitJs<'a> for Collector<'a> {
    fn enter_node(&mut self, node: AstKind<'a>) {
        self.names.enter(node);
        match node {
            AstKind::Function(it) => self.function(it),
            AstKind::ArrowFunctionExpression(it) => self.arrow(it),
            AstKind::Class(it) => self.class(it),
            _ => {}
        }
        self.defining.extend(defining(node));
    }

    fn visit_expression(&mut self, expression: &Expression<'a>) {
        let mut last = expression;
        while let Some(left) = self.link(last) {
            last = left;
        }
        walk_js::walk_expression(self, last);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        if !class.declare {
            walk_js::walk_class(self, class);
        }
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if !it.declare {
            walk_js::walk_ts_namespace_declaration(self, it);
        }
    }

    // What follows holds no code, however deep it is.
    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}
    fn visit_ts_module_reference(&mut self, _: &TSModuleReference<'a>) {}
    fn visit_jsx_element_name(&mut self, _: &JSXElementName<'a>) {}
}

/// The span of a statement or field that does nothing but define functions or classes.
fn defining(node: AstKind<'_>) -> Option<Span> {
    let defines = |it: &Expression<'_>| {
        matches!(
            it,
            Expression::FunctionExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::ClassExpression(_)
        )
    };
    let variables =
        |it: &VariableDeclaration<'_>| it.declarations.iter().all(|it| it.init.as_ref().is_some_and(defines));
    let does = match node {
        AstKind::VariableDeclaration(it) => variables(it),
        AstKind::ExpressionStatement(it) => match &it.expression {
            Expression::AssignmentExpression(it) => defines(&it.right),
            // `(function () { .. })();`
            Expression::CallExpression(it) => {
                it.arguments.is_empty() && defines(it.callee.without_parentheses())
            }
            _ => false,
        },
        AstKind::ExportDeclaration(it) => match &it.declaration {
            Declaration::FunctionDeclaration(_) | Declaration::ClassDeclaration(_) => true,
            Declaration::VariableDeclaration(it) => variables(it),
            _ => false,
        },
        AstKind::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_) => true,
            other => other.as_expression().is_some_and(defines),
        },
        AstKind::PropertyDefinition(it) => it.value.as_ref().is_some_and(defines),
        _ => false,
    };
    does.then(|| node.span())
}

/// What is left out with a definition: the largest statement around it that does nothing else, behind `from`.
fn left_out(defining: &[Span], draft: &Draft, from: u32) -> Range<u32> {
    let before = defining.partition_point(|it| it.start <= draft.start);
    let around = defining[..before].iter().rev().take_while(|it| it.end > draft.start);
    let inside = around.filter(|it| it.start >= from && it.end >= draft.end);
    inside.last().map_or(draft.start..draft.end, |it| it.start..it.end)
}

/// The tokens of a text in order; comments are none.
#[derive(Clone, Copy)]
struct Tokens<'a>(&'a [Token]);

impl<'a> Tokens<'a> {
    /// The index of the first token that starts at an offset or behind it.
    fn index(self, offset: u32) -> usize {
        self.0.partition_point(|it| it.start() < offset)
    }

    /// The tokens from an offset on.
    fn after(self, offset: u32) -> &'a [Token] {
        &self.0[self.index(offset)..]
    }

    /// Where the first token from an offset on starts.
    fn start_from(self, offset: u32) -> u32 {
        self.after(offset).first().map_or(offset, |it| it.start())
    }
}

/// Puts the definitions in order and gives them parents, paths and fingerprints.
fn finish(text: &str, tokens: Tokens<'_>, mut drafts: Vec<Draft>, defining: &[Span]) -> Outline {
    let end = text.len() as u32;
    // Where a reader begins, comments included: what is typed above it pushes it down.
    let first = (text.len() - text.trim_start().len()) as u32 % end.max(1);
    let top = Draft {
        kind: DefinitionKind::TopLevel,
        start: 0,
        body: 0,
        end,
        hint_at: first,
        name: Some(TOP_LEVEL.to_owned()),
        prefix: String::new(),
        name_range: None,
    };
    drafts.push(top);
    drafts.sort_by_key(|it| (it.kind != DefinitionKind::TopLevel, it.start, Reverse(it.end)));

    let hashes = Fingerprints::new(text, tokens.0);
    // For each definition that leaves out those inside it: the run so far, and the token to go on at.
    let mut bodies: Vec<Body> = Vec::with_capacity(drafts.len());
    let mut around: Vec<usize> = Vec::new();
    let mut paths = Paths::default();
    let mut definitions: Vec<Definition> = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.into_iter().enumerate() {
        while around.last().is_some_and(|&it| u32::from(definitions[it].range.end()) <= draft.start) {
            around.pop();
        }
        let parent = around.last().copied();
        if let Some(body) = parent.map(|it| &mut bodies[it]).filter(|it| it.leaves_out) {
            let out = left_out(defining, &draft, body.from);
            let out = tokens.index(out.start)..tokens.index(out.end);
            if out.start >= body.next {
                body.run = hashes.join(body.run, hashes.run(body.next..out.start));
                body.next = out.end;
            }
        }
        let leaves_out = matches!(draft.kind, DefinitionKind::TopLevel | DefinitionKind::Class);
        bodies.push(Body {
            leaves_out,
            run: Run::default(),
            from: draft.body,
            next: tokens.index(draft.body),
            end: tokens.index(draft.end),
        });
        let name = draft.name.unwrap_or_else(|| ANONYMOUS.to_owned());
        let path = paths.add(parent.map_or("", |it| &definitions[it].path), &draft.prefix, &name);
        definitions.push(Definition {
            name,
            path,
            kind: draft.kind,
            parent: parent.map(|it| DefinitionId(it as u32)),
            range: TextRange::new(draft.start.into(), draft.end.into()),
            header: TextRange::new(draft.start.into(), draft.body.into()),
            hint_at: TextSize::new(draft.hint_at),
            name_range: draft.name_range,
            fingerprint: 0,
            tokens: 0,
            signature: signature(text, tokens, &hashes, draft.start..draft.body, draft.name_range),
            lead: lead(text, tokens, &hashes, draft.start),
        });
        around.push(index);
    }
    for (definition, body) in definitions.iter_mut().zip(bodies) {
        let run = hashes.join(body.run, hashes.run(body.next..body.end));
        definition.fingerprint = run.fingerprint();
        definition.tokens = run.tokens();
    }
    Outline { definitions, exact: true, scripts: None }
}

/// What a header says but for the name, and for what makes no difference when it runs.
fn signature(
    text: &str,
    tokens: Tokens<'_>,
    hashes: &Fingerprints,
    header: Range<u32>,
    name: Option<TextRange>,
) -> u64 {
    let from = tokens.index(header.start);
    let to = tokens.index(header.end).max(from);
    // Headers inside headers (functions as default values of parameters) would be read again and again.
    const LONGEST: usize = 64;
    if to - from > LONGEST {
        return hashes.run(from..to).fingerprint();
    }
    let says = |it: &Token| {
        let is_name = name.is_some_and(|name| name.contains(it.start().into()));
        !is_name
            && !matches!(
                &text[it.start() as usize..it.end() as usize],
                "function" | "=>" | "(" | ")" | "public" | "private" | "protected" | "readonly" | "override"
            )
    };
    let kept = (from..to).filter(|&it| says(&tokens.0[it]));
    kept.fold(Run::default(), |run, it| hashes.join(run, hashes.run(it..it + 1))).fingerprint()
}

/// The tokens in front of a definition in the same statement, as many as a call and its first argument take.
fn lead(text: &str, tokens: Tokens<'_>, hashes: &Fingerprints, start: u32) -> u64 {
    const LONGEST: usize = 8;
    let end = tokens.index(start);
    let before = tokens.0[end.saturating_sub(LONGEST)..end].iter().rev();
    let parts = |it: &&Token| !matches!(text.as_bytes()[it.start() as usize], b';' | b'{' | b'}');
    hashes.run(end - before.take_while(parts).count()..end).fingerprint()
}

/// The tokens of a definition that count for its fingerprint.
struct Body {
    leaves_out: bool,
    /// Offset of its first token.
    from: u32,
    run: Run,
    next: usize,
    end: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code outside of functions is the same while only functions come, go and change.
    #[test]
    fn the_top_level_without_its_definitions() {
        let fingerprint = |text| parse(text, Language::JavaScript).unwrap().definitions[0].fingerprint;
        let rows = [
            ("f();\nfunction f() {}\n", "f();\n", true),
            ("f();\nexport function f() { g(); }\n", "f();\n", true),
            ("f();\nexport const f = async () => 1;\n", "f();\n", true),
            ("f();\nmodule.exports.f = function () {};\n", "f();\n", true),
            ("f();\nexport default class { x = () => 1; }\n", "f();\n", true),
            ("f();\nconst f = () => 1, one = 1;\n", "f();\n", false),
            ("f();\n(function () { g(); })();\n", "f();\n", true),
            ("on('click', () => 1);\n", "on('click', () => 2);\n", true),
            ("on('click', () => 1);\n", "on('press', () => 1);\n", false),
            ("f();\n", "\n\n// more\nf();\n", true),
        ];
        for (before, after, same) in rows {
            assert_eq!(fingerprint(before) == fingerprint(after), same, "{before} -> {after}");
        }
    }

    #[test]
    fn a_class_without_its_definitions() {
        let fingerprint = |text| parse(text, Language::JavaScript).unwrap().definitions[1].fingerprint;
        let rows = [
            ("class C { x = 1; m() {} }", "class C { x = 1; }", true),
            ("export class C { x = 1; f = () => 1; }", "export class C { x = 1; }", true),
            ("class C { x = 1; }", "class C { x = 2; }", false),
        ];
        for (before, after, same) in rows {
            assert_eq!(fingerprint(before) == fingerprint(after), same, "{before} -> {after}");
        }
    }

    #[test]
    fn a_hashbang_that_slipped_down_is_a_mistake() {
        assert!(parse("\n#!/usr/bin/env node\nfunction f() {}\n", Language::JavaScript).is_err());
        assert!(parse("#!/usr/bin/env node\nfunction f() {}\n", Language::JavaScript).is_ok());
    }

    #[test]
    fn the_top_level_begins_at_the_first_character_that_is_seen() {
        let anchor = |text| usize::from(parse(text, Language::JavaScript).unwrap().definitions[0].anchor());
        assert_eq!([anchor("f();"), anchor("\n\n  // more\nf();"), anchor("\n"), anchor("")], [0, 4, 0, 0]);
    }
}
