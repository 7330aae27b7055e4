//! Runs two versions by turns: before, after, after, before, before, after… A pair is one run of each, right after one
//! another, so that both had the same machine. If one of the two fails, neither is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use profile::problem::Problem;
use record::destination::SIDES;

use super::repeat::{Run, RunFiles, ending_of};

/// How often both are run.
#[derive(Clone, Copy)]
pub(super) struct HowOften {
    /// The runs of each without keeping a recording.
    pub(super) warm_ups: u32,
    /// The most pairs.
    pub(super) pairs: u32,
}

/// All pairs.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The recordings of each side; those at the same index are a pair.
    pub(super) files: [Vec<PathBuf>; 2],
    /// The status of the first run that failed.
    pub(super) failed: Option<ExitStatus>,
}

/// What to do with each turn.
pub(super) trait Turns {
    /// Runs one side, and keeps a recording if there is a file for it.
    ///
    /// # Errors
    /// If the command cannot be started, or the recording cannot be written.
    fn run(&mut self, side: usize, file: Option<&Path>) -> Result<Run, Problem>;

    /// Called with each new pair; returns whether it is the last one.
    ///
    /// # Errors
    /// If it cannot be read.
    fn is_enough(&mut self, pair: [&Path; 2]) -> Result<bool, Problem>;

    /// Whether the user wants to end it.
    fn is_told_to_end(&self) -> bool;

    /// Says a sentence.
    fn say(&self, sentence: &str);
}

/// Runs both sides by turns until there are enough pairs, the user ends it, or nothing is recorded. A side that fails in
/// a warm-up or in the first pair ends it, too, because it would fail each time.
///
/// # Errors
/// The errors of the runs.
pub(super) fn take_turns(
    times: HowOften,
    files: &[RunFiles; 2],
    turns: &mut impl Turns,
) -> Result<Pairs, Problem> {
    let mut all = Pairs::default();
    for number in 1..=times.warm_ups {
        for (side, name) in SIDES.iter().enumerate() {
            let status = turns.run(side, None)?.status;
            let title = format!("Warm-up {number} of {}, {name},", times.warm_ups);
            if !status.success() {
                turns.say(&format!("{title} ended with {}.", ending_of(status)));
                all.failed = Some(status);
            }
            if turns.is_told_to_end() || !status.success() {
                return Ok(all);
            }
            turns.say(&format!("{title} is not kept."));
        }
    }
    for pair in 1..=times.pairs {
        let order = if pair % 2 == 1 { [0, 1] } else { [1, 0] };
        let mut recorded: [Option<PathBuf>; 2] = [None, None];
        let mut failed = None;
        for side in order {
            let title = format!("Run {pair} of {}, {}", times.pairs, SIDES[side]);
            let Run { status, amount, file } = turns.run(side, Some(&files[side].path(pair)))?;
            recorded[side] = file;
            if !status.success() {
                turns.say(&format!("{title}, ended with {}; its pair is not kept.", ending_of(status)));
                failed = Some(status);
            } else if recorded[side].is_some() {
                turns.say(&format!("{title}: {amount}"));
            }
            if !status.success() || recorded[side].is_none() || turns.is_told_to_end() {
                break;
            }
        }
        all.failed = all.failed.or(failed);
        let is_kept = match (failed, &recorded) {
            (None, [Some(before), Some(after)]) => {
                let is_last = turns.is_enough([before, after])?;
                Some(is_last)
            }
            _ => None,
        };
        if is_kept.is_some() {
            for (files, file) in all.files.iter_mut().zip(recorded) {
                files.extend(file);
            }
        } else {
            recorded.iter().flatten().try_for_each(|file| remove(file))?;
        }
        let is_hopeless = is_kept.is_none() && (failed.is_none() || pair == 1);
        if is_kept == Some(true) || is_hopeless || turns.is_told_to_end() {
            break;
        }
    }
    Ok(all)
}

fn remove(file: &Path) -> Result<(), Problem> {
    fs::remove_file(file).map_err(|error| {
        Problem::new(format!("{} cannot be removed: {error}", file.display()), "remove it yourself")
    })
}
