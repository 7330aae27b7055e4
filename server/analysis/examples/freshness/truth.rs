//! What became of each function, determined in another way than by `anchor`: by the lines of one commit's diff and by
//! names that are unique in the file, one commit after the other. If these do not decide, the answer is [`Fate::Unsure`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};

/// A version of a file.
pub(crate) struct FileVersion {
    pub(crate) text: String,
    pub(crate) outline: Outline,
    /// Offsets at which its lines start.
    lines: Vec<usize>,
}

/// What became of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is this one, by its index.
    Is(u32),
    /// It was deleted.
    Gone,
    /// It was deleted, or rewritten: then it is this one. Nobody can say which, but it is no other.
    GoneOr(u32),
    /// Lines and names do not decide it.
    Unsure,
}

impl FileVersion {
    pub(crate) fn new(text: String, outline: Outline) -> Self {
        let ends = text.bytes().enumerate().filter(|it| it.1 == b'\n').map(|it| it.0 + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { text, outline, lines }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|&it| it <= offset) - 1
    }

    /// A line without the white space around it.
    fn line(&self, line: usize) -> &str {
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[self.lines[line]..end].trim()
    }

    fn all_lines(&self) -> Vec<&str> {
        (0..self.lines.len()).map(|it| self.line(it)).collect()
    }

    /// First and last line of a definition.
    fn extent(&self, it: &Definition) -> (usize, usize) {
        (self.line_of(it.range.start().into()), self.line_of(usize::from(it.range.end()).saturating_sub(1)))
    }

    pub(crate) fn code(&self, it: &Definition) -> &str {
        &self.text[it.range]
    }
}

/// What became of each function after two steps, one after the other.
pub(crate) fn compose(first: &[Fate], second: &[Fate]) -> Vec<Fate> {
    let next = |it: &Fate| match it {
        Fate::Is(index) => second[*index as usize],
        Fate::GoneOr(index) => match second[*index as usize] {
            Fate::Is(index) => Fate::GoneOr(index),
            other => other,
        },
        other => *other,
    };
    first.iter().map(next).collect()
}

/// What became of each definition in one commit.
pub(crate) fn step(old: &FileVersion, new: &FileVersion) -> Vec<Fate> {
    let step = Step::new(old, new);
    let mut fates = vec![Fate::Unsure; old.outline.definitions.len()];
    fates[0] = Fate::Is(0);
    for index in 1..fates.len() {
        let parent = old.outline.definitions[index].parent.map(|it| fates[it.0 as usize]);
        fates[index] = step.fate(index, parent.unwrap_or(Fate::Unsure));
    }
    // Two functions cannot become the same one.
    let mut takers: HashMap<u32, usize> = HashMap::new();
    for fate in &fates {
        if let Fate::Is(index) | Fate::GoneOr(index) = fate {
            *takers.entry(*index).or_default() += 1;
        }
    }
    let double = |it: &Fate| matches!(it, Fate::Is(index) | Fate::GoneOr(index) if takers[index] > 1);
    fates.iter_mut().filter(|it| double(it)).for_each(|it| *it = Fate::Unsure);
    fates
}

/// Two neighbouring versions and what is needed to compare them.
struct Step<'a> {
    old: &'a FileVersion,
    new: &'a FileVersion,
    /// The new line of each old line that stayed.
    stayed: Vec<Option<usize>>,
    /// The new line that replaced an old one, if a hunk has as many new as old lines.
    replaced: Vec<Option<usize>>,
    /// The old lines that were replaced, and the new ones in their place.
    hunks: Vec<(Range<usize>, Range<usize>)>,
    /// How often a line occurs, in the text where it occurs more often.
    count: HashMap<&'a str, usize>,
    /// The new definitions by their first line.
    by_line: HashMap<usize, Vec<usize>>,
    old_by_line: HashMap<usize, Vec<usize>>,
    paths: HashMap<&'a str, usize>,
    /// How often code occurs in the old and in the new text, and the last definition with it in the new text.
    codes: HashMap<String, (usize, usize, usize)>,
    /// New lines that were added.
    added: HashMap<&'a str, usize>,
}

/// What happened to the lines of a text.
struct LineDiff<'a> {
    /// See [`Step`].
    stayed: Vec<Option<usize>>,
    replaced: Vec<Option<usize>>,
    hunks: Vec<(Range<usize>, Range<usize>)>,
    added: HashMap<&'a str, usize>,
}

