//! Breaks the lines of a printed text where a loader breaks them.
//!
//! Printers differ most in what they put on a line of its own: properties, elements, the statements of a `case`.
//!
//! ```text
//! case "a": return f({ b }, [c]);            case "a":                  case "a":                case "a":
//!                                              return f({                   return f({             return f({ b }, [c]);
//!                                                b                              b
//!                                              }, [c]);                     }, [
//!                                                                               c
//!                                                                           ]);
//! what was written                           Babel                      SWC                      esbuild
//! ```

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrayExpression, ArrayPattern, BinaryExpression, ConditionalExpression, DoWhileStatement, ForInStatement,
    ForOfStatement, ForStatement, ForStatementInit, FunctionBody, IfStatement, LogicalExpression,
    ObjectExpression, ObjectPattern, Program, Statement, StaticMemberExpression, SwitchCase, TemplateElement,
    TryStatement, VariableDeclaration, WhileStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

/// What a loader puts on lines of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breaks {
    pub(super) objects: Broken,
    pub(super) object_patterns: Broken,
    pub(super) arrays: Broken,
    pub(super) array_patterns: Broken,
    /// The declarations of a statement, if one has a value.
    pub(super) declarations: bool,
    /// A block that is the only statement of a `case`. Any other statement is, but for TypeScript.
    pub(super) blocks_of_cases: bool,
    /// As TypeScript does: statements in statements, `else`, `catch` and `finally` are on their own lines; the bodies of
    /// functions, chains and operators are as written.
    pub(super) statements: bool,
}

/// Whether the parts of a list are on lines of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Always,
    Never,
    /// If there is a line break between two of them.
    AsWritten,
}

/// Of a written text: where the lists start that have a line break between two of their parts, and what else has one before
/// it.
pub(super) fn broken_lists(text: &str, program: &Program<'_>) -> Vec<u32> {
    let mut lists = Lists::default();
    lists.visit_program(program);
    let is_broken = |it: &List| it.gaps().any(|(start, end)| has_line_break(text, start, end));
    let starts = lists.lists.iter().filter(|it| is_broken(it)).map(|it| it.span.start);
    let follows = |it: &&Joint| has_line_break(text, it.before, it.at);
    let starts = starts.chain(lists.empty_bodies.iter().copied());
    let cases = lists.cases.iter().map(|(case, only)| (case.start, only.span.start));
    let starts = starts.chain(cases.filter(|it| has_line_break(text, it.0, it.1)).map(|it| it.1));
    starts.chain(lists.joints.iter().filter(follows).map(|it| it.at)).collect()
}

/// The text with other line breaks, and with a tab for each level; `None` if it does not parse. `is_broken` says of the start
/// of a list whether it was written with line breaks.
pub(super) fn reflow(code: &str, breaks: &Breaks, is_broken: impl Fn(u32) -> bool) -> Option<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs()).parse();
    if parsed.panicked {
        return None;
    }
    let mut lists = Lists::default();
    lists.visit_program(&parsed.program);
    let mut changes = Changes { code, edits: Vec::new(), shifts: Vec::new() };
    for list in &lists.lists {
        let is_wanted = match list.kind {
            ListKind::Object => breaks.objects,
            ListKind::ObjectPattern => breaks.object_patterns,
            ListKind::Array => breaks.arrays,
            ListKind::ArrayPattern => breaks.array_patterns,
            ListKind::Body if breaks.statements => Broken::AsWritten,
            ListKind::Body => continue,
        };
        changes.list(
            list,
            match is_wanted {
                Broken::Always => true,
                Broken::Never => false,
                Broken::AsWritten => is_broken(list.span.start),
            },
        );
    }
    for (case, statement) in &lists.cases {
        let is_wanted = match breaks.statements {
            true => is_broken(statement.span.start),
            false => !statement.is_block || breaks.blocks_of_cases,
        };
        if is_wanted {
            changes.case(*case, statement.span);
        }
    }
    if breaks.statements {
        lists.nested.iter().for_each(|it| changes.nested(*it));
        lists.joints.iter().filter(|it| is_broken(it.at)).for_each(|it| changes.joint(it));
    }
    if breaks.declarations {
        lists.declarations.iter().for_each(|it| changes.declarations(it));
    }
    Some(changes.apply(&lists.templates))
}

