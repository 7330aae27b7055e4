//! What became of each function, found in another way than `anchor` does: by the lines of one commit's diff and by
//! names that are unique in the file, one commit after the other. Where these do not decide, it says so.

use std::collections::{HashMap, HashSet};

use imara_diff::{Algorithm, Diff, InternedInput};
use source::{Definition, DefinitionKind, Outline};

/// A version of a file.
pub(crate) struct Version {
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
    /// Nobody can tell, from lines and names.
    Unsure,
}

impl Version {
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

    fn code(&self, it: &Definition) -> &str {
        &self.text[it.range]
    }
}

/// Two steps one after the other.
pub(crate) fn then(first: &[Fate], second: &[Fate]) -> Vec<Fate> {
    let next = |it: &Fate| match it {
        Fate::Is(index) => second[*index as usize],
        other => *other,
    };
    first.iter().map(next).collect()
}

/// What one commit made of each definition.
pub(crate) fn step(old: &Version, new: &Version) -> Vec<Fate> {
    let step = Step::new(old, new);
    let mut fates = vec![Fate::Unsure; old.outline.definitions.len()];
    fates[0] = Fate::Is(0);
    for index in 1..fates.len() {
        let parent = old.outline.definitions[index].parent.map(|it| fates[it.0 as usize]);
        fates[index] = step.fate(index, parent.unwrap_or(Fate::Unsure));
    }
    // No function becomes two, and no two become one.
    let mut takers: HashMap<u32, usize> = HashMap::new();
    for fate in &fates {
        if let Fate::Is(index) = fate {
            *takers.entry(*index).or_default() += 1;
        }
    }
    let double = |it: &Fate| matches!(it, Fate::Is(index) if takers[index] > 1);
    fates.iter_mut().filter(|it| double(it)).for_each(|it| *it = Fate::Unsure);
    fates
}

struct Step<'a> {
    old: &'a Version,
    new: &'a Version,
    /// The new line of each old line that stayed.
    stayed: Vec<Option<usize>>,
    /// The new line in the place of an old one, where a hunk has as many new as old lines.
    replaced: Vec<Option<usize>>,
    /// How often a line is there, in the text that has more of it.
    count: HashMap<&'a str, usize>,
    /// The new definitions by their first line.
    by_line: HashMap<usize, Vec<usize>>,
    old_by_line: HashMap<usize, Vec<usize>>,
    paths: HashMap<&'a str, usize>,
    /// How often code is there: in the old, in the new text, and one of the new.
    codes: HashMap<String, (usize, usize, usize)>,
    /// New lines that were added.
    added: HashMap<&'a str, usize>,
}

