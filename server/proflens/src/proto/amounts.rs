//! Amounts with their texts, which clients show as they are: what a number looks like is decided here, for all of them.

use std::iter;

use analysis::format::{self, Style, about, count, percent};
use analysis::{Base, CallEnd, Measured, Recording, share, views};
use profile::{Amount, Interval, Weight};

use super::ext;

/// Writes the amounts of a recording in the unit that the user chose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amounts<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) unit: views::Unit,
    pub(crate) base: Base,
}

impl Amounts<'_> {
    /// The share of a time, 0..1 of the base.
    pub(crate) fn share(&self, of: Amount) -> f64 {
        share(of, self.recording.summary.ledger.base(self.base))
    }

    /// What a definition cost: itself, and with what it called.
    pub(crate) fn costs(&self, measured: &Measured) -> [ext::Amount; 2] {
        let [own_interval, all_interval] = self.recording.summary.intervals(measured);
        [self.part(measured.cost.own(), own_interval), self.part(measured.cost.all(), all_interval)]
    }

    /// A part of the total time of some functions.
    pub(crate) fn within<'a>(
        &self,
        it: Weight,
        functions: impl Iterator<Item = &'a Measured>,
    ) -> ext::Amount {
        self.part(it, self.recording.summary.interval_within(it, functions))
    }

    /// A part of the self time of some functions.
    pub(crate) fn within_own<'a>(
        &self,
        it: Weight,
        functions: impl Iterator<Item = &'a Measured> + Clone,
    ) -> ext::Amount {
        self.part(it, self.recording.summary.interval_within_own(it, functions))
    }

    /// What flows between a function and a caller or callee of it.
    pub(crate) fn call(&self, spent: Weight, function: &Measured, other: &CallEnd) -> ext::Amount {
        self.within(spent, iter::once(function).chain(self.recording.summary.measured(other)))
    }

    /// A part of the base, of which the number of samples is known.
    pub(crate) fn spent(&self, it: Weight) -> ext::Amount {
        self.part(it, self.recording.summary.interval_of(it.samples))
    }

    /// A part of the base, of which the number of samples is likely.
    pub(crate) fn likely(&self, time: Amount) -> ext::Amount {
        self.spent(Weight { time, samples: self.recording.summary.samples_in(time) })
    }

    /// What a line cost.
    pub(crate) fn line(&self, it: &views::LineHeat) -> ext::Amount {
        let samples = self.recording.summary.samples_in(it.time);
        self.part(Weight { time: it.time, samples }, it.interval)
    }

    /// What is no part of the base has no share.
    pub(crate) fn outside(&self, it: Weight) -> ext::Amount {
        self.without_share(it, self.recording.summary.interval_of(it.samples))
    }

    /// All that was measured, which is known.
    pub(crate) fn all(&self, it: Weight) -> ext::Amount {
        self.without_share(it, None)
    }

    fn without_share(&self, it: Weight, interval: Option<Interval>) -> ext::Amount {
        let text = match self.unit {
            views::Unit::Samples => count(it.samples, "sample"),
            views::Unit::Time | views::Unit::Percent => self.text(it.time, interval),
        };
        amount(it.time, self.recording.unit, text, None)
    }

    fn part(&self, it: Weight, interval: Option<Interval>) -> ext::Amount {
        let (time, share) = (self.text(it.time, interval), percent(self.share(it.time), Style::Text));
        let (text, beside) = match self.unit {
            views::Unit::Time => (time, share),
            views::Unit::Percent => (share, time),
            views::Unit::Samples => (count(it.samples, "sample"), share),
        };
        amount(it.time, self.recording.unit, text, Some(beside))
    }

    fn text(&self, it: Amount, interval: Option<Interval>) -> String {
        about(it, self.recording.unit, interval)
    }
}

/// An amount by itself, whatever unit is chosen.
pub(crate) fn plain(it: Amount, unit: profile::Unit) -> ext::Amount {
    amount(it, unit, format::amount(it, unit, Style::Text), None)
}

fn amount(it: Amount, unit: profile::Unit, text: String, beside: Option<String>) -> ext::Amount {
    match unit {
        profile::Unit::Time => ext::Amount::Time { ns: it.0, text, beside },
        profile::Unit::Bytes => ext::Amount::Memory { bytes: it.0, text, beside },
    }
}

impl ext::Amount {
    /// The amount with what stands beside it: `12.3 ms (4.6 %)`.
    pub(crate) fn in_full(&self) -> String {
        match self {
            Self::Time { text, beside: Some(beside), .. }
            | Self::Memory { text, beside: Some(beside), .. } => {
                format!("{text} ({beside})")
            }
            Self::Time { text, .. } | Self::Memory { text, .. } => text.clone(),
        }
    }
}
