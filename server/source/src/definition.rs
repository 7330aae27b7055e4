//! The definitions of one text as plain values.

use std::fmt;

use text_size::{TextRange, TextSize};

/// The name of a function without any name.
pub(crate) const ANONYMOUS: &str = "(anonymous)";
/// The name of the top level.
pub(crate) const TOP_LEVEL: &str = "(top level)";

/// An index into [`Outline::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub u32);

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    /// The code of a file outside all functions.
    TopLevel,
    /// A function declaration or expression.
    Function,
    /// An arrow function.
    Arrow,
    /// A method of a class or an object.
    Method,
    /// `get x()`.
    Getter,
    /// `set x(value)`.
    Setter,
    /// `constructor()`.
    Constructor,
    /// A class: its implicit constructor, field initialisers and static blocks.
    Class,
}

/// A function-like node of a text. All places are byte offsets into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its display name: `work`, `get size`, `constructor`, `(anonymous)`, `(top level)`.
    pub name: String,
    /// Its path, unique in the file: `Class.method`, `outer.inner`, `outer.inner#2`.
    pub path: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// The definition around it; `None` for the top level only.
    pub parent: Option<DefinitionId>,
    /// From its first token, without decorators and comments, to just after the last character of its body.
    pub range: TextRange,
    /// The header, from the same start up to the body. The `{` of a function belongs to the body, that of a class to the header.
    pub header: TextRange,
    /// Where the decorators of a class begin; the start of the range if there are none.
    pub decorators_from: TextSize,
    /// Where V8 says that it is defined: the `(` of the parameters, the first character of an arrow function without its
    /// type parameters (`async` included), the keyword `class`, or the start of the text for the top level.
    pub defined_at: TextSize,
    /// Where the parameter list ends, and the name of a class.
    pub parameters_end: TextSize,
    /// Where a hint reads best: after the whole header, and before the body if that begins on the same line.
    pub hint_at: TextSize,
    /// The token of its name, even if it stands outside the header (`const name = () => ..`).
    pub name_range: Option<TextRange>,
    /// A hash of the tokens of the body, without white space and comments. Classes and the top level leave out the
    /// definitions inside them, all others include them.
    pub fingerprint: u64,
    /// How many tokens the fingerprint covers: the more, the less likely it is that two bodies are the same by chance.
    pub tokens: u32,
    /// A hash of what the header says about parameters and `async`, without the name and without what only
    /// distinguishes a declaration from an arrow function.
    pub signature: u64,
    /// A hash of the few tokens before it in its statement, by which callbacks differ: `it('adds', () => ..)`.
    pub preceding_hash: u64,
}

/// How many functions in the decorators of a class are skipped when looking for the class.
const MAX_IN_DECORATORS: usize = 64;

/// All definitions of a text, ordered by start, a parent before its children; the top level is the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// False if the text did not parse as it is and was recovered.
    pub exact: bool,
    /// Where the code is, in order, in a text that also holds other things: the content of each script of a Vue, Svelte,
    /// Astro or HTML file. `None` if the whole text is code, or drawn by code, as in MDX.
    pub scripts: Option<Vec<TextRange>>,
}

/// Why a text has no outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineError {
    /// Brackets or operators are nested deeper than can be read safely.
    TooDeep,
    /// Brackets or operators are nested deeper than this thread can read. On a thread with this many bytes of stack the
    /// text can be read, in [`with_stack`](crate::with_stack). Only [`outline_here`](crate::outline_here) returns this.
    NeedsStack(usize),
    /// The text is longer than 4 GB.
    TooLong,
    /// The text is large and cannot be read in pieces.
    TooLarge,
}

impl fmt::Display for OutlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooDeep | Self::NeedsStack(_) => "the code is nested too deeply to be read",
            Self::TooLong => "the file is too long to be read",
            Self::TooLarge => "the code is too large to be read at once and cannot be read in pieces",
        })
    }
}

impl std::error::Error for OutlineError {}

impl Definition {
    /// A hash of header and body without the name: two definitions with the same hash have the same code.
    pub fn code(&self) -> u64 {
        self.fingerprint ^ self.signature.rotate_left(32)
    }

