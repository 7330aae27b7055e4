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
    let Lists { lists, cases, joints, empty_bodies: mut broken, .. } = lists;
    for list in lists {
        if list.gaps().any(|(start, end)| has_line_break(text, start, end)) {
            broken.push(list.span.start);
        }
    }
    for case in cases {
        if has_line_break(text, case.span.start, case.statement.start) {
            broken.push(case.statement.start);
        }
    }
    let broken_joints = joints.iter().filter(|joint| has_line_break(text, joint.before, joint.at));
    broken.extend(broken_joints.map(|joint| joint.at));
    broken
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
        let has_breaks = match is_wanted {
            Broken::Always => true,
            Broken::Never => false,
            Broken::AsWritten => is_broken(list.span.start),
        };
        changes.list(list, has_breaks);
    }
    for case in &lists.cases {
        let is_wanted = match breaks.statements {
            true => is_broken(case.statement.start),
            false => !case.is_block || breaks.blocks_of_cases,
        };
        if is_wanted {
            changes.case(case);
        }
    }
    if breaks.statements {
        lists.nested.iter().for_each(|nested| changes.nested(*nested));
        lists.joints.iter().filter(|joint| is_broken(joint.at)).for_each(|joint| changes.joint(joint));
    }
    if breaks.declarations {
        lists.declarations.iter().for_each(|parts| changes.declarations(parts));
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
        let starts = std::iter::once(self.span.start + 1).chain(self.parts.iter().map(|part| part.end));
        starts.zip(self.parts.iter().map(|part| part.start).chain([self.span.end - 1]))
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

/// A `case` with one statement.
struct Case {
    span: Span,
    statement: Span,
    is_block: bool,
}

#[derive(Default)]
struct Lists {
    lists: Vec<List>,
    cases: Vec<Case>,
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
    fn add(&mut self, kind: ListKind, span: Span, spans: impl Iterator<Item = Span>) {
        let parts: Vec<Span> = spans.collect();
        if !parts.is_empty() {
            self.lists.push(List { kind, span, parts });
        }
    }

    fn join(&mut self, before: Span, after: Span) {
        self.joints.push(Joint { before: before.end, at: after.start, end: Some(after.end) });
    }

    fn nest(&mut self, statement: &Statement<'_>) {
        if !matches!(statement, Statement::BlockStatement(_)) {
            self.nested.push(Nested::Statement(statement.span()));
        }
    }
}

impl<'a> Visit<'a> for Lists {
    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        self.add(ListKind::Object, object.span, object.properties.iter().map(GetSpan::span));
        walk::walk_object_expression(self, object);
    }

    fn visit_object_pattern(&mut self, pattern: &ObjectPattern<'a>) {
        let rest = pattern.rest.iter().map(|rest| rest.span);
        self.add(
            ListKind::ObjectPattern,
            pattern.span,
            pattern.properties.iter().map(|property| property.span).chain(rest),
        );
        walk::walk_object_pattern(self, pattern);
    }

    fn visit_array_expression(&mut self, array: &ArrayExpression<'a>) {
        self.add(ListKind::Array, array.span, array.elements.iter().map(GetSpan::span));
        walk::walk_array_expression(self, array);
    }

    fn visit_array_pattern(&mut self, pattern: &ArrayPattern<'a>) {
        let parts = pattern.elements.iter().flatten().map(GetSpan::span);
        self.add(
            ListKind::ArrayPattern,
            pattern.span,
            parts.chain(pattern.rest.iter().map(|rest| rest.span)),
        );
        walk::walk_array_pattern(self, pattern);
    }

    fn visit_switch_case(&mut self, case: &SwitchCase<'a>) {
        if let [only] = case.consequent.as_slice() {
            let is_block = matches!(only, Statement::BlockStatement(_));
            self.cases.push(Case { span: case.span, statement: only.span(), is_block });
        }
        walk::walk_switch_case(self, case);
    }

    fn visit_function_body(&mut self, body: &FunctionBody<'a>) {
        if body.is_empty() {
            self.empty_bodies.push(body.span.start);
        }
        let directives = body.directives.iter().map(|directive| directive.span);
        self.add(ListKind::Body, body.span, directives.chain(body.statements.iter().map(GetSpan::span)));
        walk::walk_function_body(self, body);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let (before, at) = (member.object.span().end, member.property.span.start);
        self.joints.push(Joint { before, at, end: None });
        walk::walk_static_member_expression(self, member);
    }

    fn visit_conditional_expression(&mut self, conditional: &ConditionalExpression<'a>) {
        self.join(conditional.test.span(), conditional.consequent.span());
        self.join(conditional.consequent.span(), conditional.alternate.span());
        walk::walk_conditional_expression(self, conditional);
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.join(expression.left.span(), expression.right.span());
        walk::walk_logical_expression(self, expression);
    }

    fn visit_binary_expression(&mut self, expression: &BinaryExpression<'a>) {
        self.join(expression.left.span(), expression.right.span());
        walk::walk_binary_expression(self, expression);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.nest(&statement.consequent);
        if let Some(other) = &statement.alternate {
            self.nested.push(Nested::Keyword(statement.consequent.span().end));
            if !matches!(other, Statement::IfStatement(_)) {
                self.nest(other);
            }
        }
        walk::walk_if_statement(self, statement);
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.nested.push(Nested::Keyword(statement.block.span.end));
        if let (Some(handler), Some(_)) = (&statement.handler, &statement.finalizer) {
            self.nested.push(Nested::Keyword(handler.span.end));
        }
        walk::walk_try_statement(self, statement);
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.nest(&statement.body);
        walk::walk_while_statement(self, statement);
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.nest(&statement.body);
        walk::walk_do_while_statement(self, statement);
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.nest(&statement.body);
        walk::walk_for_in_statement(self, statement);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.nest(&statement.body);
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        self.nest(&statement.body);
        if let Some(ForStatementInit::VariableDeclaration(declaration)) = &statement.init {
            self.heads.push(declaration.span.start);
        }
        walk::walk_for_statement(self, statement);
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        let has_value = declaration.declarations.iter().any(|declarator| declarator.init.is_some());
        if declaration.declarations.len() > 1 && has_value && !self.heads.contains(&declaration.span.start) {
            self.declarations
                .push(declaration.declarations.iter().map(|declarator| declarator.span).collect());
        }
        walk::walk_variable_declaration(self, declaration);
    }

    fn visit_template_element(&mut self, element: &TemplateElement<'a>) {
        self.templates.push(element.span);
    }
}