impl<'a> LineDiff<'a> {
    fn new(old: &[&'a str], new: &[&'a str]) -> Self {
        let mut input = InternedInput::default();
        input.update_before(old.iter().copied());
        input.update_after(new.iter().copied());
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_no_heuristic(&input);
        let (mut stayed, mut replaced) = (vec![None; old.len()], vec![None; old.len()]);
        let (mut at, mut at_new) = (0, 0);
        let (mut hunks, mut added) = (Vec::new(), HashMap::<&str, usize>::new());
        for hunk in diff.hunks() {
            let (from, to) = (hunk.before.start as usize, hunk.before.end as usize);
            let (from_new, to_new) = (hunk.after.start as usize, hunk.after.end as usize);
            while at < from {
                stayed[at] = Some(at_new);
                (at, at_new) = (at + 1, at_new + 1);
            }
            if to - from == to_new - from_new {
                (from..to).zip(from_new..).for_each(|(from, to)| replaced[from] = Some(to));
            }
            new[from_new..to_new].iter().for_each(|it| *added.entry(it).or_default() += 1);
            hunks.push((from..to, from_new..to_new));
            (at, at_new) = (to, to_new);
        }
        while at < old.len() {
            stayed[at] = Some(at_new);
            (at, at_new) = (at + 1, at_new + 1);
        }
        Self { stayed, replaced, hunks, added }
    }
}

impl<'a> Step<'a> {
    fn new(old: &'a FileVersion, new: &'a FileVersion) -> Self {
        let (old_lines, new_lines) = (old.all_lines(), new.all_lines());
        let LineDiff { stayed, replaced, hunks, added } = LineDiff::new(&old_lines, &new_lines);
        let (mut count, mut count_new) = (HashMap::<&str, usize>::new(), HashMap::<&str, usize>::new());
        old_lines.iter().for_each(|&it| *count.entry(it).or_default() += 1);
        new_lines.iter().for_each(|&it| *count_new.entry(it).or_default() += 1);
        for (line, n) in count_new {
            let most = count.entry(line).or_default();
            *most = n.max(*most);
        }
        let mut codes: HashMap<String, (usize, usize, usize)> = HashMap::new();
        for it in &old.outline.definitions {
            codes.entry(without_space(old.code(it))).or_default().0 += 1;
        }
        for (index, it) in new.outline.definitions.iter().enumerate() {
            let seen = codes.entry(without_space(new.code(it))).or_default();
            (seen.1, seen.2) = (seen.1 + 1, index);
        }
        let paths = new.outline.definitions.iter().enumerate().map(|(n, it)| (it.path.as_str(), n)).collect();
        Self {
            old,
            new,
            stayed,
            replaced,
            hunks,
            count,
            by_line: by_line(new),
            old_by_line: by_line(old),
            paths,
            codes,
            added,
        }
    }

    fn fate(&self, index: usize, parent: Fate) -> Fate {
        let it = &self.old.outline.definitions[index];
        let by_line = self.by_stayed_line(index);
        let by_name = self.by_name(index);
        match (by_line, by_name) {
            (Some((line, sure)), Some(name)) if line == name => {
                if sure || self.share_kept(it, name) > 0.3 {
                    is(name)
                } else {
                    Fate::Unsure
                }
            }
            (Some(_), Some(_)) => Fate::Unsure,
            (Some((line, sure)), None) => {
                let now = &self.new.outline.definitions[line];
                let same_name = it.name == now.name;
                if sure && (same_name || self.share_kept(it, line) > 0.5) { is(line) } else { Fate::Unsure }
            }
            (None, Some(name)) => {
                // Most of its code is elsewhere: it may have been renamed, and its name given to another function.
                let elsewhere = self
                    .significant_lines(it)
                    .filter(|&line| self.stayed[line].is_some_and(|line| !inside(self.new, name, line)));
                let all = self.significant_lines(it).count();
                if elsewhere.count() * 2 > all && self.share_kept(it, name) < 0.3 {
                    Fate::Unsure
                } else {
                    is(name)
                }
            }
            (None, None) => self.elsewhere(index, parent),
        }
    }

    /// The definition at the line to which the first line of an old one moved, and whether that is certain.
    fn by_stayed_line(&self, index: usize) -> Option<(usize, bool)> {
        let it = &self.old.outline.definitions[index];
        let (first, last) = self.old.extent(it);
        let line = self.stayed[first]?;
        let nth = self.old_by_line[&first].iter().position(|&it| it == index)?;
        let there = self.by_line.get(&line)?;
        if there.len() != self.old_by_line[&first].len() {
            return None;
        }
        let now = there[nth];
        let definition = &self.new.outline.definitions[now];
        if definition.kind != it.kind {
            return None;
        }
        let rare = |line: usize| self.count[self.old.line(line)] == 1;
        let unique_line = self
            .significant_lines(it)
            .any(|line| rare(line) && self.stayed[line].is_some_and(|line| inside(self.new, now, line)));
        let (_, last_now) = self.new.extent(definition);
        let in_place = without_space(self.old.code(it)) == without_space(self.new.code(definition))
            && first > 0
            && self.stayed[first - 1] == line.checked_sub(1)
            && self.stayed.get(last + 1).copied().flatten() == Some(last_now + 1)
            && self.is_unchanged_around(first, last);
        let enough = self.share_kept(it, now) >= 0.5;
        Some((now, enough && (unique_line || rare(first)) || in_place))
    }

