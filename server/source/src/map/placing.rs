//! From functions of a generated text to the definitions that they were written as. `docs/source-maps.md`
//! tells how the rule was found and what it was measured on.
//!
//! What a map says at a function's place alone often means its caller: oxc writes no segment at the start
//! of an arrow function, lowered code has wrappers around functions, `cheap` maps know lines only. So the
//! map is asked for the whole header of the generated function, an answer counts only if it lies in the
//! header of an original definition, and where the header says nothing the body is asked.

use text_size::{TextRange, TextSize};

use super::{Query, Resolved, Segment, SourceMap};
use crate::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use crate::text::{Encoding, LineIndex};

/// How many segments of a header are asked for: the first may stand for code that a tool made.
const IN_HEADER: u32 = 3;

/// How many parts of a body are asked, spread over all of it, and for how many segments in all.
const PARTS: usize = 16;
const IN_BODY: usize = 48;

/// A text and its definitions, as the engine and the map count its lines.
#[derive(Clone, Copy, Debug)]
pub struct Outlined<'a> {
    /// The text, without a byte order mark.
    pub text: &'a str,
    /// Its lines, ended as engines end them.
    pub lines: &'a LineIndex,
    /// Its definitions.
    pub outline: &'a Outline,
}

/// What a generated function was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing {
    /// An index into [`SourceMap::sources`].
    pub source: u32,
    /// A definition of that source.
    pub definition: DefinitionId,
    /// What says so.
    pub evidence: Evidence,
}

/// What says that a generated function was written as a definition, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// Its header comes from the definition's header.
    Header,
    /// Most of its body comes from inside the definition, and its header says nothing.
    Body,
}

/// What the functions at some places of a generated text, as engines report them, were written as; `None`
/// for code that a tool made, that holds several files, or whose original is not known. `original` gives
/// the text of a source: the one that the map was made from.
pub fn definitions_of<'o>(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    places: &[TextSize],
    original: impl Fn(u32) -> Option<Outlined<'o>>,
) -> Vec<Option<Placing>> {
    let functions: Vec<Option<Function>> = places.iter().map(|&at| Function::at(generated, at)).collect();
    let judge = Judge { original };

    let headers = functions.iter().map(|it| it.iter().map(|it| it.header).collect());
    let mut placings: Vec<Option<Placing>> = Vec::with_capacity(places.len());
    let mut silent = Vec::new();
    for (index, answers) in ask(map, generated, headers.collect()).into_iter().enumerate() {
        let placing = functions[index].as_ref().and_then(|it| judge.header(it, answers.first()?));
        if placing.is_none() && functions[index].is_some() {
            silent.push((index, answers));
        }
        placings.push(placing);
    }

    let bodies =
        silent.iter().map(|it| functions[it.0].as_ref().map_or_else(Vec::new, |it| it.body(generated)));
    let answers = ask(map, generated, bodies.collect());
    for ((index, header), body) in silent.into_iter().zip(answers) {
        if let Some(function) = &functions[index] {
            placings[index] = judge.body(function, &body).or_else(|| judge.class(header.first()?));
        }
    }
    placings
}

/// A question in offsets of the generated text.
#[derive(Clone, Copy)]
struct Question {
    /// Nothing before this is of interest.
    start: TextSize,
    at: TextSize,
    end: TextSize,
    limit: u32,
}

/// What the map says: the segment before the place, if it lies in the span, and those behind it.
struct Answer {
    before: Option<Segment>,
    inside: Vec<Segment>,
}

/// A generated function that is to be placed.
struct Function {
    id: DefinitionId,
    kind: DefinitionKind,
    header: Question,
}

