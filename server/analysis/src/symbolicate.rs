//! From a function of the profile to its definition in the workspace.
//!
//! A function is found in the text that ran (`text_that_ran`, `by_position`), through source maps in the text that was
//! written (`find_map`, `originals`), and from there in the file as it is now (`definitions`).

mod by_position;
mod component;
mod decisions;
mod definitions;
mod find_map;
mod originals;
mod rename;
mod scripts;
mod settings;
mod source_text;
mod symbols;
mod text_that_ran;

use std::sync::Arc;

use profile::{FunctionId, Profile};

use crate::{Files, UnplacedReason};
use definitions::Finder;
use originals::{Executed, ExecutedFunction, OriginalFunction, Originals, originals};
use scripts::scripts;
use text_that_ran::{Script, TextThatRan, text_that_ran};

pub use by_position::Confidence;
pub use decisions::{FollowedMap, MapDecision, ScriptDecision, WhichText};
pub use find_map::{MapFound, MapPlace, MapSettings, Refusal, map_of};
pub use rename::new_names;
pub use settings::LoadSettings;
pub use source_text::SourceText;
pub use symbols::{Found, Place, Symbols};

/// Finds the definition of every function of a profile.
pub fn symbolicate(profile: &Profile, files: &dyn Files, settings: &LoadSettings<'_>) -> Symbols {
    let places = vec![Place::Unplaced(UnplacedReason::NoResource); profile.functions.len()];
    let mut symbols = Symbols { places, ..Symbols::default() };
    let mut texts = Vec::new();
    for script in scripts(profile, files, settings.locate, &mut symbols) {
        match text_that_ran(profile, &script, files, settings.recorded) {
            Ok(text) => texts.push(text),
            Err(text) => symbols.without_text(script, text),
        }
    }

    let executed: Vec<Executed<'_>> = texts.iter().map(executed).collect();
    let originals = originals(&executed, files, settings);
    let mut finder = Finder::new(files, symbols);
    for (ran, Originals { map, functions }) in texts.into_iter().zip(originals) {
        match functions {
            Some(originals) => place_originals(&mut finder, &ran, &originals),
            None => place_where_they_ran(&mut finder, &ran),
        }
        finder.symbols.scripts.push(ScriptDecision {
            functions: ran.placements.iter().map(|it| it.function).collect(),
            file: ran.file,
            text: ran.which,
            map: Some(map),
        });
    }
    finder.symbols
}

/// What source maps are asked about a text that ran.
fn executed<'a>(ran: &TextThatRan<'a>) -> Executed<'a> {
    let function = |reported| ExecutedFunction { reported, confidence: Confidence::Exact };
    Executed {
        file: ran.file.clone(),
        text: Arc::clone(&ran.text),
        traced: ran.traced,
        functions: ran.placements.iter().filter_map(|it| it.reported).map(function).collect(),
    }
}

/// Places the functions of a text as what they were written as: one answer for each that a map was asked about.
fn place_originals(
    finder: &mut Finder<'_>,
    ran: &TextThatRan<'_>,
    originals: &[Result<OriginalFunction, UnplacedReason>],
) {
    let mut originals = originals.iter();
    for it in &ran.placements {
        let original = it.reported.and_then(|_| originals.next());
        finder.symbols.places[it.function.0 as usize] = match original {
            Some(Ok(original)) => finder.place(original, false),
            Some(Err(reason)) => Place::Unplaced(*reason),
            None => Place::Unplaced(UnplacedReason::OutsideMap),
        };
    }
}

/// Without a map functions stay where they ran.
fn place_where_they_ran(finder: &mut Finder<'_>, ran: &TextThatRan<'_>) {
    for it in &ran.placements {
        finder.symbols.places[it.function.0 as usize] = match (it.found, ran.file.clone()) {
            (Some((definition, confidence)), Some(file)) => {
                let text = Arc::clone(&ran.text);
                finder.place(&OriginalFunction { file, text, definition, confidence }, true)
            }
            (None, Some(_)) => Place::Unplaced(UnplacedReason::NoDefinition),
            (_, None) => Place::Unplaced(UnplacedReason::NotInWorkspace),
        };
    }
}

impl Symbols {
    /// Notes a script without a text in which its functions could be looked for.
    fn without_text(&mut self, script: Script<'_>, text: WhichText) {
        let functions: Vec<FunctionId> = script.ran.functions.iter().map(|it| it.0).collect();
        if let WhichText::None { reason, .. } = text {
            functions.iter().for_each(|it| self.places[it.0 as usize] = Place::Unplaced(reason));
        }
        self.scripts.push(ScriptDecision { file: script.file, functions, text, map: None });
    }
}
