//! The keys under which the costs of a profile are added up: small consecutive numbers, one for each definition and one
//! for each function that was not placed. This makes the sums tables instead of maps.

use std::sync::Arc;

use profile::model::{Function, FunctionId, Position, Profile, StringId};
use rustc_hash::FxHashMap;

use super::model::{Call, CallEnd, DefinitionKey, Generated, Maker, Measured, MeasuredAt, UnplacedFunction};
use crate::files::FilePath;
use crate::locate::UnplacedReason;
use crate::package::Package;
use crate::symbolicate::{Confidence, FoundDefinition, Place, Symbols};

/// The keys of a profile's functions.
pub(crate) struct Keys {
    /// By `FunctionId`.
    pub(crate) of_function: Arc<Vec<u32>>,
    /// What each key stands for.
    pub(crate) ends: Vec<Arc<CallEnd>>,
    /// The definitions by their keys, without costs.
    pub(super) measured: FxHashMap<u32, Measured>,
    entry: Arc<CallEnd>,
}

impl Keys {
    /// The keys of all functions.
    pub(crate) fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let mut builder = KeysBuilder::new(profile, symbols);
        let mut keys = Vec::with_capacity(symbols.places.len());
        for (index, place) in symbols.places.iter().enumerate() {
            let function = FunctionId(index as u32);
            let key = match *place {
                Place::At { found, confidence } => builder.of_placed(function, found, confidence),
                Place::Unplaced(reason) => builder.of_unplaced(function, reason),
            };
            keys.push(key);
        }
        Self { of_function: Arc::new(keys), ..builder.keys }
    }

    /// Whether each function has one of these keys.
    pub(crate) fn functions_of(&self, keys: &[u32]) -> Vec<bool> {
        self.of_function.iter().map(|it| keys.contains(it)).collect()
    }

    /// The definition that a function was found to be, and what is known about it without costs.
    pub(crate) fn definition(&self, function: FunctionId) -> Option<(&DefinitionKey, &Measured)> {
        let key = self.of_function[function.0 as usize];
        Some((self.ends[key as usize].definition()?, self.measured.get(&key)?))
    }

    /// Adds a function that stands for a whole package.
    pub(crate) fn add_package(&mut self, package: &str) -> FunctionId {
        let whole = UnplacedFunction::named(package, UnplacedReason::Dependency);
        Arc::make_mut(&mut self.of_function).push(self.ends.len() as u32);
        self.ends.push(Arc::new(CallEnd::Unplaced(whole)));
        FunctionId(self.of_function.len() as u32 - 1)
    }

    /// The calls that the profile added up, with what their keys stand for.
    pub(super) fn calls(&self, tallied: &[profile::tally::Call]) -> Vec<Call> {
        let end = |key: Option<u32>| Arc::clone(key.map_or(&self.entry, |it| &self.ends[it as usize]));
        tallied.iter().map(|it| Call { other: end(it.other), spent: it.weight }).collect()
    }
}

/// What the trace says about a function that was not placed; functions that agree in all of it share a key.
type UnplacedKey<'a> = (StringId, Option<&'a str>, Option<Position>, UnplacedReason, Option<FunctionId>);

/// Gives keys to the functions of a profile, one by one.
struct KeysBuilder<'a> {
    profile: &'a Profile,
    symbols: &'a Symbols,
    keys: Keys,
    /// Each text once, since many functions share names and resources.
    texts: FxHashMap<&'a str, Arc<str>>,
    /// Generated files in which functions stay.
    generated: FxHashMap<&'a FilePath, Generated>,
    of_definition: FxHashMap<DefinitionKey, u32>,
    /// By index into [`Symbols::definitions`].
    of_found: Vec<Option<u32>>,
    of_unplaced: FxHashMap<UnplacedKey<'a>, u32>,
}

impl<'a> KeysBuilder<'a> {
    fn new(profile: &'a Profile, symbols: &'a Symbols) -> Self {
        let keys = Keys {
            of_function: Arc::default(),
            ends: Vec::new(),
            measured: FxHashMap::default(),
            entry: Arc::new(CallEnd::Entry),
        };
        Self {
            profile,
            symbols,
            keys,
            texts: FxHashMap::default(),
            generated: (symbols.lost_maps().map(|it| (it.0, Generated::MapLost)))
                .chain(symbols.unshipped().map(|it| (it, Generated::SourcesLost)))
                .collect(),
            of_definition: FxHashMap::default(),
            of_found: vec![None; symbols.definitions.len()],
            of_unplaced: FxHashMap::default(),
        }
    }

