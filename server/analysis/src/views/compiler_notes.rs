//! What V8's compiler did, as notes on the lines of a document: where optimised code was given up, which accesses are megamorphic, and
//! which functions were never optimised.

use source::text::{Encoding, LineCol};
use text_size::{TextRange, TextSize};

use crate::document::Document;
use crate::format::count;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};

/// A note on a part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerNote {
    /// A line without its indentation, or the header of a function.
    pub range: TextRange,
    /// What the compiler did there.
    pub text: String,
}

/// The notes on the measured functions of a document, in the order of the functions. If a line is not known today, its
/// note is at the function.
pub fn compiler_notes(measured: MeasuredDocument<'_>) -> Vec<CompilerNote> {
    measured.functions().iter().flat_map(|function| notes_on(measured, function)).collect()
}

fn notes_on(measured: MeasuredDocument<'_>, function: &MeasuredFunction) -> Vec<CompilerNote> {
    let Some(compiled) = measured.recording.compiled(&function.key) else { return Vec::new() };
    let line_today = measured.line_today(function);
    let header = measured.definition(function).header;
    let note = |line: Option<u32>, text: String| {
        let line = line.and_then(|line| line_today.as_ref()?(line));
        let range = line.and_then(|line| whole_line(measured.document, line));
        CompilerNote { range: range.unwrap_or(header), text }
    };
    let deopts = compiled.sites().into_iter().map(|(site, times)| {
        let text = format!("V8 gave up optimised code {}: {}", count(times, "time"), site.reason);
        note(site.line, text)
    });
    let megamorphic = compiled.megamorphic.iter().map(|access| {
        let property = if access.property.is_empty() { "keys" } else { &*access.property };
        note(access.line, format!("V8 met too many shapes of objects to remember this access: {property}"))
    });
    let never = compiled.is_never_optimized(measured.measured(function));
    let never = never.then(|| note(None, "V8 never optimised this function, though it is hot".to_owned()));
    deopts.chain(megamorphic).chain(never).collect()
}

/// A line without its indentation and its end.
fn whole_line(document: &Document, line: u32) -> Option<TextRange> {
    let text = document.text();
    let start = document.lines().offset(text, LineCol { line, column: 0 }, Encoding::Utf8)?;
    let whole = text[usize::from(start)..].lines().next()?;
    let indent = (whole.len() - whole.trim_start().len()).min(whole.trim_end().len());
    let [from, to] = [indent, whole.trim_end().len()].map(|at| start + TextSize::new(at as u32));
    Some(TextRange::new(from, to))
}