    /// Whether no line near changed, so that the diff cannot have confused equal lines.
    fn is_unchanged_around(&self, first: usize, last: usize) -> bool {
        let near = first.saturating_sub(3)..(last + 4).min(self.stayed.len());
        near.clone().all(|it| self.stayed[it].is_some())
            && near.clone().zip(near.skip(1)).all(|(a, b)| self.stayed[a].map(|it| it + 1) == self.stayed[b])
    }

    /// The definition of the same path, if all names of the path were written by people and are unique.
    fn by_name(&self, index: usize) -> Option<usize> {
        let it = &self.old.outline.definitions[index];
        if it.path.contains(['#', '…']) || !named(&self.old.outline, it) {
            return None;
        }
        let now = *self.paths.get(it.path.as_str())?;
        let twin = format!("{}#2", it.path);
        let twins = self.paths.contains_key(twin.as_str())
            || self.old.outline.definitions.iter().any(|it| it.path == twin);
        let definition = &self.new.outline.definitions[now];
        (!twins && named(&self.new.outline, definition) && category(it) == category(definition))
            .then_some(now)
    }

    /// What became of a definition of which neither the first line nor the name is left.
    fn elsewhere(&self, index: usize, parent: Fate) -> Fate {
        let it = &self.old.outline.definitions[index];
        if let Some(&(1, 1, now)) = self.codes.get(&without_space(self.old.code(it)))
            && it.range.len() > 60.into()
            && category(it) == category(&self.new.outline.definitions[now])
        {
            return is(now);
        }
        match self.renamed(it)[..] {
            [] => {}
            [now] => return is(now),
            // Nested functions on the same lines.
            _ => return Fate::Unsure,
        }
        if let Some(now) = self.with_replaced_line(index, parent) {
            return is(now);
        }
        if !self.is_deleted(it) {
            return Fate::Unsure;
        }
        self.in_its_place(index, parent).map_or(Fate::Gone, |now| Fate::GoneOr(now as u32))
    }

    /// The callback of the same call on the lines that replaced an old one, in what became of the function around it.
    fn in_its_place(&self, index: usize, parent: Fate) -> Option<usize> {
        let it = &self.old.outline.definitions[index];
        let (Fate::Is(parent) | Fate::GoneOr(parent)) = parent else { return None };
        let (first, _) = self.old.extent(it);
        let (before, now) = self.hunks.iter().find(|(before, _)| before.contains(&first))?;
        let alike =
            |by_line: &HashMap<usize, Vec<usize>>, lines: &Range<usize>, version: &FileVersion, parent| {
                let definitions = lines.clone().filter_map(|it| by_line.get(&it)).flatten().copied();
                let alike = definitions.filter(|&other| {
                    let other = &version.outline.definitions[other];
                    other.parent == parent && other.name == it.name && category(other) == category(it)
                });
                alike.collect::<Vec<_>>()
            };
        let before = alike(&self.old_by_line, before, self.old, it.parent);
        let now = alike(&self.by_line, now, self.new, Some(DefinitionId(parent)));
        let nth = before.iter().position(|&it| it == index).filter(|_| before.len() == now.len())?;
        (it.name_range.is_none()).then_some(now[nth])
    }

    /// Definitions that have most of its lines, where it was renamed without being moved.
    fn renamed(&self, it: &Definition) -> Vec<usize> {
        let mut lines_in: HashMap<usize, usize> = HashMap::new();
        for line in self.significant_lines(it).skip(1).filter_map(|it| self.stayed[it]) {
            for (now, definition) in self.new.outline.definitions.iter().enumerate().skip(1) {
                if definition.kind == it.kind && inside(self.new, now, line) {
                    *lines_in.entry(now).or_default() += 1;
                }
            }
        }
        let all = self.significant_lines(it).count();
        let fits = |(now, lines): (&usize, &usize)| {
            let (from, to) = self.new.extent(&self.new.outline.definitions[*now]);
            let now_lines = (from..=to).filter(|&it| is_significant(self.new.line(it))).count();
            (*lines >= 3 && lines * 10 >= all * 7 && lines * 10 >= now_lines * 7).then_some(*now)
        };
        lines_in.iter().filter_map(fits).collect()
    }

