//! Breaks the lines of a printed text where a loader does.
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
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::{SourceType, Span};

use super::lists::{Case, Joint, List, ListKind, Lists, Nested, has_line_break};

/// What a loader puts on lines of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breaks {
    pub(super) objects: Broken,
    pub(super) object_patterns: Broken,
    pub(super) arrays: Broken,
    pub(super) array_patterns: Broken,
    /// The declarations of a statement, if one has a value.
    pub(super) declarations: bool,
    /// A block that is the only statement of a `case`. With every loader but TypeScript any other statement is put on
    /// its own line too.
    pub(super) blocks_of_cases: bool,
    /// As TypeScript does: statements inside statements, `else`, `catch` and `finally` go on their own lines; bodies of
    /// functions, chains and operators stay as written.
    pub(super) statements: bool,
}

/// Whether the parts of a list are on lines of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Always,
    Never,
    /// If there is a line break between any two of them.
    AsWritten,
}

/// The text with other line breaks, and with a tab for each level; `None` if it does not parse. `is_broken` tells whether the
/// list that starts at an offset was written with line breaks.
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

/// The changes to a text, apart from the indents that follow from them.
struct Changes<'a> {
    code: &'a str,
    edits: Vec<Edit>,
    /// How many levels the lines in a part of the text move, at its start, and back at its end.
    shifts: Vec<(u32, i32)>,
}

/// White space, and what replaces it.
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

    /// Changes the white space in a gap, after its comma if it has one. A gap with a comment is left alone.
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
            // An edit of an empty range is only made once.
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