/// What changes in a text, besides the indents that follow from it.
struct Changes<'a> {
    code: &'a str,
    edits: Vec<Edit>,
    /// By how many levels the lines in a part of the text move, at its start and back at its end.
    shifts: Vec<(u32, i32)>,
}

/// White space, and what comes instead.
struct Edit {
    start: u32,
    end: u32,
    between: Between,
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

    fn case(&mut self, case: &Case) {
        let statement = case.statement;
        let before = &self.code[case.span.start as usize..statement.start as usize];
        let Some(colon) = before.rfind(':') else { return };
        let start = case.span.start + colon as u32 + 1;
        if !has_line_break(self.code, start, statement.start) {
            self.edit(start, statement.start, Between::LineBreak);
            self.shift(start, statement.end, 1);
        }
    }

    fn nested(&mut self, nested: Nested) {
        match nested {
            Nested::Statement(statement) => {
                let before = &self.code.as_bytes()[..statement.start as usize];
                let start = statement.start
                    - before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
                if !has_line_break(self.code, start, statement.start) {
                    self.edit(start, statement.start, Between::LineBreak);
                    self.shift(start, statement.end, 1);
                }
            }
            Nested::Keyword(start) => {
                let after = &self.code.as_bytes()[start as usize..];
                let end = start + after.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
                if !has_line_break(self.code, start, end) {
                    self.edit(start, end, Between::LineBreak);
                }
            }
        }
    }

