//! How well measured functions are found again, over the real history of repositories: `cargo xtask freshness CLONE..`;
//! with `--show=N` it also prints the first N mistakes.
//!
//! Each file's versions are compared with those 1, 5, 20 and 50 changes later. The answers of `anchor` are judged by what
//! the commits in between did, one by one (`truth`).

#![allow(clippy::print_stdout, reason = "a command for people at a terminal")]

mod history;
mod truth;

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use analysis::anchor::{Freshness, Version, anchor};
use anyhow::{Result, bail};
use source::definition::{Definition, DefinitionId, DefinitionKind};
use source::language::Language;
use source::token_hashes::token_hashes;

use history::{Blobs, chains};
use truth::{Fate, FileVersion};

/// The distances between the compared versions, in changes of the file.
const JUMPS: [usize; 4] = [1, 5, 20, 50];

/// Tests and benchmarks are counted separately: they are full of callbacks, and are rarely profiled.
const KINDS: [&str; 2] = ["sources", "tests"];

#[derive(Clone, Copy, Default)]
struct Tally {
    /// Functions that still exist, found and not found.
    found: usize,
    lost: usize,
    /// Functions that were put on another one.
    wrong: usize,
    /// Deleted ones, and those of them that were put on another function.
    gone: usize,
    wrong_gone: usize,
    /// Found functions with other code, and those of them that are reported as edited.
    edited: usize,
    flagged: usize,
    /// Found functions with the same code, and those of them that are reported as edited.
    same: usize,
    flagged_wrongly: usize,
    /// Functions for which lines and names do not decide what became of them.
    unjudged: usize,
}

/// How long each call took, by the number of definitions.
#[derive(Default)]
struct Timings(Vec<(usize, Duration)>);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (show, clones): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|it| it.starts_with("--"));
    let show = show.iter().find_map(|it| it.strip_prefix("--show=")).map_or(Ok(0), str::parse)?;
    if clones.is_empty() {
        bail!("name clones of git repositories");
    }
    println!(
        "| repository | files | changes later | functions | still there, found | put on a wrong one | edited, flagged | same, flagged | not judged |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut timings = Timings::default();
    let mut sum = [[Tally::default(); JUMPS.len()]; 2];
    for clone in clones {
        let tallies = measure(Path::new(clone), show, &mut timings)?;
        let name = clone.trim_end_matches("/repo").rsplit('/').next().unwrap_or(clone).replace('+', "/");
        print(&name, &tallies);
        for (sum, tally) in sum.iter_mut().flatten().zip(tallies.iter().flatten()) {
            sum.add(tally);
        }
    }
    print("**all**", &sum);
    for (files, tallies) in KINDS.iter().zip(&sum) {
        let mut all = Tally::default();
        tallies.iter().for_each(|it| all.add(it));
        println!("{}", row("**all**", files, "any", &all));
    }
    println!(
        "\n| definitions | calls of `anchor` | median | 99 % within | 99.9 % within |\n| --- | ---: | ---: | ---: | ---: |"
    );
    for sizes in [0..100, 100..500, 500..1000, 1000..usize::MAX] {
        println!("{}", timings.row(sizes));
    }
    Ok(())
}

fn print(name: &str, tallies: &[[Tally; JUMPS.len()]; 2]) {
    for (files, tallies) in KINDS.iter().zip(tallies) {
        for (jump, tally) in JUMPS.iter().zip(tallies) {
            println!("{}", row(name, files, &jump.to_string(), tally));
        }
    }
}

fn row(name: &str, files: &str, jump: &str, it: &Tally) -> String {
    let alive = it.found + it.lost + it.wrong;
    let judged = alive + it.gone;
    let percent = |part: usize, whole: usize| match whole {
        0 => "–".to_owned(),
        _ => format!("{:.2} %", part as f64 * 100.0 / whole as f64),
    };
    let cells = [
        judged.to_string(),
        percent(it.found, alive),
        percent(it.wrong + it.wrong_gone, judged),
        percent(it.flagged, it.edited),
        percent(it.flagged_wrongly, it.same),
        percent(it.unjudged, it.unjudged + judged),
    ];
    format!("| {name} | {files} | {jump} | {} |", cells.join(" | "))
}

