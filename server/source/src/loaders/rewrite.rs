//! What loaders do to the syntax tree besides removing types, as far as it moves functions.

use std::collections::HashMap;

use oxc_allocator::{Allocator, Vec as ArenaVec};
use oxc_ast::ast::{
    CallExpression, ClassBody, ClassElement, Declaration, ExportDefaultDeclarationKind, Expression,
    IdentifierReference, ImportDeclarationSpecifier, MethodDefinition, MethodDefinitionKind, Program,
    Statement, StringLiteral,
};
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_semantic::{Scoping, SymbolId};
use oxc_span::Span;

use super::known::{Loader, Modules, Prints};

/// Where the constructors that declare fields start: `constructor(private size: number)`.
pub(super) fn declaring_constructors(program: &mut Program<'_>) -> Vec<u32> {
    struct Found(Vec<u32>);
    impl<'a> VisitMut<'a> for Found {
        fn visit_method_definition(&mut self, method: &mut MethodDefinition<'a>) {
            let declares = method
                .value
                .params
                .items
                .iter()
                .any(|parameter| parameter.accessibility.is_some() || parameter.readonly);
            if method.kind == MethodDefinitionKind::Constructor && declares {
                self.0.push(method.span.start);
            }
            walk_mut::walk_method_definition(self, method);
        }
    }
    let mut found = Found(Vec::new());
    found.visit_program(program);
    found.0
}

/// Puts these constructors first in their classes.
pub(super) fn move_constructors_first(constructors: &[u32], program: &mut Program<'_>) {
    struct Moved<'c>(&'c [u32]);
    impl<'a> VisitMut<'a> for Moved<'_> {
        fn visit_class_body(&mut self, class: &mut ClassBody<'a>) {
            walk_mut::walk_class_body(self, class);
            let at = class.body.iter().position(|element| match element {
                ClassElement::MethodDefinition(method) => {
                    method.kind == MethodDefinitionKind::Constructor && self.0.contains(&method.span.start)
                }
                _ => false,
            });
            if let Some(at) = at {
                let constructor = class.body.remove(at);
                class.body.insert(0, constructor);
            }
        }
    }
    if !constructors.is_empty() {
        Moved(constructors).visit_program(program);
    }
}

/// Removes `export` from declarations, whose names are listed at the end or are properties of `exports`. If a loader
/// writes these after each declaration, an empty statement stands for that.
pub(super) fn list_exports<'a>(allocator: &'a Allocator, modules: Modules, program: &mut Program<'a>) {
    let body = std::mem::replace(&mut program.body, ArenaVec::new_in(&allocator));
    let says_after = matches!(modules, Modules::Required { is_said_after: true, .. });
    let statements = body.into_iter().flat_map(|statement| match statement {
        Statement::ExportDeclaration(export) => {
            let declaration = export.unbox().declaration;
            let said = (says_after && is_said_after(&declaration)).then(|| empty_statement(allocator));
            [Some(Statement::from(declaration)), said]
        }
        other => [without_export(other), None],
    });
    program.body.extend(statements.flatten());
}

/// Whether a declaration is a class, or a function assigned to a variable. Other values are exported where they are assigned.
fn is_said_after(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::ClassDeclaration(_) => true,
        Declaration::VariableDeclaration(variables) => {
            let mut values = variables.declarations.iter().filter_map(|declarator| declarator.init.as_ref());
            values.any(|value| {
                matches!(value, Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
            })
        }
        _ => false,
    }
}

/// A statement without `export`; nothing is left of a list of names.
fn without_export(statement: Statement<'_>) -> Option<Statement<'_>> {
    match statement {
        Statement::ExportNamedDeclaration(_) => None,
        Statement::ExportDefaultDeclaration(export) => {
            let is_named = match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.is_some(),
                ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.is_some(),
                _ => false,
            };
            if !is_named {
                return Some(Statement::ExportDefaultDeclaration(export));
            }
            match export.unbox().declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    Some(Statement::FunctionDeclaration(function))
                }
                ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                    Some(Statement::ClassDeclaration(class))
                }
                _ => None,
            }
        }
        other => Some(other),
    }
}

/// Writes escaped line ends of strings as two characters; otherwise they would be printed as line ends in templates.
pub(super) fn on_one_line<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    struct Escaped<'a>(&'a Allocator);
    impl<'a> VisitMut<'a> for Escaped<'a> {
        fn visit_string_literal(&mut self, literal: &mut StringLiteral<'a>) {
            if literal.value.contains('\n') {
                literal.value = self.0.alloc_str(&literal.value.replace('\n', "nn")).into();
                literal.raw = None;
            }
        }
    }
    Escaped(allocator).visit_program(program);
}

