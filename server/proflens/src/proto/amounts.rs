//! Amounts with their texts, which clients show as they are: how a number looks is decided here, for all of them.

use std::iter;

use analysis::format::{self, Style, about, count, percent};
use analysis::recording::Recording;
use analysis::summary::{Base, CallEnd, Measured, share};
use analysis::views;
use profile::model::{Amount, Unit, Weight};
use profile::uncertainty::Interval;

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
    pub(crate) fn share(&self, time: Amount) -> f64 {
        share(time, self.recording.summary.ledger.base(self.base))
    }

    /// The cost of a definition: of itself, and with its callees.
    pub(crate) fn costs(&self, measured: &Measured) -> [ext::Amount; 2] {
        let [own_interval, all_interval] = self.recording.summary.intervals(measured);
        [self.part(measured.cost.own(), own_interval), self.part(measured.cost.all(), all_interval)]
    }

    /// A part of the total time of some functions.
    pub(crate) fn within<'a>(
        &self,
        spent: Weight,
        functions: impl Iterator<Item = &'a Measured>,
    ) -> ext::Amount {
        self.part(spent, self.recording.summary.interval_within(spent, functions))
    }

    /// A part of the self time of some functions.
    pub(crate) fn within_own<'a>(
        &self,
        spent: Weight,
        functions: impl Iterator<Item = &'a Measured> + Clone,
    ) -> ext::Amount {
        self.part(spent, self.recording.summary.interval_within_own(spent, functions))
    }

    /// The time that flows between a function and one of its callers or callees.
    pub(crate) fn call(&self, spent: Weight, function: &Measured, other: &CallEnd) -> ext::Amount {
        self.within(spent, iter::once(function).chain(self.recording.summary.measured(other)))
    }

    /// A part of the base whose number of samples is known.
    pub(crate) fn spent(&self, spent: Weight) -> ext::Amount {
        self.part(spent, self.recording.summary.interval_of(spent.samples))
    }

    /// A part of the base whose number of samples is estimated.
    pub(crate) fn likely(&self, time: Amount) -> ext::Amount {
        self.spent(Weight { time, samples: self.recording.summary.samples_in(time) })
    }

    /// The cost of a line.
    pub(crate) fn line(&self, line: &views::LineHeat) -> ext::Amount {
        let samples = self.recording.summary.samples_in(line.time);
        self.part(Weight { time: line.time, samples }, line.interval)
    }

    /// An amount that is not part of the base, and so has no share.
    pub(crate) fn outside(&self, spent: Weight) -> ext::Amount {
        self.without_share(spent, self.recording.summary.interval_of(spent.samples))
    }

    /// Everything that was measured, which is known exactly.
    pub(crate) fn all(&self, spent: Weight) -> ext::Amount {
        self.without_share(spent, None)
    }

    fn without_share(&self, spent: Weight, interval: Option<Interval>) -> ext::Amount {
        let text = match self.unit {
            views::Unit::Samples => count(spent.samples, "sample"),
            views::Unit::Time | views::Unit::Percent => self.text(spent.time, interval),
        };
        with_text(spent.time, self.recording.unit, text, None)
    }

    fn part(&self, spent: Weight, interval: Option<Interval>) -> ext::Amount {
        let (time, share) = (self.text(spent.time, interval), percent(self.share(spent.time), Style::Text));
        let (text, beside) = match self.unit {
            views::Unit::Time => (time, share),
            views::Unit::Percent => (share, time),
            views::Unit::Samples => (count(spent.samples, "sample"), share),
        };
        with_text(spent.time, self.recording.unit, text, Some(beside))
    }

    fn text(&self, amount: Amount, interval: Option<Interval>) -> String {
        about(amount, self.recording.unit, interval)
    }
}

/// A number of samples.
pub(crate) fn samples(number: u64) -> ext::Count {
    counted(number, "sample")
}

/// A number of things by their noun.
pub(crate) fn counted(number: u64, noun: &str) -> ext::Count {
    ext::Count { number, text: count(number, noun) }
}

/// An amount by itself, whatever unit is chosen.
pub(crate) fn plain(amount: Amount, unit: Unit) -> ext::Amount {
    with_text(amount, unit, format::amount(amount, unit, Style::Text), None)
}

fn with_text(amount: Amount, unit: Unit, text: String, beside: Option<String>) -> ext::Amount {
    match unit {
        Unit::Time => ext::Amount::Time { ns: amount.0, text, beside },
        Unit::Bytes => ext::Amount::Memory { bytes: amount.0, text, beside },
    }
}

impl ext::Amount {
    /// The amount with its secondary text: `12.3 ms (4.6 %)`.
    pub(crate) fn in_full(&self) -> String {
        let (Self::Time { text, beside, .. } | Self::Memory { text, beside, .. }) = self;
        match beside {
            Some(beside) => format!("{text} ({beside})"),
            None => text.clone(),
        }
    }

    /// The text and the secondary text, or nothing, for two columns of a table.
    pub(crate) fn cells(self) -> [String; 2] {
        let (Self::Time { text, beside, .. } | Self::Memory { text, beside, .. }) = self;
        [text, beside.unwrap_or_default()]
    }
}
