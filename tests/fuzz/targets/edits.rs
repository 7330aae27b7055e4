//! A session of edits on a measured text: after each the text is what the client has, definitions lie in it, those of a
//! text that parses are those of a new document, and no view shows anything outside of it.

use std::sync::Arc;

use analysis::document::Document;
use analysis::files::{FilePath, Files};
use analysis::locate::LocateSettings;
use analysis::recording::{Recording, load};
use analysis::scope::Scope;
use analysis::summary::Base;
use analysis::symbolicate::LoadSettings;
use analysis::views::{
    HoverConfig, LabelConfig, MeasuredDocument, MeasuredFunctions, Threshold, Unit, document_costs, hints,
    hover, lens_title, lenses,
};
use profile::decode::decode;
use profile::tally::Cost;
use serde_json::json;
use source::language::Language;
use source::large_stack::outline;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};
use text_size::{TextRange, TextSize};

use super::outline::is_sound;
use crate::draw::Draw;

const NAMES: [&str; 6] = ["/ws/a.js", "/ws/a.ts", "/ws/a.tsx", "/ws/a.vue", "/ws/a.svelte", "/ws/a.html"];

/// What is typed, pasted or taken back.
const TYPED: [&str; 24] = [
    "",
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\u{2028}",
    "{",
    "}",
    "(",
    ")",
    "`",
    "'",
    "/",
    "/*",
    "*/",
    "=>",
    "\u{e9}",
    "\u{1d11e}",
    "function f() {}\n",
    "class A { m() {} }",
    "const f = () => 1;",
    "<script>",
    "</script>",
];

/// The first byte names the file, what comes before the next 0 is its text, and then come edits of seven bytes.
pub(crate) fn check(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let file = FilePath::new(draw.one_of(&NAMES));
    let Ok(text) = std::str::from_utf8(draw.before(0)) else { return };
    let recording = recording(&file, text);
    let mut document = Document::new(file.clone(), 1, text);
    let mut text = text.to_owned();
    shows(&recording, &document);
    for version in 2..34 {
        if draw.0.is_empty() {
            return;
        }
        let choice = draw.byte();
        let encoding = [Encoding::Utf16, Encoding::Utf8, Encoding::Utf32][usize::from(choice % 3)];
        let edits: Vec<Edit> = (0..=choice >> 6).map(|_| Edit::drawn(&mut draw)).collect();
        for edit in &edits {
            edit.apply(&mut text);
        }
        let mut before = document.text().to_owned();
        document = document.edited(version, &edits, |lines, text, edit| {
            assert_eq!(text, before, "each edit sees what the one before it left");
            let with = edit.with.to_owned();
            let places = edit.places(text, encoding);
            let [start, end] = places.map(|it| lines.offset(text, it, encoding).expect("a line of the text"));
            edit.apply(&mut before);
            (TextRange::new(start, end), with)
        });
        assert_eq!(document.text(), text, "the text of the client");
        // Other views are computed only for some versions.
        if choice & 0b0010_0000 == 0 {
            shows(&recording, &document);
        }
    }
}

/// One edit, drawn so that it fits any text.
struct Edit {
    at: usize,
    length: usize,
    with: &'static str,
}

impl Edit {
    fn drawn(draw: &mut Draw<'_>) -> Self {
        let at = draw.up_to(0xffff);
        let length = [0, 0, 1, 3, 20, 100, 1000, 0xffff][usize::from(draw.byte() % 8)];
        Self { at, length, with: draw.one_of(&TYPED) }
    }

    /// The bytes of a text that it replaces.
    fn range(&self, text: &str) -> std::ops::Range<usize> {
        let start = place(text, self.at * text.len() / 0xffff);
        start..place(text, start + self.length)
    }

    /// Replaces them.
    fn apply(&self, text: &mut String) {
        text.replace_range(self.range(text), self.with);
    }

    /// The range as a client sends it, counted character by character.
    fn places(&self, text: &str, encoding: Encoding) -> [LineCol; 2] {
        let range = self.range(text);
        [range.start, range.end].map(|at| {
            let (mut line, mut column) = (0, 0);
            let mut chars = text[..at].chars().peekable();
            while let Some(char) = chars.next() {
                let ends = char == '\n' || char == '\r' && chars.peek() != Some(&'\n');
                let units = match encoding {
                    Encoding::Utf8 => char.len_utf8(),
                    Encoding::Utf16 => char.len_utf16(),
                    Encoding::Utf32 => 1,
                };
                (line, column) = if ends { (line + 1, 0) } else { (line, column + units as u32) };
            }
            LineCol { line, column }
        })
    }
}

