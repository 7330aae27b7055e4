//! What each rule of placing yields: `cargo xtask yield [CASE…]`, which names pairs of a workspace and a trace of it.
//!
//! Every trace is placed with all rules, and once more without each of them. The functions that are then lost or change
//! are those that no other rule finds; those that appear are held back by the rule. All that is done in the workspace as it
//! was recorded, and then as it might be some time later (`changed`).
//!
//! A function is known to be wrong if its name in the trace is that of exactly one definition in the workspace, and it was
//! placed on another. In a changed workspace it is wrong if it was placed anywhere but on what its definition became.

#![allow(clippy::print_stdout, reason = "a command for people at a terminal")]

mod changed;

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

use analysis::files::{FilePath, Files, Runner};
use analysis::locate::LocateSettings;
use analysis::rules::{Rule, Rules};
use analysis::symbolicate::{LoadSettings, Place, Symbols, symbolicate};
use anyhow::{Context, Result, bail};
use profile::decode::decode;
use profile::model::{FunctionId, Profile};
use proflens::disk::Disk;
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use source::language::Language;
use source::large_stack::with_large_stack;
use source::name::names_agree;
use source::text::text_of;

use changed::{Change, Changed, DefinitionOf};

/// Shorter names are often those of a minifier.
const MIN_NAME: usize = 4;

/// A placed trace: by function, where it is today.
type Placed = Vec<Option<DefinitionOf>>;

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
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || !arguments.len().is_multiple_of(2) {
        bail!("name pairs of a workspace and a trace of it");
    }
    let traces: Vec<Trace> = arguments
        .chunks(2)
        .map(|pair| Trace::read(Path::new(&pair[0]), Path::new(&pair[1])))
        .collect::<Result<_>>()?;
    let recorded = yields(&[Change::NONE], &traces)?;
    let changed = yields(&Change::ALL, &traces)?;
    println!(
        "| rule | functions that only it finds | most of a trace's time | after changes | most | keeps off | wrong |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for ((rule, recorded), changed) in Rule::ALL.iter().zip(&recorded).zip(&changed) {
        let [share, share_changed] = [recorded, changed].map(|yields| 100.0 * yields.largest_share);
        let kept_off = recorded.kept_off + changed.kept_off;
        let wrong = recorded.kept_off_wrong + changed.kept_off_wrong;
        let found_wrong = recorded.found_wrong + changed.found_wrong;
        let only = if found_wrong > 0 { format!(" ({found_wrong} wrong)") } else { String::new() };
        println!(
            "| {rule:?} | {}{only} | {share:.2} % | {} | {share_changed:.2} % | {kept_off} | {wrong} |",
            recorded.found, changed.found
        );
    }
    Ok(())
}

/// What each rule yields over all changes of the workspaces of all traces, in the order of [`Rule::ALL`].
fn yields(changes: &[Change], traces: &[Trace]) -> Result<Vec<Yield>> {
    let mut yields: Vec<Yield> = Rule::ALL.iter().map(|_| Yield::default()).collect();
    for &change in changes {
        let (mut functions, mut placed, mut wrong) = (0, 0, 0);
        for trace in traces {
            let files = Changed::new(&trace.disk, change);
            let truth = trace.truth(&files);
            let all = trace.place(Rules::default(), &files)?;
            functions += trace.recorded.iter().flatten().count();
            placed += all.iter().flatten().count();
            for index in (0..all.len()).filter(|&index| truth.is_wrong(index, &all)) {
                wrong += 1;
                let name = trace.profile.name(FunctionId(index as u32));
                println!("{}: {name} is not on its definition\n", trace.name);
            }
            for (&rule, sums) in Rule::ALL.iter().zip(&mut yields) {
                sums.add(trace, &truth, &all, &trace.place(Rules::without(rule), &files)?);
            }
        }
        println!(
            "{change:?}: {} traces, {placed} of {functions} functions placed, {wrong} of them wrong\n",
            traces.len()
        );
    }
    Ok(yields)
}