impl<'a> Step<'a> {
    fn new(old: &'a Version, new: &'a Version) -> Self {
        let (old_lines, new_lines) = (old.all_lines(), new.all_lines());
        let mut input = InternedInput::default();
        input.update_before(old_lines.iter().copied());
        input.update_after(new_lines.iter().copied());
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_no_heuristic(&input);
        let (mut stayed, mut replaced) = (vec![None; old_lines.len()], vec![None; old_lines.len()]);
        let (mut at, mut at_new) = (0, 0);
        let mut added: HashMap<&str, usize> = HashMap::new();
        for hunk in diff.hunks() {
            let (from, to) = (hunk.before.start as usize, hunk.before.end as usize);
            let (from_new, to_new) = (hunk.after.start as usize, hunk.after.end as usize);
            while at < from {
                stayed[at] = Some(at_new);
                (at, at_new) = (at + 1, at_new + 1);
            }
            if to - from == to_new - from_new {
                (from..to).zip(from_new..).for_each(|(old, new)| replaced[old] = Some(new));
            }
            new_lines[from_new..to_new].iter().for_each(|it| *added.entry(it).or_default() += 1);
            (at, at_new) = (to, to_new);
        }
        while at < old_lines.len() {
            stayed[at] = Some(at_new);
            (at, at_new) = (at + 1, at_new + 1);
        }
        let (mut count, mut count_new) = (HashMap::<&str, usize>::new(), HashMap::<&str, usize>::new());
        old_lines.iter().for_each(|&it| *count.entry(it).or_default() += 1);
        new_lines.iter().for_each(|&it| *count_new.entry(it).or_default() += 1);
        for (line, n) in count_new {
            let most = count.entry(line).or_default();
            *most = n.max(*most);
        }
        let mut codes: HashMap<String, (usize, usize, usize)> = HashMap::new();
        for it in &old.outline.definitions {
            codes.entry(bare(old.code(it))).or_default().0 += 1;
        }
        for (index, it) in new.outline.definitions.iter().enumerate() {
            let seen = codes.entry(bare(new.code(it))).or_default();
            (seen.1, seen.2) = (seen.1 + 1, index);
        }
        let paths = new.outline.definitions.iter().enumerate().map(|(n, it)| (it.path.as_str(), n)).collect();
        Self {
            old,
            new,
            stayed,
            replaced,
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
                if sure || self.kept(it, name) > 0.3 {
                    is(name)
                } else {
                    Fate::Unsure
                }
            }
            (Some(_), Some(_)) => Fate::Unsure,
            (Some((line, sure)), None) => {
                let now = &self.new.outline.definitions[line];
                let same_name = it.name == now.name;
                if sure && (same_name || self.kept(it, line) > 0.5) { is(line) } else { Fate::Unsure }
            }
            (None, Some(name)) => {
                // Its code lives on elsewhere: was it renamed, and the name given to another?
                let elsewhere = self
                    .telling(it)
                    .filter(|&line| self.stayed[line].is_some_and(|line| !inside(self.new, name, line)));
                let all = self.telling(it).count();
                if elsewhere.count() * 2 > all && self.kept(it, name) < 0.3 { Fate::Unsure } else { is(name) }
            }
            (None, None) => self.elsewhere(index, parent),
        }
    }

    /// The definition at the line to which the first line of an old one went, and whether that cannot be chance.
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
            .telling(it)
            .any(|line| rare(line) && self.stayed[line].is_some_and(|line| inside(self.new, now, line)));
        let (_, last_now) = self.new.extent(definition);
        let in_place = bare(self.old.code(it)) == bare(self.new.code(definition))
            && first > 0
            && self.stayed[first - 1] == line.checked_sub(1)
            && self.stayed.get(last + 1).copied().flatten() == Some(last_now + 1)
            && self.calm(first, last);
        let enough = self.kept(it, now) >= 0.5;
        Some((now, enough && (unique_line || rare(first)) || in_place))
    }

    /// Whether nothing near changed, so that equal lines cannot have slid.
    fn calm(&self, first: usize, last: usize) -> bool {
        let near = first.saturating_sub(3)..(last + 4).min(self.stayed.len());
        near.clone().all(|it| self.stayed[it].is_some())
            && near.clone().zip(near.skip(1)).all(|(a, b)| self.stayed[a].map(|it| it + 1) == self.stayed[b])
    }

    /// The definition of the same path, where all of it are names that people gave and that are there once.
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
        (!twins && named(&self.new.outline, definition) && sort(it) == sort(definition)).then_some(now)
    }

    /// Where neither line nor name is there any more.
    fn elsewhere(&self, index: usize, parent: Fate) -> Fate {
        let it = &self.old.outline.definitions[index];
        let (first, _) = self.old.extent(it);
        if let Some(&(1, 1, now)) = self.codes.get(&bare(self.old.code(it)))
            && it.range.len() > 60.into()
            && sort(it) == sort(&self.new.outline.definitions[now])
        {
            return is(now);
        }
        // Renamed in its place: its lines are there, between other names.
        let mut most: HashMap<usize, usize> = HashMap::new();
        for line in self.telling(it).skip(1).filter_map(|it| self.stayed[it]) {
            for (now, definition) in self.new.outline.definitions.iter().enumerate().skip(1) {
                if definition.kind == it.kind && inside(self.new, now, line) {
                    *most.entry(now).or_default() += 1;
                }
            }
        }
        let all = self.telling(it).count();
        let fits = |(now, lines): (&usize, &usize)| {
            let (from, to) = self.new.extent(&self.new.outline.definitions[*now]);
            let now_lines = (from..=to).filter(|&it| tells(self.new.line(it))).count();
            (*lines >= 3 && lines * 10 >= all * 7 && lines * 10 >= now_lines * 7).then_some(*now)
        };
        let fitting: Vec<usize> = most.iter().filter_map(fits).collect();
        match fitting[..] {
            [] => {}
            [now] => return is(now),
            // One in the other, on the same lines.
            _ => return Fate::Unsure,
        }
        // Its line was written anew in its place.
        if let Some(line) = self.replaced[first]
            && let (Some(before), Some(now)) = (self.old_by_line.get(&first), self.by_line.get(&line))
            && before.len() == now.len()
            && let Some(nth) = before.iter().position(|&it| it == index)
            && let Fate::Is(parent) = parent
        {
            let definition = &self.new.outline.definitions[now[nth]];
            let inside = definition.parent.is_some_and(|it| it.0 == parent);
            let alike = alike(self.old.line(first), self.new.line(line));
            if inside && definition.kind == it.kind && definition.name == it.name && alike >= 0.6 {
                return is(now[nth]);
            }
        }
        // Deleted: hardly a line of it is left, nor was it written anywhere else, nor has anything its name.
        let left = self
            .telling(it)
            .filter(|&line| self.stayed[line].is_some() || self.added.contains_key(self.old.line(line)));
        let name_is_free =
            it.name_range.is_none() || !self.new.outline.definitions.iter().any(|now| now.name == it.name);
        if all >= 3 && left.count() * 5 <= all && name_is_free && !self.is_rewritten(it) {
            Fate::Gone
        } else {
            Fate::Unsure
        }
    }

    /// Whether a new definition has most of its words, though not its lines.
    fn is_rewritten(&self, it: &Definition) -> bool {
        let before = vocabulary(self.old.code(it));
        self.new.outline.definitions.iter().skip(1).filter(|now| now.kind == it.kind).any(|now| {
            let now = vocabulary(self.new.code(now));
            let common = before.intersection(&now).count();
            common * 2 >= before.len() && common * 2 >= now.len()
        })
    }

    /// The lines of a definition that say something.
    fn telling(&self, it: &Definition) -> impl Iterator<Item = usize> + use<'_> {
        let (first, last) = self.old.extent(it);
        (first..=last).filter(|&it| tells(self.old.line(it)))
    }

    /// The share of a definition's lines that are in a new one.
    fn kept(&self, it: &Definition, now: usize) -> f64 {
        let all = self.telling(it).count();
        let kept = self
            .telling(it)
            .filter(|&line| self.stayed[line].is_some_and(|line| inside(self.new, now, line)));
        if all == 0 { 1.0 } else { kept.count() as f64 / all as f64 }
    }
}

fn is(index: usize) -> Fate {
    Fate::Is(index as u32)
}

fn by_line(version: &Version) -> HashMap<usize, Vec<usize>> {
    let mut lines: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, it) in version.outline.definitions.iter().enumerate().skip(1) {
        lines.entry(version.line_of(it.range.start().into())).or_default().push(index);
    }
    lines
}

fn inside(version: &Version, definition: usize, line: usize) -> bool {
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

fn sort(it: &Definition) -> u8 {
    match it.kind {
        DefinitionKind::Function | DefinitionKind::Arrow | DefinitionKind::Method => 0,
        other => other as u8,
    }
}

fn vocabulary(code: &str) -> HashSet<&str> {
    code.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty()).collect()
}

fn tells(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_alphanumeric).count() >= 4
        && !line.starts_with("//")
        && !line.starts_with('*')
}

fn bare(code: &str) -> String {
    code.split_whitespace().collect()
}

/// How much of the longer line is a common beginning or end.
fn alike(a: &str, b: &str) -> f64 {
    let head = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len()) - head;
    let tail = a.bytes().rev().zip(b.bytes().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    (head + tail) as f64 / a.len().max(b.len()).max(1) as f64
}