/// The place of a text at or before an offset that an editor can have: none is inside a character, or between CR and LF.
fn place(text: &str, offset: usize) -> usize {
    let at = text.floor_char_boundary(offset.min(text.len()));
    if text[..at].ends_with('\r') && text[at..].starts_with('\n') { at - 1 } else { at }
}

/// A workspace of one file.
struct One(FilePath, [FilePath; 1], Arc<[u8]>);

impl Files for One {
    fn folders(&self) -> &[FilePath] {
        &self.1
    }

    fn list(&self) -> Arc<[FilePath]> {
        [self.0.clone()].into()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        (*file == self.0).then(|| self.2.clone())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        (*file == self.0).then(|| file.clone())
    }
}

/// What is measured if each definition of the text runs for a millisecond, called by the previous one.
fn recording(file: &FilePath, text: &str) -> Recording {
    let language = Language::of_path(file.as_str()).expect("a file of code");
    let definitions = outline(text, language).map(|it| it.definitions).unwrap_or_default();
    let lines = LineIndex::new(text, LineEnds::Engine);
    let mut nodes = vec![json!({ "id": 1, "callFrame": { "functionName": "(root)" }, "children": [2] })];
    for (id, definition) in (2..).zip(&definitions) {
        let at = lines.line_col(text, definition.range.start(), Encoding::Utf16);
        let name = definition.path.rsplit('.').next().unwrap_or_default();
        nodes.push(json!({
            "id": id, "children": if id < definitions.len() + 1 { vec![id + 1] } else { vec![] }, "callFrame": {
                "functionName": if definition.parent.is_none() { "" } else { name }, "url": format!("file://{file}"),
                "scriptId": "1", "lineNumber": at.line, "columnNumber": at.column,
            }
        }));
    }
    let samples: Vec<usize> = (2..definitions.len() + 2).chain([2]).collect();
    let deltas = vec![1000; samples.len()];
    let trace = json!({
        "nodes": nodes, "startTime": 0, "endTime": 1000 * samples.len(), "samples": samples, "timeDeltas": deltas,
    });
    let profile = decode(&mut trace.to_string().as_bytes(), "a.cpuprofile", &()).unwrap_or_default();
    let files = One(file.clone(), [FilePath::new("/ws")], text.as_bytes().into());
    let settings = LoadSettings { locate: &LocateSettings::default(), maps: None, recorded: None };
    load("a.cpuprofile", &std::sync::Arc::new(profile), &Scope::default(), &files, &settings)
}

/// All views of a document.
fn shows(recording: &Recording, document: &Document) {
    let functions = MeasuredFunctions::find(recording, document);
    let measured = MeasuredDocument { recording, document, functions: &functions };
    let (text, outline) = (document.text(), document.outline());
    assert_eq!(*document.lines(), LineIndex::new(text, LineEnds::Editor));
    is_sound(outline, text);
    let fresh = Document::new(document.file.clone(), 0, text);
    if fresh.outline().exact {
        assert_eq!(outline, fresh.outline(), "the outline is that of a new document");
    }
    let is_inside = |range: TextRange| text.get(std::ops::Range::<usize>::from(range)).is_some();
    let threshold = Threshold { percent: 0.0, base: Base::All };
    let format = "${self} ${total} ${rank}".to_owned();
    let config = LabelConfig { format: format.clone(), unit: Unit::Time, threshold };
    let all = TextRange::up_to(TextSize::of(text));
    for hint in hints(measured, all, &config) {
        assert!(is_inside(TextRange::empty(hint.at)), "{hint:?} lies in the text");
    }
    let config = LabelConfig { format, unit: Unit::Percent, threshold };
    for lens in lenses(measured, &config) {
        assert!(is_inside(lens.range), "{lens:?} lies in the text");
        assert!(lens_title(measured, &lens.key.path, &config).is_some(), "{lens:?} has a title");
    }
    let config = HoverConfig {
        base: Base::Active,
        age: None,
        line_costs: None,
        flame_graph: None,
        link: &|file, line| format!("{file}:{line}"),
        line: &|_, measured| measured.start.line,
    };
    let costs = document_costs(measured, Base::All);
    for function in &costs.functions {
        assert!(is_inside(function.range) && is_inside(function.selection), "{function:?} lies in the text");
        let Cost { self_time, total_time, .. } = function.cost;
        assert!(self_time <= total_time, "{function:?} costs no more than it does with all that it calls");
        let hover = hover(measured, function.selection.start(), &config);
        assert!(hover.is_none_or(|it| is_inside(it.range)), "a hover lies in the text");
    }
    let lines = document.lines().lines();
    assert!(costs.lines.iter().all(|it| it.line < lines), "lines with costs are lines of the text");
}
