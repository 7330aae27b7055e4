//! Finds where a parsed text can be taken apart again: after a line that ends a statement of the top level, if nothing that
//! may follow continues that statement. The parts before and after such a place parse the same separately as together.
//!
//! ```text
//! function a() {}     |   a body ends it, whatever follows
//! const b = 1;        |   so does a semicolon
//! const c = () => {}  |   only if the next statement begins with a word like `const` or `function`: `(d)` would call it
//! const e = 2; f();       no line ends after the first
//! ```

use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind, ModuleDeclaration, Program, Statement};
use oxc_span::{GetSpan, Span};

use super::split::STATEMENT_KEYWORDS;

/// Statements in whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Where they end.
    pub(crate) end: u32,
    /// Whether the first one begins with a word that begins a statement wherever it is.
    pub(crate) begins_anew: bool,
    /// What can continue the last one.
    pub(crate) ending: Ending,
    /// Whether any of them imports or exports.
    pub(crate) is_module: bool,
}

/// What can continue a statement on the line after its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing.
    Closed,
    /// Anything but a word that begins a statement wherever it is.
    Open,
    /// Not known.
    Unknown,
}

impl Lines {
    /// Whether these statements followed by others parse the same as each group alone.
    pub(crate) fn may_precede(&self, next: &Self) -> bool {
        self.ending.is_before(next.begins_anew)
    }
}

impl Ending {
    fn is_before(self, begins_anew: bool) -> bool {
        self == Self::Closed || self == Self::Open && begins_anew
    }
}

/// The statements of a program in groups of whole lines, each of at least `least` bytes except for the last. Empty if
/// there is no statement.
pub(crate) fn lines(text: &str, program: &Program<'_>, least: usize) -> Vec<Lines> {
    let directives = program.directives.iter().map(|it| TopStatement::of_directive(text, it.span));
    let statements: Vec<TopStatement> =
        directives.chain(program.body.iter().map(|it| TopStatement::of(text, it))).collect();
    let mut all = Vec::new();
    let (mut start, mut first, mut is_module) = (0, true, false);
    let mut begins_anew = false;
    for (index, statement) in statements.iter().enumerate() {
        if std::mem::take(&mut first) {
            begins_anew = statement.begins_anew;
        }
        is_module |= statement.is_module;
        let next = statements.get(index + 1);
        let end = match next {
            None => text.len() as u32,
            Some(next) => match line_end(text, statement.span.end) {
                Some(end)
                    if end <= next.span.start
                        && (end - start) as usize >= least
                        && statement.ending.is_before(next.begins_anew) =>
                {
                    end
                }
                _ => continue,
            },
        };
        all.push(Lines { end, begins_anew, ending: statement.ending, is_module });
        (start, first, is_module) = (end, true, false);
    }
    all
}

/// A statement of the top level.
struct TopStatement {
    span: Span,
    begins_anew: bool,
    ending: Ending,
    is_module: bool,
}

impl TopStatement {
    fn of(text: &str, statement: &Statement<'_>) -> Self {
        let span = statement.span();
        let is_module = statement.as_module_declaration().is_some_and(|it| {
            !matches!(
                it,
                ModuleDeclaration::TSExportAssignment(_) | ModuleDeclaration::TSNamespaceExportDeclaration(_)
            )
        });
        let ending = match statement {
            _ if last_byte(text, span) == b';' || ends_with_body(statement) => Ending::Closed,
            // The search for what precedes a definition in its statement stops at a brace.
            _ if last_byte(text, span) != b'}' => Ending::Unknown,
            Statement::VariableDeclaration(_) | Statement::ExpressionStatement(_) => Ending::Open,
            _ if is_module => Ending::Open,
            _ => Ending::Unknown,
        };
        Self { span, begins_anew: begins_anew(text, span), ending, is_module }
    }

    fn of_directive(text: &str, span: Span) -> Self {
        let ending = if last_byte(text, span) == b';' { Ending::Closed } else { Ending::Unknown };
        Self { span, begins_anew: false, ending, is_module: false }
    }
}

fn begins_anew(text: &str, span: Span) -> bool {
    let bytes = &text.as_bytes()[span.start as usize..];
    let word = bytes.iter().position(|&byte| !is_of_word(byte)).unwrap_or(bytes.len());
    STATEMENT_KEYWORDS.contains(&&bytes[..word])
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 0x80..)
}

fn last_byte(text: &str, span: Span) -> u8 {
    text.as_bytes()[..span.end as usize].last().copied().unwrap_or_default()
}

/// Whether the last token is a brace that ends a statement for good.
fn ends_with_body(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::BlockStatement(_) | Statement::SwitchStatement(_) | Statement::TryStatement(_) => true,
        Statement::IfStatement(it) => ends_with_body(it.alternate.as_ref().unwrap_or(&it.consequent)),
        Statement::ForStatement(it) => ends_with_body(&it.body),
        Statement::ForInStatement(it) => ends_with_body(&it.body),
        Statement::ForOfStatement(it) => ends_with_body(&it.body),
        Statement::WhileStatement(it) => ends_with_body(&it.body),
        Statement::ExportDeclaration(it) => declares_with_body(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_some(),
            ExportDefaultDeclarationKind::ClassDeclaration(_) => true,
            _ => false,
        },
        _ => statement.as_declaration().is_some_and(declares_with_body),
    }
}

fn declares_with_body(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::FunctionDeclaration(it) => it.body.is_some(),
        Declaration::ClassDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSEnumDeclaration(_)
        | Declaration::TSNamespaceDeclaration(_) => true,
        _ => false,
    }
}

/// The start of the next line, if nothing but white space is in between.
fn line_end(text: &str, from: u32) -> Option<u32> {
    let behind = &text.as_bytes()[from as usize..];
    let end = behind.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
    (behind[end] == b'\n').then_some(from + end as u32 + 1)
}
