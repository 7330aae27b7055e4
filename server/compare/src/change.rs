//! A definition before and after: how much its times differ, and the verdict on that.

use std::cmp::Reverse;
use std::sync::Arc;

use analysis::anchor::Freshness;
use analysis::summary::{DefinitionKey, share};
use profile::model::Amount;
use serde::Serialize;

use crate::calls::{CallsChange, Cause};
use crate::run::FunctionInfo;
use crate::side::{FunctionMeans, Side};
use crate::statistics::{Effect, Estimate, MIN_RUNS, adjust, effect, effective};
use crate::verdict::{Settings, Verdict};

/// A change of total time is sorted as if it were smaller by this factor: as many callers may have one that is not theirs.
const CALLERS: u64 = 10;

/// An amount before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Of a mean run before.
    pub before: Amount,
    /// Of a mean run after.
    pub after: Amount,
    /// The samples of all runs, before and after.
    pub samples: [u64; 2],
    /// How certain the difference is; `None` if nothing is known about that.
    pub effect: Option<Effect>,
    /// How many runs it is based on (`statistics::effective`).
    pub(crate) effective: f64,
    /// The verdict on it.
    pub verdict: Verdict,
}

/// Which sides have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Presence {
    /// Both.
    Both,
    /// Only the side before.
    Before,
    /// Only the side after.
    After,
}

/// A definition before and after.
#[derive(Clone, Debug)]
pub struct FunctionChange {
    /// The definition.
    pub key: DefinitionKey,
    /// What is known about it; from the side after if that has it.
    pub info: Arc<FunctionInfo>,
    /// Which sides have it.
    pub presence: Presence,
    /// Whether the code that ran after differs from the code that ran before; `None` if one side does not have it.
    pub edited: Option<bool>,
    /// Its self time.
    pub self_time: Change,
    /// Its total time.
    pub total_time: Change,
    /// How often it was called; `None` if not counted on both sides.
    pub calls: Option<CallsChange>,
    /// The verdict on it.
    pub verdict: Verdict,
}

impl Change {
    /// After minus before.
    pub fn difference(&self) -> i64 {
        self.after.0.cast_signed() - self.before.0.cast_signed()
    }

    /// After divided by before; `None` if there was nothing before.
    pub fn ratio(&self) -> Option<f64> {
        (self.before.0 > 0).then(|| self.after.0 as f64 / self.before.0 as f64)
    }

    /// The self time (0) or the total time (1) of a function, as far as the sides have it.
    fn of(
        functions: [Option<&FunctionMeans>; 2],
        which: usize,
        sides: &[Side; 2],
        settings: Settings,
    ) -> Self {
        let [before, after] =
            functions.map(|means| means.map(|means| means.means[which]).unwrap_or_default());
        let estimates = [0, 1].map(|side: usize| match functions[side] {
            Some(function) => function.estimates[which],
            None => Estimate::unknown(sides[side].runs, 0.0),
        });
        Self {
            before,
            after,
            samples: functions.map(|means| means.map_or(0, |means| means.samples[which])),
            effect: effect(&estimates[0], &estimates[1], settings.noise, settings.level),
            effective: effective(estimates.each_ref()),
            verdict: Verdict::Unsure,
        }
    }

    /// Whether it is large enough to be judged. Both sides are taken together, so that the answer does not depend on
    /// their difference (Bourgon, Gentleman, Huber 2010, "Independent filtering").
    pub(crate) fn is_large(&self, sides: &[Side; 2], settings: Settings) -> bool {
        let [was, is] = sides;
        let active = Amount((was.active.mean + is.active.mean) as u64);
        let samples = (self.samples[0] + self.samples[1]) as f64 / (was.runs + is.runs) as f64;
        share(self.before + self.after, active) >= settings.least_share
            && samples >= settings.least_samples
            && self.effective >= settings.least_effective
    }

    fn judge(&mut self, sides: &[Side; 2], settings: Settings) {
        if self.before.0 + self.after.0 == 0 {
            self.verdict = Verdict::Unchanged;
        }
        let Some(effect) = self.effect else { return };
        let is_certain = sides.iter().all(|side| side.runs >= MIN_RUNS);
        self.verdict = match effect.interval {
            _ if effect.q <= settings.level && self.difference() != 0 => {
                Verdict::of(self.difference() > 0, is_certain)
            }
            Some([low, high]) if low > 1.0 - settings.noise && high < 1.0 + settings.noise => {
                Verdict::Unchanged
            }
            _ => Verdict::Unsure,
        };
    }
}

/// Judges all changes that are large enough, together.
pub(crate) fn judge(
    whole: &mut Change,
    functions: &mut [FunctionChange],
    sides: &[Side; 2],
    settings: Settings,
) {
    let mut asked: Vec<&mut Effect> = whole.effect.as_mut().into_iter().collect();
    for function in functions.iter_mut() {
        for change in [&mut function.self_time, &mut function.total_time] {
            if change.is_large(sides, settings) {
                asked.extend(change.effect.as_mut());
            }
        }
    }
    adjust(&mut asked);
    whole.judge(sides, settings);
    functions.iter_mut().for_each(|function| function.judge(sides, settings));
}

