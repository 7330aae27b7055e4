//! One of the two outlines that are compared, with which of its definitions have a partner in the other.

use source::{Definition, DefinitionKind};

use super::version::Version;

/// Index of a definition in its outline.
pub(super) type Index = u32;

/// One of the two outlines.
pub(super) struct Side<'a> {
    /// Whether it is what was measured.
    pub(super) is_old: bool,
    pub(super) text: &'a str,
    pub(super) definitions: &'a [Definition],
    /// Number of definitions in each, with itself: they stand right behind it.
    pub(super) sizes: Vec<u32>,
    /// The definition of the other side that it belongs to.
    pub(super) partners: Vec<Option<Index>>,
}

/// What a definition can become without being another one: a declaration an arrow, a method a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
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
        let mut sizes = vec![1; definitions.len()];
        for index in (0..definitions.len()).rev() {
            if let Some(parent) = definitions[index].parent {
                sizes[parent.0 as usize] += sizes[index];
            }
        }
        Self { is_old, text: version.text, definitions, sizes, partners: vec![None; definitions.len()] }
    }

    pub(super) fn get(&self, it: Index) -> &'a Definition {
        &self.definitions[it as usize]
    }

    pub(super) fn children(&self, parent: Index) -> impl Iterator<Item = Index> {
        let end = parent + self.sizes[parent as usize];
        let first = Some(parent + 1).filter(|&it| it < end);
        std::iter::successors(first, move |&it| Some(it + self.sizes[it as usize]).filter(|&it| it < end))
    }

    pub(super) fn is_free(&self, it: Index) -> bool {
        self.partners[it as usize].is_none()
    }

    pub(super) fn partner(&self, it: Index) -> Option<Index> {
        self.partners[it as usize]
    }

    pub(super) fn sort(&self, it: Index) -> Sort {
        match self.get(it).kind {
            DefinitionKind::TopLevel => Sort::TopLevel,
            DefinitionKind::Function | DefinitionKind::Arrow | DefinitionKind::Method => Sort::Function,
            DefinitionKind::Getter => Sort::Getter,
            DefinitionKind::Setter => Sort::Setter,
            DefinitionKind::Constructor => Sort::Constructor,
            DefinitionKind::Class => Sort::Class,
        }
    }

    /// Whether people gave it its name; callbacks and the like share theirs with many.
    pub(super) fn is_named(&self, it: Index) -> bool {
        let definition = self.get(it);
        definition.name_range.is_some() && definition.kind != DefinitionKind::Constructor
    }

    /// Whether a text in front of a callback says what it is: `it('adds', () => ..)`.
    pub(super) fn is_titled(&self, it: Index) -> bool {
        let before = self.text[..self.get(it).range.start().into()].trim_end();
        let title = before.strip_suffix(',').map(str::trim_end);
        title.is_some_and(|title| title.ends_with(['\'', '"', '`']))
    }

    /// What tells it from its siblings: its name, or what stands in front of it. `None` for a plain callback.
    pub(super) fn own_name(&self, it: Index) -> Option<(&'a str, u64)> {
        match () {
            () if self.is_named(it) => Some((self.name_in_parent(it), 0)),
            () if self.is_titled(it) => Some((self.name_in_parent(it), self.get(it).preceding_hash)),
            () => None,
        }
    }

    /// Its path below its parent, alike for twins: `object.method`.
    pub(super) fn name_in_parent(&self, it: Index) -> &'a str {
        let definition = self.get(it);
        let around = definition.parent.map_or("", |it| self.get(it.0).path.as_str());
        let path = definition.path.strip_prefix(around).and_then(|it| it.strip_prefix('.'));
        let path = path.unwrap_or(&definition.path);
        match path.rsplit_once('#') {
            Some((name, twin)) if !name.is_empty() && twin.bytes().all(|it| it.is_ascii_digit()) => name,
            _ => path,
        }
    }

    /// The few inside that are a good part of it.
    pub(super) fn filling(&self, it: Index) -> Vec<Index> {
        let much = u32::from(self.get(it).range.len()) / 4;
        self.children(it).filter(|&it| u32::from(self.get(it).range.len()) > much).collect()
    }

    /// Its code.
    pub(super) fn code(&self, it: Index) -> &'a str {
        &self.text[self.get(it).range]
    }
}
