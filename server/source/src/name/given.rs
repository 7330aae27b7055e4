//! The name of a function that has none of its own: it is that of the variable, property, field, parameter or attribute
//! that the function is assigned to, as in engines and debuggers.
//!
//! ```text
//! const load = memo(() => {})            load
//! a.b = { c() {}, d: async () => {} }    a.b.c and a.b.d: the prefix `a.b.` is part of the path, not of the name
//! list.map(it => it)                     map callback
//! ```

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, AssignmentTarget, BindingPattern, CallExpression, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, Expression, FormalParameter, JSXAttribute, JSXAttributeName,
    JSXAttributeValue, MethodDefinition, MethodDefinitionKind, ObjectExpression, ObjectPropertyKind,
    PropertyKey, PropertyKind,
};
use oxc_span::{GetSpan, Span};
use rustc_hash::FxHashMap;
use text_size::TextRange;

use super::paths::MAX_PATH;
use crate::definition::DefinitionKind;

/// A computed key that is longer is shown as `[…]`.
const MAX_KEY: usize = 40;
/// Through how many expressions a value is followed at most: parentheses, casts, wrappers, chains of members.
const MAX_FOLLOWED: usize = 32;

/// What a node gives to the function inside it.
#[derive(Clone, Debug)]
pub(crate) struct GivenName {
    pub(crate) name: String,
    /// What stands between the path of the definition around and the name: `object.` and the like.
    pub(crate) prefix: String,
    pub(crate) range: Option<TextRange>,
    /// Where the definition starts and what it is, for methods.
    pub(crate) method: Option<(u32, DefinitionKind)>,
}

/// The names that were given so far, by the offset at which the node of the function starts.
pub(crate) struct GivenNames<'a> {
    text: &'a str,
    given: FxHashMap<u32, GivenName>,
}