    /// The key of a function that was placed, which is the key of its definition.
    fn of_placed(&mut self, function: FunctionId, found: u32, confidence: Confidence) -> u32 {
        let key = self.of_found[found as usize].unwrap_or_else(|| self.of_found(found));
        let resource = self.text(self.profile.resource(function).unwrap_or_default());
        let position = self.profile.functions[function.0 as usize].defined_at;
        let measured = self.keys.measured.get_mut(&key).expect("it was put there with its key");
        measured.confidence = measured.confidence.max(confidence);
        let at = MeasuredAt { resource, position };
        if let Err(index) = measured.measured_at.binary_search(&at) {
            measured.measured_at.insert(index, at);
        }
        key
    }

    /// A new key for a definition, unless another version of its text already gave it one.
    fn of_found(&mut self, found: u32) -> u32 {
        let definition = &self.symbols.definitions[found as usize];
        let (name, measured) = measured(definition, self.generated.get(&definition.file).copied());
        let next = self.keys.ends.len() as u32;
        let key = *self.of_definition.entry(name.clone()).or_insert(next);
        if key == next {
            self.keys.ends.push(Arc::new(CallEnd::Definition(name)));
            self.keys.measured.insert(key, measured);
        }
        self.of_found[found as usize] = Some(key);
        key
    }

    /// The key of a function that was not placed.
    fn of_unplaced(&mut self, function: FunctionId, reason: UnplacedReason) -> u32 {
        let Function { name, defined_at: position, made_by, .. } =
            self.profile.functions[function.0 as usize];
        let resource = self.profile.resource(function);
        let next = self.keys.ends.len() as u32;
        let key = *self.of_unplaced.entry((name, resource, position, reason, made_by)).or_insert(next);
        if key == next {
            let name = self.text(self.profile.name(function));
            let resource = resource.map(|it| self.text(it));
            let made_by = made_by.map(|it| Arc::new(self.maker(it)));
            let source = self.symbols.sources.get(&function).cloned();
            let function = UnplacedFunction { name, resource, position, reason, made_by, source };
            self.keys.ends.push(Arc::new(CallEnd::Unplaced(function)));
        }
        key
    }

    /// What is shown about a function that made code.
    fn maker(&mut self, function: FunctionId) -> Maker {
        if let Place::At { found, .. } = self.symbols.places[function.0 as usize] {
            let (key, Measured { name, start, .. }) =
                measured(&self.symbols.definitions[found as usize], None);
            return Maker { name, file: key.file.as_str().into(), line: start.line, definition: Some(key) };
        }
        let name = self.profile.name(function);
        let name = self.text(if name.is_empty() { "(anonymous)" } else { name });
        let source = self.symbols.sources.get(&function).filter(|it| Package::of(it).is_some());
        let resource = self.profile.resource(function).unwrap_or_default();
        let file = source.map_or_else(|| self.text(resource), Arc::clone);
        let line = self.profile.functions[function.0 as usize].defined_at.map_or(0, |it| it.line);
        Maker { name, file, line, definition: None }
    }

    fn text(&mut self, text: &'a str) -> Arc<str> {
        Arc::clone(self.texts.entry(text).or_insert_with(|| text.into()))
    }
}

/// The key of a definition.
pub(super) fn key_of(found: &FoundDefinition) -> DefinitionKey {
    // The path of a definition that is gone may belong to another definition today.
    let gone = if found.definition.is_none() { " (gone)" } else { "" };
    let path = if gone.is_empty() { Arc::clone(&found.path) } else { format!("{}{gone}", found.path).into() };
    DefinitionKey { file: found.file.clone(), path }
}

/// A definition and its key, without costs.
fn measured(found: &FoundDefinition, generated: Option<Generated>) -> (DefinitionKey, Measured) {
    let measured = Measured {
        name: Arc::clone(&found.name),
        definition: found.definition,
        freshness: found.freshness,
        code: found.code,
        start: found.start,
        end: found.end,
        generated,
        ..Measured::default()
    };
    (key_of(found), measured)
}