    /// The definition on the line that replaced its first line, if it has the same name and a similar line.
    fn with_replaced_line(&self, index: usize, parent: Fate) -> Option<usize> {
        let it = &self.old.outline.definitions[index];
        let (first, _) = self.old.extent(it);
        let line = self.replaced[first]?;
        let (before, now) = (self.old_by_line.get(&first)?, self.by_line.get(&line)?);
        let nth = before.iter().position(|&it| it == index).filter(|_| before.len() == now.len())?;
        let Fate::Is(parent) = parent else { return None };
        let definition = &self.new.outline.definitions[now[nth]];
        let is_inside = definition.parent.is_some_and(|it| it.0 == parent);
        let is_similar = similarity(self.old.line(first), self.new.line(line)) >= 0.6;
        let is_same = definition.kind == it.kind && definition.name == it.name;
        (is_inside && is_same && is_similar).then_some(now[nth])
    }

    /// Whether it was deleted: hardly a line of it is left, none was added elsewhere, and nothing has its name.
    fn is_deleted(&self, it: &Definition) -> bool {
        let left = self
            .significant_lines(it)
            .filter(|&line| self.stayed[line].is_some() || self.added.contains_key(self.old.line(line)));
        let name_is_free =
            it.name_range.is_none() || !self.new.outline.definitions.iter().any(|now| now.name == it.name);
        let all = self.significant_lines(it).count();
        all >= 3 && left.count() * 5 <= all && name_is_free && !self.is_rewritten(it)
    }

    /// Whether a new definition has most of its words, but not its lines.
    fn is_rewritten(&self, it: &Definition) -> bool {
        let mut others = self.new.outline.definitions.iter().skip(1).filter(|now| now.kind == it.kind);
        others.any(|now| share_words(self.old.code(it), self.new.code(now)))
    }

    /// The lines of a definition that have enough letters and digits to identify them.
    fn significant_lines(&self, it: &Definition) -> impl Iterator<Item = usize> + use<'_> {
        let (first, last) = self.old.extent(it);
        (first..=last).filter(|&it| is_significant(self.old.line(it)))
    }

    /// The share of a definition's lines that are in a new one.
    fn share_kept(&self, it: &Definition, now: usize) -> f64 {
        let all = self.significant_lines(it).count();
        let kept = self
            .significant_lines(it)
            .filter(|&line| self.stayed[line].is_some_and(|line| inside(self.new, now, line)));
        if all == 0 { 1.0 } else { kept.count() as f64 / all as f64 }
    }
}

fn is(index: usize) -> Fate {
    Fate::Is(index as u32)
}

fn by_line(version: &FileVersion) -> HashMap<usize, Vec<usize>> {
    let mut lines: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, it) in version.outline.definitions.iter().enumerate().skip(1) {
        lines.entry(version.line_of(it.range.start().into())).or_default().push(index);
    }
    lines
}

fn inside(version: &FileVersion, definition: usize, line: usize) -> bool {
    let (first, last) = version.extent(&version.outline.definitions[definition]);
    (first..=last).contains(&line)
}

fn named(outline: &Outline, it: &Definition) -> bool {
    let has_name = it.name_range.is_some() || it.kind == DefinitionKind::Constructor;
    has_name
        && it.parent.is_none_or(|it| {
            let parent = outline.get(it);
            parent.kind == DefinitionKind::TopLevel || named(outline, parent)
        })
}

fn category(it: &Definition) -> u8 {
    match it.kind {
        DefinitionKind::Function | DefinitionKind::Arrow | DefinitionKind::Method => 0,
        other => other as u8,
    }
}

/// Whether two have half of their words in common.
pub(crate) fn share_words(a: &str, b: &str) -> bool {
    let (before, now) = (vocabulary(a), vocabulary(b));
    let common = before.intersection(&now).count();
    common * 2 >= before.len() && common * 2 >= now.len()
}

fn vocabulary(code: &str) -> HashSet<&str> {
    code.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty()).collect()
}

fn is_significant(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_alphanumeric).count() >= 4
        && !line.starts_with("//")
        && !line.starts_with('*')
}

fn without_space(code: &str) -> String {
    code.split_whitespace().collect()
}

/// The share of the longer line that is a common beginning or end.
fn similarity(a: &str, b: &str) -> f64 {
    let head = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len()) - head;
    let tail = a.bytes().rev().zip(b.bytes().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    (head + tail) as f64 / a.len().max(b.len()).max(1) as f64
}
