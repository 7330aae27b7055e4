//! Maps functions of a generated text to the definitions that they were written as. `docs/source-maps.md` explains how
//! the rule was found and what it was measured on.
//!
//! What a map says at the exact place of a function is often about its caller: oxc writes no segment at the start of an
//! arrow function, lowered code has wrappers around functions, and `cheap` maps only know lines. So the map is asked
//! about the whole header of the generated function. An answer counts only if it lies in the header of an original
//! definition. If the header says nothing, the line and the body are asked.

use std::cell::RefCell;
use std::collections::BTreeSet;

use text_size::{TextRange, TextSize};

mod compiler;
mod questions;

use super::outlined::Outlined;
use super::segment::Segment;
use super::source_map::SourceMap;
use crate::definition::{Definition, DefinitionId, DefinitionKind};
use crate::text::Encoding;
use compiler::Spreads;
use questions::{Answer, GeneratedFunction, ask};

/// Where a generated function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOrigin {
    /// It was written as this definition.
    Definition(Placing),
    /// A compiler or bundler wrote it: a helper, or an export that is read through a function.
    Compiler,
    /// It comes from this source, whose text is not known: an index into [`SourceMap::sources`].
    Source(u32),
    /// The map does not say, or it holds several files.
    Unknown,
}

impl FunctionOrigin {
    /// The definition that it was written as.
    pub fn definition(self) -> Option<Placing> {
        match self {
            Self::Definition(placing) => Some(placing),
            Self::Compiler | Self::Source(_) | Self::Unknown => None,
        }
    }
}

/// The definition that a generated function was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing {
    /// An index into [`SourceMap::sources`].
    pub source: u32,
    /// A definition of that source.
    pub definition: DefinitionId,
    /// Which part of it.
    pub part: OriginPart,
}

/// Which part of a definition a generated function comes from, most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginPart {
    /// Its header comes from the definition's header.
    Header,
    /// Its line comes from the definition's line, which has the same functions; the map has no columns.
    Line,
    /// Most of its body comes from inside the definition, and its header says nothing.
    Body,
}

/// A function of the generated text, as an engine reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedFunction {
    /// The definition that was found for it.
    pub definition: DefinitionId,
    /// The place inside the definition at which it is reported.
    pub at: TextSize,
}

/// Where the functions of a generated text come from. `original` returns the text of a source that the map was made from.
pub fn origins_of<'o>(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    reported: &[ReportedFunction],
    original: impl Fn(u32) -> Option<Outlined<'o>>,
) -> Vec<FunctionOrigin> {
    let judge = Judge { original };
    let functions: Vec<GeneratedFunction> = reported
        .iter()
        .map(|function| GeneratedFunction::new(generated, function.definition, function.at))
        .collect();
    let around =
        compiler::with_those_around(generated.outline, reported.iter().map(|function| function.definition));

    let headers = functions.iter().map(|function| vec![function.header]);
    let wholes = around.iter().map(|&id| compiler::whole(generated, id));
    let mut headers = ask(map, generated, headers.chain(wholes).collect());
    let spreads = Spreads::new(generated.outline, &around, headers.split_off(functions.len()));
    let mut placings: Vec<Option<Placing>> = functions
        .iter()
        .zip(&headers)
        .map(|(function, answers)| judge.header(function, answers.first()?))
        .collect();

    let silent: Vec<usize> = (0..placings.len())
        .filter(|&index| {
            placings[index].is_none() || judge.is_made_of_class(&functions[index], placings[index])
        })
        .collect();
    let details =
        ask(map, generated, silent.iter().map(|&index| functions[index].details(generated)).collect());
    let mut sources = vec![None; placings.len()];
    for (index, details) in silent.into_iter().zip(details) {
        let [line, body @ ..] = &details[..] else { continue };
        let function = &functions[index];
        placings[index] = match (placings[index], judge.line(generated, function, line)) {
            (Some(class), _) => Some(judge.member(generated, function, class, body)),
            (None, ByLine::Is(placing)) => Some(placing),
            (None, ByLine::Unclear) => {
                judge.body(function, body).filter(|placing| !judge.is_top_level(placing))
            }
            (None, ByLine::HasColumns) => {
                judge.body(function, body).or_else(|| judge.class(headers[index].first()?))
            }
        };
        if placings[index].is_none() {
            sources[index] = judge.source_without_text(headers[index].iter().chain(body));
        }
    }
    let placed = placings.into_iter().zip(sources).zip(reported).map(|((placing, source), function)| {
        let definition = placing.and_then(|placing| judge.definition(&placing));
        match (placing, source) {
            _ if spreads.is_of_compiler(function.definition, definition) => FunctionOrigin::Compiler,
            (Some(placing), _) => FunctionOrigin::Definition(placing),
            (None, Some(source)) => FunctionOrigin::Source(source),
            (None, None) => FunctionOrigin::Unknown,
        }
    });
    placed.collect()
}

