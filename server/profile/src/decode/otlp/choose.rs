//! Chooses which profiles of an OTLP file are read: each has one kind of value, and several measure the same samples.

use super::tables::{Dictionary, OtlpProfile, OtlpTables};
use crate::builder::ProfileBuilder;
use crate::decode::conventions::{COUNTED, note_counts};
use crate::decode::error::UnsupportedFormat;
use crate::decode::protobuf::nanoseconds_in;
use crate::model::Unit;

/// What the values of a profile mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeasuredValues {
    /// The profile with the lowest rank is read.
    rank: u32,
    pub(super) unit: Unit,
    /// The size of one unit of the value, in nanoseconds or bytes.
    pub(super) worth: f64,
    /// Whether a value is a number of samples.
    pub(super) counts: bool,
    /// Whether the weight of a sample is not known.
    is_guessed: bool,
}

/// What a profile measures; `None` if it is neither time nor bytes.
fn measured(profile: &OtlpProfile, dictionary: &Dictionary) -> Option<MeasuredValues> {
    let text = |index: u32| dictionary.text(index);
    let (kind, unit) = (text(profile.sample_type.0), text(profile.sample_type.1));
    let period = nanoseconds_in(text(profile.period_type.1)).filter(|_| profile.period > 0);
    let is_sample = matches!(kind, "sample" | "samples");
    let time =
        |rank, worth| MeasuredValues { rank, unit: Unit::Time, worth, counts: false, is_guessed: false };
    let of_bytes = |rank| MeasuredValues { unit: Unit::Bytes, ..time(rank, 1.0) };
    Some(match (nanoseconds_in(unit), unit) {
        (Some(worth), _) => time(if matches!(kind, "cpu" | "wall") { 0 } else { 2 }, worth),
        (None, "count") if is_sample => match period {
            Some(worth) => MeasuredValues { counts: true, ..time(1, worth * profile.period as f64) },
            None => MeasuredValues { counts: true, is_guessed: true, ..time(5, COUNTED) },
        },
        (None, "bytes" | "By") if matches!(kind, "inuse_space" | "space") => of_bytes(3),
        (None, "bytes" | "By") => of_bytes(4),
        _ => return None,
    })
}

impl OtlpTables {
    /// Why none of its profiles can be read.
    pub(super) fn refusal(&self) -> Option<UnsupportedFormat> {
        let mut with_samples = self.profiles.iter().filter(|it| !it.samples.stacks.is_empty()).peekable();
        if self.is_old || (with_samples.peek().is_some() && !self.dictionary.has_stacks) {
            return Some(UnsupportedFormat::OldOtlp);
        }
        let is_any = with_samples.peek().is_some();
        let is_readable = with_samples.any(|it| measured(it, &self.dictionary).is_some());
        (is_any && !is_readable).then_some(UnsupportedFormat::OtherUnit)
    }

    /// The profiles to read, and what they measure: the first kind of value with the lowest rank. Reports what it leaves out.
    pub(super) fn chosen(&self, builder: &mut ProfileBuilder) -> Option<(Vec<usize>, MeasuredValues)> {
        let dictionary = &self.dictionary;
        let of_type =
            |it: &OtlpProfile| (dictionary.text(it.sample_type.0), dictionary.text(it.sample_type.1));
        let known: Vec<(usize, &OtlpProfile, MeasuredValues)> = self
            .profiles
            .iter()
            .enumerate()
            .filter(|it| !it.1.samples.stacks.is_empty())
            .filter_map(|(index, it)| Some((index, it, measured(it, dictionary)?)))
            .collect();
        let &(_, first, measured) = known.iter().min_by_key(|it| it.2.rank)?;
        if measured.is_guessed {
            note_counts(builder);
        }
        let mut others: Vec<String> = Vec::new();
        for it in known.iter().filter(|it| !it.2.counts && of_type(it.1) != of_type(first)) {
            let (kind, unit) = of_type(it.1);
            let other = format!("{kind} in {unit}");
            if !others.contains(&other) && others.len() < MAX_OTHERS {
                others.push(other);
            }
        }
        if !others.is_empty() {
            let what = format!("it also holds {}", others.join(", "));
            builder.problem(what, &format!("only {} is shown", of_type(first).0));
        }
        let chosen = known.into_iter().filter(|it| it.2 == measured && of_type(it.1) == of_type(first));
        Some((chosen.map(|it| it.0).collect(), measured))
    }

    /// The profile with the numbers of samples for a profile of times or bytes: one next to it, of the same resource and
    /// scope, with the same stacks in the same order.
    pub(super) fn counts_of(&self, index: usize) -> Option<&OtlpProfile> {
        let profile = &self.profiles[index];
        let beside = index.saturating_sub(BESIDE)..self.profiles.len().min(index + BESIDE + 1);
        self.profiles[beside].iter().find(|it| {
            (it.resource, it.scope) == (profile.resource, profile.scope)
                && self.dictionary.text(it.sample_type.1) == "count"
                && it.samples.stacks == profile.samples.stacks
        })
    }
}

/// How many profiles before and after another one count as next to it.
const BESIDE: usize = 8;
/// How many kinds of values that are left out are named.
const MAX_OTHERS: usize = 5;
