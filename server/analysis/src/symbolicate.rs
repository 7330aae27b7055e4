//! From a function of the profile to its definition in the workspace.
//!
//! A function is found in the text that ran (`text_that_ran`, `by_position`), through source maps in the text that was
//! written (`find_map`, `originals`), and from there in the file as it is now (`definitions`).

mod by_position;
mod component;
mod definitions;
mod find_map;
mod originals;
mod rename;
mod scripts;
mod source_text;
mod symbols;
mod text_that_ran;

use std::sync::Arc;

use profile::Profile;

use crate::{Files, UnplacedReason};
use definitions::Finder;
use originals::{Answer, Written, originals};
use scripts::scripts;
use source_text::Unread;
use text_that_ran::text_that_ran;

pub use by_position::Confidence;
pub use find_map::{MapFound, MapPlace, MapSettings, Refusal, map_of};
pub use originals::{LoadSettings, LostMap};
pub use rename::new_names;
pub use source_text::SourceText;
pub use symbols::{Found, Origin, Place, Symbols};

/// Finds the definition of every function of a profile.
pub fn symbolicate(profile: &Profile, files: &dyn Files, settings: &LoadSettings<'_>) -> Symbols {
    let mut places = vec![Place::Unplaced(UnplacedReason::NoResource); profile.functions.len()];
    let mut finder = Finder::new(files);
    let mut ran_in = Vec::new();
    for script in scripts(profile, files, settings.locate, &mut places) {
        match text_that_ran(profile, &script, files, settings.recorded) {
            Ok(text) => ran_in.push(text),
            Err((why, Unread(error))) => {
                finder.symbols.unread.extend(script.file.clone().zip(error));
                let ids = script.ran.functions.iter().map(|(id, _)| id.0 as usize);
                ids.for_each(|id| places[id] = Place::Unplaced(why));
            }
        }
    }

    let (texts, placed): (Vec<_>, Vec<_>) = ran_in.into_iter().unzip();
    for ((ran, placed), answer) in texts.iter().zip(placed).zip(originals(&texts, files, settings)) {
        let origin = if let Answer::Written = answer { Origin::Written } else { Origin::Generated };
        finder.symbols.scripts.extend(ran.file.clone().map(|it| (it, origin)));
        if let Answer::Mapped(written) = answer {
            let traced = ran.traced.filter(|it| ran.file.is_none() || it.script.map.is_some());
            finder.symbols.traced_maps.extend(traced.map(|it| it.url.to_owned()));
            placed
                .iter()
                .for_each(|(id, _)| places[id.0 as usize] = Place::Unplaced(UnplacedReason::OutsideMap));
            for (running, written) in ran.functions.iter().zip(written) {
                places[running.function.0 as usize] = match written {
                    Ok(written) => finder.place(&written, false),
                    Err(why) => Place::Unplaced(why),
                };
            }
            continue;
        }
        // Without a map its functions stay where they ran.
        for (id, definition) in placed {
            places[id.0 as usize] = match (definition, ran.file.clone()) {
                (Some((definition, confidence)), Some(file)) => {
                    let text = Arc::clone(&ran.text);
                    finder.place(&Written { file, text, definition, confidence }, true)
                }
                (None, Some(_)) => Place::Unplaced(UnplacedReason::NoDefinition),
                (_, None) => Place::Unplaced(UnplacedReason::NotInWorkspace),
            };
        }
        if let Answer::Lost(lost) = answer {
            finder.symbols.lost_maps.push(lost);
        }
    }
    Symbols { places, ..finder.symbols }
}
