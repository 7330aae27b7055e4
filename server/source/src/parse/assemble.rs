//! Turns the drafts of a piece of text into definitions with their fingerprints, and those of all pieces into an outline
//! with parents and paths.

use std::cmp::Reverse;
use std::ops::Range;

use oxc_span::Span;
use text_size::{TextRange, TextSize};

use super::collector::Draft;
use super::fingerprint::{PrefixHashes, RunHash};
use crate::definition::{ANONYMOUS, Definition, DefinitionId, DefinitionKind, Outline, TOP_LEVEL};
use crate::name::Paths;

/// Limits the work, since headers inside headers (functions as default values of parameters) would be read again and again.
const MAX_HEADER_TOKENS: usize = 64;
/// The number of tokens that a call and its first argument take.
const MAX_PRECEDING_TOKENS: usize = 8;

/// A part of a text that was parsed. All offsets are its own.
pub(crate) struct PieceDrafts<'t> {
    pub(crate) text: &'t str,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) defining: Vec<Span>,
    pub(crate) hashes: PrefixHashes,
    /// Whether it belongs to the top level rather than to a function.
    pub(crate) is_top_level: bool,
}

impl PieceDrafts<'_> {
    /// Adds its definitions, at the places that `place` returns. Their paths so far are only the part before the name; the rest
    /// depends on the definitions around them. Returns the hash of the code outside all of them, or `None` if a signature depends
    /// on what was left out. Statements end at `ends`: there is a hash of the code before each, and of the rest.
    pub(crate) fn define(
        mut self,
        ends: &[u32],
        place: impl Fn(u32) -> u32,
        definitions: &mut Vec<Definition>,
    ) -> Option<Vec<RunHash>> {
        let mut drafts = std::mem::take(&mut self.drafts);
        drafts.sort_by_key(|draft| (draft.start, Reverse(draft.end)));
        self.defining.sort_by_key(|span| (span.start, Reverse(span.end)));
        let first = definitions.len();
        // For each definition that leaves out those inside it, the hash so far, and the token to continue at. The last
        // one is the code around all of them.
        let mut bodies: Vec<BodyHash> = Vec::with_capacity(drafts.len() + 1);
        let mut outside = BodyHash {
            leaves_out: self.is_top_level,
            run: RunHash::default(),
            from: 0,
            end: u32::MAX,
            next: 0,
            end_token: self.hashes.len(),
        };
        let mut around: Vec<usize> = Vec::new();
        let (mut ends, mut runs) = (ends.iter().peekable(), Vec::new());
        definitions.reserve(drafts.len());
        for (index, draft) in drafts.into_iter().enumerate() {
            while let Some(&end) = ends.next_if(|&&end| end <= draft.start) {
                runs.push(outside.up_to(end, &self.hashes));
            }
            while around.last().is_some_and(|&index| bodies[index].end <= draft.start) {
                around.pop();
            }
            let parent = around.last().map_or(&mut outside, |&index| &mut bodies[index]);
            if parent.leaves_out {
                let out = left_out(&self.defining, &draft, parent.from);
                let first = self.hashes.index(out.start);
                if first >= parent.next {
                    parent.run = parent.run.join(self.hashes.run(parent.next..first));
                    parent.next = self.hashes.index(out.end);
                }
            }
            bodies.push(BodyHash {
                leaves_out: draft.kind == DefinitionKind::Class,
                run: RunHash::default(),
                from: draft.body,
                end: draft.end,
                next: self.hashes.index(draft.body),
                end_token: self.hashes.index(draft.end),
            });
            definitions.push(self.definition(draft, &place)?);
            around.push(index);
        }
        for (definition, body) in definitions[first..].iter_mut().zip(bodies) {
            let run = body.whole(&self.hashes);
            definition.fingerprint = run.fingerprint();
            definition.tokens = run.tokens();
        }
        for &end in ends {
            runs.push(outside.up_to(end, &self.hashes));
        }
        runs.push(outside.whole(&self.hashes));
        Some(runs)
    }

    /// The definition of a draft; its fingerprint is not known yet.
    fn definition(&self, draft: Draft, place: impl Fn(u32) -> u32) -> Option<Definition> {
        let start = place(draft.start).into();
        let name_range = draft.name_range.map(|range| {
            TextRange::new(place(range.start().into()).into(), place(range.end().into()).into())
        });
        Some(Definition {
            kind: draft.kind,
            parent: None,
            range: TextRange::new(start, place(draft.end).into()),
            header: TextRange::new(start, place(draft.body).into()),
            decorators_from: place(draft.decorators_from).into(),
            defined_at: place(draft.defined_at).into(),
            parameters_end: place(draft.parameters_end).into(),
            hint_at: place(self.hint_at(draft.header_end)).into(),
            name_range,
            fingerprint: 0,
            tokens: 0,
            signature: self.signature(draft.start..draft.body, draft.name_range)?,
            preceding_hash: self.preceding_hash(draft.start),
            name: draft.name.unwrap_or_else(|| ANONYMOUS.to_owned()),
            path: draft.prefix,
        })
    }

    /// Where a hint reads best: before the body, so that type hints of the editor come before it, unless the body begins on another line.
    fn hint_at(&self, header_end: u32) -> u32 {
        let behind = &self.text[header_end as usize..];
        let body = behind.trim_start_matches([' ', '\t']);
        let gap = (behind.len() - body.len()) as u32;
        if body.is_empty() || body.starts_with(['\r', '\n']) { header_end } else { header_end + gap }
    }

    /// A hash of a header without the name and anything that makes no difference at run time.
    fn signature(&self, header: Range<u32>, name: Option<TextRange>) -> Option<u64> {
        let hashes = &self.hashes;
        let from = hashes.index(header.start);
        let to = hashes.index(header.end).max(from);
        let whole = hashes.run(from..to);
        if whole.tokens() as usize > MAX_HEADER_TOKENS {
            return Some(whole.fingerprint());
        }
        let kept = (from..to).filter(|index| {
            let place = hashes.place(*index);
            let is_name = name.is_some_and(|name| name.contains(TextSize::new(place.start as u32)));
            !is_name && !says_nothing(&self.text[place])
        });
        let said = kept.fold(RunHash::default(), |run, index| run.join(hashes.run(index..index + 1)));
        (!hashes.has_hole(&(from..to))).then(|| said.fingerprint())
    }

    /// A hash of the tokens before a definition in the same statement.
    fn preceding_hash(&self, start: u32) -> u64 {
        let end = self.hashes.index(start);
        let before = (end.saturating_sub(MAX_PRECEDING_TOKENS)..end).rev();
        let of_statement = before.take_while(|index| {
            !matches!(self.text.as_bytes()[self.hashes.place(*index).start], b';' | b'{' | b'}')
        });
        self.hashes.run(end - of_statement.count()..end).fingerprint()
    }
}