/// The sources whose texts [`origins_of`] may ask for. There are few, even if the map has many.
pub fn sources_asked(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    functions: &[ReportedFunction],
) -> BTreeSet<u32> {
    let asked = RefCell::new(BTreeSet::new());
    // If a text is not known, every segment that may help is looked at.
    origins_of(map, generated, functions, |source| {
        asked.borrow_mut().insert(source);
        None
    });
    asked.into_inner()
}

/// What the line of a function says.
enum ByLine {
    /// Nothing: the map knows either more than lines or less.
    HasColumns,
    /// The map knows lines only, and the original line does not have the same functions.
    Unclear,
    Is(Placing),
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

    /// Whether the place counts for its definition because it lies in the header. Maps that only know lines put
    /// everything at the start of the line, which may be in the header of another function.
    fn is_header(&self, segment: &Segment) -> bool {
        let definition = self.definition();
        let whole_line = segment.original.is_some_and(|original| original.at.column == 0);
        definition.header.contains(self.offset) && (!whole_line || definition.range.start() == self.offset)
    }

    /// Whether the place is in a script, or at its start tag, which is where a Svelte component comes from.
    fn is_script(&self) -> bool {
        let Outlined { text, outline, .. } = self.outlined;
        outline.is_code(self.offset) || text[usize::from(self.offset)..].starts_with("<script")
    }

    /// Whether the place is inside the parameter list. A function whose start comes from there is not the function
    /// around it, but a default value that was moved into its body.
    fn is_parameter(&self) -> bool {
        let definition = self.definition();
        let name = definition.name_range.filter(|range| definition.header.contains_range(*range));
        let from = name.map_or(definition.range.start(), |name| name.end());
        let list = TextRange::new(from, definition.parameters_end.max(from));
        let start =
            self.outlined.text[list].find('(').map_or(from, |offset| from + TextSize::new(offset as u32));
        definition.kind != DefinitionKind::Class && start < self.offset && self.offset < list.end()
    }

    fn place(&self, part: OriginPart) -> Placing {
        Placing { source: self.source, definition: self.id, part }
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

    fn header(&self, function: &GeneratedFunction, answer: &Answer) -> Option<Placing> {
        if function.kind == DefinitionKind::TopLevel {
            return None;
        }
        if function.kind == DefinitionKind::Class {
            let hit = answer.inside.iter().chain(&answer.before).find_map(|segment| self.hit(segment))?;
            return self.class_around(hit);
        }
        let inside = answer.inside.iter().filter_map(|segment| Some((self.hit(segment)?, segment)));
        let before = answer.before.iter().filter_map(|segment| Some((self.hit(segment)?, segment)));
        let mut hits = inside.chain(before.filter(|(hit, _)| !hit.is_parameter()));
        let hit = hits.find(|(hit, segment)| hit.is_header(segment))?.0;
        Some(hit.place(OriginPart::Header))
    }

    /// If a map only knows lines, functions are matched by their order on the line.
    fn line(&self, generated: Outlined<'_>, function: &GeneratedFunction, answer: &Answer) -> ByLine {
        let [segment] = answer.inside[..] else { return ByLine::HasColumns };
        let Some(original) = segment.original else { return ByLine::HasColumns };
        let is_line = segment.generated.column == 0 && original.at.column == 0;
        if !is_line || function.kind == DefinitionKind::TopLevel {
            return ByLine::HasColumns;
        }
        let Some(outlined) = (self.original)(original.source) else { return ByLine::Unclear };
        let here = generated.starting_on(segment.generated.line);
        let there = outlined.starting_on(original.at.line);
        let kinds = here.iter().map(|(_, definition)| definition.kind);
        let is_same = kinds.eq(there.iter().map(|(_, definition)| definition.kind));
        match here.iter().position(|(id, _)| *id == function.id) {
            Some(index) if is_same => ByLine::Is(Placing {
                source: original.source,
                definition: there[index].0,
                part: OriginPart::Line,
            }),
            _ => ByLine::Unclear,
        }
    }

    /// The definition that something was placed on.
    fn definition(&self, placing: &Placing) -> Option<&'o Definition> {
        Some((self.original)(placing.source)?.outline.get(placing.definition))
    }

