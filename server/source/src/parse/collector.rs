//! The definitions in a syntax tree, before their surroundings are known.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, ChainElement, Class, Declaration, ExportDefaultDeclarationKind, Expression,
    Function, JSXElementName, MemberExpression, TSExternalModuleDeclaration, TSGlobalDeclaration,
    TSModuleReference, TSNamespaceDeclaration, VariableDeclaration,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_parser::{Kind, Token};
use oxc_span::{GetSpan, Span};
use text_size::TextRange;

use crate::definition::DefinitionKind;
use crate::name::{GivenName, GivenNames};

/// A definition before its surroundings are known.
pub(crate) struct Draft {
    pub(crate) kind: DefinitionKind,
    pub(crate) start: u32,
    /// Where the decorators of a class begin; the start if there are none.
    pub(crate) decorators_from: u32,
    pub(crate) body: u32,
    pub(crate) end: u32,
    pub(crate) defined_at: u32,
    pub(crate) parameters_end: u32,
    /// Where the header ends: after the return type, the arrow, or what a class implements.
    pub(crate) header_end: u32,
    pub(crate) name: Option<String>,
    pub(crate) prefix: String,
    pub(crate) name_range: Option<TextRange>,
}

/// Whether `await` and `yield` are keywords in the body of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionFlags {
    pub(crate) is_async: bool,
    pub(crate) is_generator: bool,
}

pub(crate) struct Collector<'a> {
    tokens: &'a [Token],
    names: GivenNames<'a>,
    pub(crate) drafts: Vec<Draft>,
    /// Statements and fields that do nothing but define something, by start.
    pub(crate) defining: Vec<Span>,
    /// The offsets of what was left out between braces, in order.
    holes: &'a [u32],
    /// For each of them, the function whose body it is; `None` if it is not the body of a function.
    pub(crate) hole_functions: Vec<Option<FunctionFlags>>,
    /// Whether a variable seems to be named `await`, in which case the text means something else in a module.
    pub(crate) has_await: bool,
}

impl<'a> Collector<'a> {
    /// For the tree of a text with these tokens.
    pub(crate) fn new(text: &'a str, tokens: &'a [Token], holes: &'a [u32]) -> Self {
        Self {
            tokens,
            names: GivenNames::new(text),
            drafts: Vec::new(),
            defining: Vec::new(),
            holes,
            hole_functions: vec![None; holes.len()],
            has_await: false,
        }
    }

    /// Records which function this body belongs to, if it was left out as a whole.
    fn body(&mut self, body: Span, flags: FunctionFlags) {
        if let Ok(hole) = self.holes.binary_search(&(body.start + 1))
            && body.end == body.start + 3
        {
            self.hole_functions[hole] = Some(flags);
        }
    }

