//! Finds the definition in the workspace of each function of a profile.
//!
//! A function is found in the text that ran (`text_that_ran`, `by_position`), then through source maps in the original
//! text (`find_map`, `originals`), and from there in the file as it is now (`definitions`).

mod begins;
mod by_name;
mod by_order;
mod by_position;
mod by_start;
mod cached;
mod call_sites;
mod calls;
mod claims;
mod compiled;
mod component;
mod decisions;
mod definitions;
mod executed_text;
mod find_map;
mod inlined;
mod mapped_text;
mod mapped_words;
mod moved_and_edited;
mod moved_files;
mod moved_functions;
mod moved_scripts;
mod moved_sources;
mod original_lines;
mod original_texts;
mod originals;
mod originals_of_text;
mod placement;
mod rename;
mod scripts;
mod settings;
mod source_text;
mod statements;
mod stripped;
mod symbols;
mod text_that_ran;
mod transformed;

use std::sync::Arc;

use profile::model::{FunctionId, Position, Profile, SeenPlace};
use source::language::Language;
use source::large_stack::on_all_cores;
use source::map::ReportedFunction;

use crate::files::Files;
use crate::locate::UnplacedReason;
use crate::rules::Rule;
use call_sites::{asked_for, call_sites, sites_of_properties};
use definitions::Finder;
use executed_text::{ExecutedFunction, ExecutedText, NoOriginal, OriginalFunction, Originals};
use inlined::{InlinedCode, inlined_code};
use originals::originals;
use placement::{seen_of, shifted};
use scripts::scripts;
use text_that_ran::{TextThatRan, text_that_ran};

use crate::locate::Located;

pub use compiled::Compiler;
pub use decisions::{FollowedMap, MapDecision, MapPlace, Refusal, ScriptDecision, WhichText};
pub use placement::Confidence;
pub use rename::new_names;
pub use settings::LoadSettings;
pub use source_text::SourceText;
pub(crate) use statements::{Positions, Statements};
pub(crate) use symbols::InlinedFrom;
pub use symbols::{FoundDefinition, Place, Symbols};

/// Finds the definition of every function of a profile.
pub fn symbolicate(profile: &Profile, files: &dyn Files, settings: &LoadSettings<'_>) -> Symbols {
    symbolicate_located(profile, None, files, settings)
}

