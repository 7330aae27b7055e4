//! The content of a comparison, from which every format is made.

use std::cmp::Ordering;

use analysis::files::FilePath;
use analysis::format::{self, Style};
use compare::change::{Change, FunctionChange, Presence};
use compare::comparison::Comparison;
use compare::side::LedgerRow;
use compare::verdict::Verdict;
use profile::model::Amount;

/// Which time of functions is listed, and what the list is ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The one that says most.
    Shown,
    /// Self time.
    SelfTime,
    /// Total time.
    TotalTime,
}

/// The content of a comparison, from which every format is made.
pub struct Content<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The workspace folder: printed paths are relative to it.
    pub folder: &'a FilePath,
    /// Which time is listed.
    pub by: Sort,
    /// The most functions that are listed.
    pub limit: usize,
    /// The address below which the files are.
    pub link_base: Option<&'a str>,
}

/// A function with the time that is listed.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Row<'a> {
    pub(in crate::cli) function: &'a FunctionChange,
    pub(in crate::cli) change: &'a Change,
    /// `self` or `total`.
    pub(in crate::cli) which: &'static str,
    pub(in crate::cli) verdict: Verdict,
}

impl<'a> Content<'a> {
    /// All functions in order.
    pub(in crate::cli) fn rows(&self) -> Vec<Row<'a>> {
        let mut rows: Vec<_> = self.comparison.functions.iter().map(|function| self.row(function)).collect();
        // They are ordered by the time that says most.
        if self.by != Sort::Shown {
            rows.sort_by_key(|row| {
                (!row.is_told(self.comparison), std::cmp::Reverse(row.change.difference().unsigned_abs()))
            });
        }
        rows
    }

    fn row(&self, function: &'a FunctionChange) -> Row<'a> {
        let total = match self.by {
            Sort::Shown => function.shows_total(),
            Sort::SelfTime => false,
            Sort::TotalTime => true,
        };
        let (change, which) =
            if total { (&function.total_time, "total") } else { (&function.self_time, "self") };
        let verdict = match (self.by, function.presence) {
            (Sort::Shown, _) | (_, Presence::Before | Presence::After) => function.verdict,
            _ => change.verdict,
        };
        Row { function, change, which, verdict }
    }

    /// An amount.
    pub(super) fn amount(&self, amount: Amount) -> String {
        format::amount(amount, self.comparison.unit, Style::Text)
    }

    /// The amounts before and after, and their difference with its sign: `+4.70 ms`.
    pub(in crate::cli) fn amounts(&self, before: Amount, after: Amount) -> [String; 3] {
        let sign = match after.cmp(&before) {
            Ordering::Equal => "",
            Ordering::Greater => "+",
            Ordering::Less => "−",
        };
        let difference = self.amount(Amount(after.0.abs_diff(before.0)));
        [self.amount(before), self.amount(after), format!("{sign}{difference}")]
    }
}

impl Row<'_> {
    /// Whether its time changed by more than noise, or moved.
    pub(in crate::cli) fn is_news(&self, comparison: &Comparison) -> bool {
        self.is_told(comparison) || self.verdict == Verdict::Shifted
    }

    fn is_told(&self, comparison: &Comparison) -> bool {
        self.verdict.is_change() || self.function.is_certain_news(comparison.settings)
    }
}

/// The name of a row of the ledger.
pub(super) fn row_label(row: LedgerRow) -> String {
    match row {
        LedgerRow::Placed => "Functions".to_owned(),
        LedgerRow::Unplaced(reason) => reason.label(),
        LedgerRow::Idle => "Idle".to_owned(),
        LedgerRow::NoStack => "Without a stack".to_owned(),
    }
}