#[derive(Clone, Copy)]
enum ListKind {
    Object,
    ObjectPattern,
    Array,
    ArrayPattern,
    Body,
}

/// What stands in braces or brackets, and its parts.
struct List {
    kind: ListKind,
    span: Span,
    parts: Vec<Span>,
}

impl List {
    /// What is between the parts, and before and after them.
    fn gaps(&self) -> impl Iterator<Item = (u32, u32)> {
        let starts = std::iter::once(self.span.start + 1).chain(self.parts.iter().map(|it| it.end));
        starts.zip(self.parts.iter().map(|it| it.start).chain([self.span.end - 1]))
    }
}

/// Two parts of an expression, between which there may be a line break.
struct Joint {
    before: u32,
    at: u32,
    /// Where the second part ends, if its lines move too.
    end: Option<u32>,
}

/// A statement in another one, and where what comes before it ends.
#[derive(Clone, Copy)]
enum Nested {
    Statement(Span),
    /// `else`, `catch` or `finally` comes after this.
    Keyword(u32),
}

struct OnlyStatement {
    span: Span,
    is_block: bool,
}

#[derive(Default)]
struct Lists {
    lists: Vec<List>,
    /// The cases with one statement, with where the statement is.
    cases: Vec<(Span, OnlyStatement)>,
    /// The parts of statements with several declarations.
    declarations: Vec<Vec<Span>>,
    joints: Vec<Joint>,
    /// What a loader adds to these is on lines of its own.
    empty_bodies: Vec<u32>,
    nested: Vec<Nested>,
    /// The heads of loops start here.
    heads: Vec<u32>,
    /// In these, line breaks are not code.
    templates: Vec<Span>,
}

impl Lists {
    fn add(&mut self, kind: ListKind, span: Span, parts: impl Iterator<Item = Span>) {
        let parts: Vec<Span> = parts.collect();
        if !parts.is_empty() {
            self.lists.push(List { kind, span, parts });
        }
    }

    fn join(&mut self, before: Span, after: Span) {
        self.joints.push(Joint { before: before.end, at: after.start, end: Some(after.end) });
    }

    fn nest(&mut self, it: &Statement<'_>) {
        if !matches!(it, Statement::BlockStatement(_)) {
            self.nested.push(Nested::Statement(it.span()));
        }
    }
}