/// The tallies of a clone: those of sources and those of tests.
fn measure(clone: &Path, mut show: usize, timings: &mut Timings) -> Result<[[Tally; JUMPS.len()]; 2]> {
    let mut tallies = [[Tally::default(); JUMPS.len()]; 2];
    let mut blobs = Blobs::new(clone)?;
    for chain in chains(clone)? {
        let Some(language) = Language::of_path(&chain.path) else { continue };
        let mut versions = Vec::new();
        for id in &chain.blobs {
            // Versions that do not parse are mistakes: they are left out.
            if let Some(text) = blobs.read(id)?
                && let Ok(outline) = source::large_stack::outline(&text, language)
                && outline.exact
            {
                versions.push(FileVersion::new(text, outline));
            }
        }
        let steps: Vec<_> = versions.windows(2).map(|it| truth::step(&it[0], &it[1])).collect();
        let is_test = ["test", "spec", "bench"].iter().any(|it| chain.path.contains(it));
        for (jump, tally) in JUMPS.into_iter().zip(&mut tallies[usize::from(is_test)]) {
            // Long jumps overlap, so that files with few changes have some too.
            for from in (0..versions.len()).step_by((jump / 5).max(1)) {
                let Some(new) = versions.get(from + jump) else { break };
                let steps = &steps[from..from + jump];
                let fates = steps[1..].iter().fold(steps[0].clone(), |all, it| truth::compose(&all, it));
                let errors = judge(&versions[from], new, &fates, tally, timings);
                for error in errors.into_iter().take(show) {
                    show -= 1;
                    eprintln!(
                        "{} {jump} {}..{}: {error}",
                        chain.path,
                        &chain.blobs[from][..8],
                        &chain.blobs[from + jump][..8]
                    );
                }
            }
        }
    }
    Ok(tallies)
}

/// Compares the answers of `anchor` for two versions with the truth; returns the mistakes.
fn judge(
    old: &FileVersion,
    new: &FileVersion,
    fates: &[Fate],
    tally: &mut Tally,
    timings: &mut Timings,
) -> Vec<String> {
    let start = Instant::now();
    let answers = anchor(
        Version { text: &old.text, outline: &old.outline },
        Version { text: &new.text, outline: &new.outline },
    );
    timings.0.push((old.outline.definitions.len(), start.elapsed()));
    let written_again = written_again(old, new, fates, &answers);
    let functions = old.outline.definitions.iter().zip(answers).zip(fates.iter().zip(written_again)).skip(1);
    let judged = functions.filter_map(|((before, answer), (fate, written_again))| {
        let fate = if written_again { Fate::Unsure } else { *fate };
        judge_one((old, before), new, answer, fate, tally)
    });
    judged.collect()
}

/// Whether each function was deleted and then written again: people would take it for the same function.
fn written_again(
    old: &FileVersion,
    new: &FileVersion,
    fates: &[Fate],
    answers: &[Option<(DefinitionId, Freshness)>],
) -> Vec<bool> {
    let mut all = Vec::with_capacity(fates.len());
    for (before, (fate, answer)) in old.outline.definitions.iter().zip(fates.iter().zip(answers)) {
        let is_again = answer.filter(|_| *fate == Fate::Gone).is_some_and(|(now, _)| {
            let now = new.outline.get(now);
            let is_named = before.name_range.is_some();
            // What is inside of such a function is written again with it.
            let inside = || {
                let around =
                    before.parent.filter(|it| all[it.0 as usize]).and_then(|it| answers[it.0 as usize]);
                around.map(|it| it.0) == now.parent && now.parent.is_some()
            };
            now.path == before.path && is_named
                || now.fingerprint == before.fingerprint && before.tokens > 15
                || now.name == before.name
                    && (inside() || is_named && truth::share_words(old.code(before), new.code(now)))
        });
        all.push(is_again);
    }
    all
}

