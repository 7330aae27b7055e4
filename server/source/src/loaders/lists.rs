//! The parts of a syntax tree between which loaders break lines.

use oxc_ast::ast::{
    ArrayExpression, ArrayPattern, BinaryExpression, ConditionalExpression, DoWhileStatement, ForInStatement,
    ForOfStatement, ForStatement, ForStatementInit, FunctionBody, IfStatement, LogicalExpression,
    ObjectExpression, ObjectPattern, Program, Statement, StaticMemberExpression, SwitchCase, TemplateElement,
    TryStatement, VariableDeclaration, WhileStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

/// Where the lists of a written text start that have a line break between two of their parts, and what else has one before it.
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

#[derive(Clone, Copy)]
pub(super) enum ListKind {
    Object,
    ObjectPattern,
    Array,
    ArrayPattern,
    Body,
}

/// A list in braces or brackets, and its parts.
pub(super) struct List {
    pub(super) kind: ListKind,
    pub(super) span: Span,
    pub(super) parts: Vec<Span>,
}

impl List {
    /// What is between the parts, and before and after them.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (u32, u32)> {
        let starts = std::iter::once(self.span.start + 1).chain(self.parts.iter().map(|part| part.end));
        starts.zip(self.parts.iter().map(|part| part.start).chain([self.span.end - 1]))
    }
}

/// Two parts of an expression, with a possible line break between them.
pub(super) struct Joint {
    pub(super) before: u32,
    pub(super) at: u32,
    /// Where the second part ends, if its lines move too.
    pub(super) end: Option<u32>,
}

/// A statement inside another one, and where what comes before it ends.
#[derive(Clone, Copy)]
pub(super) enum Nested {
    Statement(Span),
    /// `else`, `catch` or `finally` comes after this.
    Keyword(u32),
}

/// A `case` with one statement.
pub(super) struct Case {
    pub(super) span: Span,
    pub(super) statement: Span,
    pub(super) is_block: bool,
}

#[derive(Default)]
pub(super) struct Lists {
    pub(super) lists: Vec<List>,
    pub(super) cases: Vec<Case>,
    /// The parts of statements with several declarations.
    pub(super) declarations: Vec<Vec<Span>>,
    pub(super) joints: Vec<Joint>,
    /// Code that a loader adds to these goes on lines of its own.
    empty_bodies: Vec<u32>,
    pub(super) nested: Vec<Nested>,
    /// The heads of loops start here.
    heads: Vec<u32>,
    /// Line breaks inside these are not code.
    pub(super) templates: Vec<Span>,
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

/// Whether there is a line break between two places.
pub(super) fn has_line_break(text: &str, start: u32, end: u32) -> bool {
    text.get(start as usize..end as usize).is_some_and(|gap| gap.contains(['\n', '\r']))
}