impl Yield {
    fn add(&mut self, trace: &Trace, truth: &Truth, all: &Placed, without: &Placed) {
        let mut time = 0;
        for (index, (with, without_it)) in all.iter().zip(without).enumerate() {
            if with == without_it {
                continue;
            }
            if with.is_some() {
                self.found += 1;
                self.found_wrong += usize::from(truth.is_wrong(index, all));
                time += trace.self_times[index];
            } else {
                self.kept_off += 1;
                self.kept_off_wrong += usize::from(truth.is_wrong(index, without));
            }
        }
        let share = time as f64 / trace.self_times.iter().sum::<u64>().max(1) as f64;
        self.largest_share = self.largest_share.max(share);
    }
}

/// A trace with its workspace.
struct Trace {
    name: String,
    profile: Profile,
    disk: Disk,
    /// By function, in nanoseconds or bytes.
    self_times: Vec<u64>,
    /// By function, the only definition of the workspace that has its name.
    own: Placed,
    /// Where each function is in the workspace as it was recorded.
    recorded: Placed,
}

/// Where functions are, as far as that is known.
struct Truth {
    /// Where it is if it is anywhere, by function; not known of those that are missing.
    places: Vec<Option<Option<DefinitionOf>>>,
}

impl Truth {
    fn is_wrong(&self, index: usize, placed: &Placed) -> bool {
        let (Some(placed), Some(place)) = (&placed[index], &self.places[index]) else { return false };
        Some(placed) != place.as_ref()
    }
}

impl Trace {
    fn read(workspace: &Path, trace: &Path) -> Result<Self> {
        let name = trace.display().to_string();
        let mut file = File::open(trace).with_context(|| name.clone())?;
        let profile = decode(&mut file, &name, &()).with_context(|| name.clone())?;
        let folder = std::fs::canonicalize(workspace).with_context(|| workspace.display().to_string())?;
        // With all that a user may allow: installed packages, and the caches of runners.
        let disk = Disk::new(vec![FilePath::new(&folder.to_string_lossy())], true).with_caches(&Runner::ALL);
        let (self_times, own) = (self_times(&profile), own_definitions(&profile, &disk));
        let mut trace = Self { name, profile, disk, self_times, own, recorded: Vec::new() };
        trace.recorded = trace.place(Rules::default(), &Changed::new(&trace.disk, Change::NONE))?;
        Ok(trace)
    }

    fn place(&self, rules: Rules, files: &Changed) -> Result<Placed> {
        let locate = LocateSettings { rules, ..LocateSettings::default() };
        let symbols = with_large_stack(|| {
            let recorded = self.profile.recorded.or(Some(SystemTime::UNIX_EPOCH));
            let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded };
            symbolicate(&self.profile, files, &settings)
        })?;
        Ok(symbols.places.iter().map(|place| definition(&symbols, place)).collect())
    }

    fn truth(&self, files: &Changed) -> Truth {
        let of_function = |index: usize| {
            let was = self.own[index].as_ref().or(self.recorded[index].as_ref())?;
            Some(files.today(was))
        };
        Truth { places: (0..self.recorded.len()).map(of_function).collect() }
    }
}

fn definition(symbols: &Symbols, place: &Place) -> Option<DefinitionOf> {
    let Place::At { found, .. } = place else { return None };
    let definition = &symbols.definitions[*found as usize];
    Some((definition.file.clone(), definition.definition?))
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
fn own_definitions(profile: &Profile, disk: &Disk) -> Placed {
    let list = disk.list();
    let outlines: Vec<_> = list.iter().filter_map(|file| Some((file, outline(file, disk)?))).collect();
    let mut known: HashMap<&str, Option<DefinitionOf>> = HashMap::new();
    let mut of_name = |name| {
        let own = known.entry(name).or_insert_with(|| {
            let mut named = outlines.iter().flat_map(|(file, outline)| {
                let definitions = (0..).zip(&outline.definitions);
                let named = definitions.filter(|(_, definition)| has_name(definition, name));
                named.map(|(id, _)| ((*file).clone(), DefinitionId(id)))
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
    // Firefox calls what has no name in `step`, or a short one, `step/<` and `step/t<`.
    name.len() >= MIN_NAME
        && !name.contains(['(', '<'])
        && name != "anonymous"
        && definition.kind != DefinitionKind::TopLevel
        && definition.name_range.is_some()
        && names_agree(name, definition)
}
