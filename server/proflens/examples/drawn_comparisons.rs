//! What comparisons find in recordings that `benches/alarms.mjs --keep FOLDER` has made, and how long `--until-sure` goes on: runs are drawn
//! from them again and again, so that hundreds of comparisons take a minute.
//!
//!   cargo run --release --example drawn_comparisons -- FOLDER/PROGRAM FUNCTION [COMPARISONS]
//!
//! FUNCTION is the one whose work is planted. docs/compare.md has the figures.

#![allow(clippy::print_stdout, reason = "a command for people at a terminal")]

use std::fs::{self, File};
use std::path::Path;

use analysis::files::FilePath;
use analysis::locate::LocateSettings;
use analysis::recording::load;
use analysis::scope::Scope;
use analysis::symbolicate::LoadSettings;
use anyhow::{Context, Result, bail};
use compare::comparison::Comparison;
use compare::run::Run;
use compare::sequential::{Looks, Open};
use compare::verdict::{Settings, Verdict};
use compare::work::{Per, Work};
use profile::decode::decode;
use proflens::disk::Disk;
use source::large_stack::with_large_stack;

/// How many runs a side are compared where their number is given.
const RUNS: usize = 10;
/// The most pairs of `--until-sure`, and the size that it asks for.
const MOST: u64 = 40;
const SIZE: f64 = 0.1;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, planted, rest @ ..] = &arguments[..] else { bail!("name a folder and a function") };
    let comparisons: usize = rest.first().map_or(Ok(100), |number| number.parse())?;
    let mut dice = Dice(7);
    let same = runs(Path::new(folder), "same")?;
    for per in [Per::Machine, Per::Run] {
        let alarms = (0..comparisons).filter(|_| {
            let drawn = dice.draw(&same, 2 * RUNS);
            compared(&drawn[..RUNS], &drawn[RUNS..], &per, Settings::default())
                .is_some_and(|all| has_alarm(&all))
        });
        println!("{per:?}, of the same: {} of {comparisons} with an alarm", alarms.count());
    }
    // Both sides of a pair are drawn from the same recordings, or after from those of a change.
    until_sure("the same", [&same, &same], planted, comparisons, &mut dice);
    for change in ["10 %", "5 %"] {
        let after = runs(Path::new(folder), change)?;
        for per in [Per::Machine, Per::Run] {
            let found = (0..comparisons).filter(|_| {
                let sides = [dice.draw(&same, RUNS), dice.draw(&after, RUNS)];
                let all = compared(&sides[0], &sides[1], &per, Settings::default());
                all.is_some_and(|all| is_slower(&all, planted))
            });
            println!("{per:?}, {change}: found in {} of {comparisons}", found.count());
        }
        until_sure(change, [&same, &after], planted, comparisons, &mut dice);
    }
    Ok(())
}

/// Draws pairs, with putting back, until `--until-sure` would end.
fn until_sure(what: &str, pools: [&[Run]; 2], planted: &str, comparisons: usize, dice: &mut Dice) {
    let looks = Looks::new(MOST, SIZE);
    let (mut sure, mut alarms, mut found, mut same, mut ends) = (0, 0, 0, 0, Vec::new());
    for _ in 0..comparisons {
        let mut sides = [Vec::new(), Vec::new()];
        for pair in 1..=MOST {
            for (side, pool) in sides.iter_mut().zip(pools) {
                side.push(dice.one(pool).clone());
            }
            if !looks.is_look(pair) {
                continue;
            }
            let Some(all) = compared(&sides[0], &sides[1], &Per::Machine, looks.settings()) else { continue };
            let is_sure = Open::of(&all).is_sure();
            if is_sure || pair == MOST {
                sure += usize::from(is_sure);
                alarms += usize::from(has_alarm(&all));
                found += usize::from(is_slower(&all, planted));
                same += usize::from(verdict(&all, planted) == Some(Verdict::Unchanged));
                ends.push(pair);
                break;
            }
        }
    }
    ends.sort_unstable();
    println!(
        "--until-sure, {what}: sure in {sure} of {comparisons}, {alarms} with any change, {planted} slower in {found}, the same in {same}; \
         pairs: median {}, quarter {}, three quarters {}",
        ends[ends.len() / 2],
        ends[ends.len() / 4],
        ends[ends.len() * 3 / 4]
    );
}

fn compared(before: &[Run], after: &[Run], per: &Per, settings: Settings) -> Option<Comparison> {
    Comparison::of(before, after, per.clone(), settings).ok()
}

fn has_alarm(all: &Comparison) -> bool {
    let functions = all.functions.iter().any(|function| {
        [function.verdict, function.self_time.verdict, function.total_time.verdict]
            .iter()
            .any(|verdict| verdict.is_certain())
    });
    functions || all.whole.verdict.is_certain()
}

fn verdict(all: &Comparison, name: &str) -> Option<Verdict> {
    Some(all.functions.iter().find(|function| &*function.info.name == name)?.verdict)
}

fn is_slower(all: &Comparison, name: &str) -> bool {
    verdict(all, name) == Some(Verdict::Regression)
}

/// The recordings of one variant of a program.
fn runs(home: &Path, variant: &str) -> Result<Vec<Run>> {
    let folder = home.join(variant);
    let disk = Disk::new(vec![FilePath::new(&fs::canonicalize(home)?.to_string_lossy())], false);
    let locate = LocateSettings::default();
    let mut files: Vec<_> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.sort();
    let run = |path: &std::path::PathBuf| {
        let name = path.display().to_string();
        let profile = decode(&mut File::open(path)?, &name, &()).with_context(|| name.clone())?;
        let profile = std::sync::Arc::new(profile);
        let recording = with_large_stack(|| {
            let settings =
                LoadSettings { locate: &locate, maps: Some(&|_| true), recorded: profile.recorded };
            load(&name, &profile, &Scope::default(), &disk, &settings)
        })?;
        let mut run = Run::of(&recording, Work(1));
        run.trace.recorded = None; // what is drawn was not taken by turns
        Ok(run)
    };
    files.iter().map(run).collect()
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<'a>(&mut self, runs: &'a [Run]) -> &'a Run {
        &runs[self.below(runs.len())]
    }

    /// So many of them, in random order, none twice.
    fn draw(&mut self, runs: &[Run], number: usize) -> Vec<Run> {
        let mut rest: Vec<usize> = (0..runs.len()).collect();
        (0..number).map(|_| runs[rest.swap_remove(self.below(rest.len()))].clone()).collect()
    }
}