impl FunctionChange {
    pub(crate) fn of(key: &DefinitionKey, sides: &[Side; 2], settings: Settings) -> Self {
        let [was, is] = [0, 1].map(|side: usize| sides[side].functions.get(key));
        let presence = match (was, is) {
            (Some(_), None) => Presence::Before,
            (None, Some(_)) => Presence::After,
            _ => Presence::Both,
        };
        let [self_time, total_time] = [0, 1].map(|which| Change::of([was, is], which, sides, settings));
        let info = is.or(was).map(|function| Arc::clone(&function.info)).expect("one side has it");
        let edited = was.zip(is).map(|(was, is)| was.info.code != is.info.code);
        let verdict = Verdict::Unsure;
        Self { key: key.clone(), info, presence, edited, self_time, total_time, calls: None, verdict }
    }

    /// Whether it is in today's text.
    pub fn is_in_text(&self) -> bool {
        self.info.freshness != Freshness::Gone
    }

    /// The time that says most about what changed: the total time if it certainly changed and most of that change is in
    /// its callees, otherwise the self time.
    pub fn shown(&self) -> &Change {
        let calls = self.total_time.difference().abs() > 2 * self.self_time.difference().abs();
        let is_change = self.total_time.verdict.is_change();
        if is_change && (calls || !self.self_time.verdict.is_change()) {
            &self.total_time
        } else {
            &self.self_time
        }
    }

    /// Whether the total time is the one shown.
    pub fn shows_total(&self) -> bool {
        std::ptr::eq(self.shown(), &raw const self.total_time)
    }

    /// Why one of its times changed, as far as calls tell; empty if it did not change, or nothing is known.
    pub fn causes(&self, change: &Change) -> Vec<Cause> {
        let (Some(calls), true) = (self.calls, change.verdict.is_change()) else { return Vec::new() };
        let interval = change.effect.and_then(|effect| effect.interval);
        change.ratio().zip(interval).map_or_else(Vec::new, |(ratio, interval)| calls.causes(ratio, interval))
    }

    fn judge(&mut self, sides: &[Side; 2], settings: Settings) {
        self.self_time.judge(sides, settings);
        self.total_time.judge(sides, settings);
        let [was, is] = sides;
        self.verdict = match self.presence {
            Presence::Before if self.may_be_hidden(is, was, settings) => Verdict::NotComparable,
            Presence::After if self.may_be_hidden(was, is, settings) => Verdict::NotComparable,
            Presence::Before => Verdict::Gone,
            Presence::After => Verdict::New,
            Presence::Both => self.both(),
        };
    }

    /// Whether the side that lacks it hides enough time for it.
    fn may_be_hidden(&self, lacking: &Side, having: &Side, settings: Settings) -> bool {
        let (hidden, _) = lacking.hides_more_than(having, settings.least_share);
        hidden.0 > 0 && hidden.0 >= (self.total_time.before + self.total_time.after).0 / 2
    }

    /// The verdict of a function that both sides have.
    fn both(&self) -> Verdict {
        let (own, total) = (&self.self_time, &self.total_time);
        if total.verdict.is_change() {
            return total.verdict;
        }
        if own.verdict.is_change() {
            return if self.is_shifted() { Verdict::Shifted } else { own.verdict };
        }
        match (own.verdict, total.verdict) {
            (Verdict::Unchanged, Verdict::Unchanged) => Verdict::Unchanged,
            _ => Verdict::Unsure,
        }
    }

    /// Whether the total time, as far as is known, changed by less than half of the change of the self time.
    fn is_shifted(&self) -> bool {
        let total = &self.total_time;
        let Some([low, high]) = total.effect.and_then(|effect| effect.interval) else { return false };
        // The interval is that of the ratio of means.
        let differences = [low, high].map(|ratio| (ratio - 1.0) * total.before.0 as f64);
        let half = self.self_time.difference() as f64 / 2.0;
        if half > 0.0 { differences[1] < half } else { differences[0] > half }
    }

    /// Whether it is new or gone by more than chance, since functions with few samples come and go.
    pub fn is_certain_news(&self, settings: Settings) -> bool {
        matches!(self.verdict, Verdict::New | Verdict::Gone)
            && self
                .self_time
                .effect
                .or(self.total_time.effect)
                .is_some_and(|effect| effect.q <= settings.level)
    }

    /// The sort key: what is certain comes first, then what changed most. Most of a change of total time is that of a
    /// function that it calls, so that causes come before their callers.
    pub(crate) fn order(&self, settings: Settings) -> (u8, Reverse<u64>, bool) {
        let times = [&self.self_time, &self.total_time];
        let rank = match self.verdict {
            Verdict::New | Verdict::Gone if !self.is_certain_news(settings) => 3,
            Verdict::Regression | Verdict::Improvement => 0,
            Verdict::New | Verdict::Gone => u8::from(!times.iter().any(|time| time.verdict.is_certain())),
            Verdict::PossibleRegression | Verdict::PossibleImprovement => 1,
            Verdict::Shifted => 2,
            Verdict::NotComparable | Verdict::Unchanged | Verdict::Unsure => 3,
        };
        let [own, total] = times.map(|time| time.difference().unsigned_abs());
        let size = if self.shows_total() { own.max(total / CALLERS) } else { own };
        (rank, Reverse(size), self.shows_total())
    }
}

#[cfg(test)]
mod tests;