    fn is_top_level(&self, placing: &Placing) -> bool {
        self.definition(placing).is_none_or(|definition| definition.kind == DefinitionKind::TopLevel)
    }

    /// The innermost definition that holds more than half of the body.
    fn body(&self, function: &GeneratedFunction, answers: &[Answer]) -> Option<Placing> {
        let segments = answers.iter().flat_map(|answer| &answer.inside);
        let mut hits: Vec<Hit<'o>> = segments.filter_map(|segment| self.hit(segment)).collect();
        if let Some(class) = decorated(&hits).filter(|_| function.kind != DefinitionKind::TopLevel) {
            return Some(class.place(OriginPart::Body));
        }
        // The very start stands for the file: esbuild's wrapper around a file comes from there, whatever is there.
        for hit in hits.iter_mut().filter(|hit| hit.offset == TextSize::new(0)) {
            hit.id = DefinitionId(0);
        }
        let mut best: Option<(&Hit<'o>, DefinitionId)> = None;
        for hit in &hits {
            let outline = hit.outlined.outline;
            let mut chain = std::iter::successors(Some(hit.id), |&id| outline.get(id).parent);
            let found = chain.find(|&id| {
                let range = outline.get(id).range;
                let inside = hits.iter().filter(|other| other.source == hit.source && holds(range, other));
                inside.count() * 2 > hits.len()
            });
            if let Some(id) = found
                && best.is_none_or(|(_, best)| outline.get(best).range.len() > outline.get(id).range.len())
            {
                best = Some((hit, id));
            }
        }
        let (hit, mut id) = best?;
        let outline = hit.outlined.outline;
        if function.kind == DefinitionKind::TopLevel {
            id = DefinitionId(0);
        }
        // A function around several files is the bundler's, even if the texts of some files are not known.
        let mut originals =
            answers.iter().flat_map(|answer| &answer.inside).filter_map(|segment| segment.original);
        if outline.get(id).kind == DefinitionKind::TopLevel
            && originals.any(|original| original.source != hit.source)
        {
            return None;
        }
        // A function that starts in the markup of a component draws it, even if functions of the script were inlined there.
        if outline.get(id).kind == DefinitionKind::TopLevel && !hits.first().is_some_and(Hit::is_script) {
            return None;
        }
        let is_class = outline.get(id).kind == DefinitionKind::Class;
        (is_class || function.kind != DefinitionKind::Class).then_some(Placing {
            source: hit.source,
            definition: id,
            part: OriginPart::Body,
        })
    }

    /// The one source that all of a function comes from, if its text is not known.
    fn source_without_text<'a>(&self, answers: impl Iterator<Item = &'a Answer>) -> Option<u32> {
        let originals = answers.flat_map(|answer| &answer.inside).filter_map(|segment| segment.original);
        let mut sources = originals.map(|original| original.source);
        let first = sources.next()?;
        (sources.all(|source| source == first) && (self.original)(first).is_none()).then_some(first)
    }

    /// The class whose body a function's header comes from: then the function is a constructor that a tool wrote.
    fn class(&self, answer: &Answer) -> Option<Placing> {
        let mut hits = answer.inside.iter().chain(&answer.before).filter_map(|segment| self.hit(segment));
        let hit = hits.find(|hit| hit.definition().kind == DefinitionKind::Class)?;
        Some(hit.place(OriginPart::Header))
    }