impl<'a> GivenNames<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, given: FxHashMap::default() }
    }

    /// The name that was given to the function or class whose node starts at an offset.
    pub(crate) fn take(&mut self, start: u32) -> Option<GivenName> {
        self.given.remove(&start)
    }

    /// Notes the names that a node gives to what is directly inside it.
    pub(crate) fn enter(&mut self, node: AstKind<'_>) {
        match node {
            AstKind::VariableDeclarator(variable) => {
                if let (BindingPattern::BindingIdentifier(id), Some(init)) = (&variable.id, &variable.init) {
                    self.give(init, &plain(id.name.as_str(), id.span));
                }
            }
            AstKind::AssignmentExpression(it) => self.assigned(&it.left, &it.right),
            AstKind::AssignmentPattern(pattern) => {
                if let BindingPattern::BindingIdentifier(id) = &pattern.left {
                    self.give(&pattern.right, &plain(id.name.as_str(), id.span));
                }
            }
            AstKind::AssignmentTargetWithDefault(it) => self.assigned(&it.binding, &it.init),
            AstKind::AssignmentTargetPropertyIdentifier(property) => {
                if let Some(init) = &property.init {
                    self.give(init, &plain(property.binding.name.as_str(), property.binding.span));
                }
            }
            AstKind::FormalParameter(it) => self.parameter(it),
            AstKind::PropertyDefinition(it) => self.field(&it.key, it.computed, it.value.as_ref()),
            AstKind::AccessorProperty(it) => self.field(&it.key, it.computed, it.value.as_ref()),
            AstKind::MethodDefinition(it) => self.method(it),
            AstKind::ObjectExpression(it) => self.object(it),
            AstKind::ExportDefaultDeclaration(it) => self.export_default(it),
            AstKind::CallExpression(it) => self.arguments(&it.callee, &it.arguments),
            AstKind::NewExpression(it) => self.arguments(&it.callee, &it.arguments),
            AstKind::JSXAttribute(it) => self.attribute(it),
            _ => {}
        }
    }

    fn assigned(&mut self, target: &AssignmentTarget<'_>, value: &Expression<'_>) {
        if let Some(given) = self.target(target) {
            self.give(value, &given);
        }
    }

    fn field(&mut self, key: &PropertyKey<'_>, computed: bool, value: Option<&Expression<'_>>) {
        if let Some(value) = value {
            self.give(value, &self.key(key, computed));
        }
    }

    fn method(&mut self, method: &MethodDefinition<'_>) {
        let kind = match method.kind {
            MethodDefinitionKind::Constructor => DefinitionKind::Constructor,
            MethodDefinitionKind::Method => DefinitionKind::Method,
            MethodDefinitionKind::Get => DefinitionKind::Getter,
            MethodDefinitionKind::Set => DefinitionKind::Setter,
        };
        let start = method.decorators.last().map_or(method.span.start, |last| last.span.end);
        let given = GivenName { method: Some((start, kind)), ..self.key(&method.key, method.computed) };
        self.given.insert(method.value.span.start, given);
    }

    fn export_default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        let given = GivenName { range: None, ..plain("default", export.span) };
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.given.insert(function.span.start, given);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.given.insert(class.span.start, given);
            }
            other => {
                if let Some(value) = other.as_expression() {
                    self.give(value, &given);
                }
            }
        }
    }

    /// Gives a name to the function, class or object that an expression is or wraps.
    fn give(&mut self, value: &Expression<'_>, given: &GivenName) {
        let mut waiting = vec![value];
        for _ in 0..MAX_FOLLOWED {
            let Some(value) = waiting.pop() else { return };
            match value.get_inner_expression() {
                Expression::FunctionExpression(it) => self.note(it.span, given),
                Expression::ArrowFunctionExpression(it) => self.note(it.span, given),
                Expression::ClassExpression(it) => self.note(it.span, given),
                Expression::ObjectExpression(it) => self.note(it.span, given),
                Expression::ConditionalExpression(it) => waiting.extend([&it.alternate, &it.consequent]),
                Expression::LogicalExpression(it) => waiting.push(&it.right),
                Expression::CallExpression(it) => waiting.extend(wrapped(it)),
                _ => {}
            }
        }
    }

    /// The first name wins: what is around a function knows better what it is than what wraps it.
    fn note(&mut self, span: Span, given: &GivenName) {
        self.given.entry(span.start).or_insert_with(|| given.clone());
    }

    fn parameter(&mut self, parameter: &FormalParameter<'_>) {
        if let (BindingPattern::BindingIdentifier(id), Some(value)) =
            (&parameter.pattern, &parameter.initializer)
        {
            self.give(value, &plain(id.name.as_str(), id.span));
        }
    }

    fn object(&mut self, object: &ObjectExpression<'_>) {
        let prefix = self.given.get(&object.span.start).map_or(String::new(), |outer| {
            let prefix = format!("{}{}.", outer.prefix, outer.name);
            if prefix.len() > MAX_PATH { "….".to_owned() } else { prefix }
        });
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let kind = match property.kind {
                PropertyKind::Get => Some(DefinitionKind::Getter),
                PropertyKind::Set => Some(DefinitionKind::Setter),
                PropertyKind::Init => property.method.then_some(DefinitionKind::Method),
            };
            if kind.is_none() && !can_hold_function(&property.value) {
                continue;
            }
            let method = kind.map(|kind| (property.span.start, kind));
            let given =
                GivenName { prefix: prefix.clone(), method, ..self.key(&property.key, property.computed) };
            self.give(&property.value, &given);
        }
    }

    fn attribute(&mut self, attribute: &JSXAttribute<'_>) {
        if let (JSXAttributeName::Identifier(id), Some(JSXAttributeValue::ExpressionContainer(container))) =
            (&attribute.name, &attribute.value)
            && let Some(value) = container.expression.as_expression()
        {
            self.give(value, &plain(id.name.as_str(), id.span));
        }
    }

    fn arguments(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) {
        for value in arguments.iter().filter_map(Argument::as_expression) {
            if matches!(value, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
                && let Some(callee) = last_name(callee)
            {
                self.note(
                    value.span(),
                    &GivenName { range: None, ..plain(&format!("{callee} callback"), value.span()) },
                );
            }
        }
    }

    fn key(&self, key: &PropertyKey<'_>, computed: bool) -> GivenName {
        let span = key.span();
        if computed {
            return self.computed(span);
        }
        let name = match key {
            PropertyKey::StaticIdentifier(it) => it.name.to_string(),
            PropertyKey::PrivateIdentifier(it) => format!("#{}", it.name),
            PropertyKey::StringLiteral(it) => it.value.to_string(),
            _ => self.text[span.start as usize..span.end as usize].to_owned(),
        };
        plain(&name, span)
    }

    /// A computed key with its brackets, as it is written.
    fn computed(&self, span: Span) -> GivenName {
        let before = self.text[..span.start as usize].trim_end();
        let start = span.start - (self.text[before.len()..span.start as usize].len() as u32);
        let start = if before.ends_with('[') { start - 1 } else { span.start };
        let behind = &self.text[span.end as usize..];
        let space = (behind.len() - behind.trim_start().len()) as u32;
        let end = if behind.trim_start().starts_with(']') { span.end + space + 1 } else { span.end };
        let written = &self.text[span.start as usize..span.end as usize];
        let name = if written.len() > MAX_KEY || written.contains('\n') { "…" } else { written };
        plain(&format!("[{name}]"), Span::new(start, end))
    }

    fn target(&self, target: &AssignmentTarget<'_>) -> Option<GivenName> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(it) => Some(plain(it.name.as_str(), it.span)),
            AssignmentTarget::StaticMemberExpression(member) => {
                let prefix = dotted(&member.object);
                let name = member.property.name.as_str();
                if prefix == "module" && name == "exports" {
                    return Some(plain("module.exports", member.property.span));
                }
                Some(GivenName { prefix: qualifier(&prefix), ..plain(name, member.property.span) })
            }
            AssignmentTarget::PrivateFieldExpression(member) => {
                let prefix = qualifier(&dotted(&member.object));
                Some(GivenName { prefix, ..plain(&format!("#{}", member.field.name), member.field.span) })
            }
            AssignmentTarget::ComputedMemberExpression(member) => {
                let prefix = qualifier(&dotted(&member.object));
                let key = match &member.expression {
                    Expression::StringLiteral(key) => plain(key.value.as_str(), key.span),
                    other => self.computed(other.span()),
                };
                Some(GivenName { prefix, ..key })
            }
            _ => None,
        }
    }
}

