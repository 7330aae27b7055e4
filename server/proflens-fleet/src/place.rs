//! From the functions of a release to their definitions, by the same road as `report` (`analysis::symbolicate`).

use std::collections::BTreeMap;

use analysis::files::{FilePath, Files};
use analysis::locate::LocateSettings;
use analysis::symbolicate::{
    FoundDefinition, LoadSettings, MapDecision, MapPlace, Place, Symbols, symbolicate,
};
use fleet::ids::{self, Id};
use fleet::names::{FunctionRow, SymbolRow};
use profile::builder::ProfileBuilder;
use profile::model::{Amount, FunctionId, Position, Profile, ResourceId, Thread, Weight};
use profile::problem::Problem;
use source::large_stack::with_large_stack;

use crate::release::Release;

/// The definitions of functions, sorted; each has a reason if it has none.
///
/// # Errors
/// If the machine has too little memory.
pub(crate) fn place(release: &Release, functions: &[&FunctionRow]) -> Result<Vec<SymbolRow>, Problem> {
    let mut in_order: Vec<&FunctionRow> = functions.to_vec();
    in_order.sort_unstable_by_key(|row| (&row.resource, row.line, row.column, &row.name, row.kind));
    let mut ran = RanOnce::new();
    let numbers: Vec<FunctionId> = in_order.iter().map(|row| ran.add_row(row)).collect();
    let symbols = symbols(&ran.finish(), release, &release.locate_settings())?;
    let maps = maps(&symbols, release);
    let mut rows = Vec::with_capacity(in_order.len());
    for (row, number) in in_order.into_iter().zip(numbers) {
        rows.push(match symbols.places[number.0 as usize] {
            Place::Unplaced(reason) => SymbolRow {
                function: row.function,
                line: -1,
                column: -1,
                reason: Some(reason.name().to_owned()),
                ..SymbolRow::default()
            },
            Place::At { found, .. } => SymbolRow {
                function: row.function,
                map: maps.get(&number).copied().unwrap_or(ids::NONE),
                ..placed(&symbols.definitions[found as usize], release)
            },
        });
    }
    rows.sort_unstable();
    Ok(rows)
}

/// Places a profile in files; maps below `node_modules` are left out, as everywhere.
///
/// # Errors
/// If the machine has too little memory.
pub(crate) fn symbols(
    profile: &Profile,
    files: &dyn Files,
    locate: &LocateSettings,
) -> Result<Symbols, Problem> {
    with_large_stack(|| {
        let settings = LoadSettings { locate, maps: Some(&is_outside_of_packages), recorded: None };
        symbolicate(profile, files, &settings)
    })
    .map_err(|why| Problem::new(format!("Functions cannot be placed: {why}"), "free some memory"))
}

fn is_outside_of_packages(file: &FilePath) -> bool {
    !file.as_str().split('/').any(|name| name == "node_modules")
}

/// The symbol of everything that is this definition.
fn placed(found: &FoundDefinition, release: &Release) -> SymbolRow {
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
        ..SymbolRow::default()
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
        let hash = file.map_or(ids::NONE, |file| release.hash(file));
        maps.extend(script.functions.iter().map(|function| (*function, hash)));
    }
    maps
}

/// A profile in which each function ran once.
pub(crate) struct RanOnce {
    builder: ProfileBuilder,
    samples: u64,
}

impl RanOnce {
    pub(crate) fn new() -> Self {
        Self { builder: ProfileBuilder::new("self-profiling"), samples: 0 }
    }

    /// The number of a script by its address.
    pub(crate) fn resource(&mut self, address: &str) -> ResourceId {
        self.builder.resource(address)
    }

    /// Adds a function; returns its number.
    pub(crate) fn add(
        &mut self,
        name: &str,
        resource: Option<ResourceId>,
        position: Option<Position>,
    ) -> FunctionId {
        let string = self.builder.string(name);
        let function = self.builder.function(string, resource, position);
        let stack = self.builder.stack(None, function);
        self.builder.add_on_stack(stack, Weight { time: Amount(1), samples: 1 });
        self.samples += 1;
        function
    }

    fn add_row(&mut self, row: &FunctionRow) -> FunctionId {
        let resource = row.resource.as_deref().map(|address| self.resource(address));
        let column = u32::try_from(row.column).ok();
        let position = u32::try_from(row.line).ok().map(|line| Position { line, column });
        self.add(&row.name, resource, position)
    }

    pub(crate) fn finish(mut self) -> Profile {
        self.builder.end_thread(Thread { samples: self.samples, ..Thread::default() });
        self.builder.end_session(0);
        self.builder.finish()
    }
}
