//! What the map is asked about generated functions.

use text_size::TextSize;

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::map::outlined::Outlined;
use crate::map::resolve::Query;
use crate::map::segment::Segment;
use crate::map::source_map::SourceMap;
use crate::text::{Encoding, LineCol};

/// How many segments of a header are asked for: the first may stand for code that a tool made.
const IN_HEADER: u32 = 3;

/// How many parts of a body are asked, spread over all of it, and for how many segments in all.
const PARTS: usize = 16;
const IN_BODY: usize = 48;

/// A question in offsets of the generated text.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// Nothing before this is of interest.
    pub(super) start: TextSize,
    pub(super) at: TextSize,
    pub(super) end: TextSize,
    pub(super) limit: u32,
}

/// What the map says: the segment before the place, if it lies in the span, and those in the span.
pub(super) struct Answer {
    pub(super) before: Option<Segment>,
    pub(super) inside: Vec<Segment>,
}

/// A generated function that is to be placed.
pub(super) struct GeneratedFunction {
    pub(super) id: DefinitionId,
    pub(super) kind: DefinitionKind,
    pub(super) header: Question,
}

impl GeneratedFunction {
    /// A definition that an engine reports at a place inside it.
    pub(super) fn new(generated: Outlined<'_>, id: DefinitionId, at: TextSize) -> Self {
        let definition = generated.outline.get(id);
        let kind = definition.kind;
        let start = definition.range.start();
        // The place of initialisers is that of a field (V8) or what stands there.
        if kind == DefinitionKind::Class && at >= definition.header.end() {
            let header = Question { start: at, at, end: definition.range.end(), limit: IN_HEADER };
            return Self { id, kind, header };
        }
        // Functions inside the header, such as defaults of parameters, have segments of their own.
        let inner = children(generated.outline, id).next().map(|it| it.1.range.start());
        let end = inner.map_or(definition.header.end(), |it| it.min(definition.header.end()));
        let header = Question { start, at: at.min(end), end, limit: IN_HEADER };
        Self { id, kind, header }
    }

    /// What to ask where the header says nothing: the line, and parts of the body.
    pub(super) fn details(&self, generated: Outlined<'_>) -> Vec<Question> {
        let nothing = Question { limit: 0, ..self.header };
        let mut questions = vec![self.line(generated).unwrap_or(nothing)];
        self.body(generated, &mut questions);
        questions
    }

    fn line(&self, generated: Outlined<'_>) -> Option<Question> {
        let Outlined { text, lines, outline } = generated;
        let line = lines.line_col(text, outline.get(self.id).range.start(), Encoding::Utf16).line;
        let start_of = |line| lines.offset(text, LineCol { line, column: 0 }, Encoding::Utf16);
        let start = start_of(line)?;
        let end = start_of(line + 1).unwrap_or(TextSize::of(text));
        Some(Question { start, at: start, end, limit: 2 })
    }

    /// Parts of the body, those of the functions inside it left out, spread over all of it.
    fn body(&self, generated: Outlined<'_>, questions: &mut Vec<Question>) {
        let outline = generated.outline;
        let mut parts = own_parts(outline, self.id);
        let (count, limit) = if self.kind == DefinitionKind::TopLevel {
            // Loaders put a function around all code of a module.
            let only = |id: DefinitionId| {
                let mut inner = children(outline, id).map(|it| it.0);
                inner.next().filter(|_| inner.next().is_none())
            };
            std::iter::successors(only(self.id), |&it| only(it))
                .for_each(|it| parts.extend(own_parts(outline, it)));
            parts.sort_unstable();
            // It may be that of many files, and some of them may be small.
            (parts.len(), u32::MAX)
        } else {
            (parts.len().min(PARTS), (IN_BODY / parts.len().clamp(1, PARTS)) as u32)
        };
        let chosen = (0..count).map(|it| parts[it * parts.len() / count]);
        questions.extend(chosen.map(|(at, end)| Question { start: at, at, end, limit }));
    }
}

/// The body of a function without those inside it.
fn own_parts(outline: &Outline, id: DefinitionId) -> Vec<(TextSize, TextSize)> {
    let definition = outline.get(id);
    let mut parts = Vec::new();
    let mut at = definition.header.end();
    let inner = children(outline, id).map(|it| it.1.range);
    let end = definition.range.end();
    for (start, next) in inner.map(|it| (it.start(), it.end())).chain([(end, end)]) {
        if at < start {
            parts.push((at, start));
        }
        at = at.max(next);
    }
    parts
}

/// The definitions directly inside one, in order.
pub(super) fn children(
    outline: &Outline,
    id: DefinitionId,
) -> impl Iterator<Item = (DefinitionId, &Definition)> {
    let end = outline.get(id).range.end();
    let inside = (id.0 + 1..).map(DefinitionId).zip(&outline.definitions[id.0 as usize + 1..]);
    inside.take_while(move |it| it.1.range.start() < end).filter(move |it| it.1.parent == Some(id))
}

/// Asks the map all questions at once; the answers stand as the questions do.
pub(super) fn ask(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    questions: Vec<Vec<Question>>,
) -> Vec<Vec<Answer>> {
    let flat: Vec<Question> = questions.iter().flatten().copied().collect();
    let place = |offset| generated.lines.line_col(generated.text, offset, Encoding::Utf16);
    let mut order: Vec<usize> = (0..flat.len()).collect();
    order.sort_by_key(|&it| flat[it].at);
    let query = |it: &usize| {
        let question = &flat[*it];
        Query { at: place(question.at), end: place(question.end), limit: question.limit }
    };
    let queries: Vec<Query> = order.iter().map(query).collect();
    let resolved = map.resolve(&queries);

    let mut answers: Vec<Option<Answer>> = flat.iter().map(|_| None).collect();
    for (query, &question) in order.iter().enumerate() {
        let start = place(flat[question].start);
        let before = resolved.before(query).filter(|it| it.generated >= start);
        answers[question] = Some(Answer { before, inside: resolved.inside(query).collect() });
    }
    let mut answers = answers.into_iter().flatten();
    questions.iter().map(|it| answers.by_ref().take(it.len()).collect()).collect()
}