/// Whether a token of a header makes no difference when the code runs.
fn says_nothing(token: &str) -> bool {
    matches!(
        token,
        "function" | "=>" | "(" | ")" | "public" | "private" | "protected" | "readonly" | "override"
    )
}

/// The range that is left out with a definition: the largest statement around it that does nothing else, at or after `from`.
fn left_out(defining: &[Span], draft: &Draft, from: u32) -> Range<u32> {
    let before = defining.partition_point(|span| span.start <= draft.start);
    let inside =
        defining[..before].iter().rev().take_while(|span| span.start >= from && span.end > draft.start);
    let around = inside.filter(|span| span.end >= draft.end);
    around.last().map_or(draft.start..draft.end, |span| span.start..span.end)
}

/// The tokens of a definition that count for its fingerprint.
struct BodyHash {
    leaves_out: bool,
    run: RunHash,
    /// Offset of its first token.
    from: u32,
    /// Where the definition ends.
    end: u32,
    next: usize,
    end_token: usize,
}

impl BodyHash {
    /// Takes what counts before an offset; the rest stays.
    fn up_to(&mut self, offset: u32, hashes: &PrefixHashes) -> RunHash {
        let end = hashes.index(offset);
        let run = std::mem::take(&mut self.run).join(hashes.run(self.next.min(end)..end));
        self.next = self.next.max(end);
        run
    }

    fn whole(&self, hashes: &PrefixHashes) -> RunHash {
        self.run.join(hashes.run(self.next..self.end_token))
    }
}

/// The definition of the code outside of all others.
pub(crate) fn top_level(text: &str) -> Definition {
    let end = text.len() as u32;
    // A reader begins here, comments included; text typed above pushes it down.
    let first = (text.len() - text.trim_start().len()) as u32 % end.max(1);
    Definition {
        name: TOP_LEVEL.to_owned(),
        path: TOP_LEVEL.to_owned(),
        kind: DefinitionKind::TopLevel,
        parent: None,
        range: TextRange::up_to(end.into()),
        header: TextRange::default(),
        decorators_from: TextSize::new(0),
        defined_at: TextSize::new(0),
        parameters_end: first.into(),
        hint_at: first.into(),
        name_range: None,
        fingerprint: RunHash::default().fingerprint(),
        tokens: 0,
        signature: RunHash::default().fingerprint(),
        preceding_hash: RunHash::default().fingerprint(),
    }
}

/// The sort key of definitions.
fn in_order(definition: &Definition) -> (TextSize, Reverse<TextSize>) {
    (definition.range.start(), Reverse(definition.range.end()))
}

/// The outline of these definitions, the first of which is the top level with this hash: sorts them, and adds parents and complete paths.
pub(crate) fn outline_of(definitions: Vec<Definition>, top: RunHash) -> Outline {
    outline_and_prefixes(definitions, top).0
}

/// The same, with the part of each path that precedes the name.
pub(crate) fn outline_and_prefixes(
    mut definitions: Vec<Definition>,
    top: RunHash,
) -> (Outline, Vec<Box<str>>) {
    let mut paths = Paths::default();
    let mut prefixes = Vec::with_capacity(definitions.len());
    if let Some((first, inner)) = definitions.split_first_mut() {
        (first.fingerprint, first.tokens) = (top.fingerprint(), top.tokens());
        first.path = paths.add(&[], "", "", &first.name);
        prefixes.push(Box::default());
        if !inner.is_sorted_by_key(in_order) {
            inner.sort_by_key(in_order);
        }
    }
    let mut around = vec![0];
    for index in 1..definitions.len() {
        let (before, rest) = definitions.split_at_mut(index);
        let definition = &mut rest[0];
        while around.len() > 1
            && around
                .last()
                .is_some_and(|&index: &usize| before[index].range.end() <= definition.range.start())
        {
            around.pop();
        }
        let parent = around.last().copied().unwrap_or_default();
        let prefix = std::mem::take(&mut definition.path);
        definition.path = paths.add(before, &before[parent].path, &prefix, &definition.name);
        definition.parent = Some(DefinitionId(parent as u32));
        prefixes.push(prefix.into());
        around.push(index);
    }
    (Outline { definitions, exact: true, scripts: None }, prefixes)
}
