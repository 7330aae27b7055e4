//! Finds the function that made a script by `eval` or `new Function`. The recorder only knows the place of the call; a profile
//! knows a function by where it is defined, which the text of the script around that place tells.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use source::definition::{DefinitionKind, Outline};
use source::language::Language;
use source::name::names_agree;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};

use crate::texts::read_text;
use crate::v8_profile::CallFrame;

/// Who made a script.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Made {
    script_id: String,
    /// The call, with the name of the function around it.
    by: CallFrame,
    /// The text of the script that contains the call.
    text: String,
    #[serde(default)]
    start_line: i64,
    #[serde(default)]
    start_column: i64,
}

/// For each script, the function that made it, as a profile has it. Scripts whose maker cannot be found are left out.
pub(crate) fn makers(folder: &Path, made: Vec<Made>) -> HashMap<String, CallFrame> {
    let mut texts: HashMap<String, Option<MakersText>> = HashMap::new();
    let mut makers = HashMap::new();
    for made in made {
        let text = texts.entry(made.text.clone()).or_insert_with(|| MakersText::read(folder, &made.text));
        let maker = text.as_ref().and_then(|text| text.function_around(&made));
        makers.extend(maker.map(|maker| (made.script_id, maker)));
    }
    makers
}

/// A text that makes code.
struct MakersText {
    lines: LineIndex,
    text: String,
    outline: Outline,
}

impl MakersText {
    fn read(folder: &Path, name: &str) -> Option<Self> {
        let text = read_text(folder, name).ok()?;
        // What runs is JavaScript, whatever the original was written in.
        let outline =
            source::large_stack::outline(&text, Language::JavaScript).ok().filter(|outline| outline.exact)?;
        Some(Self { lines: LineIndex::new(&text, LineEnds::Engine), text, outline })
    }

    /// The function around the call, at the place where V8 says that it is defined.
    fn function_around(&self, made: &Made) -> Option<CallFrame> {
        let Made { by, start_line, start_column, .. } = made;
        let line = by.line_number.checked_sub(*start_line)?;
        let before = if line == 0 { *start_column } else { 0 };
        let column = by.column_number.checked_sub(before)?;
        let call = LineCol { line: u32::try_from(line).ok()?, column: u32::try_from(column).ok()? };
        let offset = self.lines.offset(&self.text, call, Encoding::Utf16)?;
        let definition = self.outline.get(self.outline.around(offset)?);
        let is_top_level = definition.kind == DefinitionKind::TopLevel;
        let name = if is_top_level { "" } else { &by.function_name };
        // With another name, it is not the text that ran.
        if !name.is_empty() && !names_agree(name, definition) {
            return None;
        }
        let place = self.lines.line_col(&self.text, definition.defined_at, Encoding::Utf16);
        let before = if place.line == 0 { *start_column } else { 0 };
        Some(CallFrame {
            function_name: name.to_owned(),
            line_number: i64::from(place.line).checked_add(*start_line)?,
            column_number: i64::from(place.column).checked_add(before)?,
            ..by.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "class Schema {\n  parse(value) { return [value].map((it) => new Function(it)); }\n}\nnew Function('');\n";

    /// The function around a call in [`TEXT`] at a place whose column V8 counts from `start_column`.
    fn around(name: &str, line: i64, column: i64, start_column: i64) -> Option<(String, i64, i64)> {
        let outline = source::large_stack::outline(TEXT, Language::JavaScript).unwrap();
        let text =
            MakersText { lines: LineIndex::new(TEXT, LineEnds::Engine), text: TEXT.to_owned(), outline };
        let by = CallFrame {
            function_name: name.to_owned(),
            script_id: "7".to_owned(),
            url: "file:///schema.js".to_owned(),
            line_number: line,
            column_number: column,
        };
        let made = Made { script_id: "8".to_owned(), by, text: String::new(), start_line: 0, start_column };
        text.function_around(&made).map(|it| (it.function_name, it.line_number, it.column_number))
    }

    #[test]
    fn the_innermost_function_around_the_call_made_it() {
        assert_eq!(around("", 1, 44, 0), Some((String::new(), 1, 36)));
        assert_eq!(around("parse", 1, 20, 0), Some(("parse".to_owned(), 1, 7)));
        assert_eq!(around("", 3, 0, 62), Some((String::new(), 0, 62)));
    }

    #[test]
    fn where_text_and_call_do_not_fit_nobody_did() {
        assert_eq!(around("other", 1, 20, 0), None);
        assert_eq!(around("parse", 9, 0, 0), None);
        assert_eq!(around("parse", -1, i64::MIN, i64::MAX), None);
    }
}