    /// Whether a function comes from the header of a class without being one: then it may be its constructor, as when a class was
    /// turned into a function, or a method that was moved out of it.
    fn is_made_of_class(&self, function: &GeneratedFunction, placing: Option<Placing>) -> bool {
        let placed = placing.and_then(|placing| self.definition(&placing));
        function.kind != DefinitionKind::Class && placed.is_some_and(|it| it.kind == DefinitionKind::Class)
    }

    /// The constructor of a class if most of a function comes from there, or if it has the name of the class; another member if all of
    /// the function is in its body; otherwise the class.
    fn member(
        &self,
        generated: Outlined<'_>,
        function: &GeneratedFunction,
        class: Placing,
        body: &[Answer],
    ) -> Placing {
        let Some(outline) = (self.original)(class.source).map(|outlined| outlined.outline) else {
            return class;
        };
        let constructor = outline.constructor(class.definition);
        let inside = self.body(function, body).filter(|placing| placing.source == class.source);
        let own = generated.outline.get(function.id);
        let has_name = own.name_range.is_some() && own.name == outline.get(class.definition).name;
        let definition = match (constructor, inside) {
            (Some(it), Some(inside)) if inside.definition == it => it,
            (Some(it), _) if has_name => it,
            (_, Some(inside)) if !has_name && self.is_moved(function, class, inside, body) => {
                inside.definition
            }
            _ => class.definition,
        };
        Placing { definition, ..class }
    }

    /// Whether all of a function comes from a member of a class, and most of it from the body of that. Babel puts private methods behind
    /// the class, and says that `function _secret()` comes from the end of its header. A constructor that sets fields comes from their
    /// names, which are no body.
    fn is_moved(
        &self,
        function: &GeneratedFunction,
        class: Placing,
        member: Placing,
        body: &[Answer],
    ) -> bool {
        let (Some(class), Some(member)) = (self.definition(&class), self.definition(&member)) else {
            return false;
        };
        let segments = body.iter().flat_map(|answer| &answer.inside);
        let hits: Vec<Hit<'o>> = segments.filter_map(|segment| self.hit(segment)).collect();
        let within = TextRange::new(member.header.end(), member.range.end());
        function.kind != DefinitionKind::Constructor
            && member.kind != DefinitionKind::Class
            && class.range != member.range
            && class.range.contains_range(member.range)
            && hits.iter().all(|hit| holds(member.range, hit))
            && hits.iter().filter(|hit| within.contains(hit.offset)).count() * 2 > hits.len()
    }

    fn class_around(&self, hit: Hit<'o>) -> Option<Placing> {
        let outline = hit.outlined.outline;
        let mut chain = std::iter::successors(Some(hit.id), |&id| outline.get(id).parent);
        let id = chain.find(|&id| outline.get(id).kind == DefinitionKind::Class)?;
        Some(Hit { id, ..hit }.place(OriginPart::Header))
    }
}

/// The class in whose decorators some places are, if all others are in the class itself: the code that Angular's compiler
/// makes from a template there draws the class. The very start of a file stands for the file.
fn decorated<'o>(hits: &[Hit<'o>]) -> Option<Hit<'o>> {
    let class_of = |hit: &Hit<'o>| hit.outlined.outline.decorated_at(hit.offset);
    let (first, id) = hits.iter().find_map(|hit| Some((hit, class_of(hit)?)))?;
    let range = first.outlined.outline.get(id).range;
    let is_there =
        |hit: &Hit<'o>| hit.offset > TextSize::new(0) && (class_of(hit) == Some(id) || holds(range, hit));
    let is_all = hits.iter().all(|hit| hit.source == first.source && is_there(hit));
    is_all.then_some(Hit { source: first.source, outlined: first.outlined, offset: first.offset, id })
}

fn holds(range: TextRange, hit: &Hit<'_>) -> bool {
    range.contains(hit.offset) || range.end() == hit.offset
}