fn plain(name: &str, span: Span) -> GivenName {
    let range = Some(TextRange::new(span.start.into(), span.end.into()));
    GivenName { name: name.to_owned(), prefix: String::new(), range, method: None }
}

/// The function that a call only wraps: `memo(function ..)`, `useCallback(() => ..)`, `(function ..).bind(x)`.
fn wrapped<'t, 'a>(call: &'t CallExpression<'a>) -> Option<&'t Expression<'a>> {
    if let Expression::StaticMemberExpression(member) = &call.callee
        && member.property.name == "bind"
    {
        return Some(&member.object);
    }
    let name = last_name(&call.callee)?;
    let wraps = WRAPPERS.contains(&name)
        || name.ends_with('$') // Qwik: `component$`, `server$`, and `$` itself
        || ["use", "with", "create", "define"].iter().any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
        });
    if wraps { call.arguments.first()?.as_expression() } else { None }
}

/// Functions of well-known libraries that give back the function they are given, wrapped.
const WRAPPERS: &[&str] = &[
    "action",
    "asyncHandler",
    "cache",
    "compose",
    "computed",
    "curry",
    "debounce",
    "flow",
    "forwardRef",
    "lazy",
    "memo",
    "memoize",
    "observer",
    "once",
    "partial",
    "promisify",
    "throttle",
    "wrap",
];

fn can_hold_function(value: &Expression<'_>) -> bool {
    matches!(
        value.get_inner_expression(),
        Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_)
            | Expression::ObjectExpression(_)
            | Expression::ConditionalExpression(_)
            | Expression::LogicalExpression(_)
            | Expression::CallExpression(_)
    )
}

fn last_name<'t>(callee: &'t Expression<'_>) -> Option<&'t str> {
    match callee {
        Expression::Identifier(it) => Some(it.name.as_str()),
        Expression::StaticMemberExpression(it) => Some(it.property.name.as_str()),
        _ => None,
    }
}

/// `a.b.c` of a chain of plain names; empty for anything else.
fn dotted(expression: &Expression<'_>) -> String {
    let mut names = Vec::new();
    let mut rest = expression;
    for _ in 0..MAX_FOLLOWED {
        match rest {
            Expression::StaticMemberExpression(member) => {
                names.push(member.property.name.as_str());
                rest = &member.object;
            }
            Expression::Identifier(identifier) => {
                names.push(identifier.name.as_str());
                names.reverse();
                return names.join(".");
            }
            _ => break,
        }
    }
    String::new()
}

/// What the path keeps of the target of an assignment: neither `exports` nor `prototype`.
fn qualifier(dotted: &str) -> String {
    let kept = dotted.strip_prefix("module.").unwrap_or(dotted);
    let names = kept
        .split('.')
        .enumerate()
        .filter(|&(at, name)| !name.is_empty() && name != "prototype" && !(at == 0 && name == "exports"));
    names.flat_map(|(_, name)| [name, "."]).collect()
}
