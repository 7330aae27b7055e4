//! What each rule of placing yields: `cargo xtask yield [CASE…]`, which names pairs of a workspace and a trace of it.
//!
//! Every trace is placed with all rules, and once more without each of them. The functions that are then lost or change
//! are those that no other rule finds; those that appear are held back by the rule. A function is known to be wrong if
//! its name in the trace is that of exactly one definition in the workspace, and it was placed on another.

#![allow(clippy::print_stdout, reason = "a command for people at a terminal")]

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use analysis::files::{FilePath, Files, Runner};
use analysis::locate::LocateSettings;
use analysis::rules::{Rule, Rules};
use analysis::symbolicate::{LoadSettings, Place, Symbols, symbolicate};
use anyhow::{Context, Result, bail};
use profile::decode::decode;
use profile::model::{FunctionId, Profile};
use proflens::disk::Disk;
use source::definition::{Definition, DefinitionKind, Outline};
use source::language::Language;
use source::large_stack::with_large_stack;
use source::name::names_agree;
use source::text::text_of;

/// Shorter names are often those of a minifier.
const MIN_NAME: usize = 4;

/// A definition by its file and the path of its names.
type OwnDefinition = (FilePath, String);

/// A placed trace: by function, where it is.
type Placed = Vec<Option<OwnDefinition>>;

/// What the traces say about a rule.
#[derive(Default)]
struct Yield {
    /// Functions that no other rule finds, and how many of them are on the wrong definition.
    found: usize,
    found_wrong: usize,
    /// Functions that are only placed without the rule, and how many of them are on the wrong definition.
    kept_off: usize,
    kept_off_wrong: usize,
    /// The largest share of a trace's time that is placed by this rule alone.
    largest_share: f64,
    /// In how many traces it makes a difference.
    traces: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || !arguments.len().is_multiple_of(2) {
        bail!("name pairs of a workspace and a trace of it");
    }
    let mut yields: Vec<Yield> = Rule::ALL.iter().map(|_| Yield::default()).collect();
    let (mut functions, mut wrong) = (0, 0);
    for pair in arguments.chunks(2) {
        let trace = Trace::read(Path::new(&pair[0]), Path::new(&pair[1]))?;
        let all = trace.place(Rules::default())?;
        functions += all.iter().flatten().count();
        wrong += (0..all.len()).filter(|&index| trace.is_wrong(index, &all)).count();
        for (&rule, sums) in Rule::ALL.iter().zip(&mut yields) {
            sums.add(&trace, &all, &trace.place(Rules::without(rule))?);
        }
    }
    println!("{} traces, {functions} functions placed, {wrong} of them wrong\n", arguments.len() / 2);
    println!(
        "| rule | functions that only it finds | wrong | most of a trace's time | functions that it keeps off | wrong | traces |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (rule, sums) in Rule::ALL.iter().zip(&yields) {
        let Yield { found, found_wrong, kept_off, kept_off_wrong, largest_share, traces } = sums;
        let share = 100.0 * largest_share;
        println!(
            "| {rule:?} | {found} | {found_wrong} | {share:.2} % | {kept_off} | {kept_off_wrong} | {traces} |"
        );
    }
    Ok(())
}

impl Yield {
    fn add(&mut self, trace: &Trace, all: &Placed, without: &Placed) {
        let (mut time, mut differs) = (0, false);
        for (index, (with, without_it)) in all.iter().zip(without).enumerate() {
            if with == without_it {
                continue;
            }
            differs = true;
            if with.is_some() {
                self.found += 1;
                self.found_wrong += usize::from(trace.is_wrong(index, all));
                time += trace.self_times[index];
            } else {
                self.kept_off += 1;
                self.kept_off_wrong += usize::from(trace.is_wrong(index, without));
            }
        }
        self.traces += usize::from(differs);
        let share = time as f64 / trace.self_times.iter().sum::<u64>().max(1) as f64;
        self.largest_share = self.largest_share.max(share);
    }
}

/// A trace with its workspace.
struct Trace {
    profile: Profile,
    disk: Disk,
    /// By function, in nanoseconds or bytes.
    self_times: Vec<u64>,
    /// By function, the only definition of the workspace that has its name.
    own: Vec<Option<OwnDefinition>>,
}

impl Trace {
    fn read(workspace: &Path, trace: &Path) -> Result<Self> {
        let name = trace.display().to_string();
        let mut file = File::open(trace).with_context(|| name.clone())?;
        let profile = decode(&mut file, &name, &()).with_context(|| name)?;
        let folder = std::fs::canonicalize(workspace).with_context(|| workspace.display().to_string())?;
        // With all that a user may allow: installed packages, and the caches of runners.
        let disk = Disk::new(vec![FilePath::new(&folder.to_string_lossy())], true).with_caches(&Runner::ALL);
        let (self_times, own) = (self_times(&profile), own_definitions(&profile, &disk));
        Ok(Self { profile, disk, self_times, own })
    }

    fn place(&self, rules: Rules) -> Result<Placed> {
        let locate = LocateSettings { rules, ..LocateSettings::default() };
        let symbols = with_large_stack(|| {
            let recorded = self.profile.recorded;
            let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded };
            symbolicate(&self.profile, &self.disk, &settings)
        })?;
        Ok(symbols.places.iter().map(|place| definition(&symbols, place)).collect())
    }

    /// Whether a function is placed on another definition than the only one with its name.
    fn is_wrong(&self, index: usize, placed: &Placed) -> bool {
        matches!((&placed[index], &self.own[index]), (Some(placed), Some(own)) if placed != own)
    }
}

fn definition(symbols: &Symbols, place: &Place) -> Option<OwnDefinition> {
    let Place::At { found, .. } = place else { return None };
    let definition = &symbols.definitions[*found as usize];
    Some((definition.file.clone(), definition.path.to_string()))
}

fn self_times(profile: &Profile) -> Vec<u64> {
    let mut times = vec![0; profile.functions.len()];
    for thread in profile.threads.iter().filter(|thread| !thread.repeats) {
        for (stack, weight) in thread.on_stack.iter() {
            times[profile.stacks.function[stack.0 as usize].0 as usize] += weight.time.0;
        }
    }
    times
}

/// By function, the only definition of the workspace with its name.
fn own_definitions(profile: &Profile, disk: &Disk) -> Vec<Option<OwnDefinition>> {
    let list = disk.list();
    let outlines: Vec<_> = list.iter().filter_map(|file| Some((file, outline(file, disk)?))).collect();
    let mut known: HashMap<&str, Option<OwnDefinition>> = HashMap::new();
    let mut of_name = |name| {
        let own = known.entry(name).or_insert_with(|| {
            let mut named = outlines.iter().flat_map(|(file, outline)| {
                let named = outline.definitions.iter().filter(|definition| has_name(definition, name));
                named.map(|definition| ((*file).clone(), definition.path.clone()))
            });
            named.next().filter(|_| named.next().is_none())
        });
        own.clone()
    };
    (0..profile.functions.len() as u32).map(|index| of_name(profile.name(FunctionId(index)))).collect()
}

fn outline(file: &FilePath, disk: &Disk) -> Option<Outline> {
    let text = text_of(&disk.read(file)?);
    source::large_stack::outline(&text, Language::of_path(file.as_str())?).ok()
}

/// Whether a trace may use this name for the definition, and hardly for another one.
fn has_name(definition: &Definition, name: &str) -> bool {
    name.len() >= MIN_NAME
        && !name.starts_with(['(', '<'])
        && name != "anonymous"
        && definition.kind != DefinitionKind::TopLevel
        && definition.name_range.is_some()
        && names_agree(name, definition)
}