impl<'a> Visit<'a> for Lists {
    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        self.add(ListKind::Object, it.span, it.properties.iter().map(GetSpan::span));
        walk::walk_object_expression(self, it);
    }

    fn visit_object_pattern(&mut self, it: &ObjectPattern<'a>) {
        let rest = it.rest.iter().map(|it| it.span);
        self.add(ListKind::ObjectPattern, it.span, it.properties.iter().map(|it| it.span).chain(rest));
        walk::walk_object_pattern(self, it);
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        self.add(ListKind::Array, it.span, it.elements.iter().map(GetSpan::span));
        walk::walk_array_expression(self, it);
    }

    fn visit_array_pattern(&mut self, it: &ArrayPattern<'a>) {
        let parts = it.elements.iter().flatten().map(GetSpan::span);
        self.add(ListKind::ArrayPattern, it.span, parts.chain(it.rest.iter().map(|it| it.span)));
        walk::walk_array_pattern(self, it);
    }

    fn visit_switch_case(&mut self, it: &SwitchCase<'a>) {
        if let [only] = it.consequent.as_slice() {
            let is_block = matches!(only, Statement::BlockStatement(_));
            self.cases.push((it.span, OnlyStatement { span: only.span(), is_block }));
        }
        walk::walk_switch_case(self, it);
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        if it.is_empty() {
            self.empty_bodies.push(it.span.start);
        }
        let directives = it.directives.iter().map(|it| it.span);
        self.add(ListKind::Body, it.span, directives.chain(it.statements.iter().map(GetSpan::span)));
        walk::walk_function_body(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        let (before, at) = (it.object.span().end, it.property.span.start);
        self.joints.push(Joint { before, at, end: None });
        walk::walk_static_member_expression(self, it);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.join(it.test.span(), it.consequent.span());
        self.join(it.consequent.span(), it.alternate.span());
        walk::walk_conditional_expression(self, it);
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.join(it.left.span(), it.right.span());
        walk::walk_logical_expression(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.join(it.left.span(), it.right.span());
        walk::walk_binary_expression(self, it);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.nest(&it.consequent);
        if let Some(other) = &it.alternate {
            self.nested.push(Nested::Keyword(it.consequent.span().end));
            if !matches!(other, Statement::IfStatement(_)) {
                self.nest(other);
            }
        }
        walk::walk_if_statement(self, it);
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        self.nested.push(Nested::Keyword(it.block.span.end));
        if let (Some(handler), Some(_)) = (&it.handler, &it.finalizer) {
            self.nested.push(Nested::Keyword(handler.span.end));
        }
        walk::walk_try_statement(self, it);
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.nest(&it.body);
        walk::walk_while_statement(self, it);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.nest(&it.body);
        walk::walk_do_while_statement(self, it);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.nest(&it.body);
        walk::walk_for_in_statement(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.nest(&it.body);
        walk::walk_for_of_statement(self, it);
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.nest(&it.body);
        if let Some(ForStatementInit::VariableDeclaration(it)) = &it.init {
            self.heads.push(it.span.start);
        }
        walk::walk_for_statement(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        let has_value = it.declarations.iter().any(|it| it.init.is_some());
        if it.declarations.len() > 1 && has_value && !self.heads.contains(&it.span.start) {
            self.declarations.push(it.declarations.iter().map(|it| it.span).collect());
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_template_element(&mut self, it: &TemplateElement<'a>) {
        self.templates.push(it.span);
    }
}

/// What changes in a text, besides the indents that follow from it.
struct Changes<'a> {
    code: &'a str,
    /// White space, and what comes instead.
    edits: Vec<(u32, u32, Between)>,
    /// By how many levels the lines in a part of the text move, at its start and back at its end.
    shifts: Vec<(u32, i32)>,
}

#[derive(Clone, Copy)]
enum Between {
    LineBreak,
    Space,
    Nothing,
}

impl Changes<'_> {
    fn list(&mut self, list: &List, is_broken: bool) {
        let gaps: Vec<(u32, u32)> = list.gaps().collect();
        let (Some(&first), Some(&last)) = (gaps.first(), gaps.last()) else { return };
        if has_line_break(self.code, first.0, first.1) == is_broken {
            return;
        }
        let is_object = !matches!(list.kind, ListKind::Array | ListKind::ArrayPattern);
        let at_ends = if is_object { Between::Space } else { Between::Nothing };
        for (at, &(start, end)) in gaps.iter().enumerate() {
            let inline = if at == 0 || at + 1 == gaps.len() { at_ends } else { Between::Space };
            self.edit(start, end, if is_broken { Between::LineBreak } else { inline });
        }
        self.shift(first.0, last.0, if is_broken { 1 } else { -1 });
    }

    fn case(&mut self, case: Span, statement: Span) {
        let before = &self.code[case.start as usize..statement.start as usize];
        let Some(colon) = before.rfind(':') else { return };
        let start = case.start + colon as u32 + 1;
        if !has_line_break(self.code, start, statement.start) {
            self.edit(start, statement.start, Between::LineBreak);
            self.shift(start, statement.end, 1);
        }
    }

    fn nested(&mut self, it: Nested) {
        let white_space = |it: &u8| it.is_ascii_whitespace();
        match it {
            Nested::Statement(it) => {
                let before = &self.code.as_bytes()[..it.start as usize];
                let start = it.start - before.iter().rev().take_while(|it| white_space(it)).count() as u32;
                if !has_line_break(self.code, start, it.start) {
                    self.edit(start, it.start, Between::LineBreak);
                    self.shift(start, it.end, 1);
                }
            }
            Nested::Keyword(start) => {
                let after = &self.code.as_bytes()[start as usize..];
                let end = start + after.iter().take_while(|it| white_space(it)).count() as u32;
                if !has_line_break(self.code, start, end) {
                    self.edit(start, end, Between::LineBreak);
                }
            }
        }
    }

    /// Breaks a line before the `.`, `?` or `:` between two parts, or after another operator.
    fn joint(&mut self, it: &Joint) {
        let between = &self.code[it.before as usize..it.at as usize];
        if between.contains(['\n', '(', ')', '/']) {
            return;
        }
        let is_before =
            it.end.is_none() || between.trim_start().starts_with(['?', ':']) && !between.contains("??");
        let spaces = |text: &str| text.len() as u32;
        let (start, end) = match is_before {
            true => (it.before, it.before + spaces(between) - spaces(between.trim_start())),
            false => (it.at - (spaces(between) - spaces(between.trim_end())), it.at),
        };
        self.edit(start, end, Between::LineBreak);
        self.shift(start, it.end.unwrap_or(it.at), 1);
    }

    fn declarations(&mut self, parts: &[Span]) {
        for it in parts.windows(2) {
            self.edit(it[0].end, it[1].start, Between::LineBreak);
        }
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            self.shift(first.start, last.end, 1);
        }
    }

    /// Changes the white space in a gap, after its comma if it has one; not if it has a comment.
    fn edit(&mut self, start: u32, end: u32, between: Between) {
        let gap = &self.code[start as usize..end as usize];
        let after_comma = gap.find(',').map_or(0, |it| it + 1);
        if gap[after_comma..].trim().is_empty() && gap[..after_comma].trim_end_matches(',').trim().is_empty()
        {
            self.edits.push((start + after_comma as u32, end, between));
        }
    }

    fn shift(&mut self, start: u32, end: u32, levels: i32) {
        self.shifts.extend([(start, levels), (end, -levels)]);
    }

    fn apply(mut self, templates: &[Span]) -> String {
        self.edits.sort_unstable_by_key(|it| it.0);
        self.shifts.sort_unstable();
        let mut templates = templates.to_vec();
        templates.sort_unstable_by_key(|it| it.start);
        let (mut result, mut tabs, mut shift) = (String::with_capacity(self.code.len() * 2), 0, 0);
        let (mut edits, mut shifts) = (self.edits.iter().peekable(), self.shifts.iter().peekable());
        let mut templates = templates.iter().peekable();
        let line_break = |result: &mut String, levels: i32| {
            result.push('\n');
            (0..levels).for_each(|_| result.push('\t'));
        };
        let bytes = self.code.as_bytes();
        let mut copied = 0;
        let mut at = 0;
        while at < bytes.len() {
            let here = at as u32;
            while let Some((_, by)) = shifts.next_if(|it| it.0 <= here) {
                shift += by;
            }
            if let Some(template) = templates.next_if(|it| it.start <= here) {
                at = at.max(template.end as usize);
                continue;
            }
            let edit = edits.next_if(|it| it.0 <= here).filter(|it| it.0 == here);
            let is_line_break = bytes[at] == b'\n';
            if edit.is_none() && !is_line_break {
                at += 1;
                continue;
            }
            result.push_str(&self.code[copied..at]);
            let indent = |at: usize| bytes[at..].iter().take_while(|it| **it == b'\t').count();
            let end = match edit {
                Some(&(_, end, between)) => {
                    match between {
                        Between::LineBreak => line_break(&mut result, tabs + shift),
                        Between::Space => result.push(' '),
                        Between::Nothing => {}
                    }
                    let end = end as usize;
                    if let Some(inside) = self.code[at..end].rfind('\n') {
                        tabs = (end - at - inside - 1) as i32;
                    }
                    end
                }
                None => {
                    tabs = indent(at + 1) as i32;
                    line_break(&mut result, tabs + shift);
                    at + 1 + tabs as usize
                }
            };
            // An edit of no length is done once.
            copied = end;
            if end == at {
                at += 1;
            } else {
                at = end;
            }
        }
        result.push_str(&self.code[copied..]);
        result
    }
}

fn has_line_break(text: &str, start: u32, end: u32) -> bool {
    text.get(start as usize..end as usize).is_some_and(|it| it.contains(['\n', '\r']))
}