    /// Where people look for it: the start of its name, or of the definition if it has none; for the top level the
    /// first character of the file that is not white space.
    pub fn anchor(&self) -> TextSize {
        match self.kind {
            DefinitionKind::TopLevel => self.hint_at,
            _ => self.name_range.map_or(self.range.start(), TextRange::start),
        }
    }
}

impl Outline {
    /// The innermost definition around the offset: the top level if there is no other, and `None` in an empty outline. It
    /// is also what an engine means by the position of field initialisers and static blocks: the class.
    pub fn around(&self, offset: TextSize) -> Option<DefinitionId> {
        // They are ordered by start, so the last one that starts here or before is the innermost, or lies inside it.
        let mut index = self
            .definitions
            .partition_point(|definition| definition.range.start() <= offset)
            .checked_sub(1)?;
        loop {
            let definition = &self.definitions[index];
            match definition.parent {
                Some(parent) if definition.range.end() <= offset => index = parent.0 as usize,
                _ => return Some(DefinitionId(index as u32)),
            }
        }
    }

    /// The class in whose decorators an offset is, though not in a function there.
    pub fn decorated_at(&self, offset: TextSize) -> Option<DefinitionId> {
        let around = self.around(offset)?;
        let next = self.definitions.partition_point(|definition| definition.range.start() <= offset);
        let after = (next as u32..).map(DefinitionId).zip(&self.definitions[next..]).take(MAX_IN_DECORATORS);
        let mut siblings = after.filter(|(_, definition)| definition.parent == Some(around));
        // Functions in the decorators stand between the offset and the class.
        let (id, class) = siblings.find(|(_, definition)| definition.kind == DefinitionKind::Class)?;
        (class.decorators_from <= offset).then_some(id)
    }

    /// Whether an offset is in code rather than in the markup around it.
    pub fn is_code(&self, offset: TextSize) -> bool {
        let Some(scripts) = &self.scripts else { return true };
        let behind = scripts.partition_point(|script| script.start() <= offset);
        behind.checked_sub(1).is_some_and(|before| scripts[before].contains_inclusive(offset))
    }

    /// Whether an engine places the code outside of functions here: it starts where a script does.
    pub fn is_start_of_script(&self, offset: TextSize) -> bool {
        match &self.scripts {
            None => offset == TextSize::new(0),
            Some(scripts) => scripts.binary_search_by_key(&offset, |script| script.start()).is_ok(),
        }
    }

    /// A definition and everything inside it, as an outline in which it is the first definition. Places remain
    /// offsets into the whole text.
    pub fn below(&self, id: DefinitionId) -> Outline {
        let end = self.get(id).range.end();
        let below = self.definitions[id.0 as usize..].iter();
        let mut definitions: Vec<Definition> =
            below.take_while(|definition| definition.range.start() < end).cloned().collect();
        for definition in &mut definitions {
            definition.parent =
                definition.parent.and_then(|parent| parent.0.checked_sub(id.0)).map(DefinitionId);
        }
        Outline { definitions, exact: self.exact, scripts: self.scripts.clone() }
    }

    /// The constructor that is written in a class; `None` if there is none, or if it is not a class.
    pub fn constructor(&self, class: DefinitionId) -> Option<DefinitionId> {
        if self.get(class).kind != DefinitionKind::Class {
            return None;
        }
        self.children(class).find(|&id| self.get(id).kind == DefinitionKind::Constructor)
    }

    /// The definitions right inside another one, in order.
    pub fn children(&self, parent: DefinitionId) -> impl Iterator<Item = DefinitionId> {
        let end = self.get(parent).range.end();
        let after = (parent.0 + 1..).map(DefinitionId).zip(&self.definitions[parent.0 as usize + 1..]);
        let inside = after.take_while(move |(_, definition)| definition.range.start() < end);
        inside.filter(move |(_, definition)| definition.parent == Some(parent)).map(|(id, _)| id)
    }

    /// The definition with an id of this outline.
    pub fn get(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0 as usize]
    }
}
