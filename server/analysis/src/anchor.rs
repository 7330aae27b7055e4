//! Finds each measured definition again in today's text, and says how fresh its cost is.
//!
//! Outlines are compared as trees: children of a definition that was found are looked for among the children of
//! what it became, first by name and body, then by name, then by body; what is left over by body anywhere. Where
//! twins cannot be told apart none is taken: a cost that is gone is better than one on the wrong function.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use source::{Definition, DefinitionId, DefinitionKind, Outline};

/// How well a measured cost fits today's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Same body, same place.
    Fresh,
    /// Same body, another place or name.
    Moved,
    /// Same name, another body: the cost was measured on an older version.
    Edited,
    /// Not in the text any more.
    Gone,
}

impl Freshness {
    /// As `report` and the editors' protocol write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Moved => "moved",
            Self::Edited => "edited",
            Self::Gone => "gone",
        }
    }
}

/// What became of each definition of `measured` in `today`, by its id; `None` is gone.
pub fn anchor(measured: &Outline, today: &Outline) -> Vec<Option<(DefinitionId, Freshness)>> {
    let mut pairs = Pairs {
        measured,
        today,
        old_children: children(measured),
        new_children: children(today),
        found: vec![None; measured.definitions.len()],
        taken: vec![false; today.definitions.len()],
    };
    if !measured.definitions.is_empty() && !today.definitions.is_empty() {
        pairs.take(DefinitionId(0), DefinitionId(0));
        pairs.descend(DefinitionId(0));
        pairs.leftovers();
    }
    pairs.found
}

struct Pairs<'a> {
    measured: &'a Outline,
    today: &'a Outline,
    old_children: Vec<Vec<DefinitionId>>,
    new_children: Vec<Vec<DefinitionId>>,
    found: Vec<Option<(DefinitionId, Freshness)>>,
    taken: Vec<bool>,
}

impl<'a> Pairs<'a> {
    /// Pairs the children of a pair, and theirs, and so on.
    fn descend(&mut self, from: DefinitionId) {
        let mut waiting = vec![from];
        while let Some(old) = waiting.pop() {
            let Some((new, _)) = self.found[old.0 as usize] else { continue };
            let olds = self.old_children[old.0 as usize].clone();
            let news = self.new_children[new.0 as usize].clone();
            self.pair(&olds, &news, |it| (it.name.as_str(), it.kind, it.fingerprint));
            self.pair(&olds, &news, |it| (it.name.as_str(), it.kind));
            self.pair(&olds, &news, |it| (it.fingerprint, it.kind));
            waiting.extend(olds);
        }
    }

    /// What moved to another parent: a body that exists once on either side.
    fn leftovers(&mut self) {
        let olds: Vec<_> = (0..self.measured.definitions.len() as u32).map(DefinitionId).collect();
        let news: Vec<_> = (0..self.today.definitions.len() as u32).map(DefinitionId).collect();
        let key =
            |it: &'a Definition| (it.kind != DefinitionKind::TopLevel).then_some((it.fingerprint, it.kind));
        let before = self.found.clone();
        self.pair(&olds, &news, key);
        for old in olds {
            if before[old.0 as usize] != self.found[old.0 as usize] {
                self.descend(old);
            }
        }
    }

    /// Pairs, in order, what is still free and has the same key; not where one side has more of them.
    fn pair<K: Hash + Eq>(
        &mut self,
        olds: &[DefinitionId],
        news: &[DefinitionId],
        key: impl Fn(&'a Definition) -> K,
    ) {
        let mut groups: FxHashMap<K, (Vec<DefinitionId>, Vec<DefinitionId>)> = FxHashMap::default();
        for &old in olds.iter().filter(|it| self.found[it.0 as usize].is_none()) {
            groups.entry(key(self.measured.get(old))).or_default().0.push(old);
        }
        if groups.is_empty() {
            return;
        }
        for &new in news.iter().filter(|it| !self.taken[it.0 as usize]) {
            groups.entry(key(self.today.get(new))).or_default().1.push(new);
        }
        let same: BTreeMap<_, _> = groups
            .into_values()
            .filter(|(old, new)| old.len() == new.len())
            .flat_map(|(old, new)| old.into_iter().zip(new))
            .collect();
        for (old, new) in same {
            self.take(old, new);
        }
    }

    fn take(&mut self, old: DefinitionId, new: DefinitionId) {
        let (before, now) = (self.measured.get(old), self.today.get(new));
        let freshness = match () {
            () if before.fingerprint != now.fingerprint => Freshness::Edited,
            () if before.range.start() == now.range.start() && before.name == now.name => Freshness::Fresh,
            () => Freshness::Moved,
        };
        self.found[old.0 as usize] = Some((new, freshness));
        self.taken[new.0 as usize] = true;
    }
}

fn children(outline: &Outline) -> Vec<Vec<DefinitionId>> {
    let mut children = vec![Vec::new(); outline.definitions.len()];
    for (id, definition) in (0..).map(DefinitionId).zip(&outline.definitions) {
        if let Some(parent) = definition.parent {
            children[parent.0 as usize].push(id);
        }
    }
    children
}