    /// Breaks a line before the `.`, `?` or `:` between two parts, or after another operator.
    fn joint(&mut self, joint: &Joint) {
        let between = &self.code[joint.before as usize..joint.at as usize];
        if between.contains(['\n', '(', ')', '/']) {
            return;
        }
        let is_before =
            joint.end.is_none() || between.trim_start().starts_with(['?', ':']) && !between.contains("??");
        let (start, end) = match is_before {
            true => (joint.before, joint.before + (between.len() - between.trim_start().len()) as u32),
            false => (joint.at - (between.len() - between.trim_end().len()) as u32, joint.at),
        };
        self.edit(start, end, Between::LineBreak);
        self.shift(start, joint.end.unwrap_or(joint.at), 1);
    }

    fn declarations(&mut self, parts: &[Span]) {
        for pair in parts.windows(2) {
            self.edit(pair[0].end, pair[1].start, Between::LineBreak);
        }
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            self.shift(first.start, last.end, 1);
        }
    }

    /// Changes the white space in a gap, after its comma if it has one; not if it has a comment.
    fn edit(&mut self, start: u32, end: u32, between: Between) {
        let gap = &self.code[start as usize..end as usize];
        let after_comma = gap.find(',').map_or(0, |comma| comma + 1);
        if gap[after_comma..].trim().is_empty() && gap[..after_comma].trim_end_matches(',').trim().is_empty()
        {
            self.edits.push(Edit { start: start + after_comma as u32, end, between });
        }
    }

    fn shift(&mut self, start: u32, end: u32, levels: i32) {
        self.shifts.extend([(start, levels), (end, -levels)]);
    }

    fn apply(mut self, templates: &[Span]) -> String {
        self.edits.sort_unstable_by_key(|edit| edit.start);
        self.shifts.sort_unstable();
        let mut in_order = templates.to_vec();
        in_order.sort_unstable_by_key(|template| template.start);
        let (mut result, mut tabs, mut shift) = (String::with_capacity(self.code.len() * 2), 0, 0);
        let (mut edits, mut shifts) = (self.edits.iter().peekable(), self.shifts.iter().peekable());
        let mut templates = in_order.iter().peekable();
        let bytes = self.code.as_bytes();
        let mut copied = 0;
        let mut at = 0;
        while at < bytes.len() {
            let here = at as u32;
            while let Some((_, by)) = shifts.next_if(|(start, _)| *start <= here) {
                shift += by;
            }
            if let Some(template) = templates.next_if(|template| template.start <= here) {
                at = at.max(template.end as usize);
                continue;
            }
            let edit = edits.next_if(|edit| edit.start <= here).filter(|edit| edit.start == here);
            let is_line_break = bytes[at] == b'\n';
            if edit.is_none() && !is_line_break {
                at += 1;
                continue;
            }
            result.push_str(&self.code[copied..at]);
            let end = match edit {
                Some(edit) => {
                    match edit.between {
                        Between::LineBreak => push_line_break(&mut result, tabs + shift),
                        Between::Space => result.push(' '),
                        Between::Nothing => {}
                    }
                    let end = edit.end as usize;
                    if let Some(inside) = self.code[at..end].rfind('\n') {
                        tabs = (end - at - inside - 1) as i32;
                    }
                    end
                }
                None => {
                    tabs = bytes[at + 1..].iter().take_while(|byte| **byte == b'\t').count() as i32;
                    push_line_break(&mut result, tabs + shift);
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

fn push_line_break(text: &mut String, tabs: i32) {
    text.push('\n');
    (0..tabs).for_each(|_| text.push('\t'));
}

fn has_line_break(text: &str, start: u32, end: u32) -> bool {
    text.get(start as usize..end as usize).is_some_and(|gap| gap.contains(['\n', '\r']))
}