    /// The tokens from an offset on.
    fn tokens_after(&self, offset: u32) -> &'a [Token] {
        &self.tokens[self.tokens.partition_point(|token| token.start() < offset)..]
    }

    /// Where the first token from an offset on starts.
    fn start_from(&self, offset: u32) -> u32 {
        self.tokens_after(offset).first().map_or(offset, |token| token.start())
    }

    /// Where the last token before an offset ends.
    fn token_end_before(&self, offset: u32) -> u32 {
        let next = self.tokens.partition_point(|token| token.start() < offset);
        next.checked_sub(1).map_or(offset, |last| self.tokens[last].end())
    }

    /// Where the `=>` of an arrow function ends.
    fn arrow_end(&self, arrow: &ArrowFunctionExpression<'_>) -> u32 {
        let signature =
            arrow.return_type.as_ref().map_or(arrow.params.span.end, |return_type| return_type.span.end);
        let token = self.tokens_after(signature).iter().find(|token| token.kind() == Kind::Arrow);
        token.map_or(signature, |token| token.end())
    }

    fn function(&mut self, function: &Function<'_>) {
        let given = self.names.take(function.span.start);
        let Some(body) = &function.body else { return };
        self.body(body.span, FunctionFlags { is_async: function.r#async, is_generator: function.generator });
        let method = given.as_ref().and_then(|given| given.method);
        let start = method.map_or(function.span.start, |(start, _)| self.start_from(start));
        let draft = Draft {
            kind: method.map_or(DefinitionKind::Function, |(_, kind)| kind),
            start,
            decorators_from: start,
            body: body.span.start,
            end: body.span.end,
            defined_at: function.params.span.start,
            parameters_end: function.params.span.end,
            header_end: function
                .return_type
                .as_ref()
                .map_or(function.params.span.end, |return_type| return_type.span.end),
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
        self.body(body, FunctionFlags { is_async: arrow.r#async, is_generator: false });
        let draft = Draft {
            kind: DefinitionKind::Arrow,
            start: arrow.span.start,
            decorators_from: arrow.span.start,
            body: body.start,
            end: body.end,
            defined_at: if arrow.r#async { arrow.span.start } else { arrow.params.span.start },
            parameters_end: arrow.params.span.end,
            header_end: self.arrow_end(arrow),
            name: None,
            prefix: String::new(),
            name_range: None,
        };
        self.push(draft, None, given);
    }

    fn class(&mut self, class: &Class<'_>) {
        let given = self.names.take(class.span.start);
        let decorated = class.decorators.last().map_or(0, |last| last.span.end);
        let start = self.start_from(decorated.max(class.span.start));
        let keyword = self.tokens_after(start).iter().find(|token| token.kind() == Kind::Class);
        let own = class.id.as_ref().map(|id| (id.name.as_str(), id.span));
        let draft = Draft {
            kind: DefinitionKind::Class,
            start,
            decorators_from: class.decorators.first().map_or(start, |first| first.span.start),
            body: class.body.span.start + 1,
            end: class.body.span.end,
            defined_at: keyword.map_or(start, |token| token.start()),
            parameters_end: own.map_or(keyword.map_or(start, |token| token.end()), |(_, span)| span.end),
            header_end: self.token_end_before(class.body.span.start),
            name: None,
            prefix: String::new(),
            name_range: None,
        };
        self.push(draft, own, given);
    }

    fn push(&mut self, mut draft: Draft, own: Option<(&str, Span)>, given: Option<GivenName>) {
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

    /// Whether a chain continues to the left, and what else the link contains. Long chains (`a + a + ..`, `a.b.c..`) are
    /// deep trees, so they are not walked recursively.
    fn link<'t>(&mut self, expression: &'t Expression<'a>) -> Option<&'t Expression<'a>> {
        match expression {
            Expression::BinaryExpression(expression) => {
                self.visit_expression(&expression.right);
                Some(&expression.left)
            }
            Expression::LogicalExpression(expression) => {
                self.visit_expression(&expression.right);
                Some(&expression.left)
            }
            Expression::CallExpression(call) => {
                self.names.enter(AstKind::CallExpression(call));
                self.visit_arguments(&call.arguments);
                Some(&call.callee)
            }
            Expression::TaggedTemplateExpression(template) => {
                self.visit_template_literal(&template.quasi);
                Some(&template.tag)
            }
            Expression::TSNonNullExpression(it) => Some(&it.expression),
            Expression::TSAsExpression(it) => Some(&it.expression),
            Expression::TSSatisfiesExpression(it) => Some(&it.expression),
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::CallExpression(call) => {
                    self.names.enter(AstKind::CallExpression(call));
                    self.visit_arguments(&call.arguments);
                    Some(&call.callee)
                }
                ChainElement::TSNonNullExpression(it) => Some(&it.expression),
                other => other.as_member_expression().map(|member| self.member(member)),
            },
            other => other.as_member_expression().map(|member| self.member(member)),
        }
    }

    fn member<'t>(&mut self, member: &'t MemberExpression<'a>) -> &'t Expression<'a> {
        if let MemberExpression::ComputedMemberExpression(member) = member {
            self.visit_expression(&member.expression);
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
            AstKind::IdentifierReference(it) => self.has_await |= it.name == "await",
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

    fn visit_ts_namespace_declaration(&mut self, namespace: &TSNamespaceDeclaration<'a>) {
        if !namespace.declare {
            walk_js::walk_ts_namespace_declaration(self, namespace);
        }
    }

    // The following nodes contain no code, however deep they are.
    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}
    fn visit_ts_module_reference(&mut self, _: &TSModuleReference<'a>) {}
    fn visit_jsx_element_name(&mut self, _: &JSXElementName<'a>) {}
}

/// The span of a statement or field that does nothing but define functions or classes.
fn defining(node: AstKind<'_>) -> Option<Span> {
    let does = match node {
        AstKind::VariableDeclaration(it) => are_all_definitions(it),
        AstKind::ExpressionStatement(it) => match &it.expression {
            Expression::AssignmentExpression(it) => is_definition(&it.right),
            // `(function () { .. })();`
            Expression::CallExpression(call) => {
                call.arguments.is_empty() && is_definition(call.callee.without_parentheses())
            }
            _ => false,
        },
        AstKind::ExportDeclaration(it) => match &it.declaration {
            Declaration::FunctionDeclaration(_) | Declaration::ClassDeclaration(_) => true,
            Declaration::VariableDeclaration(it) => are_all_definitions(it),
            _ => false,
        },
        AstKind::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_) => true,
            other => other.as_expression().is_some_and(is_definition),
        },
        AstKind::PropertyDefinition(it) => it.value.as_ref().is_some_and(is_definition),
        _ => false,
    };
    does.then(|| node.span())
}

fn is_definition(value: &Expression<'_>) -> bool {
    matches!(
        value,
        Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_)
    )
}

fn are_all_definitions(variables: &VariableDeclaration<'_>) -> bool {
    variables.declarations.iter().all(|variable| variable.init.as_ref().is_some_and(is_definition))
}
