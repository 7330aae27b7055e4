//! What all views of one document share: its measured definitions, found again in today's text.

use profile::Amount;
use source::Definition;

use crate::anchor::{Freshness, Version, anchor};
use crate::summary::{DefinitionKey, Measured, share};
use crate::{Document, Recording};

/// What 100 % is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// All time but idle time and samples without a stack.
    #[default]
    Active,
    /// All time.
    All,
}

/// What numbers a hint or lens shows first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// `12.3ms`, or `12.3kB` of what was allocated.
    #[default]
    Time,
    /// `4.6%`.
    Percent,
    /// A number of samples.
    Samples,
}

/// Which functions are worth a hint.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// Percent of the base that a total must reach, 0..100.
    pub percent: f64,
    /// What 100 % is.
    pub base: Base,
}

/// A measured definition in today's text.
pub(crate) struct Shown<'a> {
    pub(crate) key: &'a DefinitionKey,
    pub(crate) measured: &'a Measured,
    pub(crate) today: &'a Definition,
    pub(crate) freshness: Freshness,
}

/// Functions with fewer samples say too little.
const FEW_SAMPLES: u64 = 2;
/// That many of the hottest always get a hint.
const ALWAYS: u32 = 10;

/// The measured definitions that are still in the document, by their place.
pub(crate) fn shown<'a>(recording: &'a Recording, document: &'a Document) -> Vec<Shown<'a>> {
    let Some(file) = recording.files.get(&document.file) else { return Vec::new() };
    let outline = document.outline();
    let found = anchor(
        Version { text: &file.text, outline: &file.outline },
        Version { text: &document.text, outline },
    );
    let mut all: Vec<_> = recording
        .in_file(&document.file)
        .filter_map(|(key, measured)| {
            let (today, since_load) = found[measured.definition?.0 as usize]?;
            let today = outline.get(today);
            Some(Shown { key, measured, today, freshness: freshness(measured, today, since_load) })
        })
        .collect();
    all.sort_by_key(|it| (it.today.range.start(), it.today.range.end()));
    all
}

/// How fresh a cost is, by what happened before the trace was loaded and since.
fn freshness(measured: &Measured, today: &Definition, since_load: Freshness) -> Freshness {
    let worst = measured.freshness.max(since_load);
    // An edit that was taken back leaves no trace.
    let same = worst == Freshness::Edited && measured.code == today.code();
    if same { Freshness::Moved } else { worst }
}

/// Whether a definition cost enough to be shown.
pub(crate) fn worth_showing(recording: &Recording, it: &Shown, threshold: &Threshold) -> bool {
    if recording.ranks.get(it.key).is_some_and(|&rank| rank <= ALWAYS) {
        return true;
    }
    let base = base(recording, threshold.base);
    it.measured.cost.total_samples >= FEW_SAMPLES
        && share(it.measured.cost.total_time, base) * 100.0 >= threshold.percent
}

pub(crate) fn base(recording: &Recording, base: Base) -> Amount {
    recording.summary.ledger.base(base == Base::All)
}