/// `undefined` is `void 0`, as esbuild prints it.
pub(super) fn shorten_undefined<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    struct Shortened<'a>(&'a Allocator);
    impl<'a> VisitMut<'a> for Shortened<'a> {
        fn visit_identifier_reference(&mut self, name: &mut IdentifierReference<'a>) {
            if name.name == "undefined" {
                name.name = self.0.alloc_str("void 0").into();
            }
        }
    }
    Shortened(allocator).visit_program(program);
}

/// Keeps numbers as written. The result is no longer a number in the syntax tree; it is only meant to be printed.
pub(super) fn keep_numbers<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    struct Kept<'a>(&'a Allocator);
    impl<'a> VisitMut<'a> for Kept<'a> {
        fn visit_expression(&mut self, expression: &mut Expression<'a>) {
            walk_mut::walk_expression(self, expression);
            if let Expression::NumericLiteral(number) = expression
                && let Some(raw) = number.raw
            {
                *expression = Expression::new_identifier(number.span, raw.as_str(), &AstBuilder::new(self.0));
            }
        }
    }
    Kept(allocator).visit_program(program);
}

/// Gives imported names the form in which a loader reads them from modules. The result is no longer an identifier in the
/// syntax tree; it is only meant to be printed.
pub(super) fn rename_imports<'a>(
    allocator: &'a Allocator,
    scoping: &Scoping,
    loader: &Loader,
    program: &mut Program<'a>,
) {
    let Loader { modules, prints, .. } = *loader;
    if matches!(modules, Modules::Required { .. } | Modules::Numbered) {
        let imported = imported(modules, program);
        let is_close = prints == Prints::Densely || modules == Modules::Numbered;
        let zero = if is_close { "0," } else { "0, " };
        let is_dense = prints == Prints::Densely;
        Renamed { allocator, scoping, imported, zero, is_dense }.visit_program(program);
    }
}

/// What each imported name is printed as, by symbol.
fn imported(modules: Modules, program: &Program<'_>) -> HashMap<SymbolId, String> {
    let mut imported = HashMap::new();
    let imports = program.body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(import) if !import.import_kind.is_type() => Some(import),
        _ => None,
    });
    for (number, import) in imports.enumerate() {
        let module = match modules {
            Modules::Required { prefix, suffix, .. } => {
                format!("{prefix}{}{suffix}", module_name(&import.source.value, suffix.is_empty()))
            }
            _ => format!("__vite_ssr_import_{number}__"),
        };
        for specifier in import.specifiers.iter().flatten() {
            let (local, printed) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    (&specifier.local, format!("{module}.{}", specifier.imported.name()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    (&specifier.local, format!("{module}.default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    (&specifier.local, module.clone())
                }
            };
            if let Some(symbol) = local.symbol_id.get() {
                imported.insert(symbol, printed);
            }
        }
    }
    imported
}

/// The variable for a module: the last part of its path, without the characters that an identifier cannot have.
fn module_name(path: &str, is_stem: bool) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = match file.rsplit_once('.') {
        Some((stem, "js" | "mjs" | "cjs" | "ts" | "mts" | "cts")) if is_stem => stem,
        _ => file,
    };
    stem.chars().map(|char| if char.is_alphanumeric() { char } else { '_' }).collect()
}

struct Renamed<'a, 's> {
    allocator: &'a Allocator,
    scoping: &'s Scoping,
    imported: HashMap<SymbolId, String>,
    /// What comes before an imported name that is called, without the parenthesis.
    zero: &'static str,
    is_dense: bool,
}

impl Renamed<'_, '_> {
    fn printed(&self, name: &IdentifierReference<'_>) -> Option<&str> {
        let symbol = self.scoping.get_reference(name.reference_id.get()?).symbol_id()?;
        self.imported.get(&symbol).map(String::as_str)
    }
}

impl<'a> VisitMut<'a> for Renamed<'a, '_> {
    fn visit_identifier_reference(&mut self, name: &mut IdentifierReference<'a>) {
        if let Some(printed) = self.printed(name) {
            name.name = self.allocator.alloc_str(printed).into();
        }
    }

    fn visit_call_expression(&mut self, call: &mut CallExpression<'a>) {
        walk_mut::walk_call_expression(self, call);
        // Without this, `module.a()` would get the module as `this`.
        if let Expression::Identifier(callee) = &mut call.callee
            && callee.name.contains('.')
        {
            if self.is_dense {
                // This results in `return(0,a.b)`, without a space.
                let builder = AstBuilder::new(self.allocator);
                let zero = Expression::new_identifier(Span::default(), "0", &builder);
                let name = Expression::new_identifier(callee.span, callee.name, &builder);
                let both = ArenaVec::from_array_in([zero, name], &self.allocator);
                call.callee = Expression::new_sequence_expression(callee.span, both, &builder);
                return;
            }
            callee.name = self.allocator.alloc_str(&format!("({}{})", self.zero, callee.name)).into();
        }
    }
}

fn empty_statement<'a>(allocator: &'a Allocator) -> Statement<'a> {
    Statement::new_empty_statement(Span::default(), &AstBuilder::new(allocator))
}