/// Like [`symbolicate`]. If the resources are already `located`, those of a joined profile, it also says how well all functions
/// fit the texts.
pub(crate) fn symbolicate_located(
    profile: &Profile,
    located: Option<Vec<Located>>,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Symbols {
    let is_joined = located.is_some();
    let places = vec![Place::Unplaced(UnplacedReason::NoResource); profile.functions.len()];
    let mut symbols = Symbols { folders: files.folders().to_vec(), places, ..Symbols::default() };
    let mut texts = Vec::new();
    let scripts = scripts(profile, located, files, settings, &mut symbols);
    let found = on_all_cores(&scripts, |script| text_that_ran(profile, script, files, settings));
    for (script, text) in scripts.into_iter().zip(found) {
        if is_joined {
            symbols.statements.extend(script.statements(profile, text.as_ref().ok(), files));
        }
        match text {
            Ok(text) => texts.push(text),
            Err(_) if is_of_dependency(&symbols, script.functions.positions.first().map(|it| it.0)) => {}
            Err(text) => {
                let functions = script.functions.positions.iter().map(|it| it.0).collect();
                symbols.without_text(script.file, functions, text);
            }
        }
    }

    let rules = settings.locate.rules;
    if rules.has(Rule::Claim) {
        texts = claims::confirmed(texts, profile, files, &mut symbols);
    }
    if rules.has(Rule::Order) {
        transformed::place_transformed(profile, &mut texts);
    }
    let places = places_seen(profile, &call_sites(profile));
    let properties = sites_of_properties(profile);
    let inlined = inlined_code(profile, &texts, &places);
    let executed: Vec<ExecutedText<'_>> =
        texts.iter().zip(&inlined).map(|(ran, inlined)| executed(ran, &places, inlined)).collect();
    let originals = originals(&executed, files, settings);
    let mut finder = Finder::new(files, rules, symbols);
    for ((ran, inlined), Originals { map, functions }) in texts.into_iter().zip(inlined).zip(originals) {
        let transformed = is_transformed(&ran);
        finder.symbols.asked_for.extend(asked_for(&ran, &properties));
        match functions {
            Some(originals) => {
                let (originals, of_inlined) = originals.split_at(originals.len() - inlined.len());
                place_originals(&mut finder, &ran, originals, &places);
                place_inlined(&mut finder, &inlined, of_inlined);
            }
            None if is_of_dependency(&finder.symbols, ran.placements.first().map(|it| it.function)) => {
                continue;
            }
            None => {
                place_where_they_ran(&mut finder, &ran);
                place_inlined_where_it_ran(&mut finder, &ran, &inlined);
            }
        }
        finder.symbols.scripts.push(ScriptDecision {
            functions: ran.placements.iter().map(|it| it.function).collect(),
            file: ran.file.filter(|it| !finder.is_gone(it)),
            text: ran.which,
            transformed,
            map: Some(map),
        });
    }
    finder.finish(settings.recorded)
}

/// Whether the script of a function counts as one of a dependency, unless a source map leads elsewhere.
fn is_of_dependency(symbols: &Symbols, function: Option<FunctionId>) -> bool {
    let place = function.map(|it| symbols.places[it.0 as usize]);
    place == Some(Place::Unplaced(UnplacedReason::Dependency))
}

/// Whether a file that no engine runs as it is was transformed, so that the positions of its code belong to another text.
fn is_transformed(ran: &TextThatRan<'_>) -> bool {
    if matches!(ran.which, WhichText::Compiled(_)) {
        return true;
    }
    let language = ran.file.as_ref().and_then(|it| Language::of_path(it.as_str()));
    ran.positions == Positions::InAnother
        && language.is_some_and(|it| !matches!(it, Language::JavaScript | Language::Html))
}

/// The places at which functions of a profile were seen running or waiting for what they asked for; each once, sorted.
fn places_seen(profile: &Profile, sites: &[(FunctionId, Position)]) -> Vec<(FunctionId, Position)> {
    let place = |it: SeenPlace| Some((it.function, Position { line: it.line?, column: it.column }));
    let mut places: Vec<_> = profile.places.iter().filter_map(place).chain(sites.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// What source maps are asked about: a text that ran and the places of its functions, followed by those of the code inlined into them.
fn executed<'a>(
    ran: &TextThatRan<'a>,
    places: &[(FunctionId, Position)],
    inlined: &[InlinedCode],
) -> ExecutedText<'a> {
    let functions = ran.placements.iter().filter_map(|it| {
        // The places in the text of a cache are not known.
        let places = match ran.which {
            WhichText::Cache(_) | WhichText::Compiled(_) => &[],
            _ => seen_of(it.function, places),
        };
        let seen = places.iter().map(|(_, at)| shifted(*at, ran.start));
        let (reported, seen) = (it.reported?, seen.collect());
        Some(ExecutedFunction { reported, confidence: Confidence::Exact, seen })
    });
    let of_inlined = inlined.iter().map(|it| {
        let at = ran.text.outline.get(it.definition).defined_at;
        let reported = ReportedFunction { definition: it.definition, at };
        ExecutedFunction { reported, confidence: Confidence::Exact, seen: vec![Some(it.at)] }
    });
    ExecutedText {
        file: ran.file.clone(),
        text: Arc::clone(&ran.text),
        traced: ran.traced,
        functions: functions.chain(of_inlined).collect(),
    }
}

/// Places the functions of a text at their original definitions; `originals` has one entry for each function with a position.
fn place_originals(
    finder: &mut Finder<'_>,
    ran: &TextThatRan<'_>,
    originals: &[Result<OriginalFunction, NoOriginal>],
    places: &[(FunctionId, Position)],
) {
    let mut originals = originals.iter();
    // The map is that of the file, in whose text these functions are not.
    let why_not = match ran.which {
        WhichText::Compiled(_) => UnplacedReason::OtherText,
        _ => UnplacedReason::OutsideMap,
    };
    for it in &ran.placements {
        let original = it.reported.and_then(|_| originals.next());
        finder.symbols.places[it.function.0 as usize] = match original {
            Some(Ok(original)) => {
                let places = seen_of(it.function, places).iter().map(|it| it.1);
                let lines = places.zip(&original.seen).filter_map(|(at, seen)| Some((at, (*seen)?.line)));
                finder.symbols.original_lines.extend(lines.map(|(at, line)| ((it.function, at), line)));
                finder.place(original, false)
            }
            Some(Err(NoOriginal { reason, source })) => {
                if let Some(source) = source {
                    finder.symbols.sources.insert(it.function, Arc::clone(source));
                }
                Place::Unplaced(*reason)
            }
            None => Place::Unplaced(why_not),
        };
    }
}

/// Places the functions of a text without a map where they ran, or where the map of a cached text led.
fn place_where_they_ran(finder: &mut Finder<'_>, ran: &TextThatRan<'_>) {
    let is_what_ran = ran.positions != Positions::InAnother && !matches!(ran.which, WhichText::Cache(_));
    let why_not = |function: FunctionId| match () {
        () if ran.file.is_none() => UnplacedReason::NotInWorkspace,
        () if ran.is_of_bundler() || ran.of_compiler.contains(&function) => UnplacedReason::Compiler,
        () if matches!(ran.which, WhichText::Compiled(_)) || ran.was_transformed() => {
            UnplacedReason::Transformed
        }
        () => UnplacedReason::NoDefinition,
    };
    for it in &ran.placements {
        let found = it.found.and_then(|(definition, confidence)| ran.function(definition, confidence));
        finder.symbols.places[it.function.0 as usize] = match found {
            Some(function) => finder.place(&function, is_what_ran),
            None => Place::Unplaced(why_not(it.function)),
        };
    }
}

/// Places inlined code at the original definitions of the functions that it comes from.
fn place_inlined(
    finder: &mut Finder<'_>,
    inlined: &[InlinedCode],
    originals: &[Result<OriginalFunction, NoOriginal>],
) {
    for (code, original) in inlined.iter().zip(originals) {
        if let Ok(original) = original {
            let line = original.seen.first().and_then(|seen| Some((*seen)?.line));
            let place = finder.place(original, false);
            finder.symbols.add_inlined((code.function, code.seen), place, line);
        }
    }
}

/// Places inlined code of a text without a map where it ran.
fn place_inlined_where_it_ran(finder: &mut Finder<'_>, ran: &TextThatRan<'_>, inlined: &[InlinedCode]) {
    for code in inlined {
        if let Some(function) = ran.function(code.definition, Confidence::Exact) {
            let place = finder.place(&function, true);
            finder.symbols.add_inlined((code.function, code.seen), place, Some(code.seen.line));
        }
    }
}
