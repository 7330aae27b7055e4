//! Finds private names that no class around them declares. This is an error that a parser does not detect: no loader
//! accepts such a text, and oxc's transformer panics on it.

use std::collections::HashSet;

use oxc_ast::ast::{
    ClassBody, ClassElement, PrivateFieldExpression, PrivateInExpression, Program, PropertyKey,
};
use oxc_ast_visit::{Visit, walk};

/// Whether all private names are declared by a class around them.
pub(super) fn are_declared(program: &Program<'_>) -> bool {
    let mut names = PrivateNames { declared: Vec::new(), any_missing: false };
    names.visit_program(program);
    !names.any_missing
}

struct PrivateNames<'a> {
    /// What each class around declares, the innermost last.
    declared: Vec<HashSet<&'a str>>,
    any_missing: bool,
}

impl PrivateNames<'_> {
    fn uses(&mut self, name: &str) {
        self.any_missing |= !self.declared.iter().any(|names| names.contains(name));
    }
}

impl<'a> Visit<'a> for PrivateNames<'a> {
    fn visit_class_body(&mut self, body: &ClassBody<'a>) {
        let keys = body.body.iter().filter_map(ClassElement::property_key);
        let names = keys.filter_map(|key| match key {
            PropertyKey::PrivateIdentifier(name) => Some(name.name.as_str()),
            _ => None,
        });
        self.declared.push(names.collect());
        walk::walk_class_body(self, body);
        self.declared.pop();
    }

    fn visit_private_field_expression(&mut self, expression: &PrivateFieldExpression<'a>) {
        self.uses(expression.field.name.as_str());
        walk::walk_private_field_expression(self, expression);
    }

    fn visit_private_in_expression(&mut self, expression: &PrivateInExpression<'a>) {
        self.uses(expression.left.name.as_str());
        walk::walk_private_in_expression(self, expression);
    }
}