impl Function {
    fn at(generated: Outlined<'_>, at: TextSize) -> Option<Self> {
        let id = generated.outline.around(at)?;
        let definition = generated.outline.get(id);
        let kind = definition.kind;
        let start = definition.range.start();
        // The place of initialisers is that of a field (V8) or what stands there.
        if kind == DefinitionKind::Class && at >= definition.header.end() {
            let header = Question { start: at, at, end: definition.range.end(), limit: IN_HEADER };
            return Some(Self { id, kind, header });
        }
        // Functions inside the header, such as defaults of parameters, have segments of their own.
        let inner = children(generated.outline, id).next().map(|it| it.range.start());
        let end = inner.map_or(definition.header.end(), |it| it.min(definition.header.end()));
        let header = Question { start, at: at.min(end), end, limit: IN_HEADER };
        Some(Self { id, kind, header })
    }

    /// Parts of the body, those of the functions inside it left out, spread over all of it.
    fn body(&self, generated: Outlined<'_>) -> Vec<Question> {
        let definition = generated.outline.get(self.id);
        let mut parts = Vec::new();
        let mut at = definition.header.end();
        let inner = children(generated.outline, self.id).map(|it| it.range);
        let end = definition.range.end();
        for (start, next) in inner.map(|it| (it.start(), it.end())).chain([(end, end)]) {
            if at < start {
                parts.push((at, start));
            }
            at = at.max(next);
        }
        let count = parts.len().clamp(1, PARTS);
        let limit = (IN_BODY / count) as u32;
        let chosen = (0..count).filter_map(|it| parts.get(it * parts.len() / count));
        chosen.map(|&(at, end)| Question { start: at, at, end, limit }).collect()
    }
}

/// The definitions directly inside one, in order.
fn children(outline: &Outline, id: DefinitionId) -> impl Iterator<Item = &Definition> {
    let end = outline.get(id).range.end();
    let inside = outline.definitions[id.0 as usize + 1..].iter();
    inside.take_while(move |it| it.range.start() < end).filter(move |it| it.parent == Some(id))
}

/// Asks the map all questions at once; the answers stand as the questions do.
fn ask(map: &SourceMap<'_>, generated: Outlined<'_>, questions: Vec<Vec<Question>>) -> Vec<Vec<Answer>> {
    let flat: Vec<Question> = questions.iter().flatten().copied().collect();
    let place = |offset| generated.lines.line_col(generated.text, offset, Encoding::Utf16);
    let mut order: Vec<usize> = (0..flat.len()).collect();
    order.sort_by_key(|&it| flat[it].at);
    let query = |it: &usize| {
        let question = &flat[*it];
        Query { at: place(question.at), end: place(question.end), limit: question.limit }
    };
    let queries: Vec<Query> = order.iter().map(query).collect();
    let resolved: Resolved = map.resolve(&queries);

    let mut answers: Vec<Option<Answer>> = flat.iter().map(|_| None).collect();
    for (query, &question) in order.iter().enumerate() {
        let start = place(flat[question].start);
        let before = resolved.before(query).filter(|it| it.generated >= start);
        answers[question] = Some(Answer { before, inside: resolved.inside(query).collect() });
    }
    let mut answers = answers.into_iter().flatten();
    questions.iter().map(|it| answers.by_ref().take(it.len()).collect()).collect()
}

/// A place in an original text.
struct Hit<'o> {
    source: u32,
    outlined: Outlined<'o>,
    offset: TextSize,
    /// The innermost definition around it.
    id: DefinitionId,
}

impl<'o> Hit<'o> {
    fn definition(&self) -> &'o Definition {
        self.outlined.outline.get(self.id)
    }

    /// Whether the place speaks for its definition: it lies in the header. Maps that know lines only put
    /// everything at the start of the line, where another function's header may be.
    fn is_header(&self, segment: &Segment) -> bool {
        let definition = self.definition();
        let whole_line = segment.original.is_some_and(|it| it.at.column == 0);
        definition.header.contains(self.offset) && (!whole_line || definition.range.start() == self.offset)
    }

    /// Whether the place stands inside the list of parameters. A function that starts with what comes from
    /// there is not the one around it, but a default that was moved into its body.
    fn is_parameter(&self) -> bool {
        let definition = self.definition();
        let name = definition.name_range.filter(|it| definition.header.contains_range(*it));
        let from = name.map_or(definition.range.start(), |it| it.end());
        let list = TextRange::new(from, definition.hint_at.max(from));
        let start = self.outlined.text[list].find('(').map_or(from, |it| from + TextSize::new(it as u32));
        definition.kind != DefinitionKind::Class && start < self.offset && self.offset < list.end()
    }

    fn place(&self, evidence: Evidence) -> Placing {
        Placing { source: self.source, definition: self.id, evidence }
    }
}