/// Counts the answer for one function; returns what is wrong with it.
fn judge_one(
    (old, before): (&FileVersion, &Definition),
    new: &FileVersion,
    answer: Option<(DefinitionId, Freshness)>,
    fate: Fate,
    tally: &mut Tally,
) -> Option<String> {
    let place = |version: &FileVersion, it: &Definition| {
        let line = 1 + version.text[..it.range.start().into()].matches('\n').count();
        format!("`{}` line {line}", it.path)
    };
    let (was, is) = (place(old, before), |it: u32| place(new, new.outline.get(DefinitionId(it))));
    match (fate, answer) {
        (Fate::Unsure, _) => tally.unjudged += 1,
        (Fate::Gone, None) => tally.gone += 1,
        (Fate::GoneOr(_), None) => tally.unjudged += 1,
        (Fate::GoneOr(now), Some((answer, _))) if answer.0 == now => tally.unjudged += 1,
        (Fate::Gone | Fate::GoneOr(_), Some((now, _))) => {
            tally.gone += 1;
            tally.wrong_gone += 1;
            return Some(format!("{was} is gone, but put on {}", is(now.0)));
        }
        (Fate::Is(now), None) => {
            tally.lost += 1;
            return Some(format!("{was} is {}, but not found", is(now)));
        }
        (Fate::Is(now), Some((answer, _))) if answer.0 != now => {
            tally.wrong += 1;
            return Some(format!("{was} is {}, but put on {}", is(now), is(answer.0)));
        }
        (Fate::Is(_), Some((answer, freshness))) => {
            tally.found += 1;
            let now = new.outline.get(answer);
            // The code of a class outside of its methods is not one piece of text that could be compared.
            if before.kind == DefinitionKind::Class || now.kind == DefinitionKind::Class {
                return None;
            }
            let flagged = freshness == Freshness::Edited;
            if tokens_without_name(old, before) == tokens_without_name(new, now) {
                tally.same += 1;
                tally.flagged_wrongly += usize::from(flagged);
                return flagged.then(|| format!("{was} is not edited"));
            }
            tally.edited += 1;
            tally.flagged += usize::from(flagged);
            return (!flagged).then(|| format!("{was} is edited, {}", is(answer.0)));
        }
    }
    None
}

/// The tokens of a function without its name, found in another way than its fingerprint.
fn tokens_without_name(version: &FileVersion, it: &Definition) -> Vec<u64> {
    let shape =
        ["function", "=>", "=", ">", "(", ")", "public", "private", "protected", "readonly", "override"];
    let shape: Vec<u64> = shape.iter().flat_map(|it| token_hashes(it)).collect();
    let name = it.name_range.filter(|name| it.header.contains_range(*name));
    let (before, behind) = match name {
        Some(name) => (
            &version.text[it.header.start().into()..name.start().into()],
            &version.text[name.end().into()..it.header.end().into()],
        ),
        None => (&version.text[it.header], ""),
    };
    let header = token_hashes(before).chain(token_hashes(behind)).filter(|it| !shape.contains(it));
    let body = &version.text[it.header.end().into()..it.range.end().into()];
    header.chain(token_hashes(body)).collect()
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.found += other.found;
        self.lost += other.lost;
        self.wrong += other.wrong;
        self.gone += other.gone;
        self.wrong_gone += other.wrong_gone;
        self.edited += other.edited;
        self.flagged += other.flagged;
        self.same += other.same;
        self.flagged_wrongly += other.flagged_wrongly;
        self.unjudged += other.unjudged;
    }
}

impl Timings {
    fn row(&self, sizes: Range<usize>) -> String {
        let mut times: Vec<_> = self.0.iter().filter(|it| sizes.contains(&it.0)).map(|it| it.1).collect();
        times.sort_unstable();
        let within = |share: f64| {
            let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
            times.get(at).map_or("–".to_owned(), |it| format!("{:.3} ms", it.as_secs_f64() * 1e3))
        };
        let cells = [times.len().to_string(), within(0.5), within(0.99), within(0.999)];
        format!("| {} or more | {} |", sizes.start, cells.join(" | "))
    }
}
