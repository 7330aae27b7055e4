//! From the functions of a release to their definitions: the road that `report` takes too (`analysis::symbolicate`).

use std::collections::BTreeMap;

use analysis::{
    FilePath, Files, FoundDefinition, LoadSettings, LocateSettings, MapDecision, MapPlace, Place, Symbols,
    symbolicate,
};
use fleet::{FunctionRow, Id, SymbolRow, ids};
use profile::{Amount, FunctionId, Position, Profile, ProfileBuilder, Thread, Weight};

use crate::release::Release;

/// The definitions of functions, each with its reason where there is none.
///
/// # Errors
/// One sentence, if the machine has too little memory.
pub(crate) fn place(release: &Release, functions: &[&FunctionRow]) -> Result<Vec<SymbolRow>, String> {
    let mut functions: Vec<&FunctionRow> = functions.to_vec();
    functions.sort_unstable_by_key(|it| (&it.resource, it.line, it.column, &it.name, it.kind));
    let (profile, of_row) = profile_of(&functions);
    let symbols = symbols(&profile, release, &release.locate_settings())?;
    let maps = maps(&symbols, release);
    let row = |(row, function): (&&FunctionRow, &FunctionId)| {
        let it = SymbolRow { function: row.function, line: -1, column: -1, ..SymbolRow::default() };
        match symbols.places[function.0 as usize] {
            Place::Unplaced(reason) => SymbolRow { reason: Some(reason.name().to_owned()), ..it },
            Place::At { found, .. } => {
                let map = maps.get(function).copied().unwrap_or(ids::NONE);
                SymbolRow { map, ..placed(it, &symbols.definitions[found as usize], release) }
            }
        }
    };
    let mut rows: Vec<SymbolRow> = functions.iter().zip(&of_row).map(row).collect();
    rows.sort_unstable();
    Ok(rows)
}

/// Places a profile in files; maps below `node_modules` are left out, as everywhere.
pub(crate) fn symbols(
    profile: &Profile,
    files: &dyn Files,
    locate: &LocateSettings,
) -> Result<Symbols, String> {
    let place = || {
        let allowed = |file: &FilePath| !file.as_str().split('/').any(|it| it == "node_modules");
        symbolicate(profile, files, &LoadSettings { locate, maps: Some(&allowed), recorded: None })
    };
    source::with_large_stack(place)
        .map_err(|why| format!("Functions cannot be placed: {why}. Free some memory."))
}

fn placed(row: SymbolRow, found: &FoundDefinition, release: &Release) -> SymbolRow {
    let file = release.name(&found.file);
    let is_there = found.definition.is_some();
    SymbolRow {
        definition: ids::definition(file, &found.path),
        file: Some(file.to_owned()),
        path: Some(found.path.to_string()),
        name: Some(found.name.to_string()),
        line: i64::from(found.start.line),
        column: i64::from(found.start.column),
        text: if is_there { release.hash(&found.file) } else { ids::NONE },
        ..row
    }
}

/// The hash of the map that was followed, by function.
fn maps(symbols: &Symbols, release: &Release) -> BTreeMap<FunctionId, Id> {
    let mut maps = BTreeMap::new();
    for script in &symbols.scripts {
        let Some(MapDecision::Followed(map)) = &script.map else { continue };
        let file = match &map.at {
            MapPlace::File(file) => Some(file),
            MapPlace::Inline | MapPlace::Trace => script.file.as_ref(),
        };
        let hash = file.map_or(ids::NONE, |it| release.hash(it));
        maps.extend(script.functions.iter().map(|it| (*it, hash)));
    }
    maps
}

/// A profile in which each function ran, with the number of each of them.
fn profile_of(functions: &[&FunctionRow]) -> (Profile, Vec<FunctionId>) {
    let mut builder = ProfileBuilder::new("self-profiling");
    let add = |it: &&FunctionRow| {
        let name = builder.string(&it.name);
        let resource = it.resource.as_deref().map(|it| builder.resource(it));
        let position =
            u32::try_from(it.line).ok().map(|line| Position { line, column: u32::try_from(it.column).ok() });
        let function = builder.function(name, resource, position);
        let stack = builder.stack(None, function);
        builder.add_on_stack(stack, Weight { time: Amount(1), samples: 1 });
        function
    };
    let numbers = functions.iter().map(add).collect();
    builder.end_thread(Thread { samples: functions.len() as u64, ..Thread::default() });
    builder.end_session(0);
    (builder.finish(), numbers)
}
