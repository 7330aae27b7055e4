//! One of the two outlines that are compared, and which of its definitions have a partner in the other.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use source::definition::{Definition, DefinitionKind};

use super::version::Version;

/// The index of a definition in its outline.
pub(super) type DefinitionIndex = u32;

/// One of the two outlines.
pub(super) struct Side<'a> {
    /// Whether it is the outline of the measured text.
    pub(super) is_old: bool,
    pub(super) text: &'a str,
    pub(super) definitions: &'a [Definition],
    /// The number of definitions inside each, including itself: they come right after it in `definitions`.
    pub(super) subtree_sizes: Vec<u32>,
    /// The definition of the other side that each is paired with.
    pub(super) partners: Vec<Option<DefinitionIndex>>,
    /// See [`Side::namesakes`].
    by_name: OnceCell<FxHashMap<&'a str, Vec<DefinitionIndex>>>,
}

/// Kinds of definitions that an edit can turn into each other: a declaration into an arrow function, a method into a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Category {
    TopLevel,
    Function,
    Getter,
    Setter,
    Constructor,
    Class,
}

impl<'a> Side<'a> {
    pub(super) fn new(version: Version<'a>, is_old: bool) -> Self {
        let definitions = &version.outline.definitions[..];
        let mut subtree_sizes = vec![1; definitions.len()];
        for index in (0..definitions.len()).rev() {
            if let Some(parent) = definitions[index].parent {
                subtree_sizes[parent.0 as usize] += subtree_sizes[index];
            }
        }
        Self {
            is_old,
            text: version.text,
            definitions,
            subtree_sizes,
            partners: vec![None; definitions.len()],
            by_name: OnceCell::new(),
        }
    }

    pub(super) fn get(&self, it: DefinitionIndex) -> &'a Definition {
        &self.definitions[it as usize]
    }

    pub(super) fn children(&self, parent: DefinitionIndex) -> impl Iterator<Item = DefinitionIndex> {
        let end = parent + self.subtree_sizes[parent as usize];
        let first = Some(parent + 1).filter(|&it| it < end);
        std::iter::successors(first, move |&it| {
            Some(it + self.subtree_sizes[it as usize]).filter(|&it| it < end)
        })
    }

    pub(super) fn parent(&self, it: DefinitionIndex) -> Option<DefinitionIndex> {
        self.get(it).parent.map(|it| it.0)
    }

    pub(super) fn is_free(&self, it: DefinitionIndex) -> bool {
        self.partners[it as usize].is_none()
    }

    /// Whether it is inside a definition with this name that has no partner yet.
    pub(super) fn is_in_free(&self, it: DefinitionIndex, name: &str) -> bool {
        let mut around = std::iter::successors(self.parent(it), |&it| self.parent(it));
        around.any(|it| self.is_free(it) && self.get(it).name == name)
    }

    /// The definitions that have no partner yet.
    pub(super) fn free(&self) -> Vec<DefinitionIndex> {
        (0..self.definitions.len() as DefinitionIndex).filter(|&it| self.is_free(it)).collect()
    }

    pub(super) fn partner(&self, it: DefinitionIndex) -> Option<DefinitionIndex> {
        self.partners[it as usize]
    }

    pub(super) fn category(&self, it: DefinitionIndex) -> Category {
        match self.get(it).kind {
            DefinitionKind::TopLevel => Category::TopLevel,
            DefinitionKind::Function | DefinitionKind::Arrow | DefinitionKind::Method => Category::Function,
            DefinitionKind::Getter => Category::Getter,
            DefinitionKind::Setter => Category::Setter,
            DefinitionKind::Constructor => Category::Constructor,
            DefinitionKind::Class => Category::Class,
        }
    }

    /// Whether its name was written for it; callbacks and constructors share theirs with many others.
    pub(super) fn is_named(&self, it: DefinitionIndex) -> bool {
        let definition = self.get(it);
        definition.name_range.is_some() && definition.kind != DefinitionKind::Constructor
    }

    /// Whether a string in front of a callback tells what it is: `it('adds', () => ..)`.
    pub(super) fn is_titled(&self, it: DefinitionIndex) -> bool {
        let before = self.text[..self.get(it).range.start().into()].trim_end();
        let title = before.strip_suffix(',').map(str::trim_end);
        title.is_some_and(|title| title.ends_with(['\'', '"', '`']))
    }

    /// What distinguishes it from its siblings: its name, or the tokens in front of it. `None` for a plain callback.
    pub(super) fn distinctive_name(&self, it: DefinitionIndex) -> Option<(&'a str, u64)> {
        match () {
            () if self.is_named(it) || self.category(it) == Category::Constructor => {
                Some((self.name_in_parent(it), 0))
            }
            () if self.is_titled(it) => Some((self.name_in_parent(it), self.get(it).preceding_hash)),
            () => None,
        }
    }

    /// Its path below its parent, without the number that tells equal names apart: `object.method`.
    pub(super) fn name_in_parent(&self, it: DefinitionIndex) -> &'a str {
        let definition = self.get(it);
        let around = definition.parent.map_or("", |it| self.get(it.0).path.as_str());
        let path = definition.path.strip_prefix(around).and_then(|it| it.strip_prefix('.'));
        let path = path.unwrap_or(&definition.path);
        match path.rsplit_once('#') {
            Some((name, twin)) if !name.is_empty() && twin.bytes().all(|it| it.is_ascii_digit()) => name,
            _ => path,
        }
    }

    /// The definitions that have this name.
    pub(super) fn namesakes(&self, name: &str) -> Vec<DefinitionIndex> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: FxHashMap<&str, Vec<DefinitionIndex>> = FxHashMap::default();
            for (index, definition) in self.definitions.iter().enumerate() {
                by_name.entry(&definition.name).or_default().push(index as DefinitionIndex);
            }
            by_name
        });
        by_name.get(name).cloned().unwrap_or_default()
    }

    /// The hash of its path, without the numbers that tell equal paths apart.
    pub(super) fn path_hash(&self, it: DefinitionIndex) -> u64 {
        let mut hasher = FxHasher::default();
        for it in std::iter::successors(Some(it), |&it| self.parent(it)) {
            self.name_in_parent(it).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The children that make up a large part of its text.
    pub(super) fn main_children(&self, it: DefinitionIndex) -> Vec<DefinitionIndex> {
        let much = u32::from(self.get(it).range.len()) / 4;
        self.children(it).filter(|&it| u32::from(self.get(it).range.len()) > much).collect()
    }

    /// Its code.
    pub(super) fn code(&self, it: DefinitionIndex) -> &'a str {
        &self.text[self.get(it).range]
    }
}
