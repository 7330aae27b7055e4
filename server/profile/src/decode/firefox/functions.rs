//! The functions of frames: from the columns of their tables, from texts with name and place, or from the names of code.

use super::location::{FrameLocation, file_with_line, last_of_chain, parse, relevant_label};
use super::tables::{Column, NONE, ThreadTables, at};
use crate::builder::ProfileBuilder;
use crate::decode::conventions::named;
use crate::decode::v8::code_name::script_function;
use crate::model::{FunctionId, Position};

/// A frame refers to a text that does not exist.
pub(super) struct Missing;

/// The function of a frame of a raw profile.
pub(super) fn raw(
    view: ThreadTables,
    frame: u32,
    builder: &mut ProfileBuilder,
) -> Result<Option<FunctionId>, Missing> {
    let text = view.strings.get(at(&view.tables.frame_location, frame)).ok_or(Missing)?;
    let shown = shown_label(text, &view.tables.frame_relevant, frame);
    Ok(located(text, builder).or_else(|| shown.map(|name| label(name, builder))))
}

/// The name of a label that is relevant for JavaScript, according to a column that old versions lack.
fn shown_label<'t>(text: &'t str, relevant: &Column, row: u32) -> Option<&'t str> {
    match relevant.is_empty() {
        true => relevant_label(text),
        false => (at(relevant, row) == 1).then_some(text),
    }
}

/// A function of a processed profile.
pub(super) fn processed(
    view: ThreadTables,
    function: u32,
    is_converted: bool,
    builder: &mut ProfileBuilder,
) -> Result<Option<FunctionId>, Missing> {
    let ThreadTables { tables, strings, files } = view;
    let name = strings.get(at(&tables.function_name, function)).ok_or(Missing)?;
    if at(&tables.function_is_js, function) != 1 {
        let shown = shown_label(name, &tables.function_relevant, function);
        return Ok(shown.map(|name| label(named(name), builder)));
    }
    // The profiler's name for the code outside of all functions, which raw profiles leave empty.
    let name = if name.starts_with("(root scope) ") { "" } else { named(name) };
    if tables.function_file.is_empty() && tables.function_source.is_empty() {
        // Before version 4, the name holds everything.
        return Ok(Some(located(name, builder).unwrap_or_else(|| label(name, builder))));
    }
    let file = |source| strings.get(at(files, source));
    let original = at(&tables.function_original, function);
    if let Some(url) = file(at(&tables.original_source, original)) {
        let (line, column) = (at(&tables.original_line, original), at(&tables.original_column, original));
        return Ok(Some(script(name, url, line, column, builder)));
    }
    let url = match at(&tables.function_source, function) {
        NONE => strings.get(at(&tables.function_file, function)),
        source => file(source),
    };
    let (line, column) = (at(&tables.function_line, function), at(&tables.function_column, function));
    if let Some((url, in_url)) = url.and_then(file_with_line).filter(|_| tables.function_column.is_empty()) {
        return Ok(Some(script(name, last_of_chain(url), in_url, line, builder)));
    }
    Ok(Some(match url {
        None if line == NONE && !is_converted => named_code(name, builder),
        _ => script(name, last_of_chain(url.unwrap_or("")), line, column, builder),
    }))
}

/// A function whose name says where it is, as engines name code for `perf`: samply has these names and nothing else.
fn named_code(name: &str, builder: &mut ProfileBuilder) -> FunctionId {
    // `work (WASM:12)` is a function of a module that it does not name.
    if let Some((name, _)) = name.rsplit_once(" (WASM:") {
        return label(name, builder);
    }
    // Firefox's engine names code like frames: `work (https://a.example/app.js:3:14)`.
    let of_firefox = if name.ends_with(')') { located(name, builder) } else { None };
    // samply removes the first of V8's marks.
    of_firefox.unwrap_or_else(|| script_function(name.strip_prefix('\'').unwrap_or(name), builder))
}

fn located(text: &str, builder: &mut ProfileBuilder) -> Option<FunctionId> {
    match parse(text) {
        FrameLocation::Script { name, url, line, column } => {
            Some(script(name, url, line, column.unwrap_or(NONE), builder))
        }
        FrameLocation::Label => None,
    }
}

/// Lines and columns count from 1. Some versions called the first column 0, which cannot be detected.
fn script(name: &str, url: &str, line: u32, column: u32, builder: &mut ProfileBuilder) -> FunctionId {
    let name = builder.string(name);
    let resource = (!url.is_empty()).then(|| builder.resource(url));
    let position = line
        .checked_sub(1)
        .filter(|_| line != NONE)
        .map(|line| Position { line, column: (column != NONE).then(|| column.saturating_sub(1)) });
    builder.function(name, resource, position)
}

/// A function of the browser, such as `Performance.now`.
fn label(text: &str, builder: &mut ProfileBuilder) -> FunctionId {
    let name = builder.string(text);
    builder.function(name, None, None)
}
