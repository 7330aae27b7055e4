//! Which places the map is asked about for generated functions.

use text_size::TextSize;

use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::map::outlined::Outlined;
use crate::map::resolve::Query;
use crate::map::segment::Segment;
use crate::map::source_map::SourceMap;
use crate::text::{Encoding, LineCol};

/// How many segments of a header are asked for: the first may stand for code that a tool made.
const IN_HEADER: u32 = 3;

/// How many parts of a body are asked about, spread over all of it, and for how many segments in total.
const PARTS: usize = 16;
const IN_BODY: usize = 48;

/// A question in offsets of the generated text.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The start of the span; nothing before it matters.
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

/// A generated function to be placed.
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
        // The place of an initialiser is that of the field (V8) or of its value.
        if kind == DefinitionKind::Class && at >= definition.header.end() {
            let header = Question { start: at, at, end: definition.range.end(), limit: IN_HEADER };
            return Self { id, kind, header };
        }
        // Functions inside the header, such as defaults of parameters, have segments of their own.
        let inner = children(generated.outline, id).next().map(|(_, inner)| inner.range.start());
        let end = inner.map_or(definition.header.end(), |start| start.min(definition.header.end()));
        let header = Question { start, at: at.min(end), end, limit: IN_HEADER };
        Self { id, kind, header }
    }

    /// What to ask if the header says nothing: the line, and parts of the body.
    pub(super) fn details(&self, generated: Outlined<'_>) -> Vec<Question> {
        let nothing = Question { limit: 0, ..self.header };
        let mut questions = vec![self.line(generated).unwrap_or(nothing)];
        self.body(generated, &mut questions);
        questions
    }

    fn line(&self, generated: Outlined<'_>) -> Option<Question> {
        let Outlined { text, lines, outline } = generated;
        let line = generated.line_col(outline.get(self.id).range.start()).line;
        let [start, next] =
            [line, line + 1].map(|line| lines.offset(text, LineCol { line, column: 0 }, Encoding::Utf16));
        Some(Question { start: start?, at: start?, end: next.unwrap_or(TextSize::of(text)), limit: 2 })
    }

    /// Parts of the body, without the functions inside it, spread over all of it.
    fn body(&self, generated: Outlined<'_>, questions: &mut Vec<Question>) {
        let outline = generated.outline;
        let mut parts = own_parts(outline, self.id);
        let (count, limit) = if self.kind == DefinitionKind::TopLevel {
            // Loaders put a function around the whole code of a module.
            std::iter::successors(only_child(outline, self.id), |id| only_child(outline, *id))
                .for_each(|id| parts.extend(own_parts(outline, id)));
            parts.sort_unstable();
            // It may come from many files, some of which may be small.
            (parts.len(), u32::MAX)
        } else {
            (parts.len().min(PARTS), (IN_BODY / parts.len().clamp(1, PARTS)) as u32)
        };
        let chosen = (0..count).map(|index| parts[index * parts.len() / count]);
        questions.extend(chosen.map(|(at, end)| Question { start: at, at, end, limit }));
    }
}

/// The body of a function without those inside it.
fn own_parts(outline: &Outline, id: DefinitionId) -> Vec<(TextSize, TextSize)> {
    let definition = outline.get(id);
    let mut parts = Vec::new();
    let mut at = definition.header.end();
    let inner = children(outline, id).map(|(_, inner)| inner.range);
    let end = definition.range.end();
    for (start, next) in inner.map(|range| (range.start(), range.end())).chain([(end, end)]) {
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
    inside
        .take_while(move |(_, inner)| inner.range.start() < end)
        .filter(move |(_, inner)| inner.parent == Some(id))
}

fn only_child(outline: &Outline, id: DefinitionId) -> Option<DefinitionId> {
    let mut inside = children(outline, id).map(|(id, _)| id);
    inside.next().filter(|_| inside.next().is_none())
}

/// Asks the map all questions at once; the answers are in the order of the questions.
pub(super) fn ask(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    questions: Vec<Vec<Question>>,
) -> Vec<Vec<Answer>> {
    let flat: Vec<Question> = questions.iter().flatten().copied().collect();
    let mut order: Vec<usize> = (0..flat.len()).collect();
    order.sort_by_key(|&index| flat[index].at);
    let in_order = order.iter().map(|index| flat[*index]);
    let queries: Vec<Query> = in_order
        .map(|Question { at, end, limit, .. }| Query {
            at: generated.line_col(at),
            end: generated.line_col(end),
            limit,
        })
        .collect();
    let resolved = map.resolve(&queries);

    let mut by_question: Vec<Option<Answer>> = flat.iter().map(|_| None).collect();
    for (query, &question) in order.iter().enumerate() {
        let start = generated.line_col(flat[question].start);
        let before = resolved.before(query).filter(|segment| segment.generated >= start);
        by_question[question] = Some(Answer { before, inside: resolved.inside(query).collect() });
    }
    let mut answers = by_question.into_iter().flatten();
    questions.iter().map(|asked| answers.by_ref().take(asked.len()).collect()).collect()
}