struct Judge<F> {
    original: F,
}

impl<'o, F: Fn(u32) -> Option<Outlined<'o>>> Judge<F> {
    fn hit(&self, segment: &Segment) -> Option<Hit<'o>> {
        let original = segment.original?;
        let outlined = (self.original)(original.source)?;
        let offset = outlined.lines.offset(outlined.text, original.at, Encoding::Utf16)?;
        let id = outlined.outline.around(offset)?;
        Some(Hit { source: original.source, outlined, offset, id })
    }

    fn header(&self, function: &Function, answer: &Answer) -> Option<Placing> {
        if function.kind == DefinitionKind::TopLevel {
            return None;
        }
        if function.kind == DefinitionKind::Class {
            let hit = answer.inside.iter().chain(&answer.before).find_map(|it| self.hit(it))?;
            return self.class_around(hit);
        }
        let inside = answer.inside.iter().filter_map(|it| Some((self.hit(it)?, it)));
        let before = answer.before.iter().filter_map(|it| Some((self.hit(it)?, it)));
        let mut hits = inside.chain(before.filter(|it| !it.0.is_parameter()));
        let hit = hits.find(|(hit, segment)| hit.is_header(segment))?.0;
        Some(hit.place(Evidence::Header))
    }

    /// The innermost definition that holds more than half of the body.
    fn body(&self, function: &Function, answers: &[Answer]) -> Option<Placing> {
        let hits: Vec<Hit<'o>> =
            answers.iter().flat_map(|it| &it.inside).filter_map(|it| self.hit(it)).collect();
        let mut best: Option<(&Hit<'o>, DefinitionId)> = None;
        for hit in &hits {
            let outline = hit.outlined.outline;
            let around = |id: DefinitionId| {
                let range = outline.get(id).range;
                hits.iter().filter(|it| it.source == hit.source && holds(range, it)).count()
            };
            let chain = std::iter::successors(Some(hit.id), |&it| outline.get(it).parent);
            let found = chain.into_iter().find(|&it| around(it) * 2 > hits.len());
            if let Some(id) = found
                && best.is_none_or(|it| outline.get(it.1).range.len() > outline.get(id).range.len())
            {
                best = Some((hit, id));
            }
        }
        let (hit, mut id) = best?;
        let outline = hit.outlined.outline;
        if function.kind == DefinitionKind::TopLevel {
            id = DefinitionId(0);
        }
        // A function around several files is the bundler's.
        if outline.get(id).kind == DefinitionKind::TopLevel && hits.iter().any(|it| it.source != hit.source) {
            return None;
        }
        let is_class = outline.get(id).kind == DefinitionKind::Class;
        (is_class || function.kind != DefinitionKind::Class).then_some(Placing {
            source: hit.source,
            definition: id,
            evidence: Evidence::Body,
        })
    }

    /// The class that a function's header comes from the body of: a constructor that a tool wrote.
    fn class(&self, answer: &Answer) -> Option<Placing> {
        let mut hits = answer.inside.iter().chain(&answer.before).filter_map(|it| self.hit(it));
        let hit = hits.find(|it| it.definition().kind == DefinitionKind::Class)?;
        Some(hit.place(Evidence::Header))
    }

    fn class_around(&self, hit: Hit<'o>) -> Option<Placing> {
        let outline = hit.outlined.outline;
        let mut chain = std::iter::successors(Some(hit.id), |&it| outline.get(it).parent);
        let id = chain.find(|&it| outline.get(it).kind == DefinitionKind::Class)?;
        Some(Hit { id, ..hit }.place(Evidence::Header))
    }
}

fn holds(range: TextRange, hit: &Hit<'_>) -> bool {
    range.contains(hit.offset) || range.end() == hit.offset
}
